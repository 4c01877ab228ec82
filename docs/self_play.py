"""Measure what makes self-play cheaper: the table of training.md. From the root: ``python docs/self_play.py``.

On Hex 7x7 a network learns with each choice for as long as with none, by the time of a core; then the two meet. What
has been trained stays in ``self_play/`` and is not trained again.
"""

import re
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.openings import Openings
from boyi.baselines.training.alphazero_trainer import AlphaZeroTrainer
from boyi.baselines.training.config import check_config
from boyi.envs import find

GAME, SECONDS, GAMES = "hex:board_size=7", 480, 400
NETWORK = {"channels": 32, "blocks": 4, "pool": 2}
FOLDER = Path("self_play")
PLAIN: dict[str, Any] = {
    "algorithm": "alphazero", "game": GAME, "network": "board", "encoder": "oriented", "choices": NETWORK, "envs": 96,
    "halves": 1, "threads": 1, "moves": 4, "sims": 32, "root": "gumbel", "considered": 12, "opening": 2,
    "window": 20_000, "learning_starts": 3000, "batch_size": 256, "draws": 3.0, "learning_rate": 1e-3, "seed": 1,
}  # fmt: skip
FORETELLS = {"choices": {**NETWORK, "auxiliary": True}}
CHOICES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "nothing, another seed": {"seed": 2},
    "AlphaZero's root": {"root": "puct", "dirichlet": 0.3},
    "16 simulations": {"sims": 16},
    "playout cap: 48 in one of four, else 12": {"sims": 48, "quick_sims": 12, "full_share": 0.25},
    "the same, each sample drawn four times as often": {
        "sims": 48,
        "quick_sims": 12,
        "full_share": 0.25,
        "draws": 12.0,
    },
    "value: a half from search": {"outcome_share": 0.5},
    "auxiliary: the next move": {**FORETELLS, "reply_weight": 0.15},
    "auxiliary: who owns what": {**FORETELLS, "owner_weight": 0.15},
    "surprise": {"surprise": 0.5},
    "the most even of 8 openings": {"openings": 8},
    "mean of 500 steps' weights": {"average": 0.998},
    "mean of 50 steps' weights": {"average": 0.98},
}


def file_of(name: str) -> Path:
    return FOLDER / f"{re.sub('[^a-z0-9]+', '_', name.lower())}.safetensors"


def train(name: str) -> str:
    """Learn for `SECONDS`; say how many games there were."""
    started = time.process_time()
    trainer = AlphaZeroTrainer(check_config(name, {**PLAIN, **CHOICES[name]}), "cpu")
    learner = trainer.learner
    while time.process_time() - started < SECONDS:
        learner.round()
    trainer.export(file_of(name))
    return f"{name}: {learner.finished:,} games, {learner.decisions:,} decisions, {learner.updates:,} steps"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        for line in pool.map(train, [name for name in CHOICES if not file_of(name).exists()]):
            print(line, flush=True)
    opening = Openings(find(GAME), 2, even=True)
    for sims in (0, 32):
        plain, *others = (f"az:{file_of(name)},sims={sims}" for name in CHOICES)
        for name, other in zip(list(CHOICES)[1:], others, strict=True):
            match = Match(GAME, [other, plain], games=GAMES, opening=opening)
            print(f"{sims} simulations, {name}:", compete(match, workers=2), sep="\n", flush=True)


if __name__ == "__main__":
    main()
