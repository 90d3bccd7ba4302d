"""Functions that are compiled apart, and called by kernels by their address.

What a kernel calls becomes part of its machine code and is optimised once more with it, whether it is ever called or
not. A long function that is called seldom, or with some data only, is compiled once here, and only when it is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, register_jitable

_PLAIN: dict[int, Callable[..., int]] = {}


class At:
    """Where in this process a function is, once that is asked for; what is pickled does not know it.

    Attributes
    ----------
    function : dispatcher
        Made by `rulelab.kernels.jit.apart`; returns an int64.
    address : int
        0: it was not asked for.
    """

    function: ClassVar[Any]

    def __init__(self) -> None:
        self.address = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def find(self, *arguments: Any) -> int:
        """The address, for calls with arguments of exactly the types of these; compiles it, or loads what was compiled.

        Returns
        -------
        int
        """
        function = self.function
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            self.address = id(function)
            _PLAIN[self.address] = function
        else:
            kinds = tuple(numba.typeof(argument) for argument in arguments)
            function.compile(kinds)
            compiled = function.overloads[kinds]
            self.address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
        return self.address


@intrinsic
def _call(typingctx, address, arguments):
    def codegen(context, builder, signature, given):
        address, packed = given
        values = [builder.extract_value(packed, i) for i in range(len(arguments))]
        called = ir.FunctionType(ir.IntType(64), [context.get_value_type(kind) for kind in arguments])
        return builder.call(builder.inttoptr(address, called.as_pointer()), values)

    return types.int64(types.int64, arguments), codegen


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def call(address, arguments):
        """Call the function at an address."""
        return _PLAIN[address](*arguments)

else:

    @register_jitable
    def call(address, arguments):
        """Call the function at an address."""
        return _call(address, arguments)  # type: ignore[call-arg]
