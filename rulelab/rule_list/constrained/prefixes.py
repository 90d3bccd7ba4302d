"""Prefixes of lists with demands: what they cost, also in the relaxation, what they add up to, what follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...data.directions import NEGATIVE, POSITIVE
from ...data.problem import Problem
from ...data.rate_constraints import Constraints
from ...kernels import bits
from ...kernels.bit_words import transposed
from ..costs import Costs
from ..fair import state
from ..fair.relaxation import Relaxed
from .demands import Demands

_EXACT = 1 << 53


class Prefix(NamedTuple):
    """A prefix: the one before it, its last rule (twice the place of the antecedent, plus its label), what it leaves.

    ``sums`` are those of the constraints, ``met`` the demands that it meets, as bits.
    """

    parent: int
    rule: int
    words: bytes
    cost: int
    relaxed: int
    sums: tuple[int, ...]
    met: int
    length: int
    uses: tuple[int, ...]


class Opened(NamedTuple):
    """A set of patterns with everything counted."""

    size: np.ndarray  # int64, shape (n_antecedents,): patterns that each antecedent captures
    wrong: np.ndarray
    """int64, shape (2, n_antecedents): cost of a rule that predicts what it captures negative, and positive."""
    captured: np.ndarray
    """int64, shape (2, n_antecedents): what such a rule gets right in the relaxation, above what is cheapest for each
    pattern."""
    d: np.ndarray  # int64, shape (n_constraints, n_antecedents)
    # all_wrong, all_captured, all_d (int64): the same of the set
    all_wrong: np.ndarray
    all_captured: np.ndarray
    all_d: np.ndarray

    @property
    def stop(self) -> int:
        """Relaxed cost of stopping here, above what is cheapest for each pattern."""
        return int(self.all_captured.min())


class Following(NamedTuple):
    """Rules that may follow a prefix, one for each entry, with what the prefix is with the rule."""

    antecedent: np.ndarray
    label: np.ndarray
    cost: np.ndarray
    relaxed: np.ndarray
    sums: np.ndarray
    met: np.ndarray
    right: np.ndarray


@dataclass(eq=False)
class Space:
    """The patterns and antecedents of a problem, with costs and constraints in whole numbers, and a relaxation.

    Antecedents that hold on the same patterns and count alike for the demands are one; those that nothing may be
    predicted with are left out.
    """

    problem: Problem
    costs: Costs
    constraints: Constraints
    demands: Demands
    relaxation: Relaxed
    rules: state.Rules
    antecedents: np.ndarray = field(init=False)
    everything: bytes = field(init=False)

    def __post_init__(self) -> None:
        problem, demands = self.problem, self.demands
        columns = transposed(problem.words, problem.n_antecedents)
        self.antecedents = a = distinct(columns, demands)
        self._labels, self.columns = demands.labels[a], columns[a]
        self._meets, self._uses = demands.meets[a], demands.uses[:, a]
        self.everything = bits.pack(np.ones((1, problem.n_patterns), dtype=bool))[0].tobytes()
        self._amounts = np.concatenate(
            [
                np.ones((1, problem.n_patterns), dtype=np.int64),
                self.costs.per_error * np.stack([self.costs.positives, self.costs.negatives]),
                self.relaxation.wrong[::-1],
                self.constraints.d,
            ]
        )
        largest = max(int(np.abs(row).astype(object).sum()) for row in self._amounts)
        self._type = np.float64 if largest < _EXACT else np.int64
        self._held = bits.unpack(self.columns, problem.n_patterns).T.astype(self._type)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in (self.columns, self._held, self._amounts))

    def start(self) -> Prefix:
        """The empty prefix."""
        nothing = (0,) * len(self.constraints.d)
        return Prefix(-1, -1, self.everything, 0, self.relaxation.base, nothing, 0, 0, (0,) * len(self.demands.most))

    def open(self, words: bytes) -> Opened:
        """Count everything on a packed set."""
        present = bits.unpack(np.frombuffer(words, dtype=np.uint64)[None], self.problem.n_patterns)[0]
        amounts = self._amounts * present
        some = (amounts.astype(self._type) @ self._held).astype(np.int64)
        total = amounts.sum(axis=1)
        return Opened(some[0], some[1:3], some[3:5], some[5:], total[1:3], total[3:5], total[5:])

    def may_follow(self, prefix: Prefix, opened: Opened) -> np.ndarray:
        """Which rules may follow a prefix: bool, shape (2, n_antecedents)."""
        some = self._fitting(prefix, opened)
        if prefix.length >= self.demands.longest:
            some[:] = False
        if prefix.length == 0 and self.demands.first is not None:
            some &= self.antecedents == same_as(self.problem, self.demands, self.demands.first)
        sides = [some & (self._labels & label > 0) for label in (NEGATIVE, POSITIVE)]
        if not len(self.constraints.d):  # then nothing is gained by the label that costs more
            positive = opened.wrong[1] < opened.wrong[0]
            sides = [sides[0] & ~(sides[1] & positive), sides[1] & ~(sides[0] & ~positive)]
        return np.stack([sides[b] & self._as_most(opened.wrong, b) for b in range(2)])

    def _as_most(self, wrong: np.ndarray, label: int) -> np.ndarray:
        """Where a rule may have a label, given the costs of predicting what it captures negative, and positive."""
        if not self.rules.majority:
            return np.ones(wrong.shape[1:], dtype=bool)
        more = wrong[0] - wrong[1]
        return more > -self.rules.doubt if label else more <= self.rules.doubt

    def missing(self, prefix: Prefix, opened: Opened) -> int | None:
        """What the demands that are not met yet cost on top of a list without any, at least; None: they cannot be met.

        A rule that meets one gets no more right in the relaxation than what it captures of the set, and deleting it
        saves a rule.
        """
        demands, L = self.demands, self.rules.relaxed_rule
        left = [r for r in range(demands.n) if not prefix.met >> r & 1]
        first = int(prefix.length == 0 and demands.first is not None)
        needed = len(left) if demands.apart else min(1, len(left))
        if prefix.length + max(needed, first) > demands.longest:
            return None
        if first:
            return 0 if self.may_follow(prefix, opened).any() else None
        if not left:
            return 0
        possible = self._fitting(prefix, opened)
        may = [self._labels & label > 0 for label in (NEGATIVE, POSITIVE)]
        saved = np.maximum(0, L - np.where(may, opened.captured, 0).max(axis=0))
        extra = []
        for r in left:
            which = possible & (self._meets >> r & 1).astype(bool)
            if not which.any():
                return None
            extra.append(int(saved[which].min()))
        return sum(extra) if demands.apart else max(extra)

    def _fitting(self, prefix: Prefix, opened: Opened) -> np.ndarray:
        """Which antecedents capture something, and are not used too often after a prefix."""
        uses = np.array(prefix.uses, dtype=np.int64)[:, None]
        return (opened.size > 0) & (uses + self._uses <= self.demands.most[:, None]).all(axis=0)

    def following(self, prefix: Prefix, opened: Opened, allowed: np.ndarray) -> Following:
        """What the rules that may follow make of a prefix."""
        label, a = np.nonzero(allowed)
        d = opened.d[:, a] * label
        return Following(
            antecedent=a,
            label=label,
            cost=prefix.cost + self.rules.per_rule + opened.wrong[label, a],
            relaxed=prefix.relaxed + self.rules.relaxed_rule + opened.captured[1 - label, a],
            sums=np.array(prefix.sums, dtype=np.int64)[:, None] + d,
            met=prefix.met | self._meets[a],
            right=opened.captured[label, a],
        )

    def ends(self, following: Following, opened: Opened, default: int) -> tuple[np.ndarray, np.ndarray]:
        """Costs of the lists that end after each rule with a default, and whether they may obey and be fair."""
        rest = opened.all_wrong[:, None] - opened.wrong[:, following.antecedent]
        sums = following.sums
        if default:
            sums = sums + opened.all_d[:, None] - opened.d[:, following.antecedent]
        fits = (following.met == self.demands.all) & self._as_most(rest, default) & self._nearly(sums)
        return following.cost + rest[default], fits

    def _nearly(self, sums: np.ndarray) -> np.ndarray:
        low, high = self.constraints.low[:, None], self.constraints.high[:, None]
        within: np.ndarray = (low <= sums) & (sums <= high)
        return np.asarray(within.all(axis=0))

    def child(self, parent: int, prefix: Prefix, following: Following, i: int) -> Prefix:
        """The prefix with one more rule."""
        a, b = int(following.antecedent[i]), int(following.label[i])
        words = (np.frombuffer(prefix.words, dtype=np.uint64) & ~self.columns[a]).tobytes()
        return Prefix(
            parent=parent,
            rule=2 * a + b,
            words=words,
            cost=int(following.cost[i]),
            relaxed=int(following.relaxed[i]),
            sums=tuple(following.sums[:, i].tolist()),
            met=int(following.met[i]),
            length=prefix.length + 1,
            uses=tuple(x + int(y) for x, y in zip(prefix.uses, self._uses[:, a], strict=True)),
        )

    def span(self, words: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest sums of the constraints over a packed set, whatever its patterns' labels."""
        present = bits.unpack(np.frombuffer(words, dtype=np.uint64)[None], self.problem.n_patterns)[0]
        part = self.constraints.d[:, present.astype(bool)]
        return np.minimum(part, 0).sum(axis=1), np.maximum(part, 0).sum(axis=1)

    def reaches(self, prefix: Prefix, span: tuple[np.ndarray, np.ndarray]) -> bool:
        """Whether some labels of what a prefix leaves may be fair, constraint by constraint."""
        sums = np.array(prefix.sums, dtype=np.int64)
        return bool((sums + span[1] >= self.constraints.low).all() and (sums + span[0] <= self.constraints.high).all())

    def outdoes(self, one: Prefix, other: Prefix, span: tuple[np.ndarray, np.ndarray]) -> bool:
        """Whether a prefix costs no more than another that leaves the same set, and every end that may follow may."""
        if (
            one.cost > other.cost
            or one.met & other.met != other.met
            or any(x > y for x, y in zip(one.uses, other.uses, strict=True))
            or (self.demands.longest < self.problem.n_antecedents and one.length > other.length)
        ):
            return False
        mine, theirs = (np.array(sums, dtype=np.int64) for sums in (one.sums, other.sums))
        limits = self.constraints
        low, high = np.maximum(limits.low - theirs, span[0]), np.minimum(limits.high - theirs, span[1])
        return bool((limits.low_inside - mine <= low).all() and (limits.high_inside - mine >= high).all())


def distinct(columns: np.ndarray, demands: Demands) -> np.ndarray:
    """Antecedents with which something may be predicted of some pattern; one of those that are alike."""
    marks = np.concatenate([demands.meets[:, None], demands.uses.T, demands.labels[:, None]], axis=1)
    kept = np.sort(bits.group_equal_rows(np.concatenate([columns, marks.astype(np.uint64)], axis=1))[1])
    return kept[(bits.counts(columns[kept]) > 0) & (demands.labels[kept] > 0)]


def same_as(problem: Problem, demands: Demands, antecedent: int) -> int:
    """The antecedent that stands for this one."""
    columns = problem.matrix()
    alike = (columns == columns[:, antecedent : antecedent + 1]).all(axis=0)
    for marks in (demands.meets[None], demands.uses, demands.labels[None]):
        alike &= (marks == marks[:, antecedent : antecedent + 1]).all(axis=0)
    return int(np.flatnonzero(alike)[0])
