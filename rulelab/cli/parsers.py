"""What each command takes: its options in their groups, in the order of its help."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..families import EVERY, Family
from ..parameters import BINARIZING, FREE_RULES, MEMORY, MINING, MUST_NOT_USE, NAMING, TIME_LIMIT, Parameter
from .options import ASKED, BY_COLUMN, CRITERIA_NAMES, MODELS, OF_LISTS, OPTIONS, PREDICTIVE, READERS, reader_of, whole
from .output import one_line, to_write

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
_METAVARS = {
    "whole": "N", "number": "X", "fraction": "X", "size": "SIZE", "text": "NAME", "name": "NAME",
    "criterion": "NAME:EPS",
}  # fmt: skip


class _Parser(argparse.ArgumentParser):
    """Reports bad usage in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {one_line(message)} (see {self.prog} --help)\n")


def command_parser() -> argparse.ArgumentParser:
    """The parser of all commands; ``run`` names the function of the one that is asked for, by module and name."""
    parser = _Parser(
        prog="rulelab",
        usage="rulelab [-h] [--version] COMMAND ...",
        description=f"Certifiably optimal rule lists and rule sets: fit them, watch the search.\n\n{_overview()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rulelab {__version__}")
    commands = parser.add_subparsers(dest="command", prog="rulelab", metavar="COMMAND", help=argparse.SUPPRESS)
    for name, said in COMMANDS.items():
        made = commands.add_parser(name, description=said["about"])
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


def _overview() -> str:
    """The commands by what one does with them, and the names of those for some."""
    lines: list[str] = []
    for part in dict.fromkeys(said["part"] for said in COMMANDS.values() if "part" in said):
        lines += [f"{part}:", *(f"  {n:10} {said['help']}" for n, said in COMMANDS.items() if said.get("part") == part)]
    rest = [name for name, said in COMMANDS.items() if "part" not in said]
    return "\n".join([*lines, "", f"to study searches: {', '.join(rest)}", "more of each: rulelab COMMAND --help"])


def _table(parser: argparse.ArgumentParser, models: Iterable[str] = ()) -> None:
    """A table and its target, and models of these families, the first of them by default."""
    add_options(parser, "table")
    if choices := tuple(models):
        add(parser, "--model", choices=choices, default=choices[0], text="the family of models")
    add_options(parser, "quiet")


def _of_table(parser: argparse.ArgumentParser, name: str) -> None:
    """A table, the options of the command, and those for the problem that is made of it."""
    said = COMMANDS[name]
    _table(parser, MODELS if said.get("models") is True else said.get("models", ()))
    add_options(parser, name)
    add_problem(parser, said.get("of", MODELS), said.get("without", ()), said.get("demands", False))


def _frontier(parser: argparse.ArgumentParser) -> None:
    _table(parser, OF_PLACES)
    add_options(parser, "frontier")
    add_problem(parser, OF_PLACES, OTHERWISE)
    group = parser.add_argument_group("points")
    add_options(group, "frontier.points", most=MOST_RULES, names=", ".join(CRITERIA_NAMES))


def _least_gap(parser: argparse.ArgumentParser) -> None:
    _table(parser)
    add_options(parser, "least-gap")
    add_columns(parser)
    add_preparation(parser, _TWO_MODELS)
    names = list(CRITERIA_NAMES)
    criteria = {"--criterion": {"choices": names, "default": names[0]}}
    add_options(parser.add_argument_group("gap"), "least-gap.between", criteria, price=FREE_RULES.default)
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


def add(group: Any, *flags: str, text: str, **options: Any) -> None:
    """Add an option whose help names its default, if the text does not."""
    shown = options.get("default") not in (None, "", [], False, argparse.SUPPRESS) and "(default" not in text
    group.add_argument(*flags, help=text + (" (default: %(default)s)" if shown else ""), **options)


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


def add_limits(parser: argparse.ArgumentParser, what: str, table: str = "limits") -> Any:
    """The time and the memory limit; ``what`` says what there is at a limit. Returns the group."""
    group = parser.add_argument_group("limits", what)
    add_options(group, table, {"--time-limit": {"default": TIME_LIMIT}})
    _add(group, MEMORY.name, list(MODELS.values()))
    return group


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
        if name in prepared or name in without or (name in OF_LISTS and not demands):
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
        metavar, parse = BY_COLUMN.get(first.kind, ("NAME", str))
        repeated: dict[str, Any] = {"action": "append", "default": argparse.SUPPRESS, "type": parse}
        add(group, f"--{flag}", metavar=metavar, text=f"{text}; repeatable", **repeated)
        return
    if first.kind == "criterion":
        text += f": {', '.join(CRITERIA_NAMES)}; of rule lists {PREDICTIVE}; such as equal-opportunity:0.05"
    options: dict[str, Any] = {"metavar": _METAVARS.get(first.kind)}
    options |= {"choices": first.choices} if first.kind == "choice" else {"type": reader_of(_widest(list(known)))}
    add(group, f"--{flag}", default=argparse.SUPPRESS, text=text, **options)


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
