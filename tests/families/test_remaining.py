"""Upper bounds on the search space that is left."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rulelab.remaining import log10_coarse, log10_fine, log10_total, log10_total_symmetry_aware
from rulelab.snapshot import Snapshot, Status, time_left


def coarse(queue, m, longest):
    """Proposition 9, term by term."""
    total = 0
    for length, queued in enumerate(queue):
        for j in range(max(longest - length, 0) + 1):
            if j <= m - length:
                total += queued * math.factorial(m - length) // math.factorial(m - length - j)
    return total


@pytest.mark.parametrize("queue", [(1,), (0, 5), (0, 3, 0, 7), (2, 1, 1)])
@pytest.mark.parametrize(("m", "longest"), [(4, 0), (5, 3), (10, 10), (150, 6)])
def test_coarse_bound_is_proposition_9(queue, m, longest):
    assert log10_coarse(queue, m, longest) == pytest.approx(math.log10(coarse(queue, m, longest)))


def test_nothing_is_left_of_an_empty_queue():
    assert log10_coarse((), 100, 10) == 0
    assert log10_coarse((0, 0), 100, 10) == 0


def test_large_spaces_do_not_overflow():
    assert 1000 < log10_coarse((0, 10**6), 100_000, 300) < 2000


def fine(queue, m):
    """Theorem 7, prefix by prefix; the queue holds lengths and steps that the incumbent pays for."""
    return sum(math.perm(m - length, j) for length, steps in queue for j in range(min(steps, m - length) + 1))


@pytest.mark.parametrize("m", [4, 6, 60])
@pytest.mark.parametrize("queue", [[(0, 3)], [(1, 2), (1, 2), (2, 0)], [(3, 1), (2, 4), (2, 1), (4, 0)]])
def test_fine_bound_is_theorem_7(queue, m):
    table = np.zeros((6, 5), dtype=np.int64)
    for length, steps in queue:
        table[length, steps] += 1
    assert log10_fine(table, m) == pytest.approx(math.log10(fine(queue, m)))


def test_fine_bound_of_an_empty_queue():
    assert log10_fine(np.zeros((3, 3), dtype=np.int64), 10) == 0


@pytest.mark.parametrize(("m", "longest"), [(1, 0), (1, 1), (4, 9), (7, 3), (30, 30)])
def test_totals_are_proposition_8_and_theorem_17(m, longest):
    most = min(m, longest)
    naive = sum(math.factorial(m) // math.factorial(m - k) for k in range(most + 1))
    aware = 1 + sum(math.factorial(m) // (math.factorial(k - 1) * math.factorial(m - k)) for k in range(1, most + 1))
    assert log10_total(m, longest) == pytest.approx(math.log10(naive))
    assert log10_total_symmetry_aware(m, longest) == pytest.approx(math.log10(aware))


def test_totals_of_the_papers_example():
    assert 10 ** log10_total(100, 5) == pytest.approx(9.1e9, rel=0.02)
    assert 10 ** log10_total_symmetry_aware(100, 5) == pytest.approx(3.9e8, rel=0.02)


@pytest.mark.parametrize(("m", "longest"), [(12_780, 400), (2_000, 1_999), (12_780, 12_780)])
def test_large_spaces_are_summed_to_the_last_term_that_counts(m, longest):
    log10_factorial = [math.lgamma(n + 1) / math.log(10) for n in range(m + 1)]

    def naive(queue):
        terms = [
            math.log10(queued) + log10_factorial[m - length] - log10_factorial[m - length - j]
            for length, steps, queued in queue
            for j in range(min(steps, m - length) + 1)
        ]
        largest = max(terms)
        return largest + math.log10(sum(10 ** (t - largest) for t in terms))

    lengths = (0, 3, 50)
    queue = [7 if length in lengths else 0 for length in range(60)]
    expected = naive([(length, longest - length, 7) for length in lengths])
    assert log10_coarse(queue, m, longest) == pytest.approx(expected, rel=1e-9)
    table = np.zeros((60, longest + 1), dtype=np.int64)
    table[3, longest], table[50, longest // 2] = 5, 9
    assert log10_fine(table, m) == pytest.approx(naive([(3, longest, 5), (50, longest // 2, 9)]), rel=1e-9)


def test_a_wide_queue_takes_no_longer_than_its_cells():
    table = np.ones((400, 4000), dtype=np.int64)  # of which a sum over all steps would have billions of terms
    assert log10_fine(table, 13_000) > 10_000


@pytest.mark.parametrize(
    ("coarse", "fine", "said"),
    [
        (9.0, 5.0, "at most 3 min left (estimate)"),
        (4.0, None, "at most 20 s left (estimate)"),
        (7.5, 7.0, "at most 6 h left (estimate)"),
        (99.0, 8.0, ""),
        (99.0, None, ""),
        (0, 0, ""),
    ],
)
def test_the_time_left_is_an_estimate_by_the_finer_bound(coarse: float, fine: float | None, said: str) -> None:
    detail = {} if fine is None else {"log10_remaining_fine": fine}
    counts = {"created": 1000}
    state = Snapshot(1, 1, 2.0, Status.RUNNING, None, 0.0, counts=counts, log10_remaining=coarse, detail=detail)
    assert time_left(state, 2.0) == said
