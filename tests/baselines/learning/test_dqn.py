"""DQN and Double DQN: masks everywhere, the right sign, the right next position, the right reward."""

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from safetensors.numpy import load_file
from toy import SPEC

from boyi.baselines import DQN, evaluate
from boyi.baselines.learning.chain import Chain
from boyi.baselines.learning.policies import MASK, BoardPolicy
from boyi.baselines.learning.replay import Transitions
from boyi.baselines.learning.turns import Turns
from boyi.envs import Batch, BoyiError
from boyi.envs.faces.gym import GameVectorEnv
from boyi.wrappers import SB3VecEnv

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore:The number of environments used is greater:UserWarning"),
]
SMALL = {"choices": {"hidden": [16]}}


def learner(env=None, policy="MlpPolicy", **options):
    """A quick learner: Hex 3x3 against itself in 8 games unless an environment is given."""
    env = env or SB3VecEnv("boyi/Hex-v0", 8, opponent="self", board_size=3)
    options = {"learning_starts": 40, "buffer_size": 500, "batch_size": 16, "seed": 1, **options}
    return DQN(policy, env, **{"policy_kwargs": SMALL if policy == "MlpPolicy" else None, **options})


class Planted(torch.nn.Module):
    """A network that likes nothing better than cells that are taken."""

    def __init__(self, inside):
        super().__init__()
        self.inside = inside

    def forward(self, x):
        taken = (x[:, 0] + x[:, 1]).flatten(1)
        return self.inside(x) + 1e9 * taken


def plant(model):
    for net in (model.q_net, model.q_net_target):
        net.q_net = Planted(net.q_net)


def observed(moves, game="hex:board_size=3", n=1):
    """Observation and mask after some moves, in n equal games."""
    batch = Batch(game, n, 0)
    for move in moves:
        batch.step(np.full(n, move))
    return {"observation": batch.observation, MASK: batch.mask}


def transitions(model, m=64):
    model.learn(300)
    return model.replay_buffer.sample(m)


def test_a_planted_illegal_value_is_never_chosen():
    model = learner()
    seen = observed([4, 0, 8], n=500)
    before = model.predict(seen, deterministic=True)[0]
    plant(model)
    assert (model.predict(seen, deterministic=True)[0] == before).all()
    model.exploration_rate = 0.5
    chosen = model.predict(seen)[0]
    assert set(chosen) == set(np.flatnonzero(seen[MASK][0]))
    model._last_obs = seen
    model.num_timesteps = 0
    warm = model._sample_action(100)[0]
    assert set(warm) == set(np.flatnonzero(seen[MASK][0]))
    single = {key: values[0] for key, values in seen.items()}
    assert model.predict(single, deterministic=True)[0].shape == ()
    assert int(model.predict(single)[0]) in np.flatnonzero(single[MASK])


@pytest.mark.parametrize("double", [False, True])
def test_a_planted_illegal_value_is_not_in_the_target(double):
    model = learner(double=double)
    data = transitions(model)
    before = model.targets(data)
    assert (data.next_observations["observation"][:, :2].sum() > 0) and before.abs().max() < 100
    plant(model)
    assert torch.equal(model.targets(data), before)


def test_an_unmasked_target_would_have_failed():
    """The plant bites: without the mask the same target is enormous."""
    model = learner()
    data = transitions(model)
    data.next_observations[MASK][:] = 1
    plant(model)
    assert model.targets(data).abs().max() > 1e8


def test_double_differs_from_dqn_exactly_where_the_argmaxes_differ():
    model = learner(double=True)
    data = transitions(model, 256)
    mask = data.next_observations[MASK]
    with torch.no_grad():
        choices = [
            net(data.next_observations).masked_fill(mask == 0, -torch.inf).argmax(1)
            for net in (model.q_net, model.q_net_target)
        ]
        # Two networks that agree in some positions and not in others.
        double = model.targets(data)[:, 0]
        model.double = False
        plain = model.targets(data)[:, 0]
    going = data.dones[:, 0] == 0
    differ = (choices[0] != choices[1]) & going
    assert 10 < differ.sum() < going.sum() - 10
    assert torch.equal(double != plain, differ)
    assert (double * data.factors[:, 0] <= plain * data.factors[:, 0])[going].all()


def test_the_target_is_the_formula():
    """Rewards, the end, discount and sign, against numbers worked out by hand."""
    model = learner(gamma=0.5)
    values = torch.tensor([[0.1, 0.8, 0.3, -0.2, 0.0, 0.0, 0.0, 0.0, 0.9]])
    model.q_net_target.forward = lambda seen: values.expand(len(seen[MASK]), 9)
    mask = torch.tensor([[1, 0, 1, 1, 0, 0, 0, 0, 0]]).expand(4, 9)  # the best legal value is 0.3
    mask = torch.cat([mask[:3], torch.zeros(1, 9, dtype=torch.long)])
    data = Transitions(
        observations={},
        actions=torch.zeros(4, 1, dtype=torch.long),
        next_observations={MASK: mask},
        dones=torch.tensor([[0.0], [0.0], [1.0], [0.0]]),
        rewards=torch.tensor([[0.0], [0.25], [1.0], [-1.0]]),
        factors=torch.tensor([[-1.0], [1.0], [-1.0], [1.0]]),
        weights=torch.ones(4, 1),
        places=np.arange(4),
    )
    expected = [0.0 - 0.5 * 0.3, 0.25 + 0.5 * 0.3, 1.0, -1.0]
    assert model.targets(data)[:, 0].tolist() == pytest.approx(expected)


def test_negamax_turns_the_sign_only_when_the_other_seat_is_next():
    model = learner()
    seen = observed([], n=8)
    infos = [{"seat": i % 2, "to_move": seat} for i, seat in enumerate([0, 0, 1, 1, 1, 1, 0, 0])]
    model._last_obs = seen
    model._store_transition(model.replay_buffer, np.arange(8), seen, np.zeros(8), np.zeros(8, np.bool_), infos)
    assert model.replay_buffer.factors[:8, 0].tolist() == [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0]


def test_a_game_of_hex_is_remembered_ply_by_ply():
    """Seat 0 plays 0, 3, 6 down the first column, seat 1 1 and 4: every transition of negamax is known."""
    model = learner(SB3VecEnv("boyi/Hex-v0", 1, opponent="self", board_size=3))
    moves = iter([0, 1, 3, 4, 6])
    model._sample_action = lambda *_: (np.array([move := next(moves)]), np.array([move]))
    model.learn(5)
    memory = model.replay_buffer
    assert memory.actions[:5, 0, 0].tolist() == [0, 1, 3, 4, 6]
    assert memory.rewards[:5, 0].tolist() == [0, 0, 0, 0, 1]
    assert memory.dones[:5, 0].tolist() == [0, 0, 0, 0, 1]
    assert memory.factors[:4, 0].tolist() == [-1.0] * 4
    for ply in range(4):
        here, there = observed([0, 1, 3, 4][:ply]), observed([0, 1, 3, 4][: ply + 1])
        for key in here:
            assert (memory.observations[key][ply, 0] == here[key][0]).all()
            assert (memory.next_observations[key][ply, 0] == there[key][0]).all()


@pytest.mark.parametrize("n_steps", [2, 3, 9])
def test_several_steps_are_remembered_as_the_formula_adds_them_up(n_steps):
    """Of 6 games side by side, their rewards, factors and ends drawn, against each decision's own account."""
    draw, chain = np.random.default_rng(n_steps), Chain(6, n_steps, 0.5)
    rewards, dones = draw.normal(size=(40, 6)).astype(np.float32), (draw.random((40, 6)) < 0.2).astype(np.float32)
    factors = draw.choice([-1.0, 1.0], (40, 6)).astype(np.float32)
    found = {}
    for t in range(40):
        seen, after = ({"x": np.stack([np.full(6, k), np.arange(6)], axis=1)} for k in (t, t + 1))
        parts = chain.step(seen, after, 10 * t + np.arange(6), rewards[t], dones[t], factors[t])
        for before, later, action, *rest in zip(parts[0]["x"], parts[1]["x"], *parts[2:], strict=True) if parts else ():
            assert action == 10 * before[0] + before[1] and later[1] == before[1]
            assert tuple(before) not in found
            found[tuple(before)] = [later[0], *rest]
    for (t, row), (end, reward, done, factor) in found.items():
        last = next(k for k in range(t, t + n_steps) if dones[k, row] or k == t + n_steps - 1)
        expected, weight = 0.0, 1.0
        for k in range(t, last + 1):
            expected += weight * rewards[k, row]
            weight *= 0.5 * factors[k, row]
        assert end == last + 1 and done == dones[last, row]
        assert reward == pytest.approx(expected, abs=1e-5) and factor == pytest.approx(2 * weight)
    assert len(found) > 200 and {done for _, _, done, _ in found.values()} == {0.0, 1.0}


def test_a_game_of_hex_is_remembered_two_plies_at_a_time():
    """The winner's last move but one sees the win with the loser's move between: minus a half of nothing, then it."""
    model = learner(SB3VecEnv("boyi/Hex-v0", 1, opponent="self", board_size=3), n_steps=3, gamma=0.5)
    moves = iter([0, 1, 3, 4, 6])
    model._sample_action = lambda *_: (np.array([move := next(moves)]), np.array([move]))
    model.learn(5)
    memory = model.replay_buffer
    order = np.argsort([[0, 1, 3, 4, 6].index(a) for a in memory.actions[:5, 0, 0].tolist()])
    assert memory.rewards[order, 0].tolist() == [0, 0, 0.25, -0.5, 1]
    assert memory.dones[order, 0].tolist() == [0, 0, 1, 1, 1]
    assert memory.factors[order[:2], 0].tolist() == [-0.25, -0.25]


def test_what_was_wrong_is_drawn_more_often_and_weighs_less():
    """The loss weighs errors, and what has been drawn is as likely again as it was wrong."""
    model = learner(prioritized=0.5, loss="mse")
    model.learn(100)
    memory, noted = model.replay_buffer, {}
    assert memory.prioritized == 0.5
    data = memory._get_samples(np.arange(16))._replace(weights=torch.linspace(0.1, 1, 16)[:, None])
    memory.sample = lambda size, exponent: noted.update(exponent=exponent) or data
    with torch.no_grad():
        errors = (model.q_net(data.observations).gather(1, data.actions) - model.targets(data))[:, 0]
    model._current_progress_remaining = 0.5
    model.train(1, 16)
    assert noted["exponent"] == pytest.approx(0.7)
    expected = (data.weights[:, 0] * errors**2).mean()
    assert model.logger.name_to_value["train/loss"] == pytest.approx(float(expected), rel=1e-5)
    assert memory.priorities[:16] == pytest.approx((errors.abs().numpy() + 1e-3) ** 0.5, rel=1e-4)


@pytest.mark.parametrize("double", [False, True])
def test_quantiles_learn_by_the_formula(double):
    """Transition by transition and pair by pair, in plain loops; the action in s' is chosen by the means."""
    model = learner(double=double, gamma=0.5, policy_kwargs={"choices": {"hidden": [16], "quantiles": 5}})
    model.learn(120)
    data = model.replay_buffer.sample(40)
    losses, values, errors = (each[:, 0].tolist() for each in model._losses(data))
    with torch.no_grad():
        here = model.q_net.quantiles(data.observations)
        online, target = (net.quantiles(data.next_observations) for net in (model.q_net, model.q_net_target))
    assert here.shape == (40, 5, 9)
    for i in range(40):
        told = here[i, :, int(data.actions[i])].tolist()
        legal = np.flatnonzero(data.next_observations[MASK][i])
        after = [0.0] * 5
        if legal.size:
            by = (online if double else target)[i].mean(0)[legal]
            after = target[i, :, legal[int(by.argmax())]].tolist()
        left = 1 - float(data.dones[i])
        wanted = [float(data.rewards[i]) + left * 0.5 * float(data.factors[i]) * z for z in after]
        expected = 0.0
        for k, q in enumerate(told):
            for y in wanted:
                u = y - q
                huber = 0.5 * u * u if abs(u) < 1 else abs(u) - 0.5
                expected += abs((k + 0.5) / 5 - (u < 0)) * huber / 5
        assert losses[i] == pytest.approx(expected, rel=1e-4, abs=1e-6)
        assert values[i] == pytest.approx(np.mean(told), abs=1e-6)
        assert errors[i] == pytest.approx(abs(np.mean(told) - np.mean(wanted)), abs=1e-5)
    before = [p.clone() for p in model.q_net.parameters()]
    model.train(3, 16)
    assert all(not torch.equal(a, b) for a, b in zip(before, model.q_net.parameters(), strict=True))


def test_the_mean_of_the_weights_plays_where_nothing_is_explored(tmp_path):
    model = learner(average=0.9)
    kept = [parameter.detach().clone() for parameter in model.q_net.parameters()]
    expected = [parameter.clone() for parameter in kept]
    model.learn(40)
    for _ in range(5):
        model.train(1, 16)
        expected = [
            0.9 * mean + 0.1 * now.detach() for mean, now in zip(expected, model.q_net.parameters(), strict=True)
        ]
    for mean, found, first in zip(expected, model.playing.parameters(), kept, strict=True):
        assert torch.allclose(mean, found, atol=1e-6)
        assert not found.requires_grad and (first.numel() == 0 or not torch.equal(first, found))
    seen = observed([4])
    values = [net(model.policy.obs_to_tensor(seen)[0]) for net in (model.playing, model.q_net)]
    assert not torch.equal(*values)
    plant(model)  # in the online network and the target's
    legal = values[0].masked_fill(torch.tensor(seen[MASK]) == 0, -torch.inf)
    assert int(model.predict(seen, deterministic=True)[0][0]) == int(legal.argmax())
    other = learner(average=0.9)
    other.save(tmp_path / "model.zip")
    again = DQN.load(tmp_path / "model.zip")
    assert all(torch.equal(a, b) for a, b in zip(other.playing.parameters(), again.playing.parameters(), strict=True))
    other.export(tmp_path / "model.safetensors")
    exported = load_file(tmp_path / "model.safetensors")
    assert all(
        np.array_equal(exported[name], tensor.numpy()) for name, tensor in other.playing.q_net.state_dict().items()
    )


def test_literal_sees_the_next_position_from_the_seat_that_moved():
    model = learner(SB3VecEnv("boyi/Gomoku-v0", 1, opponent="self", board_size=5, encoder="flat"), target="literal")
    moves = iter([0, 7, 3])
    model._sample_action = lambda *_: (np.array([move := next(moves)]), np.array([move]))
    model.learn(3)
    memory = model.replay_buffer
    theirs, mine = memory.next_observations["observation"][:3, 0].reshape(3, 2, 25).transpose(1, 0, 2)
    assert [set(np.flatnonzero(x)) for x in mine] == [{0}, {7}, {0, 3}]
    assert [set(np.flatnonzero(x)) for x in theirs] == [set(), {0}, {7}]
    assert [set(np.flatnonzero(1 - x)) for x in memory.next_observations[MASK][:3, 0]] == [{0}, {0, 7}, {0, 3, 7}]
    assert (memory.factors == 1).all()


def test_every_seat_gets_its_own_next_decision():
    """Three seats, several actions a turn, cards: transitions as whole games, played beside, give them."""
    env = SB3VecEnv(GameVectorEnv(SPEC, 6))
    env.seed(3)
    seen, turns, found, rng = env.reset(), Turns(6, 3), [], np.random.default_rng(0)
    games, expected = [[] for _ in range(6)], []
    for _ in range(200):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in seen[MASK]])
        after, rewards, dones, infos = env.step(actions)
        parts = turns.step(seen, actions, after, rewards, dones, infos)
        if parts is not None:
            found += [rows(parts, k) for k in range(len(parts[2]))]
        for i, info in enumerate(infos):
            games[i].append((info["seat"], seen["observation"][i], int(actions[i])))
            if dones[i]:
                expected += own_transitions(games[i], info["returns"])
                games[i] = []
        seen = after
    finished = [row for row in found if row[-1]]
    assert len(expected) > 200 and len(finished) > 30
    # What is found lacks only what unfinished games will still complete.
    assert set(expected) <= set(found)
    assert len(found) - len(expected) <= sum(map(len, games))


def rows(parts, k):
    before, after, actions, rewards, dones, factors = parts
    assert factors[k] == 1.0
    following = b"" if dones[k] else after["observation"][k].tobytes()
    return before["observation"][k].tobytes(), int(actions[k]), following, float(rewards[k]), bool(dones[k])


def own_transitions(game, returns):
    """What each seat of a finished game, a list of (seat, observation, action), should remember."""
    found = []
    for seat in range(3):
        mine = [(x, action) for who, x, action in game if who == seat]
        for (x, action), following in zip(mine, [*mine[1:], None], strict=True):
            if following is None:
                found.append((x.tobytes(), action, b"", float(returns[seat]), True))
            else:
                found.append((x.tobytes(), action, following[0].tobytes(), 0.0, False))
    return found


def test_shaped_rewards_stay_with_the_seat_that_earned_them():
    turns, seen = Turns(1, 2), {"observation": np.zeros((1, 2), np.float32), MASK: np.ones((1, 3), np.int8)}

    def step(seat, action, reward, done=False, returns=None):
        info = {"seat": seat, "to_move": -1 if done else 1 - seat, "returns": returns}
        return turns.step(seen, np.array([action]), seen, np.array([reward]), np.array([done]), [info])

    assert step(0, 0, 0.5) is None
    assert step(1, 1, 0.25)[2:4] == (np.array([0]), np.array([0.5], np.float32))
    _, _, actions, rewards, dones, _ = step(0, 2, 1.125, True, np.array([1.0, -1.0], np.float32))
    assert actions.tolist() == [2, 1] and rewards.tolist() == [1.125, 0.25 - 1.0] and dones.tolist() == [1.0, 1.0]


class Corridor(gym.Env):
    """A user's own environment: walk right through five fields; walking left on the first is illegal."""

    observation_space = spaces.Dict(place=spaces.Box(0.0, 1.0, (5,), np.float32), action_mask=spaces.MultiBinary(2))
    action_space = spaces.Discrete(2)

    def _seen(self):
        return {"place": np.eye(5, dtype=np.float32)[self.at], MASK: np.array([self.at > 0, True], np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.time = 0, 0
        return self._seen(), {}

    def step(self, action):
        assert self._seen()[MASK][action]
        self.at, self.time = self.at + (1 if action else -1), self.time + 1
        return self._seen(), float(self.at == 4), self.at == 4, self.time == 30, {}


def test_a_masked_environment_of_the_users_own():
    model = learner(Corridor(), gamma=0.8, learning_rate=0.003, target_update_interval=50)
    assert model.target == "own_next"
    model.learn(1500)
    env = Corridor()
    seen, _ = env.reset()
    for _ in range(4):
        seen, reward, over, _, _ = env.step(int(model.predict(seen, deterministic=True)[0]))
    assert (reward, over) == (1.0, True)


@pytest.mark.parametrize(
    ("game", "encoder", "policy"),
    [
        ("Hex", "planes", "BoardPolicy"),
        ("Hex", "neurohex", "MlpPolicy"),
        ("Gomoku", "planes", "BoardPolicy"),
        ("Gomoku", "flat", "MlpPolicy"),
        ("EinStein", "planes", "BoardPolicy"),
        ("EinStein", "policy42", "MlpPolicy"),
        ("EinStein", "value36", "MlpPolicy"),
    ],
)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_every_game_and_encoder_trains_and_plays(tmp_path, game, encoder, policy, opponent):
    params = {} if game == "EinStein" else {"board_size": 5}
    model = learner(SB3VecEnv(f"boyi/{game}-v0", 8, opponent=opponent, encoder=encoder, **params), policy)
    model.learn(120)
    assert np.isfinite(model.logger.name_to_value["train/loss"])
    assert model.target == ("negamax" if opponent == "self" else "own_next")
    model.export(tmp_path / "model.safetensors")
    name = game.lower() + (":board_size=5" if params else "")
    scores = [
        evaluate(agent, name, ["random"], games=10).pairings[0].score
        for agent in (model.agent(), f"dqn:{tmp_path / 'model.safetensors'}")
    ]
    assert scores[0] == scores[1]


def test_the_toy_with_three_seats_and_hidden_cards_trains():
    model = learner(SB3VecEnv(GameVectorEnv(SPEC, 4)))
    assert model.target == "own_next"
    model.learn(200)
    with pytest.raises(BoyiError, match="takes zero-sum self-play"):
        learner(SB3VecEnv(GameVectorEnv(SPEC, 4)), target="negamax")


def test_single_environments_and_vector_environments_are_taken_as_they_are():
    model = learner(gym.make("boyi/Hex-v0", board_size=3, opponent="self"))
    assert model.target == "negamax"
    model.learn(100)
    model = learner(gym.make("boyi/Hex-v0", board_size=3, opponent="self"), target="own_next")
    model.learn(100)
    assert model.replay_buffer.size() > 80
    model = learner(gym.make_vec("boyi/Hex-v0", num_envs=4, board_size=3))
    assert isinstance(model.env, SB3VecEnv) and model.target == "own_next"


def test_same_seed_same_weights_and_another_seed_others():
    def weights(seed):
        model = learner(seed=seed, double=True)
        model.learn(400)
        return torch.cat([parameter.flatten() for parameter in model.q_net.parameters()])

    assert torch.equal(weights(5), weights(5))
    assert not torch.equal(weights(5), weights(6))


def test_optimizer_and_loss_are_what_they_are_called():
    model = learner(optimizer="rmsprop", loss="mse")
    group = model.policy.optimizer.param_groups[0]
    assert isinstance(model.policy.optimizer, torch.optim.RMSprop)
    assert (group["alpha"], group["eps"], group["lr"]) == (0.9, 1e-6, 1e-3)
    data = transitions(model)
    torch.manual_seed(0)
    before = model.targets(data)
    q = model.q_net(data.observations).gather(1, data.actions)
    model.replay_buffer.sample = lambda size, exponent: data
    model.train(1)
    expected = ((q - before) ** 2).mean().item()
    assert model.logger.name_to_value["train/loss"] == pytest.approx(expected)


def test_sb3s_own_file_brings_the_model_back(tmp_path):
    model = learner(double=True, target="own_next", optimizer="rmsprop")
    model.learn(200)
    model.save(tmp_path / "model.zip")
    again = DQN.load(tmp_path / "model.zip", env=model.env)
    assert (again.double, again.target, again.loss) == (True, "own_next", "huber")
    assert isinstance(again.policy.optimizer, torch.optim.RMSprop)
    seen = observed([4, 0])
    assert torch.equal(
        again.q_net(again.policy.obs_to_tensor(seen)[0]), model.q_net(model.policy.obs_to_tensor(seen)[0])
    )
    again.learn(100, reset_num_timesteps=False)


@pytest.mark.filterwarnings("ignore:rich is experimental")
def test_sb3s_progress_bar_callbacks_and_tensorboard(tmp_path, capsys):
    seen = []
    model = learner(tensorboard_log=str(tmp_path))
    model.learn(200, callback=lambda local, _: seen.append(local["self"].num_timesteps) is None, progress_bar=True)
    assert seen == list(range(8, 201, 8))
    assert "200/200" in capsys.readouterr().out
    assert any(tmp_path.glob("DQN_1/events.out.tfevents*"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"policy": "CnnPolicy"}, "unknown policy 'CnnPolicy'"),
        ({"policy": dict}, "a policy of DQN is one of BoardPolicy"),
        ({"target": "minimax"}, "unknown target 'minimax': did you mean 'negamax'"),
        ({"optimizer": "sgd"}, "unknown optimizer 'sgd'"),
        ({"loss": "l1"}, "unknown loss 'l1'"),
        ({"optimize_memory_usage": True}, "optimize_memory_usage cannot be set"),
        ({"n_steps": 0}, "n_steps must be a whole number from 1 to 1000, not 0"),
        ({"n_steps": 2, "target": "own_next"}, 'n_steps above 1 takes the target "negamax" or opponents'),
        ({"prioritized": 1.5}, "prioritized must be a number from 0 to 1, not 1.5"),
        ({"average": 1.0}, "average must be a number from 0 to below 1, not 1.0"),
        ({"policy_kwargs": {"choices": {"depth": 3}}}, "depth"),
    ],
)
def test_what_does_not_fit_is_one_sentence(options, sentence):
    with pytest.raises(BoyiError, match=sentence) as raised:
        learner(**options)
    assert "\n" not in str(raised.value)


def test_targets_that_do_not_fit_the_environment():
    versus = SB3VecEnv("boyi/Hex-v0", 2, opponent="random", board_size=3)
    with pytest.raises(BoyiError, match=r'target="negamax" takes zero-sum self-play'):
        learner(versus, target="negamax")
    with pytest.raises(BoyiError, match=r'target="literal" takes self-play in an SB3VecEnv'):
        learner(versus, target="literal")
    with pytest.raises(BoyiError, match="learns from observations of one array"):
        learner(gym.make("CartPole-v1"))


def test_a_policy_class_is_taken_too():
    assert type(learner(policy=BoardPolicy).policy) is BoardPolicy
