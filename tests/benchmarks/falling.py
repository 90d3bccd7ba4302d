"""User CPU of whole exact falling rule list solves: merging the rows, first list, exact search, hard and soft."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from _measure import Table, instances, measure, parser

import rulelab as rl

SOFT = ((1, 1e-6), (3, 1e-6), (5, 1e-6))
PENALTY = 0.5
TOLERANCE = 1e-6  # the certified objectives are kept with 7 decimals

COLUMNS = (
    "instance:-10 | kind:-5 | w:3g | C:6g | user s:8.3f | wall s:8.3f | runs:4d | objective:10.7f | known:10.7f | "
    "bound:10.7f | status:-8 | expanded:9d | stored:9d | MB:8.1f"
)


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a certified objective is not the known one."""
    options = parser("falling", __doc__ or "")
    options.add_argument("--weights", nargs="+", type=float, metavar="W", help="only these positive weights")
    options.add_argument("--kind", choices=("hard", "soft"), help="default: both")
    options.add_argument("--time-limit", type=float, default=120.0, metavar="S", help="of each solve (%(default)g s)")
    args = options.parse_args(argv)
    module = instances()
    if module is None:
        print("the instances with certified optima are not beside this checkout", file=sys.stderr)
        return 1
    _warm_up()
    table, wrong, data = Table(COLUMNS), 0, {}
    known = module.EXPECTED["falling_rule_list"]
    rows = [(name, "hard", w, C, None) for name, w, C in known]
    rows += [("bank_227", "soft", w, C, PENALTY) for w, C in SOFT]
    for name, kind, w, C, penalty in rows:
        if (args.weights and w not in args.weights) or (args.kind and kind != args.kind):
            continue
        if name not in data:
            data[name] = module.load(name)[:2]
        optimum = known[name, w, C]  # for these weights and this penalty no softly falling list is better
        wrong += not _run(table, name, kind, w, C, penalty, optimum, data[name], args.repeats, args.time_limit)
    for kind in ("hard", "soft"):
        print(f"{kind}: {sum(row['user s'] for row in table.rows if row['kind'] == kind):.2f} user s together")
    table.save(args.json)
    if wrong:
        print(f"{wrong} objectives contradict the known ones", file=sys.stderr)
    return min(wrong, 1)


def _warm_up() -> None:
    """Compile the kernels, or load them."""
    rng = np.random.default_rng(0)
    A = rng.random((200, 10)) < 0.5
    problem = rl.Problem.from_arrays(A, A[:, 0] ^ (rng.random(200) < 0.2))
    for penalty in (None, PENALTY):
        rl.solve(rl.search_for(problem, "falling_rule_list", violation_penalty=penalty))


def _run(
    table: Table,
    name: str,
    kind: str,
    w: float,
    C: float,
    penalty: float | None,
    known: float,
    data: tuple[Any, Any],
    repeats: int,
    time_limit: float,
) -> bool:
    """Measure one instance; whether its result agrees with the known optimum."""

    def solve() -> rl.Snapshot:
        problem = rl.Problem.from_arrays(*data)
        return rl.solve(
            rl.search_for(problem, "falling_rule_list", regularization=C, positive_weight=w, violation_penalty=penalty),
            time_limit=time_limit,
        )

    snapshot, user, wall, runs = measure(solve, repeats)
    objective = snapshot.incumbent.objective
    table.add(
        name, kind, w, C, user, wall, runs, objective, known, snapshot.lower_bound, str(snapshot.status),
        snapshot.counts["expanded"], snapshot.counts["stored"], snapshot.memory_bytes / 1e6,
    )  # fmt: skip
    if snapshot.status is rl.Status.OPTIMAL:
        return abs(objective - known) <= TOLERANCE
    return snapshot.lower_bound <= known + TOLERANCE and objective >= known - TOLERANCE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
