"""Q-learning of mahjong beside a search over hands (S4 of docs/deviations.md), to be read from top to bottom.

All four seats of many tables are played by one network and one search, which help each other: the network values the
hands at the search's leaves, the search explores, and the value that it promises is part of the reward. A seat's
decisions in a hand are linked, each to the next:

    R = score                 for a seat's last decision of a hand
    R = shaping * V           for the others, V being the search's value of the action that it recommends
    Y = R + gamma * Q_target(S', argmax_a Q(S', a))        or, where not `double`, R + gamma * max_a Q_target(S', a)
    Y = R + gamma * Q_target(S', A')                       with ``bootstrap="played"``, A' being the action played there
    Y = score of the hand, played on by `greedy`           with ``bootstrap="rollouts"``, for the best by Q and another

With ``"played"``, Q is what decisions are worth to a seat that goes on as the tables do (Sarsa): nothing is overrated
because the best of uncertain values looks better than it is. ``"rollouts"`` gives what one step of policy improvement
asks for: what each of several actions of a decision brings, with the same tiles to come. A rollout costs less than a
tenth of a decision. With `danger`, discards that are won on at once are left out: the search itself charges for them.
With a `base`, Q is the sum of what an evaluator of hands says and what the network says.
Scores and values are in units of `point`. With ``learned="discards"``, as published, the network has an output for
each kind of tile, and the search decides everything else: claims and kongs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import nn

from ...envs.engine.batch import Batch
from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import mask_rows, observe_rows
from ...envs.engine.machine import usable_cores
from ...envs.engine.spec import Game, check_params, find
from ...envs.engine.view import View, copied
from ...envs.faces.frame import Frame
from ...envs.mahjong import SPEC
from ...envs.mahjong.constants import KINDS, SEATS
from ..mahjong.evaluator import HandEvaluator
from ..mahjong.risk import Danger
from ..mahjong.rollouts import Rollouts
from ..mahjong.search import HandSearch, choose
from ..mahjong.values import PublishedEvaluator
from .dqn import LOSSES
from .hand_dqn_params import PARAMS
from .hand_values import NetworkHands
from .network_evaluator import torch_threads
from .networks import Network, build
from .policies import best, masked
from .ring import Ring

SUMS = ("hands", "won", "points", "decisions", "searched", "agreed", "steps", "loss", "q")
"""What is counted between two lines of the log."""


def sample_form(game: Game) -> np.dtype:
    """Describe a sample: a position, the seat's next one unless the hand is `over`, its actions there, its reward."""
    positions = [(name, np.void, game.dtype.itemsize) for name in ("state", "next")]
    actions = [(name, np.int16) for name in ("action", "follows")]
    return np.dtype([*positions, *actions, ("reward", np.float32), ("over", np.bool_)])


def positions(game: Game, samples: np.ndarray, name: str) -> np.ndarray:
    """Return the positions (m,) of samples as records."""
    return np.ascontiguousarray(samples[name]).view(game.dtype)


def make_search(game: Game, evaluator: HandEvaluator, values: Mapping[str, Any]) -> HandSearch:
    """Make the search that the `values` of a learner ask for."""
    danger = Danger(game).risk if values["danger"] else None
    return HandSearch(game, values["alpha"], values["depth"], evaluator, danger)


# Playing


class HandPlay:
    """Tables at which a network plays all seats; they keep every seat's latest decision until its next one."""

    def __init__(self, game: Game, n: int, seed: int, hands: NetworkHands, values: Mapping[str, Any]) -> None:
        self.game, self.hands, self.values = game, hands, values
        self.rng = np.random.default_rng(seed)
        self.batch = Batch(game, n, int(self.rng.integers(2**62)), encoder=None, autoreset="same_step", threads=1)
        evaluator = hands if values["evaluator"] == "own" else PublishedEvaluator(game)
        self.search = make_search(game, evaluator, values)
        follows = values["bootstrap"] == "rollouts"
        self.rollouts = Rollouts(game, values["rollouts"], passed=values["danger"]) if follows else None
        self.outputs = hands.outputs
        self.latest = np.zeros((n, SEATS), sample_form(game))
        self.waiting = np.zeros((n, SEATS), np.bool_)
        """The seats whose latest decision is not a sample yet (n, seats)."""
        self.moves = np.zeros(game.actions, np.int64)
        """How often each action has been played since this was last read."""

    def play(self, moves: int, search: float, eps: float, sums: dict[str, float]) -> np.ndarray:
        """Make `moves` decisions at every table, a share `search` by search and `eps` random; return new samples."""
        finished = [self.latest[:0, 0]]
        for _ in range(moves):
            view = self.batch.view()
            q = self._values(view)
            actions, learned, values = self._decide(view, q, search, eps, sums)
            if self.rollouts is None:
                finished.append(self._link(view, learned, actions, values))
            else:
                finished.append(self._play_out(view, np.flatnonzero(learned), q))
            sums["decisions"] += view.row.size
            self.moves += np.bincount(actions, minlength=self.moves.size)
            returns, over, cut = self.batch.step(actions)
            ended = np.flatnonzero(over | cut)
            finished.append(self._finish(ended, returns[ended]))
            sums["hands"] += ended.size
            sums["won"] += (returns[ended] > 0).any(axis=1).sum()
            sums["points"] += float(returns[ended].max(axis=1).sum())
        return np.concatenate(finished)

    def _decide(
        self, view: View, q: np.ndarray, search: float, eps: float, sums: dict[str, float]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Choose actions (m,), given the network's values `q` (m, outputs); say which are learned from (m,), and what
        the search's own choices are worth by its values (m,).
        """
        m, guided = view.row.size, search > 0 or self.values["shaping"] > 0
        mask = view.mask[:, : self.outputs]
        others = view.mask[:, self.outputs :].any(axis=1)
        asked = np.flatnonzero(others | guided)
        advice, values = np.full(m, -1), np.zeros(m)
        if asked.size:
            worth = self.search.worth_all(view.take(asked))
            advice[asked] = [choose(each) for each in worth]
            values[asked] = worth[np.arange(asked.size), advice[asked]]
        learned = ~others | ((advice < self.outputs) & mask.any(axis=1))
        greedy = q.argmax(axis=1)
        drawn = self.rng.random((2, m))
        random = (self.rng.random(mask.shape) * mask).argmax(axis=1)
        chosen = np.where(drawn[1] < eps, random, greedy)
        chosen = np.where((advice >= 0) & (drawn[0] < search), advice, chosen)
        both = learned & (advice >= 0)
        sums["searched"] += both.sum()
        sums["agreed"] += (advice == greedy)[both].sum()
        return np.where(learned, chosen, advice), learned, values

    def _values(self, view: View) -> np.ndarray:
        """Value actions (m, outputs) by the network; illegal ones have the lowest value."""
        with torch.inference_mode():
            q = self.hands.net(torch.from_numpy(view.observe(self.hands.frame.encoder)))
            q = q + torch.from_numpy(self.hands.base_values(view.states, view.seat))
            found: np.ndarray = masked(q, torch.from_numpy(view.mask[:, : self.outputs])).numpy()
        return found

    def _play_out(self, view: View, which: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Play out decisions, given by their places (j,) in a view: the best actions by `q` (m, outputs) and, as the
        last, any other; return the samples.
        """
        assert self.rollouts is not None
        mask, many = view.mask[which, : self.outputs], self.values["candidates"]
        order = np.argsort(-q[which], axis=1, kind="stable")[:, :many]
        rest = mask * self.rng.random(mask.shape)
        np.put_along_axis(rest, order[:, :-1], 0.0, axis=1)
        drawn = rest.argmax(axis=1)
        order[:, -1] = np.where(np.take_along_axis(rest, drawn[:, None], axis=1)[:, 0] > 0, drawn, order[:, -1])
        actions = np.where(np.take_along_axis(mask, order, axis=1) > 0, order, -1)
        points = self.rollouts.points(copied(self.batch.states, view.row[which]), actions, self.rng)
        rows, places = np.nonzero(~np.isnan(points))
        found: np.ndarray = np.zeros(rows.size, self.latest.dtype)
        found["state"] = copied(view.states, which[rows]).view(self.latest.dtype["state"]).reshape(-1)
        found["action"], found["over"] = actions[rows, places], True
        found["reward"] = points[rows, places] / self.values["point"]
        return found

    def _link(self, view: View, learned: np.ndarray, actions: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Note decisions; return the earlier ones of the same seats, which they follow."""
        rows, seats = view.row[learned], view.seat[learned]
        states = copied(view.states, learned).view(self.latest.dtype["state"]).reshape(-1)
        before = self.waiting[rows, seats]
        followed = self.latest[rows[before], seats[before]]
        followed["next"], followed["follows"] = states[before], actions[learned][before]
        now = np.zeros(rows.size, self.latest.dtype)
        now["state"], now["action"] = states, actions[learned]
        now["reward"] = self.values["shaping"] * values[learned] / self.values["point"]
        self.latest[rows, seats], self.waiting[rows, seats] = now, True
        return followed

    def _finish(self, rows: np.ndarray, returns: np.ndarray) -> np.ndarray:
        """Take the last decisions of hands that have ended, now that everybody's returns (m, seats) are known."""
        waiting = self.waiting[rows]
        last = self.latest[rows][waiting]
        last["reward"], last["over"] = returns[waiting] / self.values["point"], True
        self.waiting[rows] = False
        return last


# Learning


class HandDQN:
    """A network that learns what actions of mahjong are worth; `PARAMS` says what may be set, `choices` are its own."""

    def __init__(
        self, game: str | Game = "mahjong", *, choices: Mapping[str, Any] | None = None, **values: Any
    ) -> None:
        self.game = find(game)
        if self.game.spec.name != SPEC.name:
            raise BoyiError(f"hand_dqn learns mahjong, not {self.game}")
        self.values = v = check_params("hand_dqn", PARAMS, values)
        self.frame = Frame(self.game, v["encoder"] or None)
        self.threads = v["threads"] or usable_cores()
        outputs = KINDS if v["learned"] == "discards" else self.game.actions
        if v["base"] != "none" and outputs != KINDS:
            raise BoyiError("a base has values of discards alone: with one, learned must be discards")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(v["seed"])
            self.net: Network = build(v["network"], self.frame.shape, outputs, **(choices or {}))
        self.target = deepcopy(self.net)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=v["learning_rate"])
        seeds = np.random.SeedSequence(v["seed"]).generate_state(1 + v["halves"], np.uint64).tolist()
        self.rng = np.random.default_rng(seeds.pop())
        sizes = [size for size in np.diff(np.linspace(0, v["envs"], v["halves"] + 1).astype(int)).tolist() if size]
        self.valuing = self.hands()
        self.playing = [HandPlay(self.game, size, seeds.pop(), self.hands(), v) for size in sizes]
        self.window = Ring(sample_form(self.game), v["buffer_size"])
        self.images = hand_images(self.frame, outputs, all_of_them=v["symmetry"])
        self.moves = np.zeros(self.game.actions, np.int64)
        """How often each action has been played."""
        self.decisions = self.finished = self.updates = 0
        self.owed = 0.0
        self.sums = dict.fromkeys(SUMS, 0.0)
        self.learning = self.busy = 0.0
        """Seconds of learning, and of all rounds, since `figures` was last called."""
        self._pool: ThreadPoolExecutor | None = None

    def hands(self) -> NetworkHands:
        """Return the evaluator of hands by the network, always as it is at the time."""
        return NetworkHands(self.game, self.net, self.frame, 1 / self.values["point"], self.values["base"])

    def share(self, name: str, first: str, last: str) -> float:
        """Compute a share that moves from its first value to its last over as many decisions as `name` says."""
        v = self.values
        return float(v[first] + min(1.0, self.decisions / v[name]) * (v[last] - v[first]))

    def round(self) -> None:
        """Play `moves` decisions at every table, then learn."""
        started = time.perf_counter()
        new = self._play()
        played = time.perf_counter()
        if self.decisions >= self.values["learning_starts"]:
            self.owed += new * self.values["draws"] / self.values["batch_size"]
            self._learn(int(self.owed))
            self.owed -= int(self.owed)
        self.learning += time.perf_counter() - played
        self.busy += time.perf_counter() - started

    def _play(self) -> int:
        """Let all play side by side, each on one thread; return the number of new samples."""
        search = self.share("search_steps", "search_initial", "search_final")
        eps = self.share("exploration_steps", "exploration_initial_eps", "exploration_final_eps")
        self.net.eval()
        with torch_threads(1):
            if self._pool is None:
                self._pool = ThreadPoolExecutor(max(1, min(self.threads, len(self.playing))))
            counts = [dict.fromkeys(SUMS, 0.0) for _ in self.playing]
            moves = self.values["moves"]
            found = list(self._pool.map(lambda one, sums: one.play(moves, search, eps, sums), self.playing, counts))
        for samples in found:
            self.window.extend(samples)
        for sums in counts:
            for name, value in sums.items():
                self.sums[name] += value
        for play in self.playing:
            self.moves += play.moves
            play.moves[:] = 0
        self.decisions += int(sum(sums["decisions"] for sums in counts))
        self.finished += int(sum(sums["hands"] for sums in counts))
        return sum(samples.size for samples in found)

    def _learn(self, steps: int) -> None:
        v = self.values
        self.net.train()
        with torch_threads(self.threads):
            for _ in range(steps):
                places = self.rng.integers(min(self.window.total, v["buffer_size"]), size=v["batch_size"])
                which = self.rng.integers(len(self.images[0]), size=v["batch_size"])
                loss, q = self.loss(self.window.samples[places], which)
                self.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                if v["clip"]:
                    nn.utils.clip_grad_norm_(self.net.parameters(), v["clip"])
                self.optimizer.step()
                self.sums["loss"] += loss.item()
                self.sums["q"] += q
                self.updates += 1
                if self.updates % v["target_update_interval"] == 0:
                    self.target.load_state_dict(self.net.state_dict())
        self.sums["steps"] += steps

    def loss(self, samples: np.ndarray, which: np.ndarray) -> tuple[torch.Tensor, float]:
        """Compare the network's values of samples, shown in the images `which` (m,), with their targets."""
        x, _, base = self.picture(samples, "state", which)
        actions = self.images[1][which, samples["action"]]
        q = (base + self.net(x)).gather(1, torch.from_numpy(actions)[:, None])[:, 0]
        return LOSSES[self.values["loss"]](q, self.targets(samples, which)), float(q.detach().mean())

    @torch.no_grad()
    def targets(self, samples: np.ndarray, which: np.ndarray) -> torch.Tensor:
        """Compute what Q should be (m,) for each sample."""
        rewards = torch.from_numpy(samples["reward"].copy())
        going = np.flatnonzero(~samples["over"])
        if going.size:
            x, mask, base = self.picture(samples[going], "next", which[going])
            after = masked(base + self.target(x), mask)
            if self.values["bootstrap"] == "played":
                played = self.images[1][which[going], samples["follows"][going]]
                chosen = torch.from_numpy(played)[:, None]
            else:
                chosen = best(base + self.net(x), mask) if self.values["double"] else after.argmax(dim=1, keepdim=True)
            rewards[going] += self.values["gamma"] * after.gather(1, chosen)[:, 0]
        return rewards

    def picture(
        self, samples: np.ndarray, name: str, which: np.ndarray
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Show positions of samples: what the network sees (m, …), which outputs are legal (m, outputs), and what the
        outputs are added to (m, outputs).
        """
        m, states = samples.size, positions(self.game, samples, name)
        seats, rows = states["to_move"].astype(np.int64), np.arange(m)
        x, mask = np.empty((m, *self.frame.shape), np.float32), np.empty((m, self.game.actions), np.int8)
        bind(observe_rows, self.game, self.frame.encoder)(0, m, states, rows, seats, x)
        bind(mask_rows, self.game)(0, m, states, rows, mask)
        numbers, outputs = self.images
        values = self.valuing.base_values(states, seats)
        base = np.empty_like(values)
        np.put_along_axis(base, outputs[which], values, axis=1)
        seen, shown = np.empty_like(x.reshape(m, -1)), np.empty((m, outputs.shape[1]), np.int8)
        np.put_along_axis(seen, numbers[which], x.reshape(m, -1), axis=1)
        np.put_along_axis(shown, outputs[which], mask[:, : outputs.shape[1]], axis=1)
        return torch.from_numpy(seen.reshape(x.shape)), torch.from_numpy(shown), torch.from_numpy(base)

    def figures(self) -> dict[str, float]:
        """Say what has happened since the last call."""
        s = self.sums
        hands, searched, steps = (max(1.0, s[name]) for name in ("hands", "searched", "steps"))
        found = {
            "rollout/hands": float(self.finished),
            "rollout/decisions_a_hand": s["decisions"] / hands,
            "rollout/won": s["won"] / hands,
            "rollout/points": s["points"] / hands,
            "rollout/agreed": s["agreed"] / searched,
            "train/samples": float(min(self.window.total, self.values["buffer_size"])),
            "train/steps": float(self.updates),
            "time/hands": round(s["hands"] / max(self.busy, 1e-9), 2),
            "time/learning": round(self.learning / max(self.busy, 1e-9), 3),
        }
        if s["steps"]:
            found |= {"train/loss": s["loss"] / steps, "train/q_mean": s["q"] / steps}
        self.sums = dict.fromkeys(SUMS, 0.0)
        self.learning = self.busy = 0.0
        return found


def hand_images(frame: Frame, outputs: int, *, all_of_them: bool) -> tuple[np.ndarray, np.ndarray]:
    """Say where the images (k,) of a position put each number (k, numbers) and each output (k, outputs)."""
    if not all_of_them:
        return np.arange(int(np.prod(frame.shape)))[None], np.arange(outputs)[None]
    symmetries: Callable[..., tuple[np.ndarray, np.ndarray]] = frame.game.module("encode").symmetries
    numbers, actions = symmetries(frame.encoder, **frame.game.params)
    return numbers, actions[:, :outputs]
