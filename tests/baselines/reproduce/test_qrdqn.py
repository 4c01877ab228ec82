"""sb3-contrib's QR-DQN beside ours: it sees masks, and learns what the opponent leaves it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from boyi.baselines.learning.model_agent import read_model
from boyi.baselines.learning.policies import MASK
from boyi.baselines.reproduce import qrdqn
from boyi.baselines.training.config import Config, read_config
from boyi.baselines.training.dqn_trainer import make_training_env

GAMMA = 0.9


def config(**changes: object) -> Config:
    small = {"game": "hex:board_size=3", "envs": 4, "learning_starts": 16, "batch_size": 8, "threads": 1}
    choices = {"channels": 4, "blocks": 1, "quantiles": 5}
    return read_config("hex7_dqn", **{**small, "choices": choices, "average": 0.0, "gamma": GAMMA, **changes})


def test_masks_travel_behind_observations() -> None:
    plain, joined = make_training_env(config()), qrdqn.Joined(make_training_env(config()))
    plain.seed(3)
    joined.seed(3)
    seen, both, ended = plain.reset(), joined.reset(), 0
    assert joined.observation_space.shape == both.shape[1:]
    for _ in range(20):
        assert (both == np.concatenate([seen["observation"].reshape(4, -1), seen[MASK]], axis=1)).all()
        actions = seen[MASK].argmax(axis=1)
        seen, rewards, dones, infos = plain.step(actions)
        both, same, over, told = joined.step(actions)
        assert (rewards == same).all() and (dones == over).all()
        for i in np.flatnonzero(dones):
            last, ended = infos[i]["terminal_observation"], ended + 1
            flat = np.concatenate([last["observation"].ravel(), last[MASK]])
            assert (told[i]["terminal_observation"] == flat).all()
    assert ended > 4


@pytest.mark.parametrize("n_steps", [1, 3])
def test_targets_are_negamax(n_steps: int) -> None:
    """By hand: rewards with alternating signs, then the best legal action of whoever moves there, or of the other."""
    learner, _ = qrdqn.make_learner(config(n_steps=n_steps, seed=1))
    learner.learn(400)
    memory = learner.replay_buffer
    assert memory.rewards.min() == 0.0 and memory.rewards.max() == 1.0  # who moves last wins
    np.random.seed(0)
    rows = np.arange(memory.pos - n_steps - 1)
    data, checked = memory._get_samples(rows), {False: 0, True: 0}
    np.random.seed(0)
    columns = np.random.randint(0, 4, size=rows.shape)
    for k, (row, column) in enumerate(zip(rows, columns, strict=True)):
        earned, sign, over = 0.0, 1.0, False
        for step in range(n_steps):
            earned, sign = earned + sign * memory.rewards[row + step, column], -GAMMA * sign
            if memory.dones[row + step, column]:
                over = True
                break
        assert data.rewards[k, 0] == pytest.approx(earned) and data.dones[k, 0] == over
        if not over:
            discount = learner.gamma if data.discounts is None else data.discounts[k, 0]
            assert discount == pytest.approx(sign)
        checked[over] += 1
    assert min(checked.values()) > 10
    values, masks = learner.quantile_net_target(data.next_observations), data.next_observations[:, -9:]
    assert ((values.mean(1) == qrdqn.NEVER) == (masks == 0)).all()
    going = data.dones[:, 0] == 0
    assert masks[going, :].gather(1, values[going].mean(1).argmax(1, keepdim=True)).all()


def test_random_actions_are_legal_and_each_rows_own() -> None:
    learner, _ = qrdqn.make_learner(config(seed=1))
    learner._setup_learn(1000)
    learner.exploration_rate = 0.5
    seen = np.repeat(learner._last_obs[:1], 400, axis=0)
    seen[:, -9:] = [1, 0, 1, 1, 0, 1, 1, 0, 1]
    actions, _ = learner.predict(seen)
    best, _ = learner.predict(seen, deterministic=True)
    assert set(actions.tolist()) == {0, 2, 3, 5, 6, 8} and len(set(best.tolist())) == 1
    assert 0.3 < (actions == best).mean() < 0.8  # half of them, and a sixth of the others


def test_a_run_leaves_what_an_agent_plays_and_is_not_repeated(tmp_path: Path) -> None:
    made = config()
    assert qrdqn.train(made, tmp_path, 0.02) > 16
    card, net = read_model(tmp_path, "dqn")
    assert (card.algorithm, card.network, card.choices["quantiles"]) == ("dqn", "board", 5)
    assert net(torch.zeros(1, *make_training_env(made).get_attr("frame")[0].observation_space(mask=False).shape)).shape
    assert qrdqn.train(made, tmp_path, 0.02) == 0
