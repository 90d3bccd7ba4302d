"""Tables of completions and of beginnings, made step by step from the states, and lists that are made from them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...kernels import bits
from ...kernels.growing import affordable, resized, table_size
from ..costs import Costs
from ..near_optimal.state import Limits, Sets
from . import kernels
from .state import (
    ENTRIES,
    EXPANDED,
    N_EDGES,
    N_ENTRIES,
    N_STATES,
    NEEDED,
    Links,
    Passing,
    Store,
    Tables,
    new_tables,
    whole,
)

_ENTRIES_AT_ONCE = 4_000_000
_EDGES_AT_ONCE = 4096
_NO_NUMBERS = np.zeros(0, dtype=np.int64)


class States(NamedTuple):
    """All states of a problem and what lists may cost."""

    store: Store
    sets: Sets
    net: np.ndarray
    """int64, shape (64 * words of a set,): net weight of the pattern at each bit, positive for the positive class."""
    limits: Limits
    constant: int  # weight that every list gets wrong, which is in ``least`` of the store, but in no table
    limbs: int  # words of a count

    @property
    def n(self) -> int:
        """Number of states."""
        return int(self.store.numbers[N_STATES])

    @property
    def n_edges(self) -> int:
        """Number of rules between them."""
        return int(self.store.numbers[N_EDGES])

    @property
    def order(self) -> np.ndarray:
        """The states, the largest first."""
        return self.store.order[: self.store.numbers[EXPANDED]]

    @property
    def budget(self) -> int:
        """What a list may cost, without what every list costs."""
        return self.limits.threshold - self.limits.per_error * self.constant

    def rules(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Some at a time: edges, which bits the rule of each captures (bool), and whether it predicts positive."""
        store, captures = self.store, self.sets.captures
        for part in _parts(self.n_edges):
            captured = store.sets[store.edge_from[part]] & captures[store.edge_rule[part]]
            yield part, *self._labelled(captured)

    def ends(self) -> Iterator[tuple[np.ndarray, bool, np.ndarray, np.ndarray]]:
        """What defaults capture of states, then of edges where lists must end: which, whether edges, bits, labels."""
        store, captures = self.store, self.sets.captures
        for part in _parts(self.n):
            yield np.arange(self.n)[part], False, *self._labelled(store.sets[part])
        edges = np.flatnonzero(store.edge_to[: self.n_edges] < 0)
        for part in _parts(len(edges)):
            chosen = edges[part]
            left = store.sets[store.edge_from[chosen]] & ~captures[store.edge_rule[chosen]]
            yield chosen, True, *self._labelled(left)

    def values(self, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of bits' weights over what is predicted positive, by edge (and default where lists end), by state."""
        by_rule, by_end = np.zeros(self.n_edges, dtype=np.int64), np.zeros(self.n, dtype=np.int64)
        for part, captured, label in self.rules():
            by_rule[part] = captured @ positive * label
        for chosen, at_edge, captured, label in self.ends():
            (by_rule if at_edge else by_end)[chosen] += captured @ positive * label
        return by_rule, by_end

    def _labelled(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        captured = bits.unpack(words, len(self.net))
        return captured, captured @ self.net > 0


def completing(states: States, value: np.ndarray = _NO_NUMBERS, own_value: np.ndarray = _NO_NUMBERS) -> Links:
    """Links for the completions of all states; with the values of rules, and of ending in a state, if wanted."""
    store, limits, n = states.store, states.limits, states.n
    stop = store.stop[:n]
    return Links(
        first=store.first_edge,
        last=store.last_edge,
        edge=np.arange(states.n_edges, dtype=np.int32),
        other=store.edge_to,
        errors=store.edge_errors,
        own_errors=stop,
        budget=limits.threshold - store.least[:n],
        rules_left=limits.max_length - store.shortest[:n].astype(np.int64),
        value=value,
        own_value=own_value,
        one=_one(states.limbs),
    )


def beginning(states: States, ended: Tables) -> Links:
    """Links for the beginnings of all states that have completions."""
    store, limits, n = states.store, states.limits, states.n
    least = _least(states, ended)
    onward = np.flatnonzero(store.edge_to[: states.n_edges] >= 0)
    to = store.edge_to[onward]
    edge = onward[np.argsort(to, kind="stable")].astype(np.int32)
    last = np.cumsum(np.bincount(to, minlength=n))
    own = np.full(n, -1, dtype=np.int64)
    own[0] = 0
    return Links(
        first=np.concatenate([[0], last[:-1]]),
        last=last,
        edge=edge,
        other=store.edge_from,
        errors=store.edge_errors,
        own_errors=own,
        budget=states.budget - least,
        rules_left=np.full(n, limits.max_length, dtype=np.int64),
        value=_NO_NUMBERS,
        own_value=_NO_NUMBERS,
        one=_one(states.limbs),
    )


class Making:
    """Tables under way. ``sequence`` (int32 array): the states, every one after its neighbours."""

    def __init__(self, states: States, links: Links, sequence: np.ndarray) -> None:
        self.states, self.links, self.sequence = states, links, np.ascontiguousarray(sequence)
        with_values = len(links.own_value) > 0
        self.tables = new_tables(states.n, 0 if with_values else states.limbs, with_values)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the tables and of what they are made from."""
        own = (self.links.edge, self.links.budget, self.links.rules_left)
        return sum(array.nbytes for array in (*self.tables, *own))

    def advance(self, max_states: int, room: Callable[[], int | None] = lambda: None) -> int:
        """Go on; returns DONE, PAUSED, or GROW where the memory does not suffice, of which ``room`` is what is left."""
        while True:
            outcome = int(
                kernels.merge(self.states.limits, self.sequence, self.links, self.tables, max_states, _ENTRIES_AT_ONCE)
            )
            if outcome != kernels.GROW or not self._grow(room()):
                return outcome

    def whole(self) -> Tables:
        """All tables, made without limits."""
        while self.advance(1 << 20) != kernels.DONE:
            pass
        return self.tables

    def _grow(self, free: int | None) -> bool:
        tables = self.tables
        needed = int(tables.numbers[NEEDED])
        entries = int(tables.numbers[N_ENTRIES]) + needed
        if entries > len(tables.rules):
            size = sum(getattr(tables, name).nbytes for name in ENTRIES) / len(tables.rules)
            wanted = affordable(len(tables.rules), entries, free, lambda n: math.ceil(size * (n - len(tables.rules))))
            if wanted < entries:
                return False
            names = ENTRIES if len(tables.values) else ENTRIES[:-1]
            tables = resized(tables, names, wanted)
        if 2 * needed > len(tables.slots):
            tables = tables._replace(slots=np.full(table_size(4 * needed), -1, dtype=np.int64))
        self.tables = tables
        return True


def compacted(states: States, ended: Tables) -> tuple[States, Tables]:
    """Only the states that near-optimal lists pass through, and the rules that they take there."""
    store, limits, n = states.store, states.limits, states.n
    alive = ended.last > ended.first
    number = np.cumsum(alive) - 1
    of, to = store.edge_from[: states.n_edges], store.edge_to[: states.n_edges]
    cost = store.least[of] + limits.per_rule + limits.per_error * store.edge_errors[: states.n_edges]
    cost += np.where(to >= 0, _least(states, ended)[to], 0)
    kept = alive[of] & (cost <= limits.threshold)
    of, to = number[of[kept]], to[kept]
    size = np.bincount(of, minlength=int(alive.sum()))
    begins = np.flatnonzero(np.diff(of, prepend=-1))
    first = np.zeros(len(size), dtype=np.int64)
    first[of[begins]] = begins
    order = states.order[alive[states.order]]
    numbers = store.numbers.copy()
    numbers[N_STATES] = numbers[EXPANDED] = len(size)
    numbers[N_EDGES] = len(of)
    nothing = np.zeros(0, dtype=np.int32)
    small = store._replace(
        **{name: getattr(store, name)[:n][alive] for name in ("sets", "least", "shortest", "stop")},
        following=nothing,
        heads=nothing,
        state_table=nothing,
        order=number[order].astype(np.int32),
        first_edge=first,
        last_edge=first + size,
        edge_from=of.astype(np.int32),
        edge_to=np.where(to >= 0, number[to], -1).astype(np.int32),
        edge_rule=store.edge_rule[: states.n_edges][kept],
        edge_errors=store.edge_errors[: states.n_edges][kept],
        numbers=numbers,
    )
    used = int(ended.numbers[N_ENTRIES])
    return states._replace(store=small), ended._replace(
        first=ended.first[alive],
        last=ended.last[alive],
        slots=nothing,
        **{name: getattr(ended, name)[:used].copy() for name in ENTRIES},
    )


def completed(states: States, value: np.ndarray = _NO_NUMBERS, own_value: np.ndarray = _NO_NUMBERS) -> Tables:
    """The completions of all states, with values."""
    return Making(states, completing(states, value, own_value), states.order[::-1]).whole()


def _least(states: States, ended: Tables) -> np.ndarray:
    """What the cheapest completion of each state costs, more than any list may where there is none."""
    limits, used = states.limits, ended.numbers[N_ENTRIES]
    cost = limits.per_rule * ended.rules[:used].astype(np.int64) + limits.per_error * ended.errors[:used]
    out = np.full(states.n, limits.threshold + 1, dtype=np.int64)
    made = states.order[::-1]  # in which the entries lie
    np.minimum.at(out, np.repeat(made, (ended.last - ended.first)[made]), cost)
    return out


def _parts(n: int, size: int = _EDGES_AT_ONCE) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _one(limbs: int) -> np.ndarray:
    out = np.zeros(limbs, dtype=np.uint32)
    out[0] = 1
    return out


_Key = tuple[int, int, int]
"""A state, and the rules and errors of what is to come."""


class Walk:
    """Ways through the states, by the tables of completions; ``values`` is what each edge adds to their values."""

    def __init__(self, states: States, tables: Tables, values: np.ndarray | None = None) -> None:
        self.states, self.tables, self._values = states, tables, values
        self._entries: dict[int, dict[tuple[int, int], int]] = {}
        self._ways: dict[_Key, tuple[list[int], list[tuple[int, int, int]]]] = {}

    def count(self, state: int, rules: int, errors: int) -> int:
        """Completions of a state with so many rules and errors."""
        j = self._entry(state, rules, errors)
        return 0 if j is None else whole(self.tables.counts[j])

    def number(self, rules: int, errors: int, number: int) -> tuple[int, ...]:
        """The rules, as places among the representatives, of the list of this number, from 0."""
        out: list[int] = []
        state = 0
        while rules:
            sums, ways = self._onward((state, rules, errors))
            k = bisect_right(sums, number) - 1
            number -= sums[k]
            rule, state, errors = ways[k]
            out.append(rule)
            rules -= 1
            if state < 0:
                break
        return tuple(out)

    def largest(self) -> tuple[int, tuple[int, ...]]:
        """The largest value of any list, and a list of that value."""
        assert self._values is not None
        tables, store = self.tables, self.states.store
        start = int(tables.first[0])
        j = start + int(np.argmax(tables.values[start : tables.last[0]]))
        best = value = int(tables.values[j])
        rules, errors = int(tables.rules[j]), int(tables.errors[j])
        out: list[int] = []
        state = 0
        while rules:
            for edge in range(store.first_edge[state], store.last_edge[state]):
                other, left = int(store.edge_to[edge]), errors - int(store.edge_errors[edge])
                more = value - int(self._values[edge])
                if other < 0:
                    fits = rules == 1 and left == 0 and more == 0
                else:
                    entry = self._entry(other, rules - 1, left)
                    fits = entry is not None and int(tables.values[entry]) == more
                if fits:
                    out.append(int(store.edge_rule[edge]))
                    state, rules, errors, value = other, rules - 1, left, more
                    break
            else:
                raise AssertionError("a value of the table comes from no rule")
            if state < 0:
                break
        return best, tuple(out)

    def _entry(self, state: int, rules: int, errors: int) -> int | None:
        if state not in self._entries:
            part = slice(int(self.tables.first[state]), int(self.tables.last[state]))
            keys = zip(self.tables.rules[part].tolist(), self.tables.errors[part].tolist(), strict=True)
            self._entries[state] = {key: part.start + i for i, key in enumerate(keys)}
        return self._entries[state].get((rules, errors))

    def _onward(self, key: _Key) -> tuple[list[int], list[tuple[int, int, int]]]:
        """The next rules, each with the state and the errors that follow, and the number of the first list of each."""
        if key not in self._ways:
            state, rules, errors = key
            store, sums, ways, total = self.states.store, [], [], 0
            for edge in range(store.first_edge[state], store.last_edge[state]):
                other, left = int(store.edge_to[edge]), errors - int(store.edge_errors[edge])
                n = int(rules == 1 and left == 0) if other < 0 else self.count(other, rules - 1, left)
                if n:
                    sums.append(total)
                    ways.append((int(store.edge_rule[edge]), other, left))
                    total += n
            self._ways[key] = sums, ways
        return self._ways[key]


@dataclass(frozen=True, eq=False)
class Counted:
    """The states, the completions of each (``ended``), and what their numbers stand for; see `NearSearch`."""

    states: States
    ended: Tables
    costs: Costs
    representatives: np.ndarray
    groups: np.ndarray
    slots: np.ndarray

    @cached_property
    def passing(self) -> Passing:
        """The lists through each rule of each state."""
        states, ended = self.states, self.ended
        begun = Making(states, beginning(states, ended), states.order).whole()
        out = Passing(
            np.zeros((states.n_edges, states.limbs), dtype=np.uint32),
            np.zeros((states.n, states.limbs), dtype=np.uint32),
            np.full(states.n_edges, np.iinfo(np.int64).max),
            np.zeros(states.limbs, dtype=np.uint32),
        )
        for part in _parts(states.n, 256):
            kernels.pass_through(states.limits, states.budget, states.store, begun, ended, out, part.start, part.stop)
        return out

    @cached_property
    def walk(self) -> Walk:
        return Walk(self.states, self.ended)

    @cached_property
    def weights(self) -> np.ndarray:
        """Training weight, on the grid, of the pattern at each bit."""
        return np.where(self.slots >= 0, (self.costs.positives + self.costs.negatives)[self.slots], 0)

    @cached_property
    def decided(self) -> np.ndarray:
        """Training weight that each rule of each state decides."""
        return np.concatenate([_NO_NUMBERS, *(captured @ self.weights for _, captured, _ in self.states.rules())])
