"""The tables of notebooks/book/speed.md, each below the command that prints it; ``python tests/speed_page.py`` anew."""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from places import ROOT

PAGE = ROOT / "notebooks" / "book" / "speed.md"
_TABLE = re.compile(r"^`rulelab bench ([^`\n]+)`\n\n((?:\|.*\n)+)", flags=re.MULTILINE)
_MEASURED = re.compile(r" s$| user$|[kM]B$|^checked$")
"""Columns that depend on the machine: seconds, and memory."""
_LEAST, _TIMES = 0.25, 3.0
"""Smaller differences of seconds say nothing; what takes so many times as long, beside the other rows, is another."""


def tables() -> dict[str, list[str]]:
    """Of each command of the page, the lines of its table."""
    return {command: lines.splitlines() for command, lines in _TABLE.findall(PAGE.read_text(encoding="utf-8"))}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def printed(command: str, columns: list[str], *more: str) -> list[list[str]]:
    """What the command, with further options, says now in these columns, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        run = [sys.executable, "-m", "rulelab", "bench", *shlex.split(command), "--json", str(file), *more]
        subprocess.run(run, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return [[_text(name, row[name]) for name in columns] for row in rows]


def differences(columns: list[str], book: list[list[str]], now: list[list[str]]) -> list[str]:
    """Where the page says another thing than the command: exactly, or beyond what two runs differ in."""
    if len(book) != len(now):
        return [f"{len(book)} rows, not {len(now)}"]
    found = []
    for at, name in enumerate(columns):
        pairs = [(then[at], row[at]) for then, row in zip(book, now, strict=True)]
        if not _MEASURED.search(name):
            found += [f"{name}: {then}, now {new}" for then, new in pairs if then != new]
            continue
        seconds = [(float(then), float(new)) for then, new in pairs if then and new]
        speed = median([new / then for then, new in seconds if then > 0] or [1.0])  # of this machine, beside that one
        for then, new in seconds:
            apart = abs(new - speed * then)
            if apart > _LEAST and not speed * then / _TIMES <= new <= speed * then * _TIMES:
                found.append(f"{name}: {then}, now {new}, where others take {speed:.2f} times as long")
    return found


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}" if _MEASURED.search(name) else f"{value:.7g}"
    return str(value)


def _anew(match: re.Match[str]) -> str:
    command, lines = match[1], match[2].splitlines()
    rows = printed(command, cells(lines[0]))
    return (
        f"`rulelab bench {command}`\n\n" + "\n".join([*lines[:2], *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
    )


if __name__ == "__main__":
    PAGE.write_text(_TABLE.sub(_anew, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
