"""A network with two heads as the `Evaluator` that searches ask about positions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError, shown
from ...envs.engine.kernels import observe_rows
from ...envs.engine.spec import Game
from ...envs.engine.view import copied
from ...envs.faces.frame import Frame
from ..search.guided import Settings, make_scratch
from .network_evaluator_kernels import playout_rows, prior_rows
from .openvino_network import Planned, installed
from .recorded import Recorded, parts, rounded

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
"""The numbers that torch may compute a network with; "auto": bfloat16 on GPUs, and where it is quicker on CPUs that
multiply it. On a CPU "auto" leaves the work to OpenVINO if that is installed, in bfloat16 if the CPU multiplies it.
"""
HEAVY = 16_000_000
"""Multiplications per call at which bfloat16 is quicker on those CPUs, by half and more. Far below, it takes twice as
long: for one position of Hex 7x7 with 32 filters, or hundreds of EinStein with layers of 20.
"""


class NetworkEvaluator:
    """Judges positions by a network of `policy_value`, all positions that it is asked about in one call.

    It works on a copy of the network, in `precision`, on `threads` threads of the CPU (0: as torch is set); `refresh`
    copies what the network has learned since. `rows` is how many positions a call is usually about. With `leaf` of
    "playout", random games value positions, and the network gives only the priors.
    """

    def __init__(
        self,
        game: Game,
        net: nn.Module,
        encoder: str,
        *,
        device: str = "cpu",
        precision: str = "auto",
        rows: int = 1,
        threads: int = 0,
        leaf: str = "network",
    ) -> None:
        self.threads, self.leaf = threads, leaf
        self.game, self.frame, self.device = game, Frame(game, encoder), torch.device(device)
        self.dtype = PRECISIONS[quicker(net, self.frame.shape, rows, device) if precision == "auto" else precision]
        self.mask = np.zeros(game.actions, np.int8)
        # On a GPU the work of several evaluators overlaps, copies included, when each has a stream of its own.
        self.stream = torch.cuda.Stream(self.device) if self.device.type == "cuda" else None  # type: ignore[no-untyped-call]
        self._recorded: dict[tuple[str, int], Recorded] = {}
        """For a GPU: by what is asked, and about how many positions."""
        self.spent = 0.0
        """Seconds in the network so far."""
        copy = deepcopy(net).eval().to(self.device, self.dtype)
        self.net: nn.Module = copy.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._planned: Planned | None = None
        if self.device.type == "cpu" and precision == "auto" and installed():
            dtype = torch.bfloat16 if multiplies_bfloat16() else torch.float32
            self._planned = Planned(net, self.frame.shape, dtype, threads or torch.get_num_threads())
        self._await_weights()

    def refresh(self, net: nn.Module) -> None:
        """Judge by the weights that a network has now."""
        if self._planned is not None:
            self._planned.refresh(net)
        # They replace the old ones in place, where the recordings of a GPU read them.
        self.net.load_state_dict(net.state_dict())
        self._await_weights()

    def _await_weights(self) -> None:
        """Let nothing be judged before the weights are there."""
        if self.stream is not None:
            self.stream.wait_stream(torch.cuda.current_stream(self.device))

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Judge positions (m,) in which `seats` (m,) decide: priors (m, actions) over legal actions, values (m,)."""
        logits, values = self._ask(self.net, states, seats)
        if self.frame.permutation is not None:
            framed, logits = logits, np.empty_like(logits)
            np.put_along_axis(logits, self.frame.permutation[seats], framed, axis=1)
        priors = np.empty_like(logits)
        bind(prior_rows, self.game)(states, logits, self.mask, priors)
        return priors, self._played_out(states, seats) if self.leaf == "playout" else values

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Value positions (m,) from the sides of `seats` (m,)."""
        if self.leaf == "playout":
            return self._played_out(states, seats)
        alone = getattr(self.net, "values", None)
        return self._ask(self.net, states, seats)[1] if alone is None else self._ask(alone, states, seats)[0]

    def _played_out(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Value positions (m,) by a random game from each."""
        game, values = self.game, np.empty(states.size, np.float32)
        terms = Settings().terms(game)
        bind(playout_rows, game)(copied(states), seats, np.zeros(2, np.uint64), terms, make_scratch(game), values)
        return values

    def _ask(self, net: Callable[[Tensor], Any], states: np.ndarray, seats: np.ndarray) -> list[np.ndarray]:
        """Show the network what seats see of positions; return all that it says, each (m, …) float32."""
        m = states.size
        recorded = None if self.stream is None else self._record(net, rounded(m), self.stream)
        x = np.empty((m, *self.frame.shape), np.float32) if recorded is None else recorded.shown[:m]
        bind(observe_rows, self.game, self.frame.encoder)(0, m, states, np.arange(m), seats, x)
        started = time.perf_counter()
        with torch_threads(self.threads), torch.inference_mode():
            if recorded is not None:
                found = recorded(m)
            elif self._planned is not None and net is self.net:
                found = self._planned(x)
            else:
                said = net(torch.from_numpy(x).to(self.device).to(self.dtype))
                found = [part.float().cpu().numpy() for part in parts(said)]
        self.spent += time.perf_counter() - started
        return found

    def _record(self, net: Callable[[Tensor], Any], rows: int, stream: torch.cuda.Stream) -> Recorded:
        """Return what a GPU does for `rows` positions, recorded when it is first asked for."""
        key = getattr(net, "__name__", ""), rows
        if key not in self._recorded:
            with torch.inference_mode():
                self._recorded[key] = Recorded(net, self.frame.shape, rows, self.dtype, stream)
        return self._recorded[key]


def quicker(net: nn.Module, shape: tuple[int, ...], rows: int, device: str = "cpu") -> str:
    """Name the precision in which a network judges `rows` observations quicker."""
    if torch.device(device).type != "cpu":
        return "bfloat16"
    return "bfloat16" if multiplies_bfloat16() and rows * multiplications(net, shape) >= HEAVY else "float32"


def multiplies_bfloat16() -> bool:
    """Whether the cores of this machine multiply numbers of bfloat16, as far as this torch can tell."""
    return any(getattr(torch.cpu, ask, bool)() for ask in ("_is_amx_tile_supported", "_is_avx512_bf16_supported"))


def multiplications(net: nn.Module, shape: tuple[int, ...]) -> int:
    """Count what a network's layers multiply to judge one observation.

    By hooks, and on the CPU: torch's own counter, or its device without memory, would first take a second to load.
    """
    counted: list[int] = []
    probe = deepcopy(net).eval().cpu()
    for layer in probe.modules():
        if isinstance(layer, nn.Linear | nn.Conv2d):
            layer.register_forward_hook(lambda layer, _, out: counted.append(out.numel() * layer.weight[0].numel()))
    with torch.inference_mode():
        probe(torch.zeros(1, *shape))
    return sum(counted)


def pick_device(device: str) -> str:
    """Return the device named or, with "auto", a GPU where torch has one; `BoyiError` for one that it does not have."""
    try:
        if device == "auto":
            return "cuda" if torch.cuda.is_available() else "cpu"
        torch.zeros(1, device=device).item()  # which also checks that it holds numbers: "meta" does not
    except Exception:  # each device that torch was built without fails in a way of its own
        raise BoyiError(
            f"device must be auto, cpu, or one that torch has here, as cuda or cuda:1, not {shown(device)}"
        ) from None
    return device


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use `count` threads on a CPU; 0: as many as before."""
    if not count:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
