"""Exact rule list searches by one thread and by several, in turn: wall-clock seconds, and those of the processors."""

import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import rule_list
from _measure import TOLERANCE, Table, instances, parser

import rulelab as rl
from rulelab.rule_list import RuleListBounds
from rulelab.rule_list.exact.parallel.rounds import cores

WITHOUT = RuleListBounds(separation=False)
COLUMNS = (
    "instance:-30 | threads:7d | wall s:7.2f | ratio:5.2f | CPU s:7.2f | objective:10.7f | bound:10.7f | "
    "expanded:8d | sets stored:11d | MB:6.0f | load:5.1f"
)


class Row(NamedTuple):
    """What is solved: to its end, or for so much work where that is given."""

    name: str
    load: Callable[[], tuple[Any, Any]]
    regularization: float
    bounds: RuleListBounds | None = None
    work: int | None = None

    @property
    def title(self) -> str:
        without = "" if self.bounds is None else " without separation"
        some = "" if self.work is None else f", {self.work} sets"
        return f"{self.name} {self.regularization:g}{without}{some}"


def main(argv: list[str]) -> int:
    """Print the table; status 1 when an optimum depends on the number of threads."""
    options = parser("threads", __doc__ or "", repeats=1)
    options.add_argument("names", nargs="*", metavar="NAME", help="of the instances, such as diabetes (default: all)")
    options.add_argument("--jobs", type=int, nargs="+", default=[2], metavar="N", help="threads (default: 2)")
    args = options.parse_args(argv)
    rule_list.warm_up()
    print(f"{cores()} cores")
    table, wrong = Table(COLUMNS), 0
    for row in rows():
        if not args.names or row.name in args.names:
            wrong += not _compare(row, args.jobs, args.repeats, table)
    return table.end(args.json, wrong, "objectives depend on the number of threads")


def rows() -> list[Row]:
    """Searches of some seconds, where they are at hand."""
    here = [Row("diabetes", lambda: rule_list.sample("diabetes", 10), 0.01)]
    module = instances()
    if module is None:
        return here
    return [
        *here,
        Row("bank_marketing", lambda: rule_list.sample("bank_marketing", 5, 2280), 0.0075),
        Row("default", lambda: rule_list.sample("default", 4, 9871), 0.01),
        Row("compas_155", lambda: module.load("compas_155")[:2], 0.001, WITHOUT, 60_000),
        Row("compas_165", lambda: module.load("compas_165")[:2], 0.0025, WITHOUT, 60_000),
        Row("compas_165", lambda: module.load("compas_165")[:2], 0.001, None, 60_000),
    ]


def _compare(row: Row, jobs: Sequence[int], repeats: int, table: Table) -> bool:
    """Solve in turn by one thread and by each number of them; whether all find the same optimum."""
    A, y = row.load()
    problem = rl.Problem.from_arrays(A, y)
    found: dict[int, list[tuple[float, float]]] = {n: [] for n in (1, *jobs)}
    last: dict[int, rl.Snapshot] = {}
    for _ in range(repeats):
        for n in found:
            search = rl.RuleListSearch(problem, row.regularization, bounds=row.bounds, n_jobs=n)
            search.compile()
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            last[n] = rl.solve(search, work_limit=row.work)
            found[n].append((time.perf_counter() - wall, time.process_time() - cpu))
    seconds = {n: [statistics.median(column) for column in zip(*times, strict=True)] for n, times in found.items()}
    for n, (wall, cpu) in seconds.items():
        best, now = last[n].incumbent, last[n]
        assert best is not None
        counts = now.counts["expanded"], now.counts["stored"], now.memory_bytes / 1e6
        ratio = None if n == 1 else seconds[1][0] / wall
        table.add(row.title, n, wall, ratio, cpu, best.objective, now.lower_bound, *counts, os.getloadavg()[0])
    ended = [now.incumbent.objective for now in last.values() if now.status is rl.Status.OPTIMAL and now.incumbent]
    return not ended or max(ended) - min(ended) <= TOLERANCE
