"""Fit what the shapes of Jiu's battle are worth to the outcomes of games. From the root: ``python docs/jiu_worths.py``.

The games begin with random stones and some random turns; for the rest both sides search, with the worths made by hand.
Layouts are of three kinds, that of either side drawn for every game: by the published table, for squares, at random.
Fitted to games with layouts by the table alone, the worths scored 27 % of 200 games against these. Of every tenth game
no position is learned from; the loss is that of theirs.
"""

import sys

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from boyi.baselines import make_agent
from boyi.baselines.players.two_phase import TwoPhase
from boyi.baselines.search.alphabeta import AlphaBeta
from boyi.baselines.search.evaluation import evaluation
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import survey
from boyi.envs.jiu.constants import LAYOUT, TURN
from boyi.envs.jiu.evaluate import HANDMADE, LEARNED, Worths, shapes_in_battle

GAMES, ROWS = 4000, 16
KINDS, SHARES = ("alphabeta:depth=1", "squares", "random"), (0.3, 0.6, 0.1)
STONES, TURNS, ASTRAY = 60, 12, 0.03  # random at first, at most; then a turn in so many
GAME = find("jiu")
FOUND = evaluation(GAME, "docs/jiu_worths.py")


class Squares(AlphaBeta):
    """Searches layouts as if the game ended with them."""

    def fit(self, game: Game) -> None:
        if not game.params["layout_only"]:
            raise BoyiError("squares alone count in layouts alone")
        super().fit(game)


def count(states, notes, out):  # type: ignore[no-untyped-def]
    """Write the shapes of both sides in every position."""
    for i in range(states.size):
        survey(states[i], notes[0])
        for seat in range(2):
            for k, shapes in enumerate(shapes_in_battle(states[i], notes[0], seat)):
                out[i, seat, k] = shapes


def play(games: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play games; return the positions before turns of the battle, their games, and what seat 0 got in the end."""
    rng, battle = np.random.default_rng(seed), "alphabeta:depth=1"
    agents = [
        TwoPhase(Squares(depth=1) if kind == "squares" else make_agent(kind), make_agent(battle)) for kind in KINDS
    ]
    states, which, results = [], [], np.zeros(games)
    for first in range(0, games, ROWS):
        batch = Batch(GAME, min(ROWS, games - first), int(rng.integers(2**62)), encoder=None, autoreset="off")
        stones, turns = rng.integers(STONES, size=batch.n), rng.integers(TURNS, size=batch.n)
        kinds = rng.choice(len(KINDS), size=(batch.n, 2), p=SHARES)
        while (rows := np.flatnonzero(batch.to_move >= 0)).size:
            view = batch.view()
            laid = view.states["phase"] == LAYOUT
            loose = np.where(laid, view.states["ply"] < stones[rows], view.states["turns"] < turns[rows])
            loose |= ~laid & (rng.random(rows.size) < ASTRAY)
            before = view.states["phase"] == TURN
            states.append(view.states[before].copy())
            which.append(first + rows[before])
            actions = (rng.random(view.mask.shape) * view.mask).argmax(axis=1)
            for k, agent in enumerate(agents):
                mine = np.flatnonzero(~loose & (kinds[rows, view.seat] == k))
                if mine.size:
                    actions[mine] = agent.act(view.take(mine))
            results[first + rows] += batch.step(actions, rows)[0][:, 0]
        print(f"{first + batch.n} games", file=sys.stderr)
    games_of = np.concatenate(which)
    return np.concatenate(states), games_of, results[games_of]


def terms(states: np.ndarray) -> np.ndarray:
    """Count what the worths are of, the mover's less the other's (m, terms)."""
    counts = np.zeros((states.size, 2, len(Worths._fields) - 2), np.int64)
    bind(count, GAME, None, **FOUND.kernels)(states, FOUND.notes.copy(), counts)
    mover = states["to_move"].astype(int)
    order = np.arange(states.size)
    mine, theirs = (states["stones"][order, seat].astype(float) for seat in (mover, 1 - mover))
    shapes = counts[order, mover] - counts[order, 1 - mover]
    return np.column_stack([mine - theirs, (mine - theirs) / (mine + theirs), shapes])


def loss(values: torch.Tensor, won: torch.Tensor) -> torch.Tensor:
    """Measure how unlikely the outcomes are, by what the positions are held to be worth."""
    return binary_cross_entropy_with_logits(values, won)


def main() -> None:
    states, games, results = play(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES)
    x = torch.tensor(terms(states))
    won = torch.tensor((1 + np.where(states["to_move"] == 0, results, -results)) / 2, dtype=x.dtype)
    test = torch.tensor(games % 10 == 0)
    spread = x.std(dim=0)
    weights = torch.zeros(x.shape[1], dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        found = loss(x[~test] / spread @ weights, won[~test]) + 1e-4 * (weights**2).sum()
        found.backward()
        return found

    optimizer.step(closure)
    fitted = (weights.detach() / spread).numpy()
    unit = 100 / fitted[0]
    found = Worths(*(round(float(worth)) for worth in fitted * unit))
    print(f"{len(states)} positions of {games.max() + 1} games; a scale of {2 * unit:.0f}\n{found}")
    for name, worths in ("by hand", HANDMADE), ("as they stand", LEARNED), ("fitted", found):
        values = x[test] @ torch.tensor(worths, dtype=x.dtype)
        best = min((loss(values / s, won[test]).item(), s) for s in range(200, 10000, 100))
        print(f"{name}: loss {best[0]:.4f} at a scale of {2 * best[1]}")


main()
