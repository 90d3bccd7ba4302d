"""What bootstrap samples say of rule sets: the set of each, and which rules return."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ...data.problem import Problem
from ...kernels import bits
from ...models import Clause, RuleSet
from ...models.set_text import clause_text
from ...snapshot import Status

_WORDS = 128  # of packed patterns whose overlaps are counted at once
_FIGURES = ("objective", "error_rate", "unseen_error_rate", "rules", "complexity", "shared_rules")


@dataclass(frozen=True, eq=False)
class StabilitySample:
    """The rule set of one bootstrap sample, or of the problem itself.

    Attributes
    ----------
    index : int
        Number of the sample, from 0; -1 for the problem itself.
    status : Status
        OPTIMAL where the set is proven to be best for its rows; LIMIT where a limit came first; INFEASIBLE where no set
        meets the constraints.
    model : RuleSet or None
        Its counts are of the sample's rows. None where there is no set.
    objective, lower_bound : float
        On the sample's rows; ``nan`` without a set.
    unseen_errors : int
        0-1 errors on the rows that were not drawn, which are test rows of this set; 0 without a set.
    unseen : int
        How many rows were not drawn: about 37 % of them, 0 for the problem itself.
    decides : uint64 array, shape (n_rules, bits.n_words(n_patterns))
        The patterns of the whole problem that each rule decides, packed: on which it holds, or fails for ``cnf``.
    """

    index: int
    status: Status
    model: RuleSet | None
    objective: float
    lower_bound: float
    unseen_errors: int
    unseen: int
    decides: np.ndarray = field(repr=False)

    @property
    def keys(self) -> list[bytes]:
        """One for each rule; equal for rules that decide the same rows of the problem."""
        return [row.tobytes() for row in self.decides]


@dataclass(frozen=True, eq=False)
class RuleSetStability:
    """What is known after some of the bootstrap samples.

    Attributes
    ----------
    problem : Problem
    n_samples : int
        Samples asked for.
    reference : StabilitySample
        The rule set of the problem itself.
    samples : tuple of StabilitySample
        Those that are done.
    """

    problem: Problem
    n_samples: int
    reference: StabilitySample
    samples: tuple[StabilitySample, ...] = ()

    @property
    def done(self) -> bool:
        """Whether all samples are there."""
        return len(self.samples) == self.n_samples

    @property
    def frame(self) -> pd.DataFrame:
        """One row per set, that of the problem itself first.

        Returns
        -------
        DataFrame
            sample (-1 for the problem itself), status, objective, lower_bound, error_rate (on the sample's rows),
            unseen_error_rate (on the rows that were not drawn), rules, complexity, shared_rules (how many of them the
            set of the problem itself has too). Missing without a set.
        """
        own = set(self.reference.keys)
        rows = []
        for sample in (self.reference, *self.samples):
            row: dict[str, Any] = {"sample": sample.index, "status": str(sample.status)}
            row |= {"objective": sample.objective, "lower_bound": sample.lower_bound}
            if sample.model is not None:
                row["error_rate"] = sample.model.errors / sample.model.weight
                row["unseen_error_rate"] = sample.unseen_errors / sample.unseen if sample.unseen else math.nan
                row |= {"rules": len(sample.model), "complexity": sample.model.complexity}
                row["shared_rules"] = sum(key in own for key in sample.keys)
            rows.append(row)
        table = pd.DataFrame(rows, columns=["sample", "status", "objective", "lower_bound", *_FIGURES[1:]])
        return table.astype(dict.fromkeys(_FIGURES, float))

    def summary(self) -> pd.DataFrame:
        """The problem itself beside the samples: a row for each figure of `frame`.

        Returns
        -------
        DataFrame
            Index figure; columns reference, mean, std (between samples, n - 1), least, most.
        """
        table = self.frame
        of_samples = table[list(_FIGURES)].iloc[1:]
        columns = {
            "reference": table[list(_FIGURES)].iloc[0],
            "mean": of_samples.mean(),
            "std": of_samples.std(ddof=1),
            "least": of_samples.min(),
            "most": of_samples.max(),
        }
        return pd.DataFrame(columns).rename_axis("figure")

    def rules(self) -> pd.DataFrame:
        """The rules of all sets, those that return most often first.

        Rules that decide the same rows of the problem are one rule, shown with the fewest conditions it was met with.

        Returns
        -------
        DataFrame
            rule (in words), in_reference (whether the set of the problem itself has it), returns (samples whose set has
            it), share (of the samples that have a set), similarity (mean over these of the largest Jaccard index, in
            rows of the problem, with a rule of the sample's set: 1 where it returns, near 1 where only a threshold
            moved), conditions, positives, negatives (rows of the problem that it decides), antecedents (indices).
        """
        sets = [sample for sample in self.samples if sample.model is not None]
        shown: dict[bytes, tuple[str, Clause]] = {}
        for sample in (self.reference, *sets):
            if sample.model is None:
                continue
            for key, clause in zip(sample.keys, sample.model.rules, strict=True):
                if key not in shown or _plainness(clause) < _plainness(shown[key][1]):
                    shown[key] = (clause_text(clause, sample.model.form), clause)
        place = {key: k for k, key in enumerate(shown)}
        decides = np.array([np.frombuffer(key, dtype=np.uint64) for key in shown], dtype=np.uint64)
        decides = decides.reshape(len(shown), bits.n_words(self.problem.n_patterns))
        positives, negatives, overlap = _masses(decides, self.problem)
        size = positives + negatives
        union = size[:, None] + size - overlap
        jaccard = np.divide(overlap, union, out=np.zeros_like(union), where=union > 0)
        returns, similarity = np.zeros(len(shown), dtype=np.int64), np.zeros(len(shown))
        for sample in sets:
            own = [place[key] for key in sample.keys]
            returns[own] += 1
            if own:
                similarity += jaccard[:, own].max(axis=1)
        in_reference = set(self.reference.keys)
        table = pd.DataFrame(
            {
                "rule": pd.Series([text for text, _ in shown.values()], dtype=object),
                "in_reference": np.array([key in in_reference for key in shown], dtype=bool),
                "returns": returns,
                "share": returns / len(sets) if sets else math.nan,
                "similarity": similarity / len(sets) if sets else math.nan,
                "conditions": np.array([len(clause.literals) for _, clause in shown.values()], dtype=np.int64),
                "positives": positives.astype(np.int64),
                "negatives": negatives.astype(np.int64),
                "antecedents": pd.Series([clause.antecedents for _, clause in shown.values()], dtype=object),
            }
        )
        order = ["returns", "similarity", "conditions", "rule"]
        return table.sort_values(order, ascending=[False, False, True, True], ignore_index=True)


def _plainness(clause: Clause) -> tuple[int, tuple[int, ...]]:
    return len(clause.literals), clause.antecedents


def _masses(decides: np.ndarray, problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positive and negative weight that each rule decides, and what every two of them decide both; as floats."""
    k = len(decides)
    positives, negatives, overlap = np.zeros(k), np.zeros(k), np.zeros((k, k))
    for start in range(0, decides.shape[1], _WORDS):
        patterns = slice(start * bits.WORD, min((start + _WORDS) * bits.WORD, problem.n_patterns))
        p, n = problem.positives[patterns], problem.negatives[patterns]
        hits = bits.unpack(decides[:, start : start + _WORDS], len(p)).astype(float)
        positives += hits @ p
        negatives += hits @ n
        overlap += (hits * (p + n)) @ hits.T
    return positives, negatives, overlap
