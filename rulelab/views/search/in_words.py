"""The settings of a run in words, as the form shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...families import MEMORY, NAMING, TIME, Parameter, record_of
from ...families.criteria import in_words
from ...families.typed import written
from ..forms.controls import shown
from ..live.session import SearchSession
from ..widgets.esc import plain

DATA, FAMILY, BOUNDS, FAIRNESS = "Data set", "Model family", "Bounds in use", "Fairness"


def settings_in_words(session: SearchSession) -> dict[str, str]:
    """Names and values of all settings of a run whose search is made."""
    prepared = session.prepared
    assert prepared is not None
    search, recipe = prepared.search, prepared.recipe
    values: dict[str, Any] = {**getattr(recipe, "parameters", {}), **search.parameters}
    record = record_of(search.kind, search.family)
    said = {FAMILY: record.called}
    if prepared.data is not None:
        said[DATA] = plain(prepared.name, 60)
        said["Test share"] = f"{getattr(recipe, 'test_share', 0):g}"
        said["Sensitive attribute"] = plain(getattr(recipe, "sensitive", None) or "none", 60)
    if "bounds" in values:
        said[BOUNDS] = _bounds(values["bounds"])
    own = (each for each in record.parameters if each.name in values)
    said |= {each.title: value_in_words(each, values[each.name]) for each in own}
    if not session.recorded:
        said[TIME.title] = value_in_words(TIME, session.limits.seconds)
    return said


def value_in_words(parameter: Parameter, value: Any) -> str:
    """A value of a parameter as the form shows it."""
    if value is None:
        return "none" if parameter.kind == "criterion" else parameter.none
    if parameter.kind == "criterion":
        return in_words(value)
    if parameter.kind == "switch":
        return "yes" if value else "no"
    if parameter.choices:
        said = dict(zip(parameter.choices, parameter.said, strict=True)) if parameter.said else {}
        return said.get(value, plain(value, 60).replace("_", " "))
    if parameter.kind in NAMING:
        return plain(written(parameter.kind, value), 60) or parameter.none
    return shown(parameter, value) if isinstance(value, int | float) or parameter is MEMORY else plain(value, 60)


def differing(settings: list[Mapping[str, str]]) -> list[dict[str, str]]:
    """Of several runs' settings those that are not the same in all that have them."""
    names = dict.fromkeys(name for one in settings for name in one)
    apart = [name for name in names if len({one[name] for one in settings if name in one}) > 1]
    return [{name: one[name] for name in apart if name in one} for one in settings]


def _bounds(bounds: Any) -> str:
    if bounds is None:
        return "all"
    switches = bounds if isinstance(bounds, Mapping) else vars(bounds)
    left_out = [name.replace("_", " ") for name, used in switches.items() if not used]
    return "all" if not left_out else f"without {', '.join(left_out)}"
