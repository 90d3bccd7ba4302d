"""Searches over prefixes that can be looked into: their tree, what became of each child of a prefix, and why."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .. import glossary, remaining
from ..arguments import ParameterError, is_whole
from ..kernels.growing import CUT, EXPANDED, OPEN, with_room
from ..kernels.queue import DONE, GROW
from ..slices import effort_of
from ..snapshot import Incumbent, Snapshot, bound_shown, standing
from ..stepping import Search
from .nodes import COLUMNS, Nodes, Scale
from .replay import Children, Places

_NEAR = 1e-9  # costs that differ by less are one cost, written with other roundings
_DIGITS = range(4, 11)


def reason(
    state: str, cut_by: str, family: str, bound: float, best: float | None = None, bounding: bool | None = None
) -> str:
    """Why a prefix is "open", was "expanded", or is "cut" by a bound of a family's search.

    ``best``: the objective of the best list, if any. ``bounding``: whether what cuts says that no list that goes on
    costs less than that; None: that is not known.
    """
    ours, other = _apart(bound, best)
    if best is None:
        figures = f"Its bound is {ours}, and no list is known yet"
        return f"{figures}: {_WITHOUT_A_LIST[state]}." if state != "cut" else _cut(cut_by, family, f"{figures}.")
    reaches = bound >= best - _NEAR
    if state == "open":
        if reaches:
            return f"It waits in the queue, but its bound, {ours}, has reached the best list, {other}: nothing follows."
        return f"Its bound, {ours}, is below the best list, {other}: it waits in the queue."
    if state == "expanded":
        then = "was below the best list of that time; now that is" if reaches else "is below the best list,"
        return f"Its bound, {ours}, {then} {other}: what could follow it has been looked at."
    if bounding is None:
        return _cut(cut_by, family, f"Its bound is {ours}, the best list costs {other}.")
    if not bounding:
        return _cut(cut_by, family, f"Not for its bound, which is {ours}; the best list costs {other}.")
    if reaches:
        return _cut(cut_by, family, f"Its bound, {ours}, reaches the best list, {other}.")
    return _cut(
        cut_by,
        family,
        f"It was stored with a bound of {ours}; this one, looked at later, reaches the best list, {other}.",
    )


_WITHOUT_A_LIST = {"open": "it waits in the queue", "expanded": "what could follow it has been looked at"}


def _cut(cut_by: str, family: str, figures: str) -> str:
    name, term = cut_by.removeprefix("always: ").replace("_", " "), glossary.find(cut_by, family)
    said = "" if term is None else f" {term.sentence} ({term.source})" if term.source else f" {term.sentence}"
    return f'Cut by "{name}". {figures}{said}'


def _apart(bound: float, best: float | None) -> tuple[str, str]:
    """Both with so many digits that they differ, where they do."""
    if best is None:
        return f"{bound:.4f}", ""
    for digits in _DIGITS:
        texts = f"{bound:.{digits}f}", f"{best:.{digits}f}"
        if texts[0] != texts[1] or abs(bound - best) < _NEAR:
            break
    return texts


_TERMS = ("loss", "rules", "inevitable", "further")
LOOK = ("antecedent", "label", "captured", "errors", *_TERMS, "bound", "fate", "cut_by", "reason")


@dataclass
class Best:
    """The best list so far: its cost on the grid, its antecedents as the problem's, and when it was found."""

    cost: int
    antecedents: tuple[int, ...] = ()
    work: int = 0
    seconds: float = 0.0


class PrefixSearch(Search):
    """A best-first search that stores prefixes, up to a memory limit."""

    memory_limit: int | None
    _phase: str
    _best: Best
    _store: Any
    _incumbent: Incumbent | None = None
    _out_of_memory = False

    @property
    @abc.abstractmethod
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search."""

    def tree(self, max_nodes: int = 2000) -> pd.DataFrame:
        """The stored prefixes: a tree whose root is the empty prefix.

        Children that a bound cut at once are not stored; `look_into` has them.

        Parameters
        ----------
        max_nodes : int
            Those on the path to the incumbent are shown, then those with the most descendants.

        Returns
        -------
        DataFrame
            A row per prefix, each after its parent: node and parent (numbers, -1 above the empty prefix), antecedent
            of the last rule, the label that it predicts, length, cost (what the prefix costs whatever follows) and
            bound (on every list that extends it), both in units of the objective, state ("expanded", "open" or "cut"),
            cut_by, and descendants: how many are stored below it, shown or not. ``attrs`` has how many prefixes are
            "stored" and "left_out", and the nodes of the "incumbent". Empty before the search has begun.

        Raises
        ------
        ValueError
            When ``max_nodes`` is no positive integer.
        """
        if not is_whole(max_nodes, 1):
            raise ParameterError("max_nodes", max_nodes, "a positive integer")
        nodes = self.prefixes()
        return pd.DataFrame(columns=list(COLUMNS)) if nodes is None else nodes.frame(int(max_nodes))

    def prefixes(self) -> Nodes | None:
        """All stored prefixes, as arrays; None before there are any."""
        scale = self._scale()
        return None if scale is None else Nodes.of(*self._stored(), scale, self._best.antecedents)

    def fates(self) -> np.ndarray:
        """What has become of each stored prefix, see `rulelab.kernels.node_status`; empty before there are any."""
        if self._scale() is None:
            return np.zeros(0, dtype=np.uint8)
        store, n = self._stored()
        return store.fate[:n].copy()

    def look_into(self, prefix: Sequence[int | str] | None = None) -> pd.DataFrame:
        """What the search does, or did, with each rule that could come next after a prefix.

        The kernel of the search expands the prefix once more, in a copy of what it stores, by the present incumbent;
        weights and errors are counted beside it, from the patterns of the problem. The search itself goes on as if
        nobody had looked.

        Parameters
        ----------
        prefix : sequence of int or str, optional
            Antecedents by index or name; by default the prefix that was expanded last.

        Returns
        -------
        DataFrame
            A row per antecedent that the search tries: antecedent, label; captured (weight) and errors (of the prefix
            with this rule); then the terms of the bound in units of the objective, loss + rules + inevitable + further
            = bound: what is lost so far, the price of the rules, what rows that satisfy the same antecedents lose in
            any list, and what the bounds in use add, up to the incumbent where they cut; fate ("open", "expanded" or
            "cut"), cut_by, and the reason in a sentence with its theorem. ``attrs`` has the "prefix" by names, the
            "incumbent"'s objective, and "prefix_cut_by", where the search does not expand the prefix at all. Empty
            before the search has begun.

        Raises
        ------
        ValueError
            When the prefix has an antecedent that the problem or the reduced problem does not have.
        """
        scale = self._scale()
        if scale is None:
            return pd.DataFrame(columns=list(LOOK))
        children = self._children(None if prefix is None else tuple(scale.index(each) for each in prefix))
        names, weights, own = self.problem.names, scale.weights, scale.antecedents
        path = [int(own[a]) for a in children.prefix]
        left, loss, errors = weights.everything, 0.0, 0
        for a in path:
            positive, negative = weights.of_set(left & weights.columns[a])
            loss, errors = loss + scale.loss(positive, negative), errors + min(positive, negative)
            left = left & ~weights.columns[a]
        positives, negatives = (each[own] for each in weights.of_columns(left))
        stays = scale.inevitable.of_set(left)[0] - scale.inevitable.of_columns(left)[0][own]
        fates = children.fate.tolist()
        cut_by = ["" if fate < CUT else scale.cuts[fate - CUT] for fate in fates]
        frame = pd.DataFrame(
            {
                "antecedent": [names[a] for a in own.tolist()],
                "label": [self.problem.classes[int(more)] for more in positives > negatives],
                "captured": (positives + negatives) * scale.row,
                "errors": (errors + np.minimum(positives, negatives)) * scale.row,
                "loss": loss + scale.loss(positives, negatives),
                "rules": scale.price(len(path) + 1),
                "fate": [{EXPANDED: "expanded", OPEN: "open"}.get(fate, "cut") for fate in fates],
                "cut_by": cut_by,
            }
        )
        best, least = scale.bound(children.best), (frame["loss"] + frame["rules"]).to_numpy()
        inevitable = stays * scale.costs.unit
        excluded = np.isin(cut_by, sorted(scale.bounding))
        bound = np.where(children.key > 0, scale.bound(children.key), least + inevitable)
        bound = np.where(excluded, np.maximum(bound, best), bound)  # also of those that were stored, and cut later
        frame["inevitable"] = np.minimum(inevitable, np.maximum(0.0, bound - least))
        frame["further"] = np.maximum(0.0, bound - least - frame["inevitable"])
        frame["bound"] = frame[list(_TERMS)].sum(axis=1)
        frame["reason"] = [
            reason(state, by, self.kind or self.family, at_least, float(best), by in scale.bounding)
            for state, by, at_least in zip(frame["fate"], cut_by, frame["bound"].tolist(), strict=True)
        ]
        frame.attrs.update(
            prefix=[names[a] for a in path],
            incumbent=float(best),
            prefix_cut_by="" if children.prefix_cut < 0 else scale.cuts[children.prefix_cut],
        )
        untried = np.isin(own, path) & (frame["fate"] == "open").to_numpy()
        return frame.loc[~untried, list(LOOK)].reset_index(drop=True)

    @abc.abstractmethod
    def _incumbent_of(self, antecedents: tuple[int, ...], found_at: tuple[float, int]) -> Incumbent:
        """The list of these antecedents of the problem, as snapshots show it."""

    def _make_incumbent(self) -> Incumbent:
        """The best list as a model, which is made once."""
        best = self._best
        if self._incumbent is None or self._incumbent.model.antecedents != best.antecedents:
            self._incumbent = self._incumbent_of(best.antecedents, (best.seconds, best.work))
        return self._incumbent

    @property
    def _free(self) -> int | None:
        """Bytes that the memory limit leaves; None without one."""
        return None if self.memory_limit is None else self.memory_limit - self.memory_bytes

    def _go_on(self, kernel: Callable[..., int], at: Places, room: int, per_work: int, target: int) -> bool:
        """Advance up to so much work, or as far as memory goes; whether a better list was found.

        ``kernel``: takes the store, units of work and effort, of which there is ``per_work``; it needs ``room`` for so
        many prefixes.
        """
        numbers, of = self._store.numbers, at.of

        def mark_stale(store: Any) -> None:
            """Let the tables be filled anew, a part at a time."""
            store.numbers[of.TABLE_IS_STALE] = 1

        self._out_of_memory = False
        improved = int(numbers[of.IMPROVED])
        while self.work < target:
            left = target - self.work
            outcome = kernel(self._store, left, effort_of(left, per_work))
            self.work = int(numbers[of.WORK])
            if outcome == DONE:
                self._phase = "certified"
            if outcome != GROW:
                break
            wanted = (at.nodes, room), (at.heap, room)
            self._store, enough = with_room(self._store, wanted, self._free, mark_stale)
            if not enough:
                self._out_of_memory = True
                break
        return bool(numbers[of.IMPROVED] > improved)

    def _state(
        self,
        exact: bool,
        bound: float,
        counts: dict[str, int],
        pruned: dict[str, int],
        queue_by_length: np.ndarray | None,
        longest: int,
        detail: dict[str, Any],
    ) -> Snapshot:
        """The snapshot of a search that is prepared; without a queue it has not begun to store prefixes."""
        incumbent = self._make_incumbent()
        status, limit = standing(self._phase == "certified", exact, "memory" if self._out_of_memory else None)
        queue = () if queue_by_length is None else tuple(np.trim_zeros(queue_by_length, "b").tolist())
        waiting = (1,) if queue_by_length is None else queue
        return Snapshot(
            **self._figures,
            status=status,
            incumbent=incumbent,
            lower_bound=bound_shown(incumbent.objective, bound, status),
            counts=counts,
            pruned=pruned,
            queue_by_length=queue,
            log10_remaining=remaining.log10_coarse(waiting, detail["antecedents"], longest),
            phase=self._phase,
            limit=limit,
            detail=detail,
        )

    @abc.abstractmethod
    def _stored(self) -> tuple[Any, int]:
        """The store, and how many prefixes it holds."""

    @abc.abstractmethod
    def _scale(self) -> Scale | None:
        """The units of the search; None before it has begun."""

    @abc.abstractmethod
    def _children(self, prefix: tuple[int, ...] | None) -> Children:
        """The fates of the children of a prefix of the search's own antecedents; None: of the one expanded last."""
