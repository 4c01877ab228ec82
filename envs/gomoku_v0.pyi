"""Written from the game's Spec by ``python -m boyi.envs.faces.module``."""

from collections.abc import Sequence
from typing import Literal

from .faces.aec import AEC
from .faces.parallel import TurnBasedParallel

def env(
    render_mode: str | None = None,
    *,
    board_size: int = 15,
    rule: Literal["freestyle", "standard"] = "freestyle",
    encoder: Literal["planes", "ruled", "flat"] | None = None,
    layout: str = "chw",
    mask_in: str = "obs",
    keys: Sequence[str] = ("observation", "action_mask"),
    mask_dtype: str = "int8",
    illegal: str = "forfeit",
    max_cycles: int | None = None,
) -> AEC: ...

raw_env = env

def parallel_env(
    render_mode: str | None = None,
    *,
    board_size: int = 15,
    rule: Literal["freestyle", "standard"] = "freestyle",
    encoder: Literal["planes", "ruled", "flat"] | None = None,
    layout: str = "chw",
    mask_in: str = "obs",
    keys: Sequence[str] = ("observation", "action_mask"),
    mask_dtype: str = "int8",
    illegal: str = "forfeit",
    max_cycles: int | None = None,
) -> TurnBasedParallel: ...
