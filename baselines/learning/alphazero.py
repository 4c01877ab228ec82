"""AlphaZero (Silver et al. 2018) and Gumbel AlphaZero (Danihelka et al. 2022), to be read from top to bottom.

Games of two seats at zero sum with nothing hidden, dice allowed, one or several actions a turn. A `SelfPlay` plays many
games at once: one search for all of them, in which every simulation asks the network about all leaves together. Each
decision becomes a sample: the position, the policy that the search found, and, once the game has ended, who has won.
`AlphaZero` lets several play side by side, keeps the samples, and takes gradient steps on

    - policy · log softmax(logits over legal actions)  +  value_weight (target - value)²  +  weight_decay |weights|²

where the target is the outcome, or mixed with what the search held the position to be worth. Everything that is drawn
comes from generators of its own, so that the same seed gives the same run whatever the threads do first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ...envs.engine.batch import Batch
from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import mask_rows, observe_rows
from ...envs.engine.machine import usable_cores
from ...envs.engine.spec import Game, check_params, find
from ...envs.engine.view import View, copied
from ...envs.faces.frame import Frame
from ...envs.faces.symmetry import symmetries
from ..agent import check_duel
from ..search.guided import GuidedSearch, Noise, Searched, read_settings
from ..search.puct import shares
from .alphazero_agent import read_network
from .alphazero_params import PARAMS
from .network_evaluator import NetworkEvaluator, torch_threads
from .networks import Network
from .policy_value import build_policy_value
from .ring import Ring

SUMS = (
    "games", "plies", "first_wins", "second_wins", "decisions", "samples", "entropy", "steps", "policy_loss",
    "value_loss", "divergence",
)  # fmt: skip
"""What is counted between two lines of the log."""


def sample_form(game: Game) -> np.dtype:
    """Describe a sample: the position, the policy to learn, the value that its search found, and the outcome.

    The position is kept as bytes: NumPy's own copies of records leave the padding between their fields undefined.
    """
    policy = ("policy", np.float32, (game.actions,))
    return np.dtype([("state", np.void, game.dtype.itemsize), policy, ("value", np.float32), ("outcome", np.float32)])


def positions(game: Game, samples: np.ndarray) -> np.ndarray:
    """Return the positions (m,) of samples as records."""
    return np.ascontiguousarray(samples["state"]).view(game.dtype)


# Playing


class SelfPlay:
    """`n` games of one kind that a network plays against itself, and the samples of those that have not ended."""

    def __init__(self, game: Game, n: int, seed: int, evaluator: NetworkEvaluator, values: Mapping[str, Any]) -> None:
        self.game, self.values, self.evaluator = game, values, evaluator
        self.rng = np.random.default_rng(seed)
        self.batch = Batch(game, n, int(self.rng.integers(2**62)), encoder=None, autoreset="same_step", threads=1)
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
        """Make so many decisions in every game; return the samples of the games that have ended with one of them."""
        started, finished = time.perf_counter(), [self.open[:0, 0]]
        for _ in range(moves):
            view = self.batch.view()
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
            returns, over, cut = self.batch.step(actions)
            self.plies += 1
            for row in np.flatnonzero(over | cut).tolist():
                finished.append(self._finish(row, returns[row], sums))
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


# Remembering


class Window(Ring):
    """The newest samples of one game, in a window that grows with their number."""

    def __init__(self, game: Game, encoder: str, values: Mapping[str, Any]) -> None:
        super().__init__(sample_form(game), values["buffer_size"])
        self.game, self.values, self.frame = game, values, Frame(game, encoder)
        self.images = images(self.frame, values["symmetry"])

    @property
    def size(self) -> int:
        """How many samples are learned from."""
        first, power = self.values["window"], self.values["window_growth"]
        wanted = self.total if self.total < first else first * (self.total / first) ** power
        return min(int(wanted), self.total, self.values["buffer_size"])

    def draw(self, many: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Draw samples: what the network sees (m, …), the legal actions, the policy (m, actions), the target (m,)."""
        places = (self.total - 1 - rng.integers(self.size, size=many)) % self.values["buffer_size"]
        which = rng.integers(len(self.images[0]), size=many)
        return picture(self.frame, self.samples[places], self.images, which, self.values["outcome_share"])


def images(frame: Frame, which: str) -> tuple[np.ndarray, np.ndarray]:
    """Say for every image of a game which number and which action of the original stands at each place in it."""
    if which != "none":
        try:
            numbers, actions = symmetries(frame.game, frame.encoder, which)
            return np.argsort(numbers, axis=1), np.argsort(actions, axis=1)
        except BoyiError:
            if which != "game":
                raise
    return np.arange(int(np.prod(frame.shape)))[None], np.arange(frame.game.actions)[None]


def picture(
    frame: Frame, samples: np.ndarray, tables: tuple[np.ndarray, np.ndarray], which: np.ndarray, outcome_share: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Show samples in the images `which` (m,): what is seen, the legal actions, the policy, the target."""
    game, m = frame.game, samples.size
    states = positions(game, samples)
    seats, rows = states["to_move"].astype(np.int64), np.arange(m)
    x, mask = np.empty((m, *frame.shape), np.float32), np.empty((m, game.actions), np.int8)
    bind(observe_rows, game, frame.encoder)(0, m, states, rows, seats, x)
    bind(mask_rows, game)(0, m, states, rows, mask)
    seen, places = tables[0][which], tables[1][which]
    x = np.take_along_axis(x.reshape(m, -1), seen, axis=1).reshape(x.shape)
    mask = np.take_along_axis(frame.masks(mask, seats), places, axis=1)
    policy = np.take_along_axis(frame.masks(samples["policy"], seats), places, axis=1)
    target = outcome_share * samples["outcome"] + (1 - outcome_share) * samples["value"]
    return x, mask, policy, target.astype(np.float32)


# Learning


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
        self.threads = v["threads"] or usable_cores()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(v["seed"])
            self.net = one_network(self.games, v["network"], self.encoder, choices or {}).to(device)
        if v["start"]:
            self.net.load_state_dict(learned_weights(v["start"], self.games[0], self.encoder, self.net))
        self.best = deepcopy(self.net) if v["gate_interval"] else self.net
        self.optimizer = make_optimizer(self.net, v)
        seeds = np.random.SeedSequence(v["seed"]).generate_state(1 + len(self.games) * v["halves"], np.uint64).tolist()
        self.rng = np.random.default_rng(seeds.pop())
        self.windows = [Window(game, self.encoder, v) for game in self.games]
        sizes = [size for size in np.diff(np.linspace(0, v["envs"], v["halves"] + 1).astype(int)).tolist() if size]
        self.playing = [
            [SelfPlay(game, size, seeds.pop(), self.evaluator(game, self.best), v) for size in sizes]
            for game in self.games
        ]
        self.moves = np.zeros(self.games[0].actions, np.int64)
        """How often each action of the first game has been played."""
        self.decisions = self.finished = self.updates = self.promotions = 0
        self.owed = 0.0
        self.sums = dict.fromkeys(SUMS, 0.0)
        self.learning = self.busy = 0.0
        """Seconds of learning, and of all rounds, since `figures` was last asked."""
        self._pool: ThreadPoolExecutor | None = None

    def evaluator(self, game: Game, net: nn.Module) -> NetworkEvaluator:
        """Let a network judge positions as in self-play."""
        v = self.values
        return NetworkEvaluator(
            game,
            net,
            self.encoder,
            device=self.device,
            precision=v["precision"],
            rows=v["envs"] // v["halves"],
            leaf=v["leaf"],
        )

    def round(self) -> None:
        """Play `moves` decisions in every game, then learn from the games that have ended."""
        started = time.perf_counter()
        new = self._play()
        played = time.perf_counter()
        if sum(window.total for window in self.windows) >= self.values["learning_starts"]:
            self.owed += new * self.values["draws"] / self.values["batch_size"]
            self._learn(int(self.owed))
            self.owed -= int(self.owed)
        self.learning += time.perf_counter() - played
        self.busy += time.perf_counter() - started

    def _play(self) -> int:
        """Let all play side by side, each on one thread; return how many samples there are for it."""
        everyone = [play for plays in self.playing for play in plays]
        for play in everyone:
            play.evaluator.refresh(self.best)
        # One thread each: while the network judges for one, the kernels of another walk their trees.
        with torch_threads(1):
            if self._pool is None:
                self._pool = ThreadPoolExecutor(max(1, min(self.threads, len(everyone))))
            counts = [dict.fromkeys(SUMS, 0.0) for _ in everyone]
            found = list(self._pool.map(lambda play, sums: play.play(self.values["moves"], sums), everyone, counts))
        for window in self.windows:
            for play, samples in zip(everyone, found, strict=True):
                if play.game == window.game:
                    window.extend(samples)
        for sums in counts:
            for name, value in sums.items():
                self.sums[name] += value
        for play in self.playing[0]:
            self.moves += play.moves
            play.moves[:] = 0
        self.decisions += int(sum(sums["decisions"] for sums in counts))
        self.finished += int(sum(sums["games"] for sums in counts))
        return sum(samples.size for samples in found)

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
                policy_loss, value_loss = self.losses(*drawn)
                self.optimizer.zero_grad()
                (policy_loss + v["value_weight"] * value_loss).backward()
                if v["clip"]:
                    nn.utils.clip_grad_norm_(self.net.parameters(), v["clip"])
                self.optimizer.step()
                self.sums["policy_loss"] += policy_loss.item()
                self.sums["value_loss"] += value_loss.item()
                done += 1
                if before is not None:
                    moved = self.divergence(before, *drawn[:2])
                    self.sums["divergence"] += moved
                    if moved > v["kl_stop"]:
                        break
        self.sums["steps"] += done
        self.updates += done

    def losses(
        self, x: np.ndarray, mask: np.ndarray, policy: np.ndarray, target: np.ndarray
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Compare what the network says with policies (m, actions) over legal actions and with targets (m,)."""
        seen, legal, wanted, worth = (torch.from_numpy(array).to(self.device) for array in (x, mask, policy, target))
        logs, values = self._said(self.net, seen, legal)
        return -(wanted * logs).sum(dim=1).mean(), functional.mse_loss(values, worth)

    def _said(self, net: nn.Module, seen: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Ask a network for the logarithms of its policy (m, actions) over legal actions, and for values (m,)."""
        # Where self-play computes in bfloat16 learning does, too; weights, gradients and losses stay float32.
        dtype = self.playing[0][0].evaluator.dtype
        with torch.autocast(seen.device.type, torch.bfloat16, enabled=dtype == torch.bfloat16):
            logits, values = net(seen)
        # Not minus infinity: times a policy of 0 that would be no number.
        return functional.log_softmax(logits.float().masked_fill(legal == 0, -1e9), dim=1), values.float()

    @torch.no_grad()
    def divergence(self, before: nn.Module, x: np.ndarray, mask: np.ndarray) -> float:
        """Measure how far the policy has moved from that of `before`, in nats: Kullback and Leibler's, on average."""
        seen, legal = (torch.from_numpy(array).to(self.device) for array in (x, mask))
        old, new = (self._said(net, seen, legal)[0] for net in (before, self.net))
        return float((old.exp() * (old - new)).sum(dim=1).mean())

    def gate(self, score: Callable[[nn.Module, nn.Module], float]) -> bool:
        """Let the newest network be the best where it scores the threshold against it; say whether it does."""
        if score(self.net, self.best) < self.values["gate_threshold"]:
            return False
        self.best.load_state_dict(self.net.state_dict())
        self.promotions += 1
        return True

    def figures(self) -> dict[str, float]:
        """Say what has happened since this was last asked."""
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
            found |= {"train/policy_loss": s["policy_loss"] / steps, "train/value_loss": s["value_loss"] / steps}
            if self.values["kl_stop"]:
                found["train/divergence"] = s["divergence"] / steps
        if self.values["gate_interval"]:
            found["train/promotions"] = float(self.promotions)
        self.sums = dict.fromkeys(SUMS, 0.0)
        return found

    def _shares(self) -> dict[str, float]:
        """Say what the time since this was last asked has gone into: threads that play, and learning."""
        found = {"network": 0.0, "kernels": 0.0, "python": 0.0, "learning": self.learning}
        for play in (play for plays in self.playing for play in plays):
            network, kernels = play.evaluator.spent, play.search.spent
            found["network"] += network
            found["kernels"] += kernels
            found["python"] += max(0.0, play.spent - network - kernels)
            play.evaluator.spent = play.search.spent = play.spent = 0.0
        self.learning = self.busy = 0.0
        total = max(sum(found.values()), 1e-9)
        return {f"time/{name}": round(spent / total, 3) for name, spent in found.items()}


def one_network(games: Sequence[Game], name: str, encoder: str, choices: Mapping[str, Any]) -> Network:
    """Make the network that plays all of the games; `BoyiError` where their weights would differ."""
    net = build_policy_value(name, games[0].shape(encoder), games[0].actions, **choices)
    shapes = {key: tensor.shape for key, tensor in net.state_dict().items()}
    for game in games[1:]:
        with torch.device("meta"):
            other = build_policy_value(name, game.shape(encoder), game.actions, **choices)
        if {key: tensor.shape for key, tensor in other.state_dict().items()} != shapes:
            raise BoyiError(f"network {name} has other weights for {game} than for {games[0]}: one run learns one")
    return net


def learned_weights(where: str, game: Game, encoder: str, net: Network) -> dict[str, torch.Tensor]:
    """Read weights for a network; `BoyiError` where they are of another game or of a network that differs."""
    learned = read_network(where)
    card, theirs = learned.card, learned.network(game)
    have, want = (card.network, card.choices, card.encoder), (net.name, net.choices, encoder)
    if have != want:
        raise BoyiError(
            f"start={where} is network {have[0]} with {have[1]} that sees {have[2]}, the run's is "
            f"{want[0]} with {want[1]} that sees {want[2]}"
        )
    return theirs.state_dict()


def make_optimizer(net: nn.Module, values: Mapping[str, Any]) -> torch.optim.Optimizer:
    """Make the optimizer; squared weights count fully in the published losses, by half in torch's weight decay."""
    rate, decay = values["learning_rate"], values["weight_decay"]
    if values["optimizer"] == "adam":
        return torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=decay)
    return torch.optim.SGD(net.parameters(), lr=rate, momentum=values["momentum"], weight_decay=2 * decay)
