"""Training runs small enough for a test, and what they leave behind."""

from pathlib import Path

LEFT = {
    ".lock", "config.json", "versions.json", "log.jsonl", "checkpoint.safetensors", "model.safetensors", "curves.png",
    "games.jsonl",
    "moves.png",
}  # fmt: skip
"""The files of a run, besides TensorBoard's."""


def left_by(folder: Path) -> set[str]:
    """Name the files of a run, besides TensorBoard's."""
    return {path.name for path in folder.iterdir() if not path.name.startswith("events.out.tfevents")}


TINY = """
game = "hex:board_size=3"
policy = "MlpPolicy"
choices = { hidden = [16] }
envs = 8
steps = 1200
learning_starts = 100
buffer_size = 700
exploration_steps = 800
evaluation_interval = 500
evaluation_games = 4
checkpoint_interval = 300
log_interval = 200
double = true
symmetry = true
opening = 1
"""

TINY_ALPHAZERO = """
algorithm = "alphazero"
game = "einstein:board_size=3,stones=2"
network = "mlp"
choices = { hidden = [8] }
precision = "float32"
envs = 6
moves = 2
sims = 6
quick_sims = 3
full_share = 0.5
learning_starts = 30
window = 60
buffer_size = 100
batch_size = 8
gate_interval = 100
gate_games = 4
steps = 600
evaluation_interval = 300
evaluation_games = 4
checkpoint_interval = 96
log_interval = 120
"""

TINY_HANDS = """
algorithm = "hand_dqn"
network = "suits"
choices = { width = 8, joint = 8 }
evaluator = "published"
alpha = 0.2
search_initial = 0.5
search_steps = 400
exploration_initial_eps = 0.3
exploration_steps = 400
envs = 6
moves = 2
learning_starts = 40
buffer_size = 150
batch_size = 8
target_update_interval = 9
steps = 1200
evaluation_interval = 600
evaluation_games = 4
checkpoint_interval = 96
log_interval = 120
threads = 1
"""
