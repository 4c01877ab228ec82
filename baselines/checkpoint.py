"""Files that are written whole or not at all; arrays and facts in one safetensors file, read without running anything.

The facts are JSON in the file's metadata. A reader sees the old file or the new one, never half of either, whenever
the writer is killed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from ..envs.errors import BoyiError

KEY = "boyi"


def write_file(path: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    """Replace `path` by a file of these arrays and facts; `facts["format"]` says what it is."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    _replace(path, lambda partial: save_file(whole, partial, {KEY: json.dumps(facts)}))


def replace_file(path: Path, content: bytes) -> None:
    """Replace `path` by a file of this content."""
    _replace(path, lambda partial: partial.write_bytes(content))


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(partial)
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise BoyiError(f"cannot write {path}: {error.strerror or error}") from None


def read_file(path: Path, format: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `write_file` wrote; `BoyiError` for a file that is missing, corrupt or of another format."""
    try:
        with safe_open(path, "np") as file:
            facts = json.loads((file.metadata() or {}).get(KEY, "null"))
            if not isinstance(facts, dict) or facts.get("format") != format:
                raise BoyiError(f"{path} is not a {format} file of boyi")
            return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118 - not a mapping
    except FileNotFoundError:
        raise BoyiError(f"cannot read {path}: there is no such file") from None
    except OSError as error:
        raise BoyiError(f"cannot read {path}: {error.strerror or error}") from None
    except (SafetensorError, ValueError) as error:
        if isinstance(error, BoyiError):
            raise
        raise BoyiError(f"{path} is damaged, or no safetensors file: {error}") from None
