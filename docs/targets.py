"""Draw targets.png: what DQN learns of Hex 3x3 by its three targets. From the root: ``python docs/targets.py``."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "examples"))

from targets import train, wins_kept  # noqa: E402

from boyi.baselines import make_agent  # noqa: E402

MOVES = (3_750, 7_500, 15_000, 30_000, 60_000)
SEEDS = (0, 1, 2)

figure = Figure(figsize=(7, 4), layout="constrained")
axes = figure.subplots()
for target, mark in (("negamax", "o"), ("own_next", "s"), ("literal", "^")):
    kept = [[wins_kept(train(target, moves, seed).agent()) for seed in SEEDS] for moves in MOVES]
    (line,) = axes.plot(MOVES, [sum(shares) / len(shares) for shares in kept], label=target)
    for moves, shares in zip(MOVES, kept, strict=True):
        axes.plot([moves] * len(shares), shares, mark, color=line.get_color(), alpha=0.6)
    print(target, *(" ".join(f"{share:.3f}" for share in shares) for shares in kept), sep=" | ")
axes.axhline(wins_kept(make_agent("random")), color="grey", linestyle=":", label="random")
axes.set(xscale="log", xlabel="moves learned from", ylabel="share of won positions kept", ylim=(0.4, 1.02))
axes.set_xticks(MOVES, [f"{moves:,}" for moves in MOVES], minor=False)
axes.minorticks_off()
axes.legend()
axes.grid(alpha=0.3)
figure.savefig(HERE / "targets.png", dpi=100)
