"""Train RLlib's PPO on Hex 5x5 against random, masked by its own example module, then play 200 games against it."""

import gymnasium as gym
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from boyi.baselines import evaluate


def make(config: dict[str, object]) -> gym.Env[object, object]:
    """Make the environment wherever RLlib asks for it: the module before the colon is imported there."""
    options = {"opponent": "random", "seat": "random", "layout": "flat", "keys": ("observations", "action_mask")}
    return gym.make("boyi:boyi/Hex-v0", board_size=5, **options)


def train(iterations: int = 25, seed: int = 0) -> object:
    """Train for `iterations` iterations of 2,000 decisions, on both seats in turn."""
    register_env("hex", make)
    config = (
        PPOConfig()
        .environment("hex")
        .env_runners(num_env_runners=0)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"fcnet_hiddens": [128, 128], "vf_share_layers": False},
            )
        )
        .training(train_batch_size_per_learner=2000, minibatch_size=250, num_epochs=6, lr=1e-3, gamma=1.0)
        .debugging(seed=seed)
    )
    algorithm = config.build_algo()
    for _ in range(iterations):
        algorithm.train()
    return algorithm


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    result = evaluate(train(), "hex:board_size=5", ["random"])
    print(result)
    assert result.pairings[0].wins > 140
