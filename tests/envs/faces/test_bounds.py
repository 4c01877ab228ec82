"""Bounds checks: they are there when they are asked for, and every agent's kernels run under them.

`.ci/run` runs what is marked `kernels` under NUMBA_BOUNDSCHECK=1 with a cache of its own, and `--every-kernel` names
those of the package that none of it has entered. What agents search with is found here by listing: all agents, all
games, all choices of all parameters.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from clock import Clock
from sizes import sized

from boyi.baselines.agent import Agent
from boyi.baselines.agents import AGENTS, make_agent
from boyi.envs import Batch, BoyiError, Param, games

pytestmark = pytest.mark.kernels

PLANTED = """
import sys
sys.path.insert(0, {here!r})
import numpy as np
from boyi.envs import find
from boyi.envs.engine.bind import bind
from planted import past_the_end
bind(past_the_end, find("hex:board_size=2"))(np.zeros(4, np.int8), 1 << 20)
"""

KERNEL = """
def past_the_end(mask, i):
    return mask[i]
"""


def test_a_planted_kernel_raises_under_bounds_checks(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(KERNEL)
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    command = [sys.executable, "-c", PLANTED.format(here=str(tmp_path))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "IndexError: index is out of bounds" in done.stderr


# Every agent

PLIES = 60
WORK = {"sims": 12, "depth": 2, "positions": 200_000}
"""How much an agent may work on a decision, which is no choice between kernels."""
LESS = {("expectimax", "mahjong"): {"depth": 1}}


def choices(kind: type[Agent], work: dict[str, int]) -> list[dict[str, object]]:
    """List the values that an agent of this kind is tried with: the usual ones, and one other at a time."""
    others = [(name, value) for name, param in kind.params.items() if name not in work for value in values(param)]
    return [work, *({**work, name: value} for name, value in others)]


def values(param: Param) -> list[object]:
    """List what a parameter may be besides its default; of numbers one, and a small one."""
    if param.choices or isinstance(param.default, bool):
        return [value for value in param.choices or (False, True) if value != param.default]
    if isinstance(param.default, str):
        return []
    return [type(param.default)(min(max(param.low, 2 if isinstance(param.default, int) else 0.5), param.high))]


PAIRS = [(agent, name) for agent in sorted(AGENTS) for name in games() if agent != "openspiel" and sized(name, agent)]
"""Agents with kernels of ours, and games that they are tried in."""


@pytest.mark.parametrize(("agent", "name"), PAIRS)
def test_an_agent_plays_with_every_choice_of_its_parameters(agent: str, name: str, clock: Clock) -> None:
    clock.tick = 0.05
    game, kind = sized(name, agent), AGENTS[agent]
    assert game is not None
    work = {param: most for param, most in WORK.items() if param in kind.params} | LESS.get((agent, name), {})
    for chosen in choices(kind, work):
        try:
            player = kind.from_string(make_agent, **chosen)
            player.fit(game)
        except BoyiError:
            continue
        batch = Batch(game, 2, seed=1, history=True)
        for _ in range(PLIES):
            rows = np.flatnonzero(batch.to_move >= 0)[: 1 if player.alone else None]
            if rows.size:
                batch.step(player.act(batch.view(rows)), rows)
        player.close()
