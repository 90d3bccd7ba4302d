"""What the sets that a proof speaks of must use, and how often they may: rows that nobody has, and their dual values.

For a price A_r >= 0 of each demand and B_l >= 0 of each limit, of a set that obeys

    sum over r of A_r (rules that meet r - 1)  +  sum over l of B_l (most_l - uses of l)  >=  0,

so that its cost is at least what it is without these terms. In terms of its rules, each gains A_r where it meets r and
pays B_l for each use of l. A conjunction meets r when it does not hold for a row that has all antecedents but those
that meet r, and uses j when it does not hold for a row that has all but j, so that with these rows and one that has
everything the gains are sums of weights over the rows that it holds for, as all others are.

A rule that holds for no pattern of the problem uses nothing, and is in none of the sets that are meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...data.problem import Problem
from ...models import RuleSet
from ..certificate import CertificateError
from ..demands import DEMANDS, Asked, asked_in_words, names_of, read_asked
from .columns import EXACT

PRICES = "demand_prices"  # the array of the dual values of demands, and of limits, on the grid
PART_PRICES = "part_demand_prices"  # the same of each part, where the rates of groups are searched part by part


class Counts(NamedTuple):
    """Of rules, or sets of rules: how many rules meet each demand, and uses of what is limited."""

    met: np.ndarray
    used: np.ndarray


class DemandPrices(NamedTuple):
    """Dual values of demands, A and B, and what they make of a bound and of the rows that nobody has."""

    demands: np.ndarray
    limits: np.ndarray
    total: int
    weight: np.ndarray


@dataclass(frozen=True, eq=False)
class Demands:
    """What sets must obey."""

    asked: Asked
    words: str = ""  # what each set does
    rows: np.ndarray = field(init=False)
    """bool, shape (n_rows, n_antecedents): those that nobody has: of everything, then of all but what meets each
    demand, then of all but each antecedent whose uses are limited. None where nothing is demanded."""

    def __post_init__(self) -> None:
        m = self.asked.meets.shape[1]
        rows = [np.ones((1, m), dtype=bool), ~self.asked.meets, ~np.eye(m, dtype=bool)[self._limited]]
        object.__setattr__(self, "rows", np.vstack(rows) if self.words else np.zeros((0, m), dtype=bool))

    @property
    def _limited(self) -> np.ndarray:
        return np.flatnonzero(self.asked.uses.any(axis=0))

    def counts(self, times: np.ndarray) -> Counts:
        """What is used, of how often each of the rows is covered: int64 array, shape (..., n_rows)."""
        meets, uses, _ = self.asked
        if not self.words:
            return Counts(np.zeros((*times.shape[:-1], 0), np.int64), np.zeros((*times.shape[:-1], 0), np.int64))
        missed = times[..., :1] - times[..., 1:]
        return Counts(missed[..., : len(meets)], missed[..., len(meets) :] @ uses[:, self._limited].T)

    def hold(self, times: np.ndarray) -> bool:
        """Whether a set obeys, by how often it covers each of the rows."""
        found = self.counts(times.astype(np.int64))
        return bool((found.met > 0).all() and (found.used <= self.asked.most).all())

    def check(self, model: RuleSet, given: np.ndarray, times: np.ndarray) -> None:
        """Refuse a model of conjunctions that hold for ``given`` and does not obey; raises CertificateError."""
        if not self.words:
            return
        if any(not given[:, list(clause)].all(axis=1).any() for clause in model.clauses):
            raise CertificateError("a rule of the model decides no row, so that it uses nothing")
        found = self.counts(times)
        if (found.met <= 0).any():
            raise CertificateError("the model does not use all that it must")
        if (found.used > self.asked.most).any():
            raise CertificateError("the model uses something more often than it may")

    def prices(self, arrays: Mapping[str, np.ndarray]) -> DemandPrices:
        """The dual values of a certificate, 0 where it has none, checked; raises CertificateError."""
        meets, uses, most = self.asked
        if not self.words:
            return DemandPrices(most[:0], most[:0], 0, most[:0])
        prices: np.ndarray = arrays.get(PRICES, np.zeros(len(meets) + len(most), dtype=np.int64))
        if prices.dtype != np.int64 or prices.shape != (len(meets) + len(most),) or (prices < 0).any():
            raise CertificateError(f"'{PRICES}' must be a number of at least 0 for each demand and each limit")
        demands, limits = prices[: len(meets)], prices[len(meets) :]
        each = [int(p) * int(u.sum()) for p, u in zip(limits, uses, strict=True)]
        bounds = [int(p) * int(k) for p, k in zip(limits, most, strict=True)]
        if 2 * (sum(demands.tolist()) + sum(each)) + sum(bounds) >= EXACT:
            raise CertificateError("the prices of the demands are too large for exact sums")
        of_uses = limits @ uses[:, self._limited]
        weight = [np.array([demands.sum() - of_uses.sum()]), -demands, of_uses]
        return DemandPrices(demands, limits, sum(demands.tolist()) - sum(bounds), np.concatenate(weight))


def nothing_asked(problem: Problem) -> Demands:
    """No demands."""
    m = problem.n_antecedents
    return Demands(Asked(np.zeros((0, m), dtype=bool), np.zeros((0, m), np.int64), np.zeros(0, np.int64)))


def read_demands(
    problem: Problem, arrays: Mapping[str, np.ndarray]
) -> tuple[Demands, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The demands of a certificate, the arrays that say what they cost, and the others; raises CertificateError."""
    if DEMANDS not in arrays:
        return nothing_asked(problem), {}, dict(arrays)
    names = (*names_of(arrays), PART_PRICES if PART_PRICES in arrays else PRICES)
    if missing := [name for name in names if name not in arrays]:
        raise CertificateError(f"a certificate of sets that obey demands must hold {missing[0]!r}")
    asked = read_asked(arrays, problem.n_antecedents)
    words = " and ".join(asked_in_words(problem, asked))
    if not words:
        raise CertificateError("the certificate is of sets that obey demands, but demands nothing")
    own = {name: array for name, array in arrays.items() if name in names and name != PART_PRICES}
    return Demands(asked, words), own, {name: array for name, array in arrays.items() if name not in own}
