"""Where the prefixes of a tree stand in a picture, a row per length, children in their parent; and in which colours."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..live.wording import count
from ..widgets.style import SKY, sheet

_STATES = {"expanded": SKY, "open": "#E6C200"}
CUTS: dict[str, str] = json.loads(sheet("cuts.json"))  # the colour of each bound
_ANY_CUT = "#6B6B6B"  # of the other bounds, which hardly ever cut a prefix that is stored already


def bound_name(cut_by: str) -> str:
    """A bound as people call it."""
    return cut_by.removeprefix("always: ").replace("_", " ")


def color_of(state: str, cut_by: str = "") -> str:
    """Of a prefix by its state, or by the bound that cut it, in any way of writing its name."""
    return CUTS.get(bound_name(cut_by), _ANY_CUT) if state == "cut" else _STATES[state]


def fate_of(state: str, cut_by: str = "") -> str:
    """What has become of a prefix, in words: "open", "expanded", or "cut: " and the bound."""
    return f"cut: {bound_name(cut_by)}" if state == "cut" else state


def tally(fates: Iterable[str]) -> str:
    """How many have each fate: "3 open, 80 cut by lookahead"."""
    found = Counter(fates)
    order = sorted(found, key=lambda fate: (fate.startswith("cut"), -found[fate]))
    return ", ".join(f"{count(found[fate])} {fate.replace('cut: ', 'cut by ')}" for fate in order)


Rest = tuple[int, str, str, int]
"""Prefixes that a frame leaves out: the one of the frame that they stand below, state, what cut them, how many."""


@dataclass(frozen=True)
class Icicle:
    """Rectangles in a picture of width 1; row k holds the prefixes of k rules."""

    place: np.ndarray  # the rows of the tree's frame that are drawn, ascending: each after its parent
    left: np.ndarray
    right: np.ndarray
    row: np.ndarray
    # what stands together: prefixes of one fate below one that is drawn, those that were cut without having been
    # expanded and those too narrow to see, with all below them. ``parent`` (which of those drawn), ``state``,
    # ``cut_by``, ``left``, ``right``, ``count`` and ``place`` (the row in the frame of the one of least bound; -1)
    stubs: pd.DataFrame


def icicle(tree: pd.DataFrame, rest: Sequence[Rest] = (), least: float = 1e-3) -> Icicle:
    """Lay out a tree: a prefix is as wide as many are stored below it, and itself.

    Children stand in the order of their widths, then their stubs: what is open, then what was cut.

    `tree`: as `rulelab.prefixes.PrefixSearch.tree` gives it: each prefix after its parent. `rest`: what it leaves out.
    `least`: what is narrower stands in a stub of its parent, but the way to the best list.
    """
    n, node = len(tree), tree["node"].to_numpy(dtype=np.int64)
    size = tree["descendants"].to_numpy(dtype=np.int64) + 1
    length = tree["length"].to_numpy(dtype=np.int64)
    at = dict(zip(node.tolist(), range(n), strict=True))
    parent = np.array([at.get(above, -1) for above in tree["parent"].tolist()], dtype=np.int64)
    wide = size / max(int(size[parent < 0].max(initial=1)), 1)
    alone = (wide >= least) & ~((tree["state"] == "cut").to_numpy() & (size == 1))
    alone[[at[each] for each in tree.attrs.get("incumbent", ()) if each in at]] = True
    holder = np.arange(n)  # of each the longest beginning that is drawn
    for level in range(1, int(length.max(initial=0)) + 1):
        here = np.flatnonzero(length == level)
        alone[here] &= alone[parent[here]]
        holder[here] = np.where(alone[here], here, holder[parent[here]])
    beside = np.flatnonzero(~alone & (parent >= 0))
    stubs = pd.concat([
        tree[["state", "cut_by", "bound"]].iloc[beside].assign(parent=holder[beside], count=1, place=beside),
        pd.DataFrame(
            [(holder[at[above]], state, by, many, np.inf, -1) for above, state, by, many in rest],
            columns=["parent", "state", "cut_by", "count", "bound", "place"],
        ),
    ]).sort_values("bound", kind="stable")  # fmt: skip
    stubs = stubs.groupby(["parent", "state", "cut_by"], as_index=False).agg({"count": "sum", "place": "first"})
    stubs["last"] = stubs["state"].map({"expanded": 0, "open": 1, "cut": 2})
    stubs = stubs.sort_values(["parent", "last", "count"], ascending=[True, True, False], ignore_index=True)
    unit = 1 / max(int(size[parent < 0].max(initial=1)), 1)
    left, filled = np.zeros(n), np.zeros(n)
    place = np.flatnonzero(alone)
    order = place[np.lexsort((place, -size[place], length[place]))]
    for k in order[parent[order] >= 0].tolist():
        left[k] = left[parent[k]] + filled[parent[k]]
        filled[parent[k]] += wide[k]
    starts = []
    for above, many in zip(stubs["parent"].tolist(), stubs["count"].tolist(), strict=True):
        starts.append(left[above] + filled[above])
        filled[above] += many * unit
    stubs["left"], stubs["right"] = starts, np.array(starts) + stubs["count"].to_numpy(dtype=float) * unit
    stubs["parent"] = (np.cumsum(alone) - 1)[stubs["parent"].to_numpy(dtype=np.int64)]
    return Icicle(place, left[place], left[place] + wide[place], length[place], stubs.drop(columns="last"))
