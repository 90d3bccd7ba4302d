"""What each command takes: its options in their groups, in the order of its help."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..families import EVERY
from ..parameters import FREE_RULES, MAX_LENGTH, MIN_ACCURACY
from .options import (
    ASKED,
    CRITERIA_NAMES,
    MODELS,
    OPTIONS,
    add,
    add_columns,
    add_limits,
    add_options,
    add_parameters,
    add_preparation,
    add_problem,
    add_reading,
    reader_of,
    several,
    whole,
)
from .output import one_line

COMMANDS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
"""What is said of each command, and the function that runs it."""
OF_PLACES = {
    "rule-list": ("regularization", "beam_width", "min_group_size"),
    "falling-rule-list": ("positive_weight", "regularization", "min_group_size"),
    "rule-set": ("max_conditions", "loss", "form", "regularization", "min_group_size"),
}
"""Parameters of the search at each tolerance, or complexity, of a front."""
OTHERWISE = ("policy", "max_length", "max_complexity", "fairness", "column_limit", "labels")
"""Parameters that the points of a front vary, or that it does not have."""
MOST_RULES = 8
"""Of the last point of a front by number of rules."""
OF_GAPS = ("regularization", "policy", "max_length", "fairness", "labels")
"""Parameters that mean something else where the gap between groups is to be least."""
FOLDS = 10
"""Of a sweep."""
_TWO_MODELS = ("rule-list", "rule-set")


class _Parser(argparse.ArgumentParser):
    """Reports bad usage in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {one_line(message)} (see {self.prog} --help)\n")


def command_parser() -> argparse.ArgumentParser:
    """The parser of all commands; ``run`` names the function of the one that is asked for, by module and name."""
    parser = _Parser(
        prog="rulelab", description="Certifiably optimal rule lists and rule sets: fit them, watch the search."
    )
    parser.add_argument("--version", action="version", version=f"rulelab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, said in COMMANDS.items():
        made = commands.add_parser(name, help=said["help"], description=said["about"])
        made.set_defaults(parser=made, run=said.get("run"))
        if name in _TAKEN:
            _TAKEN[name](made)
        elif "limits" in said:
            _of_table(made, name)
        else:
            add_options(made, name)
        if "roles" in said:
            add_reading(made, said["roles"])
        for title, table in said.get("groups", {}).items():
            add_options(made.add_argument_group(title), table)
        if "limits" in said:
            add_options(made, f"{name}.search")
            limits = add_limits(made, said["limits"], f"{name}.limits" if f"{name}.limits" in OPTIONS else "limits")
            add_options(limits, f"{name}.gap")
    return parser


def _table(parser: argparse.ArgumentParser, models: Iterable[str] = ()) -> None:
    """A table and its target, and models of these families, the first of them by default."""
    add_options(parser, "table")
    if choices := tuple(models):
        add(parser, "--model", choices=choices, default=choices[0], text="the family of models")
    add_options(parser, "quiet")


def _of_table(parser: argparse.ArgumentParser, name: str) -> None:
    """A table, the options of the command, and those for the problem that is made of it."""
    said = COMMANDS[name]
    _table(parser, said.get("models", ()))
    add_options(parser, name)
    add_problem(parser, said.get("of", MODELS), said.get("without", ()), said.get("demands", False))


def _frontier(parser: argparse.ArgumentParser) -> None:
    _table(parser, OF_PLACES)
    add_options(parser, "frontier")
    add_problem(parser, OF_PLACES, OTHERWISE)
    reads = {"--max-length": {"type": reader_of(MAX_LENGTH)}, "--max-complexity": {"type": several(whole(2))}}
    group = parser.add_argument_group("points")
    add_options(group, "frontier.points", reads, most=MOST_RULES, names=", ".join(CRITERIA_NAMES))


def _least_gap(parser: argparse.ArgumentParser) -> None:
    _table(parser)
    add_options(parser, "least-gap", {"--accuracy": {"type": several(reader_of(MIN_ACCURACY))}})
    add_columns(parser)
    add_preparation(parser, _TWO_MODELS)
    names = list(CRITERIA_NAMES)
    reads: dict[str, dict[str, Any]] = {"--criterion": {"choices": names, "default": names[0]}}
    reads |= {"--max-length": {"type": reader_of(MAX_LENGTH)}, "--regularization": {"type": reader_of(FREE_RULES)}}
    add_options(parser.add_argument_group("gap"), "least-gap.between", reads, price=FREE_RULES.default)
    add_options(parser, "least-gap.seed")
    add_parameters(parser, _TWO_MODELS, without=OF_GAPS)


def _sweep(parser: argparse.ArgumentParser) -> None:
    _table(parser)
    names = [name.replace("_", "-") for name, record in EVERY.items() if len(record.tolerances) == 1]
    choices = {"--model": {"choices": list(ASKED)}, "--criterion": {"choices": names}}
    add_options(parser, "sweep", choices, folds=FOLDS, first=names[0])
    add_problem(parser, ASKED, ["criterion"], demands=True)


def _proof(parser: argparse.ArgumentParser) -> None:
    """What names a proof, its model and its data, and what it must speak for."""
    add_options(parser, "proof")
    group = parser.add_argument_group("what the proof must speak for", "By default whatever it says.")
    add_options(group, "proof.of")
    add_options(group, "count")


def _runs(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (run, about) in COMMANDS["runs"]["actions"].items():
        made = actions.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        add_options(made, "runs")
        add_options(made, f"runs.{name}")
        made.set_defaults(run=run)


_TAKEN: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "frontier": _frontier,
    "least-gap": _least_gap,
    "sweep": _sweep,
    "verify": _proof,
    "explain-proof": _proof,
    "runs": _runs,
}
"""What adds the options of a command where these are not those of its table alone, or of a table and its problem."""
