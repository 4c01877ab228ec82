"""REINFORCE with a learned baseline (Williams 1992) in plain PyTorch, one flat file: Hex 5x5 against random moves.

After 200,000 games it wins more than 90 % of 1000 new ones: 96 to 97 % here, with seeds 0 to 2. 50 s on one core.
"""

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn


def play(net: nn.Module, games: int, seed: int) -> tuple[Tensor, ...]:
    """Play `games` games at once; return the outcomes (n,) and, by move (t, n), what to learn from and what counts."""
    envs = gym.make_vec("boyi:boyi/Hex-v0", num_envs=games, board_size=5, opponent="random", seat="random")
    (seen, _), moves = envs.reset(seed=seed), []
    playing, outcomes = np.ones(games, np.bool_), np.zeros(games, np.float32)
    while playing.any():  # a row that is done goes on with another game, which does not count
        out = net(torch.from_numpy(seen["observation"]))
        illegal = torch.from_numpy(seen["action_mask"] == 0)
        log_probs = out[:, 1:].masked_fill(illegal, -1e9).log_softmax(dim=1)
        actions = log_probs.exp().multinomial(1)
        entropies = -(log_probs.exp() * log_probs).sum(dim=1)
        moves.append((log_probs.gather(1, actions)[:, 0], entropies, out[:, 0], torch.from_numpy(playing)))
        seen, rewards, over, _, _ = envs.step(actions[:, 0].numpy())
        outcomes += rewards * playing
        playing = playing & ~over
    return torch.from_numpy(outcomes), *map(torch.stack, zip(*moves, strict=True))


def train(games: int = 200_000, seed: int = 0) -> nn.Module:
    """Learn from `games` games, 256 to a step of gradient descent."""
    torch.set_num_threads(1)  # more threads slow down so small a network
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Flatten(), nn.Linear(75, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 26))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for first in range(0, games, 256):
        outcomes, log_probs, entropies, values, counts = play(net, 256, seed=first)
        gain = outcomes - values
        loss = 0.5 * gain.square() - gain.detach() * log_probs - 0.003 * entropies
        optimizer.zero_grad()
        loss[counts].mean().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return net


if __name__ == "__main__":
    won = play(train(), 1000, seed=1_000_000)[0] > 0
    print(f"REINFORCE won {won.sum()} of 1000 games against random")
