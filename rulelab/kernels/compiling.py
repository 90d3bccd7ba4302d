"""How kernels are compiled: numba's pipeline, spared what functions that own nothing can do without.

The state of a kernel is a named tuple of some twenty arrays, a value of some hundred and fifty fields, and a search is
one kernel of some fifty functions. Most of the time of their compilation goes into copies of such values, into the
types of the same few operations, and into machine code of functions that never run alone. So here

- a value that is assigned once is not put into memory, and nothing is released at the end of its life;
- the type of a call is looked up once, and a function is compiled for the type of a number, not for each number;
- a function that only kernels call is optimised and turned into machine code as part of them;
- Python does not look for garbage while it compiles.

It takes about half the time. The code that runs is the same.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.errors import NumbaWarning, WarningsFixer  # type: ignore[attr-defined]
from numba.core.funcdesc import PythonFunctionDescriptor
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.core.typeinfer import TypeInferer


class KernelCompiler(CompilerBase):
    """Compiles a function that works without Python objects and without reference counting."""

    def compile_extra(self, func: Any) -> CompileResult:
        with _no_garbage_collection():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        own = {NopythonTypeInference: KernelTyping, NativeLowering: KernelLowering}
        manager.passes = [(own.get(step, step), text) for step, text in manager.passes]
        manager.finalize()
        return [manager]


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Inferer(TypeInferer):
    """Type inference that remembers what it was asked before."""

    _known: ClassVar[dict[Any, Any]] = {}

    def resolve_call(self, fnty: Any, pos_args: Any, kw_args: Any) -> Any:
        if isinstance(fnty, types.Dispatcher):
            pos_args = [types.unliteral(a) for a in pos_args]
        elif not isinstance(fnty, types.Function):
            return super().resolve_call(fnty, pos_args, kw_args)
        key = fnty, tuple(pos_args), tuple(kw_args.items())
        if key not in self._known:
            self._known[key] = super().resolve_call(fnty, tuple(pos_args), kw_args)
        return self._known[key]


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelTyping(FunctionPass):
    """Type inference."""

    _name = "rulelab_typing"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        function, warnings = state.func_ir, WarningsFixer(NumbaWarning)
        inferer = _Inferer(state.typingctx, function, warnings)
        stack = state.typingctx.callstack
        with stack.register(state.targetctx.target, inferer, function.func_id, state.args), warnings:
            for index, (name, type_) in enumerate(zip(function.arg_names, state.args, strict=True)):
                inferer.seed_argument(name, index, type_)
            inferer.build_constraint()
            inferer.propagate()
            state.typemap, state.return_type, state.calltypes = inferer.unify()
        return True


class _Lower(Lower):
    """Translation to LLVM that keeps in memory only what is assigned more than once."""

    def _find_singly_assigned_variable(self) -> None:
        super()._find_singly_assigned_variable()
        assigned: dict[str, list[int]] = defaultdict(list)
        used: dict[str, set[int]] = defaultdict(set)
        for label, block in self.func_ir.blocks.items():
            for statement in block.body:
                if isinstance(statement, ir.Del):
                    continue
                target = statement.target.name if isinstance(statement, ir.Assign) else None
                if target is not None:
                    assigned[target].append(label)
                for variable in statement.list_vars():
                    if variable.name != target:
                        used[variable.name].add(label)
        dominators = compute_cfg_from_blocks(self.func_ir.blocks).dominators()
        for name, labels in assigned.items():  # blocks are translated in the order of their labels
            if len(labels) == 1 and all(use >= labels[0] and labels[0] in dominators[use] for use in used[name]):
                self._singly_assigned_vars.add(name)

    def delvar(self, name: str) -> None:
        pass


class _Part(JITCodeLibrary):
    """The code of a function that only kernels call: optimised and turned into machine code as part of theirs."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Translation to LLVM and, for a kernel, to machine code."""

    _name = "rulelab_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return _Lower

    def run_pass(self, state: Any) -> bool:
        if not state.flags.no_cpython_wrapper:
            return super().run_pass(state)
        context, flags, function = state.targetctx, state.flags, state.func_ir
        library = _Part(context.codegen(), function.func_id.func_qualname)
        description = PythonFunctionDescriptor.from_specialized_function(
            function,
            state.typemap,
            state.return_type,
            state.calltypes,
            mangler=context.mangler,
            inline=flags.forceinline,
            noalias=flags.noalias,
            abi_tags=[flags.get_mangle_string()],
        )
        with context.push_code_library(library):
            lower = self.lowering_class(context, library, description, function, metadata=state.metadata)
            lower.lower()
        library.finalize()
        entry = _dynfunc.make_function(description.lookup_module(), description.qualname, "", 0, lower.env, (library,))
        context.insert_user_function(entry, description, [library])
        state.library = library
        state.cr = _LowerResult(description, lower.call_helper, cfunc=entry, env=lower.env)
        return True
