"""What is seen of a search over prefixes at one moment: frozen, so that another thread may go on with the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...prefixes import Nodes, Pixels, PrefixSearch, Scale
from ...recording import Course, Recording
from ...recording.course import NOT_YET
from ...snapshot import Snapshot
from .tree_plot import EMPTY

NOT_BEGUN = (
    "There is no tree yet: it begins with the first prefix that the search stores. Until then the search reduces the "
    "problem and looks for a first list."
)
_MOVED = "Where a cheaper prefix has taken the place of one since, the cheaper one is drawn."
_SINCE = "The search ran elsewhere: shown is what has become of the prefixes since."
LARGEST_COPY = 1 << 28
"""Bytes of a search whose store is copied to look into a prefix while it runs on a page."""
_TOO_LARGE = "The search holds more prefixes than can be copied beside it to look into one."


@dataclass(frozen=True)
class TreeFrame:
    """A tree to be drawn.

    Attributes
    ----------
    tree : DataFrame
        As `rulelab.prefixes.PrefixSearch.tree` gives it.
    scale : Scale or None
        To explain a prefix with; None where the data are not at hand.
    kind : str
        Whose bounds they are.
    objective : float or None
        Of the best model.
    empty : str
        Why there is nothing to see, where there is nothing.
    said : str
        What else is to be known of it.
    pixels : Pixels or None
        All of it, where that is wanted.
    cuts : tuple of str
        The bounds, in the order of the fates of the pixels.
    """

    tree: pd.DataFrame = field(default_factory=lambda: EMPTY)
    scale: Scale | None = None
    kind: str = ""
    objective: float | None = None
    empty: str = NOT_BEGUN
    said: str = ""
    pixels: Pixels | None = None
    cuts: tuple[str, ...] = ()


def tree_frame(
    search: PrefixSearch,
    max_nodes: int,
    moment: Snapshot | None = None,
    course: Course | None = None,
    columns: int = 0,
) -> TreeFrame:
    """The tree of a search as it is now, or was.

    Parameters
    ----------
    search : PrefixSearch
    max_nodes : int
    moment : Snapshot, optional
        An earlier one.
    course : Course, optional
        What had become of the prefixes then.
    columns : int
        Of a picture of all of it; 0: none is wanted.
    """
    kind, nodes = search.kind or search.family, search.prefixes()
    now = moment or search.snapshot
    objective = None if now is None or now.incumbent is None else now.incumbent.objective
    if nodes is None:
        return TreeFrame(kind=kind, objective=objective)
    said, scale = "", nodes.scale
    if moment is not None and course is not None:
        fate = course.fates(moment.step, len(nodes))
        known = {name: k for k, name in enumerate(nodes.names)}
        best = () if moment.incumbent is None else moment.incumbent.model.antecedent_names
        then = nodes.at(fate, np.flatnonzero(fate != NOT_YET))
        nodes = replace(then, incumbent=tuple(known[name] for name in best))
        if _reopened(search.snapshot) > _reopened(moment):
            said = _MOVED
    elif moment is not None:
        said = _SINCE
    return _drawn(nodes, TreeFrame(EMPTY, scale, kind, objective, said=said), max_nodes, columns)


def _drawn(nodes: Nodes, frame: TreeFrame, max_nodes: int, columns: int) -> TreeFrame:
    if not len(nodes):
        return frame
    pixels = Pixels.of(nodes, columns) if columns else None
    tree = nodes.frame(max_nodes, None if pixels is None else pixels.shown)
    return replace(frame, tree=tree, pixels=pixels, cuts=nodes.cuts)


def _reopened(now: Snapshot | None) -> int:
    return 0 if now is None else now.counts.get("reopened", 0)


def recorded_frame(recording: Recording, step: int | None, max_nodes: int, columns: int = 0) -> TreeFrame:
    """The tree of a recording as it was at a step; None: at its end."""
    seen = [each for each in recording.snapshots if step is None or each.step <= step]
    if not seen:
        nothing = "Nothing is recorded of that step." if recording.snapshots else "Nothing is recorded."
        return TreeFrame(empty=nothing)
    best = seen[-1].incumbent
    try:
        nodes = recording.prefixes_at(seen[-1].step)
    except ValueError:
        return TreeFrame()
    empty = TreeFrame(EMPTY, None, recording.family, None if best is None else best.objective)
    return _drawn(nodes, empty, max_nodes, columns)


@dataclass(frozen=True)
class StepFrame:
    """A prefix and its children.

    Attributes
    ----------
    children : DataFrame
        As `rulelab.prefixes.PrefixSearch.look_into` gives it.
    own : dict or None
        The row of the prefix among the children of its parent; None of the empty prefix.
    problem : Problem
    kind : str
        Whose bounds they are.
    last : bool
        Whether it is the prefix that was expanded last.
    now : Snapshot or None
        The search at that time.
    refused : str
        Why there is nothing to see.
    """

    children: pd.DataFrame
    own: dict[str, Any] | None
    problem: Problem
    kind: str
    last: bool
    now: Snapshot | None
    refused: str = ""

    @property
    def path(self) -> list[str]:
        """The antecedents of the prefix."""
        return list(self.children.attrs.get("prefix", ()))


def step_frame(search: PrefixSearch, prefix: Sequence[int | str] | None, most: int | None = None) -> StepFrame:
    """What becomes of each rule that could come next after a prefix.

    Parameters
    ----------
    search : PrefixSearch
    prefix : sequence of int or str, or None
        None: the one that was expanded last.
    most : int, optional
        Bytes of the search from which on nothing is looked into.

    Raises
    ------
    ValueError
        When the search has no such prefix.
    """
    now, kind, own = search.snapshot, search.kind or search.family, None
    if most is not None and now is not None and now.memory_bytes > most:
        return StepFrame(pd.DataFrame(), None, search.problem, kind, prefix is None, now, _TOO_LARGE)
    children = search.look_into(prefix)
    path = list(children.attrs.get("prefix", ()))
    if path:
        before = search.look_into(path[:-1])
        own = before[before["antecedent"] == path[-1]].iloc[0].to_dict()
    return StepFrame(children, own, search.problem, kind, prefix is None, now)
