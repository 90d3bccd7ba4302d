"""Named tuples of arrays that compiled code is handed by their address.

Numba hands a named tuple from function to function as all the numbers it is made of, some two hundred for twenty
arrays, and loads them all to look at one field, which takes long to compile. Here one address is handed on, and a field
is loaded where it is looked at. What a kernel is given does not change while it runs, which the loads say, so that they
leave its loops.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

Tuple = TypeVar("Tuple", bound=type)


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
