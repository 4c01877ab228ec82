"""Written from the game's Spec by ``python -m boyi.envs.faces.module``."""

from collections.abc import Sequence
from typing import Literal

from .faces.aec import AEC
from .faces.parallel import TurnBasedParallel

def env(
    render_mode: str | None = None,
    *,
    board_size: int = 14,
    layout_only: bool = False,
    gun: bool = True,
    must_take: bool = True,
    revisit: bool = True,
    flying: Literal["size", "below"] = "size",
    single_jump_ban: Literal["flyer", "both", "stronger", "none"] = "flyer",
    dalian_win: Literal["apart", "any", "off"] = "apart",
    dalian_gates: bool = True,
    repetition: int = 3,
    no_capture_limit: int = 100,
    max_turns: int = 1000,
    encoder: Literal["planes", "layout4"] | None = None,
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
    board_size: int = 14,
    layout_only: bool = False,
    gun: bool = True,
    must_take: bool = True,
    revisit: bool = True,
    flying: Literal["size", "below"] = "size",
    single_jump_ban: Literal["flyer", "both", "stronger", "none"] = "flyer",
    dalian_win: Literal["apart", "any", "off"] = "apart",
    dalian_gates: bool = True,
    repetition: int = 3,
    no_capture_limit: int = 100,
    max_turns: int = 1000,
    encoder: Literal["planes", "layout4"] | None = None,
    layout: str = "chw",
    mask_in: str = "obs",
    keys: Sequence[str] = ("observation", "action_mask"),
    mask_dtype: str = "int8",
    illegal: str = "forfeit",
    max_cycles: int | None = None,
) -> TurnBasedParallel: ...
