"""All near-optimal lists as a graph of prefixes, to choose rule after rule from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...kernels import bits
from . import kernels, state
from .summary import Enumerated

_CHUNK = 1 << 14


@dataclass(frozen=True, eq=False)
class PrefixGraph:
    """Near-optimal lists as paths: a node is a prefix, an edge the rule that comes next, a list ends at some nodes.

    Prefixes of as many rules that leave the same training rows and predict the same for the others are one node: what
    can follow them is the same. So the graph stays small where the lists are many. Nodes stand in the order of their
    lengths, the empty prefix first.

    Attributes
    ----------
    problem : Problem
    regularization : float
    max_length : int or None
        Most rules in a list, where that was set.
    optimum, threshold : float
        The least objective, and the largest of the lists that are here.
    beyond : float
        No list has an objective between the threshold and this.
    exact : bool
        Whether objectives are told apart exactly; otherwise weights were rounded.
    complete : bool
        Whether these are all lists up to the threshold; otherwise all below `covered` are here.
    covered : float
        Every list with a smaller objective is here.
    length : int array, shape (n_nodes,)
        Rules of the prefix that a node is, ascending.
    first : int array, shape (n_nodes + 1,)
        The edges of node i are those from ``first[i]`` to ``first[i + 1]``.
    to, rule : int array, shape (n_edges,)
        Where an edge leads, and the antecedent of its rule.
    positive : bool array, shape (n_edges,)
        Whether the rule predicts the positive class.
    left : int or float array, shape (2, n_nodes)
        Training weight that the rules leave to the default: positives, then negatives.
    model : int array, shape (n_nodes,)
        Index, in the result, of the model that the list is which ends here; -1: none ends here.
    """

    problem: Problem
    regularization: float
    max_length: int | None
    optimum: float
    threshold: float
    beyond: float
    exact: bool
    complete: bool
    covered: float
    length: np.ndarray
    first: np.ndarray
    to: np.ndarray
    rule: np.ndarray
    positive: np.ndarray
    left: np.ndarray
    model: np.ndarray

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
        at = 0
        for rule in prefix:
            edge = self._edge(at, rule)
            if edge is None:
                return -1
            at = int(self.to[edge])
        return at

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
        """What can come next after a prefix, the best first.

        Parameters
        ----------
        prefix : sequence of int
            Antecedents.

        Returns
        -------
        DataFrame
            By antecedent: ``name``, ``prediction``, ``objective`` (the least of a list that goes on so), ``slack``
            (how far that is below the threshold), ``models`` and ``lists`` (that go on so).
        """
        rows, at, so_far = [], 0, 0.0
        for rule in prefix:
            edge = self._edge(at, rule)
            if edge is None:
                at = -1
                break
            at, so_far = int(self.to[edge]), so_far + self._counted.cost[edge]
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
        """The least and the greatest share of the training weight that each antecedent decides in a near-optimal list.

        Returns
        -------
        DataFrame
            By antecedent: ``name``, ``lists`` (the share that have it), ``least`` (0 when a list does without) and
            ``most``, the most used one first.
        """
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

    def _edge(self, node: int, rule: int) -> int | None:
        edges = np.arange(self.first[node], self.first[node + 1])
        found = edges[self.rule[edges] == rule]
        return int(found[0]) if len(found) else None


class _Counted(NamedTuple):
    """By node the prefixes that are it, the lists that go on from it and the least that these cost; by edge its cost.

    Costs are in units of the objective.
    """

    ways: np.ndarray
    endings: np.ndarray
    cost: np.ndarray
    least: np.ndarray


def prefix_graph(found: Enumerated, most: int | None = None) -> PrefixGraph:
    """The graph of what an enumeration has found; where it has more edges than ``most``, of the best lists alone."""
    store, costs = found.store, found.costs
    numbers = store.numbers
    emitted = state.emitted_of(store, found.best_cost)
    n_states, n_edges = int(numbers[state.N_STATES]), int(numbers[state.N_EDGES])
    edge_from, edge_to, edge_rule = (getattr(store, name)[:n_edges] for name in state.GROUPS[state.N_EDGES])
    cap = found.limits.threshold
    if not found.finished:
        cap = int(store.class_cost[emitted[-1]]) if len(emitted) else found.best_cost - 1
    shown = np.full(int(numbers[state.N_CLASSES]) + 1, -1, dtype=np.int64)
    shown[emitted] = np.arange(len(emitted))
    model = shown[store.class_of[:n_states]]
    stop = np.where((model >= 0) & (store.stop[:n_states] <= cap), store.stop[:n_states], state.NEVER)
    order = np.argsort(store.length[edge_from], kind="stable")
    ways, endings, best = (np.zeros(n_states, dtype=np.int64) for _ in range(3))
    kernels.count_lists(order, edge_from, edge_to, stop, cap, ways, endings, best)
    complete, covered = found.finished, found.covered_cost
    needed = best[edge_to]
    if most is not None and np.count_nonzero(needed <= cap) > most:
        cap = max(int(np.partition(needed, most)[most]) - 1, found.best_cost)
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
        problem=found.problem,
        regularization=found.regularization,
        max_length=found.max_length,
        optimum=found.optimum,
        threshold=cap * costs.unit,
        beyond=(cap + 1) * costs.unit,
        exact=costs.exact,
        complete=complete,
        covered=covered * costs.unit,
        length=store.length[nodes],
        first=np.searchsorted(place[edge_from[kept]], np.arange(len(nodes) + 1)),
        to=place[edge_to[kept]],
        rule=found.representatives[edge_rule[kept]],
        positive=_differ(store.states[:, words:], edge_from[kept], edge_to[kept]),
        left=_weigh(store.states[:, :words], nodes, found.weights),
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
