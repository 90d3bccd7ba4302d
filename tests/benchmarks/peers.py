"""What others find: rule lists and trees of other packages on the same conditions, by the same objective.

The objective is training errors / n + regularization * rules; of a tree the splits count as rules, which are as many as
in a list with as many answers. All may branch on a condition or its negation; rules of a set, and those of RIPPER, may
have several conditions for the price of one, so that they can cost less than the best list. Every fit of a peer runs in
a process of its own, a fork of one that has imported and compiled before what the method needs. MB are what the process
holds at most beyond what it held before the fit, of rulelab what the search says that it holds. Beside PRAXIS, which
counts trees near the best one that it finds, stand all lists as near the optimum.
"""

import argparse
import json
import subprocess
import tempfile
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _measure import Table, measure, parser, use_shared_data
from _peer import WITHIN
from bokeh.embed import file_html
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure
from bokeh.resources import INLINE

import rulelab as rl

NEEDED = Path(__file__).with_suffix(".txt")
KINDS = {
    "gosdt": "list, exact", "streed": "tree, exact", "tree": "tree, exact", "brcg": "set, rounded",
    "fastsrs": "set, annealed", "ripper": "rules, greedy", "greedy": "list, greedy", "cart": "tree, greedy",
    "praxis": "trees, counted",
}  # fmt: skip
COLUMNS = (
    "data:-16 | conditions:10 | method:-8 | models:-14 | objective:9.4f | errors:7 | rules:5 | seconds:8.2f | "
    "user s:8.2f | MB:6.0f | :-24"
)


def main(argv: Sequence[str]) -> None:
    """Fit all methods to all data sets."""
    use_shared_data()
    args = _arguments(argv)
    python = _python_of(args.environment, args.install)
    table = Table(COLUMNS)
    processes = {method: _started(method, python, args) for method in args.methods} if python else {}
    for name in args.data:
        data = rl.datasets.load(name)
        conditions = rl.Binarizer(thresholds=args.thresholds, negations=False).fit_transform(data.X)
        A, y = conditions.to_numpy(dtype=bool), np.asarray(data.y) == 1
        both = np.hstack([A, ~A])
        table.add(name, A.shape[1], "rulelab", "list, exact", *_own(both, y, args))
        if "praxis" in args.methods:
            table.add(name, A.shape[1], "counter", "lists, counted", *_counted(both, y, args))
        for method, process in processes.items():
            table.add(name, A.shape[1], method, KINDS[method], *_peer(process, A, y, args))
    for process in processes.values():
        process.communicate()
    if python is None:
        print(f"no peers in {args.environment}: --install makes that environment, from the package index")
    table.save(args.json)
    if args.figure is not None:
        args.figure.write_text(draw(table.rows), encoding="utf-8")


def _own(A: np.ndarray, y: np.ndarray, args: argparse.Namespace) -> tuple[Any, ...]:
    problem = rl.Problem.from_arrays(A, y)
    cells, now = _solved(lambda: rl.RuleListSearch(problem, args.regularization), args)
    return *cells, "proven" if now.status is rl.Status.OPTIMAL else f"within {now.gap:.4f}"


def _counted(A: np.ndarray, y: np.ndarray, args: argparse.Namespace) -> tuple[Any, ...]:
    problem = rl.Problem.from_arrays(A, y)
    rl.solve(rl.NearOptimalCounter(problem, 0.4, 0.01))  # for its kernels
    cells, now = _solved(lambda: rl.NearOptimalCounter(problem, args.regularization, ratio=WITHIN), args)
    return *cells, f"{'' if now.status is rl.Status.OPTIMAL else 'at least '}{now.n_lists:,} lists"


def _solved(make: Callable[[], rl.Search], args: argparse.Namespace) -> tuple[tuple[Any, ...], rl.results.Snapshot]:
    """The figures of a row, and the end of its search."""
    make().compile()
    now, user, wall, _ = measure(lambda: rl.solve(make(), time_limit=args.time_limit), args.repeats)
    best = now.incumbent
    return (best.objective, best.errors, best.complexity, wall, user, now.memory_bytes / 1e6), now


def _started(method: str, python: Path, args: argparse.Namespace) -> subprocess.Popen[str]:
    """The process that fits one table after the other by one method."""
    script = Path(__file__).with_name("_peer.py")
    command = [python, script, method, repr(args.regularization), str(args.time_limit)]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True)


def _peer(process: subprocess.Popen[str], A: np.ndarray, y: np.ndarray, args: argparse.Namespace) -> tuple[Any, ...]:
    assert process.stdin is not None
    assert process.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        np.savez(file, A=A, y=y)
        print(file, file=process.stdin, flush=True)
        found = json.loads(process.stdout.readline())
    if "failed" in found:
        return (*[None] * 6, found["failed"])
    objective = found["errors"] / len(y) + args.regularization * found["rules"]
    figures = [found[key] for key in ("errors", "rules", "seconds", "user", "megabytes")]
    return (objective, *figures, found["said"])


def _python_of(environment: Path, install: bool) -> Path | None:
    python = environment / "bin" / "python"
    if install:
        venv.create(environment, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", NEEDED], check=True)
    return python if python.exists() else None


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    arguments = parser("peers", __doc__ or "", repeats=1)
    arguments.add_argument("data", nargs="*", default=["tic_tac_toe", "diabetes", "breast_cancer"], help="data sets")
    arguments.add_argument("--methods", nargs="+", choices=KINDS, default=list(KINDS), help="of others (all)")
    arguments.add_argument("--regularization", type=float, default=0.01, help="cost of a rule (%(default)s)")
    arguments.add_argument("--thresholds", type=int, default=5, help="quantiles of a number (%(default)s)")
    arguments.add_argument("--time-limit", type=int, default=60, help="seconds per fit (%(default)s)")
    where = Path.home() / ".cache" / "rulelab" / "peers"
    arguments.add_argument("--environment", type=Path, default=where, metavar="DIR", help="theirs (%(default)s)")
    arguments.add_argument("--figure", type=Path, metavar="FILE.html", help="also draw objectives against times")
    arguments.add_argument("--install", action="store_true", help="make the environment first")
    return arguments.parse_args(argv)


# what others find as a page of dot plots, one for each data set: the objective against the processor time -------------
_LOOKS = {
    "rulelab": ("star", "#0072B2"), "gosdt": ("circle", "#D55E00"), "streed": ("square", "#009E73"),
    "tree": ("square_pin", "#CC79A7"), "brcg": ("hex", "#E69F00"), "fastsrs": ("triangle", "#CC79A7"),
    "ripper": ("inverted_triangle", "#56B4E9"), "greedy": ("diamond", "#666666"), "cart": ("plus", "#000000"),
    "counter": ("asterisk", "#0072B2"), "praxis": ("cross", "#009E73"),
}  # fmt: skip


def draw(rows: Sequence[Mapping[str, Any]]) -> str:
    """A page that needs nothing else; a filled marker is a model that its search has proven optimal."""
    names = dict.fromkeys(row["data"] for row in rows)
    plots = [_plot(name, [row for row in rows if row["data"] == name]) for name in names]
    return file_html(gridplot(plots, ncols=2, toolbar_location=None), INLINE, "Rule lists and their peers")


def _plot(name: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    plot = figure(
        width=620,
        height=340,
        x_axis_type="log",
        x_range=(5e-4, 1e3),
        title=f"{name}, {rows[0]['conditions']} conditions; filled: proven optimal",
        x_axis_label="user CPU seconds of the fit",
        y_axis_label="errors / rows + price of rules",
        toolbar_location=None,
    )
    for row in reversed(rows):
        if row["objective"] is None:
            continue
        marker, colour = _LOOKS[row["method"]]
        said = f"{row['errors']} errors, {row['rules']} rules, {row['']}".removesuffix(", ")
        source = ColumnDataSource({"x": [max(row["user s"], 1e-3)], "y": [row["objective"]], "said": [said]})
        dot = plot.scatter(
            "x",
            "y",
            source=source,
            marker=marker,
            size=13,
            line_color=colour,
            line_width=2,
            fill_color=colour,
            fill_alpha=1.0 if row[""] == "proven" else 0.0,
            legend_label=f"{row['method']} ({row['models']})",
        )
        plot.add_tools(HoverTool(renderers=[dot], tooltips=[(row["method"], "@said"), ("user s", "@x{0.000}")]))
    if plot.legend:
        plot.add_layout(plot.legend[0], "right")
    plot.y_range.start = 0
    return plot
