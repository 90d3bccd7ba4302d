"""Side by side with the C++ search of the package `corels` (PyPI), on the same antecedents.

The package mines antecedents of its own: from features of one condition it makes these and their negations. Both
searches are therefore given the features and their negations, equal ones once. A row of the minority class comes
first: with GMP the package derives the number of rows from the highest bit that is set, and a first bit of zero makes
it leave out the equivalent points bound. It needs an older Python: name an interpreter that has it with --python.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _measure import Table, measure, needed_instances, parser

import rulelab as rl

CASES = [(f"compas_{name}", price) for name in ("a", "155", "165") for price in (0.02, 0.01)] + [("compas_a", 0.005)]
COLUMNS = (
    "instance:-11 | lambda:7g | antec.:6d | rulelab s:9.3f | corels s:9.2f | times:7.0f | optimum:10.7f | "
    "corels:10.7f | corels ended:-12"
)
OTHER = """
import json, resource, sys
import numpy as np
np.bool = bool
from corels import CorelsClassifier
data = np.load(sys.argv[1])
X, y = data["X"].astype(np.uint8), data["y"].astype(np.uint8)
model = CorelsClassifier(c=float(sys.argv[2]), n_iter=int(sys.argv[3]), map_type="captured", policy="lower_bound",
                         verbosity=[], ablation=0, max_card=1, min_support=0.0)
before = resource.getrusage(resource.RUSAGE_SELF)
model.fit(X, y)
after = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({
    "user": after.ru_utime - before.ru_utime,
    "memory": after.ru_maxrss,
    "errors": int((model.predict(X) != y).sum()),
    "rules": len(model.rl().rules) - 1,
}))
"""


def main(argv: list[str]) -> int:
    """Print the table; status 1 when the other search ended with a better list than ours."""
    options = parser("corels", (__doc__ or "").splitlines()[0])
    options.add_argument("--python", default=sys.executable, help="an interpreter that can import corels")
    options.add_argument("--nodes", type=int, default=10_000_000, help="most nodes of its search (%(default)d)")
    options.add_argument("--time-limit", type=float, default=120.0, metavar="S", help="of its search (%(default)g s)")
    args = options.parse_args(argv)
    module = needed_instances()
    if subprocess.run([args.python, "-c", "import corels"], capture_output=True, check=False).returncode:
        print(f"{args.python} cannot import corels; install it and name its interpreter with --python", file=sys.stderr)
        return 2
    table, wrong = Table(COLUMNS), 0
    for name, regularization in CASES:
        X, y = prepared(*module.load(name)[:2])
        both = np.column_stack([X, ~X])
        solve = lambda both=both, y=y, c=regularization: rl.solve(  # noqa: E731
            rl.RuleListSearch(rl.Problem.from_arrays(both, y), c), time_limit=args.time_limit
        )
        solve()
        snapshot, user, _, _ = measure(solve, args.repeats)
        other = run_other(args.python, X, y, regularization, args.nodes, args.time_limit)
        objective = None if other is None else other["errors"] / len(y) + regularization * other["rules"]
        theirs, ended = (args.time_limit, "no, killed") if other is None else (other["user"], "yes")
        best = snapshot.incumbent.objective
        table.add(name, regularization, both.shape[1], user, theirs, theirs / user, best, objective, ended)
        wrong += objective is not None and objective < snapshot.lower_bound - 1e-9
    table.save(args.json)
    print("times: user CPU of corels over that of rulelab; where it was killed, at least so many")
    return min(wrong, 1)


def prepared(A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Features that are neither equal nor each other's negation, and a row of a minority first."""
    signed = np.where(A[0], ~A, A)
    _, first = np.unique(signed, axis=1, return_index=True)
    A = A[:, np.sort(first)]
    _, pattern = np.unique(A, axis=0, return_inverse=True)
    pattern = pattern.ravel()
    positives, total = np.bincount(pattern, weights=y), np.bincount(pattern)
    minority = np.where(2 * positives[pattern] > total[pattern], ~y, y)
    order = np.argsort(~minority, kind="stable")
    return A[order], y[order]


def run_other(python: str, X: np.ndarray, y: np.ndarray, c: float, nodes: int, seconds: float) -> dict[str, Any] | None:
    """What the other search reports; None when it was killed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, X=X, y=y)
        command = [python, "-c", OTHER, str(path), str(c), str(nodes)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None
    if done.returncode:
        raise RuntimeError(f"corels failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])
