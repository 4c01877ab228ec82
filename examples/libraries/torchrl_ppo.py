"""Train a policy with TorchRL's PPO on Hex 5x5 against random, 64 games in one step, then play 200 games against it."""

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import boyi  # noqa: F401 - registers the environments
from boyi.baselines import evaluate


def train(frames: int = 102_400, seed: int = 0) -> ProbabilisticActor:
    """Train for `frames` decisions, on both seats in turn."""
    torch.manual_seed(seed)
    envs = gym.make_vec(
        "boyi/Hex-v0", 64, board_size=5, opponent="random", seat="random", layout="flat", mask_dtype="bool",
        autoreset_mode="Disabled",
    )  # fmt: skip
    env = GymWrapper(envs, categorical_action_encoding=True)
    env.set_seed(seed)
    net = nn.Sequential(nn.Linear(75, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 25))
    actor = ProbabilisticActor(
        TensorDictModule(net, ["observation"], ["logits"]), in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical, return_log_prob=True,
    )  # fmt: skip
    critic = ValueOperator(nn.Sequential(nn.Linear(75, 128), nn.Tanh(), nn.Linear(128, 1)), ["observation"])
    loss, advantage = ClipPPOLoss(actor, critic, entropy_coeff=0.01), GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    adam = torch.optim.Adam(loss.parameters(), lr=1e-3)
    options = {"total_frames": frames, "auto_register_policy_transforms": False}
    for batch in Collector(env, actor, frames_per_batch=2048, **options):
        data = advantage(batch).reshape(-1)
        for rows in (part for _ in range(4) for part in torch.randperm(len(data)).split(256)):
            losses = loss(data[rows])
            sum(losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            adam.step()
            adam.zero_grad()
    return actor


if __name__ == "__main__":
    result = evaluate(train(), "hex:board_size=5", ["random"], layout="flat")
    print(result)
    assert result.pairings[0].wins > 160
