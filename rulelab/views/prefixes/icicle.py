"""Where the prefixes of a tree stand in a picture: a row per length, children inside their parent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

WIDTHS = ("descendants", "bound")
ORDERS = ("largest", "stored")
_FARTHEST = 0.1
"""The share of the prefix whose bound is farthest from the best list, where that of the nearest is 1."""


@dataclass(frozen=True)
class Icicle:
    """Rectangles in a picture of width 1; row k holds the prefixes of k rules.

    Attributes
    ----------
    place : int64 array, shape (n,)
        The rows of the tree's frame that are drawn, ascending: each after its parent.
    left, right : float array, shape (n,)
    row : int64 array, shape (n,)
    block_parent : int64 array, shape (b,)
        For each block which of those drawn it stands under, one row lower.
    block_left, block_right : float array, shape (b,)
    block_count : int64 array, shape (b,)
        Stored prefixes that it stands for: those left out of the frame, those too narrow to see, and all below them.
    """

    place: np.ndarray
    left: np.ndarray
    right: np.ndarray
    row: np.ndarray
    block_parent: np.ndarray
    block_left: np.ndarray
    block_right: np.ndarray
    block_count: np.ndarray


def icicle(
    tree: pd.DataFrame,
    width: str = "descendants",
    order: str = "largest",
    least: float = 1e-3,
    objective: float | None = None,
) -> Icicle:
    """Lay out a tree.

    Parameters
    ----------
    tree : DataFrame
        As `rulelab.prefixes.PrefixSearch.tree` gives it: each prefix after its parent.
    width : str
        "descendants": by how many prefixes are stored below, and the prefix itself. "bound": children share the width
        of their parent, the larger parts for those whose bounds are near the ``objective``; all alike without one.
    order : str
        Of the children: "largest" first, or as "stored".
    least : float
        What is narrower is not drawn, but counted in the block of its parent.
    objective : float, optional
        Of the best model.

    Raises
    ------
    ValueError
        For a width or an order that there is not.
    """
    if width not in WIDTHS:
        raise ValueError(f"width must be one of {', '.join(WIDTHS)}, not {width!r}")
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
    n = len(tree)
    size = tree["descendants"].to_numpy(dtype=np.int64) + 1
    length = tree["length"].to_numpy(dtype=np.int64)
    parent = _places(tree["node"].to_numpy(dtype=np.int64), tree["parent"].to_numpy(dtype=np.int64))
    inner = np.flatnonzero(parent >= 0)
    left_out = size - 1 - _sums(parent[inner], size[inner], n)
    if width == "descendants":
        part, part_out, whole = size.astype(float), left_out.astype(float), size.astype(float)
    else:
        part, part_out = _nearness(tree["bound"].to_numpy(dtype=float), objective), (left_out > 0).astype(float)
        whole = _sums(parent[inner], part[inner], n) + part_out
    left, breadth = np.zeros(n), np.where(parent < 0, 1.0, 0.0)
    drawn = parent < 0
    blocks = [(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))]
    levels = np.split(
        inner[np.argsort(length[inner], kind="stable")], np.cumsum(np.bincount(length[inner], minlength=1))
    )[1:]
    for k, level in enumerate(levels):
        above = np.flatnonzero(drawn & (length == k))
        children = level[drawn[parent[level]]]
        breadth[children] = breadth[parent[children]] * part[children] / whole[parent[children]]
        rank = -part[children] if order == "largest" else children
        children = children[np.lexsort((children, rank, parent[children]))]
        thin, seen = children[breadth[children] < least], children[breadth[children] >= least]
        left[seen] = left[parent[seen]] + _before(parent[seen], breadth[seen])
        drawn[seen] = True
        count = left_out[above] + _sums(parent[thin], size[thin], n)[above]
        under = above[count > 0]
        start = left[under] + _sums(parent[seen], breadth[seen], n)[under]
        out = breadth[under] * part_out[under] / whole[under] + _sums(parent[thin], breadth[thin], n)[under]
        blocks.append((under, start, start + out, count[count > 0]))
    place = np.flatnonzero(drawn)
    under, start, end, count = (np.concatenate(each) for each in zip(*blocks, strict=True))
    at = np.cumsum(drawn) - 1
    return Icicle(place, left[place], left[place] + breadth[place], length[place], at[under], start, end, count)


def _places(node: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Where the parent of each stands in the frame; -1 above the empty prefix."""
    order = np.argsort(node)
    found = order[np.minimum(np.searchsorted(node[order], parent), len(node) - 1)] if len(node) else parent
    return np.where(parent < 0, -1, found)


def _sums(at: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """The sum of the values at each of ``n`` places, in their type."""
    total = np.zeros(n, dtype=values.dtype)
    np.add.at(total, at, values)
    return total


def _before(group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The sum of the values before each one in its group; groups stand together."""
    ends = np.cumsum(values)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    begun = (ends - values)[first]
    return ends - values - np.repeat(begun, np.diff(first, append=len(group)))


def _nearness(bound: np.ndarray, objective: float | None) -> np.ndarray:
    """From `_FARTHEST` to 1 of the prefix whose bound is the nearest to the objective."""
    distance = np.zeros(len(bound)) if objective is None else np.abs(objective - bound)
    return 1 - (1 - _FARTHEST) * distance / max(float(distance.max(initial=0.0)), 1e-300)
