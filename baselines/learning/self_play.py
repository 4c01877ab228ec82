"""Games that a network plays against itself, here or in other processes, and the samples that they leave.

A `SelfPlay` plays many games at once, with one search for all of them, in which every simulation asks the network about
all leaves together. Each decision becomes a sample: the position, the policy and the value that the search found and,
once the game has ended, who has won.

A `Player` does that in another process, perhaps on another machine, and keeps nothing: it takes weights and a seed from
an `Order`, plays new games to their ends, and returns the results. The same order always gives the same results.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from ...envs.engine.batch import Batch
from ...envs.engine.bind import bind
from ...envs.engine.kernels import step_one
from ...envs.engine.spec import Game
from ...envs.engine.view import View, copied
from ..search.guided import GuidedSearch, Noise, Searched, read_settings
from ..search.puct import shares
from .network_evaluator import NetworkEvaluator, torch_threads
from .policy_value import build_for_all
from .samples import positions, sample_form, scaled
from .self_play_kernels import stray_rows

SUMS = (
    "games", "plies", "first_wins", "second_wins", "decisions", "samples", "entropy", "steps", "policy_loss",
    "value_loss", "reply_loss", "owner_loss", "divergence",
)  # fmt: skip
"""What is counted between two lines of the log."""

ANY_OPENING = 0.25
"""Share of the games that begin with any random opening, while the others begin with the most even of several."""

SPENT = ("network", "kernels", "python")
"""What the time of playing goes into."""


class SelfPlay:
    """`n` games of one kind that a network plays against itself, and the samples of those that have not ended.

    When one has ended, another begins, unless they are played only `once`.
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
        self.open = np.zeros((n, 16), sample_form(game, values, ended=False))
        self.moves = np.zeros(game.actions, np.int64)
        """How often each action has been played since the last `take`."""
        self.count = np.zeros(n, np.int64)
        """How many samples of each game are in `open`."""
        self.plies = np.zeros(n, np.int64)
        self.spent = 0.0
        """Seconds of playing since the last `take`."""

    def play(self, moves: int, sums: dict[str, float]) -> np.ndarray:
        """Make `moves` decisions in every game that goes on; return the samples of the games that end meanwhile."""
        started, finished = time.perf_counter(), [np.zeros(0, sample_form(self.game, self.values))]
        for _ in range(moves):
            view = self._begun(self.batch.view())
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
            self._remember(view, found, full, actions)
            sums["decisions"] += view.row.size
            sums["samples"] += full.sum()
            sums["entropy"] += entropy(found.policy[full]).sum()
            self.moves += np.bincount(actions, minlength=self.moves.size)
            returns, over, cut = self.batch.step(actions, view.row)
            self.plies[view.row] += 1
            for k in np.flatnonzero(over | cut).tolist():
                last = view.states[k : k + 1]
                bind(step_one, self.game)(last, actions[k])
                finished.append(self._finish(int(view.row[k]), returns[k], last, sums))
        # So that nothing but games and samples is left between two rounds.
        self.search.forest.forget()
        self.spent += time.perf_counter() - started
        return np.concatenate(finished)

    def _begun(self, view: View) -> View:
        """Play a random opening in games that begin, as a rule the most even of several; return the view after it."""
        new, many, most = np.flatnonzero(self.plies[view.row] == 0), self.values["openings"], self.values["opening"]
        if not (many and new.size):
            return view
        rows, states = view.row[new], copied(view.states, np.repeat(new, many))
        lengths = self.rng.integers(most + 1, size=states.size)
        actions = np.zeros((states.size, most), np.int64)
        streams = self.rng.integers(2**63, size=(states.size, 2)).astype(np.uint64)
        bind(stray_rows, self.game)(states, lengths, streams, np.zeros(self.game.actions, np.int8), actions)
        going, uneven = np.flatnonzero(states["to_move"] >= 0), np.full(states.size, np.inf)
        seats = states["to_move"][going].astype(np.int64)
        uneven[going] = np.abs(self.evaluator.values(copied(states, going), seats))
        # Some begin with any opening, or nobody would learn what to do on an empty board.
        best = np.where(self.rng.random(rows.size) < ANY_OPENING, 0, uneven.reshape(-1, many).argmin(axis=1))
        chosen = many * np.arange(rows.size) + best
        # An opening that would end the game at once is not played.
        lengths, actions = np.where(np.isinf(uneven[chosen]), 0, lengths[chosen]), actions[chosen]
        for ply in range(most):
            longer = lengths > ply
            if longer.any():
                self.batch.step(actions[longer, ply], rows[longer])
        self.plies[rows] = lengths
        return self.batch.view()

    def _astray(self, view: View, actions: np.ndarray) -> np.ndarray:
        """Give half of the games that are in their opening a random action; say which (m,)."""
        if self.values["openings"]:
            return np.zeros(view.row.size, np.bool_)
        astray: np.ndarray = self.plies[view.row] < self.values["opening"]
        if astray.any():
            astray &= self.rng.random(astray.size) < 0.5
            mask = view.mask[astray]
            actions[astray] = (self.rng.random(mask.shape) * mask).argmax(axis=1)
        return astray

    def _noise(self, view: View, full: np.ndarray) -> Noise | None:
        """Draw the noise for full searches."""
        values = self.values
        if values["root"] == "gumbel":
            return Noise(np.zeros(full.size), self.rng.gumbel(size=view.mask.shape) * full[:, None])
        if values["noise"] != "root":
            return None
        return Noise(np.where(full, values["noise_share"], 0.0), self._dirichlet(view.mask))

    def _dirichlet(self, mask: np.ndarray) -> np.ndarray:
        drawn = self.rng.standard_gamma(self.values["dirichlet"], mask.shape) * mask
        # Where all are too small to differ from 0, the noise is even.
        drawn = np.where(drawn.sum(axis=1, keepdims=True) > 0, drawn, mask)
        noise: np.ndarray = drawn / drawn.sum(axis=1, keepdims=True)
        return noise

    def _choose(self, view: View, found: Searched) -> np.ndarray:
        """Choose what is played (m,): Gumbel's choice, or one by visits at the temperature of the ply."""
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

    def _remember(self, view: View, found: Searched, full: np.ndarray, actions: np.ndarray) -> None:
        """Keep decisions; to the decisions before, their actions are what was played next."""
        parts = self.open.dtype.names or ()
        if "reply" in parts:
            last = self.count[view.row] - 1
            waiting = (last >= 0) & (self.open["reply"][view.row, last] < 0)
            self.open["reply"][view.row[waiting], last[waiting]] = actions[waiting]
        rows = view.row[full]
        if rows.size and self.count[rows].max() == self.open.shape[1]:
            self.open = np.concatenate([self.open, np.zeros_like(self.open)], axis=1)
        sample = np.zeros(rows.size, self.open.dtype)
        sample["state"] = copied(view.states, full).view(sample["state"].dtype)
        sample["policy"], sample["value"] = found.policy[full], found.value[full]
        if "reply" in parts:
            sample["reply"] = -1
        if "surprise" in parts:
            sample["surprise"] = divergence(found.policy[full], found.priors[full])
        self.open[rows, self.count[rows]] = sample
        self.count[rows] += 1

    def _finish(self, row: int, returns: np.ndarray, last: np.ndarray, sums: dict[str, float]) -> np.ndarray:
        """Take the samples of a game that has ended in the position `last` (1,), now that returns are known."""
        outcomes = scaled(self.game, returns)
        many = int(self.count[row])
        ended = np.zeros(many, sample_form(self.game, self.values))
        for name in self.open.dtype.names or ():
            ended[name] = self.open[name][row, :many]
        if self.values["owner_weight"]:
            ended["end"] = last.view(ended.dtype["end"])
        ended["outcome"] = outcomes[positions(self.game, ended)["to_move"]]
        sums["games"] += 1
        sums["plies"] += self.plies[row]
        sums["first_wins"] += outcomes[0] > 0
        sums["second_wins"] += outcomes[0] < 0
        self.count[row] = self.plies[row] = 0
        return self._weighed(ended) if self.values["surprise"] else ended

    def _weighed(self, ended: np.ndarray) -> np.ndarray:
        """Repeat samples, or leave them out, according to how much their searches surprised the network."""
        share, surprise = self.values["surprise"], ended["surprise"].astype(np.float64)
        weight = 1 - share + share * surprise / max(surprise.mean(), 1e-9) if ended.size else surprise
        return ended.repeat(np.floor(weight + self.rng.random(ended.size)).astype(np.int64))


def entropy(policies: np.ndarray) -> np.ndarray:
    """Measure how undecided policies (m, actions) are, in nats (m,)."""
    logs = np.log(policies, out=np.zeros_like(policies), where=policies > 0)
    found: np.ndarray = -(policies * logs).sum(axis=1)
    return found


def divergence(policies: np.ndarray, priors: np.ndarray) -> np.ndarray:
    """Measure how far policies (m, actions) are from the priors that they came from, in nats (m,)."""
    crossed = -(policies * np.log(np.maximum(priors, 1e-9))).sum(axis=1)
    found: np.ndarray = np.maximum(crossed - entropy(policies), 0.0)
    return found


class Order(NamedTuple):
    """Games to be played to their ends: the number of their kind, a seed, and the weights of the network."""

    game: int
    seed: int
    weights: dict[str, np.ndarray]


class Played(NamedTuple):
    """The results of games of one kind: samples, what was counted (`SUMS`), how often each action was played, and what
    the seconds went into (`SPENT`).
    """

    game: int
    samples: np.ndarray
    sums: dict[str, float]
    moves: np.ndarray
    seconds: dict[str, float]


class Player:
    """Plays as ordered, on one thread of a CPU, by a network of the kind that learns."""

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
    """Play on for `moves` decisions in every game of a kind, and return everything about them."""
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
        threads=1,
        leaf=values["leaf"],
    )
