"""A search drained by a command: its progress on stderr, its limits, Ctrl-C."""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..families.wording import at_least, at_most
from ..interrupts import noted
from .output import one_line, say, tell

if TYPE_CHECKING:
    from ..search import Search
    from ..snapshot import Snapshot

_REFRESH_SECONDS = 0.25
_LOG_SECONDS = 5.0


def distance(snapshot: Snapshot) -> str:
    """How far the best model is from the bound."""
    objective = math.inf if snapshot.incumbent is None else snapshot.incumbent.objective
    return (
        f"objective {objective:.7f}  bound {at_least(snapshot.lower_bound, 7)}  gap {at_most(snapshot.gap)}  "
        f"queued {sum(snapshot.queue_by_length)}"
    )


def drained(
    search: Search,
    args: argparse.Namespace,
    gap: float = 0.0,
    describe: Callable[[Snapshot], str] = distance,
    observe: Callable[[Snapshot], None] | None = None,
) -> tuple[Snapshot, str]:
    """The last state of a search within the limits of the options, and "interrupted" where Ctrl-C ended it.

    ``args``: with ``quiet`` and ``time_limit``. ``gap``: stop at this distance. ``describe``: what the progress says of
    a state. ``observe``: takes every state.
    """
    from ..snapshot import time_left

    if not search.compiled:
        tell(
            args, "loading the compiled search (the first time on a machine it is compiled, which takes up to a minute)"
        )
        search.compile()
    if left_out := getattr(search, "left_out", ""):
        say(one_line(left_out))
    line, best = None if args.quiet else Line(), math.inf

    def said(snapshot: Snapshot) -> str:
        return f"{snapshot.seconds:8.1f} s  {snapshot.phase:<9}  {describe(snapshot)}"

    with noted() as interrupted:
        for snapshot in search.steps(time_limit=args.time_limit, gap=gap):
            if observe:
                observe(snapshot)
            if line:
                objective = math.inf if snapshot.incumbent is None else snapshot.incumbent.objective
                left = time_left(snapshot, search.seconds)
                line.show(f"{said(snapshot)}  {left}".rstrip(), at_once=objective < best)
                best = min(best, objective)
            if interrupted:
                break
    if interrupted:
        search.stopped_by = "interrupted"
    if line:
        line.end(said(snapshot).rstrip())
    return snapshot, "interrupted" if interrupted else ""


def proof_watch(args: argparse.Namespace) -> Callable[[], None]:
    """Looks at the clock between the parts of a proof: says how long it has taken, and ends it at its limit."""
    from ..certificate import CertificateError

    limit = getattr(args, "proof_time_limit", args.time_limit)
    began = told = time.monotonic()

    def watch() -> None:
        nonlocal told
        now = time.monotonic()
        if limit is not None and now - began > limit:
            raise CertificateError(f"it was not made in {limit:g} s; raise --proof-time-limit")
        if now - told >= _LOG_SECONDS:
            told = now
            tell(args, f"{now - began:8.1f} s  making the proof")

    return watch


class Line:
    """Progress on stderr: one line that changes on a terminal, else a line now and then."""

    def __init__(self) -> None:
        self._terminal, self._shown_at = sys.stderr.isatty(), -math.inf

    def show(self, line: str, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._shown_at >= (_REFRESH_SECONDS if self._terminal else _LOG_SECONDS):
            self._shown_at = now
            self._write(line)

    def end(self, line: str) -> None:
        self._write(line)
        if self._terminal:
            say("")

    def _write(self, line: str) -> None:
        if self._terminal:  # one line, which a longer one than the terminal would not be
            line = f"\r\033[K{line[: shutil.get_terminal_size().columns - 1]}"
        print(line, end="" if self._terminal else "\n", file=sys.stderr, flush=True)
