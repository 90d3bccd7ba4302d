"""Fair rule lists on COMPAS and adult: seconds, nodes, what is proven and its proofs, beside what is known.

Then lists of predictive parity, five folds as FairCORELS was measured on, fair falling lists, the least gaps between
groups of lists of some accuracy, and of 50 accuracies at once, and those of rule sets.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from _measure import Table, measure, parser, use_shared_data, user_seconds

import rulelab as rl
from rulelab.papers.corels import RACES, feature_set_a


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
    rows: list[Row]
    entries: str = ""
    within: float = 1e-6


WRITTEN = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def fair(part: str) -> list[Row]:
    """Of a criterion: by tolerance, the certified objective."""
    return [
        Row(data, {"regularization": price, "fairness": getattr(rl, criterion)(eps)}, objective, *slow)
        for data, price, criterion, known, *slow in WRITTEN[part]
        for eps, objective in known.items()
    ]


def least(part: str) -> list[Row]:
    return [
        Row(data, {"criterion": getattr(rl, criterion), "min_accuracy": accuracy, **more}, known)
        for data, criterion, accuracy, known, more in WRITTEN[part]
    ]


def least_gap(problem: rl.Problem, min_accuracy: float | None, **asked: Any) -> rl.Search:
    if min_accuracy is None:
        steps = [0.54 + 0.14 * k / 49 for k in range(50)]
        return rl.frontier(problem, "gap", accuracies=steps, **asked)
    return rl.LeastGapSearch(problem, regularization=0.01, min_accuracy=min_accuracy, **asked)


PARTS = {
    "rows": Part("fair rule lists: least errors / rows + lambda x rules", rl.search, fair("rows"), "sets", 1e-4),
    "values": Part("rule lists of predictive parity", rl.search, fair("values"), "sets", 1e-4),
    "falling": Part(
        "fair falling rule lists: least weighted loss / rows + lambda x rules",
        lambda problem, **asked: rl.search(problem, "falling_rule_list", **asked),
        fair("falling"),
        "parents",
        1e-5,
    ),
    "gaps": Part("least gaps between groups, of rule lists of an accuracy, or of 50 at once", least_gap, least("gaps")),
    "sets": Part(
        "least gaps between groups, of rule sets of an accuracy", rl.engines.LeastGapRuleSetSearch, least("sets")
    ),
}

CRITERIA = (
    *(rl.DemographicParity, rl.EqualOpportunity, rl.FalsePositiveRateParity),
    *(rl.EqualizedOdds, rl.AccuracyParity, rl.PredictiveParity),
)
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
    names = ["race, single", "race"] if args.criteria else sorted({row.data for row in PARTS["rows"].rows})
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
        asked = {"labels": labels, "regularization": FOLD_PENALTY, "fairness": rl.DemographicParity(FOLD_TOLERANCE)}
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
