"""One whole game per game id as text: a changed byte means a changed environment, which needs a new version."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from places import Kept, of_game

from boyi.envs import Batch, find, games
from boyi.envs.engine.facts import facts

SEED = 8


def playthrough(name: str) -> str:
    """Play the random game of SEED; return board, actions by name, mask, observation hashes and rewards at each ply."""
    game = find(name, **facts(find(name)).golden)
    batch = Batch(game, 1, seed=SEED)
    text = game.module("text")
    lines = [f"{game}, version {game.spec.version}, seed {SEED}"]
    while True:
        state = batch.states[0]
        lines += [text.diagram(state), f"key {_key(game, batch):016x}"]
        lines.append("mask " + "".join("01"[bit] for bit in batch.mask[0]))
        for encoder in game.spec.encoders:
            seen = [_digest(game, state, encoder, seat) for seat in range(game.seats)]
            lines.append(f"{encoder} {' '.join(seen)}")
        if batch.to_move[0] < 0:
            return "\n".join(lines) + "\n"
        action = int(batch.sample()[0])
        lines += ["", f"player_{batch.to_move[0]} plays {text.name(state, action)} ({action})"]
        rewards, over, cut = batch.step([action])
        lines.append(f"rewards {rewards[0].tolist()} over {over[0]} cut {cut[0]}")


def _key(game, batch) -> int:
    from boyi.envs.engine import kernels
    from boyi.envs.engine.bind import bind

    keys = np.zeros(1, np.uint64)
    bind(kernels.hash_rows, game)(batch.states, keys)
    return int(keys[0])


def _digest(game, state, encoder: str, seat: int) -> str:
    batch = Batch(game, 1, seed=0, encoder=encoder)
    batch.states = state
    return hashlib.sha256(batch.observe(seat).tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", games())
def test_playthrough_is_the_golden_one(name: str, kept: Kept) -> None:
    kept(of_game(name) / "golden.txt", playthrough(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", games())
def test_plain_python_plays_the_same_game(name: str) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, __file__, name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == (of_game(name) / "golden.txt").read_text()


if __name__ == "__main__":
    sys.stdout.write(playthrough(sys.argv[1]))
