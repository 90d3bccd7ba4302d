"""``rulelab serve``: the page, for this machine or for others."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from .console import CommandError, say
from .counted import client_at
from .options import add, least_zero, size, whole
from .store_option import add_store, kept
from .workers import by_workers, not_free, worker

if TYPE_CHECKING:
    from ..views.serving.worker import Place


def serve(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.workers > 1 and args.worker is None:
        return by_workers(args)
    from ..tables import TableError
    from ..views.forms.tables import offer
    from ..views.serving import logs
    from ..views.serving.worker import Place

    place = None if args.worker is None else Place(args.worker[0], args.workers, args.worker[1])
    if args.target is not None and not args.table:
        raise CommandError("--target is the column to predict of a --table: name that, too")
    try:
        offer(args.table, args.target)
    except TableError as error:
        raise CommandError(error) from error
    logs.begin(args.log_format)
    with _cluster(args), _processes(args):
        return _served(args, place)


def _served(args: argparse.Namespace, place: Place | None) -> int:
    """Serve until the end."""
    from ..views import serve
    from ..views.serving.settings import ServingError

    names = ("port", "address", "show", "origin", "prefix", "basic_auth", "oauth", "demo", "open_metrics", "grace")
    options: dict[str, Any] = {name: getattr(args, name) for name in (*names, "memory", "session_memory", "stalls")}
    try:
        with kept(args) as where:
            told = None if place is not None and place.number else partial(say, where)
            serve(**options, secret=args.secret_file, begun=told, place=place)
    except ServingError as error:
        raise CommandError(error) from error
    except OSError as error:
        raise not_free(args.address, args.port, error) from error
    return 0


@contextlib.contextmanager
def _cluster(args: argparse.Namespace) -> Iterator[None]:
    """The cluster that was named, for the searches of the pages."""
    if args.scheduler is None:
        yield
        return
    from ..views.live.cluster import differing, search_on

    with client_at(args.scheduler) as client:
        if wrong := differing(client):
            raise CommandError(f"the workers at {args.scheduler} cannot search: {', '.join(wrong)}", 1)
        search_on(client)
        if args.worker is None or not args.worker[0]:
            say(f"searches and sweeps go to the Dask cluster at {args.scheduler}, which has {_workers(client)}")
        try:
            yield
        finally:
            search_on(None)


@contextlib.contextmanager
def _processes(args: argparse.Namespace) -> Iterator[None]:
    """The processes of this machine that have the searches of the pages."""
    most = args.search_processes
    if args.scheduler is not None or not most:
        yield
        return
    from ..views.live.beside import search_beside
    from ..views.live.hosts import Hosts

    hosts = Hosts(max(1, most // args.workers))
    hosts.begin()
    search_beside(hosts)
    try:
        yield
    finally:
        search_beside(None)
        hosts.end()


def _workers(client: Any) -> str:
    n = len(client.ncores())
    return f"{n} worker{'' if n == 1 else 's'}"


def add_to(commands: Any) -> None:
    """Add the command to a parser."""
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
    text = "of a Dask cluster whose workers do the searches and sweeps of the pages; each does one search at a time"
    add(parser, "--scheduler", metavar="ADDRESS", text=text)
    add_store(parser)
    add(parser, "--show", action="store_true", text="open a browser")
    others = parser.add_argument_group("for others than this machine")
    text = "under which people open the page, as lab.example:5006 or https://lab.example; repeatable"
    add(others, "--origin", action="append", default=[], metavar="ADDRESS", text=text)
    add(others, "--prefix", default="", metavar="PATH", text="the path below which a reverse proxy shows the page")
    text = "JSON of names and passwords, that others may not read; nobody else comes in"
    add(others, "--basic-auth", metavar="FILE", text=text)
    text = "log in by github, google, generic and others; PANEL_OAUTH_KEY and PANEL_OAUTH_SECRET are in the environment"
    add(others, "--oauth", metavar="PROVIDER", text=text)
    text = "of the secret that signs sessions, made where there is none (default: $RULELAB_SECRET, or one that is kept)"
    add(others, "--secret-file", metavar="FILE", text=text)
    add(others, "--demo", action="store_true", text="take no files, and end each run after a minute or at 200 MB")
    running = parser.add_argument_group("keeping it running")
    add(running, "--log-format", choices=["text", "json"], default="text", text="of the log, which goes to stderr")
    text = "log where the server was each time that no page was answered for so long, to find out why"
    add(running, "--stalls", type=least_zero, metavar="SECONDS", text=text)
    text = "tell other machines, too, the figures of /health and /metrics"
    add(running, "--open-metrics", action="store_true", text=text)
    text = "that searches have when the server is asked to end (SIGTERM)"
    add(running, "--grace", type=least_zero, default=10.0, metavar="SECONDS", text=text)
    text = "that the server may hold, as 4GB: then the largest search ends with what it has proven, and none begins"
    add(running, "--memory", type=size, metavar="SIZE", text=text)
    text = "that searches share; 0: they are threads of the server, which on few processors answers pages sooner and"
    text += " needs less memory (default: %(default)s)"
    add(running, "--search-processes", type=whole(0), default=0, metavar="N", text=text)
    text = "processes that have the pages, which this one hands connections to; they share the store and --memory"
    add(running, "--workers", type=whole(1), default=1, metavar="N", text=text)
    running.add_argument("--worker", type=worker, help=argparse.SUPPRESS)
    add(running, "--session-memory", type=size, metavar="SIZE", text="that one search may hold, as 500MB")


def _port(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not {text!r}")
    return int(text)
