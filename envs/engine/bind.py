"""Compile a generic kernel for one game: the same code object with the game's functions as its globals.

Numba never caches closures over jitted functions on disk. Its cache looks only at the file of the function it
compiles. And it names the machine code of a record type by a number that differs between processes, so cached kernels
for two sizes of board may clash. So `bind` rebuilds a kernel and every function it calls with new globals and a new
name, which carries a digest of all sources reached and of the game's record: an edited rule can never meet an old cache
entry, nor one record the code for another. This is the only place with ``cache=True``.
"""

import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import config, njit, typeof
from numba.core import event

from . import kernels, protocol, rng
from .errors import BoyiError
from .inner import LINKED, InnerCompiler
from .rng import OPTIONS
from .spec import Game

Kernel = Callable[..., Any]

PLAYERS = {
    "policy": "greedy",
    "rollout": "rollout",
    **dict.fromkeys(("examine", "reexamine", "relevant", "alike"), "proof"),
    **dict.fromkeys(("survey", "follow", "evaluate", "candidates", "tactics", "threats", "transposition"), "evaluate"),
}
"""What only some algorithms need, and the module of a game that has it: they pass it to `bind` as choices."""

_OPTIONAL: dict[str, Any] = {
    "chance": protocol.chance,
    "resolve": protocol.resolve,
    "redeal": protocol.redeal,
    "playout": kernels.random_playout,
    **{name: getattr(protocol, name) for name in PLAYERS},
    "candidates": kernels.all_candidates,
    "relevant": kernels.all_candidates,
    "reexamine": kernels.examine_anew,
    "alike": kernels.whole_key,
    "transposition": kernels.whole_key,
}
INTERPRETED = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
"""Whether kernels run as plain Python: NUMBA_DISABLE_JIT=1, for debuggers, coverage and mutants."""

_memo: dict[tuple[Any, ...], Kernel] = {}
_rebuilt: dict[tuple[FunctionType, str], Kernel] = {}
_lock = threading.RLock()


def bind(generic: Callable[..., Any], game: Game, encoder: str | None = None, **choices: Kernel) -> Kernel:
    """Compile `generic` with the game's rules, its `encoder` as ``observe``, and `choices` for other stubs.

    Equal calls return the same compiled kernel; it is for this game's records only.
    """
    memo = (generic, game, encoder, *sorted(choices.items()))
    found = _memo.get(memo)
    if found is None:  # checked before locking: an interrupt at the lock's very end would leave it shut for others
        with _lock:
            if memo not in _memo:
                names = {name: _supplied(game, name, encoder) for name in kernel_names()} | choices
                bound = _rebuild(_python(generic), names, f"{game.name} {game.dtype}")
                _memo[memo] = _interpreted(bound) if INTERPRETED else bound
            found = _memo[memo]
    return found


def stub(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function of a generic kernel as a slot: `bind` replaces it by name."""
    function.stub = True  # type: ignore[attr-defined]
    return function


def entry(kernel: Kernel, *args: Any) -> Kernel:
    """Return a bound kernel compiled for arguments of the types of `args`; it does not check types again.

    That saves half the cost of a small call; the caller is responsible for the types.
    """
    if INTERPRETED:
        return kernel
    types = tuple(typeof(arg) for arg in args)  # type: ignore[no-untyped-call]
    compiled: Kernel = kernel.compile(types)  # type: ignore[attr-defined]
    return compiled


def _python(function: Any) -> Any:
    """Return the Python function under a jitted one, or what was given."""
    return getattr(function, "py_func", function)


def kernel_names() -> list[str]:
    """Name the kernels of the protocol."""
    return [name for name, value in vars(protocol).items() if _is_stub(value)]


def home_of(name: str) -> str:
    """Name the module of a game that a kernel of the protocol is in."""
    return {"observe": "encode", "flaw": "valid"}.get(name) or PLAYERS.get(name, "rules")


def brought(game: Game, part: str) -> dict[str, Kernel]:
    """Return the kernels of `PLAYERS` that one of a game's modules has, by their names."""
    module = game.module(part)
    return {name: getattr(module, name) for name, home in PLAYERS.items() if home == part and hasattr(module, name)}


def _is_stub(value: Any) -> bool:
    return isinstance(value, FunctionType) and (value.__module__ == protocol.__name__ or hasattr(value, "stub"))


def _supplied(game: Game, name: str, encoder: str | None) -> Kernel:
    """Find what the game supplies for one name of the protocol; `BoyiError` names a piece that is missing."""
    module, attribute = home_of(name), name
    if name in PLAYERS:
        return _OPTIONAL[name]
    if name == "observe":
        if encoder is None:
            return kernels.observe_nothing
        game.shape(encoder)
        attribute = f"observe_{encoder}"
    found: Kernel | None = getattr(game.module(module), attribute, _OPTIONAL.get(name))
    if found is None:
        raise BoyiError(f"game {game.name!r} has no kernel {attribute!r} in its {module}.py")
    return found


def _rebuild(function: FunctionType, names: dict[str, Kernel], record: str, *, inner: bool = False) -> Kernel:
    """Compile `function` under a new name with its globals replaced, the functions it calls likewise.

    The name marks an `inner` one, which only kernels can call, because the cache would not tell it apart.
    """
    if function.__module__ == rng.__name__:
        record = ""  # it knows only numbers and streams, and is the same for every game
    suffix = _digest(function, names, record) + ("_inner" if inner else "")
    if (function, suffix) not in _rebuilt:
        scope = dict(function.__globals__)
        for name, value in _globals(function, names):
            callee = _python(value)
            if isinstance(callee, FunctionType):
                value = _rebuild(callee, names, record, inner=True)
            elif type(value) is int and not INTERPRETED:
                value = np.int64(value)  # Numba compiles what takes a Python int once for every number
            scope[name] = value
        bound = FunctionType(function.__code__, scope, f"{function.__name__}_{suffix}", function.__defaults__)
        bound.__qualname__, bound.__module__ = bound.__name__, function.__module__
        _rebuilt[function, suffix] = _jit(bound, inner)
    return _rebuilt[function, suffix]


def _jit(function: FunctionType, inner: bool) -> Kernel:
    if INTERPRETED:
        return function
    # Only what Python calls needs a wrapper, which takes a fifth of the compile time; nothing is called from C.
    options: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": inner, "no_cfunc_wrapper": True}
    if inner and LINKED:
        options["pipeline_class"] = InnerCompiler
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError as error:
        # Numba found no folder it may write to: neither beside the source nor in the user's cache.
        if "locator" not in str(error):
            raise
        _say_once("boyi: no writable cache folder (NUMBA_CACHE_DIR can name one); every process compiles anew")
        return njit(**options)(function)


def _interpreted(kernel: Kernel) -> Kernel:
    """Let plain Python run a kernel: records need attribute access, and uint64 may wrap around silently."""

    @wraps(kernel)
    def call(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return kernel(*[_with_attributes(arg) for arg in args])

    return call


def _with_attributes(arg: Any) -> Any:
    if isinstance(arg, tuple) and hasattr(arg, "_fields"):
        return type(arg)(*map(_with_attributes, arg))
    structured = isinstance(arg, np.ndarray) and arg.dtype.names is not None
    return arg.view(np.recarray) if structured else arg


def _globals(function: FunctionType, names: dict[str, Kernel]) -> Iterator[tuple[str, Any]]:
    """Yield the global names a function uses with their values, those of the protocol replaced."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            value = function.__globals__[name]
            if isinstance(value, ModuleType) and value.__name__ not in ("math", "numpy"):
                # What is reached through a module is neither replaced nor digested.
                raise BoyiError(
                    f"kernel {function.__name__} uses the module {value.__name__}: import its names instead"
                )
            yield name, names[value.__name__] if _is_stub(value) and value.__name__ in names else value


def _digest(function: FunctionType, names: dict[str, Kernel], record: str) -> str:
    """Digest the functions that `function` reaches, their files, the constants they name, and the record it is for."""
    found: set[str] = set()
    waiting, seen = [function], set()
    while waiting:
        function = waiting.pop()
        seen.add(function)
        found.add(f"{function.__module__}.{function.__qualname__}")
        found.add(_source(function.__code__.co_filename) or function.__code__.co_code.hex())
        for name, value in _globals(function, names):
            callee = _python(value)
            if isinstance(callee, FunctionType):
                found.add(f"{name}={callee.__module__}.{callee.__qualname__}")
                waiting += [callee] if callee not in seen else []
            elif isinstance(value, np.ndarray):
                found.add(f"{name}={value.tobytes().hex()}")
            elif isinstance(value, int | float | str | tuple | np.generic):
                found.add(f"{name}={value!r}")
    return hashlib.sha256("\n".join([record, str(OPTIONS), *sorted(found)]).encode()).hexdigest()[:16]


@lru_cache
def _source(path: str) -> str:
    """Digest a source file; empty when there is none, as for code typed at a prompt."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


@lru_cache
def _say_once(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


class _CompileNotice(event.Listener):
    """Says on stderr, once per process, that kernels are compiling when that takes longer than a second."""

    def __init__(self) -> None:
        self.depth = 0
        self.timer: threading.Timer | None = None

    def on_start(self, event: event.Event) -> None:
        self.depth += 1
        if self.depth == 1:
            notice = "boyi: compiling kernels for this machine; this is done once and takes some seconds …"
            self.timer = threading.Timer(1.0, _say_once, [notice])
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0 and self.timer is not None:
            self.timer.cancel()


event.register("numba:compile", _CompileNotice())  # type: ignore[no-untyped-call]
