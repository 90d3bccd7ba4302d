"""All rule lists up to a cost, of whatever labels, over the sets of patterns that they pass through.

A list whose rules may predict either class costs at least what it costs with the majorities, so that the sets which
near-optimal lists pass through are those that all of them pass through. From the largest set to the smallest, the
prefixes of a set are kept in numbers: rules, errors, and rows predicted otherwise than by the optimal list. How many
rows have to change falls with the errors and with the rows that differ, for each number of rules: of two prefixes of as
many rules that leave the same set, one that has no fewer errors and differs in no more rows is never needed.
"""

from __future__ import annotations

from array import array

import numpy as np

from ...kernels import bits
from ..exact.search import RuleListSearch
from ..near_count import kernels
from ..near_count.search import NearOptimalCounter
from ..near_count.tables import States
from .neighbours import Measure, Rival, better


class NearStates(NearOptimalCounter):
    """The first half of a `NearOptimalCounter`, for a threshold on the grid: ends in the phase "expanded"."""

    def __init__(self, search: RuleListSearch, threshold: int, memory_limit: int | None = None) -> None:
        super().__init__(search, within=0.0, memory_limit=memory_limit)
        self._wanted = threshold

    def _most(self, total: int, longest: int) -> int:
        return max(self._wanted, self.best_cost)

    def _begin_counting(self) -> int:
        self.phase = "expanded"
        return kernels.DONE

    def _run(self, max_work: int) -> None:
        if self.phase == "expanding" and self._expand(self.work + max_work) == kernels.GROW:
            self._stuck = "memory"


_CELLS = 4_000_000
"""Bits that are unpacked at once, at most."""

_FLOAT = 1 << 53


class Labelling:
    """Step by step: the list that needs the fewest changed rows among all of those up to the threshold.

    ``masses`` (int64, shape (bits, 4)): of each bit positives, negatives, and those predicted positive.
    """

    def __init__(
        self,
        states: States,
        masses: np.ndarray,
        measure: Measure,
        representatives: np.ndarray,
        rivals: dict[str, Rival],
        memory_limit: int | None = None,
    ) -> None:
        self.states, self.measure, self.rivals = states, measure, rivals
        self.work = 0
        self.done = self.full = False
        self._representatives, self._memory_limit = representatives, memory_limit
        exact = float if int(masses[:, :2].sum()) < _FLOAT else np.int64
        self._masses = masses.astype(exact)
        n = states.n
        self._left = np.zeros((n, 4), dtype=np.int64)
        self._captured = np.zeros((states.n_edges, 4), dtype=np.int64)
        self._least = np.zeros(n, dtype=np.int64)
        self._pass = self._at = self._entries = 0
        self._waiting: dict[int, list[tuple[int, int, int, int]]] = {}
        self._parent, self._made = array("q"), array("q")

    @property
    def memory_bytes(self) -> int:
        """Bytes of what is kept beside the states."""
        held = self._left.nbytes + self._captured.nbytes + self._least.nbytes
        return held + 16 * len(self._parent) + 200 * self._entries

    @property
    def counting(self) -> bool:
        """Whether rows are still being counted, which goes on for some states at a time however many are asked for."""
        return self._pass == 0

    def advance(self, max_work: int) -> None:
        """Look at no more than so many states."""
        passes = (self._count, self._complete, self._go_on)
        end = self.work + max_work
        while self._pass < len(passes) and self.work < end:
            if self._memory_limit is not None and self.memory_bytes > self._memory_limit:
                self.full = True
                return
            self.full = False
            some = min(end - self.work, self.states.n - self._at)
            some = min(some, self._at_once()) if self.counting else some
            passes[self._pass](slice(self._at, self._at + some))
            self._at += some
            self.work += some
            counting = self.counting
            if self._at == self.states.n:
                self._pass, self._at = self._pass + 1, 0
            if counting:
                break
        self.done = self._pass == len(passes)

    def ties(self) -> int:
        """How many lists have the objective of the optimal one and predict otherwise; once all are looked at."""
        states = self.states
        per_error, per_rule = states.limits.per_error, states.limits.per_rule
        ways: dict[int, dict[tuple[int, int, bool], int]] = {0: {(0, 0, False): 1}}
        found = 0
        for state in states.order.tolist():
            for (rules, errors, differs), n in ways.pop(state, {}).items():
                for wrong, differing, _ in _either(self._left[state]):
                    if (differs or differing) and self.measure.excess(rules, errors + wrong) == 0:
                        found += n
                for edge in range(states.store.first_edge[state], states.store.last_edge[state]):
                    target = int(states.store.edge_to[edge])
                    for wrong, differing, _ in _either(self._captured[edge]):
                        after = (rules + 1, errors + wrong, differs or differing > 0)
                        least = int(self._least[target]) if target >= 0 else 0
                        if per_error * after[1] + per_rule * after[0] + least > self.measure.cost:
                            continue
                        if target >= 0:
                            into = ways.setdefault(target, {})
                            into[after] = into.get(after, 0) + n
                            continue
                        for last, other, _ in _either(self._left[state] - self._captured[edge]):
                            if (after[2] or other) and self.measure.excess(after[0], after[1] + last) == 0:
                                found += n
        return found

    def _at_once(self) -> int:
        """How many states have about as many rules, with their patterns, as may be counted at once."""
        rules = 1 + self.states.n_edges // self.states.n
        return max(1, _CELLS // (self._masses.shape[0] * rules))

    def _count(self, part: slice) -> None:
        """Weigh what some states leave, and what their rules capture."""
        store, width = self.states.store, self._masses.shape[0]
        chosen = self.states.order[part]
        self._left[chosen] = bits.unpack(store.sets[chosen], width) @ self._masses
        for state in chosen.tolist():
            first, last = int(store.first_edge[state]), int(store.last_edge[state])
            step = max(1, _CELLS // width)
            for begin in range(first, last, step):
                edges = slice(begin, min(begin + step, last))
                captured = store.sets[state] & self.states.sets.captures[store.edge_rule[edges]]
                self._captured[edges] = bits.unpack(captured, width) @ self._masses

    def _complete(self, part: slice) -> None:
        """The least further cost of some states, the smallest first."""
        store, limits = self.states.store, self.states.limits
        for state in self.states.order[::-1][part].tolist():
            left = self._left[state]
            least = limits.per_error * int(left[:2].min())
            edges = slice(int(store.first_edge[state]), int(store.last_edge[state]))
            if edges.stop > edges.start:
                captured, target = self._captured[edges], store.edge_to[edges]
                ends = limits.per_error * (left - captured)[:, :2].min(axis=1)
                further = np.where(target >= 0, self._least[target], ends)
                costs = limits.per_rule + limits.per_error * captured[:, :2].min(axis=1) + further
                least = min(least, int(costs.min()))
            self._least[state] = least

    def _go_on(self, part: slice) -> None:
        """Go on with all prefixes that leave some states, the largest first."""
        for state in self.states.order[part].tolist():
            if state == 0:
                self._waiting[0] = [(0, 0, 0, self._keep(-1, -1))]
            prefixes = self._waiting.pop(state, None)
            if prefixes is not None:
                self._entries -= len(prefixes)
                self._follow(state, _undominated(prefixes))

    def _follow(self, state: int, prefixes: list[tuple[int, int, int, int]]) -> None:
        """End lists in a state, and go on with its rules."""
        store, limits = self.states.store, self.states.limits
        left = self._left[state]
        for rules, errors, differing, entry in prefixes:
            self._end(rules, errors, differing, left, entry)
        first, last = int(store.first_edge[state]), int(store.last_edge[state])
        if first == last:
            return
        target, captured = store.edge_to[first:last], self._captured[first:last]
        ends = limits.per_error * (left - captured)[:, :2].min(axis=1)
        further = np.where(target >= 0, self._least[target], ends)
        wrong = np.stack([captured[:, 0], captured[:, 1]], axis=1)  # by the label: 0 misses the positives
        other = np.stack([captured[:, 2] + captured[:, 3], (captured[:, :2] - captured[:, 2:]).sum(axis=1)], axis=1)
        steps = limits.per_rule + limits.per_error * wrong + further[:, None]
        for rules, errors, differing, entry in prefixes:
            spent = limits.per_error * errors + limits.per_rule * rules
            for edge, label in zip(*map(np.ndarray.tolist, np.nonzero(steps <= limits.threshold - spent)), strict=True):
                made = self._keep(entry, 2 * (first + edge) + label)
                after = (rules + 1, errors + int(wrong[edge, label]), differing + int(other[edge, label]), made)
                if target[edge] >= 0:
                    self._waiting.setdefault(int(target[edge]), []).append(after)
                    self._entries += 1
                else:
                    self._end(*after[:3], left - captured[edge], made)

    def _keep(self, parent: int, made: int) -> int:
        self._parent.append(parent)
        self._made.append(made)
        return len(self._parent) - 1

    def _end(self, rules: int, errors: int, differing: int, left: np.ndarray, entry: int) -> None:
        """Let a list end with either label, and keep it where it needs the fewest rows."""
        for wrong, other, label in _either(left):
            if differing + other == 0:
                continue
            found = better(self.rivals, self.measure, rules, errors + wrong, differing + other)
            if found:
                antecedents, labels = self._list(entry)
                self.rivals |= {c: Rival(needed, antecedents, (*labels, label)) for c, needed in found.items()}

    def _list(self, entry: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Antecedents and labels of a prefix."""
        made = []
        while self._parent[entry] >= 0:
            made.append(self._made[entry])
            entry = self._parent[entry]
        edges = [number >> 1 for number in reversed(made)]
        rules = self._representatives[self.states.store.edge_rule[edges]].tolist() if edges else []
        return tuple(rules), tuple(number & 1 for number in reversed(made))


def _either(masses: np.ndarray) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Errors, rows predicted otherwise than by the optimal list, and the label, for either label of some rows."""
    positives, negatives, above, below = masses.tolist()
    return (positives, above + below, 0), (negatives, positives + negatives - above - below, 1)


def _undominated(prefixes: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Without prefixes of as many rules as another that has no more errors and differs in no fewer rows."""
    kept: list[tuple[int, int, int, int]] = []
    for prefix in sorted(prefixes, key=lambda each: (each[0], each[1], -each[2], each[3])):
        if not kept or kept[-1][0] != prefix[0] or kept[-1][2] < prefix[2]:
            kept.append(prefix)
    return kept
