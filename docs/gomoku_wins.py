"""Make positions of Gomoku that fours and threes win, and let agents win them: the table of strength.md.

From the root: ``python docs/gomoku_wins.py 200 1 alphabeta alphabeta:selective=false,proofs=0`` has each agent play 200
positions out against `alphabeta:nodes=20000`, with 1 s a move. Every position comes from a game of its own between
searches that see little, half of them by the standard rule, with 7 to 15 plies to the win; what has been proven is
checked move by move by the rules below, in plain Python, against every reply.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from boyi.baselines.agents import make_agent
from boyi.baselines.search.proof import Prover
from boyi.envs import Batch, Game, find

SIZE, SHORTEST, LONGEST = 15, 7, 15
EXAMINED = 20_000  # positions at most for a proof
BLIND = "alphabeta:depth=2,selective=false,proofs=0"  # who plays the games
DEFENDER = "alphabeta:nodes=20000"

Stones = dict[tuple[int, int], int]


def complete(stones: Stones, cell: tuple[int, int], seat: int, exact: bool) -> bool:
    """Whether a stone of the seat on a cell makes five in a row, or more where that wins."""
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        row = 1
        for sign in (1, -1):
            r, c = cell[0] + sign * dr, cell[1] + sign * dc
            while stones.get((r, c)) == seat:
                row, r, c = row + 1, r + sign * dr, c + sign * dc
        if row == 5 or (row > 5 and not exact):
            return True
    return False


class TooLongError(Exception):
    """A win takes more than `LONGEST` plies."""


class Check:
    """Plays the moves of a proof against every reply, by rules of its own, and counts the plies that they take."""

    def __init__(self, prover: Prover) -> None:
        self.prover, self.size = prover, prover.game.params["board_size"]
        self.exact = prover.game.params["rule"] == "standard"
        self.known: dict[frozenset[tuple[tuple[int, int], int]], int] = {}

    def plies(self, batch: Batch) -> int:
        """Count the plies to the win of the seat to move, if the other holds out; 0 where it is not proven, or long."""
        board = batch.states["board"][0]
        stones = {(p // self.size, p % self.size): int(board[p]) - 1 for p in np.flatnonzero(board).tolist()}
        try:
            return self._plies(batch, stones, int(batch.to_move[0]), LONGEST)
        except TooLongError:
            return 0

    def _plies(self, batch: Batch, stones: Stones, seat: int, left: int) -> int:
        place = frozenset(stones.items())
        if place not in self.known:
            self.known[place] = self._count(batch, stones, seat, left)
        if self.known[place] > left:
            raise TooLongError
        return self.known[place]

    def _count(self, batch: Batch, stones: Stones, seat: int, left: int) -> int:
        if left < 1:
            raise TooLongError
        self.prover.ask(batch.states)
        if not self.prover.wins(EXAMINED):
            return 0
        move = divmod(self.prover.move(), self.size)
        if complete(stones, move, seat, self.exact):
            return 1
        mine, longest = {**stones, move: seat}, 2
        empty = [(r, c) for r in range(self.size) for c in range(self.size) if (r, c) not in mine]
        wins = [cell for cell in empty if complete(mine, cell, seat, self.exact)]
        for reply in empty:
            if complete(mine, reply, 1 - seat, self.exact):
                return 0
            if any(cell != reply for cell in wins):
                continue  # five comes next
            after = batch.clone()
            after.step([move[0] * self.size + move[1]])
            after.step([reply[0] * self.size + reply[1]])
            more = self._plies(after, {**mine, reply: 1 - seat}, seat, left - 2)
            if not more:
                return 0
            longest = max(longest, more + 2)
        return max(longest, 3)


def position(game: Game, seed: int) -> list[int] | None:
    """Return the moves of a game up to a position won in `SHORTEST` to `LONGEST` plies, None where there is none."""
    prover, blind = Prover(game, 1 << 18), make_agent(BLIND, game)
    batch, lots, moves = Batch(game, 1, seed=seed, encoder=None), np.random.default_rng(seed), list[int]()
    while batch.to_move[0] >= 0:
        if len(moves) >= 6 and prover.winner(batch.states, EXAMINED) is not None:
            return moves if SHORTEST <= Check(prover).plies(batch) <= LONGEST else None
        if len(moves) < 3:  # in the middle third of the board
            near = np.flatnonzero(batch.mask[0])
            near = near[(abs(near // SIZE - SIZE // 2) <= SIZE // 6) & (abs(near % SIZE - SIZE // 2) <= SIZE // 6)]
            moves.append(int(lots.choice(near)))
        else:
            moves.append(int(blind.act(batch.view())[0]))
        batch.step(moves[-1:])
    return None


def wins(name: str, seconds: float, game: Game, moves: list[int]) -> bool:
    """Have an agent play a position out."""
    batch = Batch(game, 1, seed=0, encoder=None)
    for move in moves:
        batch.step([move])
    seat = int(batch.to_move[0])
    players = [make_agent(DEFENDER, game) for _ in range(2)]
    players[seat] = make_agent(f"{name}{',' if ':' in name else ':'}seconds={seconds}", game)
    while batch.to_move[0] >= 0:
        batch.step(players[int(batch.to_move[0])].act(batch.view()))
    return int(batch.states["winner"][0]) == seat


def main(count: int, seconds: float, names: list[str]) -> None:
    games = [find("gomoku", board_size=SIZE, rule=rule) for rule in ("freestyle", "standard")]
    won = dict.fromkeys(names, 0)
    with ProcessPoolExecutor(2) as pool:
        for game in games:
            made, first = list[list[int]](), 1
            while len(made) < count // 2:
                made += [moves for moves in pool.map(partial(position, game), range(first, first + count)) if moves]
                first += count
            made = made[: count // 2]
            for name in names:
                won[name] += sum(pool.map(partial(wins, name, seconds, game), made))
    for name in names:
        print(f"{name}: {won[name]} of {2 * (count // 2)} won, {seconds:g} s a move")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
