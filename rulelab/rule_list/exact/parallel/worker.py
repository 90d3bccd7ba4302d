"""One of several workers: what it alone changes, beside the stored prefixes, which are everybody's."""

from __future__ import annotations

import numpy as np

from ...core_pool import LEARNT, Cores
from ...counting import Layout
from ...pair_bound import Separation
from .. import kernels, state

_OUTBOX_BYTES, _ENTRIES_PER_ANTECEDENT = 1 << 20, 64
_MOST_DEALT = 1024
_NEVER = np.iinfo(np.int64).max
_OWN = (
    *("numbers", "pruned", "path", "scratch_counts", "scratch_set", "scratch_sums"),
    *("flow_counts", "flow", "path_scratch", "dealt"),
)


class Outboxes:
    """The outboxes of all n workers, one after another in the same arrays, each with ``room`` for so many entries."""

    def __init__(self, store: state.Store, n: int) -> None:
        m, words = store.scratch_counts.shape[1], store.sets.shape[1]
        each = 8 * (state.OUTBOX_COLUMNS + words)
        self.room = max(2 * m, min(_OUTBOX_BYTES // each, _ENTRIES_PER_ANTECEDENT * m), 1)
        self.entries = np.zeros((n * self.room, state.OUTBOX_COLUMNS), dtype=np.int64)
        self.sets = np.zeros((n * self.room, words), dtype=np.uint64)

    @property
    def nbytes(self) -> int:
        return self.entries.nbytes + self.sets.nbytes

    def of(self, i: int) -> dict[str, np.ndarray]:
        """Those of a worker, by their names in a store."""
        own = slice(i * self.room, (i + 1) * self.room)
        return {"outbox": self.entries[own], "outbox_sets": self.sets[own]}


class Worker:
    """What one worker, the ``i``-th of ``n``, holds; the arrays of prefixes and the table are those of all."""

    def __init__(
        self, store: state.Store, rules: state.Rules, cores: Cores, outboxes: Outboxes, i: int, n: int
    ) -> None:
        self._outboxes, self._i = outboxes, i
        self._own = {name: np.zeros_like(getattr(store, name)) for name in _OWN}
        self._own["dealt"] = np.zeros((_MOST_DEALT, 2), dtype=np.int64)
        self.numbers, self.pruned = self._own["numbers"], self._own["pruned"]
        self.path = self._own["path"]
        self.numbers[state.N_NODES] = 1  # the search has begun
        self.numbers[state.OPEN_NODE] = -1
        self.numbers[state.BEST] = store.numbers[state.BEST]
        # it learns after its part of what is expanded
        self.rules = rules._replace(separate_after=_NEVER, learn_after=-(-rules.learn_after // n))
        self.cores = cores
        self.separation: Separation | None = None
        self.wanted = 2
        self.told = 0
        self._work_before = 0

    @property
    def nbytes(self) -> int:
        """Bytes of what it alone changes, but for cores and its outbox."""
        scratch = 0
        if self.separation is not None:
            scratch = sum(getattr(self.separation, name).nbytes for name in _SCRATCH)
        return scratch + sum(array.nbytes for array in self._own.values())

    @property
    def is_busy(self) -> bool:
        """Whether it has something to do yet in this round."""
        numbers, room = self.numbers, self._outboxes.room
        if numbers[state.ROUND_LEFT] <= 0:
            return False
        if numbers[state.OPEN_NODE] >= 0:
            return True
        fits = numbers[state.N_OUT] + self._own["scratch_counts"].shape[1] <= room
        return bool(fits and numbers[state.NEXT_DEALT] < numbers[state.N_DEALT])

    def view(self, store: state.Store) -> state.Store:
        """The store as this worker sees it."""
        return store._replace(**self._own, **self._outboxes.of(self._i))

    def use(self, separation: Separation) -> None:
        """Use these multipliers, with scratch space and counts of its own."""
        own = {name: getattr(separation, name).copy() for name in _SCRATCH}
        self.separation = separation._replace(**own)

    def advance(self, arrays: Layout, store: state.Store, learner: int, separator: int, work: int, effort: int) -> int:
        """Go on with the round; returns what `rulelab.rule_list.exact.kernels.advance` does."""
        given = self.rules, self.view(store), self.cores, learner, self.separation, separator
        return int(kernels.advance(arrays, *given, work, effort))

    def deal(self, nodes: np.ndarray, costs: np.ndarray, effort: int) -> None:
        """Begin a round with these prefixes."""
        n = len(nodes)
        self._own["dealt"][:n, 0], self._own["dealt"][:n, 1] = nodes, costs
        self.numbers[[state.N_DEALT, state.NEXT_DEALT, state.ROUND_LEFT]] = n, 0, effort

    def waiting(self, store: state.Store) -> np.ndarray:
        """The prefixes that it was dealt, has not begun, and that are not in the queue again."""
        numbers = self.numbers
        left = self._own["dealt"][numbers[state.NEXT_DEALT] : numbers[state.N_DEALT]]
        return left[store.cost[left[:, 0]] == left[:, 1], 0]

    def least_key(self, store: state.Store) -> int:
        """The least lower bound of what it has not finished."""
        least = int(store.key[self.waiting(store)].min(initial=_NEVER))
        node = self.numbers[state.OPEN_NODE]
        return least if node < 0 else min(least, int(store.key[node]))

    def settle(self) -> None:
        """Want as many prefixes as it got through in this round, and some more."""
        numbers = self.numbers
        done = int(numbers[state.WORK]) - self._work_before
        self._work_before = int(numbers[state.WORK])
        idle = numbers[state.ROUND_LEFT] > 0 and numbers[state.NEXT_DEALT] == numbers[state.N_DEALT]
        self.wanted = min(_MOST_DEALT, 2 * max(self.wanted, done) if idle else done + done // 4 + 2)

    @property
    def learnt(self) -> int:
        """Cores that it has learnt so far."""
        return int(self.cores.numbers[LEARNT])


_SCRATCH = ("own", "own_multiplier", "error_left", "rule_left", "numbers")
