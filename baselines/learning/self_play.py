"""Games that a network plays against itself, here or in other processes, and the samples that they leave.

A `SelfPlay` plays many games at once: one search for all of them, in which every simulation asks the network about all
leaves together. Each decision becomes a sample: the position, the policy that the search found, what it held the
position to be worth and, once the game has ended, who has won.

A `Player` does that in another process, maybe of another machine, and keeps nothing: an `Order` hands it weights and a
seed, it plays new games to their ends, and gives back what has come of them. The same order always gives the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from ...envs.engine.batch import Batch
from ...envs.engine.spec import Game
from ...envs.engine.view import View, copied
from ..search.guided import GuidedSearch, Noise, Searched, read_settings
from ..search.puct import shares
from .network_evaluator import NetworkEvaluator, torch_threads
from .policy_value import build_for_all

SUMS = (
    "games", "plies", "first_wins", "second_wins", "decisions", "samples", "entropy", "steps", "policy_loss",
    "value_loss", "divergence",
)  # fmt: skip
"""What is counted between two lines of the log."""

SPENT = ("network", "kernels", "python")
"""What the time of playing goes into."""


def sample_form(game: Game) -> np.dtype:
    """Describe a sample: the position, the policy to learn, the value that its search found, and the outcome.

    The position is kept as bytes: NumPy's own copies of records leave the padding between their fields undefined.
    """
    policy = ("policy", np.float32, (game.actions,))
    return np.dtype([("state", np.void, game.dtype.itemsize), policy, ("value", np.float32), ("outcome", np.float32)])


def positions(game: Game, samples: np.ndarray) -> np.ndarray:
    """Return the positions (m,) of samples as records."""
    return np.ascontiguousarray(samples["state"]).view(game.dtype)


class SelfPlay:
    """`n` games of one kind that a network plays against itself, and the samples of those that have not ended.

    Where one has ended another begins, unless they are played but `once`.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        seed: int,
        evaluator: NetworkEvaluator,
        values: Mapping[str, Any],
        *,
        once: bool = False,
    ) -> None:
        self.game, self.values, self.evaluator = game, values, evaluator
        self.rng = np.random.default_rng(seed)
        autoreset = "off" if once else "same_step"
        self.batch = Batch(game, n, int(self.rng.integers(2**62)), encoder=None, autoreset=autoreset, threads=1)
        settings = read_settings(values, reuse=values["keep_tree"])
        self.search = GuidedSearch(game, evaluator, settings, max(values["sims"], values["quick_sims"]))
        self.open = np.zeros((n, 16), sample_form(game))
        self.moves = np.zeros(game.actions, np.int64)
        """How often each action has been played since somebody asked."""
        self.count = np.zeros(n, np.int64)
        """How many samples of each game stand in `open`."""
        self.plies = np.zeros(n, np.int64)
        self.spent = 0.0
        """Seconds of playing since somebody asked."""

    def play(self, moves: int, sums: dict[str, float]) -> np.ndarray:
        """Make so many decisions in every game that goes on; return the samples of those that have ended with one."""
        started, finished = time.perf_counter(), [self.open[:0, 0]]
        for _ in range(moves):
            view = self.batch.view()
            if not view.row.size:
                break
            full = self.rng.random(view.row.size) < self.values["full_share"]
            sims = np.where(full, self.values["sims"], self.values["quick_sims"])
            found = self.search.search(view, sims, noise=self._noise(view, full))
            actions = self._choose(view, found)
            astray = self._astray(view, actions)
            self.search.forest.note(view.row, actions)
            # What comes of a random action says little about the position before it.
            full &= ~astray
            self._remember(view, found, full)
            sums["decisions"] += view.row.size
            sums["samples"] += full.sum()
            sums["entropy"] += entropy(found.policy[full]).sum()
            self.moves += np.bincount(actions, minlength=self.moves.size)
            returns, over, cut = self.batch.step(actions, view.row)
            self.plies[view.row] += 1
            for k in np.flatnonzero(over | cut).tolist():
                finished.append(self._finish(int(view.row[k]), returns[k], sums))
        # So that nothing but games and samples is left between two rounds.
        self.search.forest.forget()
        self.spent += time.perf_counter() - started
        return np.concatenate(finished)

    def _astray(self, view: View, actions: np.ndarray) -> np.ndarray:
        """Let half of the games that are in their opening go on with a random action; say which (m,)."""
        astray: np.ndarray = self.plies[view.row] < self.values["opening"]
        if astray.any():
            astray &= self.rng.random(astray.size) < 0.5
            mask = view.mask[astray]
            actions[astray] = (self.rng.random(mask.shape) * mask).argmax(axis=1)
        return astray

    def _noise(self, view: View, full: np.ndarray) -> Noise | None:
        """Draw what full searches are stirred by."""
        values = self.values
        if values["root"] == "gumbel":
            return Noise(np.zeros(full.size), self.rng.gumbel(size=view.mask.shape) * full[:, None])
        if values["noise"] != "root":
            return None
        return Noise(np.where(full, values["noise_share"], 0.0), self._dirichlet(view.mask))

    def _dirichlet(self, mask: np.ndarray) -> np.ndarray:
        drawn = self.rng.standard_gamma(self.values["dirichlet"], mask.shape) * mask
        # Where all are too small to be told from 0, the noise is even.
        drawn = np.where(drawn.sum(axis=1, keepdims=True) > 0, drawn, mask)
        noise: np.ndarray = drawn / drawn.sum(axis=1, keepdims=True)
        return noise

    def _choose(self, view: View, found: Searched) -> np.ndarray:
        """Choose what is played (m,): Gumbel's choice; the visits' at the temperature of the ply."""
        values = self.values
        if values["root"] == "gumbel":
            return found.action
        weights = shares(found.visits, values["temperature"])
        actions: np.ndarray
        if values["noise"] == "published":
            share = values["noise_share"]
            actions = ((1 - share) * weights + share * self._dirichlet(view.mask)).argmax(axis=1)
            return actions
        if not values["temperature"]:
            return found.action
        sums = weights.cumsum(axis=1)
        drawn = (sums > self.rng.random((len(sums), 1)) * sums[:, -1:]).argmax(axis=1)
        actions = np.where(view.states["ply"] < values["temperature_plies"], drawn, found.action)
        return actions

    def _remember(self, view: View, found: Searched, full: np.ndarray) -> None:
        rows = view.row[full]
        if rows.size and self.count[rows].max() == self.open.shape[1]:
            self.open = np.concatenate([self.open, np.zeros_like(self.open)], axis=1)
        sample = np.zeros(rows.size, self.open.dtype)
        sample["state"] = copied(view.states, full).view(sample["state"].dtype)
        sample["policy"], sample["value"] = found.policy[full], found.value[full]
        self.open[rows, self.count[rows]] = sample
        self.count[rows] += 1

    def _finish(self, row: int, returns: np.ndarray, sums: dict[str, float]) -> np.ndarray:
        """Take the samples of a game that has ended, now that everybody's returns are known."""
        scaled = 2.0 * (returns - self.game.low) / (self.game.high - self.game.low) - 1.0
        ended = self.open[row, : self.count[row]].copy()
        ended["outcome"] = scaled[positions(self.game, ended)["to_move"]]
        sums["games"] += 1
        sums["plies"] += self.plies[row]
        sums["first_wins"] += scaled[0] > 0
        sums["second_wins"] += scaled[0] < 0
        self.count[row] = self.plies[row] = 0
        return ended


def entropy(policies: np.ndarray) -> np.ndarray:
    """Measure how undecided policies (m, actions) are, in nats (m,)."""
    logs = np.log(policies, out=np.zeros_like(policies), where=policies > 0)
    found: np.ndarray = -(policies * logs).sum(axis=1)
    return found


class Order(NamedTuple):
    """Games to be played to their ends: the number of their kind, a seed, and the weights of the network."""

    game: int
    seed: int
    weights: dict[str, np.ndarray]


class Played(NamedTuple):
    """What has come of games of one kind: samples, what was counted (`SUMS`), how often each action was played, and
    what so many seconds went into (`SPENT`).
    """

    game: int
    samples: np.ndarray
    sums: dict[str, float]
    moves: np.ndarray
    seconds: dict[str, float]


class Player:
    """Plays as it is ordered, on one thread of a CPU, by a network of the kind that learns."""

    def __init__(
        self, games: Sequence[Game], encoder: str, choices: Mapping[str, Any], values: Mapping[str, Any]
    ) -> None:
        self.games, self.encoder, self.values = games, encoder, values
        self.net = build_for_all(games, values["network"], encoder, choices)

    def __call__(self, order: Order) -> Played:
        game, values = self.games[order.game], self.values
        self.net.load_state_dict({name: torch.from_numpy(array) for name, array in order.weights.items()})
        with torch_threads(1):
            evaluator = make_evaluator(game, self.net, self.encoder, "cpu", values)
            play = SelfPlay(game, max(1, values["envs"] // values["halves"]), order.seed, evaluator, values, once=True)
            return take(order.game, play, game.longest)


def take(number: int, play: SelfPlay, moves: int) -> Played:
    """Play on for so many decisions in every game of a kind, and tell all that there is to it."""
    sums = dict.fromkeys(SUMS, 0.0)
    samples = play.play(moves, sums)
    network, kernels = play.evaluator.spent, play.search.spent
    seconds = dict(zip(SPENT, (network, kernels, max(0.0, play.spent - network - kernels)), strict=True))
    found = Played(number, samples, sums, play.moves.copy(), seconds)
    play.spent = play.evaluator.spent = play.search.spent = 0.0
    play.moves[:] = 0
    return found


def make_evaluator(
    game: Game, net: nn.Module, encoder: str, device: str, values: Mapping[str, Any]
) -> NetworkEvaluator:
    """Let a network judge positions as in self-play."""
    return NetworkEvaluator(
        game,
        net,
        encoder,
        device=device,
        precision=values["precision"],
        rows=values["envs"] // values["halves"],
        leaf=values["leaf"],
    )
