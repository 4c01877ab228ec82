"""Inner kernels, which only kernels call: their code is built into that of their callers, and nowhere else.

Numba makes machine code for every function it compiles, and also builds in the code of the functions that it calls. For
functions that Python never calls, machine code of their own takes a third of a game's compile time and is never run. So
the library of an inner kernel keeps its code as it was lowered, for others to link: the kernel that links it optimizes
the whole. What Numba itself loads and caches of such a library is a module that holds only the kernel's environment,
which has to have an address.
"""

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.untyped_passes import FixupArgs

LINKED = all(
    hasattr(JITCodeLibrary, name)
    for name in ("_optimize_final_module", "_finalize_final_module", "_get_module_for_linking")
)
"""Whether Numba builds libraries as all versions from 0.59 to 0.68 do; if not, inner kernels are like all others."""


class LinkedLibrary(JITCodeLibrary):
    """The code of an inner kernel, to be linked."""

    def _optimize_final_module(self) -> None:
        """Leave the code to the kernels that link it."""

    def _finalize_final_module(self) -> None:
        self._finalized = True
        stub = self._codegen._create_empty_module(self.name)
        for variable in self._final_module.global_variables:
            if variable.linkage == llvm.Linkage.common:
                environment = ir.GlobalVariable(stub, ir.IntType(8).as_pointer(), variable.name)
                environment.linkage, environment.initializer = "common", ir.Constant(environment.value_type, None)
        self._get_module_for_linking()  # which keeps what there is now
        self._final_module = llvm.parse_assembly(str(stub))
        super()._finalize_final_module()


@register_pass(mutates_CFG=False, analysis_only=False)
class Link(FunctionPass):
    """A pass of Numba's compiler that puts what is compiled into a `LinkedLibrary`."""

    _name = "link"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


class InnerCompiler(CompilerBase):
    """Numba's compiler, for inner kernels."""

    def define_pipelines(self) -> list[PassManager]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(Link, FixupArgs)
        passes.finalize()
        return [passes]
