"""Draw training.png: how the networks of Hex and Gomoku learned, by their logs: ``python docs/curves.py``."""

from pathlib import Path

import msgspec
from matplotlib.figure import Figure

HERE = Path(__file__).parent
PARTS = {"h200": "one NVIDIA H200", "cpu": "CPU cores"}
LOSSES = {"train/policy_loss": "policy: cross entropy", "train/value_loss": "value: squared error"}

figure = Figure(figsize=(9, 6.5), layout="constrained")
for row, game in zip(figure.subplots(2, 2), ("hex", "gomoku"), strict=True):
    before = 0.0
    for part, machine in PARTS.items():
        lines = [msgspec.json.decode(line) for line in (HERE / "training" / f"{game}_{part}.jsonl").open("rb")]
        hours = max(line.get("time/hours", line.get("seconds", 0) / 3600) for line in lines)
        made = [before + line.get("steps", line.get("decisions", 0)) / 1e6 for line in lines]
        for axes, (loss, title) in zip(row, LOSSES.items(), strict=True):
            points = [(x, line[loss]) for x, line in zip(made, lines, strict=True) if loss in line]
            axes.plot(*zip(*points, strict=True), label=f"{machine}, {hours:.1f} hours")
            axes.set(title=f"{game}, {title}", xlabel="decisions, millions")
            axes.grid(alpha=0.3)
            axes.legend()
        games, steps = (round(lines[-1][key]) for key in ("rollout/games", "train/steps"))
        print(f"| {game} | {machine} | {hours:.2f} | {games:,} | {made[-1] - before:.2f} million | {steps:,} |")
        before = made[-1]
figure.savefig(HERE / "training.png", dpi=100)
