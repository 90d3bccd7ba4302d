"""User CPU of exact pricing calls of the rule set engine, on the dual values of a column generation."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from _measure import Table, instances, measure, parser
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, eye, hstack, vstack

import rulelab as rl
from rulelab.rule_set.features import Features
from rulelab.rule_set.pricing.cubes import cube_parts
from rulelab.rule_set.pricing.exact import Pricer, Pricing

DATA = ("mushroom", "adult", "magic", "bank_marketing", "default")
SMALL = ("tic_tac_toe_54", "compas_24")
GRID = 2**20
MOST_COMPLEXITY = 10
ROUNDS = 6
COLUMNS_PER_ROUND = 25
NODES_PER_ROUND = 5000

COLUMNS = (
    ("data", -14, ""),
    ("patterns", 8, "d"),
    ("cond.", 5, "d"),
    ("D", 2, "d"),
    ("method", -7, ""),
    ("user s", 8, ".4f"),
    ("wall s", 8, ".4f"),
    ("runs", 4, "d"),
    ("nodes", 9, "d"),
    ("G updates/s", 11, ".2f"),
    ("value", 9, ".2f"),
    ("complete", 8, ""),
)


def main(argv: list[str]) -> int:
    """Print the table; status 1 when two methods disagree."""
    options = parser("pricing", __doc__ or "")
    options.add_argument("names", nargs="*", metavar="DATA", help=f"out of {', '.join((*SMALL, *DATA))}; default: all")
    options.add_argument("--conditions", type=int, action="append", metavar="D", help="default: 3, 4 and 5")
    options.add_argument("--nodes", type=int, default=5_000_000, help="most nodes of a call (%(default)s)")
    args = options.parse_args(argv)
    table, wrong = Table(COLUMNS), 0
    for name in args.names or (*SMALL, *DATA):
        problem = _load(name)
        if problem is None:
            print(f"{name} is left out: it is not beside this checkout, or not cached")
            continue
        features = Features.from_problem(problem)
        weight, charge = _late_duals(problem, features)
        for depth in args.conditions or (3, 4, 5):
            wrong += not _compare(table, name, features, weight, charge, depth, args)
    table.save(args.json)
    return min(wrong, 1)


def _load(name: str) -> rl.Problem | None:
    if name in SMALL:
        module = instances()
        if module is None:
            return None
        A, y, _ = module.load(name)
        return rl.Problem.from_arrays(A, y)
    try:
        data = rl.datasets.load(name)
    except OSError:
        return None
    return rl.Problem.from_arrays(rl.Binarizer(thresholds=10).fit_transform(data.X), data.y)


def _late_duals(problem: rl.Problem, features: Features) -> tuple[np.ndarray, int]:
    """Weights and price of the linear program after some rounds of column generation with rules of 3 conditions."""
    positives, negatives = problem.positives, problem.negatives
    weight, charge = GRID * (positives - negatives), 0
    rules: list[tuple[int, ...]] = []
    for _ in range(ROUNDS):
        pricer = Pricer(features, weight, charge, 3)
        pricer.advance(NODES_PER_ROUND)
        new = [rule for rule in pricer.result().rules[:COLUMNS_PER_ROUND] if rule not in rules]
        if not new:
            break
        rules += new
        covered = np.array([features.covered(rule) for rule in rules])
        kinds, kind = np.unique(covered, axis=1, return_inverse=True)
        mass = np.bincount(kind.ravel(), positives, kinds.shape[1])
        costs = np.concatenate([covered @ negatives, mass])
        sizes = np.concatenate([[1.0 + len(rule) for rule in rules], np.zeros(len(mass))])
        rows = vstack([hstack([-csr_matrix(kinds.T.astype(float)), -eye(len(mass))]), csr_matrix(sizes)])
        solved = linprog(costs, A_ub=rows.tocsr(), b_ub=[-1.0] * len(mass) + [MOST_COMPLEXITY], method="highs")
        dual = np.clip(-solved.ineqlin.marginals[:-1] / np.maximum(mass, 1), 0, 1)
        weight = np.rint(GRID * dual[kind.ravel()] * positives).astype(np.int64) - GRID * negatives
        charge = round(-GRID * solved.ineqlin.marginals[-1])
    return weight, charge


def _compare(
    table: Table, name: str, features: Features, weight: np.ndarray, charge: int, depth: int, args: object
) -> bool:
    """Measure all methods at one depth; whether those that finished agree."""
    found: list[Pricing] = []
    for method in _methods(features, depth):
        Pricer(features, weight, charge, depth, method=method).advance(10)  # compiles, or derives the cubes' cells

        def run(method: str = method) -> tuple[Pricer, Pricing]:
            pricer = Pricer(features, weight, charge, depth, method=method)
            pricer.advance(args.nodes)  # type: ignore[attr-defined]
            return pricer, pricer.result()

        (pricer, result), user, wall, runs = measure(run, args.repeats)  # type: ignore[attr-defined]
        updates = pricer.updates / max(user, 1e-9) / 1e9 if method == "cubes" else None
        table.add(
            name,
            features.n_patterns,
            features.n_used,
            depth,
            method,
            user,
            wall,
            runs,
            result.nodes,
            updates,
            result.value / GRID,
            "yes" if result.complete else "no",
        )
        if result.complete:
            found.append(result)
    return all((result.best == found[0].best).all() for result in found)


def _methods(features: Features, depth: int) -> Iterator[str]:
    yield "auto"
    yield "bitset"
    if cube_parts(features, depth) is not None:
        yield "cubes"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
