"""Options that several commands take, and the values that they accept."""

from __future__ import annotations

import argparse
import math
import re
import tomllib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..families import CRITERIA, FAMILIES, OFFERED, PREDICTIVE_PARITY, Family
from ..families.typed import entry
from ..parameters import DEMANDS, FREE_RULES, MAX_LENGTH, MEMORY, MIN_ACCURACY, MONOTONE, Parameter
from .output import CommandError, Read, one_line, refuse

if TYPE_CHECKING:
    from ..recipe import Recipe
    from ..rule_set import Criterion

OPTIONS: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""By the place that adds them."""
_SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


def number(accepts: Callable[[float], bool], allowed: str) -> Any:
    """A parser of the numbers that are accepted; ``allowed`` says which."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not accepts(value):
            raise argparse.ArgumentTypeError(f"must be {allowed}, not {text!r}")
        return value

    return parse


least_zero = number(lambda value: value >= 0, "a number of at least 0")


def or_none(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser that takes "none" for no limit."""
    return lambda text: None if text.strip().lower() == "none" else parse(text)


def whole(least: int) -> Any:
    """A parser of whole numbers."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,18}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r}")
        return int(text)

    return parse


def jobs(text: str) -> int:
    """A number of threads; -1 for all cores."""
    return -1 if text.strip().lower() == "all" else int(whole(1)(text))


def several(parse: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """A parser of values with commas between them."""
    return lambda text: tuple(parse(part.strip()) for part in text.split(","))


def size(text: str) -> int:
    """Bytes."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?) ?([KMG]?B)?", text.strip(), re.IGNORECASE)
    found = int(float(match[1]) * _SIZES[(match[2] or "").upper()]) if match else 0
    if found < 1:
        raise argparse.ArgumentTypeError(f"must be a size such as 500MB or 2GB, not {text!r}")
    return found


def port(text: str) -> int:
    """A number of a port."""
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not {text!r}")
    return int(text)


def reading_of(args: argparse.Namespace) -> dict[str, Any]:
    """What was said of how a file is written."""
    given = {flag: getattr(args, flag) for flag in (each.removeprefix("--") for each in OPTIONS["reading"])}
    return {name: value for name, value in given.items() if value is not None and value != []}


MODELS: dict[str, Family] = {name.replace("_", "-"): family for name, family in FAMILIES.items()}
"""The families by the value of ``--model``."""
ASKED: dict[str, Family] = {name.replace("_", "-"): family for name, family in OFFERED.items()}
"""These, and the other questions about their models that a sweep can ask."""
CRITERIA_NAMES = {name.replace("_", "-"): record for name, record in CRITERIA.items()}
"""The fairness criteria by their names in options."""
PREDICTIVE = PREDICTIVE_PARITY.name.replace("_", "-")
OF_LISTS = {each.name for each in (*DEMANDS, MONOTONE)}


def settings_of(args: argparse.Namespace, model: str, without: Collection[str] = ()) -> dict[str, Any]:
    """The parameters of a family as they were given, or else their defaults; refuses those of other families."""
    defaults = ASKED[model].defaults
    chosen = {name: default if name in without else getattr(args, name, default) for name, default in defaults.items()}
    every = [each for family in ASKED.values() for each in family.parameters]
    strange = (each.name for each in every if each.name not in chosen and each.kind != "measure")
    refuse(args, strange, f"--model {model}", none=True)
    if model == "rule-list" and not args.demands:
        refuse(args, sorted(OF_LISTS), f"--model {model} here", none=True)
    if chosen.get("method", "exact") != "exact" and hasattr(args, MEMORY.name):
        raise CommandError("--memory-limit is for --method exact: the other needs next to no memory")
    if isinstance(chosen.get("fairness"), str):
        chosen["fairness"] = criterion_of(chosen["fairness"])
    if "criterion" in chosen:
        chosen["criterion"] = chosen["criterion"].replace("-", "_")
    for each in ASKED[model].parameters:
        if each.kind in BY_COLUMN and isinstance(chosen[each.name], list):
            chosen[each.name] = _by_column(each, chosen[each.name])
    return chosen


def recipe_of(args: argparse.Namespace, model: str, without: Collection[str] = ()) -> Recipe:
    """What was chosen, as a recipe; the options ``without`` mean something else, and their parameters are as ever."""
    from ..recipe import Recipe

    return Recipe(ASKED[model], settings_of(args, model, without))


def criterion_of(text: str) -> Criterion:
    """The criterion of an option such as ``equal-opportunity:0.05``."""
    name, _, limits = text.partition(":")
    records = CRITERIA_NAMES | {PREDICTIVE: PREDICTIVE_PARITY}
    try:
        return records[name].make(*(float(limit) for limit in limits.split(",")))
    except (KeyError, ValueError) as error:
        known, why = ", ".join(records), f" ({one_line(str(error))})" if name in records and limits else ""
        raise CommandError(
            f"--fairness must be a criterion and the largest difference it allows, such as equal-opportunity:0.05 or "
            f"equalized-odds:0.05,0.05, not {one_line(text)!r}{why}; there are {known}"
        ) from None


def _entry(kind: str) -> Callable[[str], tuple[str, Any]]:
    """What reads an option of a kind that says something of a column."""

    def read(text: str) -> tuple[str, Any]:
        try:
            return entry(kind, text)
        except ValueError as wanted:
            raise argparse.ArgumentTypeError(f"must be {wanted}, not {text!r}") from None

    return read


BY_COLUMN: dict[str, tuple[str, Any]] = {
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


def reader_of(parameter: Parameter) -> Any:
    """What reads a value of a parameter from a text; it raises ArgumentTypeError."""
    parse = {
        "whole": whole(int(parameter.least)),
        "number": number(parameter.accepts, parameter.required),
        "fraction": number(parameter.accepts, parameter.required),
        "size": size,
    }.get(parameter.kind, str)
    return or_none(parse) if parameter.lifted else parse


READERS: dict[str, Any] = {
    "accuracies": several(reader_of(MIN_ACCURACY)),
    "complexities": several(whole(2)),
    "file": Read,
    "folder": Path,
    "jobs": jobs,
    "free_price": reader_of(FREE_RULES),
    "max_length": reader_of(MAX_LENGTH),
    "number": least_zero,
    "port": port,
    "price": number(lambda value: 0 <= value < math.inf, "a number of at least 0"),
    "seconds": or_none(least_zero),
    "share": number(lambda value: 0 < value < 1, "above 0 and below 1"),
    "size": size,
    "table": lambda name: Read("/dev/stdin" if name == "-" else name),  # - is what comes in by the standard input
}
"""What reads the values of options, by what their tables say."""
