"""Double DQN learns Hex 4x4 by playing itself, then meets tree search with 50 simulations a move.

After 20,000 moves it wins more than 60 of 100 games: 86 to 93 here, with seeds 0 to 2. A minute on one core.
"""

import torch

from boyi.baselines import DQN, evaluate
from boyi.wrappers import SB3VecEnv


def train(moves: int = 20_000, seed: int = 0) -> DQN:
    """Learn from `moves` moves, of both seats, in 64 games at a time."""
    torch.set_num_threads(1)  # more threads slow down so small a network
    env = SB3VecEnv("boyi/Hex-v0", 64, opponent="self", board_size=4)
    model = DQN(
        "BoardPolicy",
        env,
        double=True,
        learning_rate=1e-3,
        buffer_size=50_000,
        batch_size=64,
        gradient_steps=8,  # after every move in all the games
        target_update_interval=1000,
        exploration_final_eps=0.1,
        seed=seed,
    )
    return model.learn(moves)


def wins(model: DQN, games: int = 100) -> int:
    """Count the games won against tree search, the seats swapped in between."""
    return evaluate(model.agent(), "hex:board_size=4", ["mcts:sims=50"], games=games).pairings[0].wins


if __name__ == "__main__":
    print(f"Double DQN won {wins(train())} of 100 games against mcts:sims=50")
