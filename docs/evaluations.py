"""Measure how many positions a second a core judges by a network, for alphazero.md: ``python docs/evaluations.py``.

By torch, torch.compile (a C++ compiler has to be there) and OpenVINO in float32 and bfloat16; with ``pip install onnx
onnxruntime`` also by ONNX Runtime, and in int8, calibrated on positions of random games, by both.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from boyi.baselines.command.peers import timed
from boyi.baselines.learning.alphazero_agent import read_network
from boyi.baselines.learning.openvino_network import Planned
from boyi.envs import Batch, find

SECONDS, REPEATS, BATCHES = 0.5, 5, (1, 8, 64)


def positions(game: str, encoder: str, many: int) -> np.ndarray:
    """Observe `many` positions of random games, half over on average: (many, C, H, W)."""
    batch = Batch(game, many, seed=0, encoder=encoder)
    for ply in range(find(game).actions // 2):
        rows = np.flatnonzero((batch.to_move >= 0) & (np.arange(many) > 2 * ply))
        if rows.size:
            batch.step(batch.sample()[rows], rows)
    return np.stack([batch.observe(int(max(seat, 0)))[row] for row, seat in enumerate(batch.to_move)])


def rate(judge: Callable[[np.ndarray], Any], x: np.ndarray) -> int:
    """Count positions a second, the median of some repeats."""

    def work() -> int:
        judge(x)
        return len(x)

    work()
    return round(float(np.median([timed(SECONDS, work) for _ in range(REPEATS)])))


def by_torch(net: torch.nn.Module, dtype: torch.dtype, *, compiled: bool = False) -> Callable[[np.ndarray], Any]:
    net = net.to(dtype).to(memory_format=torch.channels_last)
    call = torch.compile(net) if compiled else net

    def judge(x: np.ndarray) -> Any:
        with torch.inference_mode():
            return [part.float().numpy() for part in call(torch.from_numpy(x).to(dtype))]

    return judge


def by_onnx(net: torch.nn.Module, x: np.ndarray) -> Iterator[tuple[str, Callable[[np.ndarray], Any]]]:
    """Yield ways by ONNX, where its packages are there."""
    try:
        import onnxruntime
        from onnxruntime.quantization import CalibrationDataReader, quantize_static
    except ImportError:
        return
    import openvino

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self.left = iter([{"x": x[k : k + 16]} for k in range(0, len(x), 16)])

        def get_next(self) -> Any:
            return next(self.left, None)

    with tempfile.TemporaryDirectory() as folder:
        plain, small = (Path(folder) / f"{name}.onnx" for name in ("plain", "small"))
        torch.onnx.export(
            net, (torch.from_numpy(x[:2]),), plain, input_names=["x"], dynamic_axes={"x": {0: "m"}}, dynamo=False
        )  # fmt: skip
        quantize_static(plain, small, Reader())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        for name, file in (("ONNX Runtime, float32", plain), ("ONNX Runtime, int8", small)):
            session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
            yield name, lambda x, session=session: session.run(None, {"x": x})
        hints = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "ENABLE_CPU_PINNING": False}
        request = openvino.Core().compile_model(small, "CPU", hints).create_infer_request()
        yield "OpenVINO, int8", lambda x: request.infer({0: x}, share_inputs=True)


def ways(weights: str, game: str) -> Iterator[tuple[str, Callable[[np.ndarray], Any]]]:
    learned = read_network(weights)
    fresh = lambda: learned.network(find(game))  # noqa: E731 - a new one for each way, which may change it
    yield "torch, float32", by_torch(fresh(), torch.float32)
    yield "torch, bfloat16", by_torch(fresh(), torch.bfloat16)
    yield "torch.compile, float32", by_torch(fresh(), torch.float32, compiled=True)
    shape = find(game).shape(learned.card.encoder)
    yield "OpenVINO, float32", Planned(fresh(), shape, torch.float32, 1)
    yield "OpenVINO, bfloat16", Planned(fresh(), shape, torch.bfloat16, 1)
    yield from by_onnx(fresh(), positions(game, learned.card.encoder, 256))


def main() -> None:
    torch.set_num_threads(1)
    for weights, game in (("hex", "hex"), ("gomoku", "gomoku"), ("jiu", "jiu:layout_only=true")):
        print(f"az:{weights}, {game} | " + " | ".join(f"{m} at once" for m in BATCHES))
        seen = positions(game, read_network(weights).card.encoder, max(BATCHES))
        wanted: np.ndarray | None = None
        for name, judge in ways(weights, game):
            try:
                said = judge(seen)
            except Exception as error:  # torch.compile fails in ways of its own where there is no compiler
                print(name, type(error).__name__, sep=" | ", flush=True)
                continue
            values = np.asarray((list(said.values()) if hasattr(said, "values") else said)[1])
            wanted = values if wanted is None else wanted
            off = float(np.abs(values - wanted).max())
            rates = " | ".join(f"{rate(judge, seen[:m]):,}" for m in BATCHES)
            print(f"{name} | {rates} | values off by {off:.3f} at most", flush=True)


if __name__ == "__main__":
    main()
