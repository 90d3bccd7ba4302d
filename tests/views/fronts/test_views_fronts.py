"""Sweeps on the page without a browser: their points and fronts, the settings, the cards of points, the exports."""

import io
import json
import math
import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import panel as pn
import pytest
from bokeh.models import BoxAnnotation, ColumnDataSource
from live import HOSTILE, alert, button, field, html, made, seen, status, tags
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.data.gaps import MEASURED, largest_gap
from rulelab.data.metrics import Confusion, wilson_interval
from rulelab.views.compare.table import same_of
from rulelab.views.fronts import points as fronts
from rulelab.views.fronts.plot import COLORS, LOOKS, FrontPlot
from rulelab.views.fronts.points import Point, Started
from rulelab.views.fronts.run import Run
from rulelab.views.fronts.tab import FrontsView, Order
from rulelab.views.fronts.view import FrontView
from rulelab.views.live.recipe import PageRecipe
from rulelab.views.search.setup import Setup
from rulelab.views.widgets.fields import KEEP


def question(setup: Setup) -> PageRecipe:
    return replace(setup.recipe(), sensitive=setup.table.sensitive)


def asked(**values: object) -> PageRecipe:
    """A question of small searches."""
    setup = Setup()
    setup.choose(family=values.pop("family", "rule_list"))
    setup.choose(**values)
    return question(setup)


COARSE = {"thresholds": 3, "max_conditions": 1}
SMALL = Order(
    asked(test_share=0.4), {"regularization": [0.05, 0.02]}, baselines=("cart", "logistic_regression"), fixed=COARSE
)


def lists_and_sets(report: Callable[[str], None]) -> Started:
    """Sweeps of two families over the same rows."""
    fair = {"max_complexity": [3], "fairness": [None, rl.EqualOpportunity(0.05)], "min_group_size": [0]}
    lists = SMALL(report)
    assert lists.sweeps[0].wait(PATIENCE)
    return lists.and_more(Order(asked(family="rule_set", test_share=0.4), fair, fixed={"thresholds": 3})(report))


def drawn(plot: FrontPlot, name: str) -> ColumnDataSource:
    """What a part of the picture shows."""
    return plot.figure.select_one({"name": name}).data_source


def is_shaded(plot: FrontPlot) -> bool:
    return plot.figure.select_one({"name": "impossible"}).visible


def strip(plot: FrontPlot) -> BoxAnnotation:
    """Of what has no number of rules."""
    return plot.figure.select_one({"type": BoxAnnotation, "level": "underlay"})


def done(order: Callable[[Callable[[str], None]], Started]) -> Run:
    run = Run(order)
    run.join(PATIENCE)
    assert not run.busy
    return run


def finished(view: FrontView) -> FrontView:
    wait_until(lambda: not view.refresh())
    return view


def shown(run: Run) -> FrontView:
    view = FrontView()
    view.follow(run)
    return finished(view)


@pytest.fixture(scope="module")
def run() -> Run:
    return done(lists_and_sets)


@pytest.fixture(scope="module")
def whole(run: Run) -> FrontView:
    return shown(run)


@pytest.fixture
def view(whole: FrontView) -> FrontView:
    """As it is at first; all that a test chooses is taken back before the next."""
    whole.param.update(point="", on="test", criterion="equal_opportunity", hidden=[], on_pin=None)
    return finished(whole)


@pytest.fixture(scope="module")
def plot() -> FrontPlot:
    """A picture, in which each test shows its own points."""
    return FrontPlot("Accuracy and complexity", "complexity", lambda key: None)


def point(key: int, method: str = "rule_list", parameters: str = "", **values: float) -> Point:
    return Point(0, key, method, method not in rl.sweeps.FAMILIES, parameters, True, values)


def counted(key: int, right: int, **values: float) -> Point:
    """A rule list that gets so many of 100 test rows right."""
    return replace(point(key, accuracy=right / 100, **values), tested=Confusion(right, 100 - right, 0, 0))


def test_points_tell_what_the_sweeps_tell(run: Run) -> None:
    for on in fronts.PARTS:
        for i, sweep in enumerate(run.started.sweeps):
            table = sweep.points(on).set_index("point")
            own = [p for p in run.points[on] if p.sweep == i]
            assert len(own) == len(table)
            for p in own:
                assert p.value("accuracy") == table["accuracy"][p.point]
                own_rows = getattr(next(r for r in sweep.results if r.point == p.point), on).whole
                known = on == "test"
                assert p.interval("accuracy") == own_rows.interval("accuracy") if known else p.tested is None
                groups = next(r for r in sweep.results if r.point == p.point).test.groups
                gap = largest_gap({name: groups[name] for name in sweep.groups}, "equal_opportunity")
                low, high = p.interval("equal_opportunity_gap_pooled")
                assert (low, high) == (max(gap.low, 0), gap.high) if known else np.isnan([low, high]).all()
                assert p.value("equal_opportunity_gap_pooled") == table["equal_opportunity_gap_pooled"][p.point]
    labels = [p.label for p in run.points["test"]]
    assert labels[:2] == ["Rule list, regularization 0.05", "Rule list, regularization 0.02"]
    assert "Logistic regression" in labels
    assert labels[-2:] == ["Rule set, fairness none", "Rule set, fairness equal opportunity ≤ 0.05"]


def test_fronts_are_those_of_the_sweeps(run: Run) -> None:
    for x in ("complexity", "equal_opportunity_gap_pooled", "demographic_parity_gap"):
        lines = fronts.fronts(run.points["test"], x)
        for i, family in ((0, "rule_list"), (1, "rule_set")):
            expected = run.started.sweeps[i].pareto("accuracy", x)
            assert {p.point for p in lines[family]} == set(expected["point"])
            assert [p.value(x) for p in lines[family]] == sorted(p.value(x) for p in lines[family])
        assert lines["falling_rule_list"] == []


def test_an_order_that_cannot_be_started_says_why_and_so_does_a_fit_that_fails() -> None:
    failed = done(replace(SMALL, grid={"regularization": [-1.0]}))
    assert failed.started.sweeps == ()
    assert "regularization" in str(failed.error)
    assert failed.standing().tone == "failed"
    assert str(failed.error) not in failed.standing().phase, "it stands beside that, and is said once"
    grid = {"max_complexity": [3], "thresholds": [3], "fairness": [rl.EqualOpportunity(0.1)], "min_group_size": [9999]}
    failing = done(Order(asked(family="rule_set", test_share=0.4), grid))
    assert failing.messages.startswith("1 fit failed, the first one of a rule set: ")
    assert "no two groups to compare" in failing.messages


def test_while_it_is_bounded_what_no_list_exceeds_no_sweep_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(sweeps: object, stopped: object) -> tuple[float, ...]:
        begun.set()
        go_on.wait(PATIENCE)
        return ()

    monkeypatch.setattr("rulelab.views.fronts.run.ceiling_of", slow)
    view = FrontView()
    view.follow(Run(replace(SMALL, baselines=())))
    assert view.sweeping
    assert begun.wait(PATIENCE)
    assert view.refresh(), "there is more to come"
    assert not view.sweeping, "there are no fits to stop"
    assert "bounding" in status(view).phase
    go_on.set()
    finished(view)


@pytest.mark.long
def test_cancelling_ends_own_sweeps_and_leaves_those_of_others() -> None:
    tab = FrontsView(lambda: asked(data="breast_cancer", max_conditions=2))
    tab.run()
    own = tab.view.run
    assert tab.view.sweeping
    wait_until(lambda: bool(own.started.sweeps))
    tab.cancel()
    own.join(PATIENCE)
    assert own.started.sweeps[0].wait(PATIENCE)
    assert own.started.sweeps[0].progress.state == "cancelled"
    assert "cancelled" in own.standing().phase
    assert own.error is None
    assert not finished(tab.view).sweeping

    grid = {"regularization": [0.001 * k for k in range(1, 30)], "max_conditions": [2]}
    sweep = rl.sweep(rl.datasets.load("breast_cancer"), "rule_list", grid, cv=3)
    followed = FrontView(sweep)
    followed.close()
    followed.run.join(PATIENCE)
    assert not followed.run.busy
    assert sweep.progress.state == "running"
    sweep.cancel()
    assert sweep.wait(PATIENCE)


def test_a_plot_shows_values_intervals_and_fronts(plot: FrontPlot) -> None:
    points = [
        counted(0, 70, complexity=2),
        counted(1, 80, complexity=4),
        point(2, complexity=6, accuracy=0.75),
        point(3, "random_forest", complexity=math.nan, accuracy=0.9),
    ]
    plot.draw(points, "complexity", None, "0:1")
    data = drawn(plot, "points").data
    assert data["x"][:3] == [2, 4, 6]
    low, high = wilson_interval(80, 100)
    assert (data["y_low"][1], data["y_high"][1]) == (round(100 * float(low), 3), round(100 * float(high), 3))
    assert plot.figure.y_range.end > data["y_high"][1]
    assert data["y_low"][2] == data["y_high"][2] == 75
    assert data["x"][3] > strip(plot).left > 6
    assert [alpha > 0.5 for alpha in data["alpha"]] == [True, True, False, True]
    assert drawn(plot, "rule_list").data == {"x": [2, 4], "y": [70, 80]}
    assert drawn(plot, "front").data["x"][:2] == [2, 4], "the front of all is of what has a complexity"
    assert drawn(plot, "front").data["y"] == [70, 80, 80]
    assert strip(plot).visible
    assert (drawn(plot, "chosen").data["x"], drawn(plot, "chosen").data["y"]) == ([4], [80])
    assert plot.figure.x_range.end > data["x"][3]
    assert plot.figure.xaxis[0].bounds[1] < data["x"][3], "the axis counts nothing in the strip"
    visible = {item.label.value for item in plot.figure.legend[0].items if item.visible}
    assert visible == {"Rule list", "Random forest", "Front of all"}
    plot.draw(points[:3], "complexity", None, None)
    assert (strip(plot).visible, plot.figure.xaxis[0].bounds) == (False, "auto")
    plot.draw(points[3:], "equal_opportunity_gap", "equal_opportunity_gap", None)
    assert drawn(plot, "points").data["key"] == [], "what has no gap is not drawn against it"


def test_both_figures_have_intervals_and_those_of_the_front_and_of_the_chosen_point_are_seen_first(plot) -> None:
    points = [counted(k, 70 - k, complexity=2 + k) for k in range(3)]
    for chosen, strong in ((None, [True, False, False]), ("0:2", [True, False, True])):
        plot.draw(points, "complexity", None, chosen)
        strengths = plot.figure.select_one({"name": "points"}).data_source.data["lines"]
        assert [strength == max(strengths) for strength in strengths] == strong
    name = fronts.gap_name("equal_opportunity")
    groups = {"a": Confusion(20, 5, 20, 5), "b": Confusion(12, 5, 20, 13)}
    points = [replace(counted(0, 72, **{name: 0.32}), groups=groups), point(1, "cart", accuracy=0.9, **{name: 0.1})]
    plot.draw(points, name, name, None)
    frame = plot.frame()
    low, high = frame["gap from"], frame["gap to"]
    assert 0 < low[0] < 32 < high[0] < plot.figure.x_range.end
    assert low[1] == high[1] == 10, "nothing is known of it"
    assert points[0].interval(name) == pytest.approx((low[0] / 100, high[0] / 100))


@pytest.mark.long
def test_a_picture_is_saved_with_a_legend_and_without_the_ring_and_its_figures_are_read(plot: FrontPlot) -> None:
    points = [counted(0, 70, complexity=2), point(1, "random_forest", complexity=math.nan, accuracy=0.9)]
    plot.draw(points, "complexity", None, "0:0")
    assert plot.caption.startswith("2 points; the most accurate: Random forest")
    gaps = [counted(k, 70 - k, equal_opportunity_gap_pooled=(0.3, 0.1, 0.1)[k]) for k in range(3)]
    plot.draw(gaps, "equal_opportunity_gap_pooled", "equal_opportunity_gap_pooled", None)
    assert plot.caption.startswith(f"3 points; the smallest gap: {gaps[1].label}, 10.0\u00a0%"), (
        "of two the more accurate"
    )
    plot.draw(points, "complexity", None, "0:0")
    frame = plot.frame()
    assert list(frame.columns) == ["point", "complexity", "accuracy (%)", "95 % interval from", "to", "proof"]
    assert frame["complexity"].fillna(-1).tolist() == [2, -1]
    assert frame["accuracy (%)"].tolist() == [70, 90]
    assert frame["proof"].tolist() == ["proven optimal", ""]
    assert frame["95 % interval from"][0] < 70 < frame["to"][0]
    saved = plot.picture()
    assert saved["size"] == [1600, 900]
    text = json.dumps(saved["item"])
    assert all(words in text for words in ("Accuracy and complexity", "accuracy (%)", "Random forest"))
    assert not plot.figure.legend[0].visible
    assert drawn(plot, "chosen").data["x"] == [2], "the one on the page is as before"
    plot.draw([], "complexity", None, None)
    assert len(plot.frame()) == 0
    assert plot.picture()["size"] == [1600, 900]


@pytest.mark.long
def test_a_picture_of_nothing_says_why_and_draws_no_area(plot: FrontPlot) -> None:
    """An empty stepped area keeps the browser busy for ever."""
    assert not is_shaded(FrontPlot("t", "x", print))
    ungrouped = point(0, complexity=2, accuracy=0.7, gap=math.nan)
    uncounted = point(1, "random_forest", complexity=math.nan, accuracy=0.9)
    for points, x, says in (
        ([ungrouped], "complexity", None),
        ([ungrouped], "gap", "a group lacks"),
        ([uncounted], "complexity", None),
        ([ungrouped, uncounted], "complexity", None),
        ([], "complexity", "taken out"),
    ):
        for ceiling in ((), (0.6, 0.75)):
            plot.draw(points, x, None, None, ceiling)
            shaded = bool(ceiling and drawn(plot, "points").data["x"])
            assert is_shaded(plot) == bool(drawn(plot, "impossible").data["x"]) == shaded
        assert bool(drawn(plot, "front").data["x"]) == (ungrouped in points and x == "complexity")
        assert (says is not None) == (not drawn(plot, "points").data["x"])
        assert says is None or says in plot.caption


@pytest.mark.long
def test_what_no_list_of_so_many_rules_reaches_is_shaded_over_training_rows_only() -> None:
    question = asked(test_share=0.4, regularization=0.001, **COARSE)
    view = shown(Run(replace(Order.of(question, "max_length", "1, 2, 3"), baselines=("greedy_list",))))
    plot = view.boxes[0].plot
    assert view.run.ceiling
    assert drawn(plot, "impossible").data["x"] == [], "of test rows nothing is proven"
    view.on = "train"
    finished(view)
    data = drawn(plot, "impossible").data
    assert is_shaded(plot)
    assert "no rule list of these conditions" in plot.caption
    for p in view.points():
        step = max(i for i, x in enumerate(data["x"]) if x <= p.value("complexity"))
        assert p.value("accuracy") <= view.run.ceiling[step] + 1e-12
        assert p.baseline or p.value("accuracy") == pytest.approx(view.run.ceiling[int(p.value("rules"))])
    assert drawn(view.boxes[1].plot, "impossible").data["x"] == []
    assert {p.method for p in view.points()} == {"rule_list", "greedy_list"}
    view.close()
    run = done(replace(Order.of(asked(max_conditions=1), "thresholds", "2, 3"), baselines=()))
    assert run.error is None
    assert run.ceiling == (), "lists of different conditions have no common one"


def test_a_tap_opens_the_card_of_the_training_rows(view: FrontView, run: Run) -> None:
    index = drawn(view.boxes[0].plot, "points").data["key"].index("0:1")
    drawn(view.boxes[0].plot, "points").selected.indices = [index]
    finished(view)
    assert view.point == "0:1"
    assert drawn(view.boxes[1].plot, "chosen").data["x"] != []
    card = view.model.card
    sweep = run.started.sweeps[0]
    result = next(r for r in sweep.results if r.point == 1)
    assert card.model == result.load()
    assert "training rows" in card.title
    assert card.rows.test is not None
    assert set(card.rows.test) == set(np.flatnonzero(sweep.plan.fold_of == 0))
    shown = view.model
    wait_until(lambda: not shown.refresh())
    assert shown.scores.test.rate("accuracy") == pytest.approx(result.test.whole.accuracy)
    text = html(view.details)
    assert "Rates per group, test rows" in text
    low, high = result.test.whole.interval("accuracy")
    assert f"{100 * result.test.whole.accuracy:.1f} ({100 * low:.1f}–{100 * high:.1f})" in text


def test_a_baseline_has_figures_and_no_card_and_a_point_says_what_its_constraint_cost(view: FrontView) -> None:
    view.point = next(p.key for p in view.points() if p.method == "logistic_regression")
    assert view.model is None
    assert "Logistic regression" in html(view.details)
    fair = next(p for p in view.points() if "equal opportunity ≤" in p.label)
    view.point = fair.key
    assert "points of accuracy" in html(view.details)
    free = next(p for p in view.points() if p.method == "rule_set" and p.key != fair.key)
    view.point = free.key
    assert "points of accuracy" not in html(view.details)


def test_a_baseline_of_two_sweeps_is_one_point(run: Run) -> None:
    for part, found in run.points.items():
        once = [p.baseline for p in found if p.sweep == 0]
        assert len(fronts.points(run.started.sweeps[:1] * 2, part)) == len(once) + once.count(False)


def test_pinning_hands_the_card_on(view: FrontView) -> None:
    pinned = []
    view.on_pin = lambda card: pinned.append(card) or "B"
    view.point = "1:0"
    button(view, KEEP).clicks += 1
    view.pin("0:1")
    assert [card.title for card in pinned] == ["diabetes, training rows"] * 2
    assert "pinned as B" in html(view.details)
    assert view.point == "1:0", "what is ticked in the table leaves the pictures as they are"
    view.pin(next(p.key for p in view.points() if p.method == "cart"))
    assert "no model of this setting" in alert(view).phase
    rows = {row["key"]: row for row in view.table.more}
    assert rows["0:1"]["same"] == same_of(pinned[1].title, pinned[1].proof.objective, pinned[1].proof.gap)
    point = next(p for p in view.points() if p.key == "0:1")
    assert rows["0:1"]["figures"][:3:2] == [fronts.percent(point, name) for name in ("accuracy", view.gap)]
    assert {row["key"] for row in view.table.more if "tick" in row} == {p.key for p in view.points() if not p.baseline}


def test_the_code_of_a_card_makes_its_model(run: Run) -> None:
    fair = run.points["test"][-1]
    result = next(r for r in run.started.sweeps[1].results if r.point == fair.point)
    assert result.parameters["fairness"] is not None
    code = fronts.card_of(run.started, fair).code.replace("print(model)", "")
    assert made(code)["model"] == result.load()


@pytest.mark.long
def test_of_folds_a_point_counts_every_row_once_and_its_card_is_of_the_first() -> None:
    data = rl.datasets.load("diabetes")
    sweep = rl.sweep(data, grid={"regularization": [0.02], "max_conditions": [1]}, cv=3, sensitive="sex")
    view = FrontView(sweep, data)
    assert sweep.wait(PATIENCE)
    finished(view)
    (found,) = view.points()
    assert sum(found.tested.counts) == len(data.y)
    assert found.value("accuracy") == sum(r.test.whole.weight - r.test.whole.errors for r in sweep.results) / len(
        data.y
    )
    view.point = found.key
    first = next(r for r in sweep.results if r.fold == 0)
    assert view.model.card.model == first.load()
    assert set(view.model.card.rows.test) == set(np.flatnonzero(sweep.plan.fold_of == 0))
    assert "3 folds, seed 0" in html(view.details)


@pytest.mark.long
def test_without_test_rows_training_figures_stand_there_and_it_is_said_what_keeps_some() -> None:
    view = shown(Run(replace(SMALL, question=asked(), baselines=("cart",))))
    assert view.points("test") == []
    assert {p.method for p in view.points()} == {"rule_list", "cart"}
    assert "training rows" in view.boxes[0].plot.figure.yaxis.axis_label
    assert "nothing can be said about new ones" in html(view)
    assert not field(view, "Accuracy and gaps on"), "there are no test rows to choose"
    view.point = "0:1"
    card = view.model.card
    assert (card.title, card.rows.test) == ("diabetes, all rows", None)
    tested, trained = next(row for row in view.table.more if row["key"] == "0:1")["figures"][:2]
    assert tested == "–"
    assert float(trained) > 0, "no interval"
    view.follow(Run(SMALL))
    finished(view)
    assert field(view, "Accuracy and gaps on")
    assert "nothing can be said about new ones" not in html(view)


def test_the_second_picture_shows_roc_where_it_is_asked_for(view: FrontView) -> None:
    before = view.table.more
    view.criterion = "roc"
    found = view.points()
    frame = view.boxes[1].plot.frame()
    assert [box.name for box in view.boxes[:2]] == ["Accuracy and complexity", "ROC"]
    assert list(frame.columns[1:3]) == [f"{rate} positive rate on test rows (%)" for rate in ("false", "true")]
    for name, column in zip(("false_positive_rate", "true_positive_rate"), frame.columns[1:3], strict=True):
        assert frame[column].tolist() == pytest.approx([100 * p.value(name) for p in found])
    assert (frame["95 % interval from"] <= frame.iloc[:, 2]).all()
    assert view.table.more == before, "gaps stay those of a criterion"
    best = fronts.front(found, "false_positive_rate", "true_positive_rate")
    for p in found:
        others = [q for q in found if q.value("false_positive_rate") <= p.value("false_positive_rate")]
        above = any(q.value("true_positive_rate") > p.value("true_positive_rate") for q in others)
        assert not (above and p in best)
    view.param.update(criterion="equalized_odds", on="train")
    assert view.boxes[1].name == "Accuracy and fairness"
    axes = view.boxes[1].plot.figure.xaxis.axis_label, view.boxes[1].plot.figure.yaxis.axis_label
    assert axes == ("gap in equalized odds (%)", "accuracy on training rows (%)")


def test_rates_of_each_group_are_drawn_over_what_is_allowed(view: FrontView, run: Run) -> None:
    view.criterion, box = "rates", view.boxes[2]
    frame = box.plot.frame()
    sets = run.started.sweeps[1]
    (fair,) = {r.point for r in sets.results if sets.parameters_of(r.point)["fairness"] is not None}
    assert set(frame["tolerance"]) == {0.05}
    for on in ("train", "test"):
        rates = 100 * sets.rates(fair, on)["true_positive_rate"]
        own = frame[frame["rows"] == on].set_index("group")["true positive rate (%)"]
        assert own.to_dict() == pytest.approx(rates[list(sets.groups)].to_dict())
    assert "On training rows groups are at most" in box.plot.caption
    assert [each for each in view.boxes if each.pane in list(seen(view))] == [view.boxes[0], box]
    assert view.gap == "equal_opportunity_gap_pooled", "the table has the gap of the constraint"
    assert json.loads(json.dumps(box.answer("png")))["name"] == "diabetes_rates_by_tolerance.png"
    view.criterion = "equal_opportunity"
    assert box.pane not in list(seen(view))


def test_without_groups_the_second_picture_is_roc() -> None:
    grid = {"max_length": [1, 2], "max_conditions": [1]}
    view = finished(FrontView(rl.sweep(rl.datasets.load("tic_tac_toe"), "rule_list", grid, cv=2)))
    assert [box.name for box in view.boxes[:2]] == ["Accuracy and complexity", "ROC"]
    assert len(view.boxes[1].plot.frame()) == 2
    view.close()


def test_tables_are_exported(view: FrontView, run: Run) -> None:
    fits = pd.read_csv(io.StringIO(view.fits_csv().getvalue()))
    total = sum(sweep.progress.total for sweep in run.started.sweeps)
    assert len(fits) == total
    assert run.standing().figures[0] == ("fits done", f"{total} of {total}")
    summary = pd.read_csv(io.StringIO(view.points_csv().getvalue()))
    assert summary.groupby("rows").size().to_dict() == {"test": len(view.points()), "train": len(view.points())}


def test_hostile_text_stays_text(plot: FrontPlot) -> None:
    values = {"complexity": 2.0, "accuracy": 0.7}
    hostile = point(0, parameters=f"cuts {HOSTILE}", **values)
    said = fronts.summary(hostile, None, None, HOSTILE, (), "")
    said += fronts.rates_of_groups(pd.DataFrame(), HOSTILE, "test")
    assert not {"img", "script"} & set(tags(said))
    plot.draw([hostile], "complexity", None, None)
    hover = next(tool for tool in plot.figure.tools if type(tool).__name__ == "HoverTool")
    assert "{safe}" not in hover.tooltips


def test_values_and_criteria_have_one_name_everywhere() -> None:
    for value, expected in (
        (rl.EqualizedOdds(0.05, 1e-5), "equalized odds ≤ 0.05 and 1e-05"),
        (rl.EqualOpportunity(0.0), "equal opportunity ≤ 0"),
        ("dnf", "dnf"),
        (f"Cuts({HOSTILE})", f"Cuts({HOSTILE})"),
        (0.005, "0.005"),
        (None, "none"),
        (True, "yes"),
    ):
        assert fronts.in_words("any", value) == expected
    words = {record.words for record in rl.families.EVERY.values()}
    assert {fronts.criterion_words(name) for name in MEASURED} == words


def test_every_method_has_a_look_of_its_own() -> None:
    known = {*rl.sweeps.FAMILIES, *rl.sweeps.BASELINES}
    assert set(COLORS) == set(LOOKS) == known
    assert len({look.marker for look in LOOKS.values()}) == len(known)
    for dark in (False, True):
        assert len({color[dark] for color in COLORS.values()}) == len(known)
        assert all(contrast(color[dark], "#121212" if dark else "#ffffff") >= 3 for color in COLORS.values())


def contrast(one: str, other: str) -> float:
    """Of two colours, as WCAG 2 defines it."""

    def luminance(color: str) -> float:
        shares = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_a_method_is_taken_out_of_the_pictures_and_put_back(view: FrontView) -> None:
    def labels() -> set[str]:
        return set(drawn(view.boxes[0].plot, "points").data["label"])

    everything = labels()
    (legend,) = [each for each in pn.panel(view).select(pn.widgets.CheckBoxGroup) if "rule_set" in each.values]
    legend.value = [method for method in legend.value if method != "rule_set"]
    assert view.hidden == ["rule_set"]
    assert not any(label.startswith("Rule set") for label in labels())
    assert any(row["title"].startswith("Rule set") for row in view.table.more), "it can be chosen still"
    view.hidden = []
    assert "rule_set" in legend.value
    assert labels() == everything
    assert set(legend.value) == {"rule_list", "rule_set", "cart", "logistic_regression"}
