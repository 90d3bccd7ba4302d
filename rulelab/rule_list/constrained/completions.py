"""The least cost of completing a set of patterns without any demand: a bound for lists with demands."""

from __future__ import annotations

import numpy as np

from ...kernels import bits
from ...kernels.bit_words import slot_of, transposed
from ...kernels.growing import nbytes, with_room
from ...kernels.jit import kernel
from ..fair import state
from ..fair.completions import begin, prove
from ..fair.passes import enter_again
from ..fair.state import DEPTH, N_ENTRIES, new_entry

_LARGEST = 1 << 48
_EFFORT = 20_000_000


class Completions:
    """Net costs of completing sets of a problem's patterns; what is proven of a set is kept."""

    def __init__(self, columns: np.ndarray, net: np.ndarray, per_rule: int) -> None:
        largest = int(np.abs(net).sum()) + per_rule
        self._shift = max(0, largest.bit_length() - _LARGEST.bit_length() + 1)
        net = np.sign(net) * (np.abs(net) >> self._shift)
        rule = max(1, per_rule >> self._shift)
        columns = columns[np.sort(bits.group_equal_rows(columns)[1])]
        held = bits.unpack(columns, len(net)).astype(np.int64)
        right = np.maximum(held @ np.maximum(net, 0), held @ np.maximum(-net, 0))
        order = np.argsort(-right, kind="stable")
        columns = np.ascontiguousarray(columns[order])
        m, none = len(columns), np.zeros((2, 0), dtype=np.int64)
        self.data = state.Data(
            by_antecedent=columns,
            members=-bits.unpack(transposed(columns, len(net)), m).astype(np.int64),
            full=bits.pack(np.ones((1, len(net)), dtype=bool))[0],
            weight=np.abs(net),
            side=(net > 0).astype(np.int64),
            amounts=np.zeros((2, len(net)), dtype=np.int64),
            outside=none,
            inside=none,
            supported=int((right > rule).sum()),
            effort=max(1, m * len(net)),
        )
        switches = dict.fromkeys(("completions", "one_more_rule", "weak_rule", "same_set", "reach"), True)
        self.rules = state.Rules(rule, rule, 0, 0, False, 0, **switches)
        most = min(int(np.maximum(net, 0).sum()), int(np.maximum(-net, 0).sum()))
        self.store = state.new_store(self.data, min(m, most // rule) + 2, state.UNKNOWN)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return nbytes(self.store, self.data)

    @property
    def n_sets(self) -> int:
        """Sets of which something is known."""
        return int(self.store.numbers[state.N_ENTRIES])

    def least(self, chosen: np.ndarray, stop: int, room: int, free: int | None) -> tuple[int, bool] | None:
        """A bound on completing a set in any way, and whether it is as good as can be had; None: call it again.

        ``chosen``: the set, packed. ``stop``: what it costs to stop. A bound above ``room`` is good enough. Raises
        MemoryError when the ``free`` bytes are too few.
        """
        budget, rule = min(stop - 1, room) >> self._shift, self.rules.relaxed_rule
        if budget < rule:
            return min(stop, rule << self._shift), stop <= rule << self._shift
        found = int(complete(self.data, self.rules, self.store, chosen, budget, _EFFORT))
        if found == GROW:
            self.store, enough = with_room(self.store, ((state.ENTRIES, 1),), free, enter_again)
            if not enough:
                raise MemoryError
            return None
        if found == MORE:
            return None
        bound = int(self.store.bound[found])
        return min(stop, bound << self._shift), bool(self.store.final[found]) or bound << self._shift >= stop

    def proven(self) -> dict[bytes, int]:
        """What is proven of completing each set by one rule or more; packed sets of the problem's patterns."""
        n, width = self.n_sets, len(self.data.weight)
        sets = np.packbits(bits.unpack(self.store.sets[:n], width), axis=1)
        return dict(zip(map(bytes, sets), (self.store.bound[:n] << self._shift).tolist(), strict=True))


MORE, GROW = -1, -2
"""Work is left; there is no room for another set."""


@kernel
def complete(data, rules, store, chosen, budget, most):
    """Prove what completing a set by one rule or more costs, up to the budget, in ``most`` weights; its entry then."""
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
