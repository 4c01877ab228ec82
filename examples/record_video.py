"""Film four games at once. Besides boyi it needs moviepy: ``pip install moviepy``."""

from pathlib import Path

import gymnasium as gym
from gymnasium.wrappers.vector import RecordVideo

import boyi  # noqa: F401 registers boyi/…


def film(folder: str, steps: int = 60) -> list[Path]:
    """Record the first games, the first legal action played against random; return the films."""
    games = gym.make_vec("boyi/Hex-v0", num_envs=4, board_size=5, opponent="random", render_mode="rgb_array")
    envs = RecordVideo(games, folder, video_aspect_ratio=(2, 2), video_length=20)
    observations, _ = envs.reset(seed=0)
    for _ in range(steps):
        observations, *_ = envs.step(observations["action_mask"].argmax(axis=1))
    envs.close()
    return sorted(Path(folder).glob("*.mp4"))


if __name__ == "__main__":
    films = film("videos")
    print(*films)
    assert films and all(path.stat().st_size > 10_000 for path in films)
