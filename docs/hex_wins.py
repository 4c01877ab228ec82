"""Ask agents for a move in positions of Hex 7x7 in which few moves win: the table of strength.md.

From the root: ``python docs/hex_wins.py 200 1 mcts:rave=500,c=0,rollouts=informed,examine=300 alphabeta`` prints how
many of 200 wins each agent lets go, with 1 s a move. Every position comes from a game of its own between searches that
see little, opened at random; of at least 12 moves one to three win, as proof-number search finds by solving all.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from boyi.baselines.agents import make_agent
from boyi.baselines.search.proof import Prover
from boyi.envs import Batch, find

GAME = find("hex", board_size=7)
FEW, MANY = 3, 12  # moves that win at most, and moves at least
OPENING, EARLIEST, LATEST = 3, 6, 24  # moves at random, and moves played
BLIND = "mcts:sims=300,rave=500,c=0,rollouts=informed"  # who plays the games


def play(moves: list[int]) -> Batch:
    """Play moves from the start."""
    batch = Batch(GAME, 1, seed=0, encoder=None)
    for move in moves:
        batch.step([move])
    return batch


def winning(prover: Prover, batch: Batch) -> list[int]:
    """List the moves that win for the seat to move."""
    mover, found = int(batch.to_move[0]), list[int]()
    for move in np.flatnonzero(batch.mask[0]).tolist():
        after = batch.clone()
        after.step([move])
        over = after.to_move[0] < 0
        if (int(after.states["winner"][0]) if over else prover.winner(after.states)) == mover:
            found.append(move)
    return found


def position(seed: int) -> list[int] | None:
    """Return the moves to a position in which few moves win, None where a game of this seed has none."""
    prover, blind, lots = Prover(GAME), make_agent(BLIND, GAME), np.random.default_rng(seed)
    moves = lots.choice(GAME.actions, OPENING, replace=False).tolist()
    wanted = int(lots.integers(EARLIEST, LATEST + 1))
    batch = play(moves)
    while batch.to_move[0] >= 0 and len(moves) < wanted:
        moves.append(int(blind.act(batch.view())[0]))
        batch.step(moves[-1:])
    if batch.to_move[0] < 0 or batch.mask.sum() < MANY:
        return None
    return moves if 1 <= len(winning(prover, batch)) <= FEW else None


def loses(name: str, seconds: float, moves: list[int]) -> bool:
    """Whether an agent lets the win go."""
    agent = make_agent(f"{name}{',' if ':' in name else ':'}seconds={seconds}", GAME)
    batch = play(moves)
    return int(agent.act(batch.view())[0]) not in winning(Prover(GAME), batch)


def main(count: int, seconds: float, names: list[str]) -> None:
    with ProcessPoolExecutor(2) as pool:
        made, first = list[list[int]](), 0
        while len(made) < count:
            made += [moves for moves in pool.map(position, range(first, first + count)) if moves]
            first += count
        made = made[:count]
        for name in names:
            lost = sum(pool.map(partial(loses, name, seconds), made))
            print(f"{name}: {lost} of {count} wins lost, {seconds:g} s a move", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
