"""The proof of a list of several classes: a table of sets of patterns with a lower bound on what each still costs.

Checked is, by plain numpy and without the search, that no set of the table can cost less than its bound: neither the
default there, nor any rule followed by the best of what that leaves.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import BinaryIO, Self

import numpy as np
import pandas as pd

from ..data.exact_weights import order_preserving
from ..data.multiclass import MultiClassProblem
from ..models import ModelError, MultiClassRuleList
from ..shown import Fact, Shown
from .certificate import Certificate, CertificateError
from .origin import Origin, other_origin
from .outcome import Verification

_LARGEST_TABLE = 1 << 31  # most cells of a table of sets that is read from a file
_LARGEST_COST = 1 << 62
_SETS, _VALUES, _PATTERNS = "sets", "values", "n_patterns"


@dataclass(frozen=True, eq=False, repr=False)
class MultiClassCertificate(Shown):
    """Sets of patterns, and what each costs at least when it is left, in the units of `costs_of`.

    Attributes
    ----------
    fingerprint : str
        Of the problem.
    regularization : float
    sets : bool array, shape (n_sets, n_patterns)
    values : tuple of int
    origin : Origin or None
        How a raw table becomes the problem; ``rulelab verify`` needs it.
    """

    fingerprint: str
    regularization: float
    sets: np.ndarray
    values: tuple[int, ...]
    origin: Origin | None = None

    @property
    def nbytes(self) -> int:
        """Of the table in memory."""
        return self.sets.nbytes + 8 * len(self.values)

    def _title(self) -> str:
        return "Certificate of a list of several classes"

    def _facts(self) -> Iterator[Fact]:
        yield "regularization", self.regularization
        yield "sets", len(self.values)
        yield "made for the data", self.fingerprint

    def save(self, path: str | os.PathLike[str] | BinaryIO) -> None:
        """Write the file of a `Certificate`, whose sets are packed. Raises CertificateError or OSError.

        Parameters
        ----------
        path : str or Path
        """
        if max(map(abs, self.values)) >= 1 << 63:
            raise CertificateError("the costs of this proof are too large for a file: the weights, or antecedents, are")
        arrays: dict[str, np.ndarray] = {
            _SETS: np.packbits(self.sets, axis=1),
            _VALUES: np.array(self.values, dtype=np.int64),
            _PATTERNS: np.array([self.sets.shape[1]], dtype=np.int64),
        }
        parameters = {"regularization": self.regularization}
        Certificate(MultiClassRuleList.family, self.fingerprint, parameters, arrays, self.origin).save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | BinaryIO) -> Self:
        """Read what `save` wrote; nothing in the file is run. Raises CertificateError or OSError.

        Parameters
        ----------
        path : str or Path
        """
        return cls.of(Certificate.load(path))

    @classmethod
    def of(cls, file: Certificate) -> Self:
        """The proof that is in a file; raises CertificateError where it is another one.

        Parameters
        ----------
        file : Certificate
            As `Certificate.load` reads it.
        """
        if file.family != MultiClassRuleList.family:
            raise CertificateError(f"this is a certificate of the family {file.family!r}")
        if set(file.arrays) != {_SETS, _VALUES, _PATTERNS} or set(file.parameters) != {"regularization"}:
            raise CertificateError("this certificate of several classes has other arrays or parameters")
        sets, values, patterns = (file.arrays[name] for name in (_SETS, _VALUES, _PATTERNS))
        kinds = sets.dtype == np.uint8 and values.dtype == patterns.dtype == np.int64
        n = int(patterns[0]) if patterns.shape == (1,) else 0
        if not kinds or n < 1 or sets.shape != (len(values), -(-n // 8)) or values.ndim != 1 or not len(values):
            raise CertificateError("the arrays of this certificate do not fit together")
        if len(values) * n > _LARGEST_TABLE:
            raise CertificateError(f"{len(values)} sets of {n} patterns are too many to be read")
        unpacked = np.unpackbits(sets, axis=1, count=n).astype(bool)
        costs = tuple(values.tolist())
        return cls(file.fingerprint, float(file.parameters["regularization"]), unpacked, costs, file.origin)

    def for_table(self, X: pd.DataFrame, labels: pd.Series, target: str) -> Self:
        """The proof with the name of the target, which `rulelab verify` can check on the table itself.

        Parameters
        ----------
        X : DataFrame
            The raw columns of all rows.
        labels : Series
        target : str
            What they are called in the table.

        Raises
        ------
        CertificateError
            Where the raw columns give another problem.
        """
        if self.origin is None:
            raise CertificateError("it is not known how the antecedents were made of a table")
        origin = replace(self.origin, target=target)
        if origin.problem_of_classes(X, labels).fingerprint != self.fingerprint:
            raise CertificateError("the conditions of the antecedents do not give the same rows on the raw columns")
        return replace(self, origin=origin)

    def check(self, problem: MultiClassProblem, model: MultiClassRuleList) -> Verification:
        """Whether this proves that no list has a smaller objective than the model.

        Parameters
        ----------
        problem : MultiClassProblem
        model : MultiClassRuleList
        """
        start = time.perf_counter()
        reason = _wrong(self, problem, model)
        objective = model.objective(self.regularization)
        said = f"no rule list of these antecedents has an objective below {objective:.10g}"
        return Verification(
            valid=not reason,
            reason=reason or said,
            state="refused" if reason else "optimal",
            parameters={"regularization": self.regularization},
            objective=objective,
            lower_bound=None if reason else objective,
            resolution=0.0,
            checked={"sets": len(self.values)},
            seconds=time.perf_counter() - start,
        )


def costs_of(problem: MultiClassProblem, regularization: float) -> tuple[int, int]:
    """What an error and a rule cost in integers: the objective in parts of 1 / (weight * denominator).

    A regularization of many digits is replaced by a simpler fraction that puts all lists into the same order, see
    `rulelab.data.exact_weights`; a list of more rules than antecedents repeats one, which captures nothing.
    """
    penalty, total, m = Fraction(repr(float(regularization))), problem.total_weight, problem.n_antecedents
    error, rule = penalty.denominator, penalty.numerator * total
    if error * total + rule * (m + 2) >= _LARGEST_COST:
        simple = order_preserving(penalty * total, m, total, _LARGEST_COST // (total * (m + 3)))
        if simple is not None:
            error, rule = simple.denominator, simple.numerator
    return error, rule


def _wrong(proof: MultiClassCertificate, problem: MultiClassProblem, model: MultiClassRuleList) -> str:
    """What is wrong with a proof; empty: nothing."""
    if proof.fingerprint != problem.fingerprint:
        return "the proof is of other data"
    if proof.origin is not None and (wrong := other_origin(proof.origin, problem)):
        return wrong
    sets, n_patterns = proof.sets, len(problem.matrix)
    if sets.shape != (len(proof.values), n_patterns) or sets.dtype != bool:
        return "the table of sets has another shape"
    if not 0 < proof.regularization < 1:
        return "the regularization is not between 0 and 1"
    try:
        again = MultiClassRuleList.from_problem(problem, model.antecedents)
    except (ModelError, TypeError):
        return "the model has rules that these data do not have"
    if again != model:
        return "the model predicts, or counts, otherwise than its rules do on these data"
    if not all(isinstance(value, int | np.integer) for value in proof.values):
        return "a value of the table is no whole number"
    error, rule = costs_of(problem, proof.regularization)
    claimed: dict[bytes, int] = {}
    for one, value in zip(sets, proof.values, strict=True):
        claimed[one.tobytes()] = max(value, claimed.get(one.tobytes(), value))
    whole = np.ones(n_patterns, dtype=bool).tobytes()
    if claimed.get(whole, -1) < again.errors * error + len(again) * rule:
        return "the table does not claim that all lists cost as much as the model"
    least = problem.counts.sum(axis=1) - problem.counts.max(axis=1)
    for key, value in claimed.items():
        free = np.frombuffer(key, dtype=bool)
        left = problem.counts[free].sum(axis=0)
        if error * int(left.sum() - left.max()) < value:
            return f"the default costs less than {value} where {int(free.sum())} patterns are left"
        for j in range(problem.n_antecedents):
            hit = free & problem.matrix[:, j]
            counts = problem.counts[hit].sum(axis=0)
            if int(counts.max()) * error <= rule:
                continue  # the list without this rule costs no more
            rest = free & ~hit
            after = left - counts
            onward = max(_onward(after, int(least[rest].sum()), error, rule), claimed.get(rest.tobytes(), 0))
            if error * int(counts.sum() - counts.max()) + rule + onward < value:
                return f"a list that goes on with {problem.names[j]!r} may cost less than {value}"
    return ""


def _onward(after: np.ndarray, least: int, error: int, rule: int) -> int:
    """What rows of these weights by class cost at least, of which ``least`` is wrong whatever rules they get."""
    sizes = sorted(after.tolist(), reverse=True)
    ends = [error * sum(sizes[1:])]
    return min([*ends, *(j * rule + error * max(least, sum(sizes[j + 1 :])) for j in range(1, len(sizes)))])
