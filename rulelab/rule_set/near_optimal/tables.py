"""What an enumeration of near-optimal rule sets has found, put into words for its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...kernels import bits
from ..program import Program
from .candidates import Candidates
from .result import NearOptimalRuleSets

_BYTES = 400  # of a model beside what it covers, about
_BINS = 20
_RULES = ["name", "conditions", "models", "sets", "share", "objective", "without", "least", "most"]


@dataclass(eq=False)
class Models:
    """Models, each with its cheapest set, of the sets up to some cost.

    ``through``, ``cheapest`` (int64 arrays, shape (n_rules,)): sets that have each rule, and the least cost of one.
    """

    most: int  # cost on the grid up to which sets were looked for
    n_rules: int  # rules that sets are made of
    best: tuple[int, ...]  # rules of the best set known
    found: dict[bytes, list[Any]] = field(default_factory=dict)
    """For each covered set of patterns the cost of its cheapest set, that set, and how many sets cover it."""
    without: dict[int, int] = field(default_factory=dict)
    """For the rules of the best set: the least cost of a set that does without."""
    n_sets: int = 0
    n_words: int = 1

    def __post_init__(self) -> None:
        self.through = np.zeros(self.n_rules, dtype=np.int64)
        self.cheapest = np.full(self.n_rules, np.iinfo(np.int64).max)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def nbytes(self) -> int:
        """Bytes, about."""
        return len(self.found) * (_BYTES + 8 * self.n_words) + self.through.nbytes + self.cheapest.nbytes

    def take(self, sets: np.ndarray, costs: np.ndarray, covered: np.ndarray) -> None:
        """Take in sets, as rules filled up with -1, their costs and what each covers."""
        self.n_sets += len(sets)
        self.n_words = covered.shape[1]
        held = sets >= 0
        rule = sets[held]
        np.add.at(self.through, rule, 1)
        np.minimum.at(self.cheapest, rule, np.repeat(costs, held.sum(axis=1)))
        for k in self.best:
            lacking = costs[~(sets == k).any(axis=1)]
            if len(lacking):
                self.without[k] = min(int(lacking.min()), self.without.get(k, int(lacking.min())))
        size = covered.shape[1] * 8
        blob = np.ascontiguousarray(covered).tobytes()
        lengths = held.sum(axis=1).tolist()
        for i, (cost, n) in enumerate(zip(costs.tolist(), lengths, strict=True)):
            key = blob[i * size : (i + 1) * size]
            known = self.found.setdefault(key, [cost, None, 0])
            known[2] += 1
            if known[1] is None or (cost, n) < (known[0], len(known[1])):
                known[:2] = cost, tuple(sets[i, :n].tolist())


def made(
    program: Program,
    candidates: Candidates | None,
    known: Models | None,
    partial: Models | None,
    most: int,
    finished: bool,
    limit: int,
    **settings: Any,
) -> NearOptimalRuleSets:
    """The result as it stands; ``known``, ``partial``: of the last round that is done, and of one that is not.

    ``most``: the largest cost that counts as near-optimal. ``limit``: most models. ``settings``: fields of the result.
    """
    problem: Problem = settings["problem"]
    worth = program.unit / program.per_loss
    per_grid = worth / (1 if candidates is None else candidates.grid)
    found = [models for models in (known, partial) if models is not None]
    threshold = float(most * worth) if found else float("nan")
    found = found or [Models(0, 0, ())]
    every: dict[bytes, list[Any]] = {}
    for models in found:
        for key, (cost, rules, times) in models.found.items():
            one = every.setdefault(key, [cost, rules, 0])
            if (cost, len(rules)) < (one[0], len(one[1])):
                one[:2] = cost, rules
            one[2] = max(one[2], times)
    keys = sorted(every, key=lambda key: (every[key][0], len(every[key][1]), every[key][1]))[:limit]
    chosen = [every[key][1] for key in keys]
    largest = max(found, key=lambda models: models.n_sets)
    used = sorted({k for one in chosen for k in one} | set(np.flatnonzero(largest.through).tolist()))
    used.sort(key=lambda k: (-int(largest.through[k]), int(largest.cheapest[k]), k))
    place = {k: i for i, k in enumerate(used)}
    covered = np.frombuffer(b"".join(keys), dtype=np.uint64).reshape(len(keys), bits.n_words(problem.n_patterns))
    objectives = np.array([float(every[key][0] * per_grid) for key in keys])
    return NearOptimalRuleSets(
        threshold=threshold,
        sets=tuple(tuple(place[k] for k in one) for one in chosen),
        objectives=objectives,
        errors=_errors(problem, covered, settings["form"]),
        multiplicity=np.array([every[key][2] for key in keys], dtype=np.int64),
        n_sets=largest.n_sets,
        complete=finished,
        covered=float("nan") if known is None else float(known.most * worth),
        rules=_rules(problem, candidates, largest, used, chosen, float(per_grid), settings),
        by_gap=_by_gap(objectives, settings["optimum"], threshold),
        _predictions=covered,
        _weights=_weights(problem),
        **settings,
    )


def _weights(problem: Problem) -> np.ndarray:
    return np.asarray(problem.positives + problem.negatives, dtype=np.float64)


def _errors(problem: Problem, covered: np.ndarray, form: str) -> np.ndarray:
    """Training errors of models, a wrong row counted once."""
    out = np.zeros(len(covered), dtype=problem.positives.dtype)
    for begin in range(0, len(covered), 1024):
        hit = bits.unpack(covered[begin : begin + 1024], problem.n_patterns)
        positive = hit if form == "dnf" else ~hit
        out[begin : begin + 1024] = ~positive @ problem.positives + positive @ problem.negatives
    return out


def _rules(
    problem: Problem,
    candidates: Candidates | None,
    models: Models,
    used: Sequence[int],
    chosen: Sequence[Sequence[int]],
    per_grid: float,
    settings: dict[str, Any],
) -> pd.DataFrame:
    """See `NearOptimalRuleSets.rules`; the places in it are those of ``used``."""
    shown = np.bincount([k for one in chosen for k in one], minlength=models.n_rules) if used else np.zeros(0, int)
    weights = _weights(problem)
    rows = []
    for k in used:
        assert candidates is not None
        clause = tuple(candidates.rules[k])
        share = float(weights[candidates.features.covered(clause)].sum() / weights.sum())
        n = int(models.through[k])
        without = settings["optimum"]
        if k in models.best:
            without = float(models.without[k] * per_grid) if k in models.without else float("nan")
        least = share if n == models.n_sets else 0.0
        best = float(int(models.cheapest[k]) * per_grid) if n else float("nan")
        name = (" and " if settings["form"] == "dnf" else " or ").join(problem.names[j] for j in clause)
        rows.append((name, clause, int(shown[k]), n, n / models.n_sets, best, without, least, share))
    return pd.DataFrame(rows, columns=_RULES, index=pd.RangeIndex(len(rows), name="rule"))


def _by_gap(objectives: np.ndarray, optimum: float, threshold: float) -> pd.DataFrame:
    if not len(objectives):
        return pd.DataFrame(columns=["gap_from", "gap_to", "models"])
    edges = np.linspace(0.0, max(threshold - optimum, 0.0), _BINS + 1)
    place = np.clip(np.searchsorted(edges, objectives - optimum, side="right") - 1, 0, _BINS - 1)
    models = np.bincount(place, minlength=_BINS)
    return pd.DataFrame({"gap_from": edges[:-1], "gap_to": edges[1:], "models": models})
