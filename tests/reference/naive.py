"""Definitions from the papers, written slowly and in exact arithmetic. Nothing here imports an engine."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np

ROUNDING = Fraction(1, 1 << 52)
"""By how much an accuracy may be below one that is asked for, as a double hides it."""


def decimal(parameter: float) -> Fraction:
    """A parameter stands for the decimal number that it prints as."""
    return Fraction(repr(float(parameter)))


def decimals(*parameters: float | None) -> list[Fraction | None]:
    """The same of several, where they are there."""
    return [None if each is None else decimal(each) for each in parameters]


def parts(A: np.ndarray, antecedents: Sequence[int]) -> list[list[int]]:
    """The rows that each rule, and the else, is the first to capture."""
    out, left = [], list(range(len(A)))
    for a in antecedents:
        out.append([i for i in left if A[i, a]])
        left = [i for i in left if not A[i, a]]
    return [*out, left]


def rule_list_objective(A, y, weight, regularization, antecedents) -> Fraction:
    """R(d) = errors / n + regularization * rules; each rule, and the default, predicts the label, of two or more, that
    most of what it captures have.
    """
    errors = sum(_minority(part, y, weight) for part in parts(A, antecedents))
    return Fraction(errors, sum(weight)) + regularization * len(antecedents)


def _minority(rows: Sequence[int], y: np.ndarray, weight: Sequence[int]) -> int:
    """The weight of all that have another label than most."""
    of: dict[int, int] = {}
    for i in rows:
        of[y[i]] = of.get(y[i], 0) + weight[i]
    return sum(of.values()) - max(of.values(), default=0)


def all_rule_lists(m: int, max_length: int) -> Iterator[tuple[int, ...]]:
    """Every ordered choice of at most ``max_length`` of ``m`` antecedents."""
    for length in range(max_length + 1):
        yield from permutations(range(m), length)


def best_rule_list_by_enumeration(A, y, weight, regularization, max_length) -> Fraction:
    """The least objective of any list of at most ``max_length`` rules."""
    return min(rule_list_objective(A, y, weight, regularization, d) for d in all_rule_lists(A.shape[1], max_length))


def best_rule_list(A, y, weight, regularization, max_length=None) -> Fraction:
    """The least objective by the recursion over sets of uncaptured rows, without any bound."""
    n, m = sum(weight), A.shape[1]
    captured = [frozenset(np.flatnonzero(A[:, a]).tolist()) for a in range(m)]

    @cache
    def least(left: frozenset[int], rules: int) -> Fraction:
        best = Fraction(_minority(sorted(left), y, weight), n)
        if rules == 0:
            return best
        for rows in captured:
            hit = left & rows
            if hit:
                errors = Fraction(_minority(sorted(hit), y, weight), n)
                best = min(best, errors + regularization + least(left - hit, rules - 1))
        return best

    return least(frozenset(range(len(y))), m if max_length is None else max_length)


def captured(A: np.ndarray, y: np.ndarray, weight: Sequence[int], antecedents: Sequence[int]) -> list[tuple[int, int]]:
    """Positive and negative weight that each rule, and the else, is the first to capture."""
    return [
        (sum(weight[i] for i in part if y[i]), sum(weight[i] for i in part if not y[i]))
        for part in parts(A, antecedents)
    ]


def _falling_loss(p: int, q: int, w: Fraction) -> Fraction:
    """Cost of p positives and q negatives that are predicted positive when their proportion is above 1 / (1 + w)."""
    if p + q == 0:
        return Fraction(0)
    return Fraction(q) if Fraction(p, p + q) > 1 / (1 + w) else w * p


def falling_objective(A, y, weight, w, regularization, antecedents, penalty=None) -> Fraction:
    """L(d) of falling rule lists, and with a penalty the soft objective; a rule that captures nothing only costs C."""
    counts = captured(A, y, weight, antecedents)
    cost = sum((_falling_loss(p, q, w) for p, q in counts), Fraction(0)) / sum(weight)
    cost += regularization * len(antecedents)
    if penalty is not None:
        lowest = Fraction(1)
        for p, q in counts:
            if p + q > 0:
                cost += penalty * max(Fraction(0), Fraction(p, p + q) - lowest)
                lowest = min(lowest, Fraction(p, p + q))
    return cost


def falls(A: np.ndarray, y: np.ndarray, weight: Sequence[int], antecedents: Sequence[int]) -> bool:
    """Whether no rule, nor the else, has a larger proportion of positives than the one before it."""
    proportions = [Fraction(p, p + q) for p, q in captured(A, y, weight, antecedents) if p + q > 0]
    return all(later <= earlier for earlier, later in pairwise(proportions))


def falling_prefixes(A: np.ndarray, y: np.ndarray, least: Fraction | None = None) -> int:
    """How many lists there are whose rules fall, each of them capturing some of what is left but not all of it.

    With ``least`` their proportions are above it.
    """
    weight, n = [1] * len(y), 0
    for d in all_rule_lists(A.shape[1], A.shape[1]):
        *rules, rest = captured(A, y, weight, d)
        proportions = [Fraction(p, p + q) if p + q else None for p, q in rules]
        if None not in proportions and sum(rest):
            known = [p for p in proportions if p is not None]
            n += all(b <= a for a, b in pairwise(known)) and (least is None or all(p > least for p in known))
    return n


def fair_prefixes(A, y, groups, regularization, below, labels, tolerance=None) -> tuple[int, int, int]:
    """Prefixes of labelled rules that a search for lists better than ``below`` extends, makes, and gives up as unfair.

    Each rule captures some of what is left but not all of it; a prefix with one more rule costs less than ``below``,
    though rows alike are never told apart. With a ``tolerance`` the missed positives of each two groups can still be as
    near as that, whatever becomes of what is left.
    """
    n, alike = len(y), [tuple(row) for row in A.tolist()]
    positives = {group: [i for i in range(n) if groups[i] == group and y[i]] for group in set(groups)}

    def alone(rows: Sequence[int]) -> int:
        return sum(_minority([i for i in range(n) if alike[i] == key], y, [1] * n) for key in {alike[i] for i in rows})

    def can_be_fair(missed: frozenset[int], left: Sequence[int]) -> bool:
        least, most = (
            [Fraction(len(rows.intersection(members)), len(members)) for members in positives.values()]
            for rows in (missed, missed.union(left))
        )
        return tolerance is None or max(least) - min(most) <= tolerance

    def extended(left: list[int], used: tuple[int, ...], wrong: int, missed: frozenset[int]) -> tuple[int, int, int]:
        expanded, made, unfair = 1, 0, 0
        for a in set(range(A.shape[1])) - set(used):
            hit, rest = [i for i in left if A[i, a]], [i for i in left if not A[i, a]]
            if not hit or not rest:
                continue
            found = {True: [i for i in hit if y[i]], False: [i for i in hit if not y[i]]}
            for label in (False, True):
                if labels == "majority" and label != (len(found[True]) > len(found[False])):
                    continue
                made += 1
                errors, lost = wrong + len(found[not label]), missed if label else missed.union(found[True])
                if Fraction(errors + alone(rest), n) + regularization * (len(used) + 2) >= below:
                    continue
                if not can_be_fair(lost, rest):
                    unfair += 1
                    continue
                more = extended(rest, (*used, a), errors, lost)
                expanded, made, unfair = (x + y for x, y in zip((expanded, made, unfair), more, strict=True))
        return expanded, made, unfair

    expanded, made, unfair = extended(list(range(n)), (), 0, frozenset())
    return expanded, 1 + made, unfair


def best_falling_rule_list(A, y, weight, w, regularization, penalty=None, max_length=None) -> Fraction:
    """The least objective of any falling rule list (with a penalty: of any softly falling one), without any bound."""
    n, m = sum(weight), A.shape[1]
    captured = [frozenset(np.flatnonzero(A[:, a]).tolist()) for a in range(m)]

    def cost(rows: frozenset[int], lowest: Fraction) -> tuple[Fraction | float, Fraction]:
        positive = sum(weight[i] for i in rows if y[i])
        negative = sum(weight[i] for i in rows) - positive
        if positive + negative == 0:
            return Fraction(0), lowest
        loss, proportion = _falling_loss(positive, negative, w) / n, Fraction(positive, positive + negative)
        if proportion <= lowest:
            return loss, proportion
        return (math.inf, lowest) if penalty is None else (loss + penalty * (proportion - lowest), lowest)

    @cache
    def least(left: frozenset[int], lowest: Fraction, rules: int) -> Fraction | float:
        best = cost(left, lowest)[0]
        for rows in captured if rules else ():
            hit = left & rows
            if sum(weight[i] for i in hit):
                paid, after = cost(hit, lowest)
                if paid < best:
                    best = min(best, paid + regularization + least(left - hit, after, rules - 1))
        return best

    best = least(frozenset(range(len(y))), Fraction(1), m if max_length is None else max_length)
    assert isinstance(best, Fraction)
    return best


def best_fair_falling_rule_list(
    A, y, weight, groups, w, regularization, tolerances, max_length=None, least=0
) -> Fraction | None:
    """The least objective of any falling rule list whose gaps are within the tolerances; None: there is no such list.

    All orders of antecedents. A rule, or the else, predicts positive where the proportion p / (p + q) of what it
    captures is above 1 / (1 + w).
    """
    m = A.shape[1]
    found = []
    for d in all_rule_lists(m, m if max_length is None else min(m, max_length)):
        if falls(A, y, weight, d):
            predicted = falling_predictions(A, y, weight, w, d)
            fair = (weighted_gap(of, y, weight, groups, predicted, least) <= most for of, most in tolerances.items())
            if all(fair):
                found.append(falling_objective(A, y, weight, w, regularization, d))
    return min(found, default=None)


def falling_predictions(A, y, weight, w, antecedents) -> list[bool]:
    """Whether what captures each row has more than the proportion 1 / (1 + w) of positives."""
    predicted = [False] * len(y)
    for part, (positive, negative) in zip(parts(A, antecedents), captured(A, y, weight, antecedents), strict=True):
        for i in part:
            predicted[i] = w * positive > negative
    return predicted


Clause = tuple[int, ...]


def clause_rows(A: np.ndarray, clause: Clause) -> list[int]:
    """The rows that satisfy all conditions of a clause."""
    return [i for i in range(len(A)) if all(A[i, j] for j in clause)]


def rule_set_complexity(clauses: Sequence[Clause]) -> int:
    """One plus the number of conditions, summed over the clauses."""
    return sum(1 + len(clause) for clause in clauses)


def times_covered(A: np.ndarray, clauses: Sequence[Clause]) -> list[int]:
    """How many clauses each row satisfies."""
    rows = [set(clause_rows(A, clause)) for clause in clauses]
    return [sum(i in covered for covered in rows) for i in range(len(A))]


def hamming_loss(A: np.ndarray, y: np.ndarray, weight: Sequence[int], clauses: Sequence[Clause]) -> int:
    """Positives that no clause covers, plus each negative once for every clause that covers it."""
    times = times_covered(A, clauses)
    return sum(weight[i] * ((times[i] == 0) if y[i] else times[i]) for i in range(len(y)))


def zero_one_loss(A: np.ndarray, y: np.ndarray, weight: Sequence[int], clauses: Sequence[Clause]) -> int:
    """Positives that no clause covers, plus negatives that some clause covers."""
    times = times_covered(A, clauses)
    return sum(weight[i] for i in range(len(y)) if bool(y[i]) != (times[i] > 0))


LOSSES = {"hamming": hamming_loss, "zero_one": zero_one_loss}


def all_clauses(A: np.ndarray, max_conditions: int) -> list[Clause]:
    """Conjunctions that cover some row, one of the shortest for each set of covered rows."""
    found: dict[tuple[int, ...], Clause] = {}
    for size in range(1, min(max_conditions, A.shape[1]) + 1):
        for clause in combinations(range(A.shape[1]), size):
            rows = tuple(clause_rows(A, clause))
            if rows:
                found.setdefault(rows, clause)
    return list(found.values())


def all_rule_sets(A: np.ndarray, max_complexity: int, max_conditions: int) -> Iterator[tuple[Clause, ...]]:
    """Every set of clauses within the complexity, no two of which cover the same rows."""
    clauses = all_clauses(A, max_conditions)

    def extend(chosen: tuple[Clause, ...], first: int, left: int) -> Iterator[tuple[Clause, ...]]:
        yield chosen
        for k in range(first, len(clauses)):
            if 1 + len(clauses[k]) <= left:
                yield from extend((*chosen, clauses[k]), k + 1, left - 1 - len(clauses[k]))

    return extend((), 0, max_complexity)


def best_rule_set(
    A, y, weight, max_complexity, max_conditions, loss=hamming_loss, penalty=0, fair=lambda clauses: True
) -> Fraction | None:
    """The least loss + penalty * complexity of any fair rule set; None when no rule set is fair."""
    return min(
        (
            loss(A, y, weight, clauses) + penalty * rule_set_complexity(clauses)
            for clauses in all_rule_sets(A, max_complexity, max_conditions)
            if fair(clauses)
        ),
        default=None,
    )


def parity_gap(rate, A, y, weight, groups, clauses, proxy=False) -> Fraction:
    """`weighted_gap` of a rule set; with ``proxy`` a covered negative counts for each clause that covers it, as in the
    Hamming loss.
    """
    times = times_covered(A, clauses)
    return weighted_gap(rate, y, weight, groups, times if proxy else [t > 0 for t in times])


def weighted_gap(rate, y, weight, groups, predicted, least=0) -> Fraction:
    """The largest difference of a rate between two groups of at least so many rows, for given predictions.

    Rates: "false_negative" (of positives), "false_positive" (of negatives), "positive" (predicted, of all: demographic
    parity), "error" (of all: accuracy parity), and "precision" (the positives among those predicted positive), which a
    group of whom nobody is predicted positive does not have.
    """
    of = {"false_negative": [True], "false_positive": [False]}.get(rate, [True, False])
    rates = []
    for group in set(groups):
        members = [i for i in range(len(y)) if groups[i] == group and bool(y[i]) in of]
        if len(members) < least:
            continue
        if rate == "precision":
            chosen = [i for i in members if predicted[i] and weight[i]]
            if chosen:
                rates.append(Fraction(sum(weight[i] for i in chosen if y[i])) / sum(weight[i] for i in chosen))
            continue
        counted = (weight[i] * (bool(predicted[i]) == (rate == "positive") if y[i] else predicted[i]) for i in members)
        rates.append(Fraction(sum(counted)) / sum(weight[i] for i in members))
    return max(rates) - min(rates) if rates else Fraction(0)


def best_fair_rule_list(
    A, y, weight, groups, regularization, tolerances, labels="free", least=0, obeys=None, max_length=None
) -> Fraction | None:
    """The least objective of any rule list whose gaps are within the tolerances; None when there is no such list.

    All orders of all antecedents; with ``labels="free"`` all labels of the rules and of the default, with "majority"
    the label of most of the weight that a rule is the first to capture, and the negative one when they weigh the same.
    Where ``obeys`` is given, which is told the antecedents, and what their rules and the default predict, it is the
    least of the lists that obey, and whose rules all capture rows.
    """
    best: Fraction | None = None
    longest = A.shape[1] if max_length is None else max_length
    for d, chosen, full, predicted, wrong in _labelled(A, y, weight, longest, labels):
        objective = wrong + regularization * len(d)
        if (best is None or objective < best) and (obeys is None or (full and obeys(d, chosen))):
            gaps = (weighted_gap(rate, y, weight, groups, predicted, least) for rate in tolerances)
            if all(gap <= most for gap, most in zip(gaps, tolerances.values(), strict=True)):
                best = objective
    return best


def least_gap_rule_list(
    A, y, weight, groups, rates, accuracy, max_length, regularization, least=0
) -> tuple[Fraction, Fraction] | None:
    """The least gap of any rule list of this accuracy and length, and the least cost of a list of that gap.

    The gap is the largest of those of the rates, the cost is errors / n + regularization * rules; None when no list is
    accurate enough, to within `ROUNDING`.
    """
    return min(
        (
            (
                max(weighted_gap(rate, y, weight, groups, predicted, least) for rate in rates),
                wrong + regularization * len(d),
            )
            for d, _, _, predicted, wrong in _labelled(A, y, weight, max_length, "free")
            if 1 - wrong >= accuracy - ROUNDING
        ),
        default=None,
    )


def _labelled(
    A: np.ndarray, y: np.ndarray, weight: Sequence[int] | Sequence[Fraction], max_length: int, labels: str
) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...], bool, list[bool], Fraction]]:
    """Of every order of antecedents, with all labels or those of the majority: the antecedents, the labels, whether
    each rule captures something, the predictions and the share of errors.
    """
    n, whole = len(y), sum(weight)
    for d in all_rule_lists(A.shape[1], min(max_length, A.shape[1])):
        found = parts(A, d)
        majority = tuple(2 * sum(weight[i] for i in p if y[i]) > sum(weight[i] for i in p) for p in found)
        for chosen in product((False, True), repeat=len(found)) if labels == "free" else [majority]:
            predicted = [False] * n
            for part, label in zip(found, chosen, strict=True):
                for i in part:
                    predicted[i] = label
            wrong = sum(weight[i] for i in range(n) if predicted[i] != bool(y[i]))
            yield d, chosen, all(found[:-1]), predicted, Fraction(wrong) / whole


def largest_sums(A: np.ndarray, weight: Sequence[int], max_conditions: int) -> list[int]:
    """For s = 1, 2, ...: the largest sum of weight over the rows of a clause of at most s conditions."""
    out: list[int] = []
    for size in range(1, min(max_conditions, A.shape[1]) + 1):
        sums = [sum(weight[i] for i in clause_rows(A, clause)) for clause in combinations(range(A.shape[1]), size)]
        out.append(max([*sums, *out[-1:]]))
    return out
