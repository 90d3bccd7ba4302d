"""Prefixes as labels on the sets that they leave: what they cost, what they have used, and what can follow them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...data.directions import NEGATIVE, POSITIVE
from ...data.problem import Problem
from ...kernels import bits
from ...kernels.bit_words import transposed
from ..costs import Costs
from .demands import Demands


class Label(NamedTuple):
    """A prefix: the label before it, its last antecedent, the set it leaves, its cost, and what it has used."""

    parent: int
    antecedent: int
    words: bytes
    cost: int
    met: int
    length: int
    uses: tuple[int, ...]


class Children(NamedTuple):
    """What every antecedent does after a prefix, by place among those of the space that may follow it.

    ``cost`` is that of the prefix with the rule, ``total`` that of the list which ends with it, ``least`` a lower bound
    on all lists that go on, apart from the bound on completing the set; ``skip`` is what deleting the rule would save.
    """

    antecedent: np.ndarray
    cost: np.ndarray
    total: np.ndarray
    met: np.ndarray
    least: np.ndarray
    skip: np.ndarray


@dataclass(frozen=True, eq=False)
class Counted:
    """A set of patterns with everything counted.

    Attributes
    ----------
    size, wrong, right : array, shape (n_antecedents,)
        Patterns that each antecedent captures, cost of its rule's errors, and net costs that its label gets right.
    plus, minus : array, shape (n_antecedents,)
        Net costs captured of either side.
    all_wrong, all_plus, all_minus : int
        Of the set: the errors that no list avoids, and the net costs.
    """

    size: np.ndarray
    wrong: np.ndarray
    right: np.ndarray
    plus: np.ndarray
    minus: np.ndarray
    inevitable: np.ndarray
    all_inevitable: int
    all_plus: int
    all_minus: int

    @property
    def stop(self) -> int:
        """Net cost of stopping here."""
        return min(self.all_plus, self.all_minus)


@dataclass(eq=False)
class Space:
    """The patterns and antecedents of a problem, with costs in whole numbers.

    Antecedents that hold on the same patterns and count alike for the demands are one; those that nothing may be
    predicted with are left out.
    """

    problem: Problem
    costs: Costs
    demands: Demands
    antecedents: np.ndarray = field(init=False)
    outside: np.ndarray = field(init=False)
    everything: bytes = field(init=False)
    amounts: np.ndarray = field(init=False)
    net: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        problem, demands = self.problem, self.demands
        columns = transposed(problem.words, problem.n_antecedents)
        self.antecedents = distinct(columns, demands)
        self._labels = demands.labels[self.antecedents]
        self._columns = columns[self.antecedents]
        full = bits.pack(np.ones((1, problem.n_patterns), dtype=bool))[0]
        self.everything = full.tobytes()
        self._meets, self._uses = demands.meets[self.antecedents], demands.uses[:, self.antecedents]
        per_error = self.costs.per_error
        positives, negatives = per_error * self.costs.positives, per_error * self.costs.negatives
        self.net = positives - negatives
        least = np.minimum(positives, negatives)
        one = np.ones(problem.n_patterns, dtype=np.int64)
        sides = [one, least, np.maximum(self.net, 0), np.maximum(-self.net, 0)]
        self.amounts = np.stack(sides)
        self._type = np.float64 if all(int(side.sum()) < 1 << 53 for side in sides) else np.int64
        self._held = bits.unpack(self._columns, problem.n_patterns).T.astype(self._type)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in (self._columns, self._held, self.amounts))

    def start(self) -> Label | None:
        """The empty prefix, or that of the first rule; None where that captures nothing."""
        none = Label(-1, -1, self.everything, 0, 0, 0, (0,) * len(self.demands.most))
        if self.demands.first is None:
            return none
        place = np.flatnonzero(self.antecedents == same_as(self.problem, self.demands, self.demands.first))
        if not len(place):
            return None
        found = self.children(none, self.count(self.everything), only=int(place[0]))
        return self.child(none, found, 0) if len(found.antecedent) else None

    def count(self, words: bytes) -> Counted:
        """Count everything on a packed set."""
        present = bits.unpack(np.frombuffer(words, dtype=np.uint64)[None], self.problem.n_patterns)[0]
        amounts = self.amounts * present
        captured = (amounts.astype(self._type) @ self._held).astype(np.int64)
        size, inevitable, plus, minus = captured
        _, *every = (int(one) for one in amounts.sum(axis=1))
        positive = self._predicts(plus, minus)
        right, wrong = np.where(positive, (plus, minus), (minus, plus))
        return Counted(size, inevitable + wrong, right, plus, minus, inevitable, *every)

    def _predicts(self, plus: np.ndarray, minus: np.ndarray) -> np.ndarray:
        """Which rules predict the positive class: that of most where they may, or the only one."""
        return np.where(self._labels == NEGATIVE | POSITIVE, plus > minus, self._labels == POSITIVE)

    def missing(self, counted: Counted, label: Label) -> int | None:
        """What the demands that are not met yet cost on top of a list without any, at least; None: they cannot be met.

        A rule that meets one gets no more right than what it captures of the set, and deleting it saves a rule.
        """
        extra = [0]
        allowed = (counted.size > 0) & self._may_follow(label)
        saved = np.maximum(0, self.costs.per_rule - counted.right)
        left = [r for r in range(self.demands.n) if not label.met >> r & 1]
        for r in left:
            which = allowed & (self._meets >> r & 1).astype(bool)
            if not which.any():
                return None
            extra.append(int(saved[which].min()))
        if left and label.length + (len(left) if self.demands.apart else 1) > self.demands.longest:
            return None
        return sum(extra) if self.demands.apart else max(extra)

    def _may_follow(self, label: Label) -> np.ndarray:
        uses = np.array(label.uses, dtype=np.int64)[:, None]
        return (uses + self._uses <= self.demands.most[:, None]).all(axis=0) & (label.length < self.demands.longest)

    def children(self, label: Label, counted: Counted, only: int | None = None) -> Children:
        """What the antecedents that may follow do; ``only`` is the place of a single one."""
        a = np.flatnonzero((counted.size > 0) & self._may_follow(label))
        a = a if only is None else a[a == only]
        plus, minus, wrong, right, inevitable = (
            each[a] for each in (counted.plus, counted.minus, counted.wrong, counted.right, counted.inevitable)
        )
        cost = label.cost + self.costs.per_rule + wrong
        rest = cost + counted.all_inevitable - inevitable
        stop = np.minimum(counted.all_plus - plus, counted.all_minus - minus)
        return Children(
            antecedent=a,
            cost=cost,
            total=rest + stop,
            met=label.met | self._meets[a],
            least=rest + np.minimum(stop, self.costs.per_rule),
            skip=np.maximum(0, self.costs.per_rule - right),
        )

    def child(self, label: Label, children: Children, i: int) -> Label:
        """The prefix with one more rule; its parent is to be filled in."""
        a = int(children.antecedent[i])
        words = np.frombuffer(label.words, dtype=np.uint64) & ~self._columns[a]
        uses = tuple(x + int(y) for x, y in zip(label.uses, self._uses[:, a], strict=True))
        length = label.length + 1
        return Label(-1, a, words.tobytes(), int(children.cost[i]), int(children.met[i]), length, uses)

    def outdoes(self, one: Label, other: Label) -> bool:
        """Whether a prefix costs no more than another that leaves the same set, and all that may follow may follow."""
        bounded = self.demands.longest < self.problem.n_antecedents
        return (
            one.cost <= other.cost
            and one.met & other.met == other.met
            and all(x <= y for x, y in zip(one.uses, other.uses, strict=True))
            and (not bounded or one.length <= other.length)
        )


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
