"""What an enumeration of near-optimal rule lists has stored, counted and put into words, and what the lists do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...data.gaps import CRITERIA
from ...data.groups import Groups, weights_of_groups
from ...data.metrics import RATES, Confusion, confusion_from, group_labels
from ...data.problem import Problem
from ...kernels import bits
from ...models import RuleList
from ...models.base import column_of
from ...near_models import NearModels
from ...prefixes import path_to
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


class Enumerated(NamedTuple):
    """What an enumeration has stored, with the lists through each of its states counted."""

    emitted: np.ndarray  # int: the classes that were found, in the order of their cost
    shown: np.ndarray  # int, by class: its place among these; -1 for the others, and at last for no class
    cap: int  # lists up to this cost are counted
    edge_from: np.ndarray
    edge_to: np.ndarray
    edge_rule: np.ndarray
    # by state: ways to reach it, lists that go on from it, the cost of the best of them, and of stopping there
    ways: np.ndarray
    endings: np.ndarray
    best: np.ndarray
    stop: np.ndarray

    @classmethod
    def of(cls, search: Any, shown_alone: bool) -> Enumerated:
        """Of a `NearOptimalSearch`; with ``shown_alone`` lists end only where they make a class that was found."""
        store = search.store
        numbers, emitted = store.numbers, state.emitted_of(store, search.best_cost)
        n, n_edges = int(numbers[state.N_STATES]), int(numbers[state.N_EDGES])
        edge_from, edge_to, edge_rule = store.edge_from[:n_edges], store.edge_to[:n_edges], store.edge_rule[:n_edges]
        cap = search.limits.threshold
        if search.phase != "finished":
            cap = int(store.class_cost[emitted[-1]]) if len(emitted) else search.best_cost - 1
        shown = np.full(int(numbers[state.N_CLASSES]) + 1, -1, dtype=np.int64)
        shown[emitted] = np.arange(len(emitted))
        stop = store.stop[:n]
        if shown_alone:
            stop = np.where((shown[store.class_of[:n]] >= 0) & (stop <= cap), stop, state.NEVER)
        ways, endings, best = (np.zeros(n, dtype=np.int64) for _ in range(3))
        order = np.argsort(store.length[edge_from], kind="stable")
        kernels.count_lists(order, edge_from, edge_to, stop, cap, ways, endings, best)
        return cls(emitted, shown, cap, edge_from, edge_to, edge_rule, ways, endings, best, stop)


def summarise(search: Any) -> NearOptimal:
    """The result of a `NearOptimalSearch` as it stands; without models before the optimum is certified."""
    problem, finished = search.problem, search.phase == "finished"
    known: dict[str, Any] = {
        "problem": problem,
        "regularization": search.regularization,
        "optimum": search.optimum,
        "threshold": search.threshold,
        "complete": finished,
        "truncated": None if finished else search.truncated or "stopped",
        "work": search.work,
    }
    if not search.prepared:
        empty = np.zeros(0, dtype=np.int64)
        return NearOptimal(
            **known,
            lists=(),
            objectives=np.zeros(0),
            errors=empty,
            multiplicity=empty,
            n_lists=0,
            covered=0.0,
            antecedents=pd.DataFrame(columns=["name", "models", "lists", "share", "objective", "aliases"]),
            by_gap=pd.DataFrame(columns=["gap_from", "gap_to", "models", "lists", "complete"]),
            _predictions=np.zeros((0, 1), dtype=np.uint64),
            _weights=np.zeros(bits.WORD),
        )
    store, costs, found = search.store, search.costs, Enumerated.of(search, shown_alone=False)
    emitted, stop, ways = found.emitted, found.stop, found.ways
    shown = found.shown[store.class_of[: len(stop)]]
    ends = np.flatnonzero((stop <= found.cap) & (shown >= 0))
    multiplicity = np.zeros(len(emitted), dtype=np.int64)
    np.add.at(multiplicity, shown[ends], ways[ends])
    paths = [list(path_to(store, int(node))) for node in store.class_state[emitted]]
    lists = tuple(tuple(search.representatives[path].tolist()) for path in paths)
    cost = store.class_cost[emitted]
    lengths = np.array([len(path) for path in paths], dtype=np.int64)
    errors = (cost - lengths * costs.per_rule) // costs.per_error
    total = problem.total_weight
    if problem.positives.dtype.kind != "i":
        errors = errors * (costs.unit * costs.per_error * total)
    return NearOptimal(
        **known,
        lists=lists,
        objectives=errors / total + search.regularization * lengths,
        errors=errors,
        multiplicity=multiplicity,
        n_lists=int(found.endings[0]),
        covered=search.covered_cost * costs.unit,
        antecedents=_antecedents(search, found, lists),
        by_gap=_by_gap(search, cost, stop[ends], ways[ends]),
        _predictions=store.classes[emitted],
        _weights=search.weights.sum(axis=0),
    )


def _antecedents(search: Any, found: Enumerated, lists: tuple[tuple[int, ...], ...]) -> pd.DataFrame:
    """Lists by antecedent: each occurs once in a list, at one edge, so the lists through its edges add up."""
    m, n_lists, rule = len(search.representatives), found.endings[0], found.edge_rule
    ways, endings = found.ways[found.edge_from], found.endings[found.edge_to]
    exact = n_lists < state.MOST_LISTS
    through = np.zeros(m, dtype=np.int64 if exact else np.float64)
    np.add.at(through, rule, ways * endings if exact else ways.astype(np.float64) * endings)
    least = np.full(m, np.iinfo(np.int64).max)
    np.minimum.at(least, rule, found.best[found.edge_to])
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


def _by_gap(search: Any, models: np.ndarray, lists: np.ndarray, ways: np.ndarray) -> pd.DataFrame:
    finished, span = search.phase == "finished", search.limits.threshold - search.best_cost
    bins = min(_BINS, span) or 1
    starts = [span * i // bins for i in range(bins)]
    edges = np.array([*starts, span + 1], dtype=np.int64)

    def histogram(cost: np.ndarray, weight: np.ndarray) -> np.ndarray:
        out = np.zeros(bins, dtype=np.int64)
        np.add.at(out, np.clip(np.searchsorted(edges, cost - search.best_cost, side="right") - 1, 0, bins - 1), weight)
        return out

    ends = np.array([*starts[1:], span], dtype=np.int64)
    return pd.DataFrame(
        {
            "gap_from": np.array(starts) * search.costs.unit,
            "gap_to": ends * search.costs.unit,
            "models": histogram(models, np.ones(len(models), dtype=np.int64)),
            "lists": histogram(lists, ways),
            "complete": finished | (search.covered_cost - search.best_cost >= edges[1:]),
        }
    )


def group_masses(problem: Problem, groups: Any, y: Any, sample_weight: Any = None) -> Groups:
    """The rows of each group (a missing one is a group of its own), counted by pattern; ``y``: which are positive.

    Raises ValueError when the problem was made from counts, so that rows are not known, or the lengths differ.
    """
    pattern = problem.row_pattern
    if pattern is None:
        raise ValueError("the problem was made from counts, so that the groups of its rows are not known")
    labels = group_labels(groups, len(pattern))
    weight = np.ones(len(pattern), dtype=np.int64) if sample_weight is None else np.asarray(sample_weight)
    positive, known = np.asarray(y, dtype=bool), pattern >= 0
    if not len(labels) == len(positive) == len(weight) == len(pattern):
        raise ValueError(f"groups, y and sample_weight must have {len(pattern)} rows, as the problem has")
    rows = (known, pattern[known], weight[known], positive[known])
    return weights_of_groups(groups, len(pattern), *rows, problem.n_patterns, Fraction(1))


@dataclass(frozen=True, eq=False)
class Traits:
    """What lists do, one row per list."""

    decided: tuple[np.ndarray, ...]
    """Tuple of float: for each list the share of the training weight that each of its rules decides, in their order."""
    groups: tuple[str, ...]
    confusions: tuple[Confusion, ...]  # for each group, with an array of one figure per list in each field
    rows: np.ndarray  # int, shape (2, n_groups): how many positive and how many negative rows each group has

    def gaps(self, criterion: str, least: int = 1) -> np.ndarray:
        """The largest difference of the criterion's rates between groups of enough rows, by list; nan without two."""
        if criterion not in CRITERIA:
            raise ValueError(f"there is no criterion {criterion!r}; the criteria are {', '.join(CRITERIA)}")
        out = np.full(len(self.decided), np.nan)
        for name in CRITERIA[criterion]:
            parts = [RATES[name](counted) for counted in self.confusions]
            sizes = [Confusion(p, 0, n, 0).rows_of(name) for p, n in self.rows.T]
            rates = [np.asarray(k) / n for (k, n), size in zip(parts, sizes, strict=True) if size >= least]
            if len(rates) > 1:
                out = np.fmax(out, np.max(rates, axis=0) - np.min(rates, axis=0))
        return out


def traits_of(problem: Problem, lists: Sequence[Sequence[int]], groups: Groups | None = None) -> Traits:
    """What lists of antecedents, each predicting the majority of what it captures, do on the training patterns."""
    used = sorted({j for antecedents in lists for j in antecedents})
    columns = {j: column_of(problem, j) for j in used}
    positives, negatives = problem.positives, problem.negatives
    total = problem.total_weight
    masses = np.zeros((0, problem.n_patterns)) if groups is None else np.vstack([groups.positives, groups.negatives])
    predicted_positive = np.zeros((len(lists), len(masses)))
    decided = []
    for k, antecedents in enumerate(lists):
        left, predicted = np.ones(problem.n_patterns, dtype=bool), np.zeros(problem.n_patterns, dtype=bool)
        shares = []
        for j in antecedents:
            hit = left & columns[j]
            positive, negative = positives[hit].sum(), negatives[hit].sum()
            shares.append((positive + negative) / total)
            if positive > negative:
                predicted |= hit
            left &= ~hit
        if positives[left].sum() > negatives[left].sum():
            predicted |= left
        decided.append(np.array(shares, dtype=np.float64))
        if len(masses):
            predicted_positive[k] = masses[:, predicted].sum(axis=1)
    if groups is None:
        return Traits(tuple(decided), (), (), np.zeros((2, 0), dtype=np.int64))
    hits, alarms = predicted_positive[:, : len(groups.names)], predicted_positive[:, len(groups.names) :]
    counted = tuple(
        confusion_from(hits[:, g], alarms[:, g], groups.positives[g].sum(), groups.negatives[g].sum())
        for g in range(len(groups.names))
    )
    return Traits(tuple(decided), groups.names, counted, groups.by_class)


def reliance(problem: Problem, lists: Sequence[Sequence[int]], decided: Sequence[np.ndarray]) -> pd.DataFrame:
    """By antecedent how many models have it, and the least and most share of the weight that its rule decides."""
    models: dict[int, int] = {}
    least: dict[int, float] = {}
    most: dict[int, float] = {}
    for antecedents, shares in zip(lists, decided, strict=True):
        for j, share in zip(antecedents, shares.tolist(), strict=True):
            models[j] = models.get(j, 0) + 1
            least[j] = min(least.get(j, 1.0), share)
            most[j] = max(most.get(j, 0.0), share)
    index = sorted(models, key=lambda j: (-models[j], j))
    return pd.DataFrame(
        {
            "name": [problem.names[j] for j in index],
            "models": [models[j] for j in index],
            "least": [least[j] if models[j] == len(lists) else 0.0 for j in index],
            "most": [most[j] for j in index],
        },
        index=pd.Index(index, name="antecedent"),
    )
