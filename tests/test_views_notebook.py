"""Views in a notebook, without a browser: what they leave behind, and what they say to who watches them."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import panel as pn
import pytest
from patience import PATIENCE

import rulelab as rl
from rulelab.views import notebook
from rulelab.views.live.session import State
from rulelab.views.search.still import curves_svg

NASTY = '<img src=x onerror="alert(1)">'


def problem() -> rl.Problem:
    rng = np.random.default_rng(3)
    A = rng.random((80, 5)) < 0.5
    y = (A[:, :3].sum(axis=1) >= 2) ^ (rng.random(80) < 0.1)
    return rl.Problem.from_arrays(A, y, names=[NASTY, *"bcde"])


class Published(list[Any]):
    """A display publisher that remembers."""

    def register_hook(self, hook: Any) -> None: ...

    def unregister_hook(self, hook: Any) -> None: ...

    def publish(self, data: Any, transient: Any = None, update: bool = False) -> None:
        self.append((data, transient["display_id"], update))


@pytest.fixture
def published(monkeypatch: Any) -> Published:
    out = Published()
    shell = SimpleNamespace(kernel=object(), display_pub=out, events=SimpleNamespace(register=lambda *_: None))
    monkeypatch.setattr(notebook, "_shell", lambda: shell)
    monkeypatch.setattr(notebook, "_load", lambda shell: ["libraries"])
    monkeypatch.setattr(pn.extension, "_loaded", True)
    return out


def test_what_only_the_page_needs_leaves_the_notebook_when_the_browser_speaks(published: Published) -> None:
    search = rl.RuleListSearch(problem(), 0.02, beam_width=0)
    search.advance(3)
    view = rl.views.TreeView(search)
    data, _ = view._repr_mimebundle_()
    assert len(data["text/html"]) < 1000
    ((script, output, update),) = published
    assert not update
    assert "application/javascript" in script
    ((_, client),) = view.__panel__()._comms.values()
    client._on_open({})
    assert published[1] == ({"text/html": ""}, "libraries", True)
    still, place, update = published[2]
    assert (place, update) == (output, True)
    assert "kernel gone: run the cell" in still["text/html"]
    assert "<rect" in still["text/html"]
    assert NASTY not in still["text/html"]
    notebook.keep_stills()
    assert len(published) == 3, "nothing has changed"
    view.node = int(search.tree()["node"].iloc[1])
    notebook.keep_stills()
    assert "its bound" in published[3][0]["text/html"]


def test_nothing_is_published_for_a_view_that_no_notebook_shows(published: Published) -> None:
    view = rl.views.TreeView(rl.RuleListSearch(problem(), 0.02))
    view.keep_still()
    assert published == []
    assert "<script" not in view.still()


def test_no_beat_falls_into_what_the_browser_says(published: Published, monkeypatch: Any) -> None:
    search = rl.RuleListSearch(problem(), 0.02, beam_width=0)
    view = rl.views.SearchView(search)
    reads, may_end, beaten = threading.Event(), threading.Event(), threading.Event()

    def read(message: Any) -> None:
        reads.set()
        assert may_end.wait(PATIENCE)

    def beat() -> None:
        view.tick()
        beaten.set()

    layout = view.__panel__()
    monkeypatch.setattr(type(layout), "_on_msg", lambda self, ref, manager, message: read(message))
    view._repr_mimebundle_()
    ((_, client),) = layout._comms.values()
    told = threading.Thread(target=lambda: client._on_msg("a message"), daemon=True)
    told.start()
    assert reads.wait(PATIENCE)
    beats = threading.Thread(target=beat, daemon=True)
    beats.start()
    assert not beaten.wait(PATIENCE / 1000)
    may_end.set()
    assert beaten.wait(PATIENCE)
    view.close()


def test_a_search_view_is_watched_and_leaves_curves(published: Published) -> None:
    search = rl.RuleListSearch(problem(), 0.02, beam_width=0)
    recording = rl.Recording(search)
    for _ in recording.steps(work_per_step=1):
        pass
    view = rl.views.Replay(recording)
    seen: list[Any] = []
    watched = pn.bind(lambda status, model: seen.append((status, model)), view.param.status, view.param.model)
    view.param.watch(lambda event: seen.append(event.new), "model")
    view.refresh()
    watched()
    assert view.snapshot is not None
    assert view.model is view.snapshot.incumbent.model
    assert view.status.over
    assert seen[-1] == (view.status, view.model)
    still = view.still()
    assert "<svg" in still
    assert "certified optimal" in still
    assert NASTY not in still
    assert view.status is not State.IDLE
    view.close()


def test_curves_end_where_the_run_ended() -> None:
    assert curves_svg([]) == ""
    search = rl.RuleListSearch(problem(), 0.02, beam_width=0)
    snapshots = list(search.steps(work_per_step=1))
    svg = curves_svg(snapshots * 200)
    assert svg.count("<path") == 2
    assert len(svg) < 60_000
    assert f"{snapshots[-1].incumbent.objective:.6g}" in svg
