"""What the commands write: tables, single lines, errors that end a command, and files, so that none is lost."""

from __future__ import annotations

import argparse
import glob
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import files
from ..families.wording import adding_up, at_least
from ..progress import noted
from ..shown import printable

if TYPE_CHECKING:
    import pandas as pd

    from ..snapshot import Snapshot
    from ..stepping import Search


def as_option(name: str) -> str:
    """What an argument is called on the command line; what begins with a capital is none."""
    return name if name[0].isupper() else f"--{name.replace('_', '-')}"


class CommandError(Exception):
    """Ends a command with one line on stderr and this exit status; arguments are called as options are."""

    def __init__(self, message: object, status: int = 2) -> None:
        from ..arguments import Text, text_of

        said = text_of(message) if isinstance(message, ValueError) else str(message)
        super().__init__(said.titled(as_option) if isinstance(said, Text) else said)
        self.status = status


def refuse(args: argparse.Namespace, names: Iterable[str], where: str, none: bool = False) -> None:
    """End the command where one of these options is given, which mean nothing there.

    ``none``: whether they are there only where they are given, maybe as "none".
    """
    for name in names:
        value = getattr(args, name, None)
        if (none and hasattr(args, name)) or (value is not None and value is not False and value != []):
            raise CommandError(f"{as_option(name)} is not an option of {where}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Aligned columns; those whose indices are in ``right`` are right aligned."""
    lines = [head, *rows]
    width = [max(len(line[j]) for line in lines) for j in range(len(head))]
    return "\n".join(
        "  ".join(f"{cell:{'>' if j in right else '<'}{width[j]}}" for j, cell in enumerate(line)).rstrip()
        for line in lines
    )


def one_line(text: str) -> str:
    """Text from anywhere, without line breaks and control characters."""
    return printable(" ".join(text.split()))


def say(text: str) -> None:
    """Write a line to stderr."""
    print(text, file=sys.stderr, flush=True)


def tell(args: argparse.Namespace, text: str) -> None:
    """Write a line about the progress to stderr, where it is asked for."""
    if not args.quiet:
        say(text)


def say_identifiers(name: str, columns: Sequence[str]) -> None:
    """Name the columns that are left out because they number the rows."""
    if columns:
        names = ", ".join(map(repr, columns))
        say(one_line(f"{name}: identifiers of rows: {names}, no feature unless --keep-identifiers"))


class Read(str):
    """The value of an option that names what is read: a file, several, or the name of a data set."""

    __slots__ = ()


class Written(str):
    """The value of an option that names a file to write."""

    __slots__ = ()


def to_write(*endings: str) -> Callable[[str], Written]:
    """A parser of names of files to write, of one of these endings, which say what is written; none: of any name."""

    def parse(name: str) -> Written:
        path = Path(name)
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{name} is a folder; name a file to write")
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {path.parent} to write {path.name} into")
        if endings and path.suffix.lower() not in endings:
            raise argparse.ArgumentTypeError(
                f"{path.name} must end in {' or '.join(endings)}, which says what is written"
            )
        return Written(name)

    return parse


def check_files(args: argparse.Namespace) -> None:
    """Refuse to write over what is read, or two things into one file; the names of files to write become paths."""
    written = list(_named(args, Written))
    sources = [source for _, source in _named(args, Read)] if written else []
    if written and getattr(args, "store", "") is None and (args.command == "runs" or args.keep is not None):
        from ..store import default_url

        sources.append(default_url())
    read = [(source, file) for source in sources for file in _files(source)]
    for k, (option, name) in enumerate(written):
        if source := next((source for source, file in read if _same(name, file)), None):
            raise CommandError(f"{option}: {name} is read ({source}); name another file to write")
        if earlier := next((other for other, file in written[:k] if _same(name, file)), None):
            raise CommandError(f"{earlier} and {option} cannot both be written to {name}")
    for name, value in vars(args).items():
        if isinstance(value, Written):
            setattr(args, name, Path(value))


def _named(args: argparse.Namespace, kind: type[str]) -> Iterator[tuple[str, str]]:
    """The options with values of the kind, and these."""
    for name, value in vars(args).items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, kind):
                yield f"--{name.replace('_', '-')}", each


def _files(source: str) -> list[str]:
    """The files that an option of what is read stands for."""
    from .. import datasets

    if is_data_set(source):
        return [str(datasets.home() / f"{source}.csv.gz")]
    place = os.path.expanduser(source.removeprefix("sqlite:///"))
    found = [place, *glob.glob(place, recursive=True)]
    return [*found, *(str(each) for folder in found if os.path.isdir(folder) for each in Path(folder).rglob("*"))]


def is_data_set(name: str) -> bool:
    """Whether this is the name of a known data set and of no file."""
    from .. import datasets

    return name in datasets.names() and not Path(name).exists()


def _same(one: str, other: str) -> bool:
    """Whether two names are of one file, also by links; devices and pipes are none."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.isfile(one) and os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


@contextmanager
def bad_input() -> Iterator[None]:
    """Let a ValueError, which is about what was given, end the command."""
    try:
        yield
    except ValueError as error:
        raise CommandError(error) from error


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Let what keeps a file from being read end the command."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Let what keeps a file from being written end the command."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}", 1) from error


def save(path: Path | None, content: Search | pd.DataFrame | str, quiet: bool = False) -> None:
    """Write a text, a table as CSV, or a result as the ending says, and tell so; nothing where no file is named."""
    if path is None:
        return
    if not isinstance(content, str) and path.suffix.lower() == ".csv":
        frame: Any = getattr(content, "frame", content)
        content = frame.map(lambda cell: " | ".join(cell) if isinstance(cell, tuple) else cell).to_csv(index=False)
    with writing(path):
        if isinstance(content, str):
            files.write(path, content)
        else:
            content.to_json(path)  # type: ignore[operator]
    if not quiet:
        say(f"saved {path}")


_REFRESH_SECONDS = 0.25
_LOG_SECONDS = 5.0


def distance(snapshot: Snapshot) -> str:
    """How far the best model is from the bound."""
    best, low = snapshot.incumbent, snapshot.lower_bound
    found, bound, gap = ("inf", at_least(low, 7), "inf") if best is None else adding_up(best.objective, low, digits=7)
    return f"objective {found}  bound {bound}  gap {gap}  queued {sum(snapshot.queue_by_length)}"


def drained(
    search: Search,
    args: argparse.Namespace,
    gap: float = 0.0,
    describe: Callable[[Snapshot], str] = distance,
    observe: Callable[[Snapshot], None] | None = None,
) -> tuple[Snapshot, str]:
    """The last state of a search within the limits of the options, and "interrupted" where Ctrl-C ended it."""
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
