"""Accuracy-complexity fronts of rule lists, falling rule lists, rule sets and CART beside the papers' figures."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from _measure import Table, parser, use_shared_data

import rulelab as rl


class Figure(NamedTuple):
    """Test accuracy in percent and complexity with their standard errors."""

    accuracy: float
    accuracy_se: float
    complexity: float | None = None
    complexity_se: float | None = None


PAPER = {
    "banknote": (Figure(99.1, 0.3, 25.0, 1.9), Figure(96.8, 0.4, 51.8, 1.4), Figure(99.5, 0.1)),
    "heart": (Figure(78.9, 2.4, 11.3, 1.8), Figure(81.6, 2.4, 32.0, 8.1), Figure(82.5, 0.7)),
    "ionosphere": (Figure(90.0, 1.8, 12.3, 3.0), Figure(87.2, 1.8, 46.1, 4.2), Figure(93.6, 0.7)),
    "liver": (Figure(59.7, 2.4, 5.2, 1.2), Figure(55.9, 1.4, 60.2, 15.6), Figure(60.0, 0.8)),
    "tic_tac_toe": (Figure(100.0, 0.0, 32.0, 0.0), Figure(90.1, 0.9, 67.2, 5.0), Figure(98.8, 0.1)),
    "transfusion": (Figure(77.9, 1.4, 5.6, 1.2), Figure(78.7, 1.1, 14.3, 2.3), Figure(77.3, 0.3)),
    "breast_cancer": (Figure(94.0, 1.2, 13.9, 2.4), Figure(93.3, 0.9, 15.6, 2.2), Figure(97.2, 0.2)),
    "adult": (Figure(83.5, 0.3, 88.0, 11.4), Figure(83.1, 0.3, 95.9, 4.3), Figure(84.7, 0.1)),
    "bank_marketing": (Figure(90.0, 0.1, 9.9, 0.1), Figure(89.1, 0.2, 3.0, 0.0), Figure(88.7, 0.0)),
    "magic": (Figure(85.3, 0.3, 93.0, 10.7), Figure(82.8, 0.2, 125.5, 3.2), Figure(86.6, 0.1)),
    "mushroom": (Figure(100.0, 0.0, 17.8, 0.3), Figure(96.2, 0.3, 9.3, 0.2), Figure(99.9, 0.0)),
    "musk": (Figure(95.6, 0.2, 123.9, 6.5), Figure(90.1, 0.3, 17.0, 0.7), Figure(86.2, 0.4)),
}
"""Column generation, CART and random forest: Lawless et al., JMLR 24 (2023), tables 2 and 3."""

QUICK = ("tic_tac_toe", "breast_cancer", "banknote", "heart", "ionosphere", "liver", "transfusion")
METHODS = ("column generation", "CART", "random forest")
GRIDS: dict[str, dict[str, list[Any]]] = {
    "rule_list": {"regularization": [0.1, 0.05, 0.02], "max_conditions": [1]},
    "falling_rule_list": {"regularization": [0.1, 0.05, 0.02], "max_conditions": [1]},
    "rule_set": {"max_complexity": [4, 8, 16, 32]},
}
GRIDS_ALL: dict[str, dict[str, list[Any]]] = {
    "rule_list": {"regularization": [0.1, 0.05, 0.02, 0.01, 0.005], "max_conditions": [1, 2]},
    "falling_rule_list": {"regularization": [0.1, 0.05, 0.02, 0.01, 0.005], "max_conditions": [1, 2]},
    "rule_set": {"max_complexity": [4, 8, 12, 16, 24, 32, 48, 96]},
}
COLUMNS = (
    "data:-14 | method:-20 | parameter:9g | accuracy %:10.1f | se:4.1f | complexity:10.1f | se :4.1f | folds:5d | "
    "proven:6d | s/fit:6.2f"
)
NOTES = """
Ours: one point per parameter, the mean over the test folds; all points on a method's own front are shown. The paper's
are of one parameter chosen by an inner cross-validation, so they are single points and a little lower than the best of
a front; its folds are not known. Its CART was tuned in the least rows of a leaf, ours in the number of leaves. A fit
that is not proven met the time limit: more seconds may improve it. The quick setting has 5 folds and lists of single
conditions."""


def main(argv: list[str]) -> int:
    """Print the fronts, and the papers' figures below them."""
    options = parser("fronts", __doc__ or "", repeats=1)
    options.add_argument("names", nargs="*", metavar="DATA", help=f"out of {', '.join(PAPER)}; default: the small ones")
    options.add_argument("--all", action="store_true", help="all data sets, 10 folds, finer grids, 60 s for a fit")
    options.add_argument("--families", nargs="+", choices=GRIDS, default=list(GRIDS), metavar="FAMILY")
    options.add_argument("--folds", type=int, help="default: 5, with --all 10")
    options.add_argument("--time-limit", type=float, metavar="S", help="of a fit; default: 1 s, with --all 60 s")
    options.add_argument("--n-jobs", type=int, default=1, help="fits at a time (%(default)s)")
    options.add_argument("--results", type=Path, metavar="FOLDER", help="keep the results there, and go on from them")
    args = options.parse_args(argv)
    use_shared_data()
    if args.results:
        args.results.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in args.names if name not in PAPER]
    if unknown:
        print(f"no figures are known for {unknown[0]!r}, only for {', '.join(PAPER)}", file=sys.stderr)
        return 2
    table, began = Table(COLUMNS), time.perf_counter()
    for name in args.names or (PAPER if args.all else QUICK):
        try:
            data = rl.datasets.load(name, download=False)
        except rl.datasets.DatasetError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        for k, family in enumerate(args.families):
            sweep = rl.sweep(
                data,
                family=family,
                grid=(GRIDS_ALL if args.all else GRIDS)[family],
                cv=args.folds or (10 if args.all else 5),
                baselines=["cart", "random_forest"] if k == len(args.families) - 1 else [],
                time_limit=args.time_limit or (60.0 if args.all else 1.0),
                n_jobs=args.n_jobs,
                results=args.results and args.results / f"{name}.jsonl",
            )
            sweep.wait()
            _show(name, sweep, table)
        for method, figure in zip(METHODS, PAPER[name], strict=True):
            table.add(name, f"paper: {method}"[:20], None, *figure, None, None, None)
    print(NOTES)
    print(f"{time.perf_counter() - began:.0f} s in all")
    table.save(args.json)
    return 0


def _show(name: str, sweep: rl.Sweep, table: Table) -> None:
    """The front of each method of a sweep, and the methods that have no complexity."""
    points = sweep.points()
    for family in points["family"].unique():
        own = points[points["family"] == family]
        kept = rl.sweeps.front(own, "accuracy", "complexity") if own["complexity"].notna().any() else own
        for row in kept.to_dict(orient="records"):
            parameter = next((row[p] for p in _VARIED if p in row and not pd.isna(row[p])), None)
            cells = [row["accuracy"] * 100, row["accuracy_se"] * 100, row["complexity"], row["complexity_se"]]
            proven = None if row["baseline"] else row["proven"]
            shown = [None if pd.isna(cell) else cell for cell in cells]
            table.add(name, family, parameter, *shown, row["folds"], proven, row["seconds"])


_VARIED = ("regularization", "max_complexity", "max_leaf_nodes")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
