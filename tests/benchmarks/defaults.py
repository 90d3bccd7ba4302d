"""Every family with its default parameters on every data set: a process for each fit, which must end within limits."""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from _measure import Table, itself, parser, use_shared_data, user_seconds

import rulelab as rl

FITS = {
    "rule_list": "RuleListClassifier",
    "falling_rule_list": "FallingRuleListClassifier",
    "rule_set": "RuleSetClassifier",
}
COLUMNS = (
    "data set:-14 | family:-17 | rows:6d | choices:7d | user s:7.1f | wall s:7.1f | peak GB:7.2f | status:-8 | "
    "objective:10.5g | gap:9.3g | rules:5d | said:-40"
)


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a fit took more time or memory than allowed, or failed."""
    options = parser("defaults", __doc__ or "", repeats=1)
    options.add_argument("--data", nargs="+", metavar="NAME", help="only these data sets (default: all that are here)")
    options.add_argument("--family", nargs="+", choices=list(FITS), default=list(FITS))
    options.add_argument("--seconds", type=float, default=60.0, metavar="S", help="allowed for a fit (%(default)g)")
    options.add_argument("--gigabytes", type=float, default=2.0, metavar="GB", help="allowed for a fit (%(default)g)")
    options.add_argument("--one", nargs=2, metavar=("NAME", "FAMILY"), help=argparse.SUPPRESS)
    args = options.parse_args(argv)
    use_shared_data()
    if args.one:
        print(json.dumps(_fit(*args.one)))
        return 0
    for family in args.family:  # so that no fit pays for compiling
        _run("diabetes", family, "--one", settle=True)
    table, beyond = Table(COLUMNS), 0
    here = [name for name, where in rl.datasets.names().items() if where in ("embedded", "cached")]
    for name in args.data or here:
        for family in args.family:
            row = _run(name, family, "--one")
            table.add(name, family, *(row.get(title) for title, _, _ in table.columns[2:]))
            failed = row["status"] == "failed"
            beyond += failed or row["wall s"] > args.seconds or row["peak GB"] > args.gigabytes
    table.save(args.json)
    print(f"{len(table.rows)} fits, {beyond} beyond {args.seconds:g} s or {args.gigabytes:g} GB, or failed")
    return min(beyond, 1)


def _run(name: str, family: str, option: str, settle: bool = False) -> dict[str, Any]:
    """One fit in a process of its own."""
    roots = [str(Path(rl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, roots))}
    if settle:
        environment["RULELAB_BENCH_TIME_LIMIT"] = "0"
    done = subprocess.run(
        itself("defaults", option, name, family), capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        return {"status": "failed", "said": last}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _fit(name: str, family: str) -> dict[str, Any]:
    data = rl.datasets.load(name)
    limit = os.environ.get("RULELAB_BENCH_TIME_LIMIT")
    classifier = getattr(rl, FITS[family])(**({} if limit is None else {"time_limit": float(limit)}))
    user, wall = user_seconds(), time.perf_counter()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        classifier.fit(data.X, data.y)
    user, wall = user_seconds() - user, time.perf_counter() - wall
    mined = getattr(classifier, "antecedents_", None)
    choices = mined.words if mined is not None else classifier.binarizer_.get_feature_names_out()
    return {
        "rows": len(data.X),
        "choices": len(choices),
        "user s": user,
        "wall s": wall,
        "peak GB": _peak_gigabytes(),
        "status": str(classifier.status_),
        "objective": classifier.objective_,
        "gap": classifier.gap_,
        "rules": len(classifier.model_.rules),
        "said": "; ".join(str(one.message).split(": ")[0] for one in told),
    }


def _peak_gigabytes() -> float:
    """The most memory that this process has had."""
    from resource import RUSAGE_SELF, getrusage

    unit = 1 if sys.platform == "darwin" else 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * unit / 1e9
