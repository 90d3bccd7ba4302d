"""The command line: ``rulelab serve | fit | verify | bench | datasets``.

Exit status: 0 on success (a fit that a limit or Ctrl-C ends with a proven gap is one), 1 when the thing asked for
failed (a proof that is not valid), 2 for bad usage, and that includes bad input data.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..limits import MAX_ANTECEDENTS, MEMORY_LIMIT, TIME_LIMIT
from .console import CommandError, one_line, say, table
from .families import CRITERIA, FAMILIES
from .fit import fit
from .verify import verify

BENCHMARKS = Path(__file__).resolve().parents[2] / "tests" / "benchmarks"
_SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


class _Parser(argparse.ArgumentParser):
    """Reports bad usage in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {one_line(message)} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments without the program's name; default: those of this process.

    Returns
    -------
    int
        The exit status.

    Raises
    ------
    SystemExit
        With status 2 when the arguments are wrong, with 0 after ``--help`` and ``--version``.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(argv)
    try:
        status = args.run(args)
        sys.stdout.flush()
        return status
    except CommandError as error:
        say(f"rulelab {args.command}: error: {one_line(str(error))}")
        return error.status
    except KeyboardInterrupt:
        say(f"rulelab {args.command}: interrupted")
        return 1
    except BrokenPipeError:  # the reader of our output has gone; nothing may be written to it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _serve(args: argparse.Namespace) -> int:
    from ..views import serve

    try:
        serve(port=args.port, address=args.address, show=args.show)
    except OSError as error:
        what = error.strerror or error
        raise CommandError(
            f"cannot listen on {args.address}, port {args.port}: {what}; choose another --port", 1
        ) from error
    return 0


def _datasets(args: argparse.Namespace) -> int:
    from .. import datasets

    known = datasets.catalogue()
    rows = [
        (name, r.availability, f"{r.rows}", f"{r.features}", f"{100 * r.positives / r.rows:.1f}", r.target, r.sensitive)
        for name, r in zip(known.index, known.itertuples(), strict=True)
    ]
    print(table(("name", "where", "rows", "features", "positive %", "target", "sensitive"), rows, right=(2, 3, 4)))
    print(f"\ncached ones are in {datasets.home()} ({datasets.cache.HOME_VARIABLE}); `load` fetches the others")
    return 0


def _bench(args: argparse.Namespace) -> int:
    found = {path.stem.replace("_", "-"): path for path in sorted(BENCHMARKS.glob("[!_]*.py"))}
    if not found:
        raise CommandError(
            f"there are no benchmarks in {BENCHMARKS}: they come with the source checkout, not with an installed copy"
        )
    if args.name is None:
        print("benchmarks: " + ", ".join(found))
        return 0
    if args.name not in found:
        raise CommandError(f"there is no benchmark {args.name!r}; the benchmarks are {', '.join(found)}")
    path = found[args.name]
    sys.path.insert(0, str(BENCHMARKS))  # they share a module of their own
    module = importlib.import_module(path.stem)
    return module.main(args.arguments) or 0


def _number(low: float, high: float, ends: bool, allowed: str) -> Any:
    """A parser of numbers within limits, which are allowed themselves or not."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (low <= value <= high if ends else low < value < high):
            raise argparse.ArgumentTypeError(f"must be {allowed}, not {text!r}")
        return value

    return parse


def _or_none(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser that takes "none" for no limit."""

    def parse_limit(text: str) -> Any:
        return None if text.strip().lower() == "none" else parse(text)

    return parse_limit


def _whole(least: int) -> Any:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,18}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r}")
        return int(text)

    return parse


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?) ?([KMG]?B)?", text.strip(), re.IGNORECASE)
    size = int(float(match[1]) * _SIZES[(match[2] or "").upper()]) if match else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"must be a size such as 500MB or 2GB, not {text!r}")
    return size


def _port(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rulelab", description="Certifiably optimal rule lists and rule sets: fit them, watch the search."
    )
    parser.add_argument("--version", action="version", version=f"rulelab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_serve(commands.add_parser("serve", help="serve the dashboard", description="Serve the dashboard."))
    fit = "Find the optimal model of a table, with a proof; the model goes to stdout, the progress to stderr."
    _add_fit(commands.add_parser("fit", help="find the optimal model of a table", description=fit))
    check = "Check the proof that `rulelab fit --proof` saved: on the data, without binarizing, mining and searching."
    _add_verify(commands.add_parser("verify", help="check a proof on the data", description=check))
    listing = commands.add_parser("datasets", help="list the data sets", description="List the data sets.")
    listing.set_defaults(run=_datasets)
    bench = commands.add_parser("bench", help="measure the speed", description="Run a benchmark of the checkout.")
    bench.add_argument("name", nargs="?", metavar="NAME", help="which benchmark; without it they are listed")
    bench.add_argument("arguments", nargs=argparse.REMAINDER, help="its own options; NAME --help lists them")
    bench.set_defaults(run=_bench)
    return parser


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=5006, help="0 for any free one (default: %(default)s)")
    parser.add_argument("--address", default="127.0.0.1", help="network address to listen on (default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="open a browser")
    parser.set_defaults(run=_serve)


def _add_fit(parser: argparse.ArgumentParser) -> None:
    share = _number(0, 1, True, "a fraction from 0 to 1")
    least_zero = _number(0, math.inf, True, "a number of at least 0")

    def add(group: Any, *flags: str, text: str, **options: Any) -> None:
        shown = options.get("default") not in (None, [], False, argparse.SUPPRESS)
        group.add_argument(*flags, help=text + (" (default: %(default)s)" if shown else ""), **options)

    parser.add_argument("data", help="a CSV or Parquet file, or the name of a data set (see `rulelab datasets`)")
    add(parser, "--target", metavar="COLUMN", text="the column to predict; needed for a file")
    add(parser, "--model", choices=list(FAMILIES), default="rule-list", text="the family of models")
    add(parser, "-o", "--output", metavar="FILE", text="save the model as JSON")
    add(parser, "--proof", metavar="FILE", text="save the proof that it is optimal, for `rulelab verify`")
    add(parser, "--quiet", action="store_true", text="no progress")

    group = parser.add_argument_group("data")
    add(group, "--positive", metavar="LABEL", text="the class to predict; by default the larger label")
    columns = {"action": "append", "default": [], "metavar": "COLUMN"}
    add(group, "--leave-out", **columns, text="not a feature; may be repeated")
    add(group, "--sensitive", **columns, text="sensitive attribute: no feature, rates per group are shown; repeatable")
    add(group, "--keep-sensitive", action="store_true", text="rules may use the sensitive attributes all the same")

    group = parser.add_argument_group("conditions")
    add(group, "--thresholds", type=_whole(2), default=10, metavar="N", text="quantile groups of a number")
    add(group, "--no-negations", dest="negations", action="store_false", text="no `!=` and no `not`")
    add(group, "--max-categories", type=_whole(1), default=20, metavar="N", text="categories of a column")
    most = "most conditions that a rule joins: at most 3 for lists (default: 2), any number for sets (default: any)"
    add(group, "--max-conditions", type=_whole(1), metavar="N", text=most)
    for name, what in (("min", "least"), ("max", "largest")):
        add(group, f"--{name}-support", type=share, metavar="X", text=f"{what} fraction of the rows, for lists")

    most = f"most antecedents; where there are more, fewer conditions are joined; or none (default: {MAX_ANTECEDENTS})"
    add(group, "--max-antecedents", type=_or_none(_whole(1)), default=argparse.SUPPRESS, metavar="N", text=most)

    group = parser.add_argument_group("search")
    add(
        group,
        "--regularization",
        type=least_zero,
        metavar="X",
        text="cost of a rule (lists, default: 0.01) or, in rows, of a unit of complexity (sets, default: 0)",
    )
    add(group, "--random-state", type=_whole(0), metavar="N", text="seed of what is random")

    group = parser.add_argument_group("rule lists")
    policies = "lower_bound, objective, curiosity, breadth_first, depth_first or random"
    add(group, "--policy", metavar="NAME", text=f"order of the search: {policies}")
    add(group, "--max-length", type=_whole(0), metavar="N", text="most rules, not counting the default")
    add(group, "--beam-width", type=_whole(0), metavar="N", text="of the search for a first list (default: 500)")

    group = parser.add_argument_group("falling rule lists")
    above_zero = _number(0, math.inf, False, "a number above 0")
    add(
        group,
        "--positive-weight",
        type=above_zero,
        metavar="W",
        text="false alarms that a missed positive costs (default: 1)",
    )
    add(group, "--violation-penalty", type=least_zero, metavar="X", text="softly falling: cost of a rise by 1")
    add(group, "--method", choices=["exact", "monte_carlo"], text="monte_carlo proves nothing (default: exact)")
    add(group, "--iterations", type=_whole(1), metavar="N", text="random lists (default: 3000)")

    group = parser.add_argument_group("rule sets")
    add(group, "--max-complexity", type=_whole(2), metavar="C", text="most rules and conditions together (default: 20)")
    add(group, "--loss", choices=["hamming", "zero_one"], text="what is minimized (default: hamming)")
    add(group, "--form", choices=["dnf", "cnf"], text="any rule, or all clauses (default: dnf)")
    add(group, "--fairness", metavar="NAME:EPS", text=f"{', '.join(CRITERIA)}; such as equal-opportunity:0.05")

    what = "At a limit, and at Ctrl-C, the best model so far is given, with its proven gap."
    group = parser.add_argument_group("limits", what)
    text = "seconds of search, or none"
    add(group, "--time-limit", type=_or_none(least_zero), default=TIME_LIMIT, metavar="S", text=text)
    add(group, "--gap", type=least_zero, default=0.0, metavar="X", text="stop at this distance from the optimum")
    text = f"such as 500MB or 2GB, or none (default: {MEMORY_LIMIT // 10**9}GB)"
    add(group, "--memory-limit", type=_or_none(_size), default=argparse.SUPPRESS, metavar="SIZE", text=text)
    parser.set_defaults(run=fit)


def _add_verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", help="the CSV or Parquet file, or the name of the data set, that the model was fitted to"
    )
    parser.add_argument("model", help="the model, as `rulelab fit -o` saves it")
    parser.add_argument("proof", help="the proof, as `rulelab fit --proof` saves it")
    group = parser.add_argument_group("what the proof must speak for", "By default whatever it says.")
    group.add_argument("--target", metavar="COLUMN", help="the column that is predicted")
    group.add_argument("--positive", metavar="LABEL", help="the class that is predicted")
    number = _number(0, sys.float_info.max, True, "a number of at least 0")
    text = "cost of a rule (lists) or, in rows, of a unit of complexity (sets)"
    group.add_argument("--regularization", type=number, metavar="X", help=text)
    text = "sensitive attribute of a file, for a proof that compares groups; repeatable"
    group.add_argument("--sensitive", action="append", default=[], metavar="COLUMN", help=text)
    parser.set_defaults(run=verify)
