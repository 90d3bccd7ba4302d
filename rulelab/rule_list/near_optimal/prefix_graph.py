"""All near-optimal lists as a graph of prefixes, to choose rule after rule from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...kernels import bits
from . import kernels
from .summary import Enumerated

_CHUNK = 1 << 14


@dataclass(frozen=True, eq=False)
class PrefixGraph:
    """Near-optimal lists as paths: a node is a prefix, an edge the rule that comes next, a list ends at some nodes.

    Prefixes of as many rules that leave the same training rows and predict the same for the others are one node: what
    can follow them is the same. So the graph stays small where the lists are many. Nodes stand in the order of their
    lengths, the empty prefix first.
    """

    problem: Problem
    regularization: float
    max_length: int | None  # most rules in a list, where that was set
    optimum: float  # the least objective
    threshold: float  # the largest objective of the lists that are here
    beyond: float  # no list has an objective between the threshold and this
    exact: bool  # whether objectives are told apart exactly; otherwise weights were rounded
    complete: bool  # whether these are all lists up to the threshold
    covered: float  # every list with a smaller objective is here
    length: np.ndarray  # int, shape (n_nodes,): rules of the prefix that a node is, ascending
    first: np.ndarray  # int, shape (n_nodes + 1,): the edges of node i are those from ``first[i]`` to ``first[i + 1]``
    to: np.ndarray  # int, shape (n_edges,): where an edge leads
    rule: np.ndarray  # int, shape (n_edges,): the antecedent of its rule
    positive: np.ndarray  # bool, shape (n_edges,): whether the rule predicts the positive class
    left: np.ndarray  # int or float, shape (2, n_nodes): weight left to the default: positives, then negatives
    model: np.ndarray  # int, shape (n_nodes,): in the result, the model of the list that ends here; -1: none does

    @property
    def n_lists(self) -> int:
        """Lists; every order counts. 2^62 stands for that many or more."""
        return int(self._counted.endings[0])

    @property
    def n_models(self) -> int:
        """Different classifiers among them."""
        return len(np.unique(self.model[self.model >= 0]))

    def node(self, prefix: Sequence[int]) -> int:
        """The node of a prefix; -1 when no near-optimal list begins with it."""
        edges = self._path(prefix)
        return -1 if edges is None else int(self.to[edges[-1]]) if edges else 0

    def models_below(self, node: int) -> np.ndarray:
        """The models that lists which go on from a node are: their indices, ascending."""
        nodes, found = np.array([node]), []
        while len(nodes):
            found.append(self.model[nodes])
            counts = self.first[nodes + 1] - self.first[nodes]
            edges = np.repeat(self.first[nodes] + counts - counts.cumsum(), counts) + np.arange(counts.sum())
            nodes = np.unique(self.to[edges])
        models = np.unique(np.concatenate(found))
        return models[models >= 0]

    def choices(self, prefix: Sequence[int] = ()) -> pd.DataFrame:
        """What can come next after a prefix of antecedents, the best first.

        By antecedent: ``name``, ``prediction``, ``objective`` (the least of a list that goes on so), ``slack`` (by
        which it is below the threshold), ``models`` and ``lists`` (that go on so).
        """
        rows, at = [], self.node(prefix)
        so_far = self._counted.cost[self._path(prefix) or []].sum()
        for edge in range(0) if at < 0 else range(self.first[at], self.first[at + 1]):
            rule, to = int(self.rule[edge]), int(self.to[edge])
            objective = float(so_far + self._counted.cost[edge] + self._counted.least[to])
            rows.append(
                {
                    "antecedent": rule,
                    "name": self.problem.names[rule],
                    "prediction": self.problem.classes[int(self.positive[edge])],
                    "objective": objective,
                    "slack": max(self.threshold - objective, 0.0),
                    "models": len(self.models_below(to)),
                    "lists": int(self._counted.endings[to]),
                }
            )
        columns = ["antecedent", "name", "prediction", "objective", "slack", "models", "lists"]
        frame = pd.DataFrame(rows, columns=columns).set_index("antecedent")
        objective, models = frame["objective"].to_numpy(float), frame["models"].to_numpy(int)
        return frame.iloc[np.lexsort((-models, np.round(objective, 12)))]

    def reliance(self) -> pd.DataFrame:
        """By antecedent the share of lists that have it, and the least and most share of the weight that it decides."""
        counted, source = self._counted, self._source
        decided = (self.left[:, source] - self.left[:, self.to]).sum(axis=0) / self.problem.total_weight
        used, place = np.unique(self.rule, return_inverse=True)
        least, most, through = np.full(len(used), np.inf), np.zeros(len(used)), np.zeros(len(used))
        np.minimum.at(least, place, decided)
        np.maximum.at(most, place, decided)
        np.add.at(through, place, counted.ways[source].astype(np.float64) * counted.endings[self.to])
        share = np.minimum(through / max(self.n_lists, 1), 1.0)
        frame = pd.DataFrame(
            {
                "name": [self.problem.names[j] for j in used.tolist()],
                "lists": share,
                "least": np.where(share == 1, least, 0.0),
                "most": most,
            },
            index=pd.Index(used, name="antecedent"),
        )
        return frame.sort_values(["lists", "most"], ascending=False, kind="stable")

    @cached_property
    def _source(self) -> np.ndarray:
        """Where each edge begins."""
        return np.repeat(np.arange(len(self.model)), np.diff(self.first))

    @cached_property
    def _counted(self) -> _Counted:
        n, source = len(self.model), self._source
        ways, endings, best = (np.zeros(n, dtype=np.int64) for _ in range(3))
        stop, order = np.where(self.model >= 0, 0, 1), np.arange(len(source))
        edges = (source.astype(np.int32), self.to.astype(np.int32))
        kernels.count_lists(order, *edges, stop, 0, ways, endings, best)
        captured = self.left[:, source] - self.left[:, self.to]
        total = self.problem.total_weight
        cost = np.where(self.positive, captured[1], captured[0]) / total + self.regularization
        least = np.where(self.model >= 0, self.left.min(axis=0) / total, np.inf)
        for level in range(int(self.length[-1]) - 1, -1, -1):
            part = slice(*self.first[np.searchsorted(self.length, [level, level + 1])])
            np.minimum.at(least, source[part], cost[part] + least[self.to[part]])
        return _Counted(ways, endings, cost, least)

    def _path(self, prefix: Sequence[int]) -> list[int] | None:
        """The edges of a prefix; None when no near-optimal list begins with it."""
        at, path = 0, []
        for rule in prefix:
            found = np.flatnonzero(self.rule[self.first[at] : self.first[at + 1]] == rule)
            if not len(found):
                return None
            path.append(int(self.first[at] + found[0]))
            at = int(self.to[path[-1]])
        return path


class _Counted(NamedTuple):
    """By node the prefixes that are it, the lists that go on from it and the least that these cost; by edge its cost.

    Costs are in units of the objective.
    """

    ways: np.ndarray
    endings: np.ndarray
    cost: np.ndarray
    least: np.ndarray


def prefix_graph(search: Any, most: int | None = None) -> PrefixGraph:
    """The graph of what a `NearOptimalSearch` has found: of the best lists, where it has more edges than ``most``."""
    store, costs, found = search.store, search.costs, Enumerated.of(search, shown_alone=True)
    edge_from, edge_to, best, stop, cap = found.edge_from, found.edge_to, found.best, found.stop, found.cap
    n_states, model = len(stop), found.shown[store.class_of[: len(stop)]]
    complete, covered = search.phase == "finished", search.covered_cost
    needed = best[edge_to]
    if most is not None and np.count_nonzero(needed <= cap) > most:
        cap = max(int(np.partition(needed, most)[most]) - 1, search.best_cost)
        complete, covered = True, cap + 1
    best[0] = min(best[0], cap)  # the empty prefix is always here
    nodes = np.flatnonzero(best <= cap)
    nodes = nodes[np.argsort(store.length[nodes], kind="stable")]
    place = np.full(n_states, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    kept = np.flatnonzero(needed <= cap)
    kept = kept[np.argsort(place[edge_from[kept]], kind="stable")]
    words = store.states.shape[1] // 2
    return PrefixGraph(
        problem=search.problem,
        regularization=search.regularization,
        max_length=search.max_length,
        optimum=search.optimum,
        threshold=cap * costs.unit,
        beyond=(cap + 1) * costs.unit,
        exact=costs.exact,
        complete=complete,
        covered=covered * costs.unit,
        length=store.length[nodes],
        first=np.searchsorted(place[edge_from[kept]], np.arange(len(nodes) + 1)),
        to=place[edge_to[kept]],
        rule=search.representatives[found.edge_rule[kept]],
        positive=_differ(store.states[:, words:], edge_from[kept], edge_to[kept]),
        left=_weigh(store.states[:, :words], nodes, search.weights),
        model=np.where(stop[nodes] <= cap, model[nodes], -1),
    )


def _differ(sets: np.ndarray, some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether sets differ from others, pair by pair."""
    out = np.zeros(len(some), dtype=bool)
    for begin in range(0, len(some), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        out[part] = (sets[some[part]] != sets[others[part]]).any(axis=1)
    return out


def _weigh(sets: np.ndarray, nodes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of positives and of negatives in some sets."""
    out = np.zeros((2, len(nodes)), dtype=weights.dtype)
    for begin in range(0, len(nodes), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        out[:, part] = (bits.unpack(sets[nodes[part]], weights.shape[1]) @ weights.T).T
    return out
