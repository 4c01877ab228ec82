"""The record of which kernels have run: a byte for each, which the kernel's own machine code sets when it is entered.

`pytest --every-kernel`, under bounds checks as in `.ci/run`, compiles that store into every kernel of the package, and
fails in the end, naming them, when some were never entered. To be compiled is not to run: a kernel behind a branch that
no test takes is named too. A byte is a symbol to the linker, so that code from Numba's cache finds the one of its own
process, which shares it with those that it forks; that cache stands apart, because processes without the bytes could
not load what it holds.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from importlib import import_module
from inspect import isfunction
from mmap import mmap
from pkgutil import iter_modules, walk_packages
from typing import Any

import numba
import pytest
from llvmlite import ir as llvm
from llvmlite.binding import add_symbol
from numba.core import ir, types
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.untyped_passes import FixupArgs
from numba.extending import intrinsic

_njit = numba.njit

BYTES: dict[str, ctypes.c_uint8] = {}
"""The byte of every kernel; where nothing is recorded there are none."""


def kernels() -> dict[str, bool]:
    """List the package's kernels: its functions without annotations, which mypy allows to nothing else.

    False stands beside the stubs, in whose place others run.
    """
    import boyi

    parts = [f"boyi.{part.name}" for part in iter_modules(boyi.__path__) if part.ispkg]
    modules = [each.name for part in parts for each in walk_packages(import_module(part).__path__, f"{part}.")]
    return {kernel: stub for module in modules for kernel, stub in _kernels_of(module)}


def _kernels_of(module: str) -> Iterator[tuple[str, bool]]:
    for name, value in vars(import_module(module)).items():
        function = getattr(value, "py_func", value)
        if isfunction(function) and function.__module__ == module and not function.__annotations__:
            yield f"{module}.{name}", module != "boyi.envs.engine.protocol" and not hasattr(function, "stub")


@intrinsic(prefer_literal=True)
def entered(context: Any, name: Any) -> Any:
    """Store that the kernel of this name, a constant, has been entered."""

    def store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = llvm.GlobalVariable(builder.module, llvm.IntType(8), _symbol(name.literal_value))
        builder.store(byte.value_type(1), byte)
        return context.get_dummy_value()

    return types.void(name), store


def _symbol(name: str) -> str:
    return f"entered.{name}"


@register_pass(mutates_CFG=False, analysis_only=False)
class Enter(FunctionPass):
    """A pass of Numba's compiler that begins a kernel of the record with the store to its byte."""

    _name = "enter"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        function = state.func_id.func
        name = f"{function.__module__}.{function.__code__.co_name}"
        if name not in BYTES:
            if name.startswith("boyi."):
                raise RuntimeError(f"{name} is no kernel that the record lists: those have no annotations")
            return False
        block = state.func_ir.blocks[min(state.func_ir.blocks)]
        call, named, done = (ir.Var(block.scope, f"$entered.{part}", block.loc) for part in ("call", "named", "done"))
        block.body[:0] = [
            ir.Assign(ir.Global("entered", entered, block.loc), call, block.loc),
            ir.Assign(ir.Const(name, block.loc), named, block.loc),
            ir.Assign(ir.Expr.call(call, (named,), (), block.loc), done, block.loc),
        ]
        return True


def recording(compiler: type[CompilerBase]) -> type[CompilerBase]:
    """Make a compiler of Numba's that has the pass `Enter`, too."""

    class Recording(compiler):
        def define_pipelines(self) -> list[PassManager]:
            (passes,) = super().define_pipelines()
            passes.add_pass_after(Enter, FixupArgs)
            passes.finalize()
            return [passes]

    return Recording


def njit(*args: Any, pipeline_class: type[CompilerBase] = Compiler, **options: Any) -> Any:
    """Decorate as Numba's own does, with a compiler that records."""
    return _njit(*args, pipeline_class=recording(pipeline_class), **options)


class Record:
    """The plugin: what no process of this session has entered."""

    def __init__(self) -> None:
        if not (numba.config.BOUNDSCHECK and numba.config.CACHE_DIR) or numba.config.DISABLE_JIT:
            raise pytest.UsageError("--every-kernel wants NUMBA_BOUNDSCHECK=1 and a NUMBA_CACHE_DIR of its own")
        # Before anything of the package is imported, and so before the first kernel is decorated.
        numba.njit = njit
        numba.config.CACHE_DIR = os.path.join(numba.config.CACHE_DIR, "recorded")
        found = kernels()
        shared = mmap(-1, len(found))
        BYTES.update({name: ctypes.c_uint8.from_buffer(shared, i) for i, name in enumerate(found)})
        for name, byte in BYTES.items():
            add_symbol(_symbol(name), ctypes.addressof(byte))
        self.listed = {name for name, wanted in found.items() if wanted}
        self.never = set(self.listed)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.never -= {name for name, byte in BYTES.items() if byte.value}
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["kernels"] = list(self.never)
        elif self.never and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of xdist has noted; one that crashed tells nothing, and fails the session."""
        if "kernels" in getattr(node, "workeroutput", {}):
            self.never.intersection_update(node.workeroutput["kernels"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section(f"{len(self.listed) - len(self.never)} of {len(self.listed)} kernels ran")
        for name in sorted(self.never):
            terminalreporter.line(f"never ran: {name}", red=True)
