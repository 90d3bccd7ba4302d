"""``rulelab serve --workers``: several processes behind one address, begun by this one."""

from __future__ import annotations

import argparse
import os
import re
import sys

from .console import CommandError

LEAST_MEMORY_BYTES = 100_000_000
_OWN = ("command", "run", "show", "port", "worker", "secret_file", "memory")


def by_workers(args: argparse.Namespace) -> int:
    """Begin the processes, and hand them their connections until the end."""
    import asyncio

    from tornado.netutil import bind_sockets

    from .. import store as stores
    from ..views.serving import logs
    from ..views.serving import secret as secrets
    from ..views.serving.door import MOST_WORKERS, Door
    from ..views.serving.settings import ServingError, is_loopback
    from ..views.serving.settings import prefix as prefix_of

    if sys.platform == "win32":
        raise CommandError("--workers needs a system that hands connections to other processes; Windows does not")
    if args.workers > MOST_WORKERS:
        raise CommandError(f"--workers: {MOST_WORKERS} at most, not {args.workers}")
    for_others = bool(args.origin) or args.demo or not is_loopback(args.address)
    if args.store == stores.NOTHING or (args.store is None and for_others):
        raise CommandError("--workers needs a store, which all of them share: name it by --store FILE")
    if args.memory is not None and args.memory // args.workers < LEAST_MEMORY_BYTES:
        raise CommandError(f"--memory is shared by the {args.workers} --workers, and less than 100 MB for each")
    try:
        below, key = prefix_of(args.prefix), secrets.find(args.secret_file)
    except ServingError as error:
        raise CommandError(error) from error
    logs.begin(args.log_format)
    try:
        sockets = bind_sockets(args.port, args.address)
    except OSError as error:
        raise not_free(args.address, args.port, error) from error
    port = sockets[0].getsockname()[1]
    address = f"http://{args.address}:{port}{below}"

    def begun() -> None:
        print(f"Launching server at {address} with {args.workers} processes", flush=True)
        if args.show:
            import webbrowser

            webbrowser.open(address)

    command = [sys.executable, "-m", "rulelab", "serve", *given(args), "--port", str(port)]
    if args.memory is not None:
        command += ["--memory", f"{args.memory // args.workers}"]
    environment = os.environ | {secrets.VARIABLE: key.decode()}
    door = Door(command, args.workers, sockets, args.grace, environment, begun)
    return asyncio.run(door.run())


def given(args: argparse.Namespace) -> list[str]:
    """The options that were given, as they are written, but for those that are this process's own."""
    out = []
    for name, value in vars(args).items():
        flag = f"--{name.replace('_', '-')}"
        if name in _OWN or value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        else:
            out += [f"{flag}={each}" for each in (value if isinstance(value, list) else [value])]
    return out


def worker(text: str) -> tuple[int, int]:
    """The number of a process, and the descriptor of its wire."""
    match = re.fullmatch(r"(\d{1,4}):(\d{1,9})", text)
    if match is None:
        raise argparse.ArgumentTypeError("is for the processes that rulelab itself begins")
    return int(match[1]), int(match[2])


def not_free(address: str, port: int, error: OSError) -> CommandError:
    """Where nothing can be listened to."""
    what = error.strerror or error
    return CommandError(f"cannot listen on {address}, port {port}: {what}; choose another --port", 1)
