"""Rule sets of either form, loss and fairness criterion by enumeration, in exact numbers; nothing imports an engine.

A *clause* of a DNF is a conjunction of antecedents, and decides that its rows are positive. A clause of a CNF is a
disjunction, and decides that the rows it fails on are negative: by De Morgan's laws the set is a DNF for the other
label over negated antecedents. So of either form: a row is *wanted* when it has the label that clauses decide for; a
wanted row that no clause decides is one error; a row of the other label is one error for each clause that decides it
(Hamming loss), or one in all (0-1 loss). Rates are counts of these errors, per weight of a group.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from naive import ROUNDING

Clause = tuple[int, ...]
Exact = int | Fraction
RATES: dict[str, Callable[[Exact, Exact, Exact, Exact], Fraction]] = {
    "false_negative": lambda e1, e0, p, n: Fraction(e1) / p,
    "false_positive": lambda e1, e0, p, n: Fraction(e0) / n,
    "selection": lambda e1, e0, p, n: Fraction(p - e1 + e0) / (p + n),
    "error": lambda e1, e0, p, n: Fraction(e1 + e0) / (p + n),
}
"""From the errors on a group's positives and negatives, and the weights of these."""


class Data(NamedTuple):
    """Rows of positive weight: A bool (n, m), y bool (n,), exact weights and group numbers of length n."""

    A: np.ndarray
    y: np.ndarray
    weight: Sequence[Exact]
    group: Sequence[int]

    @property
    def n_groups(self) -> int:
        return max(self.group) + 1


Rows = frozenset[int]
Kind = Callable[[Clause], object]
Errors = tuple[tuple[Exact, Exact], ...]
"""Of each group: errors on its positives, errors on its negatives."""


def decides(data: Data, clause: Clause, form: str) -> frozenset[int]:
    """The rows that a clause decides for its own label."""
    rows = range(len(data.y))
    if form == "dnf":
        return frozenset(i for i in rows if all(data.A[i, j] for j in clause))
    return frozenset(i for i in rows if not any(data.A[i, j] for j in clause))


def errors_of(data: Data, clauses: Iterable[Clause], loss: str, form: str) -> Errors:
    """The errors of a set of clauses, row by row."""
    decided = [decides(data, clause, form) for clause in clauses]
    found: list[list[Exact]] = [[0, 0] for _ in range(data.n_groups)]
    for i, (label, weight, group) in enumerate(zip(data.y, data.weight, data.group, strict=True)):
        times = sum(i in rows for rows in decided)
        unwanted = times if loss == "hamming" else int(times > 0)
        wrong = int(times == 0) if bool(label) == (form == "dnf") else unwanted
        found[group][0 if label else 1] += wrong * weight
    return tuple((a, b) for a, b in found)


def objective(data: Data, clauses: Sequence[Clause], loss: str, form: str, penalty: Exact) -> Fraction:
    """Loss + penalty * complexity; the complexity of a clause is 1 + its antecedents."""
    wrong = sum(sum(pair) for pair in errors_of(data, clauses, loss, form))
    return Fraction(wrong) + penalty * sum(1 + len(set(clause)) for clause in clauses)


Limits = Sequence[tuple[str, Fraction]]
"""Names of `RATES`, each with the largest difference between two groups."""


def is_fair(data: Data, errors: Errors, limits: Limits, least: int = 0) -> bool:
    """Whether no rate of two groups with at least so many rows of the kind it is about differs by more than its limit.

    Of one group alone, or none, nothing is fair.
    """
    apart = [(gap(data, errors, name, least), tolerance) for name, tolerance in limits]
    return all(found is not None and found <= tolerance for found, tolerance in apart)


def rows_of(data: Data, g: int, name: str) -> int:
    """How many rows of a group a rate is about, whatever they weigh."""
    kinds = {"false_negative": (True,), "false_positive": (False,)}.get(name, (True, False))
    return sum(group == g and bool(label) in kinds for label, group in zip(data.y, data.group, strict=True))


def _sides(data: Data, g: int) -> tuple[Exact, Exact]:
    """Weights of a group's positives and negatives."""
    members = [(label, w) for label, w, group in zip(data.y, data.weight, data.group, strict=True) if group == g]
    return sum(w for label, w in members if label), sum(w for label, w in members if not label)


def all_clauses(data: Data, max_conditions: int, form: str, kind: Kind = lambda clause: None) -> dict[Clause, Rows]:
    """Clauses that decide some row, one of the shortest for each set of rows, and of each kind."""
    found: dict[tuple[Rows, object], Clause] = {}
    m = data.A.shape[1]
    for size in range(1, min(max_conditions, m) + 1):
        for clause in combinations(range(m), size):
            rows = decides(data, clause, form)
            if rows:
                found.setdefault((rows, kind(clause)), clause)
    return {clause: rows for (rows, _), clause in found.items()}


def obeys(used: Sequence[int], demands: Sequence[set[int]], limited: Sequence[tuple[dict[int, int], int]]) -> bool:
    """Whether antecedents meet each demand, to be one of some, and count no more often together than they may."""
    counted = ((sum(uses.get(j, 0) for j in used), most) for uses, most in limited)
    return all(which & set(used) for which in demands) and all(count <= most for count, most in counted)


def best_rule_set(
    data, max_complexity, max_conditions=None, loss="hamming", form="dnf", penalty=0, limits=(), least=0,
    demands=(), limited=(),
) -> Fraction | None:  # fmt: skip
    """The least objective of the sets that are fair, meet each demand and keep each limit of uses; None: none does.

    Groups of fewer than ``least`` rows are not compared. A demand is a set of antecedents of which some clause has one;
    a limit of uses is how often each antecedent counts, and what the sum over all clauses may be.
    """

    def kind(clause: Clause) -> object:
        counted = tuple(sum(uses.get(j, 0) for j in clause) for uses, _ in limited)
        return counted, tuple(bool(which & set(clause)) for which in demands)

    return min(
        (
            Fraction(wrong) + penalty * complexity
            for wrong, complexity, found, used in all_sets(data, max_complexity, max_conditions, loss, form, kind)
            if obeys(used, demands, limited) and is_fair(data, found, limits, least)
        ),
        default=None,
    )


def least_gap_rule_set(
    data, rates, accuracy, max_complexity, max_conditions=None, loss="hamming", form="dnf", least=0
) -> tuple[Fraction, Fraction, int] | None:
    """The least gap of the sets of this accuracy, and the least loss and complexity of a set of that gap; None: none.

    The gap is the largest of those of the rates, names of `RATES`; the accuracy is 1 - loss / weight.
    """
    whole = Fraction(sum(data.weight))
    return min(
        (
            (max(gap(data, found, rate, least) for rate in rates), Fraction(wrong), used)
            for wrong, used, found, _ in all_sets(data, max_complexity, max_conditions, loss, form)
            if 1 - wrong / whole >= accuracy - ROUNDING
        ),
        default=None,
    )


def gap(data: Data, errors: Errors, name: str, least: int) -> Fraction | None:
    """The largest difference in a rate between two groups that have so many rows; None: there are no two."""
    large = [g for g in range(data.n_groups) if rows_of(data, g, name) >= least]
    rates = [RATES[name](*errors[g], *_sides(data, g)) for g in large]
    return max(rates) - min(rates) if len(rates) > 1 else None


def all_sets(
    data, max_complexity, max_conditions, loss, form, kind: Kind = lambda clause: None
) -> Iterator[tuple[Exact, int, Errors, Clause]]:
    """Loss, complexity, errors and antecedents of every set within the complexity.

    No two clauses of one kind decide the same rows.
    """
    m = data.A.shape[1]
    clauses = list(all_clauses(data, m if max_conditions is None else max_conditions, form, kind).items())
    mask = [sum(1 << i for i in rows) for _, rows in clauses]
    wanted = form == "dnf"
    own, other = (0, 1) if wanted else (1, 0)

    def by_group(rows: int, label: bool) -> tuple[Exact, ...]:
        out: list[Exact] = [0] * data.n_groups
        for i, g in enumerate(data.group):
            if rows >> i & 1 and bool(data.y[i]) == label:
                out[g] += data.weight[i]
        return tuple(out)

    everybody = (1 << len(data.y)) - 1
    added = [by_group(rows, not wanted) for rows in mask]
    known: dict[int, tuple[tuple[Exact, ...], tuple[Exact, ...]]] = {}

    def errors(covered: int, times: tuple[Exact, ...]) -> Errors:
        if covered not in known:
            known[covered] = by_group(everybody & ~covered, wanted), by_group(covered, not wanted)
        missed, once = known[covered]
        wrong = times if loss == "hamming" else once
        pairs = zip(missed, wrong, strict=True)
        return tuple(pairs) if (own, other) == (0, 1) else tuple((b, a) for a, b in pairs)

    def sets(
        first: int, covered: int, times: tuple[Exact, ...], used: int, chosen: Clause
    ) -> Iterator[tuple[Exact, int, Errors, Clause]]:
        found = errors(covered, times)
        yield sum(a + b for a, b in found), used, found, chosen
        for k in range(first, len(clauses)):
            more = used + 1 + len(clauses[k][0])
            if more <= max_complexity:
                summed = tuple(a + b for a, b in zip(times, added[k], strict=True))
                yield from sets(k + 1, covered | mask[k], summed, more, (*chosen, *clauses[k][0]))

    yield from sets(0, 0, (0,) * data.n_groups, 0, ())
