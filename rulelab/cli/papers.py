"""``rulelab papers``: the figures and tables of the papers, run here and beside the authors' numbers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .options import add
from .output import CommandError, say, table


def add_to(commands: Any) -> None:
    """Register the command."""
    what = "Make the figures and tables of the papers again; the authors' numbers stand beside ours."
    parser = commands.add_parser("papers", help="make the figures of the papers again", description=what)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones; default: all of them")
    add(parser, "--list", action="store_true", text="only list their names")
    add(parser, "--quick", action="store_true", text="fewer rows, folds or seconds: minutes instead of half an hour")
    add(parser, "-o", "--output", type=Path, metavar="FOLDER", text="also write a page with pictures, and CSV tables")
    parser.set_defaults(run=papers)


def papers(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    from ..papers import figures, write
    from ..papers.page import cells, numeric

    known = figures()
    if unknown := [name for name in args.names if name not in known]:
        raise CommandError(f"no figure is called {unknown[0]!r}; there are {', '.join(known)}")
    if args.list:
        print(
            table(("name", "what", "paper"), [(each.name, each.what, each.paper) for each in known.values()], right=())
        )
        return 0
    if args.output is not None and args.output.exists() and not args.output.is_dir():
        raise CommandError(f"-o: {args.output} is a file; give a folder")
    made = {}
    for name in args.names or known:
        figure = known[name]
        say(f"{name}: {figure.what}")
        result = made[figure] = figure.made(args.quick)
        print(f"\n{figure.what}\n{figure.paper}\n{figure.note}")
        for title, frame in result.tables.items():
            right = [k for k, number in enumerate(numeric(frame)) if number]
            print(f"\n{title}\n{table(list(frame.columns), cells(frame), right)}", flush=True)
    if args.output is not None:
        say(f"saved {write(args.output, made, args.quick)}")
    return 0
