"""Pictures made of tables: what they hold is what the tables say, in both backends."""

from functools import partial
from typing import Any

import holoviews as hv
import numpy as np
import pandas as pd
import pytest
from bokeh.models import GlyphRenderer, Plot, Scatter, Whisker
from laws import noisy_problem
from matplotlib.colors import to_hex

import rulelab as rl
from rulelab.data.metrics import group_rates
from rulelab.plots.styling import LENGTHS

BACKENDS = ["bokeh", "matplotlib"]


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    hv.extension(*BACKENDS)


@pytest.fixture(scope="module")
def run() -> tuple[rl.RuleListSearch, pd.DataFrame, rl.results.Snapshot]:
    search = rl.RuleListSearch(noisy_problem(1, 200, 8, 0.2), 0.01, beam_width=0)
    recording = rl.Recording(search)
    for _ in recording.steps(work_per_step=1):
        pass
    return search, recording.frame, search.advance(1)


def rates() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    actual, guess = rng.random(200) < 0.5, rng.random(200) < 0.5
    actual[:20] = False
    return group_rates(actual, guess, np.where(np.arange(200) < 20, "few", np.where(np.arange(200) < 100, "a", "b")))


falling = partial(rl.FallingRuleList.from_problem, antecedents=[0, 1], positive_weight=1.0)


def roc_table() -> pd.DataFrame:
    rates = {"false_positive_rate": [0.5, 0.1, 0.6, 0.2], "true_positive_rate": [0.9, 0.4, 0.8, 0.5]}
    return pd.DataFrame({**rates, "rows": ["training", "training", "unseen", "unseen"]})


def fairness_points() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    figures = {"accuracy": rng.random(6), "equal_opportunity_gap": rng.random(6), "accuracy_error": [0.01] * 6}
    return pd.DataFrame({"family": ["rule_list"] * 3 + ["rule_set"] * 3, **figures})


def rates_by_tolerance() -> pd.DataFrame:
    rows = [(eps, group, on, 0.4 + eps) for group in "ab" for on in ("train", "test") for eps in (0.2, 0.1)]
    return pd.DataFrame(rows, columns=["tolerance", "group", "rows", "true_positive_rate"])


def least_gaps() -> pd.DataFrame:
    """Points as a search of the front tells them, one of which is open and one without a list."""
    rows = [
        (0.6, "proven", 0.01, 0.01, 0.62), (0.65, "open", 0.05, 0.03, 0.66), (0.7, "infeasible", np.nan, 0.05, np.nan),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["min_accuracy", "status", "gap", "lower_bound", "accuracy"])


def gathered(problem: rl.Problem) -> pd.DataFrame:
    search = rl.RuleSetSearch(problem, max_complexity=6, max_conditions=2)
    rl.solve(search)
    return search.pool()


def returning(problem: rl.Problem) -> pd.DataFrame:
    frame, y = pd.DataFrame(problem.matrix(), columns=problem.names), problem.positives > problem.negatives
    found = rl.stability(rl.RuleSetClassifier(max_complexity=6, max_conditions=2), frame, y, n_samples=3)
    assert len(found.rules) > 1
    return found.rules


def every(run: Any) -> dict[str, Any]:
    search, trace, snapshot = run
    near = rl.near_optimal(search, ratio=0.2)
    ablation = rl.Ablation(rl.RuleListSearch(search.problem, 0.05, beam_width=0))
    for _ in ablation.steps():
        pass
    frontier = rl.FrontierSearch(search.problem, max_length=3)
    rl.solve(frontier)
    grid = {"regularization": [0.05, 0.02], "max_conditions": [1]}
    sweep = rl.sweep(rl.datasets.load("tic_tac_toe"), "rule_list", grid=grid, cv=2)
    sweep.wait()
    plots = rl.plots
    return {
        "convergence": plots.convergence(trace),
        "convergence over time": plots.convergence(trace, "seconds"),
        "queue": plots.queue(trace),
        "whole queue": plots.queue(trace[["work", "queued"]]),
        "remaining": plots.remaining(trace, "seconds"),
        "cuts": plots.cuts(snapshot),
        "incumbents": plots.incumbents(trace),
        "tree": plots.tree(search.tree(200)),
        "ablation": plots.ablation(ablation.frame),
        "front": plots.front(sweep),
        "frontier": plots.frontier(frontier.frame),
        "group rates": plots.group_rates(rates()),
        "accuracy and fairness": plots.front(fairness_points(), "equal_opportunity_gap", "accuracy"),
        "rates by tolerance": plots.rates_by_tolerance(rates_by_tolerance()),
        "strata": plots.strata(falling(search.problem).strata(), threshold=0.5),
        "roc": plots.roc(roc_table(), by="rows"),
        "least gaps": plots.gap_frontier(least_gaps()),
        "column pool": plots.column_pool(gathered(search.problem)),
        "stability": plots.stability(returning(search.problem)),
        "good models": plots.good_models(near),
        "antecedents": plots.antecedents(near),
    }


@pytest.mark.long
def test_every_picture_is_drawn_by_every_backend_and_composes(run: Any) -> None:
    pictures = every(run)
    for name, picture in pictures.items():
        for backend in BACKENDS:
            assert hv.render(picture, backend=backend) is not None, (name, backend)
    assert len(hv.Layout([pictures["convergence"], pictures["cuts"]])) == 2
    assert pictures["convergence"].opts(width=700) is not None


def test_pictures_hold_what_the_tables_say(run: Any) -> None:
    search, trace, snapshot = run
    curve = rl.plots.convergence(trace).Curve.Lower_bound
    assert curve.dimension_values("value").tolist() == trace["lower_bound"].tolist()
    bars = rl.plots.cuts(snapshot)
    assert sum(bars.dimension_values("cut")) == sum(snapshot.pruned.values())
    areas = list(rl.plots.queue(trace))
    assert areas[-1].dimension_values("up to").tolist() == [
        sum(row[name] for name in trace if name.startswith("queued of")) for row in trace.fillna(0).to_dict("records")
    ]
    left = rl.plots.remaining(trace).Curve.By_length.dimension_values("remaining")
    assert left.tolist() == trace["log10_remaining"].tolist()
    assert left[-1] == 0
    curve = rl.plots.rates_by_tolerance(rates_by_tolerance()).Curve.B_comma_test
    assert curve.dimension_values("tolerance").tolist() == [0.1, 0.2]
    assert curve.dimension_values(1).tolist() == pytest.approx([50, 60])
    curve = rl.plots.curves(rates_by_tolerance(), "tolerance", "true_positive_rate", "group").Curve.B
    assert curve.dimension_values(1).tolist() == pytest.approx([0.5, 0.5, 0.6, 0.6])
    frame = search.tree(200)
    assert sum(len(part) for part in rl.plots.tree(frame)) == len(frame)
    assert len(rl.plots.group_rates(rates()).Bars.I) == 3
    steps = rl.plots.gap_frontier(least_gaps()).Curve.I
    assert steps.dimension_values(1).tolist() == [1.0, 5.0]
    strata = falling(search.problem).strata()
    bars = rl.plots.strata(strata).Bars.I
    assert bars.dimension_values(1).tolist() == (100 * strata["proportion"]).tolist()
    pool = gathered(search.problem)
    shown = list(rl.plots.column_pool(pool))
    assert sum(map(len, shown)) == pool["reduced_cost"].notna().sum()


def test_tables_of_searches_have_the_columns_that_pictures_need() -> None:
    A = np.eye(8, dtype=bool)
    problem = rl.Problem.from_arrays(A, np.arange(8) % 2, groups=np.arange(8) // 2 % 2)
    assert set(least_gaps().columns) <= set(rl.frontier(problem, "gap").frame.columns)


@pytest.mark.parametrize(
    "make", [lambda: rl.plots.group_rates(rates()), lambda: rl.plots.front(fairness_points(), "equal_opportunity_gap")]
)
def test_intervals_lie_in_front_of_what_they_belong_to(make: Any) -> None:
    figure = hv.render(make(), backend="bokeh")
    whiskers = list(figure.select({"type": Whisker}))
    assert whiskers
    assert {whisker.level for whisker in whiskers} == {"overlay"}


@pytest.mark.parametrize("better_when_larger", ["true_positive_rate", "accuracy"])
def test_a_front_is_of_what_is_better(better_when_larger: str) -> None:
    """Of most figures less is better, also of a gap over all folds, and on either axis."""
    points = pd.DataFrame({"family": "rule_list", "rules": [1, 2, 3], "equal_opportunity_gap_pooled": [0.3, 0.1, 0.2]})
    points[better_when_larger] = [0.9, 0.7, 0.6]
    least = rl.plots.front(points, "rules", "equal_opportunity_gap_pooled")
    assert least.traverse(lambda each: each, [hv.Curve])[0].dframe().to_numpy().tolist() == [[1, 0.3], [2, 0.1]]
    other = rl.plots.front(points, better_when_larger, "equal_opportunity_gap_pooled")
    assert other.traverse(lambda each: each, [hv.Curve])[0].dframe().to_numpy().tolist() == [[0.7, 0.1], [0.9, 0.3]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_frame_cuts_a_point_in_half(backend: str, run: Any) -> None:
    """Whatever lies outermost, of the fronts and of many good models, has room beside it."""
    near = rl.near_optimal(run[0], ratio=0.2)
    points = fairness_points().drop(columns="accuracy_error")
    frontier = pd.DataFrame({"rules": [0, 2, 4], "errors": [9, 5, 4], "lower_bound": [9, 5, 4]})
    for picture, across, up in (
        (rl.plots.front(points, "equal_opportunity_gap"), points["equal_opportunity_gap"], points["accuracy"]),
        (rl.plots.frontier(frontier), frontier["rules"], frontier["errors"]),
        (rl.plots.gap_frontier(least_gaps()), [60, 65], [1, 5]),
        (rl.plots.good_models(near), near.frame()["rules"], 100 * (1 - near.frame()["errors"] / 200)),
    ):
        drawn = hv.render(picture, backend=backend)
        if backend == "bokeh":
            frame = [(drawn.x_range.start, drawn.x_range.end), (drawn.y_range.start, drawn.y_range.end)]
        else:
            frame = [drawn.axes[0].get_xlim(), drawn.axes[0].get_ylim()]
        for (low, high), values in zip(frame, (across, up), strict=True):
            room = 0.02 * (max(values) - min(values))
            assert low < min(values) - room
            assert high > max(values) + room


def test_the_legend_of_the_tree_covers_none_of_it(run: Any) -> None:
    tree = run[0].tree(200)
    figure = hv.render(rl.plots.tree(tree), backend="matplotlib")
    figure.canvas.draw()
    axes = figure.axes[0]
    _, lowest = axes.transData.transform((0, -tree["length"].max() - 0.95))
    assert axes.get_legend().get_window_extent().y1 < lowest


def test_both_backends_have_the_same_colours(run: Any) -> None:
    parts = hv.render(rl.plots.queue(run[1]), backend="matplotlib").axes[0].collections
    drawn = [to_hex(part.get_facecolor()[0]) for part in parts]
    lengths = sorted(int(name.removeprefix("queued of length ")) for name in run[1] if name.startswith("queued of"))
    assert drawn == [LENGTHS[max(length - 1, 0)].lower() for length in lengths]


def test_prefixes_lie_inside_the_one_they_continue(run: Any) -> None:
    frame = run[0].tree(200)
    boxes = pd.concat([part.dframe() for part in rl.plots.tree(frame)])
    by_row = boxes.sort_values("x0").groupby("y1")
    for _, row in by_row:
        assert (row["x0"].to_numpy()[1:] >= row["x1"].to_numpy()[:-1] - 1e-9).all()
    assert boxes["x0"].min() == 0
    assert boxes["x1"].max() <= 1 + 1e-9


def drawn(layout: Any, alpha: float) -> list[set[tuple[float, float]]]:
    """The points of each figure whose glyphs are as opaque as this."""
    state = hv.renderer("bokeh").get_plot(layout).state
    found = []
    for figure in state.select({"type": Plot}):
        points: set[tuple[float, float]] = set()
        for renderer in figure.renderers:
            glyph = renderer.glyph if isinstance(renderer, GlyphRenderer) else None
            if isinstance(glyph, Scatter) and glyph.fill_alpha == alpha:
                data = renderer.data_source.data
                points |= set(zip(data[glyph.x].tolist(), data[glyph.y].tolist(), strict=True))
        found.append(points)
    return found


@pytest.mark.long
def test_what_is_selected_in_one_picture_stands_out_in_all(run: Any) -> None:
    points = fairness_points().assign(complexity=range(6))
    link = hv.link_selections.instance(index_cols=["model"], unselected_alpha=0.15)
    parts = [rl.plots.front(points), rl.plots.front(points, "equal_opportunity_gap")]
    layout = rl.plots.linked(*parts, link=link)
    link.selection_expr = hv.dim("model").isin([2, 5])
    chosen = points.iloc[[1, 4]]
    shown = drawn(layout, 1.0)
    assert len(shown) == 2
    for name in ("complexity", "equal_opportunity_gap"):
        assert set(zip(chosen[name].tolist(), chosen["accuracy"].tolist(), strict=True)) in shown
    near = rl.near_optimal(run[0], ratio=0.2)
    dots, places = rl.plots.good_models(near), rl.plots.antecedents(near)
    assert set(places.dimension_values("model", expanded=False)) <= set(dots.dimension_values("model"))
    assert dots.dimension_values("above").tolist() == near.frame()["gap"].tolist()
    hv.output(backend="matplotlib")
    try:
        assert hv.render(rl.plots.linked(dots, places), backend="matplotlib") is not None
    finally:
        hv.output(backend="bokeh")


def test_only_pictures_of_models_are_linked(run: Any) -> None:
    dots = rl.plots.good_models(rl.near_optimal(run[0], ratio=0.2))
    with pytest.raises(ValueError, match="two pictures or more, not 1"):
        rl.plots.linked(dots)
    with pytest.raises(ValueError, match="picture 2 has no models to select"):
        rl.plots.linked(dots, rl.plots.convergence(run[1]))


def test_other_tables_are_refused_in_words(run: Any) -> None:
    with pytest.raises(ValueError, match=r"no column 'objective', 'lower_bound'; give a trace: `trace_`"):
        rl.plots.convergence(pd.DataFrame({"work": [1]}))
    with pytest.raises(TypeError, match="a pandas DataFrame, not list"):
        rl.plots.tree([1, 2])
    with pytest.raises(ValueError, match="x must be one of work, seconds, not 'luck'"):
        rl.plots.incumbents(run[1], "luck")
    with pytest.raises(ValueError, match="there is no rate 'luck'; the rates are"):
        rl.plots.group_rates(rates(), "luck")


def test_a_run_is_drawn_from_whatever_holds_it(run: Any) -> None:
    search, _, last = run
    recording = rl.Recording(rl.RuleListSearch(search.problem, regularization=search.regularization))
    states = list(recording.steps(work_per_step=50))
    parts = [hv.Curve, hv.Area]
    for draw in (rl.plots.convergence, rl.plots.queue, rl.plots.incumbents, rl.plots.remaining):
        pairs = zip(draw(states).traverse(specs=parts), draw(recording).traverse(specs=parts), strict=True)
        assert all(one.dframe().equals(two.dframe()) for one, two in pairs)
        assert draw(search).traverse(specs=parts)
    X = np.arange(40)[:, None]
    fitted = rl.RuleListClassifier(regularization=0.02, max_conditions=1).fit(X, X[:, 0] > 20)
    drawn = [rl.plots.convergence(source).Curve.Objective.dframe() for source in (fitted, fitted.trace_)]
    assert drawn[0].equals(drawn[1])
    assert rl.plots.remaining(fitted).traverse(specs=parts)
    trees = [rl.plots.tree(source) for source in (fitted, fitted.search_, fitted.search_.tree())]
    boxes = [pd.concat(tree.traverse(hv.Dataset.dframe, [hv.Rectangles])) for tree in trees]
    assert boxes[0].equals(boxes[1])
    assert boxes[1].equals(boxes[2])
    of_search, of_snapshot, of_states = (rl.plots.cuts(source).dframe() for source in (search, last, [last]))
    assert of_search.equals(of_snapshot)
    assert of_states.equals(of_snapshot)
    assert len(of_snapshot)
