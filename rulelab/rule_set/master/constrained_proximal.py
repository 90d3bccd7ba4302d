"""The proximal master of programs with constraints: their prices are variables beside the dual values.

With y the prices gamma over their typical size, a dual value x is at most the limit of its kind,

    L_k = l_k + sum_r a_rk y_r + M alpha_k,    y, alpha >= 0,

and the concave function that the proximal master maximises gains ``sum_r y_r (what the rules take of the constraint -
its bound) - sum_r n_r / 2 (y_r - y'_r)^2 - M sum_k alpha_k (mass of the kind)``, and a rule costs ``alpha_k`` more per
unit of mass that it covers. For given use of the columns the best prices are found at once (`find_prices`), so
that the dual is still a function of the use alone; entities at their limit move with the prices, which adds a matrix
of low rank to its second derivatives.
"""

from __future__ import annotations

import numpy as np

from ..pool import Pool
from ..program import Program
from . import kernels
from .kernels import Prices, at_limits, find_prices
from .linear_program import shares
from .proximal import ProximalMaster

_STEP = 0.1  # share of what a constraint weighs that moves its price by itself, at mu = 1
_STEEP = 1e2  # of edges, relative to the mass
_PENALTY = 2.0  # times its price: what missing a constraint costs in the primal value


class ConstrainedProximalMaster(ProximalMaster):
    """Solve, at once or by `begin` and `advance`, price and judge, in turn.

    ``y`` (float array, shape (n_constraints,)): prices of the constraints over ``gamma_unit``.
    """

    def __init__(self, program: Program, pool: Pool) -> None:
        self._largest = float(max(1, np.abs(program.leave).max()))
        super().__init__(program, pool)
        unit, scale = self._largest, self._scale
        left, covered = shares(program)
        self._gamma_unit = unit / np.maximum(np.abs(left).max(axis=1), np.abs(covered).max(axis=1))
        self._left = np.ascontiguousarray(left * self._gamma_unit[:, None] / unit)
        self._covered = covered * self._gamma_unit[:, None] / unit
        self._bounds = np.array([float(c.bound) for c in program.constraints]) * self._gamma_unit / scale
        self._leave = program.leave / unit
        self._kind = program.kind[program.watched].astype(np.int32)
        self._total = np.bincount(self._kind, weights=self._mass, minlength=program.n_kinds)
        all_mass = np.bincount(program.kind, weights=program.mass, minlength=program.n_kinds) * unit / scale
        self._weighs = (np.abs(self._left) + np.abs(self._covered)) @ all_mass
        self._constant = float(program.constant * program.scale) - self._least
        n, kinds = len(self._bounds), program.n_kinds
        self.y, self._centre_y = np.zeros(n), np.zeros(n)
        self._limit, self._floor, self._edge, self._first = (np.zeros(kinds) for _ in range(4))
        self._steep = _STEEP * float(self._mass.sum())
        self._most = max(1, program.most_rules)

    def _units(self) -> np.ndarray:
        return np.full(len(self._program.watched), self._largest)

    def _cover_cost(self) -> np.ndarray:
        return self._program.cover.astype(float)

    def begin(self, rules: np.ndarray, gap: float) -> None:
        super().begin(rules, gap)
        self._kinds = self._pool.kind_mass * (self._largest / self._scale)
        self._stiffness = self.weight * _STEP * self._weighs / np.maximum(1.0, self._centre_y)

    def _at(self, use: np.ndarray) -> float:
        rules = np.flatnonzero(use)
        lack = np.zeros(len(self._mass))
        kernels.add_use(self._start, self._entity, rules, use, lack)
        lack = 1.0 - lack
        wish = self._centre + lack / self.weight
        covered = use[rules] @ self._kinds[rules]
        full = np.where(self._total > 0, self._total - covered / self._most, 0.0)
        if (full < -1e-9 * (1.0 + self._total)).any():
            return np.inf
        self._full = np.maximum(full, 0.0)
        self._find_prices(wish, self._covered @ covered - self._bounds)
        self._x = np.minimum(np.maximum(wish, 0.0), self._limit[self._kind])
        self._at_limit = (wish >= self._limit[self._kind]) & (self._limit[self._kind] > 0)
        away = self._x - self._centre
        over = float((self._complexity[rules] * use[rules]).sum()) - self._program.max_complexity
        self._price = max(0.0, self._centre_price + over / self._price_weight)
        self._kind_price = self.y @ self._covered + self._short / self._most
        value = float((self._mass * (self._x * lack - 0.5 * self.weight * away**2)).sum())
        value += float((self._own[rules] * use[rules]).sum())
        value += self._price * over - 0.5 * self._price_weight * (self._price - self._centre_price) ** 2
        value += float(self.y @ (self._covered @ covered - self._bounds)) - float(self._short @ self._full)
        return value - 0.5 * float(self._stiffness @ (self.y - self._centre_y) ** 2)

    def _find_prices(self, wish: np.ndarray, pull: np.ndarray) -> None:
        n, kinds = self._left.shape
        self.y = self.y.copy()
        room = np.zeros((n, n))
        found = Prices(
            self._kind, self._mass, wish, self._leave, self._full, self._floor, self._left, pull, self._centre_y,
            self._stiffness, self.y, self._edge, np.zeros(kinds), np.zeros(kinds), self._limit, self._first,
            np.zeros(kinds), np.zeros(kinds), np.zeros(n), np.zeros(n), room,
        )  # fmt: skip
        find_prices(found, self.weight, self._steep)
        self._short = self._limit - found.at
        self._on_edge = (self._edge > 0) & (self._edge < found.most)

    def _gradient(self, rules: np.ndarray) -> np.ndarray:
        return super()._gradient(rules) + self._kinds[rules] @ self._kind_price

    def _limits(self) -> np.ndarray | float:
        return self._limit[self._kind]

    def _bend(self, curvature: np.ndarray, rules: np.ndarray) -> None:
        """Prices above 0 move, and with them the entities at a limit; limits that are paid for move by themselves."""
        super()._bend(curvature, rules)
        kinds = self._kinds[rules]
        at_limit = np.empty(kinds.shape)
        masses = np.where(self._at_limit, self._mass, 0.0)
        at_limits(self._start, self._entity, rules, self._kind, masses, at_limit)
        paid, free = self._short > 0, np.flatnonzero(self.y > 0)
        left = self._left[free]
        slopes = kinds @ self._covered[free].T - np.where(paid, kinds / self._most, at_limit) @ left.T
        rigid = np.where(paid, 0.0, self.weight * np.bincount(self._kind, weights=masses, minlength=len(self._total)))
        rigid[self._on_edge] = self._steep
        system = np.diag(self._stiffness[free]) + (left * rigid) @ left.T
        if len(free):
            curvature += slopes @ np.linalg.solve(system, slopes.T)
        for k in np.flatnonzero(paid & (self._floor > 0)):
            slope = kinds[:, k] / self._most - at_limit[:, k]
            curvature += np.outer(slope, slope) / (self.weight * masses[self._kind == k].sum())

    def _move_centre(self) -> None:
        super()._move_centre()
        self._centre_y = self.y

    def _gamma(self) -> np.ndarray:
        return self.y * self._gamma_unit

    def _objective(self) -> float:
        value = super()._objective() - float(self._short @ self._total) - float(self.y @ self._bounds)
        return value + self._constant / self._scale

    def _upper(self) -> float:
        """The primal value of the use, scaled into the complexity; where it misses a constraint, that is charged."""
        rules = np.flatnonzero(self.use)
        complexity = float((self._complexity[rules] * self.use[rules]).sum())
        part = min(1.0, self._program.max_complexity / max(complexity, 1e-9))
        use = self.use * part
        times = np.zeros(len(self._mass))
        kernels.add_use(self._start, self._entity, rules, use, times)
        least = np.bincount(self._kind, weights=self._mass * np.maximum(0.0, 1.0 - times), minlength=len(self._total))
        covered = use[rules] @ self._kinds[rules]
        wanted = np.where(self._short > 0, self._full, self.weight * self._first + self._edge)
        wanted = part * wanted + (1.0 - part) * self._total
        left = np.clip(wanted, least, np.maximum(least, self._total - covered / self._most))
        missed = np.maximum(0.0, self._left @ left + self._covered @ covered - self._bounds)
        value = float(self._leave @ left) + float((self._own[rules] * use[rules]).sum())
        value += float((_PENALTY * self.y + 1.0) @ missed) + self._constant / self._scale
        return self._least + value * self._scale
