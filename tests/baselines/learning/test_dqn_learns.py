"""DQN solves a game small enough to look at every answer."""

import numpy as np
import pytest

from boyi.baselines import DQN
from boyi.envs import Batch
from boyi.wrappers import SB3VecEnv

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:The number of environments used is greater:UserWarning"),
]


@pytest.mark.slow
@pytest.mark.parametrize("double", [False, True])
def test_hex_3x3_is_solved(double):
    """The first player wins against every line of play, not only against good ones."""
    env = SB3VecEnv("boyi/Hex-v0", 32, opponent="self", board_size=3)
    options = {"gradient_steps": 8, "target_update_interval": 500, "exploration_fraction": 0.7, "learning_starts": 500}
    model = DQN("BoardPolicy", env, double=double, seed=0, policy_kwargs={"choices": {"channels": 32}}, **options)
    model.learn(16_000)
    assert lost_lines(model.agent()) == 0


def lost_lines(agent, moves=()):
    """Count the lines in which the agent, playing first, loses, over all answers of the other side."""
    batch = Batch("hex:board_size=3", 1, 0)
    for move in moves:
        over = batch.step([move])[1][0]
        if over:
            return int(len(moves) % 2 == 0)
    if len(moves) % 2 == 0:
        return lost_lines(agent, (*moves, int(agent.act(batch.view())[0])))
    return sum(lost_lines(agent, (*moves, int(answer))) for answer in np.flatnonzero(batch.mask[0]))
