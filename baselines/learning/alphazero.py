"""AlphaZero (Silver et al. 2018) and Gumbel AlphaZero (Danihelka et al. 2022), to be read from top to bottom.

Zero-sum games of two seats with nothing hidden, dice allowed, one or several actions a turn. `self_play` plays games
and makes samples of the decisions. `AlphaZero` lets several play side by side, on threads here or in processes
anywhere, keeps the samples, and takes gradient steps on

    - policy · log softmax(logits over legal actions)  +  value_weight (target - value)²  +  weight_decay |weights|²

where the target is the outcome, or a mix of it and the search's value of the position. All random draws come from
generators of their own, so the same seed gives the same run in whatever order the threads work; games that processes
play arrive in the order in which they are finished.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import polyak_update
from torch import nn
from torch.nn import functional

from ...envs.engine.errors import BoyiError
from ...envs.engine.machine import usable_cores
from ...envs.engine.spec import Game, check_params, find
from ..agent import check_duel
from ..workers.crew import Crew, check_workers
from .alphazero_agent import read_network
from .alphazero_params import PARAMS
from .lessons import Lessons
from .network_evaluator import NetworkEvaluator, torch_threads
from .networks import Network
from .policy_value import Board, build_for_all
from .samples import Drawn, Window
from .self_play import SPENT, SUMS, Order, Played, Player, SelfPlay, make_evaluator, take


class AlphaZero:
    """A network that learns from playing itself; `PARAMS` says what may be set.

    `games` are one game or several that the same network can play; `choices` are the network's. `BoyiError` says what
    does not fit.
    """

    def __init__(
        self,
        games: str | Game | Sequence[str | Game],
        *,
        choices: Mapping[str, Any] | None = None,
        device: str = "cpu",
        **values: Any,
    ) -> None:
        several = [games] if isinstance(games, str | Game) else games
        self.games = [find(game) for game in several]
        if not self.games or len(set(self.games)) < len(self.games):
            raise BoyiError("alphazero learns one game or several different ones")
        self.values = v = check_params("alphazero", PARAMS, values)
        for game in self.games:
            check_duel(game, "alphazero cannot learn")
        self.encoder = v["encoder"] or self.games[0].encoder
        self.device = device
        # Players have cores of their own; learning has the others.
        self.threads = v["threads"] or max(1, usable_cores() - (0 if v["cluster"] else v["workers"]))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(v["seed"])
            self.net = build_for_all(self.games, v["network"], self.encoder, choices or {}).to(device)
        foretold = {f"{part}_loss": v[f"{part}_weight"] for part in ("reply", "owner") if v[f"{part}_weight"]}
        self.weights = {"policy_loss": 1.0, "value_loss": v["value_weight"], **foretold}
        """The weight of each loss in use."""
        self.foretells = bool(foretold)
        if isinstance(self.net, Board) and self.net.choices["auxiliary"]:
            self.net.reply.requires_grad_("reply_loss" in foretold)
            self.net.owner.requires_grad_("owner_loss" in foretold)
        elif foretold:
            raise BoyiError("reply_weight and owner_weight need network=board with choices = { auxiliary = true }")
        if v["openings"] and any(game.spec.dice for game in self.games):
            raise BoyiError("openings must be 0 for a game with dice")
        if v["start"]:
            self.net.load_state_dict(learned_weights(v["start"], self.games[0], self.encoder, self.net))
        self.mean = deepcopy(self.net).requires_grad_(requires_grad=False) if v["average"] else self.net
        self.best = deepcopy(self.mean) if v["gate_interval"] else self.mean
        self.optimizer = make_optimizer(self.net, v)
        seeds = np.random.SeedSequence(v["seed"]).generate_state(1 + len(self.games) * v["halves"], np.uint64).tolist()
        self.rng = np.random.default_rng(seeds.pop())
        self.windows = [Window(game, self.encoder, v) for game in self.games]
        sizes = [size for size in np.diff(np.linspace(0, v["envs"], v["halves"] + 1).astype(int)).tolist() if size]
        self.lessons = Lessons(v["records"], self.games, v) if v["records"] else None
        self.elsewhere = bool(v["workers"] or v["cluster"])
        """Whether other processes play."""
        self.playing = [
            [SelfPlay(game, size, seeds.pop(), self.evaluator(game, self.best), v) for size in sizes]
            for game in ([] if self.elsewhere else self.games)
        ]
        self.dtype = self.evaluator(self.games[0], self.best).dtype
        self.moves = np.zeros(self.games[0].actions, np.int64)
        """How often each action of the first game has been played."""
        self.decisions = self.finished = self.updates = self.promotions = self.ordered = 0
        self.owed = 0.0
        self.sums = dict.fromkeys(SUMS, 0.0)
        self.spent = dict.fromkeys((*SPENT, "learning"), 0.0)
        """Seconds of all players, and of learning, since `figures` was last called."""
        self.busy = 0.0
        """Seconds of all rounds since then."""
        self._pool: ThreadPoolExecutor | None = None
        self._others = ExitStack()
        self._coming: Iterator[tuple[Order, Played]] | None = None

    def evaluator(self, game: Game, net: nn.Module) -> NetworkEvaluator:
        """Let a network judge positions as in self-play."""
        return make_evaluator(game, net, self.encoder, self.device, self.values)

    def round(self) -> None:
        """Play, then learn from the games that have ended; on a device other than the CPU, unless other processes
        play, learn while playing, from the games of earlier rounds.

        A round is `moves` decisions in every game or, where other processes play, what the first to finish has played.
        The first rounds take some of the recorded games each instead, while there are any left.
        """
        started = time.perf_counter()
        meanwhile = self.device != "cpu" and not self.elsewhere
        # One thread each: while the network judges for one, the kernels of another walk their trees.
        with torch_threads(1):
            if self.lessons is not None and self.lessons.left:
                coming = iter(self.lessons.take())
            elif self.elsewhere:
                coming = iter([self._next()])
            else:
                coming = self._side_by_side()
            if meanwhile:
                self._catch_up()
            new = self._take_in(coming)
        if sum(window.total for window in self.windows) >= self.values["learning_starts"]:
            self.owed += new * self.values["draws"] / self.values["batch_size"]
        if not meanwhile:
            self._catch_up()
        self.busy += time.perf_counter() - started

    def _catch_up(self) -> None:
        """Take the gradient steps that are owed to the samples so far."""
        started = time.perf_counter()
        self._learn(int(self.owed))
        self.owed -= int(self.owed)
        self.spent["learning"] += time.perf_counter() - started

    def close(self) -> None:
        """End the processes that play; another round starts new ones."""
        self._others.close()
        self._coming = None

    def _take_in(self, coming: Iterator[Played]) -> int:
        """Wait for what is played, and keep it; return the number of new samples."""
        new = 0
        for played in coming:
            new += played.samples.size
            self.windows[played.game].extend(played.samples)
            for name, value in played.sums.items():
                self.sums[name] += value
            self.decisions += int(played.sums["decisions"])
            self.finished += int(played.sums["games"])
            if not played.game:
                self.moves += played.moves
            for name, seconds in played.seconds.items():
                self.spent[name] += seconds
        return new

    def _side_by_side(self) -> Iterator[Played]:
        """Let all play on side by side, each on one thread; return an iterator over the results."""
        everyone = [(number, play) for number, plays in enumerate(self.playing) for play in plays]
        for _, play in everyone:
            play.evaluator.refresh(self.best)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max(1, min(self.threads, len(everyone))))
        return self._pool.map(lambda one: take(one[0], one[1], self.values["moves"]), everyone)

    def _next(self) -> Played:
        """Wait for games that another process has played."""
        if self._coming is None:
            workers, cluster = self.values["workers"], self.values["cluster"] or None
            recipe = partial(Player, self.games, self.encoder, self.net.choices, self.values)
            crew = Crew[Order, Played](recipe, check_workers(workers, cluster), cluster)
            self._coming = self._others.enter_context(crew).do(self._orders())
        return next(self._coming)[1]

    def _orders(self) -> Iterator[Order]:
        """Order games of each kind in turn, with the network's weights at the moment a process is free."""
        while True:
            self.ordered += 1
            yield self._order(self.ordered)

    def _order(self, number: int) -> Order:
        seed = np.random.SeedSequence(self.values["seed"], spawn_key=(number,)).generate_state(1, np.uint64)
        weights = {name: tensor.cpu().numpy().copy() for name, tensor in self.best.state_dict().items()}
        return Order(number % len(self.games), int(seed[0]), weights)

    def _learn(self, steps: int) -> None:
        v = self.values
        rate = v["learning_rate"] / v["decay"] ** (self.finished // v["decay_games"] if v["decay_games"] else 0)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.net.train()
        before, done = deepcopy(self.net) if v["kl_stop"] and steps else None, 0
        with torch_threads(self.threads):
            while done < steps:
                odds = np.array([window.size for window in self.windows], float)
                window = self.windows[self.rng.choice(odds.size, p=odds / odds.sum())]
                drawn = window.draw(v["batch_size"], self.rng)
                losses = self.losses(drawn)
                total: Any = sum(self.weights[name] * loss for name, loss in losses.items())
                self.optimizer.zero_grad()
                total.backward()
                if v["clip"]:
                    nn.utils.clip_grad_norm_(self.net.parameters(), v["clip"])
                self.optimizer.step()
                for name, loss in losses.items():
                    self.sums[name] += loss.item()
                done += 1
                self._average(self.updates + done)
                if before is not None:
                    moved = self.divergence(before, drawn)
                    self.sums["divergence"] += moved
                    if moved > v["kl_stop"]:
                        break
        self.sums["steps"] += done
        self.updates += done

    def _average(self, steps: int) -> None:
        """Update the running mean of the weights; as long as there have been few steps, it spans fewer of them."""
        if self.values["average"]:
            share = min(self.values["average"], steps / (steps + 9))
            polyak_update(self.net.parameters(), self.mean.parameters(), 1 - share)

    def losses(self, drawn: Drawn) -> dict[str, torch.Tensor]:
        """Compare what the network says with what is to be learned."""
        seen, legal, policy, target = (self._tensor(array) for array in drawn[:4])
        logs, values, *more = self._said(self.net, seen, legal)
        found = {"policy_loss": -(policy * logs).sum(dim=1).mean(), "value_loss": functional.mse_loss(values, target)}
        if drawn.reply is not None:
            expected = functional.log_softmax(more[0], dim=1)
            found["reply_loss"] = -(self._tensor(drawn.reply) * expected).sum(dim=1).mean()
        if drawn.owner is not None:
            found["owner_loss"] = functional.mse_loss(more[1], self._tensor(drawn.owner))
        return found

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def _said(self, net: nn.Module, seen: torch.Tensor, legal: torch.Tensor) -> list[torch.Tensor]:
        """Ask a network for the logarithms of its policy (m, actions) over legal actions, for values (m,), and for
        whatever else it foretells.
        """
        # Where self-play computes in bfloat16, learning does, too; weights, gradients and losses stay float32.
        with torch.autocast(seen.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16):
            logits, *more = net.foretell(seen) if isinstance(net, Board) and self.foretells else net(seen)
        # Not minus infinity: that times a policy of 0 would not be a number.
        masked = logits.float().masked_fill(legal == 0, -1e9)
        return [functional.log_softmax(masked, dim=1), *(part.float() for part in more)]

    @torch.no_grad()
    def divergence(self, before: nn.Module, drawn: Drawn) -> float:
        """Measure how far the policy has moved from that of `before`: the mean Kullback-Leibler divergence, in nats."""
        seen, legal = self._tensor(drawn.seen), self._tensor(drawn.legal)
        old, new = (self._said(net, seen, legal)[0] for net in (before, self.net))
        return float((old.exp() * (old - new)).sum(dim=1).mean())

    def gate(self, score: Callable[[nn.Module, nn.Module], float]) -> bool:
        """Make the newest network the best if it scores the threshold against the best so far; say whether it does."""
        if score(self.mean, self.best) < self.values["gate_threshold"]:
            return False
        self.best.load_state_dict(self.mean.state_dict())
        self.promotions += 1
        return True

    def figures(self) -> dict[str, float]:
        """Say what has happened since the last call."""
        s = self.sums
        games, samples, steps = (max(1.0, s[name]) for name in ("games", "samples", "steps"))
        found = {
            "rollout/game_length": s["plies"] / games,
            "rollout/first_wins": s["first_wins"] / games,
            "rollout/second_wins": s["second_wins"] / games,
            "rollout/policy_entropy": s["entropy"] / samples,
            "rollout/games": float(self.finished),
            "train/samples": float(sum(window.size for window in self.windows)),
            "train/steps": float(self.updates),
            "train/learning_rate": self.optimizer.param_groups[0]["lr"],
            "time/games": round(s["games"] / max(self.busy, 1e-9), 2),
            **self._shares(),
        }
        if s["steps"]:
            found |= {f"train/{name}": s[name] / steps for name in self.weights}
            if self.values["kl_stop"]:
                found["train/divergence"] = s["divergence"] / steps
        if self.values["gate_interval"]:
            found["train/promotions"] = float(self.promotions)
        self.sums = dict.fromkeys(SUMS, 0.0)
        return found

    def _shares(self) -> dict[str, float]:
        """Say what the time since the last call has gone into: threads that play, and learning."""
        found, self.spent, self.busy = self.spent, dict.fromkeys(self.spent, 0.0), 0.0
        total = max(sum(found.values()), 1e-9)
        return {f"time/{name}": round(spent / total, 3) for name, spent in found.items()}


def learned_weights(where: str, game: Game, encoder: str, net: Network) -> dict[str, torch.Tensor]:
    """Read weights for a network; `BoyiError` if they belong to another game or to a different network."""
    learned = read_network(where)
    card, theirs = learned.card, learned.network(game)
    have, want = (theirs.name, theirs.choices, card.encoder), (net.name, net.choices, encoder)
    if have != want:
        raise BoyiError(
            f"start={where} is network {have[0]} with {have[1]} that sees {have[2]}, the run's is "
            f"{want[0]} with {want[1]} that sees {want[2]}"
        )
    return theirs.state_dict()


def make_optimizer(net: nn.Module, values: Mapping[str, Any]) -> torch.optim.Optimizer:
    """Make the optimizer; squared weights count fully in the published losses, but by half in torch's weight decay."""
    rate, decay = values["learning_rate"], values["weight_decay"]
    if values["optimizer"] == "adam":
        return torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=decay)
    return torch.optim.SGD(net.parameters(), lr=rate, momentum=values["momentum"], weight_decay=2 * decay)
