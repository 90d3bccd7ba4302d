"""Exact rule list searches by one thread and by several, in turn: wall-clock seconds, and the longest way through.

The longest way is the CPU time of what is done while all wait, and of the thread of each round that takes longest. It
does not depend on what else the machine does, as wall-clock seconds do. The ceiling is what the machine gives: how many
times as much is done by as many searches of one thread each at the same time, which do not wait for each other.
"""

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
from rulelab.rule_list.exact.parallel import rounds
from rulelab.rule_list.exact.parallel.rounds import cores

WITHOUT = RuleListBounds(separation=False)
COLUMNS = (
    "instance:-30 | threads:7d | wall s:7.2f | ratio:5.2f | CPU s:7.2f | longest:7.2f | ratio CPU:9.2f | "
    "apart s:7.2f | ceiling:7.2f | objective:10.7f | bound:10.7f | expanded:8d | sets stored:11d | MB:6.0f | "
    "load:5.1f"
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


class Clock:
    """CPU seconds of the calls that are made side by side: of all, and of the longest of each round."""

    def __init__(self) -> None:
        self.together = self.longest = 0.0
        self.in_threads = rounds.side_by_side

    def __call__(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        done = self.in_threads([lambda call=call: _timed(call) for call in calls])
        seconds = [each for _, each in done]
        self.together += sum(seconds)
        self.longest += max(seconds)
        return [found for found, _ in done]


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.thread_time()
    found = call()
    return found, time.thread_time() - began


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
    here = [Row("diabetes", lambda: rule_list.sample("diabetes", 442, 10), 0.01)]
    module = instances()
    if module is None:
        return here
    return [
        *here,
        Row("bank_marketing", lambda: rule_list.sample("bank_marketing", 2280, 5), 0.0075),
        Row("default", lambda: rule_list.sample("default", 9871, 4), 0.01),
        Row("compas_155", lambda: module.load("compas_155")[:2], 0.001, WITHOUT, 60_000),
        Row("compas_165", lambda: module.load("compas_165")[:2], 0.0025, WITHOUT, 60_000),
        Row("compas_165", lambda: module.load("compas_165")[:2], 0.001, None, 60_000),
    ]


def _compare(row: Row, jobs: Sequence[int], repeats: int, table: Table) -> bool:
    """Solve in turn by one thread and by each number of them; whether all find the same optimum."""
    A, y = row.load()
    problem = rl.Problem.from_arrays(A, y)
    found: dict[int, list[tuple[float, float, float, float]]] = {n: [] for n in (1, *jobs)}
    last: dict[int, rl.Snapshot] = {}
    for _ in range(repeats):
        for n in found:
            search = rl.RuleListSearch(problem, row.regularization, bounds=row.bounds, n_jobs=n)
            search.compile()
            last[n], *times = _measured(search, row.work)
            found[n].append(tuple(times))
    ceilings = {n: statistics.median(_ceiling(row, problem, n) for _ in range(repeats)) for n in jobs}
    ways = {n: [statistics.median(column) for column in zip(*times, strict=True)] for n, times in found.items()}
    for n, (wall, cpu, longest, apart) in ways.items():
        ratios = (None, None) if n == 1 else (ways[1][0] / wall, ways[1][2] / longest)
        best, now = last[n].incumbent, last[n]
        assert best is not None
        counts = now.counts["expanded"], now.counts["stored"], now.memory_bytes / 1e6
        cells = wall, ratios[0], cpu, longest, ratios[1], None if n == 1 else apart, ceilings.get(n)
        table.add(row.title, n, *cells, best.objective, now.lower_bound, *counts, os.getloadavg()[0])
    ended = [now.incumbent.objective for now in last.values() if now.status is rl.Status.OPTIMAL and now.incumbent]
    return not ended or max(ended) - min(ended) <= TOLERANCE


def _ceiling(row: Row, problem: rl.Problem, n: int) -> float:
    """How many times as much ``n`` searches of one thread do at the same time as one of them by itself."""

    def seconds(at_once: int) -> float:
        searches = [rl.RuleListSearch(problem, row.regularization, bounds=row.bounds) for _ in range(at_once)]
        for search in searches:
            search.compile()
        began = time.perf_counter()
        rounds.side_by_side([lambda search=search: rl.solve(search, work_limit=row.work) for search in searches])
        return time.perf_counter() - began

    return n * seconds(1) / seconds(n)


def _measured(search: rl.RuleListSearch, work: int | None) -> tuple[rl.Snapshot, float, float, float, float]:
    """The last state; wall-clock and CPU seconds, those of the longest way, and those while one thread works."""
    clock = Clock()
    rounds.side_by_side = clock  # type: ignore[assignment]
    gc.collect()
    try:
        wall, cpu = time.perf_counter(), time.process_time()
        now = rl.solve(search, work_limit=work)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    finally:
        rounds.side_by_side = clock.in_threads
    apart = cpu - clock.together
    return now, wall, cpu, apart + clock.longest, apart
