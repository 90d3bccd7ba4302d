"""Each table of a benchmark beside earlier figures: those of the last release, or of a file that was written before."""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

NOISE = 1.25
"""What takes at most so many times as long as before did not get slower: so much lies between two runs of the same."""
LEAST = 0.05
"""Seconds; smaller differences are not told of."""
Rows = Sequence[Mapping[str, Any]]
RELEASE = "0.2.0, user CPU of a quiet AMD EPYC server"
RELEASED: dict[str, Rows] = json.loads(Path(__file__).with_name("released.json").read_text(encoding="utf-8"))
"""Of the tables that notebooks/book/speed.md shows: what names a row, and its seconds."""


class Then(NamedTuple):
    """Earlier figures: where from, the columns that name a row, the column of seconds, and seconds by name."""

    source: str
    columns: tuple[str, ...]
    figure: str
    seconds: Mapping[tuple[str, ...], float]


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--beside``."""
    _Remember.chosen = None
    text = "say what got slower than in a file of --json, instead of than in the last release"
    parser.add_argument("--beside", type=_file, metavar="FILE", help=text, action=_Remember)


def compared(bench: str, tables: Iterable[Rows]) -> list[str]:
    """Lines that set tables beside earlier figures, and say what got slower; none where nothing is known."""
    lines: list[str] = []
    for rows in tables:
        then = _then(bench, rows)
        if then is not None:
            lines += _lines(then, rows)
    return lines


def _lines(then: Then, rows: Rows) -> list[str]:
    lines, slower = [], []
    for row in rows:
        name = _name(row, then.columns)
        before, now = then.seconds.get(name), row.get(then.figure)
        if before is None or not isinstance(now, int | float):
            continue
        ratio = f"{now / before:.2f} x" if before > 0 else "-"
        said = " ".join(name)
        lines.append(f"  {said:32} {before:9.3f} -> {now:9.3f}  {ratio:>8}")
        if now > before * NOISE and now - before > LEAST:
            slower.append(said)
    if not lines:
        return []
    verdict = f"slower by more than {100 * (NOISE - 1):.0f} %: {', '.join(slower)}" if slower else "nothing got slower"
    return [f"beside {then.source} ({then.figure}):", *lines, verdict]


def _then(bench: str, rows: Rows) -> Then | None:
    if not rows:
        return None
    titles = list(rows[0])
    figure = next((title for title in titles if title.endswith(" s")), None)
    if _Remember.chosen is not None and figure is not None:
        columns = tuple(titles[: titles.index(figure)])
        source, found = _Remember.chosen
        earlier = [row for each in found for row in each if figure in row and set(columns) <= row.keys()]
        seconds = {_name(row, columns): row[figure] for row in earlier if isinstance(row[figure], int | float)}
        return Then(source, columns, figure, seconds)
    if _Remember.chosen is not None or bench not in RELEASED:
        return None
    columns = tuple(title for title in RELEASED[bench][0] if title != "user s")
    if not {*columns, "user s"} <= set(titles):
        return None
    return Then(RELEASE, columns, "user s", {_name(row, columns): row["user s"] for row in RELEASED[bench]})


def _name(row: Mapping[str, Any], columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_text(row[column]) for column in columns)


def _text(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, int | float) else str(cell)


def _file(text: str) -> tuple[str, list[Rows]]:
    """The tables of a file of ``--json``, by what it is called."""
    try:
        content = json.loads(Path(text).read_text(encoding="utf-8"))
        tables = [found for name, found in content.items() if name != "machine"]
        good = all(isinstance(rows, list) and all(isinstance(row, dict) for row in rows) for rows in tables)
    except (OSError, ValueError, AttributeError) as error:
        raise argparse.ArgumentTypeError(f"{text} cannot be read: {error}") from None
    if not good:
        raise argparse.ArgumentTypeError(f"{text} is no file that --json has written")
    return text, tables


class _Remember(argparse.Action):
    """Keeps the file for the tables of this benchmark, which know nothing of its options."""

    chosen: tuple[str, list[Rows]] | None = None

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        _Remember.chosen = values
        setattr(namespace, self.dest, values)
