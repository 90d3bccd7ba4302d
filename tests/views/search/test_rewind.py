"""Looking back at a run: everything is as it was at that moment, and as it is now when one comes back."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from patience import PATIENCE, wait_until
from test_views_plots import SEARCHES

import rulelab as rl
from rulelab.views.live.history import Mark
from rulelab.views.live.state import State
from rulelab.views.live.wording import figures
from rulelab.views.search.families import LOOKS
from rulelab.views.search.figures import SearchFigures
from rulelab.views.search.view import SearchView


@pytest.fixture(params=list(SEARCHES))
def view(request: pytest.FixtureRequest) -> Iterator[SearchView]:
    """A run that is over, with a moment for every step of the search that brought something."""
    view = SearchView(SEARCHES[request.param](), speed="1000 per tick")
    for _ in range(4):
        view.step()
        wait_until(lambda: not view.session.state.busy)
        view.refresh()
    view.speed = "full speed"
    view.run()
    wait_until(lambda: view.session.state.over)
    view.refresh()
    yield view
    view.close()
    view.session.join(PATIENCE)


def drawn(plots: SearchFigures) -> list[Any]:
    """All that the plots show and say."""
    sources = [plots._curves, *(source for plot in plots.plots for source in plot.sources)]
    return [*(dict(source.data) for source in sources), *(plot.caption for plot in plots.plots)]


def said(view: SearchView) -> dict[str, str]:
    """The figures beside what is proven, and those of how it was found."""
    return {name: value for part in ("status", "counts") for name, value in view.part(part).figures}


def seen(view: SearchView) -> list[Any]:
    best = view._best
    texts = [best.card.object, best.heading.object, best.account.object]
    return [*drawn(view._plots), *texts, said(view)]


@pytest.mark.long
def test_every_moment_looks_as_it_did(view) -> None:
    snapshots, _, _ = view.session.history.since(Mark())
    assert len(snapshots) > 3
    present = seen(view)
    search = view.session.search
    for at in (0, len(snapshots) // 2, len(snapshots) - 2, 1):
        view._rewind.at = at
        then = SearchFigures(LOOKS[view.session.look])
        then.use_axis(view.axis)
        then.extend(snapshots[: at + 1], True, snapshots[at], view.session.prepared)
        assert repr(drawn(view._plots)) == repr(drawn(then))
        assert said(view) == dict(figures(snapshots[at], search.family))
        assert f"moment {at + 1} of {len(snapshots)}" in view._status.phase
        assert view._best.exports.visible == (snapshots[at].incumbent is not None)
        assert view._rewind._slider.value == at + 1
    view._rewind.at = None
    assert repr(seen(view)) == repr(present)
    assert view._status.tone == "proven" or view.session.snapshot.status is not rl.Status.OPTIMAL


def test_what_is_saved_is_what_is_shown(view) -> None:
    snapshots, _, _ = view.session.history.since(Mark())
    cards: list[Any] = []
    view.on_pin = lambda card: cards.append(card) or "A"
    at = next(k for k, each in enumerate(snapshots) if each.incumbent is not None)
    view._rewind._slider.value = at + 1
    model = snapshots[at].incumbent.model
    assert type(model).from_json(view._best.model_json().read()) == model
    view.pin()
    assert cards[0].model == model
    assert cards[0].proof.lower_bound == snapshots[at].lower_bound
    assert isinstance(view._best.trace(), io.StringIO)


def test_a_verdict_on_the_end_is_not_said_of_a_moment_before(view) -> None:
    check, able = view._best.proof.check, not view._best.proof.check.button.disabled
    assert able == (view.session.snapshot.status is rl.Status.OPTIMAL)
    check.line.phase = "Valid: there is no better one."
    view._rewind.at = 1
    assert check.button.disabled
    assert not check.line.visible
    view._rewind.at = None
    assert check.button.disabled != able
    assert check.line.visible == able


def test_replay_goes_through_the_moments_and_ends_in_the_present(view) -> None:
    last = len(view.session.history) - 1
    view._rewind.press()
    assert view._rewind.at == 0
    shown = []
    while view._rewind.playing:
        shown.append(view._rewind.at)
        view.tick()
    assert len(shown) > 15, "a fast search is played slowly"
    assert shown == sorted(shown)
    assert shown[0] == 0
    assert shown[-1] < last
    assert view._rewind.at is None
    assert view._rewind._slider.value == last + 1
    assert view._rewind._button.label == "Replay"


def test_a_slider_that_is_moved_holds_the_replay(view) -> None:
    view._rewind.press()
    while view._rewind.at == 0:
        view.tick()
    view._rewind._slider.value = 1
    assert not view._rewind.playing
    assert view._rewind.at == 0
    view._rewind._slider.value = len(view.session.history)
    assert view._rewind.at is None


def test_reset_and_a_new_run_are_in_the_present(view) -> None:
    view._rewind.at = 1
    view.reset()
    assert view._rewind.at is None
    assert view._rewind._slider.disabled
    assert view._rewind._slider.value == 1, "nothing is left of the moments of the run before"
    assert view._rewind._button.disabled
    assert "looking back" not in view._status.phase
    view.step()
    wait_until(lambda: view.session.state in (State.PAUSED, State.ENDED))
    view.refresh()
    assert view._rewind.at is None
