"""Play Hex with PettingZoo's agent loop: tree search against random moves."""

from boyi.baselines import make_agent
from boyi.envs import hex_v0


def play(sims: int = 200, seed: int = 0) -> dict[str, float]:
    """Play one game on a 5x5 board; return every agent's reward."""
    env = hex_v0.env(board_size=5)
    players = {"player_0": make_agent(f"mcts:sims={sims}"), "player_1": make_agent("random")}
    rewards = {}
    env.reset(seed=seed)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            rewards[agent] = reward
            env.step(None)
        else:
            env.step(players[agent].action(env))
    return rewards


if __name__ == "__main__":
    print(play())
