"""Options that several commands take, and the values that they accept."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from typing import Any

from ..parameters import TIME_LIMIT
from .output import Read, to_write

READING = {
    "encoding": "such as utf-8, utf-16, cp1252",
    "separator": "between cells: comma, semicolon, tab, pipe, or a character",
    "decimal": "point or comma",
    "thousands": "none, comma, point, space or apostrophe",
    "missing": "is an empty cell, such as '?'; with '' among them nothing else is; repeatable",
    "skip": "lines above the table, such as its title",
    "header": "yes or no: whether the first line names the columns, else they are c1, c2, ...",
}
"""The options of how a file is written, which are arguments of `rulelab.datasets.read`."""
_METAVARS = {"encoding": "NAME", "skip": "N", "header": "YES"}
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

    def parse_limit(text: str) -> Any:
        return None if text.strip().lower() == "none" else parse(text)

    return parse_limit


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


def add_written(group: Any, *flags: str, text: str, endings: tuple[str, ...] = (), **options: Any) -> None:
    """Add an option that names a file to write, of one of the endings; without flags that of what is found."""
    add(group, *(flags or ("-o", "--output")), type=to_write(*endings), metavar="FILE", text=text, **options)


def source(name: str) -> Read:
    """The name of a table; - is what comes in by the standard input."""
    return Read("/dev/stdin" if name == "-" else name)


def table_command(
    commands: Any, run: Callable[[argparse.Namespace], int], name: str, brief: str, about: str, *models: str
) -> argparse.ArgumentParser:
    """A command for a table and its target, and for models of these families, the first of them by default."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=brief, description=about)
    text = (
        "a CSV or Parquet file, several ('data/*.parquet'), - for the standard input, or the name of a data set (see "
        "`rulelab datasets`)"
    )
    parser.add_argument("data", type=source, help=text)
    add(parser, "--target", metavar="COLUMN", text="the column to predict; needed for a file")
    if models:
        add(parser, "--model", choices=models, default=models[0], text="the family of models")
    add(parser, "--quiet", action="store_true", text="no progress")
    parser.set_defaults(run=run)
    return parser


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Which columns are used, and as what."""
    group = parser.add_argument_group("data")
    add(
        group,
        "--positive",
        metavar="LABEL",
        text="the class to predict; by default yes, 1 and the like, or the rarer one",
    )
    columns = {"action": "append", "default": [], "metavar": "COLUMN"}
    add(group, "--leave-out", **columns, text="not a feature; may be repeated")
    text = "rules may use whole numbers that number the rows all the same"
    add(group, "--keep-identifiers", action="store_true", text=text)
    text = "sensitive attribute: no feature, rates per group are shown; by default what is called so; repeatable"
    add(group, "--sensitive", **columns, text=text)
    add(group, "--keep-sensitive", action="store_true", text="rules may use the sensitive attributes all the same")
    add(group, "--weight", metavar="COLUMN", text="how much each row counts; no feature")
    add_count(group)
    text = "leave out what fewer than N rows share, whatever their class; how many rows that are is said; counts"
    add(group, "--at-least", type=whole(1), metavar="N", text=text)
    add_reading(parser)


def add_count(group: Any) -> None:
    """Counting a file, which several files always are, and what only counts can do."""
    text = "count the rows where they lie, without reading the file into memory; always so for several files"
    add(group, "--count", action="store_true", text=text)
    add(group, "--scheduler", metavar="ADDRESS", text="count Parquet files with this Dask cluster; counts")
    text = "keep this share of the rows out of training, by a hash of --key, and test on them; counts"
    add(group, "--test-share", type=number(lambda value: 0 < value < 1, "above 0 and below 1"), metavar="X", text=text)
    add(group, "--key", metavar="COLUMN", text="whole numbers; rows of one key stay together; no feature")
    text = "instead: a column that is true (or 1, or 'test') for the rows to test on; no feature; counts"
    add(group, "--test-column", metavar="COLUMN", text=text)


def add_reading(parser: argparse.ArgumentParser, roles: bool = True) -> None:
    """How a file is written, and with ``roles`` what becomes of its dates and of rows without a target."""
    group = parser.add_argument_group("file", "What is not given is guessed; `rulelab datasets --describe` shows it.")
    for name, text in READING.items():
        several = {"action": "append"} if name == "missing" else {}
        add(group, f"--{name}", metavar=_METAVARS.get(name, "MARK"), text=text, **several)
    if not roles:
        return
    add(
        group,
        "--dates",
        choices=["parts", "ignore"],
        default="parts",
        text="as year, month, weekday and hour, or not at all",
    )
    add(group, "--drop-missing-target", action="store_true", text="leave rows without a target out; they are counted")
    text = "what becomes of rows whose target is 'unknown', '?' or the like, beside two classes"
    add(group, "--unknown", choices=["leave out", "negative"], default="leave out", text=text)


def reading_of(args: argparse.Namespace) -> dict[str, Any]:
    """What was said of how a file is written."""
    return {name: getattr(args, name) for name in READING if getattr(args, name) is not None}


def add_proof_limit(parser: Any) -> None:
    """How long a proof may take."""
    text = "seconds that making the proof may take, or none (default: as --time-limit)"
    add(parser, "--proof-time-limit", type=or_none(least_zero), default=argparse.SUPPRESS, metavar="S", text=text)


def add_limits(parser: argparse.ArgumentParser, what: str) -> Any:
    """The time limit; ``what`` says what there is at a limit. Returns the group."""
    group = parser.add_argument_group("limits", what)
    text = "seconds of search, or none"
    add(group, "--time-limit", type=or_none(least_zero), default=TIME_LIMIT, metavar="S", text=text)
    return group
