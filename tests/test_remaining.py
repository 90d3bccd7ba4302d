"""Upper bounds on the search space that is left."""

from __future__ import annotations

import math

import pytest

from rulelab.remaining import log10_coarse


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
