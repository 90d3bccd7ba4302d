"""The restricted master by the proximal point method: duals near the best ones so far, and a cheap smooth problem.

With x the dual values per unit of mass over their largest value, x' and lambda' those of the best bound so far, N_S
what a rule costs by itself and M(S, x) the mass-weighted sum of x over what it covers, the master is

    maximise    M(x) - C lambda - mu/2 |x - x'|^2 - nu/2 (lambda - lambda')^2
    subject to  M(S, x) <= N_S + lambda c_S for every column S,  0 <= x <= 1,  lambda >= 0.

Its own dual is to minimise a convex function of the columns' use w >= 0, once differentiable and quadratic in pieces,
by Newton's method on the columns in use: few are, and few x lie between their bounds, so that a system takes
milliseconds where a simplex method on the same columns needs thousands of pivots (Rockafellar, SIAM J. Control Optim.
14, 1976; Kiwiel, Math. Programming 46, 1990, for when the centre is moved).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..features import sparse_rows
from ..pool import Pool
from ..program import Program
from . import kernels

_FIRST_WEIGHT = 1.0
_LEAST_WEIGHT, _LARGEST_WEIGHT = 0.01, 1.0
_SERIOUS, _GOOD = 0.1, 0.3  # shares of the promised rise of the bound that move the centre, and that allow larger steps
_NULLS = 6  # steps without such a rise, after which they are made shorter
_PRICE_STEP = 0.02  # share of the complexity that moves the price by itself
_ACCURACY = 0.01  # of reduced costs, relative to the gap
_NEWTON_STEPS = 40
_FIRST_SHARE = 0.1
_EFFORT = 100_000_000  # operations of Newton's method, after which a call of `advance` ends
_STEP = 500_000  # operations that take the time of what a step has to do in any case


@dataclass(frozen=True, eq=False)
class ProximalSolution:
    """Duals near the centre."""

    share: np.ndarray  # float, shape (n_watched,): dual value per unit of mass
    gamma: np.ndarray  # float, shape (n_constraints,): prices of the constraints, in scaled cost
    price: float  # of a unit of complexity
    value: float  # no less than the value of the restricted master, in units of the program's cost
    steps: int  # newton steps


class ProximalMaster:
    """Solve, at once or by `begin` and `advance`, price and judge, in turn.

    For programs without constraints; `ConstrainedProximalMaster` is for the others.

    ``weight`` (float): mu: the larger, the closer the duals stay to the centre. ``use`` (float array, shape
    (n_rules,)): primal value of each rule of the pool.
    """

    def __init__(self, program: Program, pool: Pool) -> None:
        self._program, self._pool = program, pool
        self._least = float(program.least * program.scale)
        self._unit = self._units()
        mass = program.mass[program.watched] * self._unit
        self._scale = float(mass.sum()) / len(mass)
        self._mass = mass / self._scale
        self._cover = self._cover_cost() / self._scale
        self.weight = _FIRST_WEIGHT
        self.use = np.zeros(0)
        self._centre = np.full(len(mass), _FIRST_SHARE)
        self._centre_price = 0.0
        self._centre_bound = -np.inf
        self._accuracy = _ACCURACY
        self._nulls = 0
        self._start = np.zeros(1, dtype=np.int64)
        self._entity = np.zeros(0, dtype=np.int32)

    def _units(self) -> np.ndarray:
        """The dual value of each watched entity, per unit of mass, at which its x is 1."""
        return np.maximum(self._program.leave[self._program.kind[self._program.watched]], 0).astype(float)

    def _cover_cost(self) -> np.ndarray:
        """What a rule costs by itself per unit of mass that it covers, by kind."""
        return self._program.cover + np.maximum(-self._program.leave, 0) / self._program.most_rules

    @property
    def nbytes(self) -> int:
        return self._entity.nbytes + self._start.nbytes

    def _take_in(self) -> None:
        """The new rules of the pool, in compressed rows."""
        known = len(self._start) - 1
        if known < len(self._pool):
            start, entity = sparse_rows(self._pool.columns(np.arange(known, len(self._pool))).hits)
            self.use = np.concatenate([self.use, np.zeros(len(start) - 1)])
            self._start = np.concatenate([self._start, start[1:] + self._start[-1]])
            self._entity = np.concatenate([self._entity, entity.astype(np.int32)])

    def begin(self, rules: np.ndarray, gap: float) -> None:
        """Take up the columns, all that were given before among them; `advance` finds duals for pricing.

        ``gap``: what the bound still lacks, in units of cost; the more, the less exact the duals.
        """
        self._take_in()
        program = self._program
        self._complexity = self._pool.complexity.astype(float)
        self._own = self._pool.kind_mass @ self._cover + self._complexity * (program.scaled_penalty / self._scale)
        self._price_weight = _PRICE_STEP * program.max_complexity / max(1.0, self._centre_price)
        self._rules = rules
        self._chosen: np.ndarray | None = None
        self._tolerance = min(2.0, max(1e-6, self._accuracy * gap / self._scale))
        self._steps, self._known = 0, np.zeros(0, dtype=np.int64)

    def solve(self, rules: np.ndarray, gap: float) -> ProximalSolution:
        """Duals for pricing, at once; the parameters are those of `begin`."""
        self.begin(rules, gap)
        while (solution := self.advance()) is None:
            pass
        return solution

    def advance(self) -> ProximalSolution | None:
        """Some of Newton's steps; the solution when they are all done."""
        rules, effort = self._rules, _EFFORT
        while self._steps < _NEWTON_STEPS:
            if self._chosen is None:
                self._at(self.use)
                lacking = rules[self._gradient(rules) < -self._tolerance]
                chosen = np.union1d(np.flatnonzero(self.use), lacking)
                if not len(np.setdiff1d(chosen, self._known)):
                    break
                self._chosen, self._damping = chosen, 1e-5 if self.use.any() else 1.0
            effort, ended = self._newton(self._chosen, effort)
            if ended:
                self._known, self._chosen = self._chosen, None
            elif self._steps < _NEWTON_STEPS:
                return None
        self._at(self.use)
        self._model = self._objective()
        share, price = self._x * self._unit, self._price * self._scale
        return ProximalSolution(share, self._gamma(), price, self._upper(), self._steps)

    def judge(self, bound: float, exact: bool) -> None:
        """Take the linear bound of the last duals; ``exact``: pricing has found no rule that the master lacks."""
        bound = (bound - self._least) / self._scale
        before = max(self._centre_bound, 0.0)
        promised = self._model - before
        if exact:
            self._accuracy /= 4
        if exact or bound > before + _GOOD * promised:
            self.weight = max(self.weight / 2, _LEAST_WEIGHT)
        if exact or not np.isfinite(self._centre_bound) or bound > self._centre_bound + _SERIOUS * promised:
            self._nulls, self._centre_bound = 0, bound
            self._move_centre()
        else:
            self._nulls += 1
            if self._nulls >= _NULLS:
                self.weight = min(self.weight * 1.4, _LARGEST_WEIGHT)

    def forget(self) -> None:
        """The bounds so far are none any more; the centre stays."""
        self._centre_bound, self._nulls, self._accuracy = -np.inf, 0, _ACCURACY

    def _move_centre(self) -> None:
        self._centre, self._centre_price = self._x, self._price

    def _gamma(self) -> np.ndarray:
        return np.zeros(0)

    def _objective(self) -> float:
        """The dual value, above the least cost."""
        return float((self._mass * self._x).sum()) - self._program.max_complexity * self._price

    def _at(self, use: np.ndarray) -> float:
        """Set the duals that belong to a use of the rules; returns the function's value."""
        rules = np.flatnonzero(use)
        times = np.zeros(len(self._mass))
        kernels.add_use(self._start, self._entity, rules, use, times)
        lack = 1.0 - times
        self._x = np.clip(self._centre + lack / self.weight, 0.0, 1.0)
        away = self._x - self._centre
        over = float((self._complexity[rules] * use[rules]).sum()) - self._program.max_complexity
        self._price = max(0.0, self._centre_price + over / self._price_weight)
        value = (self._mass * (self._x * lack - 0.5 * self.weight * away**2)).sum()
        value += (self._own[rules] * use[rules]).sum()
        return float(value + self._price * over - 0.5 * self._price_weight * (self._price - self._centre_price) ** 2)

    def _gradient(self, rules: np.ndarray) -> np.ndarray:
        covered = np.empty(len(rules))
        kernels.covered_sums(self._start, self._entity, rules, self._mass * self._x, covered)
        return self._own[rules] + self._complexity[rules] * self._price - covered

    def _newton(self, rules: np.ndarray, effort: int) -> tuple[int, bool]:
        """Minimise over the use of some rules until the effort is used up; what is left of it, and whether it ended."""
        largest = np.empty(len(rules))
        kernels.covered_sums(self._start, self._entity, rules, self._mass, largest)
        largest /= self.weight
        value = self._at(self.use)
        while self._steps < _NEWTON_STEPS:
            if effort <= 0:
                return effort, False
            use = self.use[rules]
            gradient = self._gradient(rules)
            if max(np.abs(gradient[use > 0]).max(initial=0.0), -gradient.min(initial=0.0)) < self._tolerance:
                return effort, True
            free = np.flatnonzero((use > 0) | (gradient < 0))
            self._steps += 1
            curvature, work = self._curvature(rules[free])
            effort -= _STEP + work
            self._bend(curvature, rules[free])
            while True:
                effort -= len(free) ** 3 // 3
                move = _move(curvature, gradient[free], use[free], self._damping * largest[free] + 1e-9)
                tried = self.use.copy()
                tried[rules[free]] = np.maximum(0.0, use[free] + move)
                move = tried[rules[free]] - use[free]
                expected = (gradient[free] * move).sum() + 0.5 * kernels.quadratic(curvature, move)
                change = self._at(tried) - value
                if expected < 0 and change <= 0.1 * expected:
                    break
                self._damping = max(self._damping * 4, 1e-5)
                if self._damping > 1e4:
                    self._at(self.use)
                    return effort, True
            if change <= 0.5 * expected:
                self._damping = max(self._damping / 8, 1e-7)
            value += change
            self.use = tried
        return effort, True

    def _bend(self, curvature: np.ndarray, rules: np.ndarray) -> None:
        """Add the second derivatives that come from prices."""
        if self._price > 0:
            complexity = self._complexity[rules]
            curvature += np.outer(complexity, complexity) / self._price_weight

    def _limits(self) -> np.ndarray | float:
        """The largest x."""
        return 1.0

    def _curvature(self, rules: np.ndarray) -> tuple[np.ndarray, int]:
        """Second derivatives from the entities whose dual is between its bounds, without prices; and the effort."""
        inside = np.flatnonzero((self._x > 0) & (self._x < self._limits()))
        place = np.full(len(self._x), -1, dtype=np.int64)
        place[inside] = np.arange(len(inside))
        total = int((self._start[rules + 1] - self._start[rules]).sum())
        out = np.zeros((len(rules), len(rules)))
        first, member = np.zeros(len(inside) + 2, dtype=np.int64), np.empty(total, dtype=np.int64)
        value = self._mass[inside] / self.weight
        kernels.cross_products(self._start, self._entity, rules, place, value, first, member, out)
        times = np.diff(first[: len(inside) + 1])  # the rules that cover each of these entities
        return out, total + int((times * times).sum()) // 2

    def _upper(self) -> float:
        """The primal value of the use, scaled into the complexity."""
        rules = np.flatnonzero(self.use)
        complexity = float((self._complexity[rules] * self.use[rules]).sum())
        use = self.use * min(1.0, self._program.max_complexity / max(complexity, 1e-9))
        times = np.zeros(len(self._mass))
        kernels.add_use(self._start, self._entity, rules, use, times)
        value = (self._mass * np.maximum(0.0, 1.0 - times)).sum() + (self._own[rules] * use[rules]).sum()
        return self._least + float(value) * self._scale


def _move(curvature: np.ndarray, gradient: np.ndarray, use: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """A Newton step that does not take out what is not in."""
    system = curvature.copy()
    system[np.diag_indices(len(use))] += damping
    kept = np.arange(len(use))
    move = np.zeros(len(use))
    for _ in range(4):
        move[:] = 0.0
        part, right = system[np.ix_(kept, kept)], -gradient[kept]
        kernels.solve(part, right)
        move[kept] = right
        below = (use <= 0) & (move < 0)
        if not below.any():
            break
        kept = kept[~below[kept]]
    return move
