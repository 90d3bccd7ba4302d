"""The Monte-Carlo search without its face: what the public search and the exact searches' first incumbent share."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import is_compiled
from ..costs import Prepared
from . import kernels
from . import state as states


class MonteCarlo:
    """Makes random falling rule lists and keeps the best.

    Parameters
    ----------
    prepared : Prepared
    violation_penalty : float or None
        Makes softly falling lists (Algorithm softFRL).
    random_state : int or None
        Seed.
    curiosity : float
        0 to 1: how much the proportion of an antecedent counts against its share of the positives.
    termination : float
        Probability of ending a list before its next rule.

    Attributes
    ----------
    state : State
    """

    def __init__(
        self,
        prepared: Prepared,
        violation_penalty: float | None = None,
        random_state: int | None = None,
        curiosity: float = 0.8,
        termination: float = 0.01,
    ) -> None:
        data, costs = prepared.data, prepared.costs
        positive, negative = int(data.positives.sum()), int(data.negatives.sum())
        self.data = data
        self._planes = states.new_planes(data)
        self._rules = states.Rules(
            total_positive=positive,
            total_negative=negative,
            soft=violation_penalty is not None,
            unit=costs.unit,
            per_positive=data.per_positive * costs.unit,
            per_negative=data.per_negative * costs.unit,
            per_rule=data.per_rule * costs.unit,
            penalty=float(violation_penalty or 0.0),
            curiosity=float(curiosity),
            termination=float(termination),
        )
        seed = int(np.random.default_rng(random_state).integers(1 << 62))
        alone = min(self._rules.per_positive * positive, self._rules.per_negative * negative)
        self.state = states.new_state(data, seed, alone)
        self.state.numbers[states.COST] = min(data.per_positive * positive, data.per_negative * negative)

    @property
    def work(self) -> int:
        """Lists made so far."""
        return int(self.state.numbers[states.ITERATION])

    @property
    def best(self) -> tuple[int, ...]:
        """Columns of the best list."""
        return tuple(self.state.best_path[: self.state.numbers[states.LENGTH]].tolist())

    @property
    def cost(self) -> int:
        """Cost of the best list on the grid of `Costs`, without the penalty of a softly falling list."""
        return int(self.state.numbers[states.COST])

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""
        return sum(a.nbytes for a in (*self.state, *self._planes, *self.data) if isinstance(a, np.ndarray))

    def advance(self, iterations: int) -> bool:
        """Make at most so many lists, fewer when one is the best so far; returns whether one was."""
        return bool(kernels.advance(self.data, self._planes, self._rules, self.state, iterations))


def compiled() -> bool:
    """Whether the kernels are ready in this process."""
    return is_compiled(kernels.advance)
