"""User CPU of a whole rule list solve against antecedents, patterns, rows and regularization, one at a time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _measure import Table, instances, measure, parser
from bokeh.embed import file_html
from bokeh.layouts import gridplot
from bokeh.plotting import figure
from bokeh.resources import INLINE

import rulelab as rl

COLUMNS = (
    "varied:-14 | value:10g | rows:9d | patterns:8d | antec.:6d | lambda:7g | merge s:8.3f | solve s:8.3f | "
    "runs:4d | expanded:9d | gap:8.5f | MB:8.1f"
)
ROWS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
ANTECEDENTS = (50, 100, 200, 400, 800)
PATTERNS = (50, 100, 200, 400, 800)
REGULARIZATIONS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05)


class Point(NamedTuple):
    """One solve: what is varied, its value, the matrix and labels, and the regularization."""

    varied: str
    value: float
    load: Callable[[], tuple[np.ndarray, np.ndarray]]
    regularization: float


def main(argv: list[str]) -> int:
    """Print the table."""
    options = parser("scaling", __doc__ or "")
    options.add_argument("--time-limit", type=float, default=60.0, metavar="S", help="of each solve (%(default)g s)")
    options.add_argument("--most-rows", type=float, default=1e6, help="largest number of rows (%(default)g)")
    options.add_argument("--figure", type=Path, metavar="FILE.html", help="also draw the curves")
    args = options.parse_args(argv)
    solve(*random_data(500, 20), 0.02, None)
    table = Table(COLUMNS)
    for point in points(args.most_rows):
        A, y = point.load()
        problem, merged, _, _ = measure(lambda A=A, y=y: rl.Problem.from_arrays(A, y), args.repeats)
        snapshot, user, _, runs = measure(
            lambda problem=problem, point=point: rl.solve(
                rl.RuleListSearch(problem, point.regularization), time_limit=args.time_limit
            ),
            args.repeats,
        )
        table.add(
            point.varied, point.value, len(A), problem.n_patterns, A.shape[1], point.regularization, merged, user,
            runs, snapshot.counts["expanded"], snapshot.gap, snapshot.memory_bytes / 1e6,
        )  # fmt: skip
    table.save(args.json)
    if args.figure is not None:
        args.figure.write_text(drawing(table.rows), encoding="utf-8")
    return 0


def points(most_rows: float) -> Iterator[Point]:
    """What is measured: COMPAS where it is at hand, made-up data otherwise."""
    module = instances()
    if module is None:
        wide = narrow = random_data(6000, max(ANTECEDENTS))
    else:
        wide, narrow = module.load("compas_982")[:2], module.load("compas_a")[:2]
    rng = np.random.default_rng(0)
    for n in ROWS:
        if n <= most_rows:
            rows = rng.integers(0, len(narrow[1]), n)
            yield Point("rows", n, lambda rows=rows: (narrow[0][rows], narrow[1][rows]), 0.01)
    order = rng.permutation(wide[0].shape[1])
    for m in ANTECEDENTS:
        yield Point("antecedents", m, lambda m=m: (wide[0][:, order[:m]], wide[1]), 0.02)
    for n in PATTERNS:
        kept = np.flatnonzero(_pattern_of(wide[0]) < n)
        yield Point("patterns", n, lambda kept=kept: (wide[0][kept], wide[1][kept]), 0.02)
    for regularization in REGULARIZATIONS:
        yield Point("regularization", regularization, lambda: narrow, regularization)


def random_data(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a few kinds, labelled by a short list with noise."""
    rng = np.random.default_rng(1)
    kinds = rng.random((400, m)) < rng.uniform(0.05, 0.6, m)
    A = kinds[rng.integers(0, len(kinds), n)]
    y = (A[:, 0] & ~A[:, 1]) | (A[:, 2] & A[:, 3])
    return A, y ^ (rng.random(n) < 0.2)


def _pattern_of(A: np.ndarray) -> np.ndarray:
    """Rank of each row's pattern by the number of its rows."""
    _, pattern, counts = np.unique(A, axis=0, return_inverse=True, return_counts=True)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return rank[pattern.ravel()]


def solve(A: np.ndarray, y: np.ndarray, regularization: float, time_limit: float | None) -> rl.Snapshot:
    """The last state of a search."""
    return rl.solve(rl.RuleListSearch(rl.Problem.from_arrays(A, y), regularization), time_limit=time_limit)


def drawing(rows: list[dict[str, Any]]) -> str:
    """A page that needs nothing else: one plot for each thing that is varied, both axes logarithmic."""
    plots = []
    for varied in dict.fromkeys(row["varied"] for row in rows):
        shown = [row for row in rows if row["varied"] == varied]
        plot = figure(
            width=460, height=320, x_axis_type="log", y_axis_type="log", x_axis_label=varied, y_axis_label="user s"
        )
        for title, label, colour in (("merge s", "merging the rows", "#E69F00"), ("solve s", "search", "#0072B2")):
            x, y = [row["value"] for row in shown], [max(row[title], 1e-4) for row in shown]
            plot.line(x, y, color=colour, legend_label=label, line_width=2)
            plot.scatter(x, y, color=colour, size=7)
        plot.xaxis.ticker = x
        plot.xaxis.major_label_overrides = {value: f"{value:g}" for value in x}
        plot.legend.location = "top_right" if y[0] > y[-1] else "top_left"
        plots.append(plot)
    return file_html(gridplot(plots, ncols=2, toolbar_location=None), INLINE, "How the search scales")
