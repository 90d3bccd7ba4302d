"""What several tests draw with Hypothesis."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

import rulelab as rl

seeds = st.integers(0, 2**32 - 1)
"""Of random numbers."""


@st.composite
def rows(draw, *further: st.SearchStrategy[Any], max_rows=14, max_columns=5, max_weight=5) -> tuple[Any, ...]:
    """A table small enough for a naive reference, with rows of both classes, and what further strategies draw."""
    n, m = draw(st.integers(2, max_rows)), draw(st.integers(1, max_columns))
    cells = draw(st.lists(st.booleans(), min_size=n * m, max_size=n * m))
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[0], y[1] = True, False
    weight = draw(st.lists(st.integers(1, max_weight), min_size=n, max_size=n))
    return np.array(cells).reshape(n, m), y, weight, *(draw(one) for one in further)


def problem_of(case: tuple[Any, ...]) -> rl.Problem:
    """That of a table that was drawn."""
    return rl.Problem.from_arrays(case[0], case[1], sample_weight=case[2])
