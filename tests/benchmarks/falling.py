"""User CPU of whole exact falling rule list solves: merging the rows, first list, exact search, hard and soft."""

from typing import Any

from _measure import Table, agrees, measure, needed_instances, parser

import rulelab as rl

SOFT = ((1, 1e-6), (3, 1e-6), (5, 1e-6))
PENALTY = 0.5

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
    module = needed_instances()
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
        wrong += not _run(table, (name, kind, w, C), penalty, optimum, data[name], args)
    for kind in ("hard", "soft"):
        print(f"{kind}: {sum(row['user s'] for row in table.rows if row['kind'] == kind):.2f} user s together")
    return table.end(args.json, wrong, "objectives contradict the known ones")


def _run(table: Table, case: tuple[Any, ...], penalty: float | None, known: float, data: Any, args: Any) -> bool:
    """Measure one instance; whether its result agrees with the known optimum."""

    def search() -> rl.Search:
        asked = {"positive_weight": case[2], "regularization": case[3], "violation_penalty": penalty}
        return rl.search(rl.Problem.from_arrays(*data), "falling_rule_list", **asked)

    search().compile()
    snapshot, user, wall, runs = measure(lambda: rl.solve(search(), time_limit=args.time_limit), args.repeats)
    objective = snapshot.incumbent.objective
    table.add(
        *case, user, wall, runs, objective, known, snapshot.lower_bound, str(snapshot.status),
        snapshot.counts["expanded"], snapshot.counts["stored"], snapshot.memory_bytes / 1e6,
    )  # fmt: skip
    return agrees(snapshot, known)
