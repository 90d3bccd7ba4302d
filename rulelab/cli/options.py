"""Options that several commands take, and the values that they accept."""

from __future__ import annotations

import argparse
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..families import CRITERIA, FAMILIES, OFFERED, PREDICTIVE_PARITY, Family
from ..families.typed import entry
from ..parameters import BINARIZING, DEMANDS, MEMORY, MINING, MONOTONE, MUST_NOT_USE, NAMING, TIME_LIMIT, Parameter
from .output import CommandError, Read, one_line, refuse, to_write

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


def add(group: Any, *flags: str, text: str, **options: Any) -> None:
    """Add an option whose help names its default, if the text does not."""
    shown = options.get("default") not in (None, "", [], False, argparse.SUPPRESS) and "(default" not in text
    group.add_argument(*flags, help=text + (" (default: %(default)s)" if shown else ""), **options)


def port(text: str) -> int:
    """A number of a port."""
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not {text!r}")
    return int(text)


READERS: dict[str, Any] = {
    "file": Read,
    "folder": Path,
    "jobs": jobs,
    "number": least_zero,
    "port": port,
    "price": number(lambda value: 0 <= value < math.inf, "a number of at least 0"),
    "seconds": or_none(least_zero),
    "share": number(lambda value: 0 < value < 1, "above 0 and below 1"),
    "size": size,
    "table": lambda name: Read("/dev/stdin" if name == "-" else name),  # - is what comes in by the standard input
}


def add_options(group: Any, table: str, more: Mapping[str, dict[str, Any]] | None = None, **words: Any) -> None:
    """Add the options of a table of ``options.toml``, if any; ``more`` says more, ``words`` stand in their help."""
    for flags, said in OPTIONS.get(table, {}).items():
        names = flags.split(", ")
        options = {**said, **(more or {}).get(names[0], {})}
        text = options.pop("help")
        if options.pop("flag", False):
            options["action"] = "store_true"
        if options.pop("append", False):
            options |= {"action": "append", "default": []}
        if options.pop("given", False):
            options["default"] = argparse.SUPPRESS
        if "whole" in options:
            options["type"] = whole(options.pop("whole"))
        if "reads" in options:
            options["type"] = READERS[options.pop("reads")]
        if "writes" in options:
            options |= {"type": to_write(*options.pop("writes")), "metavar": "FILE"}
        add(group, *names, text=text.format(**words) if words else text, **options)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Which columns are used, and as what."""
    group = parser.add_argument_group("data")
    for table in ("columns", "count", "rare"):
        add_options(group, table)
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser, roles: bool = True) -> None:
    """How a file is written, and with ``roles`` what becomes of its dates and of rows without a target."""
    group = parser.add_argument_group("file", "What is not given is guessed; `rulelab datasets --describe` shows it.")
    add_options(group, "reading")
    if roles:
        add_options(group, "roles")


def reading_of(args: argparse.Namespace) -> dict[str, Any]:
    """What was said of how a file is written."""
    given = {flag: getattr(args, flag) for flag in (each.removeprefix("--") for each in OPTIONS["reading"])}
    return {name: value for name, value in given.items() if value is not None and value != []}


def add_limits(parser: argparse.ArgumentParser, what: str, table: str = "limits") -> Any:
    """The time and the memory limit; ``what`` says what there is at a limit. Returns the group."""
    group = parser.add_argument_group("limits", what)
    add_options(group, table, {"--time-limit": {"default": TIME_LIMIT}})
    _add(group, MEMORY.name, list(MODELS.values()))
    return group


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
    """The parameters of the searches of these families; with ``demands`` those, too, of what a list has to use."""
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


def settings_of(args: argparse.Namespace, model: str, without: Collection[str] = ()) -> dict[str, Any]:
    """The parameters of a family as they were given, or else their defaults; refuses those of other families."""
    defaults = ASKED[model].defaults
    chosen = {name: default if name in without else getattr(args, name, default) for name, default in defaults.items()}
    every = [each for family in ASKED.values() for each in family.parameters]
    strange = (each.name for each in every if each.name not in chosen and each.kind != "measure")
    refuse(args, strange, f"--model {model}", none=True)
    if model == "rule-list" and not args.demands:
        refuse(args, sorted(_OF_LISTS), f"--model {model} here", none=True)
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
