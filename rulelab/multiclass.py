r"""The certified search for a rule list of several classes.

Minimised is errors / n + regularization * rules, as for two classes (Angelino et al., JMLR 18(234), 2018); a rule that
captures rows with weights :math:`w_1, ..., w_K` makes :math:`\sum w - \max w` errors. The bounds of two classes that
carry over, with their proofs word by word:

- hierarchical (Theorem 1): what a prefix costs, every continuation costs;
- equivalent points (Theorem 20): rows of one pattern get one label, so that of each pattern that is left at least
  :math:`\sum_k w_k - \max_k w_k` is wrong;
- lookahead (Lemma 2): a continuation has one more rule, or is the default;
- labels: j more rules and the default say j + 1 labels at most, so that all rows of other ones that are left are wrong;
- accurate support (Theorem 9): without a rule, at most what it had right is wrong, so that one which has right no more
  than a rule costs can be left out;
- equivalent support (Theorem 15, permutations among them): prefixes that leave the same patterns have the same best
  continuation; only the cheapest is kept. The sets are compared bit by bit.

What does not carry over is every bound that takes the errors for the smaller one of two numbers.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from .certificate import CertificateError, MultiClassCertificate, Origin
from .certificate.multiclass import costs_of
from .data.multiclass import MultiClassProblem
from .models import MultiClassRuleList
from .parameters import REGULARIZATION, check_arguments
from .snapshot import Incumbent, Snapshot, Status, bound_shown
from .stepping import Search

_SMALL = 1 << 61
_PER_SET = 320  # bytes of a stored set beside its patterns: entries of the table and of the queue, and numbers
_DIVE = 12


class _State(NamedTuple):
    """A prefix as it waits: the least that completions cost, its length and cost, the patterns left, its rules."""

    bound: int
    length: int
    place: int
    cost: int
    key: bytes
    antecedents: tuple[int, ...]


class MultiClassRuleListSearch(Search):
    """Best-first search over the sets of patterns that prefixes leave.

    Parameters
    ----------
    problem : MultiClassProblem
    regularization, max_length
        As of `rulelab.RuleListSearch`.
    memory_limit : int, optional
        Bytes that the stored sets may take, by an estimate.

    Raises
    ------
    ValueError
        When an argument is out of range.
    TypeError
        When the problem is of another kind.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.MultiClassProblem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]], ["a", "b", "b", "c"])
    >>> search = rl.engines.MultiClassRuleListSearch(problem, 0.01)
    >>> rl.solve(search).incumbent.errors
    0
    """

    family: ClassVar[str] = "multi_class_rule_list"
    _PROBLEM = MultiClassProblem
    problem: MultiClassProblem  # type: ignore[assignment]

    def __init__(
        self,
        problem: MultiClassProblem,
        regularization: float,
        max_length: int | None = None,
        memory_limit: int | None = None,
    ) -> None:
        if not isinstance(problem, MultiClassProblem):
            raise TypeError(f"problem must be a MultiClassProblem, not {type(problem).__name__}")
        REGULARIZATION.check(regularization)
        check_arguments(max_length=max_length, memory_limit=memory_limit)
        super().__init__(problem)  # type: ignore[arg-type]
        self.regularization = float(regularization)
        self.max_length = None if max_length is None else int(max_length)
        self.memory_limit = memory_limit
        self._per_error, self._per_rule = costs_of(problem, self.regularization)
        longest = self._per_error * problem.total_weight + self._per_rule * (problem.n_antecedents + 2)
        self._kind = np.int64 if longest < _SMALL else object
        least = problem.counts.sum(axis=1) - problem.counts.max(axis=1)
        self._weights = np.column_stack([problem.counts, least]).astype(np.float64)
        self._columns = np.ascontiguousarray(problem.matrix.T, dtype=np.float64)
        self._counts: Counter[str] = Counter()
        self._pruned: Counter[str] = Counter()
        self._known: dict[tuple[bytes, int], int] = {}
        self._expanded: dict[bytes, int] = {}
        self._queue: list[_State] = []
        self._lengths: Counter[int] = Counter()
        self._best: tuple[int, tuple[int, ...]] = (0, ())
        self._found_at = (0.0, 0)
        self._full = False
        self._begun = False

    @property
    def compiled(self) -> bool:
        return True

    def _rehearse(self) -> None:
        """Nothing is compiled."""

    def certificate(self) -> MultiClassCertificate:
        """The proof of the optimum, which its ``check`` checks from the data alone.

        Raises
        ------
        CertificateError
            Before the optimum is proven, and with a ``max_length``.
        """
        if not self._begun or self._queue:
            raise CertificateError("there is no proof yet: the search has not proven its optimum")
        if self.max_length is not None:
            raise CertificateError("there is no certificate with max_length: its bounds hold for lists of any length")
        best = self._best[0]
        sets, values = [np.ones(len(self.problem.matrix), dtype=bool)], [best]
        for key, cost in self._expanded.items():
            sets.append(self._free(key))
            values.append(best - cost)
        problem = self.problem
        return MultiClassCertificate(
            problem.fingerprint, self.regularization, np.array(sets), tuple(values), Origin.of(problem)
        )

    def _begin(self) -> None:
        self._begun = True
        free = np.ones(len(self.problem.matrix), dtype=bool)
        whole = self._weights.sum(axis=0)
        self._best = (int(whole[:-1].sum() - whole[:-1].max()) * self._per_error, ())
        state = _State(0, 0, 0, 0, _packed(free), ())
        self._dive(state)
        self._pruned.clear()  # of what the greedy list tried, which is no part of the tree
        self._counts["created"] = 0
        self._known[self._named(state.key, 0)] = 0
        self._put(state)

    def _dive(self, state: _State) -> None:
        """A greedy list to begin with: each rule is the one after which stopping costs least."""
        for _ in range(_DIVE if self.max_length is None else min(_DIVE, self.max_length)):
            found = self._children(state)
            if found is None:
                return
            chosen, costs, stopped, _ = found
            k = int(np.argmin(stopped))
            rules = (*state.antecedents, int(chosen[k]))
            self._offer(int(stopped[k]), rules)
            left = self._free(state.key) & ~self.problem.matrix[:, chosen[k]]
            state = _State(0, len(rules), 0, int(costs[k]), _packed(left), rules)

    def _advance(self, max_work: int) -> None:
        if not self._begun:
            self._begin()
        for _ in range(max_work):
            self._full = self.memory_limit is not None and self._bytes() > self.memory_limit
            if not self._queue or self._full:
                return
            self._expand(self._taken())
            self.work += 1
            while self._queue and self._is_settled(self._queue[0]):
                beaten = self._taken().bound >= self._best[0]
                self._pruned["lookahead" if beaten else "equivalent support"] += 1

    def _taken(self) -> _State:
        state = heapq.heappop(self._queue)
        self._lengths[state.length] -= 1
        return state

    def _put(self, state: _State) -> None:
        heapq.heappush(self._queue, state)
        self._lengths[state.length] += 1

    def _is_settled(self, state: _State) -> bool:
        """Whether a waiting prefix cannot matter any more."""
        return state.bound >= self._best[0] or self._known[self._named(state.key, state.length)] < state.cost

    def _expand(self, state: _State) -> None:
        self._counts["expanded"] += 1
        self._expanded[state.key] = min(state.cost, self._expanded.get(state.key, state.cost))
        found = self._children(state)
        if found is None:
            return
        chosen, costs, stopped, bounds = found
        k = int(np.argmin(stopped))
        self._offer(int(stopped[k]), (*state.antecedents, int(chosen[k])))
        promising = np.flatnonzero(bounds < self._best[0])
        self._pruned["lookahead"] += len(chosen) - len(promising)
        free = self._free(state.key)
        for k in promising.tolist():
            j, cost = int(chosen[k]), int(costs[k])
            key = _packed(free & ~self.problem.matrix[:, j])
            named = self._named(key, state.length + 1)
            if self._known.get(named, cost + 1) <= cost:
                self._pruned["equivalent support"] += 1
                continue
            self._counts["reopened" if named in self._known else "stored"] += 1
            self._known[named] = cost
            place = self._counts["stored"] + self._counts["reopened"]
            rules = (*state.antecedents, j)
            self._put(_State(int(bounds[k]), len(rules), place, cost, key, rules))

    def _children(self, state: _State) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
        """Antecedents that may come next, what the prefix costs then, with the default, and at least in the end."""
        if state.length == self.max_length:
            return None
        left = np.flatnonzero(self._free(state.key))
        captured = self._columns[:, left] @ self._weights[left]
        rest = self._weights[left].sum(axis=0) - captured
        right = captured[:, :-1].max(axis=1)
        enough = self._exactly(right) * self._per_error > self._per_rule
        self._counts["created"] += len(enough)
        self._pruned["accurate support"] += int((~enough.astype(bool)).sum())
        chosen = np.flatnonzero(enough)
        if not len(chosen):
            return None
        captured, rest = captured[chosen], rest[chosen]
        errors = self._exactly(captured[:, :-1].sum(axis=1) - right[chosen])
        costs = state.cost + errors * self._per_error + self._per_rule
        default, *onward = self._ends(rest)
        last = state.length + 1 == self.max_length
        return chosen, costs, costs + default, costs + (default if last else np.min([default, *onward], axis=0))

    def _ends(self, rest: np.ndarray) -> list[np.ndarray]:
        """What lists cost at least that end so many rules on: with the default, after one more rule, ...

        Shape (n,) each, of what is left, shape (n, n_classes + 1): weights by class, and those that are surely wrong.
        """
        most = -np.sort(-rest[:, :-1], axis=1)
        others = most.sum(axis=1, keepdims=True) - most.cumsum(axis=1)  # of all but the first, first two, ... labels
        others[:, 1:] = np.maximum(others[:, 1:], rest[:, -1:])
        return [self._exactly(wrong) * self._per_error + j * self._per_rule for j, wrong in enumerate(others.T)]

    def _exactly(self, weights: np.ndarray) -> np.ndarray:
        """Sums of whole numbers, in a type that holds what they cost."""
        return np.rint(weights).astype(np.int64).astype(self._kind)

    def _offer(self, cost: int, rules: tuple[int, ...]) -> None:
        if cost < self._best[0]:
            self._best, self._found_at = (cost, rules), (self._seconds, self.work)

    def _named(self, key: bytes, length: int) -> tuple[bytes, int]:
        """What prefixes are told apart by: where lengths are bounded, a shorter one can go on for longer."""
        return key, 0 if self.max_length is None else length

    def _free(self, key: bytes) -> np.ndarray:
        return np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=len(self.problem.matrix)).astype(bool)

    def _bytes(self) -> int:
        return (len(self._known) + len(self._queue)) * (_PER_SET + len(self.problem.matrix) // 8)

    def _snapshot(self) -> Snapshot:
        _, rules = self._best
        total, m = self.problem.total_weight, self.problem.n_antecedents
        excess = Fraction(self._per_rule, total * self._per_error) - Fraction(repr(self.regularization))
        over = max(Fraction(0), excess) * m
        proven = self._begun and not self._queue
        model = MultiClassRuleList.from_problem(self.problem, rules)
        objective = model.objective(self.regularization)
        least = self._queue[0].bound if self._queue else 0
        status, limit = (Status.OPTIMAL, None) if proven else (Status.RUNNING, None)
        if self._full and not proven:
            status, limit = Status.LIMIT, "memory"
        longest = max((length for length, n in self._lengths.items() if n), default=-1)
        return Snapshot(
            step=self._steps,
            work=self.work,
            seconds=self._seconds,
            status=status,
            incumbent=Incumbent(model, objective, model.errors, len(model), self._found_at),
            lower_bound=bound_shown(objective, float(Fraction(least, total * self._per_error) - over), status),
            counts={**self._counts, "queued": len(self._queue)},
            pruned=dict(self._pruned),
            queue_by_length=tuple(self._lengths[k] for k in range(longest + 1)),
            log10_remaining=0.0 if proven else math.inf,
            memory_bytes=self._bytes(),
            limit=limit,
        )


def _packed(free: np.ndarray) -> bytes:
    return np.packbits(free).tobytes()
