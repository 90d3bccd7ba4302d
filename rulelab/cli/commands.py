"""The command line: ``rulelab`` and a command, such as ``serve``, ``fit``, ``least-gap`` or ``verify``.

Exit status: 0 on success (a fit that a limit or Ctrl-C ends with a proven gap is one), 1 when the thing asked for
failed (a proof that is not valid), 2 for bad usage, and that includes bad input data.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from ..lazy import gone, missing
from .output import CommandError, check_files, one_line, say
from .parsers import command_parser


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
            module, _, name = args.run.partition(".")
            status: int = getattr(import_module(f".{module}", __package__), name)(args) or 0  # most give none
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


def _unrecognized(arguments: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """What is said of arguments that a command does not have."""
    options = re.findall(r"--[a-z-]+", parser.format_usage())
    near = [each for each in arguments for each in difflib.get_close_matches(each.partition("=")[0], options, 1)]
    return f"unrecognized arguments: {' '.join(arguments)}" + (f"; did you mean {', '.join(near)}?" if near else "")
