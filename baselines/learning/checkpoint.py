"""Arrays and facts in one safetensors file, written whole or not at all and read without running anything.

The facts are JSON in the file's metadata, beside a digest of them and of the arrays, so that a file which a disk or a
copy has changed is refused. The digest keeps nobody from writing another file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from ...envs.engine.errors import BoyiError
from ...envs.engine.schema import Form, read
from ...envs.records.files import replace

KEY, DIGEST = "boyi", "digest"
DTYPES = {
    "BOOL", "U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "F16", "F32", "F64",
}  # fmt: skip
"""What safetensors calls the dtypes that NumPy has."""

F = TypeVar("F", bound=Form)


def write_file(path: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    """Replace `path` by a file of these arrays and facts; `facts["format"]` says what it is."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    said = json.dumps(facts)
    replace(path, lambda partial: save_file(whole, partial, {KEY: said, DIGEST: _digest(whole, said)}))


def read_file(path: Path, form: type[F], format: str) -> tuple[dict[str, np.ndarray], F]:
    """Read what `write_file` wrote; `BoyiError` for a file that is missing, corrupt, changed or of another format.

    Files that were written before there was a digest have none.
    """
    try:
        with safe_open(path, "np") as file:
            said = file.metadata() or {}
            if not {KEY} <= said.keys() <= {KEY, DIGEST}:
                raise BoyiError(f"{path} is not a file of format {format}")
            facts = read(said[KEY], form, where=str(path), what="a file", format=format)
            names = list(file.keys())
            strange = [name for name in names if file.get_slice(name).get_dtype() not in DTYPES]
            if strange:
                raise BoyiError(f"{path} is damaged: NumPy has no dtype for {strange[0]}")
            arrays = {name: file.get_tensor(name) for name in names}
    except FileNotFoundError:
        raise BoyiError(f"cannot read {path}: there is no such file") from None
    except OSError as error:
        raise BoyiError(f"cannot read {path}: {error.strerror or error}") from None
    except SafetensorError as error:
        raise BoyiError(f"{path} is damaged, or not a safetensors file: {error}") from None
    if said.get(DIGEST) not in (None, _digest(arrays, said[KEY])):
        raise BoyiError(f"{path} is damaged: what it holds is not what was written")
    return arrays, facts


def _digest(arrays: Mapping[str, np.ndarray], facts: str) -> str:
    """Compute the digest of all that a file holds."""
    digest = hashlib.sha256(facts.encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data if array.size else b"")
    return digest.hexdigest()
