"""The one kernel decorator, and two bit intrinsics that LLVM turns into single instructions.

Set ``RULELAB_CACHE=0`` to keep compiled kernels out of the disk cache, and numba's own ``NUMBA_DISABLE_JIT=1`` to run
every kernel as plain Python.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.extending import intrinsic, register_jitable

_CACHE = os.environ.get("RULELAB_CACHE", "1") != "0"
_stamp: tuple[float, int] | None = None


_OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
_INNER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True}
_APART: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "_nrt": False}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile in nopython mode, without the GIL, cached on disk where some folder can be written.

    A kernel works on the arrays it is given: without numba's reference counting, which an array handed from function
    to function would pay for at every call, it cannot allocate.
    """
    return _cached(function, _OPTIONS)


def apart(function: Callable[..., Any]) -> Any:
    """As `kernel`, for what kernels call by its address, see `rulelab.kernels.by_reference`; Python cannot call it."""
    return _cached(function, _APART)


def _cached(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    if _CACHE:
        try:
            dispatcher = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # neither the package folder nor a user folder can be written: compile in each process
            pass
        else:
            _watch_all_sources(dispatcher)
            return dispatcher
    return numba.njit(**options)(function)


def inner(function: Callable[..., Any]) -> Any:
    """As `kernel`, for functions that only kernels call: without the wrapper for Python, which is slow to compile.

    It is compiled for the type of a number, not once more for each constant that it is called with.
    """
    return register_jitable(**_INNER)(function)


def fused(function: Callable[..., Any]) -> Any:
    """As `inner`, for a few operations in an inner loop: in the machine code it is part of each of its callers."""
    return register_jitable(**_INNER, forceinline=True)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """As `inner`, copied into the caller before it is compiled: for those with one caller.

    A copy is typed and compiled anew wherever it stands, so that a small one with many callers is better `inner`.
    """
    return numba.njit(**_INNER, inline="always")(function)


def source_stamp() -> tuple[float, int]:
    """Latest change and total size of all modules of the folders in which one imports this module."""
    files: set[Path] = set()
    for path in Path(__file__).parents[1].rglob("*.py"):
        if "jit import" in path.read_text(encoding="utf-8"):
            files.update(path.parent.glob("*.py"))
    status = [path.stat() for path in files]
    return max(s.st_mtime for s in status), sum(s.st_size for s in status)


def _watch_all_sources(dispatcher: Any) -> None:
    """Let a change of any kernel source make the cached kernel stale, not only one of the file it is defined in.

    Numba reads the whole index before it looks at its stamp, which fails where the index names a type that is no more.
    """
    global _stamp
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:
        if _stamp is None:
            _stamp = source_stamp()
        file._source_stamp = _stamp
        file._load_index = partial(_index_or_nothing, file._load_index)


def _index_or_nothing(load: Callable[[], dict[Any, str]]) -> dict[Any, str]:
    try:
        return load()
    except (AttributeError, EOFError, ImportError, pickle.UnpicklingError):
        return {}


def is_compiled(*kernels: Any) -> bool:
    """Whether every kernel has been compiled (or loaded from the disk cache) in this process."""
    return bool(numba.config.DISABLE_JIT) or all(k.signatures for k in kernels)  # type: ignore[attr-defined]


@intrinsic
def _ctpop(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _cttz(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), codegen


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

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
        return numba.int64(_ctpop(numba.uint64(x)))  # type: ignore[call-arg]

    @kernel
    def ctz(x):
        """Index of the lowest set bit of a 64-bit word; 64 when the word is zero."""
        return numba.int64(_cttz(numba.uint64(x)))  # type: ignore[call-arg]
