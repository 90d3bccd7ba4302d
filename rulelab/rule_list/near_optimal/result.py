"""What an enumeration of near-optimal rule lists found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ...arguments import is_whole
from ...data import bits
from ...data.problem import Problem
from ...models import RuleList
from . import kernels, state

if TYPE_CHECKING:
    from .search import NearOptimalSearch

_BINS = 20
_CHUNK = 1024


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimal:
    """The near-optimal models, best first. A model stands for all lists that predict alike on the training patterns.

    Attributes
    ----------
    problem : Problem
    regularization : float
    optimum, threshold : float
        The least objective, and the largest that counts as near-optimal.
    lists : tuple of tuple of int
        For each model the antecedents of its cheapest list, in order.
    objectives : float array
        Of these lists, ascending.
    errors : int or float array
        Training errors of these lists.
    multiplicity : int array
        Near-optimal lists that are this model.
    count : int
        Models found.
    n_lists : int
        Near-optimal lists found; 2^62 stands for that many or more.
    complete : bool
        Whether everything up to the threshold was found; otherwise the numbers are of what was found.
    truncated : str or None
        Why not: "limit", "time" or "memory"; "stopped" when the enumeration was left early.
    covered : float
        All lists with a smaller objective were found.
    antecedents : DataFrame
        The antecedents that occur, by index: ``name``, ``models`` (whose shown list has it), ``lists`` (that have it),
        ``share`` of all near-optimal lists, ``objective`` (the least of a list that has it), ``aliases`` (indices of
        antecedents that hold for the same training rows, and could take its place).
    by_gap : DataFrame
        Histogram of objective - optimum: ``gap_from``, ``gap_to``, ``models``, ``lists``, ``complete``.
    work : int
        Prefixes expanded, by the search for the optimum and by the enumeration.
    """

    problem: Problem
    regularization: float
    optimum: float
    threshold: float
    lists: tuple[tuple[int, ...], ...]
    objectives: np.ndarray
    errors: np.ndarray
    multiplicity: np.ndarray
    n_lists: int
    complete: bool
    truncated: str | None
    covered: float
    antecedents: pd.DataFrame
    by_gap: pd.DataFrame
    work: int
    _predictions: np.ndarray = field(repr=False)
    _weights: np.ndarray = field(repr=False)

    def __repr__(self) -> str:
        found = "all" if self.complete else "the first"
        return (
            f"NearOptimal({found} {self.count} models, {self.n_lists} lists, "
            f"objectives {self.optimum:.6g} to {self.threshold:.6g})"
        )

    def __len__(self) -> int:
        return self.count

    @property
    def count(self) -> int:
        """Models found."""
        return len(self.lists)

    @cached_property
    def models(self) -> tuple[RuleList, ...]:
        """The models, best first, each as its cheapest list; built when first asked for."""
        return tuple(RuleList.from_problem(self.problem, antecedents) for antecedents in self.lists)

    @property
    def gaps(self) -> np.ndarray:
        """Objective - optimum of each model."""
        return np.maximum(self.objectives - self.optimum, 0.0)

    def frame(self) -> pd.DataFrame:
        """One row per model: rules, errors, objective, gap, multiplicity, the names of the rules' antecedents."""
        names = self.problem.names
        return pd.DataFrame(
            {
                "rules": [len(antecedents) for antecedents in self.lists],
                "errors": self.errors,
                "objective": self.objectives,
                "gap": self.gaps,
                "lists": self.multiplicity,
                "antecedents": [tuple(names[j] for j in antecedents) for antecedents in self.lists],
            }
        )

    def disagreement(self, model: int) -> np.ndarray:
        """Fraction of the training weight for which each model predicts otherwise than this one.

        Parameters
        ----------
        model : int
            Index into `models`.

        Returns
        -------
        float array, shape (count,)
        """
        out = np.zeros(self.count)
        for begin in range(0, self.count, _CHUNK):
            differ = self._predictions[begin : begin + _CHUNK] ^ self._predictions[model]
            out[begin : begin + _CHUNK] = bits.unpack(differ, len(self._weights)) @ self._weights
        return out / self._weights.sum()

    def diverse(self, n: int = 5) -> tuple[int, ...]:
        """Models that differ most in what they predict, as indices into `models`.

        The first is the optimum; each next one has the largest least `disagreement` with those chosen before, the
        better one among equals (farthest-first traversal: the least disagreement within the selection is at least half
        of the largest possible for as many models that include the optimum).

        Raises
        ------
        ValueError
            When ``n`` is not a positive integer.
        """
        if not is_whole(n, 1):
            raise ValueError(f"n must be an integer >= 1, not {n!r}")
        chosen: list[int] = []
        nearest = np.full(self.count, np.inf)
        while len(chosen) < min(n, self.count):
            chosen.append(int(np.argmax(nearest)))
            nearest = np.minimum(nearest, self.disagreement(chosen[-1]))
            nearest[chosen] = -1.0
        return tuple(chosen)


def summarise(search: NearOptimalSearch) -> NearOptimal:
    """The result of an enumeration as it stands."""
    problem, store = search.problem, search.store
    finished = search.phase == "finished"
    truncated = None if finished else search.truncated or "stopped"
    if store is None:
        return _nothing(search, truncated)
    numbers, costs = store.numbers, search.costs
    emitted = store.emitted[: numbers[state.N_EMITTED]]
    n_states, n_edges = int(numbers[state.N_STATES]), int(numbers[state.N_EDGES])
    edge_from, edge_to, edge_rule = (getattr(store, name)[:n_edges] for name in state.GROUPS[state.N_EDGES])
    cap = search.limits.threshold
    if not finished:
        cap = int(store.class_cost[emitted[-1]]) if len(emitted) else search.best_cost - 1
    ways, endings, best = (np.zeros(n_states, dtype=np.int64) for _ in range(3))
    stop = store.stop[:n_states]
    order = np.argsort(store.length[edge_from], kind="stable")
    kernels.count_lists(order, edge_from, edge_to, stop, cap, ways, endings, best)

    shown = np.full(int(numbers[state.N_CLASSES]) + 1, -1, dtype=np.int64)
    shown[emitted] = np.arange(len(emitted))
    ends = np.flatnonzero((stop <= cap) & (shown[store.class_of[:n_states]] >= 0))
    multiplicity = np.zeros(len(emitted), dtype=np.int64)
    np.add.at(multiplicity, shown[store.class_of[ends]], ways[ends])
    paths = [_path(store, int(node)) for node in store.class_state[emitted]]
    lists = tuple(tuple(search.representatives[path].tolist()) for path in paths)
    cost = store.class_cost[emitted]
    lengths = np.array([len(path) for path in paths], dtype=np.int64)
    errors = (cost - lengths * costs.per_rule) // costs.per_error
    total = problem.total_weight
    if problem.positives.dtype.kind != "i":
        errors = errors * (costs.unit * costs.per_error * total)
    return NearOptimal(
        problem=problem,
        regularization=search.regularization,
        optimum=search.optimum,
        threshold=search.limits.threshold * costs.unit,
        lists=lists,
        objectives=errors / total + search.regularization * lengths,
        errors=errors,
        multiplicity=multiplicity,
        n_lists=int(endings[0]),
        complete=finished,
        truncated=truncated,
        covered=search.covered_cost * costs.unit,
        antecedents=_antecedents(
            search, lists, edge_rule, ways[edge_from], endings[edge_to], best[edge_to], endings[0]
        ),
        by_gap=_by_gap(search, cost, stop[ends], ways[ends]),
        work=search.work,
        _predictions=store.classes[emitted],
        _weights=search.weights,
    )


def _path(store: state.Store, node: int) -> list[int]:
    path = []
    while store.parent[node] >= 0:
        path.append(int(store.rule[node]))
        node = int(store.parent[node])
    return path[::-1]


def _antecedents(
    search: NearOptimalSearch,
    lists: tuple[tuple[int, ...], ...],
    rule: np.ndarray,
    ways: np.ndarray,
    endings: np.ndarray,
    best: np.ndarray,
    n_lists: int,
) -> pd.DataFrame:
    """Lists by antecedent: each occurs once in a list, at one edge, so the lists through its edges add up."""
    m = len(search.representatives)
    exact = n_lists < state.MOST_LISTS
    through = np.zeros(m, dtype=np.int64 if exact else np.float64)
    np.add.at(through, rule, ways * endings if exact else ways.astype(np.float64) * endings)
    least = np.full(m, np.iinfo(np.int64).max)
    np.minimum.at(least, rule, best)
    occurs = np.flatnonzero(through > 0)
    index = search.representatives[occurs]
    shown = np.bincount([j for antecedents in lists for j in antecedents], minlength=search.problem.n_antecedents)
    frame = pd.DataFrame(
        {
            "name": [search.problem.names[j] for j in index.tolist()],
            "models": shown[index],
            "lists": through[occurs],
            "share": through[occurs] / n_lists,
            "objective": least[occurs] * search.costs.unit,
            "aliases": [_aliases(search.groups, j) for j in index.tolist()],
        },
        index=pd.Index(index, name="antecedent"),
    )
    return frame.sort_values(["lists", "objective"], ascending=[False, True], kind="stable")


def _aliases(groups: np.ndarray, j: int) -> tuple[int, ...]:
    return tuple(k for k in np.flatnonzero(groups == groups[j]).tolist() if k != j)


def _by_gap(search: NearOptimalSearch, models: np.ndarray, lists: np.ndarray, ways: np.ndarray) -> pd.DataFrame:
    span = search.limits.threshold - search.best_cost
    bins = min(_BINS, span) or 1
    starts = [span * i // bins for i in range(bins)]
    edges = np.array([*starts, span + 1], dtype=np.int64)

    def histogram(cost: np.ndarray, weight: np.ndarray) -> np.ndarray:
        out = np.zeros(bins, dtype=np.int64)
        np.add.at(out, np.clip(np.searchsorted(edges, cost - search.best_cost, side="right") - 1, 0, bins - 1), weight)
        return out

    ends = np.array([*starts[1:], span], dtype=np.int64)
    finished = search.phase == "finished"
    return pd.DataFrame(
        {
            "gap_from": np.array(starts) * search.costs.unit,
            "gap_to": ends * search.costs.unit,
            "models": histogram(models, np.ones(len(models), dtype=np.int64)),
            "lists": histogram(lists, ways),
            "complete": finished | (search.covered_cost - search.best_cost >= edges[1:]),
        }
    )


def _nothing(search: NearOptimalSearch, truncated: str | None) -> NearOptimal:
    """The result before the optimum is certified."""
    empty = np.zeros(0, dtype=np.int64)
    return NearOptimal(
        problem=search.problem,
        regularization=search.regularization,
        optimum=search.optimum,
        threshold=float("nan"),
        lists=(),
        objectives=np.zeros(0),
        errors=empty,
        multiplicity=empty,
        n_lists=0,
        complete=False,
        truncated=truncated,
        covered=0.0,
        antecedents=pd.DataFrame(columns=["name", "models", "lists", "share", "objective", "aliases"]),
        by_gap=pd.DataFrame(columns=["gap_from", "gap_to", "models", "lists", "complete"]),
        work=search.work,
        _predictions=np.zeros((0, 1), dtype=np.uint64),
        _weights=np.zeros(bits.WORD),
    )
