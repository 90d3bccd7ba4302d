"""Rounds of an exact search by several workers.

In a round each worker expands the prefixes that it was dealt. Nothing of what the others read changes meanwhile: the
memo of captured sets is only looked at, and children go to outboxes. Then all meet, and one thread stores the children,
of which few are met by several workers at once, shares cores and the best list, and deals the next prefixes of the
queue. A round ends by the work done, never by the clock, and a worker's part of it does not depend on the others', so
that the same search by so many workers does the same however it is sliced and however fast the threads are.

The lower bound is the least over the queue and what the workers have not finished. This is best first search on
parallel workers that synchronise, as in Kishimoto, Fukunaga and Botea, "Evaluation of a simple, scalable, parallel
best-first search strategy", Artificial Intelligence 195 (2013), but on a memo that threads share.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from ....arguments import is_whole, require
from ....kernels.growing import OPEN
from ....kernels.jit import kernel
from ....slices import effort_of
from ... import pair_multipliers
from ...core_pool import GIVEN_UP, Cores, new_cores
from ...core_pool import keep as keep_core
from ...counting import EFFORT_PER_WORK, Layout
from ...pair_bound import wants_separation
from .. import kernels, state
from ..queue import purge, raise_lower_bound, take_next
from ..sequential import Learning
from . import merge
from .worker import Outboxes, Worker

MOST_JOBS = 256
"""Threads of one search: what each holds costs memory, and meetings take longer with each."""

T = TypeVar("T")
LEAST_ROUND, LONGEST_ROUND = 400_000, 60_000_000  # words and weights of each worker: up to tenths of a second
_ROUNDS_PER_SEARCH = 32  # while a search is short: rounds get longer with it


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads as `workers_of` takes it. Raises ValueError."""
    known = n_jobs is None or (is_whole(n_jobs, -1) and n_jobs != 0 and n_jobs <= MOST_JOBS)
    require(("n_jobs", n_jobs, known, f"a number of threads from 1 to {MOST_JOBS}, -1 for all cores, or None"))


def workers_of(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` asks for: None is one, -1 as many as this process has cores."""
    if n_jobs is None:
        return 1
    return min(MOST_JOBS, cores()) if n_jobs == -1 else int(n_jobs)


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What the calls return, each made in a thread of its own, the first in this one."""
    first, *others = calls
    if not others:
        return [first()]
    pool = _pool(os.getpid())
    begun = [pool.submit(call) for call in others]
    try:
        return [first(), *(each.result() for each in begun)]
    finally:
        for each in begun:  # an exception does not leave threads at work on arrays that are changed next
            each.exception()


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of a process, which wait for all searches in it; a forked one has its own."""
    return ThreadPoolExecutor(max_workers=4 * MOST_JOBS, thread_name_prefix="rulelab")


@kernel
def drop_what_costs_too_much(rules, store):
    """Drop from the queue what a new incumbent rules out."""
    purge(rules, store)


@kernel
def take(store, nodes):
    """Take the next prefixes off the queue, as many as there is room for in ``nodes``; returns how many."""
    for i in range(nodes.size):
        node = take_next(store)
        if node < 0:
            return i
        nodes[i] = node
    return nodes.size


@kernel
def raise_bound(rules, store, elsewhere):
    """Raise the lower bound to the least key in the queue or ``elsewhere``."""
    raise_lower_bound(rules, store, elsewhere)


@kernel
def adopt(rules, cores, others, first, last):
    """Take over the cores that another pool learnt from the ``first`` to before the ``last``."""
    for i in range(first, last):
        c = others.latest[i % others.latest.size]
        keep_core(rules, cores, others.masks[c], others.value[c])


class Rounds:
    """An exact search by ``n`` workers, from the empty prefix in the queue on; ``must_pay`` is of `Learning`."""

    def __init__(
        self, n: int, arrays: Layout, rules: state.Rules, store: state.Store, learning: Learning, must_pay: bool
    ) -> None:
        self.store = store
        self._arrays, self._rules, self._learning = arrays, rules, learning
        pools = [learning.cores, *(new_cores(arrays, must_pay) for _ in range(n - 1))]
        self._outboxes = Outboxes(store, n)
        self._workers = [Worker(store, rules, pool, self._outboxes, i, n) for i, pool in enumerate(pools)]
        self._work_before = int(store.numbers[state.WORK])
        self._spent = 0
        self._effort = LEAST_ROUND
        for worker in self._workers:
            worker.use(learning.separation)

    @property
    def nbytes(self) -> int:
        """Bytes that the workers take beside the store."""
        return self._outboxes.nbytes + sum(worker.nbytes for worker in self._workers)

    @property
    def work(self) -> int:
        """Prefixes expanded, and what was done before."""
        return self._work_before + sum(int(worker.numbers[state.WORK]) for worker in self._workers)

    def advance(self, most: int, free: Callable[[], int | None]) -> int:
        """Do at most so many units of work: DONE, PAUSED, or GROW where the ``free()`` bytes do not suffice."""
        self._find_kernels()
        target, effort = self.work + most, effort_of(most, EFFORT_PER_WORK)
        while effort > 0 and (left := target - self.work) > 0:
            busy = [worker for worker in self._workers if worker.is_busy]
            if busy:
                effort -= self._work(busy, left)
                continue
            effort -= 1
            outcome = self._meet(free)
            if outcome is not None:
                return outcome
        return kernels.PAUSED

    def rehearse(self) -> None:
        """Call, or find, the kernels that only long searches come to call."""
        self._learning.find_learner(self.store)
        pool = self._learning.cores
        merge.rehearse(self._arrays, self._rules, self.store, self._outboxes)
        pair_multipliers.rehearse(self._arrays, self._learning.separation)
        drop_what_costs_too_much(self._rules, self.store)
        adopt(self._rules, pool, pool, 0, 0)

    def _find_kernels(self) -> None:
        """Find what is called by its address, as it was before a pickle was made."""
        after = self._workers[0].rules.learn_after
        for worker in self._workers:
            if worker.numbers[state.OPEN_NODE] >= 0 and worker.numbers[state.OPENED] >= after:
                self._learning.find_learner(self.store)
        self._learning.find_separator()

    def _work(self, busy: list[Worker], left: int) -> int:
        """Let workers go on side by side, each with its part of the work that is left; the most that one looked at."""
        some = busy[:left]
        each, more = divmod(left, len(some))
        before = [int(worker.numbers[state.ROUND_LEFT]) for worker in some]
        learner, separator = self._learning.learner.address, self._learning.separator.address
        calls = []
        for i, worker in enumerate(some):
            work = each + (i < more)
            effort = effort_of(work, EFFORT_PER_WORK)
            calls.append(partial(worker.advance, self._arrays, self.store, learner, separator, work, effort))
        if kernels.LEARN in side_by_side(calls):
            self._learning.find_learner(self.store)
        return max(had - int(worker.numbers[state.ROUND_LEFT]) for had, worker in zip(before, some, strict=True))

    def _meet(self, free: Callable[[], int | None]) -> int | None:
        """End a round and begin the next: None, or why that is not done now."""
        self._improve()
        store, numbers = self.store, self.store.numbers
        filled = np.array([worker.numbers[state.N_OUT] for worker in self._workers])
        arriving = int(filled.sum())
        if not numbers[state.TABLE_IS_STALE] and arriving:
            self.store, enough = state.enlarged(store, arriving, free())
            if not enough:
                return kernels.GROW
            store, numbers = self.store, self.store.numbers
        if numbers[state.TABLE_IS_STALE]:
            merge.rebuild(self._rules, store, len(self._workers), side_by_side)
            return kernels.PAUSED if numbers[state.TABLE_IS_STALE] else None
        if arriving:
            merge.receive(self._arrays, self._rules, store, self._outboxes, filled, side_by_side)
            for worker in self._workers:
                worker.numbers[state.N_OUT] = 0
        self._drop_reopened()
        self._share_cores()
        self._count()
        self._separate(free)
        return None if self._deal() else kernels.DONE

    def _improve(self) -> None:
        """Make the best list of all workers everybody's incumbent."""
        numbers = self.store.numbers
        found = min(self._workers, key=lambda worker: int(worker.numbers[state.BEST]))
        if found.numbers[state.BEST] < numbers[state.BEST]:
            numbers[state.BEST] = found.numbers[state.BEST]
            numbers[state.PATH_LENGTH] = length = int(found.numbers[state.PATH_LENGTH])
            numbers[state.FOUND_AT] = self.work
            numbers[state.IMPROVED] += 1
            self.store.path[:length] = found.path[:length]
            drop_what_costs_too_much(self._rules, self.store)

    def _drop_reopened(self) -> None:
        """What a worker is at is in the queue again where a cheaper prefix of its set was found."""
        for worker in self._workers:
            node = worker.numbers[state.OPEN_NODE]
            if node >= 0 and self.store.fate[node] == OPEN:
                worker.numbers[state.OPEN_NODE] = -1

    def _share_cores(self) -> None:
        for worker in self._workers:
            told, worker.told = worker.told, worker.learnt
            first = max(told, worker.told - len(worker.cores.latest))
            for other in self._workers if first < worker.told else ():
                if other is not worker and not other.cores.numbers[GIVEN_UP]:
                    adopt(self._rules, other.cores, worker.cores, first, worker.told)

    def _count(self) -> None:
        numbers = self.store.numbers
        for which in (state.CREATED, state.EXPANDED, state.OPENED):
            numbers[which] = sum(int(worker.numbers[which]) for worker in self._workers)
        numbers[state.LAST_NODE] = self._workers[0].numbers[state.LAST_NODE]
        numbers[state.WORK] = self.work

    def _separate(self, free: Callable[[], int | None]) -> None:
        """Go on to find multipliers where the search has become long."""
        learning, numbers = self._learning, self.store.numbers
        known, reached = learning.separation, (int(numbers[state.N_NODES]), int(numbers[state.OPENED]))
        if wants_separation(self._rules, known, learning.separator.address, *reached):
            learning.separate(self.store, free(), len(self._workers), side_by_side)
            if learning.separation is not known:
                for worker in self._workers:
                    worker.use(learning.separation)

    def _deal(self) -> bool:
        """Raise the lower bound and begin a round; False where nothing is left to do."""
        store, workers = self.store, self._workers
        raise_bound(self._rules, store, min(worker.least_key(store) for worker in workers))
        for worker in workers:
            worker.settle()
            self._spent += self._effort - int(worker.numbers[state.ROUND_LEFT])
        longer = self._spent // (_ROUNDS_PER_SEARCH * len(workers))
        self._effort = max(LEAST_ROUND, min(LONGEST_ROUND, longer))
        waiting = self.waiting
        dealt = sum(int(worker.numbers[state.N_DEALT] - worker.numbers[state.NEXT_DEALT]) for worker in workers)
        store.pruned[state.BY_SAME_SET] += dealt - len(waiting)  # a cheaper one of the set came before they were begun
        more = np.empty(max(0, sum(worker.wanted for worker in workers) - len(waiting)), dtype=np.int64)
        nodes = np.concatenate([waiting, more[: take(store, more)]])
        costs = store.cost[nodes]
        for i, worker in enumerate(workers):
            worker.numbers[state.BEST] = store.numbers[state.BEST]
            worker.deal(nodes[i :: len(workers)], costs[i :: len(workers)], self._effort)
        if len(nodes) or any(worker.numbers[state.OPEN_NODE] >= 0 for worker in workers):
            return True
        store.numbers[state.LOWER_BOUND] = store.numbers[state.BEST]
        return False

    def tally(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The numbers, what was pruned by each bound, and the queue by length, of all workers together."""
        store, numbers = self.store, self.store.numbers.copy()
        pruned = store.pruned + sum(worker.pruned for worker in self._workers)
        for which in (state.CREATED, state.EXPANDED, state.OPENED):
            numbers[which] = sum(int(worker.numbers[which]) for worker in self._workers)
        waiting = self.waiting
        numbers[state.N_QUEUED] += len(waiting)
        lengths = np.bincount(store.length[waiting], minlength=len(store.queue_by_length))
        return numbers, pruned, store.queue_by_length + lengths

    @property
    def waiting(self) -> np.ndarray:
        """The prefixes that were dealt and are not begun."""
        return np.concatenate([worker.waiting(self.store) for worker in self._workers])

    @property
    def pools(self) -> list[Cores]:
        """The cores of each worker."""
        return [worker.cores for worker in self._workers]

    def stored(self) -> state.Store:
        """The store, as it stands when what was dealt and is not begun counts as open."""
        fate = self.store.fate.copy()
        fate[self.waiting] = OPEN
        return self.store._replace(fate=fate)
