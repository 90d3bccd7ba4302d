"""What the searches of fair lists have in common: multipliers, passes, and lists in words of the problem.

Multipliers of the relaxation are found by cutting planes, with beams as the oracle, which meet fair lists on the way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.problem import Problem
from ...data.rate_constraints import Constraints
from ...kernels import bits
from ...kernels.bit_words import mix
from ...kernels.growing import nbytes, with_room
from ...kernels.jit import is_compiled, kernel
from ...models.base import column_of
from ...phases import PhasedSearch
from ...snapshot import counted as counted_at
from . import beam as beams
from . import state
from .completions import effort_of_a_count, prove
from .label_setting import begin_pass, expand, is_full, pick, start_proof
from .relaxation import FIRST_RATE, Dual, GapDual, Reduced, Relaxed, relaxed, scaled
from .state import DEPTH, N_ENTRIES, N_LABELS, N_NODES, PICK, PROVE, STAGE, START

EFFORT_PER_WORK = 40_000_000  # weights that a unit of work looks at, about
MORE, DONE, GROW_ENTRIES, GROW_NODES, GROW_LABELS, CHECK = range(6)
"""Work is left; the pass is done; there is no room for sets, for sets with prefixes, for prefixes; lists to check."""
GROWING = (GROW_ENTRIES, GROW_NODES, GROW_LABELS)
_COUNTS = {
    "created": state.CREATED,
    "expanded": state.EXPANDED,
    "queued": state.N_WAITING,
    "stored": state.N_ENTRIES,
    "sets_counted": state.COUNTED,
}


@kernel
def advance(data, rules, store, most):
    """Look at about ``most`` weights."""
    numbers, m = store.numbers, data.by_antecedent.shape[0]
    spent = 0
    while spent < most:
        if is_full(store):
            return CHECK
        stage = numbers[STAGE]
        if numbers[DEPTH] >= 0:
            done = prove(data, rules, store, most - spent)
            if done < 0:
                return GROW_ENTRIES
            spent += done
        elif stage == START:
            begin_pass(data, rules, store)
        elif stage == PICK:
            if not pick(data, rules, store):
                return DONE
            spent += (2 + data.amounts.shape[0]) * effort_of_a_count(data)
        elif stage == PROVE:
            start_proof(data, rules, store)
            spent += effort_of_a_count(data)
        else:
            if numbers[N_ENTRIES] + m > store.bound.size:
                return GROW_ENTRIES
            if numbers[N_NODES] + m > store.node_head.size:
                return GROW_NODES
            if numbers[N_LABELS] + 2 * m > store.cost.size:
                return GROW_LABELS
            spent += expand(data, rules, store, most - spent)
    return MORE


@kernel
def enter_all(sets, n, table):
    """Enter the first sets into an empty table."""
    mask = np.uint64(table.size - 1)
    for entry in range(n):
        h = np.uint64(0)
        for w in range(sets.shape[1]):
            h = mix(h, sets[entry, w])
        slot = np.int64(h & mask)
        while table[slot] >= 0:
            slot = (slot + 1) & np.int64(mask)
        table[slot] = entry


def predicted(problem: Problem, rules: Sequence[tuple[int, int]], default: int) -> np.ndarray:
    """Which patterns a list predicts positive."""
    positive = np.full(problem.n_patterns, bool(default))
    for a, label in reversed(rules):
        positive[column_of(problem, a)] = bool(label)
    return positive


def list_of(problem: Reduced, codes: np.ndarray, length: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """The rules and the default of a list as the kernels write it."""
    found = codes[: length + 1].tolist()
    return tuple((int(problem.antecedents[code // 2]), code % 2) for code in found[:-1]), found[-1]


def enter_again(store: state.Store) -> None:
    """Fill the table of sets."""
    store.table.fill(-1)
    enter_all(store.sets, int(store.numbers[state.N_ENTRIES]), store.table)


def counted(store: state.Store | None) -> tuple[dict[str, int], dict[str, int]]:
    """Counts of a search, and of what each bound has cut; zeros without a store."""
    numbers = np.zeros(state.N_NUMBERS, dtype=np.int64) if store is None else store.numbers
    pruned = [0] * len(state.PRUNED_NAMES) if store is None else store.pruned.tolist()
    return counted_at(numbers, _COUNTS), dict(zip(state.PRUNED_NAMES, pruned, strict=True))


def proven_of_sets(problem: Problem, ordered: Reduced, store: state.Store) -> dict[bytes, int]:
    """What is proven of completing each set of the problem's patterns, packed."""
    n = int(store.numbers[state.N_ENTRIES])
    return in_patterns(problem, ordered, store.sets[:n], store.bound[:n])


def in_patterns(problem: Problem, ordered: Reduced, sets: np.ndarray, bounds: np.ndarray) -> dict[bytes, int]:
    """Bounds on completing sets of a reduced problem's patterns, by packed sets of the problem's."""
    rows = bits.pack(problem.matrix()[:, ordered.antecedents])
    place = {row.tobytes(): u for u, row in enumerate(rows)}
    columns = np.argsort([place[row.tobytes()] for row in ordered.patterns])
    packed = np.packbits(bits.unpack(sets, len(columns))[:, columns], axis=1)
    return dict(zip(map(bytes, packed), bounds.tolist(), strict=True))


class LabelSetting(PhasedSearch):
    """A search that looks for lists along beams first, which find multipliers, and then proves a bound in passes."""

    memory_limit: int | None
    _problem: Reduced
    _rules: state.Rules
    _multipliers: Multipliers
    _chosen: np.ndarray
    _data: state.Data
    _store: state.Store

    @property
    def compiled(self) -> bool:
        return is_compiled(advance, beams.advance)

    def _arrange(self, constraints: Constraints) -> Relaxed:
        """Relax the problem with the best multipliers."""
        self._chosen = self._multipliers.best
        self._problem, self._data, relaxation = arranged(self._problem, constraints, self._rules, self._chosen)
        return relaxation

    def _start_passes(self, most: int, base: int, best: int, threshold: int, doubts: int = state.MOST_DOUBTS) -> None:
        """Begin with lists that cost less than ``best``, whose relaxed costs are from ``base`` to ``most``."""
        longest = longest_of(most, base, self._rules, len(self._problem.antecedents))
        self._store = state.new_store(self._data, longest, best, doubts)
        for counter in (state.CREATED, state.COUNTED):
            self._store.numbers[counter] = self._multipliers.store.numbers[counter]
        self._store.numbers[state.THRESHOLD] = threshold
        del self._multipliers
        self._phase = "searching"

    def _run_beam(self) -> bool:
        """Go on with the beam, which is a unit of work; returns whether it has ended."""
        ended = self._multipliers.advance(EFFORT_PER_WORK)
        self.work += 1
        return ended

    def _pass(self) -> int:
        """Go on with the present pass, or make room for it; returns what the kernel has asked for."""
        outcome = int(advance(self._data, self._rules, self._store, EFFORT_PER_WORK))
        m = len(self._problem.antecedents)
        room = {GROW_ENTRIES: (state.ENTRIES, m + 1), GROW_NODES: (state.NODES, m), GROW_LABELS: (state.LABELS, 2 * m)}
        if outcome in room:
            self._store, enough = with_room(self._store, (room[outcome],), self._free, enter_again)
            self._out_of_memory = not enough
        return outcome

    @property
    def _free(self) -> int | None:
        """Bytes that the memory limit leaves; None without one."""
        return None if self.memory_limit is None else self.memory_limit - self.memory_bytes

    @property
    def _own_bytes(self) -> int:
        if self._phase == "incumbent":
            return self._multipliers.nbytes
        return nbytes(self._store, self._data) if hasattr(self, "_store") else 0

    def _counted(self) -> tuple[dict[str, int], dict[str, int]]:
        """Counts, and what each bound has cut."""
        store = getattr(self, "_store", None)
        if store is None and hasattr(self, "_multipliers"):
            store = self._multipliers.store
        return counted(store)


_WIDTH = 100
_ITERATIONS = 30
_NEAR = 1e-4  # of a rule's cost: how far the multipliers of least cost may be from the best
_AROUND = (1.0, 1.15, 0.85)


class Multipliers:
    """One beam after another until the multipliers are good, then wide beams around them.

    ``best``: the multipliers of the largest bound, as far as the beams can tell, ``value`` their least relaxed cost,
    which is no proof, ``worth`` what that bounds: the cost, or the gap.
    """

    def __init__(
        self,
        problem: Reduced,
        constraints: Constraints,
        rules: state.Rules,
        width: int,
        best: int,
        dual: Dual | GapDual | None = None,
    ) -> None:
        self._problem, self._constraints, self._rules, self._width = problem, constraints, rules, width
        size = np.maximum(np.abs(problem.amounts[FIRST_RATE:]).sum(axis=1).astype(float), 1.0)
        ends = constraints.low.astype(float), constraints.high.astype(float)
        near = _NEAR * rules.relaxed_rule * 2.0**-rules.shift
        self._dual = dual or Dual(float(problem.amounts[:FIRST_RATE].sum()), size, *ends, near)
        for label in range(2):
            sums = problem.amounts[FIRST_RATE:].sum(axis=1) * label
            self._dual.add(float(problem.amounts[label].sum()), sums.astype(float))
        self.best = np.zeros(len(size))
        self.value, self.worth = -state.UNKNOWN, -np.inf
        self.done = not len(problem.antecedents)
        self._iteration, self._final = 0, 0
        self._now = self.best
        self.store: state.Store
        self._begin(best)

    def _begin(self, best: int) -> None:
        """A new beam at the present multipliers."""
        problem, constraints, rules = self._problem, self._constraints, self._rules
        relaxation = relaxed(problem, constraints.low, constraints.high, self._now, rules.shift)
        self._data = state.data_of(problem, relaxation, constraints, rules.relaxed_rule)
        self._base, self._ends = relaxation.base, (constraints.low.astype(float), constraints.high.astype(float))
        if not self._iteration and not self._final:
            self.store = state.new_store(self._data, 0, best)
            self.store.numbers[state.THRESHOLD] = state.UNKNOWN
        self._stop = self._base + int(min(relaxation.wrong.sum(axis=1)))
        most = scaled(int(self.store.numbers[state.BEST]), rules.shift)
        longest = longest_of(most, self._base, rules, len(problem.antecedents))
        width = max(1, self._width if self._final else min(_WIDTH, self._width))
        self._beam = beams.new_beam(self._data, width, longest, self._base)

    def tighten(self, constraints: Constraints) -> None:
        """From now on look for lists that meet these constraints, whose rows are the same."""
        self._constraints = constraints
        self._data.outside[:] = constraints.low, constraints.high

    def advance(self, effort: int) -> bool:
        """Go on with the present beam; whether it has ended. Then the next one begins."""
        rules = self._rules
        if not beams.advance(self._data, rules, self.store, self._beam, effort):
            return False
        met = self._beam.met_value < state.UNKNOWN
        value = min(self._stop, int(self._beam.met_value.min()))
        for cost, sums in zip(self._beam.met_cost[met], self._beam.met_sums[met], strict=True):
            self._dual.add(float(cost), sums.astype(float))
        if self._final:
            self._final += 1
        else:
            worth = self._dual.worth(value * 2.0**-rules.shift, self._now, *self._ends)
            if worth > self.worth:
                self.best, self.value, self.worth = self._now, value, worth
            self._iteration += 1
            self._now, most = self._dual.best() if len(self.best) else (self.best, 0.0)
            if not len(self.best) or self._iteration == _ITERATIONS or most <= self.worth + self._dual.near:
                self._final = 1
        if self._final > (len(_AROUND) if len(self.best) else 1):
            self.done = True
            return True
        if self._final:
            self._now = self.best * _AROUND[self._final - 1]
        self._begin(int(self.store.numbers[state.BEST]))
        return True

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return nbytes(self.store, self._beam)


def longest_of(most: int, base: int, rules: state.Rules, m: int) -> int:
    """Most rules of a list whose relaxed cost is at most this."""
    return max(0, min(m, (most - base) // max(1, rules.relaxed_rule)))


def arranged(
    problem: Reduced, constraints: Constraints, rules: state.Rules, multipliers: np.ndarray
) -> tuple[Reduced, state.Data, Relaxed]:
    """The problem with its supported antecedents first, for the kernels, at the multipliers."""
    first = relaxed(problem, constraints.low, constraints.high, multipliers, rules.shift)
    ordered = problem.only(np.argsort(-state.support(problem, first), kind="stable"))
    relaxation = relaxed(ordered, constraints.low, constraints.high, multipliers, rules.shift)
    return ordered, state.data_of(ordered, relaxation, constraints, rules.relaxed_rule), relaxation
