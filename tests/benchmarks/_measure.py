"""What the benchmarks share: CPU time, the median of several runs, the table, the JSON file."""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import rulelab as rl

SHARED = Path(__file__).resolve().parents[3] / "shared"
TOLERANCE = 1e-6
"""The certified objectives are kept with 7 decimals or more."""


try:
    from resource import RUSAGE_SELF, getrusage
except ImportError:  # Windows

    def user_seconds() -> float:
        """User CPU time of this process."""
        return os.times().user

else:

    def user_seconds() -> float:
        """User CPU time of this process."""
        return getrusage(RUSAGE_SELF).ru_utime


class Measured(NamedTuple):
    """The result of the last run, and the medians of user CPU and wall-clock seconds over all runs."""

    result: Any
    user: float
    wall: float
    runs: int


def measure(run: Callable[[], Any], repeats: int, budget: float = 30.0) -> Measured:
    """Run several times; a run that takes longer than ``budget`` seconds is not repeated."""
    users, walls = [], []
    result = None
    while len(users) < repeats and sum(walls) < budget:
        result = None
        gc.collect()
        user, wall = user_seconds(), time.perf_counter()
        result = run()
        walls.append(time.perf_counter() - wall)
        users.append(user_seconds() - user)
    return Measured(result, statistics.median(users), statistics.median(walls), len(users))


def parser(name: str, description: str, repeats: int = 3) -> argparse.ArgumentParser:
    """A parser with the options that all benchmarks have."""
    out = argparse.ArgumentParser(prog=f"rulelab bench {name}", description=description)
    out.add_argument("--repeats", type=int, default=repeats, help="runs, of which the median counts (%(default)s)")
    out.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    return out


def use_shared_data() -> None:
    """Read data sets from the folder beside the checkout, when it is there and no other folder was named."""
    if (SHARED / "data").is_dir():
        os.environ.setdefault("RULELAB_DATA_HOME", str(SHARED / "data"))


def instances() -> ModuleType | None:
    """The module of the instances with certified optima; None when they are not beside the checkout."""
    path = SHARED / "benchmarks" / "instances.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("instances", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["instances"] = module
    spec.loader.exec_module(module)
    return module


def needed_instances() -> ModuleType:
    """The same, where nothing can be measured without them."""
    module = instances()
    if module is None:
        print("this benchmark needs the instances with certified optima, which are not beside this checkout")
        raise SystemExit(2)
    return module


def agrees(last: rl.results.Snapshot, known: float | None, within: float = TOLERANCE) -> bool:
    """Whether the end of a search, or where it was left, does not contradict the known optimum."""
    if known is None:
        return True
    if last.status is rl.Status.OPTIMAL:
        return abs(last.incumbent.objective - known) <= within
    return last.lower_bound <= known + within and last.incumbent.objective >= known - within


def _column(text: str) -> tuple[str, int, str]:
    """Title, width and format."""
    title, _, form = text.rpartition(":")
    width = re.match(r"-?\d+", form)
    assert width is not None, text
    return title, int(width[0]), form[width.end() :]


class Table:
    """Rows that are printed as they come, the numbers right aligned."""

    def __init__(self, columns: str) -> None:
        """Columns as ``title:9.2f | title:-12``: width (negative: left aligned), format; a cell of None is a dash."""
        self.columns = [_column(each) for each in columns.split(" | ")]
        self.rows: list[dict[str, Any]] = []
        titles = [f"{title:{'<' if width < 0 else '>'}{abs(width)}}" for title, width, _ in self.columns]
        print("  ".join(titles), flush=True)

    def add(self, *cells: Any) -> None:
        self.rows.append({title: cell for (title, _, _), cell in zip(self.columns, cells, strict=True)})
        texts = [
            f"{'-' if cell is None else format(cell, form):{'<' if width < 0 else '>'}{abs(width)}}"
            for (_, width, form), cell in zip(self.columns, cells, strict=True)
        ]
        print("  ".join(texts).rstrip(), flush=True)

    def end(self, path: Path | None, wrong: int, said: str, **more: Table) -> int:
        """Save it; the status of a benchmark in which so many things are wrong."""
        self.save(path, **more)
        if wrong:
            print(f"{wrong} {said}", file=sys.stderr)
        return min(wrong, 1)

    def save(self, path: Path | None, **more: Table) -> None:
        """Write the rows as JSON, those of further tables under their names."""
        if path is not None:
            machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
            content = {"machine": machine, "rows": self.rows, **{name: table.rows for name, table in more.items()}}
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
