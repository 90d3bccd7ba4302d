"""What an exact search learns while it runs: cores of sets, and multipliers on pairs of patterns."""

from __future__ import annotations

from ..core_pool import Cores
from ..cores import Learner, new_cores
from ..counting import Layout
from ..separating import Multipliers
from ..separating_by_parts import Together
from ..separation import Separation, least_cost
from . import state


class Learning(Multipliers):
    """Cores and multipliers, and the addresses of the kernels that learn them, compiled once they are wanted.

    Parameters
    ----------
    arrays : Layout
    rules : Rules
        Says whether cores are learnt.
    must_pay : bool
        Whether cores are given up where they cost more than they save.

    Attributes
    ----------
    cores : Cores
    separation : Separation
    learner, separator : At
    """

    def __init__(self, arrays: Layout, rules: state.Rules, must_pay: bool) -> None:
        super().__init__(arrays, rules)
        self.cores = new_cores(arrays, must_pay)
        self.learner = Learner()

    @property
    def handed(self) -> tuple[Cores, int, Separation, int]:
        """What kernels are handed beside the prefixes."""
        return self.cores, self.learner.address, self.separation, self.separator.address

    def go_on(self, store: state.Store) -> None:
        """Find the learner where a prefix was left half-way elsewhere: it is gone on with as it would be there."""
        numbers = store.numbers
        if numbers[state.OPEN_NODE] >= 0 and numbers[state.EXPANDED] >= self._rules.learn_after:
            self.find_learner(store)

    def find_learner(self, store: state.Store) -> None:
        """Compile what learns cores, where they are learnt."""
        if self.learner.address == 0 and self._rules.cores:
            self.learner.find(self._arrays, self._rules, self.cores, store.scratch_set[0], 1)

    def separate(self, store: state.Store, free: int | None, n: int = 1, together: Together | None = None) -> None:
        """Go on to find pairs of patterns and multipliers, which bound what all lists cost; by ``n`` threads."""
        numbers = store.numbers
        if self.find(int(numbers[state.EXPANDED]), free, n, together):
            least = min(int(store.cost[0]) + least_cost(self.separation), int(numbers[state.BEST]))
            numbers[state.LOWER_BOUND] = max(int(numbers[state.LOWER_BOUND]), least)
