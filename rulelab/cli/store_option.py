"""``--store`` of ``rulelab serve``: where the page keeps its runs."""

from __future__ import annotations

import argparse
import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager

from .console import CommandError, say


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    text = "SQLite file or URL of the database that keeps runs, models and proofs, for all visitors to see; none: they "
    text += "are not kept (default: the file that rulelab doctor names, or none where others than this machine can "
    text += "connect)"
    parser.add_argument("--store", metavar="URL", help=text)


@contextmanager
def kept(args: argparse.Namespace) -> Iterator[None]:
    """Let the page keep its runs, as long as the block lasts.

    Raises
    ------
    CommandError
        When the store cannot be used; it is left as it is.
    """
    from .. import store as stores
    from ..views import keep_runs

    place = args.store
    if place is None and not (_is_this_machine(args.address) and not args.origin):
        say("runs are not kept, as others than this machine can connect: --store FILE keeps them, for all visitors")
        place = stores.NOTHING
    if place == stores.NOTHING:
        yield
        return
    try:
        store = stores.open(place)
    except stores.StoreError as error:
        raise CommandError(f"{error}; --store none keeps nothing") from error
    say(f"runs are kept in {store.place}")
    keep_runs(store)
    try:
        yield
    finally:
        keep_runs(None)


def _is_this_machine(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
