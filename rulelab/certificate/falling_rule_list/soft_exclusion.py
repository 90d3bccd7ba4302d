"""Which line of a proof rules out a given softly falling list.

Rules that capture nothing are left out, and one that captures all that is left is the else; neither makes a list cost
more. The list is then followed through the table (see `soft`): what its rules have cost by then, and what an entry says
that follows at least, together never are less than the model's cost, up to the line that ends the question. An entry
for a least proportion above that of the list speaks of it all the more, since what follows costs more after less.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList
from ..certificate import CertificateError
from ..exclusion import Change, Exclusion, Way, excluded
from .checker import NEEDED
from .soft import PENALTY, Claim, claimed, covers, entries_of, space_of, steps, what_is_left
from .soft_states import SoftStates


def exclude(
    problem: Problem,
    model: FallingRuleList,
    parameters: Mapping[str, float],
    arrays: Mapping[str, np.ndarray],
    asked: FallingRuleList,
) -> Exclusion:
    """Follow a list through the table of a proof that was checked.

    ``model``: the model that is proven optimal. ``parameters``, ``arrays``: of the certificate, which is none of a
    bound. ``asked``: over the same problem, with the same weight and penalty. Raises CertificateError when the list
    does not fit the problem or the parameters.
    """
    regularization, positive_weight, penalty = (parameters[name] for name in (*NEEDED, PENALTY))
    space, best = space_of(problem, model, regularization, positive_weight, penalty)
    _, objective = space_of(problem, asked, regularization, positive_weight, penalty)
    way = _Way(space, *entries_of(space, arrays, claimed(parameters, best, space)))
    way.follow(_in_space(space, problem, asked, way.changes))
    followed = FallingRuleList.from_problem(problem, [way.antecedents[a] for a in way.taken], positive_weight, penalty)
    _, after = space_of(problem, followed, regularization, positive_weight, penalty)
    values = objective * space.unit, after * space.unit, best * space.unit
    return excluded(way, problem, asked, followed, values, len(way.claims))


def _in_space(space: SoftStates, problem: Problem, asked: FallingRuleList, changes: list[Change]) -> list[int]:
    """The rules over the antecedents that the states keep, each once: of those that are equal everywhere the first."""
    kept = space.states.antecedents.tolist()
    matrix = problem.matrix()
    place = {matrix[:, antecedent].tobytes(): k for k, antecedent in enumerate(kept)}
    found = []
    for antecedent in asked.antecedents:
        k = place[matrix[:, antecedent].tobytes()]
        if kept[k] != antecedent:
            changes.append(Change("equal", antecedent, kept[k]))
        found.append(k)
    return found


class _Way(Way):
    """The way of a list through a table."""

    def __init__(self, space: SoftStates, sets: np.ndarray, claims: list[Claim]) -> None:
        super().__init__(space.states.antecedents, space.unit)
        self.space, self.sets, self.claims = space, sets, claims
        self._rows: dict[bytes, list[int]] = {}
        for row, packed in enumerate(map(bytes, sets)):
            self._rows.setdefault(packed, []).append(row)

    def follow(self, rules: list[int]) -> None:
        """Follow the rules until they are at an end, or something ends it."""
        row, paid, lowest = 0, Fraction(0), Fraction(1)
        self.note("start", row, -1, paid, self.claims[row].value)
        for k, a in enumerate(rules):
            p, q, rest_p, rest_q = self._split(row, a)
            if p + q == 0 or rest_p + rest_q == 0:
                self.change("everything" if p + q else "nothing", a)
                if p + q:
                    break
                continue
            self.taken.append(a)
            paid += self.space.rule + self.space.piece(p, q, lowest)
            lowest = min(lowest, Fraction(p, p + q))
            after = self._after(row, a, paid, what_is_left(self.space, self.claims[row], p, q))
            if after is None:
                self.taken += self._rest(row, a, rules[k + 1 :])
                return
            row = after
        rest = self._totals(self.sets[row])
        paid += self.space.piece(*rest, lowest)
        self.note("default", row, -1, paid, paid)

    def _after(self, row: int, a: int, paid: Fraction, claim: Claim) -> int | None:
        """The entry of the set that a rule leaves; None where no entry is needed to close it."""
        if claim.value <= 0:
            self.note("rule", row, a, paid, paid)
            return None
        step = next(
            (s for s in steps(self.space, self.sets[row : row + 1], [self.claims[row]]) if s.antecedent == a), None
        )
        if step is None:
            self.note("bound", row, a, paid, paid + claim.value)
            return None
        found = next((at for at in self._rows.get(step.left, ()) if covers(self.claims[at], step.claim)), None)
        if found is None:
            raise CertificateError("the proof does not say what follows a rule")
        self.note("table", found, a, paid, paid + self.claims[found].value)
        return found

    def _rest(self, row: int, a: int, rules: list[int]) -> list[int]:
        """Of the rules that are not followed any more those that capture something, and leave something."""
        left, kept = self.sets[row] & self.space.states.outside[a], []
        for rule in rules:
            after = left & self.space.states.outside[rule]
            if not after.any():
                break
            if (after != left).any():
                kept.append(rule)
            left = after
        return kept

    def _split(self, row: int, a: int) -> tuple[int, int, int, int]:
        """Positives and negatives that a rule captures of an entry's set, and those that it leaves."""
        left = self._totals(self.sets[row] & self.space.states.outside[a])
        whole = self._totals(self.sets[row])
        return whole[0] - left[0], whole[1] - left[1], *left

    def _totals(self, packed: np.ndarray) -> tuple[int, int]:
        p, q = self.space.weigh(packed[None])[0].tolist()
        return p, q
