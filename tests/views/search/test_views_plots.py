"""The live plots: what they draw, say and give away, and the buttons beside them."""

import json
import math
from dataclasses import replace
from io import StringIO

import pandas as pd
import panel as pn
import pytest
from bokeh.models.annotations import BoxAnnotation
from laws import larger_problem
from live import boxes, button, curves_of, finish, html, long_search, paused, problem, small_search, status
from patience import wait_until

import rulelab as rl
from rulelab.families.wording import adding_up, power
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.state import State
from rulelab.views.search.families import LOOKS
from rulelab.views.search.figures import SearchFigures
from rulelab.views.search.plots.base import SLIDE, Plot, Window
from rulelab.views.search.plots.curves import Curves
from rulelab.views.search.plots.prefixes import PrunedPlot, pruned_columns
from rulelab.views.search.view import SearchView
from rulelab.views.widgets import style
from rulelab.views.widgets.html import Press

SEARCHES = {
    "rule_list": small_search,
    "falling_rule_list": lambda: rl.FallingRuleListSearch(problem(), regularization=0.01, positive_weight=2),
    "falling_monte_carlo": lambda: rl.search(
        problem(), "falling_rule_list", method="monte_carlo", iterations=40, random_state=0
    ),
    "rule_set": lambda: rl.RuleSetSearch(problem(), max_complexity=4, max_conditions=2),
}


@pytest.fixture
def view(request: pytest.FixtureRequest, show) -> SearchView:
    return show(getattr(request, "param", small_search)())


@pytest.mark.long
@pytest.mark.parametrize("view", list(SEARCHES.values()), ids=list(SEARCHES), indirect=True)
def test_every_plot_says_what_is_seen_and_gives_its_figures_away(view) -> None:
    before = [plot.caption for plot in view.plots.plots]
    assert all(before)
    finish(view)
    for box, first in zip(boxes(view), before, strict=True):
        assert box.plot.caption != first
        assert box.items[0].caption == box.plot.caption
        table = box.answer("table")
        assert 0 < len(table["rows"]) <= 20
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}
        csv = box.answer("csv")
        assert pd.read_csv(StringIO(csv["csv"])).shape == box.plot.frame().shape
        assert csv["name"].startswith("search_")
        assert csv["name"].endswith(".csv")
        picture = json.loads(json.dumps(box.answer("svg")))
        assert picture["size"] == [*SLIDE]
        assert f'"text": "{box.plot.figure.title.text}"' in json.dumps(picture["item"])
        assert box.plot.figure.html_attributes == {"role": "figure", "aria-label": box.plot.figure.title.text}
    view.reset()
    assert [plot.caption for plot in view.plots.plots] == before
    assert [box.items[0].caption for box in boxes(view)] == before


def test_the_captions_follow_a_search() -> None:
    plots, prepared = SearchFigures(LOOKS["rule_list"]), Prepared(small_search())
    bounds, pruned, _, left = plots.plots
    seen = []
    for snapshot in small_search().steps(work_per_step=2):
        plots.extend([snapshot], not seen, snapshot, prepared)
        seen.append(snapshot)
        if snapshot.status is rl.Status.RUNNING and snapshot.incumbent:
            assert f"{snapshot.incumbent.objective:.4f} is found" in bounds.caption
            nothing = "how far down it can come is not proven yet"
            proven = adding_up(snapshot.incumbent.objective, snapshot.lower_bound)[1]
            below = f"below {proven}" if snapshot.lower_bound > 0 else nothing
            assert below in bounds.caption
            open_ = sum(snapshot.queue_by_length[1:])
            assert f"{open_} prefix" in bounds.caption or not open_
        cut = sum(snapshot.pruned.values())
        assert pruned.caption.startswith(f"{cut} cut") or cut == 0 or cut > 999
        assert pruned.blank is (cut == 0)
        assert (
            f"At most {10 ** (snapshot.log10_remaining % 1):.1f}·{power(int(snapshot.log10_remaining))} "
            in left.caption
            or snapshot.status is rl.Status.OPTIMAL
        )
    assert "proven" in bounds.caption
    assert bounds.caption.endswith("The queue is empty.")
    assert bounds.frame()["in the queue"].tolist() == [sum(snapshot.queue_by_length[1:]) for snapshot in seen]
    assert left.caption == "Nothing is left to look at."
    told = left.frame()["log10 remaining"].tolist()
    assert told == [round(snapshot.log10_remaining, 3) for snapshot in seen]
    assert told[0] > told[-1] == 0


def drawn(plot: Plot) -> list[str]:
    """What the legend names."""
    return [entry.label.value for legend in plot.figure.legend for entry in legend.items if entry.visible]


def test_one_step_is_seen_and_so_is_the_end_and_each_better_model_is_marked_with_its_rules(view) -> None:
    """And a legend names only what is drawn."""
    nothing: list[list[str]] = [[] for _ in view.plots.plots]
    assert [drawn(plot) for plot in view.plots.plots] == nothing
    paused(view)
    bounds, _, incumbents, _ = view.plots.plots
    assert bounds.sources[0].data["lower_bound"] == [pytest.approx(view.session.snapshot.lower_bound, abs=1e-5)]
    assert bounds.sources[0].data["queued"] == [sum(view.session.snapshot.queue_by_length[1:])]
    assert bounds.sources[1].data["work"] == []
    for _ in range(3):
        view.step()
        wait_until(lambda: not view.session.state.busy)
        view.refresh()
    finish(view)
    assert bounds.sources[0].data["queued"] == [0]
    assert bounds.sources[1].data["work"] == [view.session.snapshot.work]
    x, y = bounds.figure.x_range, bounds.figure.y_range
    assert x.start < bounds.sources[0].data["log_work"][0] < x.end
    assert y.start < bounds.sources[0].data["objective"][0] < y.end
    every = view.session.history.snapshots
    snapshots = [s for s in every if s.incumbent is not None]
    better = [
        s
        for s, before in zip(snapshots, [None, *snapshots], strict=False)
        if before is None or s.incumbent.objective < before.incumbent.objective
    ]
    marks = bounds.sources[2]
    assert marks.data["objective"] == pytest.approx([s.incumbent.objective for s in better], abs=1e-7)
    assert marks.data["work"] == [s.work for s in better]
    for text, snapshot in zip(marks.data["rules"], better, strict=True):
        assert all(name in text for name in snapshot.incumbent.model.antecedent_names[:5])
    lengths = {length for s in every for length, n in enumerate(s.queue_by_length) if n}
    waiting = ["waiting:", *(str(length) for length in sorted(lengths - {0}))]
    assert sorted(drawn(bounds)) == sorted(["objective", "lower bound", "gap", *waiting])
    assert drawn(incumbents) == ["incumbents", "best"]
    view.reset()
    assert [drawn(plot) for plot in view.plots.plots] == nothing
    assert marks.data["objective"] == []


def test_plots_have_no_frame_can_be_asked_and_zoomed_into_and_legends_show_colours_that_are_no_data() -> None:
    for plot in {drawing.kind: drawing.make(Curves()) for look in LOOKS.values() for drawing in look.plots}.values():
        assert plot.figure.outline_line_color is None
        kinds = {type(tool).__name__ for tool in plot.figure.tools}
        assert {"HoverTool", "BoxZoomTool", "ResetTool"} <= kinds, plot.title
        for renderer in (one for legend in plot.figure.legend for entry in legend.items for one in entry.renderers):
            colours = {getattr(renderer.glyph, name, None) for name in ("fill_color", "line_color")}
            assert colours.isdisjoint(renderer.data_source.column_names), plot.title


@pytest.mark.parametrize("width", [0, 40])
def test_the_axis_counts_from_the_tree_and_a_strip_is_what_comes_before_it(width: int) -> None:
    search = rl.RuleListSearch(problem(), 0.02, beam_width=width)
    snapshots = list(search.steps(work_per_step=1, work_limit=300))
    plots = SearchFigures(LOOKS["rule_list"])
    plots.use_axis("log work")
    for k, snapshot in enumerate(snapshots):  # as they come, and not only at the end
        plots.extend([snapshot], k == 0, snapshot, Prepared(search))
    first = next(k for k, each in enumerate(snapshots) if each.phase == "searching")
    assert (first > 1) == (width > 0), "a beam takes its time"
    at, head = curves_of(plots.plot(0).figure)["log_work"], plots.plots[0].sources[0].data["log_work"]
    assert (len(at), at) == (len(snapshots), sorted(at))
    assert head == at[-1:]
    strip = plots.plot(0).figure.select_one({"type": BoxAnnotation, "level": "underlay"})
    assert (strip.visible, strip.right) == (first > 0, 0 if first else at[0])
    assert [place < 0 for place in at] == [each.work < snapshots[first].work and first > 0 for each in snapshots]
    x = plots.plot(0).figure.x_range
    assert -first * x.start <= 0.5 * first, "what comes before takes little place"
    plots.use_axis("work")
    assert strip.right == (snapshots[first].work if first else 0)


def test_the_vertical_axis_spans_the_gap_and_has_numbers_to_read_where_all_is_zero() -> None:
    search, plots = long_search(), SearchFigures(LOOKS["rule_list"])
    snapshots = list(search.steps(work_per_step=20, work_limit=400))
    for i, snapshot in enumerate(snapshots):
        plots.extend([snapshot], i == 0, snapshot, Prepared(search))
        if snapshot.incumbent is not None:
            start, end = above(plots)
            assert start <= snapshot.lower_bound <= snapshot.incumbent.objective <= end
            first = snapshots[0].lower_bound
            assert end - start < 1.4 * (snapshots[-1].incumbent.objective + 1 - first)

    last = rl.solve(small_search())
    latest = replace(last, lower_bound=0.0, incumbent=replace(last.incumbent, objective=0.0))
    plots = SearchFigures(LOOKS["rule_list"])
    plots.extend([latest], True, latest, Prepared(small_search()))
    start, end = above(plots)
    assert start == 0
    assert end > 0.01


def above(plots: SearchFigures) -> tuple[float, float]:
    """The ends of the vertical axis, which is above what waits; both fill the picture."""
    figure = plots.plot(0).figure
    (start, end), whole, foot = figure.yaxis[0].bounds, figure.y_range, figure.extra_y_ranges["waiting"]
    most = max(plots.plot(0).frame()["in the queue"])
    assert figure.yaxis[1].bounds == (0, most or 1)
    assert (start - whole.start) / (whole.end - whole.start) > (most - foot.start) / (foot.end - foot.start)
    assert whole.end == end
    return start, end


def test_a_part_that_was_zoomed_into_stays_until_the_reset() -> None:
    window = Window(0, 1)
    window.span(0, 2)
    assert (window.range.start, window.range.end) == (0, 2)
    window.range.update(start=0.5, end=0.6)
    window.span(0, 3)
    assert (window.range.start, window.range.end) == (0.5, 0.6)
    assert (window.range.reset_start, window.range.reset_end) == (0, 3)
    window.range.update(start=0, end=3)
    window.span(0, 4)
    assert (window.range.start, window.range.end) == (0, 4)


def able(view: SearchView) -> set[str]:
    view.refresh()
    known = {"Run": "run", "Pause": "run", "Step": "step", "Stop": "stop", "Reset": "reset"}
    return {known[each.label] for each in pn.panel(view).select(Press) if each.label in known and each.able}


def test_only_buttons_that_would_do_something_can_be_pressed(show) -> None:
    view = show(long_search(), speed="10 per tick")
    assert able(view) == {"run", "step"}
    view.run()
    wait_until(lambda: view.session.state is State.RUNNING)
    assert able(view) == {"run", "step", "stop", "reset"}
    assert button(view, "Pause")
    view.pause()
    wait_until(lambda: view.session.state is State.PAUSED)
    assert able(view) == {"run", "step", "stop", "reset"}
    view.stop()
    wait_until(lambda: view.session.state is State.STOPPED)
    assert able(view) == {"run", "reset"}
    assert "Step cannot go on" in html(view.part("controls"))
    view.reset()
    assert (able(view), html(view.part("controls"))) == ({"run", "step"}, "")
    view.close()
    assert able(finish(show())) == {"run", "reset"}


def test_a_result_of_earlier_settings_is_said_to_be_one(view) -> None:
    view.stale = True
    view.refresh()
    assert html(view.part("controls")) == "", "nothing has been run"
    paused(view)
    assert html(view.part("controls")) == ""
    view.stale = True
    view.refresh()
    assert "Reset" in html(view.part("controls"))
    view.stale = False
    finish(view)
    assert status(view).tone == "proven"
    view.stale = True
    view.refresh()
    assert status(view).tone == "earlier"
    assert status(view).phase.startswith("With the earlier settings: certified optimal")
    assert "rl-earlier" in view.part("model").css_classes, "its model is grey, too"
    assert "settings have changed" in html(view.part("controls"))
    finish(view)
    assert status(view).tone == "proven"
    assert "settings" not in html(view.part("controls"))


def test_no_grid_gives_a_place_to_the_empty_button_of_panel() -> None:
    grids = [
        name for name in vars(style) if name.endswith("_CSS") and "display: grid !important" in getattr(style, name)
    ]
    assert {"VIEW_CSS", "PAGE_CSS"} <= set(grids)
    assert [name for name in grids if ".scroll-button { display: none" not in getattr(style, name)] == []


def test_bars_of_cuts_are_as_long_as_their_shares_also_of_the_best_list_of_all_where_it_was_enough() -> None:
    last = rl.solve(small_search())
    columns, total = pruned_columns(last), sum(last.pruned.values())
    assert columns["share"] == pytest.approx([100 * n / total for n in columns["count"]], abs=1e-3)
    assert math.isclose(sum(columns["share"]), 100, abs_tol=0.01)
    assert columns["count"] == sorted(columns["count"])
    problem = larger_problem(1, 200, 6)
    done = rl.solve(rl.search(problem, regularization=0.01, fairness=rl.EqualOpportunity(0.9)))
    plot = PrunedPlot()
    assert plot.below == ""
    plot.show([done], True, done)
    assert "Coloured as in search trees; grey: " in plot.below
    assert not done.made
    assert plot.frame()["prefixes cut"].sum() == done.sought_first["cut"] > 0
    assert plot.caption.endswith("a best one meets what is asked.")
