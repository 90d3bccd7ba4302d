"""The command line: ``rulelab`` and a command, such as ``serve``, ``fit``, ``least-gap`` or ``verify``.

Exit status: 0 on success (a fit that a limit or Ctrl-C ends with a proven gap is one), 1 when the thing asked for
failed (a proof that is not valid), 2 for bad usage, and that includes bad input data.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from .. import __version__
from ..lazy import gone, missing
from ..shown import percent
from . import doctor, examples, export, fit, frontier, near, runs, serve, sweep, verify
from .options import add_options, add_reading, reading_of
from .output import CommandError, check_files, one_line, say, table

BENCHMARKS = examples.folder_of("benchmarks")


class _Parser(argparse.ArgumentParser):
    """Reports bad usage in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {one_line(message)} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command by its words, by default those of this process; its exit status. SystemExit ends bad usage."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    parser = command_parser()
    _refuse_gone(parser, sys.argv[1:] if argv is None else argv)
    args, unknown = parser.parse_known_args(argv)
    if args.command is None:
        parser.print_help()
        return 0
    if unknown:
        args.parser.error(_unrecognized(unknown, args.parser))
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning  # type: ignore[assignment]
            check_files(args)
            status = args.run(args)
        sys.stdout.flush()
        return status
    except CommandError as error:
        say(f"rulelab {args.command}: error: {one_line(str(error))}")
        return error.status
    except ModuleNotFoundError as error:
        lacking = missing(error, f"rulelab {args.command}")
        if lacking is error:
            raise
        say(f"rulelab {args.command}: error: {lacking}")
        return 1
    except KeyboardInterrupt:
        say(f"rulelab {args.command}: interrupted")
        return 1
    except BrokenPipeError:  # the reader of our output has gone; nothing may be written to it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _say_warning(message: Warning | str, category: type[Warning], *_where: object) -> None:
    """A warning of rulelab's as a line like any other; others', which are about code, keep to themselves."""
    if issubclass(category, UserWarning):
        say(f"note: {one_line(str(message))}")


def _refuse_gone(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Name the other way where a command or an option is asked for that there was."""
    for word in ("", *words[1:]):
        name = f"rulelab {' '.join(words[:1])} {word.partition('=')[0]}".rstrip()
        if name in gone():
            parser.error(f"there is no `{name}` any more: {gone()[name]}")


def _datasets(args: argparse.Namespace) -> int:
    from .. import datasets

    if args.describe is not None:
        return _describe(args)
    known = datasets.catalogue()
    rows = [
        (name, r.availability, f"{r.rows}", f"{r.features}", percent(r.positives / r.rows), r.target, r.sensitive)
        for name, r in zip(known.index, known.itertuples(), strict=True)
    ]
    print(table(("name", "where", "rows", "features", "positive %", "target", "sensitive"), rows, right=(2, 3, 4)))
    there = f"cached ones are in {datasets.home()} ({datasets.cache.HOME_VARIABLE})"
    print(f"\n{there}; `load` fetches the others, or says how that is done by hand")
    return 0


def _explain(args: argparse.Namespace) -> int:
    """Say what a term means, or all of them do."""
    from ..glossary import TERMS
    from ..glossary import explain as entry_of

    if not args.term:
        print("\n".join(f"{term.name}: {term.sentence}" for term in sorted(TERMS.values(), key=lambda term: term.name)))
        return 0
    try:
        print(entry_of(" ".join(args.term)))
    except ValueError as error:
        raise CommandError(f"{error}; `rulelab explain` lists all", 1) from None
    return 0


def _describe(args: argparse.Namespace) -> int:
    from .. import datasets

    try:
        sheet = datasets.sheet(args.describe, **reading_of(args))
        if args.target is not None and args.target not in sheet.frame.columns:
            raise CommandError(f"--target: there is no column {args.target!r} in {sheet.file}")
        columns = sheet.summary(args.target)
    except ValueError as error:
        raise CommandError(error) from error
    how = "Parquet" if sheet.reading is None else sheet.reading.words
    print(f"{sheet.file}: {len(sheet.frame)} rows, {len(columns)} columns; {how}\n")
    rows = [(one_line(str(name)), *map(one_line, map(str, cells))) for name, *cells in columns.itertuples()]
    print(table(("column", *columns.columns), rows, right=(2, 3)))
    for doubt in sheet.doubts:
        print(f"\n{one_line(doubt)}")
    return 0


def _bench(args: argparse.Namespace) -> int:
    if BENCHMARKS is None:
        raise CommandError("the benchmarks were not installed with this copy of rulelab: install the wheel again")
    found = {path.stem.replace("_", "-"): path for path in sorted(BENCHMARKS.glob("[!_]*.py"))}
    if args.name is None:
        print("benchmarks: " + ", ".join(found))
        return 0
    if args.name not in found:
        raise CommandError(f"there is no benchmark {args.name!r}; the benchmarks are {', '.join(found)}")
    path = found[args.name]
    sys.path.insert(0, str(BENCHMARKS))  # they share a module of their own
    module = importlib.import_module(path.stem)
    return module.main(args.arguments) or 0


def command_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rulelab", description="Certifiably optimal rule lists and rule sets: fit them, watch the search."
    )
    parser.add_argument("--version", action="version", version=f"rulelab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    serve.add_to(commands)
    fit.add_to(commands)
    near.add_to(commands)
    near.add_robustness_to(commands)
    near.add_ablation_to(commands)
    frontier.add_to(commands)
    frontier.add_gaps_to(commands)
    near.add_stability_to(commands)
    sweep.add_to(commands)
    verify.add_to(commands)
    verify.add_explained_to(commands)
    export.add_to(commands)
    runs.add_to(commands)
    text = "Say what a term means, with its formula and the theorem it rests on; without a term list all of them."
    terms = commands.add_parser("explain", help="say what a term means", description=text)
    add_options(terms, "explain")
    terms.set_defaults(run=_explain)
    examples.add_to(commands)
    doctor.add_to(commands)
    listing = commands.add_parser("datasets", help="list the data sets", description="List the data sets.")
    add_options(listing, "datasets")
    add_reading(listing, roles=False)
    listing.set_defaults(run=_datasets)
    bench = commands.add_parser("bench", help="measure the speed", description="Run a benchmark.")
    add_options(bench, "bench")
    bench.set_defaults(run=_bench)
    for each in commands.choices.values():
        each.set_defaults(parser=each)
    return parser


def _unrecognized(arguments: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """What is said of arguments that a command does not have."""
    options = re.findall(r"--[a-z-]+", parser.format_usage())
    near = [each for each in arguments for each in difflib.get_close_matches(each.partition("=")[0], options, 1)]
    return f"unrecognized arguments: {' '.join(arguments)}" + (f"; did you mean {', '.join(near)}?" if near else "")
