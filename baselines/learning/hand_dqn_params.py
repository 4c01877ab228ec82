"""The parameters of `HandDQN`, without what it needs to run."""

from __future__ import annotations

from ...envs.engine.spec import Param
from .alphazero_params import MANY

PARAMS: dict[str, Param] = {
    "network": Param("suits", "network", choices=("suits", "resnet", "mlp", "board")),
    "encoder": Param("", "what the network sees; empty: the game's default encoder"),
    "base": Param(
        "none", "what the network's values are added to: what published says, or nothing", choices=("none", "published")
    ),
    "learned": Param(
        "discards",
        "decisions that are learned: discards (claims and kongs are the search's), or all",
        choices=("discards", "all"),
    ),
    "double": Param(True, "Double DQN: the online network chooses in the target, the target network values"),
    "bootstrap": Param(
        "best",
        "what follows a decision in the target: the best of the next, what was played there, or rollouts by greedy",
        choices=("best", "played", "rollouts"),
    ),
    "candidates": Param(4, "with rollouts: discards of a decision that are played out", low=2, high=34),
    "rollouts": Param(2, "with rollouts: how often each of them is played out", low=1, high=10_000),
    "envs": Param(256, "tables at once", low=1, high=100_000),
    "halves": Param(2, "parts of them that play side by side, each on a thread of its own", low=1, high=1024),
    "moves": Param(8, "decisions at every table between two rounds of learning", low=1, high=1_000_000),
    "evaluator": Param("own", "who values hands for the search: own, the network itself", choices=("own", "published")),
    "danger": Param(False, "whether the search charges discards with what others may win on"),
    "depth": Param(1, "layers of the search, of a discard and a draw each", low=1, high=2),
    "alpha": Param(1.0, "share of the hand's tiles whose discard it looks at", low=0.1, high=1.0),
    "search_initial": Param(0.0, "share of decisions that are the search's at the start", low=0.0, high=1.0),
    "search_final": Param(0.0, "share of decisions that are the search's at the end", low=0.0, high=1.0),
    "search_steps": Param(1, "decisions from the first share to the last", low=1, high=MANY),
    "shaping": Param(0.1, "part of the search's value that rewards all decisions but a hand's last", low=0.0, high=1.0),
    "point": Param(1000.0, "points of a hand that are a reward of 1", low=1.0, high=1e9),
    "gamma": Param(0.99, "discount of what follows a decision", low=0.0, high=1.0),
    "exploration_initial_eps": Param(0.1, "share of random decisions at the start", low=0.0, high=1.0),
    "exploration_final_eps": Param(0.02, "share of random decisions at the end", low=0.0, high=1.0),
    "exploration_steps": Param(1, "decisions from the first share to the last", low=1, high=MANY),
    "symmetry": Param(True, "show every sample in a random image: suits exchanged, ranks reversed"),
    "buffer_size": Param(200_000, "decisions that are kept, the newest", low=1, high=MANY),
    "learning_starts": Param(5000, "decisions before learning", low=0, high=MANY),
    "draws": Param(4.0, "how often a decision is drawn, on average", low=0.0, high=1000.0),
    "batch_size": Param(256, "decisions in a gradient step", low=1, high=1_000_000),
    "target_update_interval": Param(500, "gradient steps between copies to the target network", low=1, high=MANY),
    "loss": Param("huber", "error that is minimised", choices=("huber", "mse")),
    "learning_rate": Param(5e-4, "step size of the optimizer, Adam", low=0.0, high=10.0),
    "clip": Param(10.0, "longest gradient; 0: any", low=0.0, high=1e6),
    "threads": Param(0, "threads in all; 0: one for each core", low=0, high=1024),
    "seed": Param(0, "same seed, same run", low=0, high=2**32 - 1),
}
