"""The rule sets of a problem as a pseudo-Boolean formula: a variable for each conjunction.

    minimise    sum mass_p e_p + sum cost_S r_S
    subject to  e_p + sum over the rules S that cover p of r_S >= 1     for each pattern p that rules should cover
                - sum c_S r_S >= -C

e_p says that no rule covers p, r_S that S is in the set. Of conjunctions that cover the same patterns one of the fewest
conditions stands for all: it costs the least. Those that cover nothing only cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..certificate import CertificateError

MOST_RULES = 20_000
MOST_TERMS = 5_000_000


@dataclass(frozen=True, eq=False)
class Formula:
    """Variables are numbered from 1: first the patterns, then the rules; constraints, too: patterns, then complexity.

    Attributes
    ----------
    pattern_cost, rule_cost : int64 array, shape (n_wanted,), (n_rules,)
        In units of the objective.
    covers : bool array, shape (n_rules, n_wanted)
        Of the patterns that should be covered.
    complexity : int64 array, shape (n_rules,)
    max_complexity : int
    rules : tuple of tuples of int
        Conditions of each rule.
    chosen : int64 array
        The rules of the model.
    unit, constant : int
        The model's cost, in units of 1 / Q of the loss, is ``unit`` times the objective, plus ``constant``.
    """

    pattern_cost: np.ndarray
    rule_cost: np.ndarray
    covers: np.ndarray
    complexity: np.ndarray
    max_complexity: int
    rules: tuple[tuple[int, ...], ...]
    chosen: np.ndarray
    unit: int
    constant: int

    @property
    def n_patterns(self) -> int:
        return len(self.pattern_cost)

    @property
    def n_variables(self) -> int:
        return self.n_patterns + len(self.rules)

    @property
    def n_constraints(self) -> int:
        return self.n_patterns + 1

    @cached_property
    def left_out(self) -> np.ndarray:
        """Which patterns the model leaves out: bool array, shape (n_wanted,)."""
        return ~self.covers[self.chosen].any(axis=0)

    @cached_property
    def optimum(self) -> int:
        """The objective of the model."""
        return int(self.pattern_cost[self.left_out].sum() + self.rule_cost[self.chosen].sum())

    @property
    def largest_cost(self) -> int:
        return int(self.pattern_cost.sum()) + int(self.rule_cost.max(initial=0))

    def rule(self, k: int) -> str:
        """The variable of a rule."""
        return f"x{self.n_patterns + k + 1}"

    @property
    def solution(self) -> str:
        """All literals, as the model sets them."""
        chosen = set(self.chosen.tolist())
        patterns = [f"{'' if out else '~'}x{p + 1}" for p, out in enumerate(self.left_out.tolist())]
        return " ".join([*patterns, *(f"{'' if k in chosen else '~'}{self.rule(k)}" for k in range(len(self.rules)))])

    def text(self, names: Sequence[str], about: Sequence[str]) -> str:
        """The formula in OPB.

        Parameters
        ----------
        names : sequence of str
            Of the conditions.
        about : sequence of str
            Lines of comments that come first.
        """
        head = f"* #variable= {self.n_variables} #constraint= {self.n_constraints}"
        rules = (" and ".join(names[c] for c in rule) for rule in self.rules)
        comments = [*about, *(f"{self.rule(k)}: {_printable(rule)}" for k, rule in enumerate(rules))]
        costs = [*self.pattern_cost.tolist(), *self.rule_cost.tolist()]
        objective = " ".join(f"+{cost} x{k + 1}" for k, cost in enumerate(costs) if cost)
        lines = [head, *(f"* {line}" for line in comments), f"min: {objective} ;"]
        for p in range(self.n_patterns):
            covering = "".join(f" +1 {self.rule(k)}" for k in np.flatnonzero(self.covers[:, p]).tolist())
            lines.append(f"+1 x{p + 1}{covering} >= 1 ;")
        sizes = " ".join(f"-{size} {self.rule(k)}" for k, size in enumerate(self.complexity.tolist()))
        lines.append(f"{sizes} >= -{self.max_complexity} ;")
        return "\n".join(lines) + "\n"


def formula(case: Any, clauses: Sequence[Sequence[int]]) -> Formula:
    """The formula of a claim about a rule set.

    Parameters
    ----------
    case : Case of `rulelab.certificate.rule_set.checker`
        Without demands and without groups.
    clauses : sequence of sequences of int
        The rules of the model.

    Raises
    ------
    CertificateError
        When there are more than `MOST_RULES` rules, or `MOST_TERMS` of them and the patterns that they cover.
    """
    sides, claim = case.sides, case.claim
    found = _conjunctions(sides.matrix, min(claim.max_conditions, claim.max_complexity - 1))
    covered = np.array([cells for _, cells in found.values()], dtype=bool).reshape(len(found), len(sides.matrix))
    complexity = np.array([1 + len(rule) for rule, _ in found.values()], dtype=np.int64)
    wanted, unwanted = sides.wanted.sum(axis=0), sides.unwanted.sum(axis=0)
    some = np.flatnonzero(wanted)
    if int(covered[:, some].sum()) > MOST_TERMS:
        raise CertificateError(f"rules cover patterns {int(covered[:, some].sum()):,} times, more than {MOST_TERMS:,}")
    own = case.per_loss * (covered @ unwanted) + case.per_unit * complexity
    place = {bits: k for k, bits in enumerate(found)}
    used = {place[bits] for clause in clauses if (bits := _bits(sides.matrix[:, list(clause)].all(axis=1))) in place}
    return Formula(
        case.per_loss * wanted[some] // case.step,
        own // case.step,
        covered[:, some],
        complexity,
        claim.max_complexity,
        tuple(rule for rule, _ in found.values()),
        np.array(sorted(used), dtype=np.int64),
        case.step,
        case.per_loss * sides.constant,
    )


def _conjunctions(matrix: np.ndarray, longest: int) -> dict[bytes, tuple[tuple[int, ...], np.ndarray]]:
    """Of each set of patterns that some conjunction covers one of the fewest conditions, and the set."""
    found: dict[bytes, tuple[tuple[int, ...], np.ndarray]] = {}
    last: list[tuple[tuple[int, ...], np.ndarray]] = [((), np.ones(len(matrix), dtype=bool))]
    for _ in range(longest):
        longer = []
        for rule, covered in last:
            for c in range(matrix.shape[1]):
                cells = covered & matrix[:, c]
                if c not in rule and cells.any() and (bits := _bits(cells)) not in found:
                    found[bits] = (*rule, c), cells
                    longer.append(found[bits])
                    if len(found) > MOST_RULES:
                        raise CertificateError(
                            f"more than {MOST_RULES:,} rules cover different rows: the proof is too large to be "
                            "written as a pseudo-Boolean one; allow fewer conditions per rule"
                        )
        last = longer
    return found


def _bits(covered: np.ndarray) -> bytes:
    return np.packbits(covered).tobytes()


def _printable(text: str) -> str:
    """On one line, in ASCII, as readers of the format expect."""
    return text.encode("ascii", "backslashreplace").decode().replace("\n", " ").replace("\r", " ")
