"""Q-learning of mahjong's hands in a run: the learner from a config, and all that its next round depends on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from torch import nn

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import ArrayForm, Form, Whole, fit, fit_arrays
from ...envs.engine.spec import Game
from ...envs.engine.validity import check_states
from ..agent import Agent
from ..learning.hand_dqn import SUMS, HandDQN, make_search, positions, sample_form
from ..learning.hand_dqn_params import PARAMS
from ..learning.model_agent import Card, HandLearnerAgent, tensor_forms, write_network
from .config import Config
from .state import Forms, Generator, named, pack_weights, under, unpack_weights
from .trainer import Arrays, Figures, Trainer

SLOTS = ("step", "exp_avg", "exp_avg_sq")  # what the optimizer keeps of each weight
NUMBERS = ("action", "follows", "reward", "over")  # of a sample, besides its positions


class HandState(Form, frozen=True, kw_only=True):
    """The facts of a learner: what it has counted, and where its generators are."""

    decisions: Whole
    finished: Whole
    updates: Whole
    total: Whole
    owed: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)]
    sums: dict[str, float]
    generators: list[Generator]


class HandTrainer(Trainer):
    """`HandDQN`, whose steps are decisions at all tables."""

    unit = "decisions in self-play"
    watched = (
        "time/fps",
        "time/hands",
        "train/loss",
        "train/q_mean",
        "rollout/won",
        "rollout/points",
        "rollout/agreed",
    )

    def __init__(self, config: Config, device: str) -> None:
        if device not in ("auto", "cpu"):
            raise BoyiError(f"hand_dqn learns on the CPU, where its search is, not on {device}")
        self.config = config
        self.learner = HandDQN(config.game, choices=dict(config.choices), **{name: config[name] for name in PARAMS})
        self.moves = self.learner.moves

    @property
    def steps(self) -> int:
        return self.learner.decisions

    def train(self, between: Callable[[], None]) -> None:
        between()
        while self.steps < self.config["steps"]:
            self.learner.round()
            if self.steps < self.config["steps"]:
                between()

    def figures(self) -> Figures:
        return self.learner.figures()

    def agent(self) -> Agent:
        learner, hands = self.learner, self.learner.hands()
        hands.net.eval()
        searches = self.config["evaluated"] == "search"
        return HandLearnerAgent(hands, make_search(learner.game, hands, learner.values) if searches else None)

    def export(self, path: Path) -> None:
        learner, config = self.learner, self.config
        algorithm: Literal["dqn", "ddqn"] = "ddqn" if config["double"] else "dqn"
        more = {"reward_scale": 1 / config["point"], "base": config["base"]}
        card = Card.of(algorithm, learner.frame, learner.net, **more)
        write_network(path, learner.net, card)

    # All that the next round depends on

    def pack(self) -> tuple[Arrays, dict[str, Any]]:
        learner = self.learner
        arrays = {"moves": self.moves, **pack_weights(self._networks(), learner.optimizer)}
        size = min(learner.window.total, self.config["buffer_size"])
        arrays |= named("samples", apart(learner.game, learner.window.samples[:size]))
        for k, play in enumerate(learner.playing):
            arrays |= named(f"play/{k}", {"waiting": play.waiting})
            arrays |= named(f"play/{k}/latest", apart(learner.game, play.latest[play.waiting]))
            arrays |= named(f"play/{k}/batch", play.batch.snapshot())
        state = HandState(
            decisions=learner.decisions,
            finished=learner.finished,
            updates=learner.updates,
            total=learner.window.total,
            owed=learner.owed,
            sums={name: float(value) for name, value in learner.sums.items()},
            generators=[Generator.of(rng) for rng in self._generators()],
        )
        return arrays, msgspec.to_builtins(state)

    def unpack(self, arrays: Arrays, facts: dict[str, Any], where: str) -> None:
        learner, state = self.learner, fit(facts, HandState, where)
        if state.sums.keys() != dict.fromkeys(SUMS).keys():
            raise BoyiError(f"{where} is damaged: its sums are not those of a run of hand_dqn")
        if len(state.generators) != len(self._generators()):
            raise BoyiError(
                f"{where} is damaged: it has {len(state.generators)} generators, not {len(self._generators())}"
            )
        fit_arrays(arrays, self._forms(arrays, state, where), where)
        unpack_weights(self._networks(), learner.optimizer, arrays)
        learner.window.samples = together(learner.game, under("samples", arrays), where)
        learner.window.total = state.total
        for k, play in enumerate(learner.playing):
            part = under(f"play/{k}", arrays)
            try:
                play.batch.restore(under("batch", part))
            except BoyiError as error:
                raise BoyiError(f"{where} is damaged: {error}") from None
            play.waiting[:] = part["waiting"]
            play.latest[play.waiting] = together(learner.game, under("latest", part), where, linked=False)
        self.moves[:] = arrays["moves"]
        for name in ("decisions", "finished", "updates", "owed"):
            setattr(learner, name, getattr(state, name))
        learner.sums = dict(state.sums)
        for rng, generator in zip(self._generators(), state.generators, strict=True):
            generator.put(rng)

    def _networks(self) -> dict[str, nn.Module]:
        return {"net": self.learner.net, "target": self.learner.target}

    def _generators(self) -> list[np.random.Generator]:
        return [self.learner.rng, *(play.rng for play in self.learner.playing)]

    def _forms(self, arrays: Arrays, state: HandState, where: str) -> Forms:
        """Describe what `pack` gathers of a learner like this one that is as far on as the state says."""
        learner = self.learner
        found: Forms = {"moves": ArrayForm(self.moves.shape, (np.int64,), 0)}
        for name, net in self._networks().items():
            found |= named(name, tensor_forms(net.state_dict()))
        for index, weights in enumerate(learner.net.parameters()) if state.updates else ():
            for slot in SLOTS:
                shape, low = ((1,), 0) if slot == "step" else (tuple(weights.shape), 0 if "sq" in slot else -np.inf)
                found[f"optimizer/{index}/{slot}"] = ArrayForm(shape, (np.float32,), low)
        found |= named("samples", sample_forms(learner.game, min(state.total, self.config["buffer_size"])))
        for k, play in enumerate(learner.playing):
            waiting = ArrayForm(play.waiting.shape, (np.bool_,))
            # How many decisions there are depends on who waits, so that is checked first.
            name = f"play/{k}/waiting"
            fit_arrays({key: array for key, array in arrays.items() if key == name}, {name: waiting}, where)
            found[name] = waiting
            found |= named(f"play/{k}/latest", sample_forms(learner.game, int(arrays[name].sum())))
            snapshot = play.batch.snapshot()
            found |= named(f"play/{k}/batch", {name: ArrayForm(a.shape, (a.dtype,)) for name, a in snapshot.items()})
        return found


def apart(game: Game, samples: np.ndarray) -> Arrays:
    """Take samples (m,) apart into arrays; positions become bytes."""
    bytewise = {
        name: positions(game, samples, name).view(np.uint8).reshape(samples.size, game.dtype.itemsize)
        for name in ("state", "next")
    }
    return {**bytewise, **{name: np.ascontiguousarray(samples[name]) for name in NUMBERS}}


def together(game: Game, arrays: Arrays, where: str, *, linked: bool = True) -> np.ndarray:
    """Put samples together again, `linked` to what follows them; `BoyiError` for what is no position of a decision."""
    samples = np.zeros(len(arrays["over"]), sample_form(game))
    for name in ("state", "next"):
        samples[name] = np.ascontiguousarray(arrays[name]).view(samples.dtype[name]).reshape(-1)
    for name in NUMBERS:
        samples[name] = arrays[name]
    followed = ~samples["over"] & linked
    for name, which in (("state", np.ones_like(followed)), ("next", followed)):
        states = positions(game, samples[which], name)
        try:
            check_states(game, states, np.arange(states.size))
        except BoyiError as error:
            raise BoyiError(f"{where} is damaged: {error}") from None
        if (states["to_move"] < 0).any():
            raise BoyiError(f"{where} is damaged: a sample is no decision")
    return samples


def sample_forms(game: Game, size: int) -> Forms:
    """Describe what `apart` returns for `size` samples."""
    found = {name: ArrayForm((size, game.dtype.itemsize), (np.uint8,)) for name in ("state", "next")}
    found |= {name: ArrayForm((size,), (np.int16,), 0, game.actions - 1) for name in ("action", "follows")}
    return {**found, "reward": ArrayForm((size,), (np.float32,)), "over": ArrayForm((size,), (np.bool_,))}
