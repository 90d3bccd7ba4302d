"""How near the counting kernel of rule lists comes to the machine's limit, in words counted per second.

The limit is the best rate of a loop that only counts the bits of two arrays' intersection, both in the first cache. The
kernel does more with every word: it adds the count, shifted, to the sum of an antecedent.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from _measure import Table, instances, parser
from scaling import random_data

import rulelab as rl
from rulelab.kernels.jit import kernel, popcount
from rulelab.rule_list.costs import integer_costs
from rulelab.rule_list.counting import count, layout
from rulelab.rule_list.reduction import reduce

COLUMNS = (
    "instance:-13 | patterns:8d | antec.:6d | planes:6d | words/count:11d | us/count:9.2f | G words/s:9.2f | "
    "limit:7.2f | reached:8.0% | rows us:8.2f"
)
_L1_WORDS = 1024
_COUNTS = 2000


def main(argv: list[str]) -> int:
    """Print the table."""
    options = parser("popcount", __doc__ or "", repeats=5)
    args = options.parse_args(argv)
    a, b = (np.random.default_rng(k).integers(0, 2**63, _L1_WORDS).astype(np.uint64) for k in (0, 1))
    limit = _L1_WORDS * 1000 / best(lambda: intersections(a, b, 1000), args.repeats) / 1e9
    module = instances()
    names = ("compas_a", "compas_155", "compas_165", "compas_982")
    data = {"made up": random_data(6000, 400)}
    if module is not None:
        data = {name: module.load(name)[:2] for name in names} | data
    table = Table(COLUMNS)
    for name, (A, y) in data.items():
        problem = rl.Problem.from_arrays(A, y)
        reduced = reduce(problem, integer_costs(problem.positives, problem.negatives, 0.005))
        m = len(reduced.antecedents)
        seconds = {}
        for use_rows in (False, True):
            arrays = layout(reduced.patterns, reduced.net, m, use_rows)
            out = np.zeros((2, m), dtype=np.int64)
            run = lambda arrays=arrays, out=out: counts(arrays, out[0], out[1], _COUNTS)  # noqa: E731
            seconds[use_rows] = best(run, args.repeats) / _COUNTS
        words = m * len(arrays.entry_word)
        rate = words / seconds[False] / 1e9
        table.add(
            name, len(reduced.net), m, len(arrays.entry_word), words, 1e6 * seconds[False], rate, limit, rate / limit,
            1e6 * seconds[True],
        )  # fmt: skip
    table.save(args.json)
    return 0


@kernel
def intersections(a, b, times):
    """Bits that two arrays share, counted again and again."""
    total = 0
    for k in range(times):
        shift = np.uint64(k)
        for i in range(a.size):
            total += popcount((a[i] ^ shift) & b[i])
    return total


@kernel
def counts(arrays, positive, negative, times):
    """The kernel of the search on all patterns, again and again."""
    for _ in range(times):
        count(arrays, arrays.full, positive, negative)


def best(run: Callable[[], object], repeats: int) -> float:
    """Least seconds of a run, after one that does not count."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)
