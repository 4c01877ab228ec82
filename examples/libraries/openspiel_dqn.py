"""Train OpenSpiel's DQN on Hex 5x5 of boyi against OpenSpiel's random agent, then play 200 games."""

import numpy as np
from open_spiel.python.algorithms.random_agent import RandomAgent
from open_spiel.python.pytorch.dqn import DQN
from open_spiel.python.rl_environment import Environment
from openspiel_game import Game

from boyi.baselines import evaluate


def train(games: int = 8000, seed: int = 0) -> DQN:
    """Let one learner play `games` games, on both seats in turn: each sees the board from its own side."""
    np.random.seed(seed)
    env = Environment(Game("hex:board_size=5"))
    learner = DQN(
        0, 75, 25, hidden_layers_sizes=(128, 128), batch_size=128, replay_buffer_capacity=50_000, learning_rate=3e-4,
        optimizer_str="adam", loss_str="huber", gradient_clipping=1.0, learn_every=4, update_target_network_every=500,
        weight_update_coeff=0.0, epsilon_decay_schedule_str="linear", epsilon_end=0.05, epsilon_decay_duration=30_000,
        seed=seed,
    )  # fmt: skip
    others = [RandomAgent(0, 25), RandomAgent(1, 25)]
    for game in range(games):
        step, learner.player_id = env.reset(), game % 2
        while not step.last():
            mover = learner if step.current_player() == learner.player_id else others[step.current_player()]
            step = env.step([mover.step(step).action])
        learner.step(step)
    return learner


if __name__ == "__main__":
    learner = train()

    def play(observation: np.ndarray, mask: np.ndarray) -> int:
        return int(learner.act_epsilon_greedy(observation, mask.nonzero()[0].tolist(), 0.0)[0])

    result = evaluate(play, "hex:board_size=5", ["random"], layout="flat")
    print(result)
    assert result.pairings[0].wins > 140
