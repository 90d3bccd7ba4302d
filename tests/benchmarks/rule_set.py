"""User CPU of whole rule set solves: column generation, set search, closing; certified losses beside known ones."""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd
from _measure import Table, agrees, instances, measure, parser

import rulelab as rl

COLUMNS = (
    "data:-14 | C:3d | D:4 | rows:6d | cond.:5d | user s:7.2f | wall s:7.2f | runs:4d | LP:9.2f | bound:6.0f | "
    "H:6d | gap %:6.2f | known:6d | accuracy:8.3f | status:-8 | masters:7d | columns:7d | branched:8d"
)

LARGE = ("adult", "magic", "bank_marketing", "default")
LIMITS: dict[str, tuple[tuple[int, int | None], ...]] = {
    **dict.fromkeys(LARGE, ((5, None), (10, 4), (20, 4), (40, 4))),
    "mushroom": ((5, None), (10, 4), (20, 4)),
    **dict.fromkeys(("transfusion", "liver", "heart", "banknote", "ionosphere"), ((5, None), (10, 4), (15, 4))),
    "breast_cancer": ((5, 4), (10, 4), (15, 4)),
}
"""Of the data sets of the papers: complexities, and conditions of a rule."""


class Case(NamedTuple):
    """A data set, the two limits, and the optimum where it is known."""

    name: str
    max_complexity: int
    max_conditions: int | None
    optimum: int | None = None


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
            yield Case(name, max_complexity, None, optimum)
    for name, limits in LIMITS.items():
        for max_complexity, max_conditions in limits:
            yield Case(name, max_complexity, max_conditions)


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


def _run(case: Case, problem: rl.Problem, table: Table, repeats: int, time_limit: float) -> bool:
    """Measure one case; whether its result agrees with the known optimum."""

    def search() -> rl.RuleSetSearch:
        return rl.RuleSetSearch(problem, case.max_complexity, case.max_conditions)

    search().compile()
    snapshot, user, wall, runs = measure(lambda: rl.solve(search(), time_limit=time_limit), repeats)
    loss, bound = snapshot.incumbent.objective, snapshot.lower_bound
    table.add(
        case.name, case.max_complexity, "full" if case.max_conditions is None else str(case.max_conditions),
        problem.n_rows, problem.n_antecedents, user, wall, runs, snapshot.detail.get("master_value"), bound, loss,
        100 * (loss - bound) / max(loss, 1), case.optimum, 1 - snapshot.incumbent.errors / problem.total_weight,
        str(snapshot.status), snapshot.counts["masters"], snapshot.counts["columns"],
        snapshot.counts["branching_nodes"],
    )  # fmt: skip
    return agrees(snapshot, case.optimum, 0)
