"""``rulelab serve``: the page, for this machine or for others."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from .. import __version__
from ..families.wording import count
from .output import CommandError, bad_input, say
from .reading import client_at


@contextmanager
def kept(args: argparse.Namespace) -> Iterator[str]:
    """Let the page keep its runs as long as the block lasts; gives a sentence that says where."""
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


def serve(args: argparse.Namespace) -> None:
    from ..views.forms.tables import offer
    from ..views.serving import logs

    if args.target is not None and not args.table:
        raise CommandError("--target is the column to predict of a --table: name that, too")
    with bad_input():
        offer(args.table, args.target)
    logs.begin()
    with _cluster(args):
        _served(args)


def _served(args: argparse.Namespace) -> None:
    """Serve until the end."""
    from ..views import serve
    from ..views.serving.settings import ServingError

    names = (
        "port", "address", "show", "origin", "frame_from", "prefix", "basic_auth", "oauth", "demo", "open_metrics",
        "grace",
    )  # fmt: skip
    options: dict[str, Any] = {name: getattr(args, name) for name in (*names, "memory", "session_memory")}
    try:
        with kept(args) as where:
            serve(**options, secret=args.secret_file, begun=partial(say, where))
    except ServingError as error:
        raise CommandError(error) from error
    except OSError as error:
        what = error.strerror or error
        text = f"cannot listen on {args.address}, port {args.port}: {what}; choose another --port"
        raise CommandError(text, 1) from error


@contextlib.contextmanager
def _cluster(args: argparse.Namespace) -> Iterator[None]:
    """The cluster that was named, for the sweeps of the pages."""
    if args.scheduler is None:
        yield
        return
    from ..views.fronts.tab import Order

    with client_at(args.scheduler) as client:
        if wrong := _differing(client):
            raise CommandError(f"the workers at {args.scheduler} cannot search: {', '.join(wrong)}", 1)
        Order.client = client
        say(f"sweeps go to the Dask cluster at {args.scheduler}, which has {count(len(client.ncores()), 'worker')}")
        try:
            yield
        finally:
            Order.client = None


def _differing(client: Any) -> list[str]:
    """What is wrong with the workers of a cluster: no rulelab, or another version of it; in words, none twice."""
    from importlib.metadata import version

    found = client.run(version, "rulelab", on_error="return")
    wrong = {
        "no rulelab is installed there" if isinstance(each, Exception) else f"rulelab {each} is installed there"
        for each in found.values()
        if each != __version__
    }
    return sorted(wrong)
