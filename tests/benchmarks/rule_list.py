"""User CPU of whole rule list solves: merging the rows, reduction, first list, exact search."""

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from _measure import Table, agrees, instances, measure, parser

import rulelab as rl

HARD = {("compas_a", 0.001), ("compas_155", 0.0025), ("compas_165", 0.005), ("compas_982", 0.01)}
EMBEDDED = (("tic_tac_toe", 10, 0.01), ("diabetes", 10, 0.02), ("breast_cancer", 2, 0.01))  # quantile groups
WIDE = (("default", 9871, 4, 0.01), ("bank_marketing", 2280, 5, 0.01), ("diabetes", 442, 10, 0.01))  # rows, groups
HARDEST = {("compas_155", 0.001): 0.3303164, ("compas_165", 0.0025): 0.3373279, ("compas_165", 0.001): None}

COLUMNS = (
    "instance:-13 | lambda:7g | rows:6d | antec.:6d | user s:8.3f | wall s:8.3f | runs:4d | objective:10.7f | "
    "known:10.7f | bound:10.7f | status:-8 | sets stored:11d | MB:8.1f"
)


class Instance(NamedTuple):
    """Something to solve, its known optimum, and its matrix and labels."""

    name: str
    regularization: float
    known: float | None
    load: Callable[[], tuple[Any, Any]]

    @property
    def hard(self) -> bool:
        return (self.name, self.regularization) in HARD


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a certified objective is not the known one."""
    options = parser("rule-list", __doc__ or "")
    options.add_argument("names", nargs="*", metavar="INSTANCE", help="such as compas_a or compas_a:.005; default: all")
    options.add_argument("--all", action="store_true", help="with the four hardest, which are left out otherwise")
    options.add_argument(
        "--wide", action="store_true", help="instead: patterns nearly all distinct, and small regularizations"
    )
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="threads of each search (%(default)s)")
    options.add_argument("--time-limit", type=float, default=60.0, metavar="S", help="of each solve (%(default)g s)")
    args = options.parse_args(argv)
    known = list(wide_instances() if args.wide else known_instances())
    chosen = [instance for instance in known if _chosen(instance, args.names, args.all or args.wide)]
    if not chosen:
        there = ", ".join(f"{each.name}:{each.regularization:g}" for each in known)
        print(f"no instance is called {' or '.join(args.names)}; there are {there}", file=sys.stderr)
        return 2
    table, wrong = Table(COLUMNS), 0
    for instance in chosen:
        wrong += not _run(instance, table, args)
    if instances() is None:
        print("the COMPAS instances are left out: they are not beside this checkout")
    return table.end(args.json, wrong, "objectives contradict the known ones")


def known_instances() -> Iterator[Instance]:
    """The instances with certified optima where they are at hand, then the embedded data sets."""
    module = instances()
    if module is not None:
        for (name, regularization), known in module.EXPECTED["rule_list"].items():
            yield Instance(name, regularization, known, lambda name=name: module.load(name)[:2])
    for name, groups, regularization in EMBEDDED:
        yield Instance(name, regularization, None, lambda name=name, groups=groups: sample(name, groups))


def wide_instances() -> Iterator[Instance]:
    """Real data of which hardly two rows are alike, half of them of each class where there are so many; then COMPAS."""
    for name, rows, groups, regularization in WIDE:
        if name == "diabetes" or instances() is not None:
            yield Instance(
                name, regularization, None, lambda name=name, rows=rows, groups=groups: sample(name, groups, rows)
            )
    module = instances()
    if module is not None:
        for (name, regularization), known in HARDEST.items():
            yield Instance(name, regularization, known, lambda name=name: module.load(name)[:2])


def sample(name: str, groups: int, n: int | None = None) -> tuple[Any, Any]:
    """Conditions and labels of a data set, or of so many of its rows, half of them of each class."""
    data = rl.datasets.load(name)
    y, rng = data.y.to_numpy(), np.random.default_rng(0)
    rows = np.arange(len(y))
    if n is not None and n < len(y):
        rows = np.sort(np.concatenate([rng.permutation(np.flatnonzero(y == label))[: n // 2] for label in (0, 1)]))
    conditions = rl.Binarizer(thresholds=groups).fit_transform(data.X.iloc[rows])
    return rl.mine_antecedents(conditions, max_conditions=1).matrix, y[rows]


def chosen_instances(names: list[str], everything: bool) -> list[Instance]:
    """Those with these names; the hard ones only when they are named in full or everything is wanted."""
    return [instance for instance in known_instances() if _chosen(instance, names, everything)]


def _chosen(instance: Instance, names: list[str], everything: bool) -> bool:
    own = [price for name, _, price in (wanted.partition(":") for wanted in names) if name == instance.name]
    in_full = any(float(price) == instance.regularization for price in own if price)
    return in_full or ((everything or not instance.hard) and (not names or "" in own))


def _run(instance: Instance, table: Table, args: argparse.Namespace) -> bool:
    """Measure one instance; whether its result agrees with the known optimum."""
    A, y = instance.load()

    def search() -> rl.RuleListSearch:
        return rl.RuleListSearch(rl.Problem.from_arrays(A, y), instance.regularization, n_jobs=args.jobs)

    search().compile()
    snapshot, user, wall, runs = measure(lambda: rl.solve(search(), time_limit=args.time_limit), args.repeats)
    objective, known = snapshot.incumbent.objective, instance.known
    table.add(
        instance.name, instance.regularization, len(A), A.shape[1], user, wall, runs, objective, known,
        snapshot.lower_bound, str(snapshot.status), snapshot.counts["stored"], snapshot.memory_bytes / 1e6,
    )  # fmt: skip
    return agrees(snapshot, known)
