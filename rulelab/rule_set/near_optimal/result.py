"""What an enumeration of near-optimal rule sets found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from ...data.gaps import CRITERIA
from ...data.metrics import RATES, confusion_from
from ...kernels import bits
from ...models import RuleSet
from ...near_models import CHUNK, NearModels
from ..features import Features


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimalRuleSets(NearModels):
    """The near-optimal models, best first. A model stands for all sets that predict alike on the training patterns.

    Attributes
    ----------
    problem : Problem
    regularization : float
    loss, form : str
        As of `RuleSetSearch`.
    max_conditions : int
        The most conditions of a rule: completeness is over rules of at most so many.
    optimum, threshold : float
        The least objective, and the largest that counts as near-optimal; in rows, or weight.
    sets : tuple of tuple of int
        For each model the rules of its cheapest set, as places in ``rules``.
    objectives : float array
        Of these sets, ascending.
    errors : int or float array
        Training errors of these sets, a wrong row counted once.
    multiplicity : int array
        Near-optimal sets that are this model.
    count : int
        Models found.
    n_sets : int
        Near-optimal sets found.
    complete : bool
        Whether everything up to the threshold was found; otherwise the numbers are of what was found.
    truncated : str or None
        Why not: "limit", "columns", "time" or "memory"; "stopped" when the enumeration was left early.
    covered : float
        All sets with an objective of at most this were found; ``nan`` when nothing is certain.
    rules : DataFrame
        The rules of near-optimal sets: ``name``, ``conditions`` (antecedents), ``models`` (whose shown set has it),
        ``sets`` (that have it), ``share`` of all near-optimal sets, ``objective`` (the least of a set that has it),
        ``without`` (the least of a set that does without; ``nan`` when no near-optimal set does), ``least`` and
        ``most`` (share of the training weight that it covers; ``least`` is 0 when some set does without).
    by_gap : DataFrame
        Histogram of objective - optimum: ``gap_from``, ``gap_to``, ``models``.
    work : int
        Units of work, of the search for the optimum and of the enumeration.
    """

    regularization: float
    loss: str
    form: str
    max_conditions: int
    sets: tuple[tuple[int, ...], ...]
    n_sets: int
    rules: pd.DataFrame

    @property
    def _forms(self) -> str:
        return f"{self.n_sets} sets"

    @cached_property
    def clauses(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each model the antecedents of the rules of its cheapest set."""
        conditions = self.rules["conditions"].tolist()
        return tuple(tuple(conditions[k] for k in chosen) for chosen in self.sets)

    @cached_property
    def models(self) -> tuple[RuleSet, ...]:
        """The models, best first, each as its cheapest set; built when first asked for."""
        return tuple(RuleSet.from_problem(self.problem, clauses, self.form) for clauses in self.clauses)

    def frame(self) -> pd.DataFrame:
        """One row per model: rules, complexity, errors, objective, gap, multiplicity, the names of its rules."""
        names = self.rules["name"].tolist()
        return pd.DataFrame(
            {
                "rules": [len(chosen) for chosen in self.sets],
                "complexity": [sum(1 + len(clause) for clause in clauses) for clauses in self.clauses],
                "errors": self.errors,
                "objective": self.objectives,
                "gap": self.gaps,
                "sets": self.multiplicity,
                "clauses": [tuple(names[k] for k in chosen) for chosen in self.sets],
            }
        )

    def importance(self) -> pd.DataFrame:
        """What each rule is to all near-optimal sets: ``rules``, of a complete enumeration."""
        self._needs_all()
        return self.rules

    def patterns(self) -> pd.DataFrame:
        """What the near-optimal sets predict for each training pattern; of a complete enumeration.

        Returns
        -------
        DataFrame
            By pattern of the problem: ``positives``, ``negatives`` (training weight), ``sets`` (that predict positive),
            ``share`` of all sets, ``disagreement`` (the share of the sets that predict otherwise than most of them).
        """
        self._needs_all()
        sets = np.zeros(self.problem.n_patterns, dtype=np.int64)
        for begin in range(0, self.count, CHUNK):
            sets += self.multiplicity[begin : begin + CHUNK] @ self.positive(begin, begin + CHUNK)
        share = sets / self.n_sets
        return pd.DataFrame(
            {
                "positives": self.problem.positives,
                "negatives": self.problem.negatives,
                "sets": sets,
                "share": share,
                "disagreement": np.minimum(share, 1 - share),
            },
            index=pd.RangeIndex(self.problem.n_patterns, name="pattern"),
        )

    def column_ranges(self) -> pd.DataFrame:
        """How much the models, each as its cheapest set, use each column; of a complete enumeration.

        Returns
        -------
        DataFrame
            By column (antecedent, when the problem does not know the columns): ``least`` and ``most``, the share of the
            training weight that rules with a condition on the column cover.
        """
        self._needs_all()
        problem, weights = self.problem, np.asarray(self.problem.positives + self.problem.negatives, dtype=np.float64)
        of = [{name} for name in problem.names]
        if problem.conditions is not None:
            of = [{condition.column for condition in conditions} for conditions in problem.conditions]
        conditions = self.rules["conditions"].tolist()
        looks = [set().union(*(of[j] for j in clause)) for clause in conditions]
        covers = self._covers_of(conditions)
        rows = []
        for column in dict.fromkeys(name for names in of for name in sorted(names)):
            has = np.array([column in names for names in looks], dtype=bool)
            shares = set()
            for chosen in {tuple(k for k in one if has[k]) for one in self.sets}:
                shares.add(float(weights[covers[list(chosen)].any(axis=0)].sum() / weights.sum()))
            rows.append((column, min(shares, default=0.0), max(shares, default=0.0)))
        frame = pd.DataFrame(rows, columns=["column", "least", "most"]).set_index("column")
        return frame.sort_values(["most", "least"], ascending=False, kind="stable")

    def gap_ranges(self, criterion: str = "demographic_parity") -> pd.DataFrame:
        """How differently the sets treat two groups: certified ranges over all near-optimal sets.

        Parameters
        ----------
        criterion : str
            One of `rulelab.data.gaps.CRITERIA`.

        Returns
        -------
        DataFrame
            For each rate of the criterion and each pair of groups that have it: ``rate``, ``group``, ``other``,
            ``least`` and ``greatest`` (of the group's rate - the other's), ``least_model`` and ``greatest_model``.

        Raises
        ------
        ValueError
            When the problem has no groups, there is no such criterion, or the enumeration is not complete.
        """
        if criterion not in CRITERIA:
            raise ValueError(f"there is no criterion {criterion!r}; the criteria are {', '.join(CRITERIA)}")
        groups = self.problem.groups
        if groups is None:
            raise ValueError("the problem has no groups: give them when it is made, Problem.from_arrays(.., groups=..)")
        self._needs_all()
        rows = []
        for name, values in self.rates_of_groups(CRITERIA[criterion]).items():
            for g, h in combinations(range(len(groups.names)), 2):
                difference = values[:, g] - values[:, h]
                if not np.isnan(difference).any():
                    low, high = int(np.argmin(difference)), int(np.argmax(difference))
                    names = groups.names[g], groups.names[h]
                    rows.append((name, *names, float(difference[low]), float(difference[high]), low, high))
        head = ["rate", "group", "other", "least", "greatest", "least_model", "greatest_model"]
        return pd.DataFrame(rows, columns=head)

    def rates_of_groups(self, names: tuple[str, ...]) -> dict[str, np.ndarray]:
        """Rates of each of the problem's groups, for each model.

        Parameters
        ----------
        names : tuple of str
            Such as ``("true_positive_rate",)``.

        Returns
        -------
        dict of str to float array, shape (n_models, n_groups)
            ``nan`` where a group does not have the rate.
        """
        assert self.problem.groups is not None
        positives, negatives = self.problem.groups.positives, self.problem.groups.negatives
        hits, alarms = (np.zeros((self.count, len(positives))) for _ in range(2))
        for begin in range(0, self.count, CHUNK):
            positive = self.positive(begin, begin + CHUNK)
            hits[begin : begin + CHUNK] = positive @ positives.T
            alarms[begin : begin + CHUNK] = positive @ negatives.T
        p, n = positives.sum(axis=1), negatives.sum(axis=1)
        counted = confusion_from(hits, alarms, p, n)
        out = {}
        with np.errstate(invalid="ignore", divide="ignore"):
            for name in names:
                part, whole = RATES[name](counted)
                out[name] = np.asarray(part) / np.asarray(whole)
        return out

    def positive(self, begin: int, end: int) -> np.ndarray:
        """Which patterns the models from ``begin`` to before ``end`` predict positive: bool, (n_models, n_patterns).

        Parameters
        ----------
        begin, end : int
            Positions in `models`.
        """
        covered = bits.unpack(self._predictions[begin:end], self.problem.n_patterns)
        return covered if self.form == "dnf" else ~covered

    def _covers_of(self, clauses: list[tuple[int, ...]]) -> np.ndarray:
        """The patterns that each rule covers, or a clause of a CNF rejects."""
        covers = Features.from_problem(self.problem, self.form).covers(clauses)
        return bits.unpack(covers, self.problem.n_patterns)
