"""What is seen of a search over prefixes at one moment: frozen, so that another thread may go on with the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ...assets import texts
from ...prefixes import Nodes, PrefixSearch, reason
from ...prefixes.nodes import COLUMNS
from ...prefixes.search import LOOK
from ...recording import Course, Recording
from ...recording.course import NOT_YET
from ...snapshot import Snapshot
from .icicle import Rest

EMPTY = pd.DataFrame(columns=list(COLUMNS))  # no tree
NO_CHILDREN = pd.DataFrame(columns=list(LOOK))
NOT_BEGUN, _SAID = texts("empty")["tree"], texts("of a prefix")
LARGEST_COPY = 1 << 28  # bytes of a search whose store is copied to look into a prefix while it runs on a page


@dataclass(frozen=True)
class Seen:
    """The prefix that is looked at."""

    path: tuple[str, ...] = ()  # its antecedents
    last: bool = False  # whether it was expanded last
    own: dict[str, Any] | None = None  # its row among the children of its parent; None of the empty prefix
    # as `rulelab.prefixes.PrefixSearch.look_into` gives it
    children: pd.DataFrame = field(default_factory=lambda: NO_CHILDREN)
    said: str = ""  # what else is to be known of them


@dataclass(frozen=True)
class TreeFrame:
    """A tree to be drawn, and a prefix of it to be explained."""

    tree: pd.DataFrame = field(default_factory=lambda: EMPTY)  # as `rulelab.prefixes.PrefixSearch.tree` gives it
    rest: Sequence[Rest] = ()  # what it leaves out, see `rulelab.views.prefixes.icicle.icicle`
    kind: str = ""  # whose bounds they are
    objective: float | None = None  # of the best model
    best: tuple[str, ...] = ()  # its antecedents
    price: float = 0.0  # of a rule, of a recording, of which the data are not at hand
    empty: str = NOT_BEGUN  # why there is nothing to see, where there is nothing
    said: str = ""  # what else is to be known of it
    stored: int = 0  # so many prefixes there were, where a recording keeps a part of them; else 0
    seen: Seen = Seen()
    recorded: bool = False  # whether it is of a recording, which lacks what was cut at once

    def in_words(self, classes: Sequence[Any], labels: Sequence[Any]) -> TreeFrame:
        """With other names for the classes."""
        known = dict(zip(classes, labels, strict=True))
        tree, children = (
            each.assign(label=pd.Series([known.get(one, one) for one in each["label"]], each.index, dtype=object))
            for each in (self.tree, self.seen.children)
        )
        return replace(self, tree=tree, seen=replace(self.seen, children=children))


def tree_frame(
    search: PrefixSearch,
    max_nodes: int,
    moment: Snapshot | None = None,
    course: Course | None = None,
    prefix: Sequence[str] | None = None,
    most: float = float("inf"),
) -> TreeFrame:
    """The tree of a search as it is now, or was.

    `moment`: an earlier one; `course` knows what had become of the prefixes then. `prefix`: the one to be explained;
    None: the one that was expanded last. `most`: bytes of the search up to which it is copied to be looked into.
    ValueError when the search has no such prefix.
    """
    nodes, now = search.prefixes(), moment or search.snapshot
    frame = _of(search.kind or search.family, now)
    if nodes is None:
        return frame
    if moment is None or course is None:
        small = search.snapshot is None or search.snapshot.memory_bytes <= most
        seen = _into(search, nodes, frame, prefix) if small else _stored(nodes, frame, prefix, _SAID["too large"])
        return _drawn(nodes, replace(frame, seen=seen), max_nodes)
    last = prefix is None
    if prefix is None:
        prefix = _named(nodes, course.expanded_last(moment.step, len(nodes)))
    fate = course.fates(moment.step, len(nodes))
    nodes = nodes.at(fate, np.flatnonzero(fate != NOT_YET))
    if _reopened(search.snapshot) > _reopened(moment):
        frame = replace(frame, said=_SAID["moved"])
    seen = _stored(nodes, frame, prefix, _SAID["kept"])
    return _drawn(nodes, replace(frame, seen=replace(seen, last=last)), max_nodes)


def recorded_frame(
    recording: Recording, step: int | None, max_nodes: int, prefix: Sequence[str] | None = None
) -> TreeFrame:
    """The tree of a recording as it was at a step; None: at its end."""
    seen = [each for each in recording.snapshots if step is None or each.step <= step]
    if not seen:
        nothing = "Nothing is recorded of that step." if recording.snapshots else "Nothing is recorded."
        return TreeFrame(empty=nothing)
    try:
        nodes = recording.prefixes_at(seen[-1].step)
    except ValueError:
        return TreeFrame()
    price = float(recording.parameters.get("regularization", 0.0))
    stored = seen[-1].counts.get("stored", 0)
    more = stored if len(nodes) < stored else 0
    frame = replace(_of(recording.family, seen[-1]), price=price, recorded=True, stored=more)
    return _drawn(nodes, replace(frame, seen=_stored(nodes, frame, prefix, _SAID["kept"])), max_nodes)


def _of(kind: str, now: Snapshot | None) -> TreeFrame:
    if now is None or now.incumbent is None:
        return TreeFrame(kind=kind)
    best = tuple(now.incumbent.model.antecedent_names)
    return TreeFrame(kind=kind, objective=now.incumbent.objective, best=best)


def _drawn(nodes: Nodes, frame: TreeFrame, max_nodes: int) -> TreeFrame:
    if not len(nodes):
        return frame
    known = {name: k for k, name in enumerate(nodes.names)}
    nodes = replace(nodes, incumbent=tuple(known[name] for name in frame.best))
    tree = nodes.frame(max_nodes)
    tree.attrs["deepest"] = int(nodes.length.max())  # rules of the longest prefix, also where that is left out
    return replace(frame, tree=tree, rest=nodes.rest(tree["node"].to_numpy()))


def _reopened(now: Snapshot | None) -> int:
    return 0 if now is None else now.counts.get("reopened", 0)


def _named(nodes: Nodes, node: int) -> list[str]:
    """The antecedents of a stored prefix."""
    path = []
    while nodes.parent[node] >= 0:
        path.append(nodes.names[nodes.antecedent[node]])
        node = int(nodes.parent[node])
    return path[::-1]


def _into(search: PrefixSearch, nodes: Nodes, frame: TreeFrame, prefix: Sequence[str] | None) -> Seen:
    """A prefix with all that could come next, also what was cut at once."""
    try:
        children = search.look_into(prefix)
    except ValueError as error:
        own = _told(search, prefix or ())
        if prefix is None or own is None:
            raise
        return Seen(tuple(prefix), own=own, said=f"{str(error).removeprefix('prefix: ')}.")
    if children.empty:
        return Seen()
    path, said, own = tuple(children.attrs["prefix"]), "", None
    now = search.snapshot
    if prefix is None and not path and now is not None and not now.counts.get("expanded"):
        said = _SAID["nothing yet"]
    way = nodes.along(path)
    if len(way) > len(path) > 0:
        own = _row(nodes, way, frame)
    elif path:
        own = _told(search, path)
        if own is None:
            raise ValueError(f"prefix: the search does not try {path[-1]!r} once more")
    if children.attrs["prefix_cut_by"] and own is not None and own["fate"] == "cut":
        said = _SAID["all the same"]
    return Seen(path, prefix is None, own, children, said)


def _told(search: PrefixSearch, path: Sequence[str]) -> dict[str, Any] | None:
    """A prefix that is not stored among the children of its parent; None where it is not among them."""
    above = search.look_into(path[:-1])
    found = above[above["antecedent"] == path[-1]] if path else above[:0]
    return found.iloc[0].to_dict() if len(found) else None


def _stored(nodes: Nodes, frame: TreeFrame, prefix: Sequence[str] | None, said: str) -> Seen:
    """The longest stored prefix of one, by default of the best list, with the stored ones that go on from it."""
    if not len(nodes):
        return Seen()
    way = nodes.along(frame.best if prefix is None else prefix)
    children = _children(nodes, way, frame)
    own = _row(nodes, way, frame) if len(way) > 1 else None
    return Seen(tuple(_named(nodes, way[-1])), False, own, children, said)


def _row(nodes: Nodes, way: list[int], frame: TreeFrame) -> dict[str, Any]:
    """A stored prefix among the children of its parent."""
    beside = _children(nodes, way[:-1], frame)
    return beside.iloc[beside.attrs["nodes"].index(way[-1])].to_dict()


def _children(nodes: Nodes, way: list[int], frame: TreeFrame) -> pd.DataFrame:
    """The stored prefixes that go on from one, given with those that it continues, as `look_into` gives them.

    Where the rows are not at hand, what is captured and what is inevitable are not known.
    """
    found = np.flatnonzero(nodes.parent == way[-1])
    own, cost, bound = nodes.antecedent[found], nodes.cost[found], nodes.bound[found]
    labels = nodes.labels(np.union1d(way, found))[np.searchsorted(np.union1d(way, found), found)]
    states = [nodes.state(node) for node in found.tolist()]
    scale, nothing = nodes.scale, np.zeros(len(found))
    price = len(way) * frame.price if scale is None else scale.price(len(way))
    columns: dict[str, Any] = {
        "antecedent": [nodes.names[a] for a in own.tolist()],
        "label": [nodes.classes[label] for label in labels.tolist()],
        "captured": nothing + np.nan,
        "errors": nothing + np.nan,
        "loss": np.maximum(0.0, cost - price),
        "rules": nothing + price,
        "inevitable": nothing,
    }
    if scale is not None:
        # counted on the rows: what a search stores as the cost may hold what is inevitable of the rows that are left
        weights, wrong, lost = scale.weights, 0, 0.0
        left = weights.everything  # the patterns that the rules of the prefix leave
        for a in nodes.antecedent[way[1:]].tolist():
            captured = weights.of_set(left & weights.columns[a])
            wrong, lost = wrong + min(captured), lost + scale.loss(*captured)
            left = left & ~weights.columns[a]
        positive, negative = (each[own] for each in weights.of_columns(left))
        loss = lost + scale.loss(positive, negative)
        stays = scale.inevitable.of_set(left)[0] - scale.inevitable.of_columns(left)[0][own]
        columns.update(
            captured=(positive + negative) * scale.row,
            errors=(wrong + np.minimum(positive, negative)) * scale.row,
            loss=loss,
            inevitable=np.minimum(stays * scale.costs.unit, np.maximum(0.0, bound - loss - price)),
        )
    terms = columns["loss"] + columns["rules"] + columns["inevitable"]
    bounding = [None if scale is None else by in scale.bounding for _, by in states]
    reached = np.array([frame.objective or 0.0 if excludes else 0.0 for excludes in bounding])  # by what cut it later
    most = np.maximum(np.maximum(bound, reached), terms)
    columns |= {
        "further": most - terms,
        "bound": most,
        "fate": [state for state, _ in states],
        "cut_by": [by for _, by in states],
        "reason": [
            reason(state, by, frame.kind, at_least, frame.objective, excludes)
            for (state, by), at_least, excludes in zip(states, bound.tolist(), bounding, strict=True)
        ],
    }
    children = pd.DataFrame(columns, columns=list(LOOK))
    children.attrs.update(incumbent=frame.objective, nodes=found.tolist())
    return children
