"""What is looked at in a search between two of its units of work, by the name under which it is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from ...prefixes import PrefixSearch
from ...recording import Course
from ...rule_set import RuleSetSearch
from ...search import Search
from ...snapshot import Snapshot
from ..live.recorded import RecordedSearch
from ..prefixes.frames import LARGEST_COPY, TreeFrame, recorded_frame, tree_frame
from .plots import pool, prices

TREE, POOL, PRICES = "Tree", "Pool", "Prices"
MOST_NODES = 400
"""Prefixes of a tree on the page."""


def tree_of(search: Search, moment: Snapshot | None, course: Course | None, prefix: Sequence[str] | None) -> TreeFrame:
    """The tree with one of its prefixes, as it is or was at a moment."""
    if isinstance(search, RecordedSearch):
        return recorded_frame(search.recording, None if moment is None else moment.step, MOST_NODES, prefix)
    if not isinstance(search, PrefixSearch):
        return TreeFrame()
    return tree_frame(search, MOST_NODES, moment, course, prefix, LARGEST_COPY)


def pool_of(search: Search) -> pd.DataFrame:
    """The rules that column generation has gathered."""
    return search.pool() if isinstance(search, RuleSetSearch) else pool.EMPTY


def prices_of(search: Search) -> pd.DataFrame:
    """What the linear programme gives for covering rows."""
    return search.prices(prices.MOST_BARS) if isinstance(search, RuleSetSearch) else prices.EMPTY


PICTURES: dict[str, tuple[Any, pd.DataFrame, Callable[[Search], pd.DataFrame]]] = {
    POOL: (pool.PoolPlot, pool.EMPTY, pool_of),
    PRICES: (prices.PricesPlot, prices.EMPTY, prices_of),
}
"""Plots of a table each: how it is drawn, what it is before there is anything, and what makes it."""
