"""Looking back at a run: everything is as it was at that moment, and as it is now when one comes back."""

import io
from typing import Any

import pandas as pd
import pytest
from bokeh.models import Span
from live import curves, curves_of, exported, finish, html, look_back, moment, play, send, status
from patience import wait_until
from test_views_plots import SEARCHES

import rulelab as rl
from rulelab.views.live.state import State
from rulelab.views.live.wording import figures
from rulelab.views.search.families import LOOKS
from rulelab.views.search.figures import SearchFigures
from rulelab.views.search.plots.curves import AXES
from rulelab.views.search.view import SearchView

one = pytest.mark.parametrize("view", ["rule_list"], indirect=True)
"""Where the kind of search is the same to what is tested."""


@pytest.fixture(params=list(SEARCHES))
def view(request: pytest.FixtureRequest, show) -> SearchView:
    """A run that is over, with a moment for every step of the search that brought something."""
    view = show(SEARCHES[request.param](), speed="1000 per tick")
    for _ in range(4):
        view.step()
        wait_until(lambda: not view.session.state.busy)
        view.refresh()
    view.speed = "full speed"
    return finish(view)


def drawn(plots: SearchFigures) -> list[Any]:
    """All that the plots show and say, but the curves, which stay whole, and the marks on them.

    Where they stand on the logarithmic axis hangs on when the tree began, which no moment before it knows.
    """
    over_time = [
        source for plot in plots.plots if plot.over_time for source in plot.sources if "rules" not in source.data
    ]
    sources = [*over_time, *(source for plot in plots.plots if not plot.over_time for source in plot.sources)]
    shown = [{name: data for name, data in source.data.items() if name != "log_work"} for source in sources]
    return [*shown, *(plot.caption for plot in plots.plots)]


def lines(view: SearchView) -> list[Span]:
    """The line at the moment that is shown, in each plot over time."""
    return [line for plot in view.plots.plots for line in plot.figure.select({"type": Span})]


def axes(plots: SearchFigures) -> list[Any]:
    """The curves, and what the plots over time span."""
    ranges = [each for plot in plots.plots if plot.over_time for each in (plot.figure.x_range, plot.figure.y_range)]
    return [dict(curves_of(plots.plot(0).figure)), *((each.start, each.end) for each in ranges)]


def said(view: SearchView) -> dict[str, str]:
    """The figures beside what is proven, and those of how it was found."""
    return {name: value for part in ("status", "counts") for name, value in view.part(part).figures}


def seen(view: SearchView) -> list[Any]:
    best = view.best
    texts = [best.card.object, best.heading.object, view.certificate.account.object]
    return [*drawn(view.plots), *texts, said(view)]


@pytest.mark.long
def test_every_moment_looks_as_it_did(view) -> None:
    snapshots = view.session.history.snapshots
    assert len(snapshots) > 3
    present, whole = seen(view), axes(view.plots)
    search = view.session.search
    for at in (0, len(snapshots) // 2, len(snapshots) - 2, 1):
        look_back(view, at)
        then = SearchFigures(LOOKS[view.session.look])
        then.use_axis(view.axis)
        then.extend(snapshots[: at + 1], True, snapshots[at], view.session.prepared)
        assert repr(drawn(view.plots)) == repr(drawn(then))
        assert said(view) == dict(figures(snapshots[at], search.family))
        assert f"moment {at + 1} of {len(snapshots)}" in status(view).phase
        assert view.best.actions.visible == (snapshots[at].incumbent is not None)
        assert view.part("moment").at == at
        assert repr(axes(view.plots)) == repr(whole), "axes do not move"
        for line in lines(view):
            assert line.visible
            assert line.location == curves(view)[AXES[view.axis]][at]
    look_back(view, None)
    assert (repr(seen(view)), repr(axes(view.plots))) == (repr(present), repr(whole))
    assert not any(line.visible for line in lines(view))
    assert status(view).tone == "proven" or view.session.snapshot.status is not rl.Status.OPTIMAL


def test_what_is_saved_is_what_is_shown_and_a_verdict_on_the_end_is_not_said_of_a_moment_before(view) -> None:
    snapshots = view.session.history.snapshots
    cards: list[Any] = []
    view.on_pin = lambda card: cards.append(card) or "A"
    at = next(k for k, each in enumerate(snapshots) if each.incumbent is not None)
    look_back(view, at)
    model = snapshots[at].incumbent.model
    assert type(model).from_json(exported(view, "Model (JSON)")) == model
    view.pin()
    assert (cards[0].model, cards[0].proof.lower_bound) == (model, snapshots[at].lower_bound)
    assert len(pd.read_csv(io.BytesIO(exported(view, "Trace (CSV)")))) == len(snapshots)
    look_back(view, None)
    check, able = view.certificate.check, view.certificate.check.button.visible
    assert able == (view.session.snapshot.status is rl.Status.OPTIMAL)
    check.line.phase = "Valid: there is no better one."
    look_back(view, 1)
    assert (check.button.visible, check.line.visible) == (False, False)
    assert "Once the model is proven optimal" in html(view.part("certificate"))
    look_back(view, None)
    assert (check.button.visible, check.line.visible) == (able, able)
    places, start, end = view.plots.places
    assert start < places[0] <= places[-1] < end
    line = lines(view)[0]
    assert line.tags == [1]
    for place in (start, places[1] + 1e-9, (places[0] + 2 * places[-1]) / 3, end):
        line.location = place  # it is moved in a plot, to the nearest moment
        view.refresh()
        at = len(places) - 1 if moment(view) is None else moment(view)
        assert abs(places[at] - place) == min(abs(each - place) for each in places)
        assert line.visible == (moment(view) is not None)
        if line.visible:
            assert line.location == places[at]


@one
def test_replay_goes_through_the_moments_to_the_present_and_a_slider_that_is_moved_holds_it(view) -> None:
    last = len(view.session.history) - 1
    play(view)
    assert moment(view) == 0
    shown = []
    while view.part("moment").playing:
        shown.append(moment(view))
        view.tick()
    assert len(shown) > 15, "a fast search is played slowly"
    assert (shown, shown[0]) == (sorted(shown), 0)
    assert shown[-1] < last
    assert moment(view) is None
    assert view.part("moment").at == last
    assert not view.part("moment").playing
    play(view)
    while moment(view) == 0:
        view.tick()
    send(view.part("moment"), {"place": 0})
    assert not view.part("moment").playing
    assert moment(view) == 0
    send(view.part("moment"), {"place": 1})
    assert moment(view) is None
    send(view.part("moment"), {"move": -1})
    assert moment(view) == last - 1
    play(view)
    assert (moment(view), view.part("moment").playing) == (0, True), "near the end there is nothing left to play"
    send(view.part("moment"), {"place": 1})
    send(view.part("moment"), {"move": -1})
    for nonsense in ("press", {}, {"move": "far"}, {"place": None}):
        send(view.part("moment"), nonsense)
    assert moment(view) == last - 1


@one
def test_reset_and_a_new_run_are_in_the_present(view) -> None:
    look_back(view, 1)
    view.reset()
    assert moment(view) is None
    assert not view.part("moment").able
    assert view.part("moment").moments == 0, "nothing is left of the moments of the run before"
    assert "looking back" not in status(view).phase
    view.step()
    wait_until(lambda: view.session.state in (State.PAUSED, State.ENDED))
    view.refresh()
    assert moment(view) is None
