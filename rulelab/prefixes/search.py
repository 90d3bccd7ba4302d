"""Searches over prefixes that can be looked into: their tree, and what became of each child of a prefix."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import ParameterError, is_whole
from ..kernels.fates import CUT, EXPANDED, OPEN
from ..search import Search
from .nodes import COLUMNS, Nodes
from .reasons import reason
from .replay import Children
from .scale import Scale

_TERMS = ("loss", "rules", "inevitable", "further")
LOOK = ("antecedent", "label", "captured", "errors", *_TERMS, "bound", "fate", "cut_by", "reason")


class PrefixSearch(Search):
    """A best-first search that stores prefixes."""

    _best: Any

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
        """What has become of each stored prefix by now, see `rulelab.kernels.fates`; empty before there are any."""
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
        bound = np.where(excluded, np.maximum(least + inevitable, best), least + inevitable)
        bound = np.where(children.key > 0, scale.bound(children.key), bound)
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
    def _stored(self) -> tuple[Any, int]:
        """The store, and how many prefixes it holds."""

    @abc.abstractmethod
    def _scale(self) -> Scale | None:
        """The units of the search; None before it has begun."""

    @abc.abstractmethod
    def _children(self, prefix: tuple[int, ...] | None) -> Children:
        """The fates of the children of a prefix of the search's own antecedents; None: of the one expanded last."""
