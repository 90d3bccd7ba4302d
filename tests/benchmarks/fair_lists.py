"""Fair rule lists on COMPAS and adult: seconds, nodes, what is proven and its proofs, beside what is known.

Then lists of predictive parity, five folds as FairCORELS was measured on, fair falling lists, the least gaps between
groups of lists of some accuracy, and of 50 accuracies at once, and those of rule sets.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from _measure import Table, measure, parser, use_shared_data, user_seconds

import rulelab as rl
from rulelab.papers.corels import RACES, feature_set_a

PARITY, OPPORTUNITY, ACCURACY = rl.DemographicParity, rl.EqualOpportunity, rl.AccuracyParity
EQUALITY, ODDS, PRECISION = rl.FalsePositiveRateParity, rl.EqualizedOdds, rl.PredictiveParity


class Row(NamedTuple):
    """Some data, what is asked of a search on them, and the certified figure (or None); slow ones on demand."""

    data: str
    asked: dict[str, Any]
    known: float | None = None
    slow: bool = False


class Part(NamedTuple):
    """A table of rows: its title, how a search is made, the array whose entries count in proofs, and the tolerance."""

    title: str
    make: Callable[..., rl.Search]
    rows: tuple[Row, ...]
    entries: str = ""
    within: float = 1e-6


def fair(
    data: str, price: float, criterion: Callable[[float], Any], known: dict[float, float], slow: bool = False
) -> list[Row]:
    """Of a criterion: by tolerance, the certified objective."""
    return [
        Row(data, {"regularization": price, "fairness": criterion(eps)}, objective, slow)
        for eps, objective in known.items()
    ]


def least(data: str, criterion: type[rl.Criterion], accuracy: float | None, known: float | None, **more: Any) -> Row:
    return Row(data, {"criterion": criterion, "min_accuracy": accuracy, **more}, known)


LISTS = (
    *fair("race", 0.01, PARITY, {0.2: 0.3709, 0.1: 0.4102, 0.05: 0.4410, 0.02: 0.4546, 0.01: 0.4602, 0: 0.4662}),
    *fair("race", 0.01, OPPORTUNITY, {0.05: 0.4124, 0.01: 0.4355}),
    *fair("race", 0.01, ACCURACY, {0.02: 0.3714}),
    *fair("race", 0.01, EQUALITY, {0.1: 0.3864, 0.05: 0.4132}),
    *fair("race", 0.01, ODDS, {0.1: 0.3996, 0.05: 0.4350}),
    *fair("race", 0.02, PARITY, {0.05: 0.4550}),
    *fair("race", 0.02, EQUALITY, {0.05: 0.4280}),
    *fair("race", 0.02, ODDS, {0.05: 0.4642}),
    *fair("race", 0.005, PARITY, {0.05: 0.4234}, slow=True),
    *fair("three races", 0.01, PARITY, {0.05: 0.4366}),
    *fair("race, single", 0.01, PARITY, {0.05: 0.4495}),
    *fair("race, single", 0.005, PARITY, {0.05: 0.4332}),
    *fair("race, single", 0.001, PARITY, {0.05: 0.4054}),
    *fair("race, single", 0.005, ODDS, {0.02: 0.4492}),
    *fair("adult", 0.01, PARITY, {0.05: 0.2299}),
    *fair("sex", 0.01, PARITY, {0.05: 0.4118, 0.02: 0.4380, 0: 0.4507}),
    *fair("sex", 0.01, OPPORTUNITY, {0.05: 0.3815}),
    *fair("sex", 0.01, EQUALITY, {0.05: 0.3835}),
    *fair("sex", 0.01, ODDS, {0.05: 0.3935}),
    *fair("sex", 0.005, PARITY, {0.05: 0.3916}),
)
"""Objectives with four digits: of an independent prototype, but for two it could not finish and that of adult."""

VALUES = (
    *fair("race, single", 0.01, PRECISION, {0.1: 0.3722, 0.05: 0.38122, 0.02: 0.44504, 0.01: 0.44504, 0: 0.45935}),
    *fair("race", 0.01, PRECISION, {0.1: 0.37089, 0.05: 0.37748}),
    *fair("race", 0.01, PRECISION, {0.02: 0.42106, 0.01: 0.43171, 0: 0.44967}, slow=True),
)
"""Predictive parity, with objectives found by this search; the slow ones have not been certified."""

FALLING = (
    *fair("race, single", 0.01, PARITY, {0.1: 0.44504, 0.05: 0.45699}),
    *fair("race, single", 0.01, OPPORTUNITY, {0.05: 0.45951}),
    *fair("race, single", 0.005, ODDS, {0.05: 0.44951}),
    *fair("race", 0.01, PARITY, {0.1: 0.41480, 0.02: 0.45748}),
    *fair("race", 0.01, OPPORTUNITY, {0.05: 0.42016}),
    *fair("race", 0.01, EQUALITY, {0.1: 0.39114}),
    *fair("race", 0.01, ODDS, {0.1: 0.39959}),
)
"""Objectives found by this search."""

GAPS = (
    least("race, single", PARITY, 0.62, 0.081018),
    least("race, single", PARITY, 0.65, 0.141266),
    least("race, single", OPPORTUNITY, 0.62, 0.059475, max_length=4),
    least("race", PARITY, 0.62, 0.121713, max_length=2),
    least("race", OPPORTUNITY, 0.65, 0.156961, max_length=3),
    least("sex", PARITY, 0.62, 0.057121, max_length=3),
    least("adult", PARITY, 0.79, None, max_length=3),
    least("adult", OPPORTUNITY, 0.8, 0.071447, max_length=3),
    least("race, single", OPPORTUNITY, None, None, max_length=5),
    least("race, single", PARITY, None, None),
)
"""Of an accuracy, or of 50 of them; those with a figure were found by this search."""

SETS = (
    least("race, single", PARITY, 0.62, 0.121713, max_complexity=6),
    least("race, single", OPPORTUNITY, 0.62, 0.090241, max_complexity=6),
    least("race, single", OPPORTUNITY, 0.64, 0.124602, max_complexity=8),
)
"""Of rule sets of conditions of one column each, counted as by the Hamming loss."""


def least_gap(problem: rl.Problem, min_accuracy: float | None, **asked: Any) -> rl.Search:
    if min_accuracy is None:
        steps = [0.54 + 0.14 * k / 49 for k in range(50)]
        return rl.frontier(problem, "gap", accuracies=steps, **asked)
    return rl.LeastGapSearch(problem, regularization=0.01, min_accuracy=min_accuracy, **asked)


PARTS = {
    "rows": Part("fair rule lists: least errors / rows + lambda x rules", rl.search, LISTS, "sets", 1e-4),
    "values": Part("rule lists of predictive parity", rl.search, VALUES, "sets", 1e-4),
    "falling": Part(
        "fair falling rule lists: least weighted loss / rows + lambda x rules",
        lambda problem, **asked: rl.search(problem, "falling_rule_list", **asked),
        FALLING,
        "parents",
        1e-5,
    ),
    "gaps": Part("least gaps between groups, of rule lists of an accuracy, or of 50 at once", least_gap, GAPS),
    "sets": Part("least gaps between groups, of rule sets of an accuracy", rl.engines.LeastGapRuleSetSearch, SETS),
}

CRITERIA = (PARITY, OPPORTUNITY, EQUALITY, ODDS, ACCURACY, PRECISION)
TOLERANCES = (0.1, 0.05, 0.02, 0.01, 0.0)
"""What ``--criteria`` certifies on COMPAS, with antecedents of one condition and of one or two."""

FOLDS, FOLD_PENALTY, FOLD_TOLERANCE = 5, 0.001, 0.02
"""What FairCORELS was measured with (CPAIOR 2022), on a file that is not public here."""

COLUMNS = (
    "data:-12 | asked:-46 | user s:7.2f | best:9.6f | known:8.6g | bound:9.6f | status:-10 | sets:8d | prefixes:8d | "
    "proof:-8 | made s:7.2f | entries:7d | checked:7.2f | MB:6.0f"
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
    names = ["race, single", "race"] if args.criteria else sorted({row.data for row in LISTS})
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
    wrong, tables = 0, {}
    for name, part in PARTS.items():
        print(f"\n{part.title}")
        tables[name] = table = Table(COLUMNS)
        for row in part.rows:
            if row.data in problems and (args.all or not row.slow):
                wrong += not _run(part, row, problems[row.data], table, args)
    if "race, single" in problems:
        print(f"\n{FOLDS} folds of COMPAS, two races: regularization {FOLD_PENALTY}, parity within {FOLD_TOLERANCE}")
        tables["folds"] = folds = Table(COLUMNS)
        wrong += _run_folds(folds, args)
    first, *_ = tables.values()
    said = "certified figures contradict the known ones, or their proofs are refused"
    return first.end(args.json, wrong, said, **{name: table for name, table in tables.items() if name != "rows"})


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
    """What its check says, seconds that making it took, its entries, and seconds of the check."""

    said: str = "none"
    made: float | None = None
    entries: int | None = None
    checked: float | None = None


def _proven(search: Any, last: rl.results.Snapshot, entries: str, bound: bool) -> Proof:
    """The proof of an optimal model, or with ``bound`` of how far others are, checked; ``entries``: of its arrays."""
    certified = last.status is rl.Status.OPTIMAL
    if not entries or not (certified or bound) or last.incumbent is None:
        return Proof()
    try:
        proof = measure(search.certificate if certified else lambda: search.certificate(bound_only=True), 1)
    except rl.errors.CertificateError:  # of too many entries
        return Proof()
    check = measure(lambda: rl.verify(search.problem, last.incumbent.model, proof.result), 1)
    expected = "optimal" if certified else "bound"
    said = check.result.state if check.result.state == expected else "refused"
    return Proof(said, proof.user, len(proof.result.arrays[entries]), check.user)


def _solved(make: Callable[[], rl.Search], time_limit: float) -> tuple[rl.Search, rl.results.Snapshot]:
    """A search and its end, or where it is after so many seconds of the processor."""
    search = make()
    search.compile()
    began = user_seconds()
    for last in search.steps():  # noqa: B007 - the last one counts
        if user_seconds() - began >= time_limit:
            break
    return search, last if last.status is not rl.Status.RUNNING else replace(last, status=rl.Status.LIMIT)


def _words(asked: dict[str, Any]) -> str:
    """What is asked for, in short."""
    named = {"regularization": "lambda", "min_accuracy": "accuracy", "max_length": "rules"}
    named["max_complexity"] = "complexity"
    out = [str(asked["labels"])] if "labels" in asked else []
    if (criterion := asked.get("fairness")) is not None:
        out.append(f"{type(criterion).__name__} {criterion.tolerance:g}")
    if "criterion" in asked:
        out.append(asked["criterion"].__name__)
    return ", ".join([*out, *(f"{named[name]} {each or 'any of 50'}" for name, each in asked.items() if name in named)])


def _run(
    part: Part, row: Row, problem: rl.Problem, table: Table, args: argparse.Namespace, bound: bool = False
) -> bool:
    """Solve a row and show it; whether what is certified is what is known, and its proof, where there is one, holds."""

    def made() -> rl.Search:
        return part.make(problem, **row.asked)

    made().compile()
    taken = measure(lambda: _solved(made, args.time_limit if part.entries else 2 * args.time_limit), args.repeats)
    search, last = taken.result
    proof = _proven(search, last, part.entries, bound)
    best = None if last.incumbent is None else last.incumbent.objective
    counts = [last.counts.get(name) for name in ("stored", "expanded")]
    shown = row.data, _words(row.asked), taken.user, best, row.known, last.lower_bound, last.status, *counts
    table.add(*shown, *proof, last.memory_bytes / 1e6)
    certified = last.status is rl.Status.OPTIMAL or last.detail.get("gap_is_proven", False)
    agrees = not certified or row.known is None or abs(best - row.known) < part.within
    return agrees and proof.said != "refused"


def _run_folds(table: Table, args: argparse.Namespace) -> int:
    """Both kinds of labels on the rows of each fold but its own; returns how many proofs are refused."""
    X, y, groups = _compas("race, single")
    ants = rl.mine_antecedents(X, 1, min_support=0.001, max_support=0.999)
    of = np.random.default_rng(0).permutation(len(y)) % FOLDS
    refused = 0
    for labels, fold in product(("majority", "free"), range(FOLDS)):
        kept = of != fold
        problem = rl.Problem.from_arrays(ants.matrix[kept], y[kept], names=ants.names, groups=groups[kept])
        asked = {"labels": labels, "regularization": FOLD_PENALTY, "fairness": PARITY(FOLD_TOLERANCE)}
        refused += not _run(PARTS["rows"], Row(f"fold {fold}", asked), problem, table, args)
    return refused


def _run_criteria(problems: dict[str, rl.Problem], args: argparse.Namespace) -> int:
    """Each criterion with each tolerance: certified, or its gap, with the proof of either checked."""
    table, refused = Table(COLUMNS), 0
    chosen = [one for one in CRITERIA if args.criterion is None or one.__name__ in args.criterion]
    limits = TOLERANCES if args.tolerance is None else args.tolerance
    for name, criterion, eps in product(problems, chosen, limits):
        asked = {"regularization": 0.01, "fairness": criterion(eps), "memory_limit": args.memory}
        refused += not _run(PARTS["rows"], Row(name, asked), problems[name], table, args, bound=True)
    table.save(args.json)
    return min(refused, 1)
