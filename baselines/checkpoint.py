"""Arrays and facts in one safetensors file, written whole or not at all and read without running anything.

The facts are JSON in the file's metadata.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from ..envs.errors import BoyiError
from ..envs.files import replace

KEY = "boyi"


def write_file(path: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    """Replace `path` by a file of these arrays and facts; `facts["format"]` says what it is."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    replace(path, lambda partial: save_file(whole, partial, {KEY: json.dumps(facts)}))


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
