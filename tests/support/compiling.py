"""Compiling in children, because it leaves several megabytes a kernel behind.

A test process that has grown forks a child for every kernel that Numba's cache does not have. The child compiles, which
fills the cache, and ends; the test process loads what it has compiled, as any process does later.
"""

import os
import sys
from typing import Any

from numba import config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.event import trigger_event
from numba.core.sigutils import normalize_signature

GROWN = 1_500_000_000
"""Bytes that a process may have held before it compiles in children, which takes longer."""
in_process = Dispatcher.compile


def compile_in_children() -> None:
    """Let Numba compile so, unless it compiles nothing or the system cannot fork."""
    if hasattr(os, "fork") and not config.DISABLE_JIT:
        Dispatcher.compile = _compile


def _compile(kernel: Dispatcher, signature: Any) -> Any:
    types = tuple(normalize_signature(signature)[0])
    if _most_memory() > GROWN and _is_new(kernel, signature, types):
        # No thread compiles while the process forks, and whoever does not count the time of compiling is told of it.
        with global_compiler_lock, trigger_event("numba:compile", {"dispatcher": kernel, "args": types}):
            child = os.fork()
            if child == 0:
                Dispatcher.compile = in_process
                try:
                    in_process(kernel, signature)
                finally:
                    os._exit(0)  # also where it fails: the test process then fails in the same way
            os.waitpid(child, 0)
    return in_process(kernel, signature)


def _is_new(kernel: Dispatcher, signature: Any, types: tuple[Any, ...]) -> bool:
    """Whether Numba would compile now, and keep what it has compiled."""
    cache = kernel._cache
    if not hasattr(cache, "_cache_file") or types in kernel.overloads:
        return False
    key = cache._index_key(signature, kernel.targetctx.codegen())
    return key not in cache._cache_file._load_index()


def _most_memory() -> int:
    """Return how many bytes this process has held at most."""
    from resource import RUSAGE_SELF, getrusage

    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
