"""The parameters of families as options, and what was chosen of them as a recipe."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..families import (
    BINARIZING,
    CRITERIA,
    DEMANDS,
    FAMILIES,
    MEMORY,
    MINING,
    MONOTONE,
    MUST_NOT_USE,
    NAMING,
    OFFERED,
    PREDICTIVE_PARITY,
    Family,
    Parameter,
)
from ..families.typed import entry
from .options import add, add_columns, number, or_none, size, whole
from .output import CommandError, one_line, refuse

if TYPE_CHECKING:
    from ..models import Model
    from ..recipe import Recipe
    from ..rule_set import Criterion

MODELS: dict[str, Family] = {name.replace("_", "-"): family for name, family in FAMILIES.items()}
"""The families by the value of ``--model``."""
ASKED: dict[str, Family] = {name.replace("_", "-"): family for name, family in OFFERED.items()}
"""These, and the other questions about their models that a sweep can ask."""
CRITERIA_NAMES = {name.replace("_", "-"): record for name, record in CRITERIA.items()}
"""The fairness criteria by their names in options."""
_PREDICTIVE_PARITY = PREDICTIVE_PARITY.name.replace("_", "-")
_OF_LISTS = {each.name for each in (*DEMANDS, MONOTONE)}
_METAVARS = {
    "whole": "N",
    "number": "X",
    "fraction": "X",
    "size": "SIZE",
    "text": "NAME",
    "criterion": "NAME:EPS",
    "name": "NAME",
}


def add_preparation(parser: argparse.ArgumentParser, models: Iterable[str] = tuple(MODELS)) -> None:
    """How conditions are made of columns, and antecedents of conditions."""
    group = parser.add_argument_group("conditions")
    families = [ASKED[model] for model in models]
    names = [each.name for each in (*BINARIZING, *(MINING if any(family.mined for family in families) else ()))]
    own = [each.name for family in families for each in (MUST_NOT_USE, *family.shaping)]
    for name in [*names, *(() if "max_conditions" in names else ("max_conditions",)), *dict.fromkeys(own)]:
        _add(group, name, families)


def add_parameters(
    parser: argparse.ArgumentParser,
    models: Iterable[str] = tuple(MODELS),
    without: Iterable[str] = (),
    demands: bool = False,
) -> None:
    """The parameters of the searches of these families, those of one family alone under its name.

    With ``demands`` those, too, that say what a list has to use.
    """
    families = [ASKED[model] for model in models]
    parser.set_defaults(demands=demands)
    prepared = {each.name for each in (*BINARIZING, *MINING, *(one for family in families for one in family.shaping))}
    names = list(dict.fromkeys(each.name for family in families for each in family.own))
    groups: dict[str, Any] = {}
    for name in names:
        if name in prepared or name in without or (name in _OF_LISTS and not demands):
            continue
        owners = [family for family in families if any(each.name == name for each in family.own)]
        title = owners[0].plural if len(owners) == 1 else "search"
        title = "least gap" if all(family.needs_groups for family in owners) else title
        if title not in groups:
            groups[title] = parser.add_argument_group(title)
        _add(groups[title], name, owners)


def add_problem(
    parser: argparse.ArgumentParser,
    models: Iterable[str] = tuple(MODELS),
    without: Iterable[str] = (),
    demands: bool = False,
) -> None:
    """The columns of the table, and all parameters, of its preparation and of the searches."""
    add_columns(parser)
    add_preparation(parser, models)
    add_parameters(parser, models, without, demands)


def add_memory(group: Any) -> None:
    """The memory limit."""
    _add(group, MEMORY.name, list(MODELS.values()))


def settings_of(args: argparse.Namespace, model: str, without: Collection[str] = ()) -> dict[str, Any]:
    """The parameters of a family as they were given, or else their defaults; refuses those of other families."""
    defaults = ASKED[model].defaults
    chosen = {name: default if name in without else getattr(args, name, default) for name, default in defaults.items()}
    every = [each for family in ASKED.values() for each in family.parameters]
    strange = (each.name for each in every if each.name not in chosen and each.kind != "measure")
    refuse(args, strange, f"--model {model}")
    if model == "rule-list" and not args.demands:
        refuse(args, sorted(_OF_LISTS), f"--model {model} here")
    if chosen.get("method", "exact") != "exact" and hasattr(args, MEMORY.name):
        raise CommandError("--memory-limit is for --method exact: the other needs next to no memory")
    if isinstance(chosen.get("fairness"), str):
        chosen["fairness"] = criterion_of(chosen["fairness"])
    if "criterion" in chosen:
        chosen["criterion"] = chosen["criterion"].replace("-", "_")
    for each in ASKED[model].parameters:
        if each.kind in _BY_COLUMN and isinstance(chosen[each.name], list):
            chosen[each.name] = _by_column(each, chosen[each.name])
    return chosen


def recipe_of(args: argparse.Namespace, model: str, without: Collection[str] = ()) -> Recipe:
    """What was chosen, as a recipe; the options ``without`` mean something else, and their parameters are as ever."""
    from ..recipe import Recipe

    return Recipe(ASKED[model], settings_of(args, model, without))


def criterion_of(text: str) -> Criterion:
    """The criterion of an option such as ``equal-opportunity:0.05``."""
    name, _, limits = text.partition(":")
    records = CRITERIA_NAMES | {_PREDICTIVE_PARITY: PREDICTIVE_PARITY}
    try:
        return records[name].make(*(float(limit) for limit in limits.split(",")))
    except (KeyError, ValueError) as error:
        known, why = ", ".join(records), f" ({one_line(str(error))})" if name in records and limits else ""
        raise CommandError(
            f"--fairness must be a criterion and the largest difference it allows, such as equal-opportunity:0.05 or "
            f"equalized-odds:0.05,0.05, not {one_line(text)!r}{why}; there are {known}"
        ) from None


def family_of(model: Model) -> Family:
    """The family of a saved model."""
    return FAMILIES[model.family]


def _add(group: Any, name: str, families: Iterable[Family]) -> None:
    """Add an option for a parameter of some families, which are named where they differ."""
    known: dict[Parameter, list[str]] = {}
    for family in families:
        for each in family.parameters:
            if each.name == name:
                known.setdefault(each, []).append(family.plural)
    first, flag = next(iter(known)), name.replace("_", "-")
    text = "; ".join(_text(each, nouns if len(known) > 1 else []) for each, nouns in known.items())
    if first.kind == "switch":
        flag, action = (f"no-{flag}", "store_false") if first.default else (flag, "store_true")
        text = f"no {text}" if first.default else text
        add(group, f"--{flag}", dest=name, action=action, default=argparse.SUPPRESS, text=text)
        return
    if first.kind in NAMING and first.kind != "name":
        metavar, parse = _BY_COLUMN.get(first.kind, ("NAME", str))
        repeated: dict[str, Any] = {"action": "append", "default": argparse.SUPPRESS, "type": parse}
        add(group, f"--{flag}", metavar=metavar, text=f"{text}; repeatable", **repeated)
        return
    if first.kind == "criterion":
        text += f": {', '.join(CRITERIA_NAMES)}; of rule lists {_PREDICTIVE_PARITY}; such as equal-opportunity:0.05"
    options: dict[str, Any] = {"metavar": _METAVARS.get(first.kind)}
    options |= {"choices": first.choices} if first.kind == "choice" else {"type": reader_of(_widest(list(known)))}
    add(group, f"--{flag}", default=argparse.SUPPRESS, text=text, **options)


def _entry(kind: str) -> Callable[[str], tuple[str, Any]]:
    """What reads an option of a kind that says something of a column."""

    def read(text: str) -> tuple[str, Any]:
        try:
            return entry(kind, text)
        except ValueError as wanted:
            raise argparse.ArgumentTypeError(f"must be {wanted}, not {text!r}") from None

    return read


_BY_COLUMN: dict[str, tuple[str, Any]] = {
    "limits": ("COLUMN:K", _entry("limits")),
    "directions": ("COLUMN:WAY", _entry("directions")),
}
"""How options of these kinds are called and read."""


def _by_column(parameter: Parameter, given: list[tuple[str, Any]]) -> dict[str, Any]:
    """The values by column; CommandError for two of one column."""
    found = dict(given)
    for column, value in given:
        if found[column] != value:
            raise CommandError(f"--{parameter.name.replace('_', '-')} says two things of {one_line(column)}")
    return found


def _text(parameter: Parameter, nouns: Iterable[str]) -> str:
    default = parameter.default
    notes = [", ".join(nouns)]
    if default is not None and parameter.kind != "switch":
        notes.append(f"default: {default // 10**9}GB" if parameter.kind == "size" else f"default: {default}")
    if parameter.lifted:
        notes.append("or none")
    said = "; ".join(filter(None, notes))
    return f"{parameter.help} ({said})" if said else parameter.help


def _widest(parameters: Sequence[Parameter]) -> Parameter:
    """The first, with a range that has those of all: which family is asked for is known when all options are read."""
    return replace(
        parameters[0],
        least=min(each.least for each in parameters),
        most=max(each.most for each in parameters),
        above=all(each.above for each in parameters),
        below=all(each.below for each in parameters),
    )


def reader_of(parameter: Parameter) -> Any:
    """What reads a value of a parameter from a text; it raises ArgumentTypeError."""
    parse = {
        "whole": whole(int(parameter.least)),
        "number": number(parameter.accepts, parameter.required),
        "fraction": number(parameter.accepts, parameter.required),
        "size": size,
    }.get(parameter.kind, str)
    return or_none(parse) if parameter.lifted else parse
