"""Column generation: master LP and exact pricing in turn, a certified bound from every pricing call.

Pricing takes the longer, the more conditions a rule may have: shorter ones are priced first, then all, the longer ones
at a surcharge. Let dual values and a price be such that no rule of s <= d conditions gains more than its charge,
``price (1 + s)``, and no longer one more than that and a surcharge. A set within complexity C has at most
``K = C // (d + 2)`` rules of more than d conditions, hence by weak duality

    cost  >=  total - price C - K surcharge,

less by the surcharge than the linear bound that pricing without it would prove. The higher the surcharge, the fewer
conjunctions have to be looked at; it is lowered step by step until it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, floor

import numpy as np

from .features import Features
from .master.constrained_proximal import ConstrainedProximalMaster
from .master.dual_bound import DualPoint, bound, dual_point, price_of, price_on_grid
from .master.linear_program import MasterSolution, MasterSolve, nothing_fixed
from .master.proximal import ProximalMaster
from .pool import Clause, Pool
from .pricing.beam import WIDTHS, beam
from .pricing.exact import LARGEST_SUM, Pricer
from .program import Cost, Program

_WORDS = 1 << 38  # that pricing may have to count for the rules that come first
_FIRST = 0.9  # share of the linear bound that the first surcharge gives up
_LAST = 0.1  # of what all of the complexity is charged: the least that a set can be surcharged
_RATIOS = (0.5, 0.65, 0.8)  # of what a set is charged at most, from one step to the next
_LITTLE, _GROWTH = 60, 2.0  # units of a step, and times those before, up to which the next ratio is a smaller one


def first_conditions(features: Features, max_conditions: int, most: int) -> int:
    """Conditions of the rules that come first: at most ``most``, and fewer of wide data; D where none come later."""
    words = 1 + features.n_patterns // 64
    depth = 1
    while depth < min(most, max_conditions) and comb(features.n_used, depth + 1) * words <= _WORDS:
        depth += 1
    return depth


class Surcharge:
    """What longer rules are charged on top, as a share of the linear bound that may be lost.

    ``shallow``: d, the conditions of rules that are not surcharged. ``share`` (float): 0 when there is no surcharge.
    """

    def __init__(self, program: Program, shallow: int) -> None:
        self._least, self._max_complexity = program.least, program.max_complexity
        self._shallow, self._most = shallow, max(1, program.max_complexity // (shallow + 2))
        self.share, self._before = _FIRST, 0

    def __bool__(self) -> bool:
        return self.share > 0

    def targets(self, point: DualPoint, price: int, charge: np.ndarray) -> np.ndarray:
        """What rules of 0, 1, ... conditions must exceed, where they are charged ``charge``: int64."""
        out = charge.copy()
        surcharge = int(self.share * self._range(point, price)) // self._most
        longer = out[self._shallow + 1 :]
        longer += np.minimum(surcharge, LARGEST_SUM - 1 - longer)
        return out

    def lower(self, point: DualPoint, price: int, units: int) -> None:
        """Go to the next step after one that took so many units of work."""
        ratio = _RATIOS[0 if units <= _LITTLE else 1 if units <= _GROWTH * self._before else 2]
        self._before = units
        lost, charged = self._range(point, price), price * self._max_complexity
        share = (ratio * (self.share * lost + charged) - charged) / lost
        self.share = share if share * lost > _LAST * charged and share < self.share else 0.0

    def _range(self, point: DualPoint, price: int) -> int:
        """The linear bound without a surcharge above the least cost of all, on the grid."""
        return max(1, point.total - price * self._max_complexity - floor(Fraction(self._least) * point.grid))


_TOLERANCE = 1e-6  # of a reduced cost, relative to the cost of a row
_NEW_COLUMNS = 60
_LP_EFFORT = 80_000_000  # nanoseconds as estimated, after which a unit of work ends within a linear program
_BEAMS = 4  # of so many pricings one is exact, even if the beam heuristic finds columns
_INWARD = 0.25  # how far duals are moved towards those of the best bound, which steadies them
CHEAP_PRICING = 12  # units of work of an exact pricing, up to which the beam heuristic is not worth its time
LARGE = 1000  # entities, from which on the proximal method comes first
LARGE_CONSTRAINED = 3000  # the same under constraints, of which each adds to the work of every Newton step
MOST_FRUITLESS = 12  # times that pricing finds nothing for it, after which the simplex method goes on
_SIMPLEX_COLUMNS = 300
_PATIENCE = 40  # units of work after which pricing is content with what it has found
SHALLOW = 4  # conditions of a rule at most, that pricing begins with where that of all rules takes long
LONG_PRICING = 200  # units of work in pricings that are not cheap, after which that is so
_NEAR = 0.005  # of the master's value: how near to it duals should be before longer rules are priced at a surcharge
PRICING_EFFORT = 40_000_000  # words counted in one unit of pricing


def comes_near(program: Program) -> bool:
    """Whether the proximal method comes first."""
    return len(program.watched) >= (LARGE_CONSTRAINED if program.constraints else LARGE)


class ColumnGeneration:
    """One unit of work after another, until no rule has a negative reduced cost.

    ``lower``: no rule set costs less. ``depth``: the most conditions of the rules that are priced now. ``value``: of
    the restricted master, in scaled cost. ``least_reduced_cost``: of all rules, at the last duals that pricing was done
    for; 0 when none is negative. ``iterations``, ``nodes``: masters solved; nodes of pricing. ``working``: pool indices
    of the columns in the master. ``surcharge``: what longer rules are charged now, where they are.
    """

    def __init__(self, program: Program, features: Features, pool: Pool, max_conditions: int) -> None:
        self.program, self.features, self.pool = program, features, pool
        self.max_conditions = self.depth = max_conditions
        self.lower: Cost = program.least
        self.value = float("inf")
        self.least_reduced_cost = float("-inf")
        self.iterations = self.nodes = self.simplex_iterations = self.newton_steps = 0
        self.working: list[int] = list(range(len(pool)))
        self.done = False
        self.solution: MasterSolution | None = None
        self.point: DualPoint | None = None
        self.closing_point: tuple[DualPoint, int] | None = None
        """The dual point of the best linear bound, and the price of complexity that makes it feasible."""
        self._linear = self._proven = Fraction(self.lower)
        self._centre: tuple[np.ndarray, np.ndarray, float] | None = None
        self._plain = False
        self._exact = 0
        self._pricer: Pricer | None = None
        self._solving: MasterSolve | None = None
        self._proximal: ProximalMaster | None = None
        if comes_near(program):
            self._proximal = (ConstrainedProximalMaster if program.constraints else ProximalMaster)(program, pool)
        self._near: np.ndarray | None = None
        self._stage = "master"
        self._spent = self._guesses = 0
        self._deepening = False
        self.surcharge: Surcharge | None = None
        self._units = 0
        self._since_exact = 0
        self._shallow = first_conditions(features, max_conditions, SHALLOW)
        self.nodes_per_unit = max(1, PRICING_EFFORT // (features.n_used * (features.n_patterns // 64 + 20)))
        self._cubes_per_unit = max(1, PRICING_EFFORT // (features.n_patterns + 1000))

    @property
    def nbytes(self) -> int:
        """Bytes of the master and of the tables of pricing; those of the pool are not counted."""
        return sum(part.nbytes for part in (self._pricer, self._solving, self._proximal) if part is not None)

    def advance(self) -> None:
        """One unit of work: some simplex iterations, or some nodes of pricing."""
        if self._stage == "master":
            self._solve()
        elif self._stage == "beam":
            self._try_beam()
        else:
            self._price()

    @property
    def gamma(self) -> np.ndarray:
        """Prices of the constraints in the last master, 0 before it: float array, shape (n_constraints,)."""
        if self.solution is not None:
            return self.solution.gamma
        return np.zeros(len(self.program.constraints)) if self.point is None else self.point.gamma

    def _solve(self) -> None:
        if self._proximal is not None:
            self._solve_near()
            return
        if self._solving is None:
            columns = self.pool.columns(np.array(self.working, dtype=np.int64))
            basis = None if self.solution is None else self.solution.basis
            self._solving = MasterSolve(self.program, columns, nothing_fixed(self.program, len(columns.kind)), basis)
        solving, before = self._solving, self._solving.effort
        while (solution := solving.advance()) is None:
            if solving.effort - before > _LP_EFFORT:
                return
        self.solution, self._solving = solution, None
        self.simplex_iterations += solution.iterations
        self.iterations += 1
        self.value = solution.value
        share, gamma, price = solution.share, solution.gamma, solution.price
        if self._centre is not None and not self._plain:
            inner, inner_gamma, inner_price = self._centre
            share = share + _INWARD * (inner - share)
            gamma = gamma + _INWARD * (inner_gamma - gamma)
            price += _INWARD * (inner_price - price)
        self._point_at(share, gamma, price)
        known = self._from_pool()
        if known:
            self.working += known
            return
        self._choose_pricing()

    def _solve_near(self) -> None:
        """The proximal master: duals that are good enough to price."""
        assert self._proximal is not None
        if self._near is None:
            self._near = self._allowed()
            self._proximal.begin(self._near, self.value - self._scaled(self._linear))
        solution = self._proximal.advance()
        if solution is None:
            return
        rules, self._near = self._near, None
        self.iterations += 1
        self.newton_steps += solution.steps
        self.value = solution.value if self.program.constraints else min(self.value, solution.value)
        self.working = rules.tolist()
        self._point_at(solution.share, solution.gamma, solution.price)
        self._choose_pricing()

    def _point_at(self, share: np.ndarray, gamma: np.ndarray, price: float) -> None:
        """Where to price."""
        self._tried = share, gamma, price
        point = dual_point(self.program, share, gamma)
        self.point = point
        self._price_of_unit = price_on_grid(self.program, price, point.grid)
        self._charge = point.charge(self._price_of_unit, self.max_conditions)
        per_cost = float(point.grid / self.program.scale)
        self._tolerance = max(1, int(_TOLERANCE * per_cost * max(1, self.program.total >> 20)))

    def _choose_pricing(self) -> None:
        if self._units > CHEAP_PRICING:
            self._stage = "beam"
        else:
            self._start_exact(())

    def _try_beam(self) -> None:
        """The beam heuristic; exact pricing where it fails, and every few times in any case."""
        assert self.point is not None
        widths = (*WIDTHS, *WIDTHS[-1:] * (self.depth - len(WIDTHS))) if self.surcharge else WIDTHS
        rules, sums = beam(self.features, self.point.weight, self._charge[: self.depth + 1], widths)
        self._since_exact += 1
        if self._since_exact < _BEAMS or self.surcharge:
            gains = [int(total) - int(self._charge[len(rule)]) for rule, total in zip(rules, sums, strict=True)]
            if self._take(rules, gains) or (self.surcharge and self._goes_on()):
                self._stage = "master"
                return
        self._start_exact(rules)

    def _goes_on(self) -> bool:
        """Whether the proximal master has to be solved again, if the beam has missed no rule."""
        if self._proximal is None or self._guesses == MOST_FRUITLESS:
            return False
        assert self.point is not None
        point, self._guesses = self.point, self._guesses + 1
        linear = Fraction(point.total - self._price_of_unit * self.program.max_complexity) / point.grid
        self._proximal.judge(self._scaled(linear), True)
        return self.value - self._scaled(linear) > _NEAR * (self.value - self._scaled(self.program.least))

    def _start_exact(self, seeds: Sequence[Clause]) -> None:
        self._since_exact = self._units = 0
        self._seeds, self._stage = tuple(seeds), "exact"

    def _take(self, rules: Sequence[Clause], gains: list[int]) -> bool:
        """Rules that gain go to the pool, the first of them to the master; whether there was a new one."""
        before = set(self.working)
        changed = self.pool.add(rule for rule, gain in zip(rules, gains, strict=True) if gain > self._tolerance)
        self.working += [k for k in changed if k not in before][:_NEW_COLUMNS]
        return bool(changed)

    def _from_pool(self) -> list[int]:
        """Columns of the pool outside the master that would improve it, the best ones."""
        outside = np.setdiff1d(self._allowed(), self.working)
        if not len(outside):
            return []
        values = self.values(outside)
        order = np.argsort(-values, kind="stable")[:_NEW_COLUMNS]
        return [int(outside[k]) for k in order if values[k] > self._tolerance]

    def values(self, rules: np.ndarray) -> np.ndarray:
        """What rules of the pool gain at the last duals, less their charge: int64, minus their reduced cost."""
        assert self.point is not None
        sums = self.pool.sums(rules, self.point.weight)
        return sums - self._charge[self.pool.complexity[rules] - 1]

    def _price(self) -> None:
        assert self.point is not None
        if self._pricer is None:
            first = not self.features.parts
            charge = self._charge[: self.depth + 1]
            least = self.surcharge.targets(self.point, self._price_of_unit, charge) if self.surcharge else None
            self._pricer = Pricer(self.features, self.point.weight, charge, self._seeds, least=least)
            if first and self.features.parts:  # which takes a while
                return
        before = self._pricer.nodes
        complete = self._pricer.advance(self._cubes_per_unit if self._pricer.method == "cubes" else self.nodes_per_unit)
        self.nodes += self._pricer.nodes - before
        self._units += 1
        if not complete and (self.surcharge or self._units % _PATIENCE or not self._pricer.result().rules):
            self._spent += self._units > CHEAP_PRICING
            if self._units % LONG_PRICING == 0:
                self._bound()
            if self._spent >= LONG_PRICING and self._shallow < self.max_conditions and not self._deepening:
                self._deepening = True
                self._allow(self._shallow)
            return
        linear = self._bound()
        if self._centre is None or linear > self._linear:
            self._linear, self._centre = linear, self._tried
        result, point = self._pricer.result(), self.point
        gains = [int(v) for v in result.values]
        self.least_reduced_cost = float(-max([0, *gains]) / point.grid * self.program.unit / self.program.per_loss)
        changed = self._take(result.rules, gains)
        if changed or complete:
            self._pricer = None
            self._stage = "master"
        exact = complete and not changed
        if self.surcharge:
            self._lower_surcharge(exact)
            return
        if self._proximal is not None:
            self._proximal.judge(self._scaled(linear), exact)
            self._exact = self._exact + 1 if exact else 0
            if self._exact == MOST_FRUITLESS:
                self._leave_proximal()
        else:
            self.done = exact and (self._plain or self._centre is None)
            self._plain = exact
        if complete and self._closed():
            self.done = True
        if self.depth < self.max_conditions and self.done:
            self.surcharge = Surcharge(self.program, self.depth)
            self._allow(self.max_conditions)

    def _bound(self) -> Fraction:
        """The linear bound of what is priced so far, which is proven once the longest rules are priced."""
        assert self._pricer is not None
        assert self.point is not None
        best, point = self._pricer.result().best, self.point
        price = price_of(point, best)
        linear = Fraction(point.total - price * self.program.max_complexity) / point.grid
        if self.depth == self.max_conditions:
            self.lower = max(self.lower, bound(self.program, point, best))
            if self.closing_point is None or linear > self._proven:
                self._proven, self.closing_point = linear, (point, price)
        return linear

    def _allow(self, depth: int) -> None:
        """Go on with rules of other lengths: the bounds so far say nothing about them."""
        self.depth = depth
        self._pricer, self._stage = None, "master"
        self._forget()

    def _lower_surcharge(self, exact: bool) -> None:
        """The next step; ``exact``: at the same dual values, which no rule gains at."""
        assert self.surcharge is not None
        assert self.point is not None
        self.surcharge.lower(self.point, self._price_of_unit, self._units)
        self._guesses = 0
        if not self.surcharge:
            self.surcharge = None
            self._forget()
        elif exact:
            self._start_exact(())

    def _forget(self) -> None:
        """Begin anew to look for the best dual values, near those that have been found."""
        self.done = False
        self._linear = Fraction(self.program.least)
        self._centre, self._plain, self._exact = None, False, 0
        if self._proximal is not None:
            self._proximal.forget()

    def _leave_proximal(self) -> None:
        """Go on with the simplex method, on the columns in use and those next to it."""
        assert self._proximal is not None
        used = np.flatnonzero(self._proximal.use)
        self.working = np.union1d(used, self.least_reduced(max(_SIMPLEX_COLUMNS - len(used), 0))).tolist()
        self._proximal, self.value = None, float("inf")

    def _closed(self) -> bool:
        """Whether the linear bound is next to the master's value, so that more columns cannot move it."""
        gap = self.value - self._scaled(self._linear)
        if self._proximal is None or not self.program.exact:
            return gap < 0.02 * self.program.fine
        same = self.program.round_up(self._linear) >= self.program.round_up(Fraction(self.value))
        return gap < (0.2 if same else 0.02) * self.program.fine

    def _scaled(self, cost: Cost) -> float:
        """A cost in the units of linear programs."""
        return float(cost * self.program.scale)

    def use(self, rules: np.ndarray) -> np.ndarray:
        """Primal values in the last master of rules of the pool: float array, 0 for those that it did not hold."""
        out = np.zeros(len(self.pool))
        if self._proximal is not None:
            out[: len(self._proximal.use)] = self._proximal.use
        elif self.solution is not None:
            out[self.solution.basis.columns] = self.solution.use
        return np.maximum(out[rules], 0.0)

    def least_reduced(self, most: int) -> np.ndarray:
        """Pool indices of the columns of least reduced cost at the last duals."""
        rules = self._allowed()
        if self.point is None:
            return rules[:most]
        return np.sort(rules[np.argsort(-self.values(rules), kind="stable")[:most]])

    def _allowed(self) -> np.ndarray:
        """Rules of the pool that are not too long; those of a shared pool may be."""
        return np.flatnonzero(self.pool.complexity <= 1 + self.max_conditions)
