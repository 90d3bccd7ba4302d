"""The kernel that Python calls: the least completion of a set, by the branch and bound of fair lists, with its memo."""

from __future__ import annotations

from ...kernels.jit import kernel
from ...kernels.set_table import slot_of
from ..fair.completions import begin, prove
from ..fair.counting import new_entry
from ..fair.state import DEPTH, N_ENTRIES

MORE, GROW = -1, -2
"""Work is left; there is no room for another set."""


@kernel
def complete(data, rules, store, chosen, budget, most):
    """Go on for about ``most`` weights; the entry of the set when what is asked for is proven.

    Asked for is the least cost of completing the set by one rule or more, as far as it is within the budget.
    """
    numbers = store.numbers
    if numbers[DEPTH] < 0:
        slot = slot_of(store.table, store.sets, chosen)
        entry = store.table[slot]
        if entry < 0:
            if numbers[N_ENTRIES] == store.bound.size:
                return GROW
            entry = new_entry(store, chosen, slot, rules.relaxed_rule)
        if store.final[entry] or store.bound[entry] > budget:
            return entry
        begin(data, rules, store, entry, budget)
    done = prove(data, rules, store, most)
    if done < 0:
        return GROW
    return MORE if numbers[DEPTH] >= 0 else store.frames[0, 0]
