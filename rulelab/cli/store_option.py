"""``--store`` of ``rulelab serve``: where the page keeps its runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from .console import CommandError


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    text = "SQLite file or URL of the database that keeps runs, models and proofs, for all visitors to see; none: they "
    text += "are not kept (default: the file that rulelab doctor names, or none where others than this machine can "
    text += "connect)"
    parser.add_argument("--store", metavar="URL", help=text)


@contextmanager
def kept(args: argparse.Namespace) -> Iterator[str]:
    """Let the page keep its runs, as long as the block lasts; gives a sentence that says where.

    Raises
    ------
    CommandError
        When the store cannot be used; it is left as it is.
    """
    from .. import store as stores
    from ..views import keep_runs
    from ..views.serving.settings import is_loopback

    place = args.store
    if place is None and (args.origin or args.demo or not is_loopback(args.address)):
        yield "runs are not kept, as others than this machine can connect: --store FILE keeps them, for all visitors"
        return
    if place == stores.NOTHING:
        yield "runs are not kept"
        return
    try:
        store = stores.open(place)
    except stores.StoreError as error:
        raise CommandError(f"{error}; --store none keeps nothing") from error
    keep_runs(store)
    try:
        yield f"runs are kept in {store.place}"
    finally:
        keep_runs(None)
