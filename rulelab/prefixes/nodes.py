"""The stored prefixes of a search as a table: a tree by parents, of which the largest parts are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..data.problem import Problem
from ..kernels.fates import CUT, EXPANDED, OPEN
from .weights import Weights

COLUMNS = ("node", "parent", "antecedent", "label", "length", "cost", "bound", "state", "cut_by", "descendants")


@dataclass(frozen=True)
class Nodes:
    """All stored prefixes of a search, the empty one first.

    Attributes
    ----------
    parent : int array, shape (n,)
        -1 for the empty prefix.
    antecedent : int array, shape (n,)
        The antecedent of the last rule, as an index of the problem's; -1 for the empty prefix.
    cost, bound : float array, shape (n,)
        In units of the objective.
    fate : uint8 array, shape (n,)
        See `rulelab.kernels.fates`.
    cuts : tuple of str
        The names of the bounds, in the order of the fates.
    incumbent : tuple of int
        The antecedents of the best list.
    """

    parent: np.ndarray
    antecedent: np.ndarray
    cost: np.ndarray
    bound: np.ndarray
    fate: np.ndarray
    cuts: tuple[str, ...]
    incumbent: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, store: Any, n: int, own: np.ndarray, costs: Any, cuts: tuple[str, ...], incumbent: tuple[int, ...]
    ) -> Nodes:
        """The first ``n`` entries of a store with rules of the antecedents ``own``, in the units of ``costs``."""
        root = store.parent[:n] < 0
        return cls(
            parent=store.parent[:n].astype(np.int64),
            antecedent=np.where(root, -1, own[np.where(root, 0, store.rule[:n])] if len(own) else -1),
            cost=store.cost[:n] * costs.unit,
            bound=np.maximum(0.0, store.key[:n] * costs.unit - costs.slack),
            fate=store.fate[:n],
            cuts=cuts,
            incumbent=incumbent,
        )

    def levels(self) -> list[np.ndarray]:
        """The nodes by the length of their prefix."""
        order = np.argsort(self.parent, kind="stable")
        parents = self.parent[order]
        levels, level = [], order[: np.searchsorted(parents, 0)]
        while len(level):
            levels.append(level)
            first, last = np.searchsorted(parents, level), np.searchsorted(parents, level, side="right")
            length = last - first
            inside = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
            level = order[np.repeat(first, length) + inside]
        return levels

    def path(self, antecedents: tuple[int, ...]) -> list[int]:
        """The nodes of the longest stored prefix of a list, the empty prefix first."""
        found = [0] if len(self.parent) else []
        for antecedent in antecedents[: len(antecedents) if found else 0]:
            next_one = np.flatnonzero((self.parent == found[-1]) & (self.antecedent == antecedent))
            if not len(next_one):
                break
            found.append(int(next_one[-1]))
        return found

    def state(self, node: int) -> tuple[str, str]:
        """What has become of a node, and the bound that cut it or an empty text."""
        fate = int(self.fate[node])
        if fate >= CUT:
            return "cut", self.cuts[fate - CUT]
        return {EXPANDED: "expanded", OPEN: "open"}[fate], ""

    def frame(self, problem: Problem, weights: Weights, max_nodes: int) -> pd.DataFrame:
        """The nodes with the most descendants, each after its parent; see `PrefixSearch.tree`."""
        levels = self.levels()
        n = len(self.parent)
        descendants, length = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for k, level in reversed(list(enumerate(levels))):
            length[level] = k
            if k:
                np.add.at(descendants, self.parent[level], descendants[level] + 1)
        on_path = self.path(self.incumbent)
        kept = np.zeros(n, dtype=bool)
        kept[on_path[:max_nodes]] = True
        order = np.lexsort((np.arange(n), length, -descendants))
        more = order[~kept[order]]
        kept[more[: max(0, max_nodes - int(kept.sum()))]] = True
        shown = np.flatnonzero(kept)
        shown = shown[np.argsort(length[shown], kind="stable")]
        states = [self.state(node) for node in shown.tolist()]
        frame = pd.DataFrame(
            {
                "node": shown,
                "parent": self.parent[shown].astype(np.int64),
                "antecedent": ["" if a < 0 else problem.names[a] for a in self.antecedent[shown].tolist()],
                "label": pd.Series(self._labels(problem, weights, shown.tolist()), dtype=object),
                "length": length[shown],
                "cost": self.cost[shown],
                "bound": self.bound[shown],
                "state": [state for state, _ in states],
                "cut_by": [cut_by for _, cut_by in states],
                "descendants": descendants[shown],
            },
            columns=list(COLUMNS),
        )
        frame.attrs.update(stored=n, left_out=n - len(shown), incumbent=[node for node in on_path if kept[node]])
        return frame

    def _labels(self, problem: Problem, weights: Weights, shown: list[int]) -> list[object]:
        """The class that most of the weight has that each prefix's last rule captures; None for the empty prefix."""
        left = {-1: weights.everything}
        labels: list[object] = []
        for node in shown:
            whole, antecedent = left[int(self.parent[node])], int(self.antecedent[node])
            if antecedent < 0:
                left[node] = whole
                labels.append(None)
                continue
            captured = whole & weights.columns[antecedent]
            left[node] = whole & ~captured
            positive, negative = weights.of_set(captured)
            labels.append(problem.classes[int(positive > negative)])
        return labels
