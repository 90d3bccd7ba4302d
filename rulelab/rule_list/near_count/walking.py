"""A finished count, and lists made from its tables of completions: that of a number, or of the largest value."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..costs import Costs
from .state import Passing, Tables, whole
from .tables import States, begun, passing

_Key = tuple[int, int, int]
"""A state, and the rules and errors of what is to come."""


class Walk:
    """Ways through the states.

    Lists of equal rules and errors are numbered: those that end here first, then by the antecedent of the next rule.

    ``tables``: completions of the states. ``values`` (int64 array, shape (n_edges,)): what each rule adds to the values
    of the tables.
    """

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
    """The states and their completions, and what their numbers stand for.

    Attributes
    ----------
    states : States
    ended : Tables
        The completions of each state.
    costs : Costs
    representatives, groups, slots : int array
        See `rulelab.rule_list.near_optimal.base.NearSearch`.
    """

    states: States
    ended: Tables
    costs: Costs
    representatives: np.ndarray
    groups: np.ndarray
    slots: np.ndarray

    @cached_property
    def passing(self) -> Passing:
        """The lists through each rule of each state."""
        return passing(self.states, begun(self.states, self.ended), self.ended)

    @cached_property
    def walk(self) -> Walk:
        return Walk(self.states, self.ended)
