"""What a list has to use, and how often it may use a column, in numbers of a problem's antecedents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arguments import ParameterError, Text
from ...certificate import CertificateError
from ...data.directions import NEGATIVE, POSITIVE, Directions, allowed_labels
from ...data.naming import as_names, limits_of, refuse_left_out, unknown, used_by, uses_of
from ...data.problem import Problem

_MOST = 62


@dataclass(frozen=True, eq=False)
class Demands:
    """What a list must use; a rule that captures no row uses nothing."""

    meets: np.ndarray
    """int64, shape (n_antecedents,): bit ``r`` says whether a rule with the antecedent meets demand ``r``."""
    n: int  # number of demands
    apart: bool  # whether no antecedent meets two of them
    first: int | None  # the antecedent of the first rule
    uses: np.ndarray
    """int64, shape (n_limits, n_antecedents): how many conditions each antecedent has on each column that may not be
    used any number of times."""
    most: np.ndarray  # int64, shape (n_limits,): how many conditions on it a list may have
    longest: int  # most rules of a list
    labels: np.ndarray
    """uint8, shape (n_antecedents,): what a rule with each antecedent may predict, see
    `rulelab.data.directions.allowed_labels`."""

    @property
    def all(self) -> int:
        """All demands as bits."""
        return (1 << self.n) - 1

    def are_met(self, antecedents: Sequence[int]) -> bool:
        """Whether a list whose rules all capture rows obeys."""
        chosen = list(antecedents)
        if len(chosen) > self.longest or (self.first is not None and chosen[:1] != [self.first]):
            return False
        if not self.labels[chosen].all():
            return False
        met = int(np.bitwise_or.reduce(self.meets[chosen])) if chosen else 0
        return met == self.all and bool((self.uses[:, chosen].sum(axis=1) <= self.most).all())


def asked_of(demands: Demands, directed: bool) -> dict[str, np.ndarray]:
    """The demands as arrays of a certificate; what rules may predict where columns have directions."""
    meets = demands.meets[None] >> np.arange(demands.n)[:, None] & 1
    asked = {"demands": meets.astype(np.uint8)}
    if len(demands.most):
        if int(demands.uses.max()) > np.iinfo(np.uint8).max:
            raise CertificateError("an antecedent has too many conditions on a column for a certificate")
        asked |= {"uses": demands.uses.astype(np.uint8), "most_uses": demands.most}
    if directed:
        asked["labels"] = demands.labels
    return asked


def numbers_of(demands: Demands, max_length: int | None) -> dict[str, float]:
    """The demands that are parameters of a certificate."""
    given = {"first_rule": demands.first, "max_length": max_length}
    return {name: float(value) for name, value in given.items() if value is not None}


def demands_of(
    problem: Problem,
    must_use: Any,
    first_rule: Any,
    max_uses: Any,
    max_length: int | None = None,
    monotone: Directions = (),
) -> Demands:
    """The demands on lists of a problem, see `ConstrainedRuleListSearch`; raises ValueError where some are none."""
    names, conditions, m = problem.names, problem.conditions, problem.n_antecedents
    wanted = as_names(must_use, "must_use")
    refuse_left_out(wanted, problem.left_out)
    if len(wanted) > _MOST:
        text = Text("{must_use} has {} names; at most {} are allowed", len(wanted), _MOST)
        raise ParameterError("must_use", must_use, f"at most {_MOST} names", text)
    meets = np.zeros(m, dtype=np.int64)
    found = used_by(wanted, names, conditions, "must_use")
    for r, which in enumerate(found):
        meets[which] |= 1 << r
    first = None
    if first_rule is not None:
        if not isinstance(first_rule, str) or first_rule not in names:
            raise unknown(str(first_rule), names, "first_rule", "is")
        first = names.index(first_rule)
    limits = limits_of(max_uses)
    return Demands(
        meets=meets,
        n=len(wanted),
        apart=len(found) < 2 or int(np.sum(found, axis=0).max()) < 2,
        first=first,
        uses=uses_of(limits, conditions, m),
        most=np.array(list(limits.values()), dtype=np.int64),
        longest=m if max_length is None else max_length,
        labels=allowed_labels(monotone, conditions) if monotone else np.full(m, NEGATIVE | POSITIVE, dtype=np.uint8),
    )
