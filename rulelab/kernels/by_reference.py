"""Named tuples of arrays that compiled code is handed by their address.

Numba hands a named tuple from function to function as all the numbers it is made of, some two hundred for twenty
arrays, and loads them all to look at one field, which takes long to compile. Here one address is handed on, and a field
is loaded where it is looked at. What a kernel is given does not change while it runs, which the loads say, so that they
leave its loops.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_jitable,
    register_model,
    typeof_impl,
    unbox,
)

Tuple = TypeVar("Tuple", bound=type)
_PLAIN: dict[int, Callable[..., int]] = {}


class Reference(types.Type):
    """The type of the address of a named tuple."""

    def __init__(self, held: Any) -> None:
        self.held = held
        digest = hashlib.sha256(str(held).encode()).hexdigest()[:16]
        super().__init__(f"{held.instance_class.__name__}@{digest}")  # short: it is in the name of each function

    @property
    def key(self) -> Any:
        return self.held


def by_reference(kind: Tuple) -> Tuple:
    """Let compiled code be handed the named tuples of this class by their address; it can only look at their fields."""

    @typeof_impl.register(kind)
    def _typeof(value, context):
        return Reference(types.BaseTuple.from_types([typeof_impl(field, context) for field in value], kind))

    return kind


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, manager[kind.held].get_data_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def resolve(self, kind, name):
        if name in kind.held.fields:
            return kind.held.types[kind.held.fields.index(name)]
        return None


@unbox(Reference)
def _unbox(kind, value, c):
    native = c.unbox(kind.held, value)
    model = c.context.data_model_manager[kind.held]
    address = cgutils.alloca_once_value(c.builder, model.as_data(c.builder, native.value))
    return NativeValue(address, is_error=native.is_error, cleanup=native.cleanup)


@lower_getattr_generic(Reference)
def _load_field(context, builder, kind, address, name):
    at = kind.held.fields.index(name)
    field = cgutils.gep_inbounds(builder, address, 0, at)
    model = context.data_model_manager[kind.held.types[at]]
    return model.from_data(builder, _load(builder, field, model.get_data_type()))


def _load(builder, address, layout):
    """Load a value part by part: optimisers forget of larger ones that they do not change."""
    if hasattr(layout, "elements"):
        value = cgutils.get_null_value(layout)
        for i, part in enumerate(layout.elements):
            value = builder.insert_value(value, _load(builder, cgutils.gep_inbounds(builder, address, 0, i), part), i)
        return value
    loaded = builder.load(address)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


class At:
    """Where in this process a function is, once that is asked for; what is pickled does not know it.

    ``function``: made by `rulelab.kernels.jit.apart`; returns an int64. ``address`` (int): 0: it was not asked for.
    """

    function: ClassVar[Any]

    def __init__(self) -> None:
        self.address = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def find(self, *arguments: Any) -> int:
        """The address, for calls with arguments of exactly these types; compiles it, or loads what was compiled."""
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
