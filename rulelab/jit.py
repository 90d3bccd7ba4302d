"""The one kernel decorator, and two bit intrinsics that LLVM turns into single instructions.

Set ``RULELAB_CACHE=0`` to keep compiled kernels out of the disk cache, and numba's own ``NUMBA_DISABLE_JIT=1``
to run every kernel as plain Python.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numba
from numba.core import types
from numba.extending import intrinsic

_CACHE = os.environ.get("RULELAB_CACHE", "1") != "0"


def kernel(function: Callable[..., Any]) -> Any:
    """Compile in nopython mode, without the GIL, cached on disk where some folder can be written."""
    if _CACHE:
        try:
            return numba.njit(nogil=True, cache=True)(function)
        except RuntimeError:  # neither the package folder nor a user folder can be written: compile in each process
            pass
    return numba.njit(nogil=True)(function)


def is_compiled(*kernels: Any) -> bool:
    """Whether every kernel has been compiled (or loaded from the disk cache) in this process."""
    return numba.config.DISABLE_JIT or all(k.signatures for k in kernels)


@intrinsic
def _ctpop(typingctx, x):  # noqa: ARG001
    def codegen(context, builder, signature, args):  # noqa: ARG001
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _cttz(typingctx, x):  # noqa: ARG001
    def codegen(context, builder, signature, args):  # noqa: ARG001
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), codegen


if numba.config.DISABLE_JIT:

    def popcount(x):
        """Number of set bits of a 64-bit word."""
        return int(x).bit_count()

    def ctz(x):
        """Index of the lowest set bit of a 64-bit word; 64 when the word is zero."""
        x = int(x)
        return 64 if x == 0 else (x & -x).bit_length() - 1

else:

    @kernel
    def popcount(x):
        """Number of set bits of a 64-bit word."""
        return numba.int64(_ctpop(numba.uint64(x)))

    @kernel
    def ctz(x):
        """Index of the lowest set bit of a 64-bit word; 64 when the word is zero."""
        return numba.int64(_cttz(numba.uint64(x)))
