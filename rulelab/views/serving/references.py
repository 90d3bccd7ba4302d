"""The models that a model refers to, found without a look at what cannot refer to any.

Bokeh walks through all models of a page whenever some come or go, with the default of every property that could refer
to a model, and with every number of every column; most of the time in which a press of Run was answered went into that.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from bokeh.core.has_props import HasProps
from bokeh.model import util

Visitor = Callable[[Any], None]
PLAIN = (bool, int, float, str, type(None))
"""Values that nobody can change, and that refer to nothing."""
_PLAIN = frozenset(PLAIN)


def of_models(work_out: Callable[[Any, Visitor], None]) -> Any:
    """Visit what the properties of a model refer to, but for those that have a plain default and no value."""
    known: dict[type, tuple[list[str], frozenset[str]]] = {}

    def visit_immediate_value_references(value: Any, visitor: Visitor) -> None:
        if not isinstance(value, HasProps):
            work_out(value, visitor)
            return
        if type(value) not in known:
            known[type(value)] = _parted(value)
        looked_at, left = known[type(value)]
        own, made, themed = value._property_values, value._unstable_default_values, value.themed_values()
        named = [name for name in own if name in left]
        named += [name for name in themed or () if name in left and name not in own]
        for name in (*looked_at, *named):
            part = own[name] if name in own else made[name] if name in made else getattr(value, name)
            if type(part) not in _PLAIN and not (isinstance(part, list | dict) and not part):
                util.visit_value_and_its_immediate_references(part, visitor)

    return visit_immediate_value_references


def of_values(work_out: Callable[[Any, Visitor], None]) -> Any:
    """Visit what a value refers to; a container of numbers and texts alone is not walked through."""

    def visit_value_and_its_immediate_references(value: Any, visitor: Visitor) -> None:
        kind = type(value)
        if kind in _PLAIN:
            return
        parts: Any
        if issubclass(kind, list | tuple):
            parts = value
        elif issubclass(kind, dict):
            parts = list(chain.from_iterable(value.items()))
        else:
            work_out(value, visitor)
            return
        if not _PLAIN.issuperset(map(type, parts)):
            for part in parts:
                util.visit_value_and_its_immediate_references(part, visitor)

    return visit_value_and_its_immediate_references


def _parted(value: HasProps) -> tuple[list[str], frozenset[str]]:
    """Properties of a class that could refer to models: those to be looked at, and those that have to be set first."""
    first = {name: _may_be_left(value, name) for name in type(value).properties_with_refs()}
    return [name for name in first if not first[name]], frozenset(name for name in first if first[name])


def _may_be_left(value: HasProps, name: str) -> bool:
    """Whether a property that has no value of its own refers to nothing, for all models of a class."""
    descriptor = value.lookup(name)
    return not descriptor.has_unstable_default(value) and type(descriptor.class_default(type(value))) in _PLAIN
