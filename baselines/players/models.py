"""Models of other libraries as agents: what Stable-Baselines3, TorchRL and RLlib have trained plays unchanged.

None of the libraries is imported here: a caller that has a model has already imported its library.
"""

from __future__ import annotations

from contextlib import suppress
from inspect import signature
from typing import Any

import numpy as np
from gymnasium import spaces

from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import GIVEN_UP
from ...envs.engine.spec import Game
from ...envs.engine.view import View
from ...envs.faces.frame import KEYS, LAYOUTS, MASK_DTYPES, Frame
from ..agent import PolicyAgent


class Model(PolicyAgent):
    """A model that decides in many games at once: by its likeliest actions, or by its probabilities (`sampling`).

    It loses a game in which it plays an illegal action: not every library knows masks.
    """

    faults: dict[int, str]

    def __init__(self, model: Any, *, sampling: bool = False, **look: Any) -> None:
        super().__init__(model, **look)
        self.sampling = sampling

    def __str__(self) -> str:
        """Name the algorithm."""
        return type(self.policy).__name__

    def act(self, view: View) -> np.ndarray:
        actions, self.faults = self.decide(view), {}
        legal = (actions >= 0) & (actions < view.game.actions)
        legal &= view.mask[np.arange(actions.size), np.where(legal, actions, 0)] != 0
        for k in np.flatnonzero(~legal).tolist():
            self.faults[k] = f"chose the illegal action {actions[k]}"
        return np.where(legal, actions, GIVEN_UP)


class SB3Model(Model):
    """A trained algorithm of stable-baselines3 or sb3-contrib; masked where the algorithm takes masks."""

    def __init__(self, model: Any, **options: Any) -> None:
        super().__init__(model, **options)
        self.masked = "action_masks" in signature(model.predict).parameters

    def make_frame(self, game: Game) -> Frame:
        frame = None
        if self.encoder is None and self.policy.get_env() is not None:
            with suppress(AttributeError):  # environments of others have no frame, and not all have the method
                frame = self.policy.get_env().get_attr("frame")[0]
        return fitting(game, self.policy.observation_space, frame, self.encoder, self.layout)

    def choose(self, frame: Frame, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        dictionary = isinstance(self.policy.observation_space, spaces.Dict)
        seen = frame.look(observations, masks) if dictionary else observations
        masked = {"action_masks": masks} if self.masked else {}
        return np.asarray(self.policy.predict(seen, deterministic=not self.sampling, **masked)[0])


class TorchRLModel(Model):
    """A TorchRL policy: a TensorDictModule that reads what is seen and a boolean mask, and writes "action"."""

    def choose(self, frame: Frame, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        import torch
        from tensordict import TensorDict
        from tensordict.nn import InteractionType, set_interaction_type

        seen = frame.look(torch.from_numpy(observations), torch.from_numpy(masks != 0))  # type: ignore[arg-type]
        how = InteractionType.RANDOM if self.sampling else InteractionType.DETERMINISTIC
        with torch.inference_mode(), set_interaction_type(how):
            action = self.policy(TensorDict(seen, batch_size=[len(masks)]))["action"].cpu().numpy()
        return action.argmax(axis=1) if action.ndim == 2 and action.shape[1] == masks.shape[1] else action.reshape(-1)


class RLlibModel(Model):
    """The module of an RLlib algorithm, or a module given directly; decides by its logits of legal actions alone."""

    def __init__(self, model: Any, **options: Any) -> None:
        super().__init__(model, **options)
        self.module = model.get_module() if hasattr(model, "get_module") else model

    def make_frame(self, game: Game) -> Frame:
        return fitting(game, self.module.observation_space, None, self.encoder, self.layout)

    def choose(self, frame: Frame, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        import torch

        dictionary = isinstance(self.module.observation_space, spaces.Dict)
        seen: Any = frame.look(observations, masks.astype(np.float32)) if dictionary else observations
        tensors = {key: torch.from_numpy(each) for key, each in seen.items()} if dictionary else torch.from_numpy(seen)
        with torch.inference_mode():
            logits = self.module.forward_inference({"obs": tensors})["action_dist_inputs"].float()
        logits = torch.where(torch.from_numpy(masks != 0).to(logits.device), logits, -torch.inf)
        if self.sampling:
            return torch.distributions.Categorical(logits=logits).sample().cpu().numpy()  # type: ignore[no-untyped-call]
        return logits.argmax(dim=1).cpu().numpy()


LIBRARIES: dict[str, type[Model]] = {
    "stable_baselines3": SB3Model,
    "sb3_contrib": SB3Model,
    "tensordict": TorchRLModel,
    "torchrl": TorchRLModel,
    "ray": RLlibModel,
}


def library_of(model: Any) -> type[Model] | None:
    """Find the class that plays a model, by the library that one of its classes comes from; None for anything else."""
    for base in type(model).__mro__:
        kind = LIBRARIES.get(base.__module__.partition(".")[0])
        if kind is not None:
            return kind
    return None


def fitting(game: Game, space: spaces.Space[Any], own: Frame | None, encoder: str | None, layout: str | None) -> Frame:
    """Find how a game appears to a model that sees a `space`: as in its `own` environment where it has one.

    Otherwise by the first encoder and layout of the game that give such a space. `BoyiError` where none does.
    """
    keys, dtype = KEYS, "int8"
    if isinstance(space, spaces.Dict) and len(space) == 2:
        sizes = {key: (each.shape, str(each.dtype)) for key, each in space.items()}
        masked = [key for key, size in sizes.items() if size in [((game.actions,), each) for each in MASK_DTYPES]]
        if len(masked) == 1:
            keys = next(key for key in space if key != masked[0]), masked[0]
            dtype = sizes[masked[0]][1]
    frames = [own] if isinstance(own, Frame) and own.game == game else []
    for name in game.spec.encoders if encoder is None else [encoder]:
        frames += [Frame(game, name, each, keys, dtype) for each in (LAYOUTS if layout is None else [layout])]
    for frame in frames:
        if frame.observation_space(mask=isinstance(space, spaces.Dict)) == space:
            return frame
    raise BoyiError(f"the model sees {space}, which no encoder and layout of {game} gives: it cannot play as an agent")
