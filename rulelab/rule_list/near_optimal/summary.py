"""What an enumeration of near-optimal rule lists has stored, counted and put into words for its result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...kernels import bits
from ...models import RuleList
from ...near_models import NearModels
from ..costs import Costs
from . import kernels, state


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimal(NearModels):
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

    regularization: float
    lists: tuple[tuple[int, ...], ...]
    n_lists: int
    antecedents: pd.DataFrame

    @property
    def _forms(self) -> str:
        return f"{self.n_lists} lists"

    @cached_property
    def models(self) -> tuple[RuleList, ...]:
        """The models, best first, each as its cheapest list; built when first asked for."""
        return tuple(RuleList.from_problem(self.problem, antecedents) for antecedents in self.lists)

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


_BINS = 20


@dataclass(frozen=True, eq=False)
class Enumerated:
    """An enumeration as it stands."""

    problem: Problem
    regularization: float
    optimum: float
    max_length: int | None
    # best_cost, covered_cost: cost of the optimum on the grid, and the cost below which every list has been found
    best_cost: int
    covered_cost: int
    costs: Costs
    limits: state.Limits
    store: state.Store
    representatives: np.ndarray
    """int: the antecedents that are searched, each the first of those that hold for the same rows."""
    groups: np.ndarray  # int: for every antecedent of the problem, the group of those that hold for the same rows
    weights: np.ndarray
    """Int or float, shape (2, n_bits): training weight of the pattern at each bit of the stored sets: positives, then
    negatives."""
    finished: bool
    truncated: str | None  # why it ended before it was finished
    work: int


def summarise(found: Enumerated) -> NearOptimal:
    """The result of an enumeration as it stands."""
    problem, store, costs, finished = found.problem, found.store, found.costs, found.finished
    numbers = store.numbers
    emitted = state.emitted_of(store, found.best_cost)
    n_states, n_edges = int(numbers[state.N_STATES]), int(numbers[state.N_EDGES])
    edge_from, edge_to, edge_rule = (getattr(store, name)[:n_edges] for name in state.GROUPS[state.N_EDGES])
    cap = found.limits.threshold
    if not finished:
        cap = int(store.class_cost[emitted[-1]]) if len(emitted) else found.best_cost - 1
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
    lists = tuple(tuple(found.representatives[path].tolist()) for path in paths)
    cost = store.class_cost[emitted]
    lengths = np.array([len(path) for path in paths], dtype=np.int64)
    errors = (cost - lengths * costs.per_rule) // costs.per_error
    total = problem.total_weight
    if problem.positives.dtype.kind != "i":
        errors = errors * (costs.unit * costs.per_error * total)
    return NearOptimal(
        problem=problem,
        regularization=found.regularization,
        optimum=found.optimum,
        threshold=found.limits.threshold * costs.unit,
        lists=lists,
        objectives=errors / total + found.regularization * lengths,
        errors=errors,
        multiplicity=multiplicity,
        n_lists=int(endings[0]),
        complete=finished,
        truncated=found.truncated,
        covered=found.covered_cost * costs.unit,
        antecedents=_antecedents(found, lists, edge_rule, ways[edge_from], endings[edge_to], best[edge_to], endings[0]),
        by_gap=_by_gap(found, cost, stop[ends], ways[ends]),
        work=found.work,
        _predictions=store.classes[emitted],
        _weights=found.weights.sum(axis=0),
    )


def _path(store: state.Store, node: int) -> list[int]:
    path = []
    while store.parent[node] >= 0:
        path.append(int(store.rule[node]))
        node = int(store.parent[node])
    return path[::-1]


def _antecedents(
    found: Enumerated,
    lists: tuple[tuple[int, ...], ...],
    rule: np.ndarray,
    ways: np.ndarray,
    endings: np.ndarray,
    best: np.ndarray,
    n_lists: int,
) -> pd.DataFrame:
    """Lists by antecedent: each occurs once in a list, at one edge, so the lists through its edges add up."""
    m = len(found.representatives)
    exact = n_lists < state.MOST_LISTS
    through = np.zeros(m, dtype=np.int64 if exact else np.float64)
    np.add.at(through, rule, ways * endings if exact else ways.astype(np.float64) * endings)
    least = np.full(m, np.iinfo(np.int64).max)
    np.minimum.at(least, rule, best)
    occurs = np.flatnonzero(through > 0)
    index = found.representatives[occurs]
    shown = np.bincount([j for antecedents in lists for j in antecedents], minlength=found.problem.n_antecedents)
    frame = pd.DataFrame(
        {
            "name": [found.problem.names[j] for j in index.tolist()],
            "models": shown[index],
            "lists": through[occurs],
            "share": through[occurs] / n_lists,
            "objective": least[occurs] * found.costs.unit,
            "aliases": [_aliases(found.groups, j) for j in index.tolist()],
        },
        index=pd.Index(index, name="antecedent"),
    )
    return frame.sort_values(["lists", "objective"], ascending=[False, True], kind="stable")


def _aliases(groups: np.ndarray, j: int) -> tuple[int, ...]:
    return tuple(k for k in np.flatnonzero(groups == groups[j]).tolist() if k != j)


def _by_gap(found: Enumerated, models: np.ndarray, lists: np.ndarray, ways: np.ndarray) -> pd.DataFrame:
    span = found.limits.threshold - found.best_cost
    bins = min(_BINS, span) or 1
    starts = [span * i // bins for i in range(bins)]
    edges = np.array([*starts, span + 1], dtype=np.int64)

    def histogram(cost: np.ndarray, weight: np.ndarray) -> np.ndarray:
        out = np.zeros(bins, dtype=np.int64)
        np.add.at(out, np.clip(np.searchsorted(edges, cost - found.best_cost, side="right") - 1, 0, bins - 1), weight)
        return out

    ends = np.array([*starts[1:], span], dtype=np.int64)
    return pd.DataFrame(
        {
            "gap_from": np.array(starts) * found.costs.unit,
            "gap_to": ends * found.costs.unit,
            "models": histogram(models, np.ones(len(models), dtype=np.int64)),
            "lists": histogram(lists, ways),
            "complete": found.finished | (found.covered_cost - found.best_cost >= edges[1:]),
        }
    )


def nothing(problem: Problem, regularization: float, optimum: float, truncated: str | None, work: int) -> NearOptimal:
    """The result before the optimum is certified."""
    empty = np.zeros(0, dtype=np.int64)
    return NearOptimal(
        problem=problem,
        regularization=regularization,
        optimum=optimum,
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
        work=work,
        _predictions=np.zeros((0, 1), dtype=np.uint64),
        _weights=np.zeros(bits.WORD),
    )
