"""``rulelab serve``: the page, for this machine or for others."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from .. import __version__
from ..families.wording import count
from .options import add, least_zero, size
from .output import CommandError, bad_input, say
from .reading import client_at


def add_store(parser: argparse.ArgumentParser) -> None:
    text = "SQLite file or URL of the database that keeps runs, models and proofs, for all visitors to see; none: they "
    text += "are not kept (default: the file that rulelab doctor names, or none where others than this machine can "
    text += "connect)"
    parser.add_argument("--store", metavar="URL", help=text)


@contextmanager
def kept(args: argparse.Namespace) -> Iterator[str]:
    """Let the page keep its runs, as long as the block lasts; gives a sentence that says where.

    Raises CommandError when the store cannot be used; it is left as it is.
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


def serve(args: argparse.Namespace) -> int:
    from ..views.forms.tables import offer
    from ..views.serving import logs

    if args.target is not None and not args.table:
        raise CommandError("--target is the column to predict of a --table: name that, too")
    with bad_input():
        offer(args.table, args.target)
    logs.begin()
    with _cluster(args):
        return _served(args)


def _served(args: argparse.Namespace) -> int:
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
    return 0


@contextlib.contextmanager
def _cluster(args: argparse.Namespace) -> Iterator[None]:
    """The cluster that was named, for the sweeps of the pages."""
    if args.scheduler is None:
        yield
        return
    from ..views.fronts.order import Order

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


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "serve", help="serve the dashboard", description="Serve the dashboard, by default to this machine alone."
    )
    parser.set_defaults(run=serve)
    add(parser, "--port", type=_port, default=5006, text="0 for any free one")
    add(parser, "--address", default="127.0.0.1", text="network address to listen on")
    text = "CSV or Parquet files of this machine ('data/*.parquet') that visitors may search as a data set, without"
    text += " seeing where they lie; repeatable"
    add(parser, "--table", action="append", default=[], metavar="FILES", text=text)
    add(parser, "--target", metavar="COLUMN", text="the column of the tables that is predicted")
    text = "of a Dask cluster whose workers do the sweeps of the pages"
    add(parser, "--scheduler", metavar="ADDRESS", text=text)
    add_store(parser)
    add(parser, "--show", action="store_true", text="open a browser")
    others = parser.add_argument_group("for others than this machine")
    text = "under which people open the page, as lab.example:5006 or https://lab.example; repeatable"
    add(others, "--origin", action="append", default=[], metavar="ADDRESS", text=text)
    add(others, "--prefix", default="", metavar="PATH", text="the path below which a reverse proxy shows the page")
    text = "whose pages may hold this one in a frame, as https://lab.example; repeatable"
    add(others, "--frame-from", action="append", default=[], metavar="ORIGIN", text=text)
    text = "JSON of names and passwords, that others may not read; nobody else comes in"
    add(others, "--basic-auth", metavar="FILE", text=text)
    text = "log in by github, google, generic and others; PANEL_OAUTH_KEY and PANEL_OAUTH_SECRET are in the environment"
    add(others, "--oauth", metavar="PROVIDER", text=text)
    text = "of the secret that signs sessions, made where there is none (default: $RULELAB_SECRET, or one that is kept)"
    add(others, "--secret-file", metavar="FILE", text=text)
    add(others, "--demo", action="store_true", text="take no files, and end each run after a minute or at 200 MB")
    running = parser.add_argument_group("keeping it running")
    text = "tell other machines, too, the figures of /health"
    add(running, "--open-metrics", action="store_true", text=text)
    text = "that searches have when the server is asked to end (SIGTERM)"
    add(running, "--grace", type=least_zero, default=10.0, metavar="SECONDS", text=text)
    text = "that the server may hold, as 4GB: then the largest search ends with what it has proven, and none begins"
    add(running, "--memory", type=size, metavar="SIZE", text=text)
    add(running, "--session-memory", type=size, metavar="SIZE", text="that one search may hold, as 500MB")


def _port(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not {text!r}")
    return int(text)
