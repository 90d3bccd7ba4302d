"""Fair rule lists on COMPAS and adult: seconds, nodes, what is proven and its proofs, beside what is known.

Then lists of predictive parity, five folds as FairCORELS was measured on, fair falling lists, the least gaps between
groups of lists of some accuracy, and of 50 accuracies at once, and those of rule sets.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from _measure import Table, measure, parser, use_shared_data, user_seconds
from compas_paper import RACES, feature_set_a

import rulelab as rl

PARITY, OPPORTUNITY, ACCURACY = rl.DemographicParity, rl.EqualOpportunity, rl.AccuracyParity
EQUALITY, ODDS = rl.FalsePositiveRateParity, rl.EqualizedOdds


class Row(NamedTuple):
    """Some data, a penalty, a criterion with its tolerance, and the certified objective; slow ones only on demand."""

    data: str
    regularization: float
    criterion: Callable[[float], rl.Criterion]
    tolerance: float
    known: float
    slow: bool = False


ROWS = (
    *(
        Row("race", 0.01, PARITY, eps, known)
        for eps, known in ((0.2, 0.3709), (0.1, 0.4102), (0.05, 0.4410), (0.02, 0.4546), (0.01, 0.4602), (0, 0.4662))
    ),
    Row("race", 0.01, OPPORTUNITY, 0.05, 0.4124),
    Row("race", 0.01, OPPORTUNITY, 0.01, 0.4355),
    Row("race", 0.01, ACCURACY, 0.02, 0.3714),
    Row("race", 0.01, EQUALITY, 0.1, 0.3864),
    Row("race", 0.01, ODDS, 0.1, 0.3996),
    Row("race", 0.01, EQUALITY, 0.05, 0.4132),
    Row("race", 0.01, ODDS, 0.05, 0.4350),
    Row("race", 0.02, PARITY, 0.05, 0.4550),
    Row("race", 0.02, EQUALITY, 0.05, 0.4280),
    Row("race", 0.02, ODDS, 0.05, 0.4642),
    Row("race", 0.005, PARITY, 0.05, 0.4234, slow=True),
    Row("three races", 0.01, PARITY, 0.05, 0.4366),
    Row("race, single", 0.01, PARITY, 0.05, 0.4495),
    Row("race, single", 0.005, PARITY, 0.05, 0.4332),
    Row("race, single", 0.001, PARITY, 0.05, 0.4054),
    Row("race, single", 0.005, ODDS, 0.02, 0.4492),
    Row("adult", 0.01, PARITY, 0.05, 0.2299),
    *(Row("sex", 0.01, PARITY, eps, known) for eps, known in ((0.05, 0.4118), (0.02, 0.4380), (0, 0.4507))),
    Row("sex", 0.01, OPPORTUNITY, 0.05, 0.3815),
    Row("sex", 0.01, EQUALITY, 0.05, 0.3835),
    Row("sex", 0.01, ODDS, 0.05, 0.3935),
    Row("sex", 0.005, PARITY, 0.05, 0.3916),
)
"""Objectives with four digits: of an independent prototype, but for two it could not finish and that of adult."""


VALUES = (
    *(Row("race, single", 0.01, rl.PredictiveParity, eps, known) for eps, known in (
        (0.1, 0.37220), (0.05, 0.38122), (0.02, 0.44504), (0.01, 0.44504), (0, 0.45935),
    )),
    Row("race", 0.01, rl.PredictiveParity, 0.1, 0.37089),
    Row("race", 0.01, rl.PredictiveParity, 0.05, 0.37748),
    *(Row("race", 0.01, rl.PredictiveParity, eps, known, slow=True) for eps, known in (
        (0.02, 0.42106), (0.01, 0.43171), (0, 0.44967),
    )),
)  # fmt: skip
"""Predictive parity, with objectives found by this search; the slow ones have not been certified."""

CRITERIA = (PARITY, OPPORTUNITY, EQUALITY, ODDS, ACCURACY, rl.PredictiveParity)
TOLERANCES = (0.1, 0.05, 0.02, 0.01, 0.0)
"""What ``--criteria`` certifies on COMPAS, with antecedents of one condition and of one or two."""

FOLDS, FOLD_PENALTY, FOLD_TOLERANCE = 5, 0.001, 0.02
"""What FairCORELS was measured with (CPAIOR 2022), on a file that is not public here."""


class FallingRow(NamedTuple):
    """Some data, the weight of a positive, a penalty, a criterion with its tolerance, and the certified objective."""

    data: str
    positive_weight: float
    regularization: float
    criterion: Callable[[float], rl.Criterion]
    tolerance: float
    known: float


FALLING = (
    FallingRow("race, single", 1, 0.01, PARITY, 0.1, 0.44504),
    FallingRow("race, single", 1, 0.01, PARITY, 0.05, 0.45699),
    FallingRow("race, single", 1, 0.01, OPPORTUNITY, 0.05, 0.45951),
    FallingRow("race, single", 1, 0.005, ODDS, 0.05, 0.44951),
    FallingRow("race", 1, 0.01, PARITY, 0.1, 0.41480),
    FallingRow("race", 1, 0.01, PARITY, 0.02, 0.45748),
    FallingRow("race", 1, 0.01, OPPORTUNITY, 0.05, 0.42016),
    FallingRow("race", 1, 0.01, EQUALITY, 0.1, 0.39114),
    FallingRow("race", 1, 0.01, ODDS, 0.1, 0.39959),
)
"""Objectives found by this search."""


class GapRow(NamedTuple):
    """Some data, a criterion, an accuracy (None: 50 of them), most rules, and the certified gap."""

    data: str
    criterion: type[rl.Criterion]
    accuracy: float | None
    max_length: int | None
    known: float | None = None


GAPS = (
    GapRow("race, single", PARITY, 0.62, None, 0.081018),
    GapRow("race, single", PARITY, 0.65, None, 0.141266),
    GapRow("race, single", OPPORTUNITY, 0.62, 4, 0.059475),
    GapRow("race", PARITY, 0.62, 2, 0.121713),
    GapRow("race", OPPORTUNITY, 0.65, 3, 0.156961),
    GapRow("sex", PARITY, 0.62, 3, 0.057121),
    GapRow("adult", PARITY, 0.79, 3),
    GapRow("adult", OPPORTUNITY, 0.8, 3, 0.071447),
    GapRow("race, single", OPPORTUNITY, None, 5),
    GapRow("race, single", PARITY, None, None),
)
"""Gaps without a figure are not checked; those with one were found by this search."""


class SetRow(NamedTuple):
    """Some data, a criterion, an accuracy, the complexity of rule sets, and the certified gap."""

    data: str
    criterion: type[rl.Criterion]
    accuracy: float
    max_complexity: int
    known: float | None = None


SET_GAPS = (
    SetRow("race, single", PARITY, 0.62, 6, 0.121713),
    SetRow("race, single", OPPORTUNITY, 0.62, 6, 0.090241),
    SetRow("race, single", OPPORTUNITY, 0.64, 8, 0.124602),
)
"""Of rule sets of conditions of one column each, counted as by the Hamming loss."""

FALLING_COLUMNS = (
    ("data", -12, ""),
    ("w", 3, "g"),
    ("lambda", 6, "g"),
    ("criterion", -23, ""),
    ("eps", 4, "g"),
    ("user s", 7, ".2f"),
    ("objective", 9, ".5f"),
    ("known", 7, ".5f"),
    ("gap", 6, ".4f"),
    ("status", -8, ""),
    ("expanded", 8, "d"),
    ("stored", 8, "d"),
    ("proof s", 7, ".2f"),
    ("entries", 7, "d"),
    ("checked", 7, ".2f"),
    ("MB", 6, ".0f"),
)

GAP_COLUMNS = (
    ("data", -12, ""),
    ("criterion", -23, ""),
    ("accuracy", 8, ""),
    ("rules", 5, ""),
    ("user s", 7, ".2f"),
    ("gap", 9, ".6f"),
    ("known", 9, ""),
    ("bound", 9, ".6f"),
    ("proven", 6, "d"),
    ("sets", 8, "d"),
    ("prefixes", 8, "d"),
    ("counts", 8, "d"),
    ("MB", 6, ".0f"),
)

SET_COLUMNS = (
    ("data", -12, ""),
    ("criterion", -23, ""),
    ("accuracy", 8, "g"),
    ("complexity", 10, "d"),
    ("user s", 7, ".2f"),
    ("gap", 9, ".6f"),
    ("known", 9, ""),
    ("bound", 9, ".6f"),
    ("status", -8, ""),
)

FOLD_COLUMNS = (
    ("labels", -9, ""),
    ("fold", 4, "d"),
    ("rows", 5, "d"),
    ("user s", 7, ".2f"),
    ("objective", 9, ".5f"),
    ("gap", 6, ".4f"),
    ("status", -8, ""),
    ("prefixes", 8, "d"),
    ("proof", -8, ""),
)

CRITERIA_COLUMNS = (
    ("criterion", -23, ""),
    ("eps", 4, "g"),
    ("clauses", -7, ""),
    ("status", -8, ""),
    ("objective", 9, ".5f"),
    ("bound", 9, ".5f"),
    ("gap", 7, ".5f"),
    ("user s", 7, ".2f"),
    ("verified", -8, ""),
    ("proof s", 7, ".2f"),
    ("entries", 7, "d"),
    ("checked", 7, ".2f"),
    ("MB", 6, ".0f"),
)

COLUMNS = (
    ("data", -12, ""),
    ("lambda", 6, "g"),
    ("criterion", -23, ""),
    ("eps", 4, "g"),
    ("user s", 7, ".2f"),
    ("objective", 9, ".4f"),
    ("known", 6, ".4f"),
    ("gap", 6, ".4f"),
    ("status", -8, ""),
    ("sets", 8, "d"),
    ("prefixes", 8, "d"),
    ("counts", 8, "d"),
    ("proof s", 7, ".2f"),
    ("entries", 7, "d"),
    ("checked", 7, ".2f"),
    ("MB", 6, ".0f"),
)


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a certified objective is not the known one."""
    options = parser("fair-lists", __doc__ or "", repeats=1)
    options.add_argument("names", nargs="*", metavar="DATA", help="such as race; default: all")
    options.add_argument("--all", action="store_true", help="with the slow ones, which take minutes")
    text = f"only each criterion within {', '.join(f'{eps:g}' for eps in TOLERANCES)} on COMPAS by race, lambda .01"
    options.add_argument("--criteria", action="store_true", help=text)
    text = "of these only, with --criteria; repeatable"
    options.add_argument("--criterion", action="append", metavar="CLASS", help=text)
    text = f"of these only, with --criteria; default: {' '.join(f'{eps:g}' for eps in TOLERANCES)}"
    options.add_argument("--tolerance", action="append", type=float, metavar="EPS", help=text)
    text = "bytes of each search of --criteria (%(default)s)"
    options.add_argument("--memory", type=int, default=4_000_000_000, metavar="N", help=text)
    text = "of each solve: user CPU time (%(default)g s)"
    options.add_argument("--time-limit", type=float, default=30.0, metavar="S", help=text)
    args = options.parse_args(argv)
    use_shared_data()
    if args.criterion and (strange := set(args.criterion) - {one.__name__ for one in CRITERIA}):
        print(f"no criterion is called {min(strange)!r}", file=sys.stderr)
        return 2
    names = ["race, single", "race"] if args.criteria else sorted({row.data for row in ROWS})
    unknown = [name for name in args.names if name not in names]
    if unknown:
        print(f"no figures are known for {unknown[0]!r}, only for {', '.join(names)}", file=sys.stderr)
        return 2
    try:
        problems = {name: problem_of(name) for name in args.names or names}
    except rl.datasets.DatasetError as error:
        print(error, file=sys.stderr)
        return 1
    if args.criteria:
        return _run_criteria(problems, args)
    wrong = 0
    print("fair rule lists: least errors / rows + lambda x rules")
    table = Table(COLUMNS)
    for row in ROWS:
        if row.data in problems and (args.all or not row.slow):
            wrong += not _run(row, problems[row.data], table, args.repeats, args.time_limit)
    print("\nrule lists of predictive parity")
    values = Table(COLUMNS)
    for row in VALUES:
        if row.data in problems and (args.all or not row.slow):
            wrong += not _run(row, problems[row.data], values, args.repeats, args.time_limit)
    folds = Table(FOLD_COLUMNS)
    if "race, single" in problems:
        print(f"\n{FOLDS} folds of COMPAS, two races: regularization {FOLD_PENALTY}, parity within {FOLD_TOLERANCE}")
        wrong += _run_folds(folds, args.time_limit)
    print("\nfair falling rule lists: least weighted loss / rows + lambda x rules")
    falling = Table(FALLING_COLUMNS)
    for each in FALLING:
        if each.data in problems:
            wrong += not _run_falling(each, problems[each.data], falling, args.repeats, args.time_limit)
    print("\nleast gaps between groups, of rule lists of an accuracy; of 50 accuracies at once where it says 50")
    gaps = Table(GAP_COLUMNS)
    for gap in GAPS:
        if gap.data in problems:
            wrong += not _run_gap(gap, problems[gap.data], gaps, args.repeats, args.time_limit)
    print("\nleast gaps between groups, of rule sets of an accuracy")
    sets = Table(SET_COLUMNS)
    for one in SET_GAPS:
        if one.data in problems:
            wrong += not _run_sets(one, problems[one.data], sets, args.repeats, args.time_limit)
    table.save(args.json, values=values, folds=folds, falling=falling, gaps=gaps, sets=sets)
    if wrong:
        print(f"{wrong} certified figures contradict the known ones, or their proofs are refused", file=sys.stderr)
    return min(wrong, 1)


def problem_of(name: str) -> rl.Problem:
    """Adult by sex; COMPAS as in the CORELS paper, of all or some races, for sexes without the sex as a feature."""
    if name == "adult":
        data = rl.datasets.load("adult", download=False)
        assert data.sensitive is not None
        X = rl.Binarizer(2, negations=False).fit_transform(data.X)
        ants = rl.mine_antecedents(X, 1, min_support=0.05, max_support=0.95)
        return rl.Problem.from_antecedents(ants, data.y, groups=data.sensitive["sex"])
    X, y, groups = _compas(name)
    ants = rl.mine_antecedents(X, 1 if name == "race, single" else 2, min_support=0.001, max_support=0.999)
    return rl.Problem.from_antecedents(ants, y, groups=groups)


def _compas(name: str) -> tuple[Any, Any, Any]:
    compas = rl.datasets.load("compas", download=False)
    assert compas.extra is not None
    data = feature_set_a(replace(compas, extra=compas.extra.assign(days_b_screening_arrest=0)))
    assert data.sensitive is not None
    X, y, groups = data.X, data.y, data.sensitive["sex" if name == "sex" else "race"]
    if name == "sex":
        X = X.drop(columns=["sex = male", "sex = female"])
    else:
        kept = groups.isin((*RACES, "Hispanic") if name == "three races" else RACES)
        X, y, groups = X[kept], y[kept], groups[kept]
    return X, y, groups


class Proof(NamedTuple):
    """Seconds that making a proof took, its entries, and seconds of its check; none: there is no proof."""

    made: float | None = None
    entries: int | None = None
    checked: float | None = None
    refused: bool = False
    state: str = ""


def _proven(search: Any, last: rl.Snapshot, entries: str, bound: bool = False) -> Proof:
    """The proof of an optimal model, or with ``bound`` of how far others are, checked; ``entries``: of its arrays."""
    certified = last.status is rl.Status.OPTIMAL
    if not (certified or bound) or last.incumbent is None:
        return Proof()
    model = last.incumbent.model
    try:
        proof = measure(search.certificate if certified else lambda: search.certificate(bound_only=True), 1)
    except rl.CertificateError:  # of too many entries
        return Proof()
    check = measure(lambda: rl.verify(search.problem, model, proof.result), 1)
    answer = check.result
    expected = "optimal" if certified else "bound"
    size = len(proof.result.arrays[entries])
    return Proof(proof.user, size, check.user, answer.state != expected, answer.state)


def _solved(make: Callable[[], rl.Search], time_limit: float) -> tuple[rl.Search, rl.Snapshot]:
    """A search and its end, or where it is after so many seconds of the processor."""
    search = make()
    search.compile()
    began = user_seconds()
    for last in search.steps():  # noqa: B007 - the last one counts
        if user_seconds() - began >= time_limit:
            break
    return search, last if last.status is not rl.Status.RUNNING else replace(last, status=rl.Status.LIMIT)


def _agrees(last: rl.Snapshot, proof: Proof, known: float, within: float) -> bool:
    """Whether what is certified is what is known, and its proof, where there is one, holds."""
    assert last.incumbent is not None
    certified = last.status is rl.Status.OPTIMAL
    return not proof.refused and (not certified or abs(last.incumbent.objective - known) < within)


def _run_falling(row: FallingRow, problem: rl.Problem, table: Table, repeats: int, time_limit: float) -> bool:
    def made() -> rl.Search:
        criterion = row.criterion(row.tolerance)
        return rl.search_for(
            problem,
            "falling_rule_list",
            regularization=row.regularization,
            positive_weight=row.positive_weight,
            fairness=criterion,
        )

    made().compile()
    taken = measure(lambda: _solved(made, time_limit), repeats)
    search, last = taken.result
    proof = _proven(search, last, "parents")
    table.add(
        row.data,
        row.positive_weight,
        row.regularization,
        row.criterion.__name__,
        row.tolerance,
        taken.user,
        last.incumbent.objective,
        row.known,
        last.gap,
        last.status,
        last.counts["expanded"],
        last.counts["stored"],
        *proof[:3],
        last.memory_bytes / 1e6,
    )
    return _agrees(last, proof, row.known, 1e-5)


def _run_gap(row: GapRow, problem: rl.Problem, table: Table, repeats: int, time_limit: float) -> bool:
    def made() -> rl.Search:
        if row.accuracy is None:
            steps = [0.54 + 0.14 * k / 49 for k in range(50)]
            return rl.frontier(problem, "gap", criterion=row.criterion, accuracies=steps, max_length=row.max_length)
        return rl.LeastGapSearch(problem, row.criterion, 0.01, row.accuracy, row.max_length)

    made().compile()
    taken = measure(lambda: _solved(made, 2 * time_limit), repeats)
    last = taken.result[1]
    assert last.incumbent is not None
    proven = last.counts.get("closed", int(last.detail.get("gap_is_proven", False)))
    table.add(
        row.data,
        row.criterion.__name__,
        "50" if row.accuracy is None else f"{row.accuracy:g}",
        "any" if row.max_length is None else str(row.max_length),
        taken.user,
        last.incumbent.objective,
        "" if row.known is None else f"{row.known:.6f}",
        last.lower_bound,
        proven,
        last.counts["stored"],
        last.counts["expanded"],
        last.counts["sets_counted"],
        last.memory_bytes / 1e6,
    )
    return not proven or row.known is None or abs(last.incumbent.objective - row.known) < 1e-6


def _run_sets(row: SetRow, problem: rl.Problem, table: Table, repeats: int, time_limit: float) -> bool:
    def made() -> rl.Search:
        return rl.LeastGapRuleSetSearch(problem, row.criterion, row.accuracy, row.max_complexity)

    made().compile()
    taken = measure(lambda: _solved(made, 2 * time_limit), repeats)
    last = taken.result[1]
    gap = float("nan") if last.incumbent is None else last.incumbent.objective
    known = "" if row.known is None else f"{row.known:.6f}"
    name = row.criterion.__name__
    given = row.data, name, row.accuracy, row.max_complexity
    table.add(*given, taken.user, gap, known, last.lower_bound, last.status)
    return last.status is not rl.Status.OPTIMAL or row.known is None or abs(gap - row.known) < 1e-6


def _run_folds(table: Table, time_limit: float) -> int:
    """Both kinds of labels on the rows of each fold but its own; returns how many proofs are refused."""
    X, y, groups = _compas("race, single")
    ants = rl.mine_antecedents(X, 1, min_support=0.001, max_support=0.999)
    of = np.random.default_rng(0).permutation(len(y)) % FOLDS
    refused = 0
    for labels in ("majority", "free"):
        for fold in range(FOLDS):
            kept = of != fold
            problem = rl.Problem.from_arrays(ants.matrix[kept], y[kept], names=ants.names, groups=groups[kept])

            def made(problem: rl.Problem = problem, labels: str = labels) -> rl.Search:
                return rl.search_for(
                    problem, regularization=FOLD_PENALTY, fairness=PARITY(FOLD_TOLERANCE), labels=labels
                )

            made().compile()
            taken = measure(lambda made=made: _solved(made, time_limit), 1)
            search, last = taken.result
            assert last.incumbent is not None
            proof = _proven(search, last, "sets")
            refused += proof.refused
            shown = "refused" if proof.refused else "none" if proof.made is None else "holds"
            rows, best = int(kept.sum()), last.incumbent.objective
            table.add(labels, fold, rows, taken.user, best, last.gap, last.status, last.counts["expanded"], shown)
    return refused


def _run_criteria(problems: dict[str, rl.Problem], args: argparse.Namespace) -> int:
    """Each criterion with each tolerance: certified, or its gap, with the proof of either checked."""
    table, refused = Table(CRITERIA_COLUMNS), 0
    chosen = [one for one in CRITERIA if args.criterion is None or one.__name__ in args.criterion]
    limits = TOLERANCES if args.tolerance is None else args.tolerance
    for name, criterion, eps in product(problems, chosen, limits):
        fairness, problem = criterion(eps), problems[name]

        def made(problem: rl.Problem = problem, fairness: rl.Criterion = fairness) -> rl.Search:
            return rl.search_for(problem, regularization=0.01, fairness=fairness, memory_limit=args.memory)

        made().compile()
        taken = measure(lambda made=made: _solved(made, args.time_limit), 1)
        search, last = taken.result
        proof = _proven(search, last, "sets", bound=True)
        refused += proof.refused
        verified = "refused" if proof.refused else "no proof" if proof.made is None else proof.state
        table.add(
            criterion.__name__,
            eps,
            "1" if "single" in name else "1 and 2",
            last.status,
            last.incumbent.objective,
            last.lower_bound,
            last.incumbent.objective - last.lower_bound,
            taken.user,
            verified,
            *proof[:3],
            last.memory_bytes / 1e6,
        )
    table.save(args.json)
    return min(refused, 1)


def _run(row: Row, problem: rl.Problem, table: Table, repeats: int, time_limit: float) -> bool:
    criterion = row.criterion(row.tolerance)

    def made() -> rl.Search:
        return rl.search_for(problem, regularization=row.regularization, fairness=criterion)

    made().compile()
    taken = measure(lambda: _solved(made, time_limit), repeats)
    search, last = taken.result
    proof = _proven(search, last, "sets")
    table.add(
        row.data,
        row.regularization,
        type(criterion).__name__,
        row.tolerance,
        taken.user,
        last.incumbent.objective,
        row.known,
        last.gap,
        last.status,
        last.counts["stored"],
        last.counts["expanded"],
        last.counts["sets_counted"],
        *proof[:3],
        last.memory_bytes / 1e6,
    )
    return _agrees(last, proof, row.known, 1e-4)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
