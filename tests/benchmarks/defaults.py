"""Every family with its default parameters on every data set: a process for each fit, which must end within limits."""

import argparse
import json
import subprocess
import sys
import time
import warnings
from typing import Any

from _measure import Table, itself, parser, use_shared_data, user_seconds

import rulelab as rl

FITS = {
    "rule_list": "RuleListClassifier",
    "falling_rule_list": "FallingRuleListClassifier",
    "rule_set": "RuleSetClassifier",
}
MOST_SECONDS, MOST_GIGABYTES = 60.0, 2.0
COLUMNS = (
    "data set:-14 | family:-17 | rows:6d | choices:7d | user s:7.1f | wall s:7.1f | peak GB:7.2f | status:-8 | "
    "objective:10.5g | gap:9.3g | rules:5d | said:-40"
)


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a fit took more time or memory than allowed, or failed."""
    options = parser("defaults", __doc__ or "", repeats=1)
    options.add_argument("--data", nargs="+", metavar="NAME", help="only these data sets (default: all that are here)")
    options.add_argument("--family", nargs="+", choices=list(FITS), default=list(FITS))
    options.add_argument("--one", nargs=2, metavar=("NAME", "FAMILY"), help=argparse.SUPPRESS)
    args = options.parse_args(argv)
    use_shared_data()
    if args.one:
        print(json.dumps(_fit(*args.one)))
        return 0
    for part in ("lists", "others"):  # so that no fit pays for compiling
        subprocess.run([sys.executable, "-c", f"from rulelab import warming; warming.{part}()"], check=True)
    table, beyond = Table(COLUMNS), 0
    here = [name for name, where in rl.datasets.names().items() if where in ("embedded", "cached")]
    for name in args.data or here:
        for family in args.family:
            done = subprocess.run(
                itself("defaults", "--one", name, family), capture_output=True, text=True, check=False
            )
            failed = {"status": "failed", "said": done.stderr.strip().rpartition("\n")[2]}
            row = failed if done.returncode else json.loads(done.stdout.splitlines()[-1])
            table.add(name, family, *(row.get(title) for title, _, _ in table.columns[2:]))
            beyond += row is failed or row["wall s"] > MOST_SECONDS or row["peak GB"] > MOST_GIGABYTES
    table.save(args.json)
    print(f"{len(table.rows)} fits, {beyond} beyond {MOST_SECONDS:g} s or {MOST_GIGABYTES:g} GB, or failed")
    return min(beyond, 1)


def _fit(name: str, family: str) -> dict[str, Any]:
    from resource import RUSAGE_SELF, getrusage

    data = rl.datasets.load(name)
    classifier = getattr(rl, FITS[family])()
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
        "peak GB": getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9,
        "status": str(classifier.status_),
        "objective": classifier.objective_,
        "gap": classifier.gap_,
        "rules": len(classifier.model_.rules),
        "said": "; ".join(str(one.message).split(": ")[0] for one in told),
    }
