"""User CPU of whole rule set solves: column generation, set search, closing; certified bounds beside known figures."""

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from _measure import Table, agrees, instances, measure, parser

import rulelab as rl

COLUMNS = (
    "data:-14 | C:3d | D:4 | rows:6d | cond.:5d | user s:7.2f | wall s:7.2f | runs:4d | LP:9.2f | bound:6.0f | "
    "H:6d | gap %:6.2f | known:-13 | accuracy:8.3f | status:-8 | masters:7d | columns:7d | branched:8d"
)

MEASURED: dict[str, dict[tuple[int, int | None], tuple[int, int]]] = {
    "adult": {(5, None): (8609, 8638), (10, 4): (8290, 8290), (20, 4): (8045, 8045), (40, 4): (7821, 7863)},
    "magic": {(5, None): (4070, 4074), (10, 4): (3509, 3548), (20, 4): (3143, 3176), (40, 4): (2867, 2940)},
    "bank_marketing": {(5, None): (3877, 3943), (10, 4): (3758, 3785), (20, 4): (3632, 3648), (40, 4): (3518, 3534)},
    "default": {(5, None): (5375, 5385), (10, 4): (5320, 5332), (20, 4): (5271, 5300), (40, 4): (5175, 5278)},
    "mushroom": {(5, None): (84, 120), (10, 4): (5, 8), (20, 4): (0, 0)},
    "transfusion": {(5, None): (154, 154), (10, 4): (147, 148)},
    "liver": {(5, None): (118, 120), (10, 4): (107, 107)},
    "heart": {(5, None): (52, 58), (10, 4): (41, 42)},
    "banknote": {(5, None): (99, 109), (10, 4): (27, 30)},
    "ionosphere": {(5, None): (24, 24), (10, 4): (14, 17)},
    "breast_cancer": {},
}
"""Bound and best Hamming loss of an earlier design, on much the same conditions, by complexity C and conditions D."""

LARGE = ("adult", "magic", "bank_marketing", "default")
ALSO = {"breast_cancer": ((5, 4), (10, 4), (15, 4)), "transfusion": ((15, 4),), "liver": ((15, 4),)} | {
    "heart": ((15, 4),),
    "banknote": ((15, 4),),
    "ionosphere": ((15, 4),),
}


class Case(NamedTuple):
    """A data set, the two limits, and what is known: the optimum, or an earlier bound and loss."""

    name: str
    max_complexity: int
    max_conditions: int | None
    optimum: int | None
    earlier: tuple[int, int] | None


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a certified loss is not the known one."""
    options = parser("rule-set", __doc__ or "", repeats=1)
    options.add_argument("names", nargs="*", metavar="DATA", help="such as adult or adult:20; default: all small ones")
    options.add_argument("--all", action="store_true", help=f"with {', '.join(LARGE)}")
    options.add_argument("--time-limit", type=float, default=60.0, metavar="S", help="of each solve (%(default)g s)")
    args = options.parse_args(argv)
    chosen = [case for case in cases() if _chosen(case, args.names, args.all)]
    if not chosen:
        print(f"no data set is called {' or '.join(args.names)}", file=sys.stderr)
        return 2
    _warm_up()
    table, wrong, problems = Table(COLUMNS), 0, {}
    for case in chosen:
        if case.name not in problems:
            problems = {case.name: _problem(case.name)}
        problem = problems[case.name]
        if problem is not None:
            wrong += not _run(case, problem, table, args.repeats, args.time_limit)
    return table.end(args.json, wrong, "losses contradict the known ones")


def cases() -> Iterator[Case]:
    """The instances with certified optima where they are at hand, then the data sets of the papers."""
    module = instances()
    if module is not None:
        for (name, max_complexity), optimum in module.EXPECTED["rule_set"].items():
            yield Case(name, max_complexity, None, optimum, None)
    for name, known in MEASURED.items():
        limits = [*known, *(pair for pair in ALSO.get(name, ()) if pair not in known)]
        for max_complexity, max_conditions in limits:
            yield Case(name, max_complexity, max_conditions, None, known.get((max_complexity, max_conditions)))


def _chosen(case: Case, names: list[str], everything: bool) -> bool:
    if not names:
        return everything or case.name not in LARGE
    return case.name in names or f"{case.name}:{case.max_complexity}" in names


def _problem(name: str) -> rl.Problem | None:
    """Deciles both ways, one-hot with negations; None when the data set is not at hand."""
    module = instances()
    if module is not None and any(name == known for known, _ in module.EXPECTED["rule_set"]):
        A, y, names = module.load(name)
        return rl.Problem.from_arrays(pd.DataFrame(A, columns=names), y)
    try:
        data = rl.datasets.load(name, download=False)
    except ValueError as error:
        print(f"{name} is left out: {error}")
        return None
    return rl.Problem.from_arrays(rl.Binarizer(thresholds=10, negations=True).fit_transform(data.X), data.y)


def _warm_up() -> None:
    """Compile the kernels, or load them: on small data, and on enough rows for the proximal master."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(5000, 4)).round(1))
    y = (table[0] > 0.2) & (table[1] < 0.5) | (rng.random(5000) < 0.2)
    A = rl.Binarizer(thresholds=10).fit_transform(table)
    for conditions in (None, 3):
        rl.solve(rl.RuleSetSearch(rl.Problem.from_arrays(A, y), 8, conditions), time_limit=60)
    rl.solve(rl.RuleSetSearch(rl.Problem.from_arrays(A.to_numpy(), y), 8, 3), time_limit=60)


def _run(case: Case, problem: rl.Problem, table: Table, repeats: int, time_limit: float) -> bool:
    """Measure one case; whether its result agrees with the known optimum."""

    def solve() -> Any:
        search = rl.RuleSetSearch(problem, case.max_complexity, case.max_conditions)
        return rl.solve(search, time_limit=time_limit)

    snapshot, user, wall, runs = measure(solve, repeats)
    loss, bound = snapshot.incumbent.objective, snapshot.lower_bound
    known = None if case.optimum is None else f"{case.optimum}*"
    if case.earlier is not None:
        known = f"{case.earlier[0]} .. {case.earlier[1]}"
    table.add(
        case.name, case.max_complexity, "full" if case.max_conditions is None else str(case.max_conditions),
        problem.n_rows, problem.n_antecedents, user, wall, runs, snapshot.detail.get("master_value"), bound, loss,
        100 * (loss - bound) / max(loss, 1), known, 1 - snapshot.incumbent.errors / problem.total_weight,
        str(snapshot.status), snapshot.counts["masters"], snapshot.counts["columns"],
        snapshot.counts["branching_nodes"],
    )  # fmt: skip
    return agrees(snapshot, case.optimum, 0)
