"""``rulelab explain``: what a term means, or the list of all terms."""

from __future__ import annotations

import argparse
from typing import Any

from ..glossary import TERMS
from ..glossary import explain as entry_of
from .output import CommandError


def explain(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    if not args.term:
        print("\n".join(f"{term.name}: {term.sentence}" for term in sorted(TERMS.values(), key=lambda term: term.name)))
        return 0
    try:
        print(entry_of(" ".join(args.term)))
    except ValueError as error:
        raise CommandError(f"{error}; `rulelab explain` lists all", 1) from None
    return 0


def add_to(commands: Any) -> None:
    """Add the command."""
    text = "Say what a term means, with its formula and the theorem it rests on; without a term list all of them."
    parser = commands.add_parser("explain", help="say what a term means", description=text)
    parser.add_argument("term", nargs="*", metavar="TERM", help="such as lower bound, curiosity or min_support")
    parser.set_defaults(run=explain)
