"""AlphaZero in a run: the learner from a config, its rounds and its gate, and all that its next round depends on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from torch import nn

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import ArrayForm, Form, Whole, fit, fit_arrays
from ...envs.engine.spec import Game
from ...envs.engine.validity import check_states
from ..agent import Agent
from ..arena.matches import evaluate
from ..learning.alphazero import AlphaZero
from ..learning.alphazero_agent import KEPT, AlphaZeroCard, LearnerAgent, write_network
from ..learning.alphazero_params import PARAMS
from ..learning.model_agent import tensor_forms
from ..learning.network_evaluator import pick_device
from ..learning.samples import positions
from ..learning.self_play import SUMS, SelfPlay
from .config import Config
from .state import Forms, Generator, named, pack_weights, under, unpack_weights
from .trainer import Arrays, Figures, Trainer

SLOTS = {"adam": ("step", "exp_avg", "exp_avg_sq"), "sgd": ("momentum_buffer",)}
"""What an optimizer keeps of each weight."""


class AlphaZeroState(Form, frozen=True, kw_only=True):
    """The facts of a learner: what it has counted, and where its generators are."""

    decisions: Whole
    finished: Whole
    updates: Whole
    promotions: Whole
    ordered: Whole
    taken: Whole
    elsewhere: bool
    gated: Whole
    owed: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)]
    totals: list[Whole]
    sums: dict[str, float]
    generators: list[Generator]


class AlphaZeroTrainer(Trainer):
    """AlphaZero, whose steps are decisions in self-play."""

    unit = "decisions in self-play"
    watched = (
        "time/fps", "time/games", "time/network", "time/kernels", "time/python", "time/learning",
        "train/policy_loss", "train/value_loss", "rollout/policy_entropy", "rollout/game_length",
        "rollout/first_wins", "rollout/second_wins",
    )  # fmt: skip

    def __init__(self, config: Config, device: str) -> None:
        self.config = config
        self.learner = AlphaZero(
            config.games,
            choices=dict(config.choices),
            device=pick_device(device),
            **{name: config[name] for name in PARAMS},
        )
        self.moves = self.learner.moves
        self.gated = 0
        """The decisions after which the newest network last met the best."""

    @property
    def steps(self) -> int:
        return self.learner.decisions

    def train(self, between: Callable[[], None]) -> None:
        interval = self.config["gate_interval"]
        between()
        try:
            while self.steps < self.config["steps"]:
                self.learner.round()
                if interval and self.steps // interval > self.gated // interval and self.learner.updates:
                    self.gated = self.steps
                    self.learner.gate(self._match)
                if self.steps < self.config["steps"]:
                    between()
        finally:
            self.learner.close()

    def _match(self, newest: nn.Module, best: nn.Module) -> float:
        """Let two networks play, paired and with seats swapped; return the newest one's score."""
        config = self.config
        sims = {"sims": config["sims"], "root": config["root"], "temperature": 0.0 if config.game.spec.dice else 0.2}
        agents = [
            LearnerAgent([self.learner.evaluator(config.game, net)], self._search(), **sims) for net in (newest, best)
        ]
        seed = config["seed"] + self.steps
        result = evaluate(agents[0], config.game, [agents[1]], games=config["gate_games"], seed=seed)
        return float(result.pairings[0].score.value)

    def _search(self) -> dict[str, Any]:
        return {name: self.config[name] for name in KEPT}

    def figures(self) -> Figures:
        return self.learner.figures()

    def agent(self) -> Agent:
        learner, config = self.learner, self.config
        evaluators = [learner.evaluator(game, learner.mean) for game in learner.games]
        sims = config["evaluation_sims"] or config["sims"]
        return LearnerAgent(evaluators, self._search(), sims=sims, root=config["root"])

    def export(self, path: Path) -> None:
        learner, config = self.learner, self.config
        card = AlphaZeroCard(
            games=[str(game) for game in learner.games],
            game_version=learner.games[0].spec.version,
            encoder=learner.encoder,
            network=config["network"],
            choices=learner.net.choices,
            precision=config["precision"],
            search=self._search(),
        )
        write_network(path, learner.mean, card)

    # All that the next round depends on

    def pack(self) -> tuple[Arrays, dict[str, Any]]:
        learner = self.learner
        arrays = {"moves": self.moves, **pack_weights(self._networks(), learner.optimizer)}
        for k, window in enumerate(learner.windows):
            size = min(window.total, self.config["buffer_size"])
            arrays |= named(f"window/{k}", unmixed(window.samples[:size]))
        for k, play in enumerate(self._playing()):
            filled = np.arange(play.open.shape[1]) < play.count[:, None]
            counts = {"count": play.count, "plies": play.plies}
            arrays |= named(f"play/{k}", {**counts, **named("open", unmixed(play.open[filled]))})
            arrays |= named(f"play/{k}/batch", play.batch.snapshot())
        state = AlphaZeroState(
            decisions=learner.decisions,
            finished=learner.finished,
            updates=learner.updates,
            promotions=learner.promotions,
            ordered=learner.ordered,
            taken=learner.lessons.taken if learner.lessons else 0,
            elsewhere=learner.elsewhere,
            gated=self.gated,
            owed=learner.owed,
            totals=[window.total for window in learner.windows],
            sums={name: float(value) for name, value in learner.sums.items()},
            generators=[Generator.of(rng) for rng in self._generators()],
        )
        return arrays, msgspec.to_builtins(state)

    def unpack(self, arrays: Arrays, facts: dict[str, Any], where: str) -> None:
        learner, state = self.learner, fit(facts, AlphaZeroState, where)
        if state.sums.keys() != dict.fromkeys(SUMS).keys():
            raise BoyiError(f"{where} is damaged: its sums are not those of a run of alphazero")
        if state.elsewhere != learner.elsewhere:
            played = "other processes" if state.elsewhere else "the one that learned"
            raise BoyiError(f"{where} belongs to a run in which {played} played: workers and cluster must say so, too")
        most = len(learner.lessons.records) if learner.lessons else 0
        if state.taken > most:
            raise BoyiError(f"{where} is damaged: it has learned from {state.taken} recorded games, there are {most}")
        for what, have, want in (
            ("windows", len(state.totals), len(learner.windows)),
            ("generators", len(state.generators), len(self._generators())),
        ):
            if have != want:
                raise BoyiError(f"{where} is damaged: it has {have} {what}, not {want}")
        fit_arrays(arrays, self._forms(arrays, state, where), where)
        unpack_weights(self._networks(), learner.optimizer, arrays)
        for k, (window, total) in enumerate(zip(learner.windows, state.totals, strict=True)):
            window.samples = mixed(window.game, window.samples.dtype, under(f"window/{k}", arrays), where)
            window.total = total
        for k, play in enumerate(self._playing()):
            self._restore(play, under(f"play/{k}", arrays), where)
        self.moves[:] = arrays["moves"]
        for name in ("decisions", "finished", "updates", "promotions", "ordered", "owed"):
            setattr(learner, name, getattr(state, name))
        self.gated, learner.sums = state.gated, dict(state.sums)
        if learner.lessons is not None:
            learner.lessons.taken = state.taken
        for rng, generator in zip(self._generators(), state.generators, strict=True):
            generator.put(rng)

    def _restore(self, play: SelfPlay, arrays: Arrays, where: str) -> None:
        try:
            play.batch.restore(under("batch", arrays))
        except BoyiError as error:
            raise BoyiError(f"{where} is damaged: {error}") from None
        play.count[:], play.plies[:] = arrays["count"], arrays["plies"]
        room = max(play.open.shape[1], int(play.count.max()))
        play.open = np.zeros((play.count.size, room), play.open.dtype)
        play.open[np.arange(room) < play.count[:, None]] = mixed(
            play.game, play.open.dtype, under("open", arrays), where
        )

    def _networks(self) -> dict[str, nn.Module]:
        learner = self.learner
        found: dict[str, nn.Module] = {"net": learner.net}
        if self.config["average"]:
            found["mean"] = learner.mean
        if self.config["gate_interval"]:
            found["best"] = learner.best
        return found

    def _playing(self) -> list[SelfPlay]:
        return [play for plays in self.learner.playing for play in plays]

    def _generators(self) -> list[np.random.Generator]:
        return [self.learner.rng, *(play.rng for play in self._playing())]

    def _forms(self, arrays: Arrays, state: AlphaZeroState, where: str) -> Forms:
        """Describe what `pack` gathers of a learner like this one that is as far on as the state says."""
        learner = self.learner
        found: Forms = {"moves": ArrayForm(self.moves.shape, (np.int64,), 0)}
        for name, net in self._networks().items():
            found |= named(name, tensor_forms(net.state_dict()))
        slots = SLOTS[self.config["optimizer"]]
        if self.config["optimizer"] == "sgd" and not self.config["momentum"]:
            slots = ()
        for index, weights in enumerate(learner.net.parameters()) if state.updates else ():
            for slot in slots if weights.requires_grad else ():
                shape, low = ((1,), 0) if slot == "step" else (tuple(weights.shape), 0 if "sq" in slot else -np.inf)
                found[f"optimizer/{index}/{slot}"] = ArrayForm(shape, (np.float32,), low)
        for k, (window, total) in enumerate(zip(learner.windows, state.totals, strict=True)):
            size = min(total, self.config["buffer_size"])
            found |= named(f"window/{k}", sample_forms(window.game, window.samples.dtype, size))
        for k, play in enumerate(self._playing()):
            n, most = play.count.size, play.game.longest
            count = ArrayForm((n,), (np.int64,), 0, most)
            # How many samples there are depends on the counts, so these are checked first.
            name = f"play/{k}/count"
            fit_arrays({key: array for key, array in arrays.items() if key == name}, {name: count}, where)
            opened = int(arrays[name].sum())
            found |= named(f"play/{k}", {"count": count, "plies": count})
            found |= named(f"play/{k}/open", sample_forms(play.game, play.open.dtype, opened))
            snapshot = play.batch.snapshot()
            found |= named(f"play/{k}/batch", {name: ArrayForm(a.shape, (a.dtype,)) for name, a in snapshot.items()})
        return found


POSITIONS = {"state": "states", "end": "ends"}
"""The fields of samples that are positions, and the names of their arrays."""


def unmixed(samples: np.ndarray) -> Arrays:
    """Take samples (m,) apart into arrays; positions become bytes."""
    found = {}
    for name in samples.dtype.names or ():
        part = np.ascontiguousarray(samples[name])
        if name in POSITIONS:
            part = part.view(np.uint8).reshape(samples.size, part.dtype.itemsize)
        found[POSITIONS.get(name, name)] = part
    return found


def mixed(game: Game, form: np.dtype, arrays: Arrays, where: str) -> np.ndarray:
    """Put samples of a form together again; `BoyiError` for what is no position in which somebody decides."""
    samples = np.zeros(len(arrays["states"]), form)
    for name in form.names or ():
        part = arrays[POSITIONS.get(name, name)]
        samples[name] = np.ascontiguousarray(part).view(form[name]).reshape(-1) if name in POSITIONS else part
    for name in POSITIONS.keys() & (form.names or ()):
        states = positions(game, samples, name)
        try:
            check_states(game, states, np.arange(samples.size))
        except BoyiError as error:
            raise BoyiError(f"{where} is damaged: {error}") from None
        if ((states["to_move"] < 0) != (name == "end")).any():
            raise BoyiError(f"{where} is damaged: a sample is no decision, or no game has ended with it")
    return samples


def sample_forms(game: Game, form: np.dtype, size: int) -> Forms:
    """Describe what `unmixed` returns for `size` samples of a form."""
    bounds = {
        "value": (-1, 1),
        "outcome": (-1, 1),
        "policy": (0, 1),
        "surprise": (0, np.inf),
        "reply": (-1, game.actions - 1),
    }
    found: Forms = {}
    for name in form.names or ():
        part = form[name]
        if name in POSITIONS:
            found[POSITIONS[name]] = ArrayForm((size, part.itemsize), (np.uint8,))
        else:
            found[name] = ArrayForm((size, *part.shape), (part.base.type,), *bounds[name])
    return found
