"""User CPU of one iteration of the Monte-Carlo search for falling rule lists (Algorithms FRL and softFRL)."""

from __future__ import annotations

from _measure import Table, measure, needed_instances, parser

import rulelab as rl

REGULARIZATION, VIOLATION_PENALTY = 1e-6, 0.5
PAPERS_MILLISECONDS = (13.8, 21.9)  # an iteration of the authors' Python code on bank_227, by w

COLUMNS = (
    "list:-7 | w:4g | iterations:10d | us/iteration:12.1f | prepare s:9.3f | runs:4d | objective:10.7f | "
    "certified:10.7f | at:6d"
)


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a list is better than the certified optimum, 2 when the data are not there."""
    options = parser("falling-monte-carlo", __doc__ or "")
    options.add_argument("--weights", type=float, nargs="+", default=[1, 3, 5, 7], metavar="W")
    options.add_argument("--iterations", type=int, default=3000)
    args = options.parse_args(argv)
    module = needed_instances()
    A, y, names = module.load("bank_227")
    problem = rl.Problem.from_arrays(A, y, names=names)
    table, wrong, slowest = Table(COLUMNS), 0, 0.0
    _measured(problem, 1.0, None, 1, 1)  # compiles the kernel
    for penalty in (None, VIOLATION_PENALTY):
        for w in args.weights:
            prepare = _measured(problem, w, penalty, 1, args.repeats)
            last, user, _, runs = _measured(problem, w, penalty, args.iterations, args.repeats)
            each = max(0.0, user - prepare.user) / args.iterations * 1e6
            known = module.EXPECTED["falling_rule_list"].get(("bank_227", w, REGULARIZATION))
            best = last.incumbent
            kind = "falling" if penalty is None else "softly"
            table.add(kind, w, args.iterations, each, prepare.user, runs, best.objective, known, best.found_at[1])
            wrong += penalty is None and known is not None and best.objective < known - 1e-7
            slowest = max(slowest, each)
    table.save(args.json)
    low, high = PAPERS_MILLISECONDS
    print(f"the authors' Python takes {low} to {high} ms: at least {low * 1000 / slowest:.0f} times the slowest here")
    return int(wrong > 0)


def _measured(problem: rl.Problem, w: float, penalty: float | None, iterations: int, repeats: int):
    def run() -> rl.Snapshot:
        asked = {"regularization": REGULARIZATION, "positive_weight": w, "violation_penalty": penalty}
        how = {"method": "monte_carlo", "iterations": iterations, "random_state": 1}
        search = rl.search_for(problem, "falling_rule_list", **asked, **how)
        return rl.solve(search, work_per_step=iterations)

    return measure(run, repeats)
