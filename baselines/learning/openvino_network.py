"""Networks on a CPU by OpenVINO, where it is installed: as quick with one position at a time as torch with many.

Torch calls one layer after the other and lays numbers out anew for each; OpenVINO plans all layers at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import deepcopy
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import nn

PRECISIONS = {torch.float32: "f32", torch.bfloat16: "bf16"}


def installed() -> bool:
    return find_spec("openvino") is not None


class Planned:
    """What a network says of observations (m, *shape) float32, any m, planned for `threads` threads of a CPU.

    The plan is for the weights as they were when the network was passed, last to `refresh`.
    """

    def __init__(self, net: nn.Module, shape: Sequence[int], dtype: torch.dtype, threads: int) -> None:
        import openvino
        from openvino.frontend import FrontEndManager
        from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

        self._made = shape, dtype, threads
        self._core = openvino.Core()
        self._own = deepcopy(net).eval().cpu().float().requires_grad_(requires_grad=False)
        front = FrontEndManager().load_by_framework("pytorch")
        # Not by `convert_model`, which reports every call to its makers.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the only quick way in is one that torch would rather not offer
            decoder = TorchScriptPythonDecoder(self._own, example_input=torch.zeros(2, *shape))
        self._model = front.convert(front.load(decoder))
        self._model.reshape([-1, *shape])
        self._hints: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": PRECISIONS[dtype],
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            # Several processes would all be bound to the first cores.
            "ENABLE_CPU_PINNING": False,
        }
        self._request: Any = None
        self.refresh(net)

    def __reduce__(self) -> tuple[Any, ...]:
        return Planned, (self._own, *self._made)

    def refresh(self, net: nn.Module) -> None:
        """Plan anew for the weights that a network has now, unless they are those of the last plan."""
        weights, planned = net.state_dict(), self._own.state_dict()
        if self._request is not None and all(
            torch.equal(planned[name], weights[name].to(planned[name])) for name in planned
        ):
            return
        # They replace the old ones in place, where the model reads them.
        self._own.load_state_dict(weights)
        compiled = self._core.compile_model(self._model, "CPU", self._hints)
        self._request = compiled.create_infer_request()
        self._outputs = compiled.outputs

    def __call__(self, x: np.ndarray) -> list[np.ndarray]:
        """Return all that is said of observations (m, *shape), each (m, …) float32."""
        found = self._request.infer({0: x}, share_inputs=True)
        return [found[output].copy() for output in self._outputs]
