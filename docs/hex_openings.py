"""Solve a Hex board and every first move on it, for strength.md. From the root: ``python docs/hex_openings.py 7``."""

import sys
import time

from boyi.baselines.search.proof import Prover
from boyi.envs import Batch, find


def main(size: int) -> None:
    game = find("hex", board_size=size)
    start = Batch(game, 1, seed=0, encoder=None)
    prover = Prover(game)
    prover.winner(start.states, 1)  # compiles
    prover.forget()
    started = time.perf_counter()
    winner = prover.winner(start.states)
    print(
        f"{size}x{size}: player_{winner} wins by {game.module('text').name(start.states[0], prover.move())}, "
        f"{prover.examined:,} positions examined, {time.perf_counter() - started:.2f} s"
    )
    examined, started, rows = 0, time.perf_counter(), list[str]()
    for a in range(game.actions):
        after = start.clone()
        after.step([a])
        rows += [("  " if a % size else "\n" + " " * (a // size)) + ".X"[prover.winner(after.states) == 0]]
        examined += prover.examined
    print("".join(rows).strip("\n"))
    print(f"every first move: {examined:,} positions examined, {time.perf_counter() - started:.1f} s; X wins")


if __name__ == "__main__":
    main(int(sys.argv[1]))
