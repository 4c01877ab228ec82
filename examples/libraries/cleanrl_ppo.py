"""PPO (Schulman and others 2017) in one flat file, as CleanRL writes it: Hex 5x5 against random, with masks."""

import gymnasium as gym
import torch
from torch import Tensor, nn

from boyi.baselines import evaluate


def judge(net: nn.Module, x: Tensor, mask: Tensor) -> tuple[torch.distributions.Categorical, Tensor]:
    """Return the chances of the legal actions and the value, which is the network's last output."""
    out, illegal = net(torch.as_tensor(x)), torch.as_tensor(mask) == 0
    return torch.distributions.Categorical(logits=out[..., :-1].masked_fill(illegal, -1e9)), out[..., -1]


def train(updates: int = 60, seed: int = 0) -> nn.Module:
    """Train for `updates` updates of 2,048 decisions in 64 games at once, on both seats in turn."""
    torch.manual_seed(seed)
    envs = gym.make_vec("boyi:boyi/Hex-v0", 64, board_size=5, opponent="random", seat="random", layout="flat")
    net = nn.Sequential(nn.Linear(75, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 26))
    adam, (seen, _) = torch.optim.Adam(net.parameters(), lr=1e-3), envs.reset(seed=seed)
    for _ in range(updates):
        steps, gains, gain = [], [], torch.zeros(64)
        with torch.no_grad():
            for _ in range(32):
                chances, value = judge(net, *(now := [*map(torch.from_numpy, seen.values())]))
                seen, *told, _, _ = envs.step((action := chances.sample()).numpy())
                steps.append((*now, action, chances.log_prob(action), value, *map(torch.tensor, told)))
            later = judge(net, *seen.values())[1]
            for *_, value, reward, over in reversed(steps):
                gain = reward.float() + ~over * (later + 0.95 * gain) - value
                gains, later = [gain, *gains], value
        known = [torch.cat(each) for each in (*list(zip(*steps, strict=True))[:5], gains)]
        for rows in (part for _ in range(4) for part in torch.randperm(2048).split(256)):
            x, mask, action, before, value, gain = (each[rows] for each in known)
            chances, judged = judge(net, x, mask)
            ratio, gained = (chances.log_prob(action) - before).exp(), (gain - gain.mean()) / gain.std()
            surrogate = torch.min(ratio * gained, ratio.clamp(0.8, 1.2) * gained) + 0.01 * chances.entropy()
            adam.zero_grad()
            ((judged - value - gain).square() / 2 - surrogate).mean().backward()
            adam.step()
    return net


if __name__ == "__main__":
    net = train()
    result = evaluate(lambda *seen: judge(net, *seen)[0].probs.argmax(), "hex:board_size=5", ["random"], layout="flat")
    print(result)
    assert result.pairings[0].wins > 160
