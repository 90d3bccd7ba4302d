"""Views in a notebook, without a browser: what they leave behind, and what they say to who watches them."""

import base64
import gzip
import importlib
import json
import re
import threading
import weakref
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import panel as pn
import pytest
from live import recorded
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.views import notebook
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import State
from rulelab.views.search.figures import curves_svg

extension = importlib.import_module("rulelab.plots.extension")  # its function has the same name
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


class Events(list[Any]):
    """What is to be done after each cell."""

    def register(self, name: str, act: Any) -> None:
        assert name == "post_run_cell"
        self.append(act)

    def unregister(self, name: str, act: Any) -> None:
        self.remove(act)

    def cell_ends(self) -> None:
        for act in list(self):
            act()


def shown_tree(price: float = 0.02, work: int = 3) -> tuple[rl.RuleListSearch, rl.views.TreeView]:
    """A search after some work, and its tree in a cell."""
    search = rl.RuleListSearch(problem(), price, beam_width=0)
    if work:
        search.advance(work)
    view = rl.views.TreeView(search)
    view._repr_mimebundle_()
    return search, view


FROM_A_PAGE = {"header": {"session": "one"}, "metadata": {"cellId": "a"}}
FROM_NO_PAGE: dict[str, Any] = {"header": {"session": "one"}, "metadata": {}}


@pytest.fixture
def events() -> Events:
    return Events()


@pytest.fixture
def published(monkeypatch: Any, events: Events) -> Published:
    out = Published()
    shell = SimpleNamespace(kernel=object(), display_pub=out, events=events, get_parent=lambda: FROM_A_PAGE)
    monkeypatch.setattr(notebook, "notebook_shell", lambda: shell)
    monkeypatch.setattr(notebook, "_load", lambda shell: ["libraries"])
    monkeypatch.setattr(notebook, "parts_of_page", lambda shell: set())
    monkeypatch.setattr(notebook, "_shown", weakref.WeakSet())
    monkeypatch.setattr(pn.extension, "_loaded", True)
    return out


def test_what_only_the_page_needs_leaves_the_notebook_when_the_browser_speaks(published: Published) -> None:
    search = rl.RuleListSearch(problem(), 0.02, beam_width=0)
    search.advance(3)
    view = rl.views.TreeView(search)
    data, _ = view._repr_mimebundle_()
    assert len(data["text/html"]) < 1000
    *parts, (first, output, update) = published
    assert not update
    assert all("rulelabParts" in part["application/javascript"] for part, *_ in parts)
    assert "rulelabViews" in first["text/html"]
    assert "Run this cell again" in first["text/html"], "where no browser comes, this is what is seen"
    assert sum(len(str(data)) for data, *_ in published) < 800_000
    ((_, client),) = view.__panel__()._comms.values()
    del published[:]
    client._on_open({})
    assert published[:-1] == [
        ({"text/html": ""}, name, True) for name in ("libraries", *(name for _, name, _ in parts))
    ]
    still, place, update = published[-1]
    assert (place, update) == (output, True)
    assert "Run this cell again" in still["text/html"]
    assert "<script" not in still["text/html"]
    assert "<rect" in still["text/html"]
    assert NASTY not in still["text/html"]
    del published[:]
    notebook.keep_stills()
    assert published == [], "nothing has changed"
    view.prefix = view.path(int(search.tree()["node"].iloc[1]))
    notebook.keep_stills()
    ((changed, _, _),) = published
    assert "price of the rules" in changed["text/html"]


def test_a_tree_follows_a_search_that_a_cell_went_on_with(published: Published, events: Events) -> None:
    search, view = shown_tree(0.002, 0)
    assert "price of the rules" not in published[-1][0]["text/html"]
    for work in (3, 2):
        before = view.still()
        search.advance(work)
        events.cell_ends()
        assert view.still() != before
    assert "price of the rules" in published[-1][0]["text/html"]
    done = len(published)
    events.cell_ends()
    assert len(published) == done, "nothing has changed"


def test_where_no_page_asks_the_last_state_alone_stays(published: Published, events: Events) -> None:
    notebook.notebook_shell().get_parent = lambda: FROM_NO_PAGE
    search, view = shown_tree()
    kept = {name: data for data, name, _ in published}
    (output,) = (name for name, data in kept.items() if "rl-still" in str(data))
    assert "rulelabViews" in str(kept[output])
    events.cell_ends()
    kept |= {name: data for data, name, _ in published}
    assert kept["libraries"] == {"text/html": ""}
    assert [name for name, data in kept.items() if data != {"text/html": ""}] == [output]
    assert "Run this cell again" in kept[output]["text/html"]
    assert "<script" not in kept[output]["text/html"]
    view.prefix = view.path(int(search.tree()["node"].iloc[1]))
    del published[:]
    events.cell_ends()
    ((changed, place, update),) = published
    assert (place, update) == (output, True)
    assert "price of the rules" in changed["text/html"]
    assert "<script" not in changed["text/html"]


@pytest.mark.parametrize(("asks", "named"), [(FROM_A_PAGE, 1), (FROM_NO_PAGE, 2)])
def test_what_panel_asks_a_browser_stays_where_there_is_one(asks: Any, named: int) -> None:
    hooks: list[Any] = []
    publisher = SimpleNamespace(register_hook=hooks.append, unregister_hook=hooks.remove)
    shell = SimpleNamespace(display_pub=publisher, get_parent=lambda: asks)
    with extension.named_outputs(shell) as outputs:
        for kind in ("application/javascript", "text/html", "text/plain"):
            hooks[0]({"content": {"data": {kind: "what"}}})
    assert len(outputs) == named
    assert hooks == []


def test_a_page_that_is_loaded_again_gets_what_it_needs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    page = ["one"]
    shell = SimpleNamespace(get_parent=lambda: {"header": {"session": page[0]}})
    loaded: list[str] = []
    monkeypatch.setattr(extension, "_pages", {})
    monkeypatch.setattr(notebook, "named_outputs", lambda shell: nullcontext([f"libraries of {page[0]}"]))
    monkeypatch.setattr(pn.extension, "_loaded", False)
    monkeypatch.setattr(
        notebook,
        "load_libraries",
        lambda shell: (loaded.append(page[0]), extension.parts_of_page(shell).add(extension.LIBRARIES)),
    )
    assert notebook._load(shell) == ["libraries of one"]
    monkeypatch.setattr(pn.extension, "_loaded", True)
    assert notebook._load(shell) == []
    extension.parts_of_page(shell).add("a part")
    page[0] = "two"
    assert extension.parts_of_page(shell) == set()
    assert notebook._load(shell) == ["libraries of two"]
    assert loaded == ["one", "two"]
    extension._pages.clear()
    assert notebook._load(shell) == [], "what a line of the user loaded is not loaded again"
    assert extension.parts_of_page(shell) == {extension.LIBRARIES}


def test_long_texts_are_handed_over_once_for_all_views(published: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    shell: Any = SimpleNamespace(display_pub=published, get_parent=lambda: {"header": {"session": "one"}})
    monkeypatch.setattr(extension, "_pages", {})
    monkeypatch.setattr(notebook, "parts_of_page", extension.parts_of_page)
    long = json.dumps('a "quoted" \\ text' * notebook._LONG)
    numbers = "1, " * notebook._LONG
    script = f'  var docs_json = {{"a": {long}, "b": [{numbers}0], "c": {long}}};\n  var render_items = ["{long}"];'
    shorter, texts = notebook._shared(script)
    ((name, text),) = texts.items()
    assert text == long
    part = f'window.rulelabParts["{name}"]'
    assert shorter == script.replace(f'"a": {long}', f'"a": {part}').replace(f'"c": {long}', f'"c": {part}')
    (output,) = notebook._hand_over(shell, texts)
    (packed,) = re.findall(r'take_part\("[^"]+", "([^"]+)"\)', published[0][0]["application/javascript"])
    assert gzip.decompress(base64.b64decode(packed)).decode() == long
    assert published[0][1] == output
    assert notebook._hand_over(shell, texts) == []


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


def test_what_was_told_to_stop_is_looked_at_until_it_has(by_hand, monkeypatch: pytest.MonkeyPatch) -> None:
    view, may_end = rl.views.SearchView(rl.RuleListSearch(problem(), 0.02, beam_width=0)), threading.Event()
    ends = SearchSession._ended
    view.step()
    wait_until(lambda: view.session.state is State.PAUSED)
    wait_until(lambda: not by_hand.beat())
    assert view.status is State.PAUSED

    monkeypatch.setattr(SearchSession, "_ended", lambda self: may_end.wait(PATIENCE) and ends(self))
    view.stop()
    assert by_hand.beat(), "what is shown is not yet how it ends"
    assert view.status is State.PAUSED
    may_end.set()
    wait_until(lambda: view.session.state is State.STOPPED)
    assert not by_hand.beat()
    assert view.status is State.STOPPED
    view.close()


def test_a_search_view_is_watched_and_leaves_curves(published: Published) -> None:
    search = rl.RuleListSearch(problem(), 0.02, beam_width=0)
    recording = recorded(search, work_per_step=1)
    view = rl.views.Replay(recording)
    seen: list[Any] = []
    watched = pn.bind(lambda status, model: seen.append((status, model)), view.param.status, view.param.model)
    view.param.watch(lambda event: seen.append(event.new), "model")
    view.refresh()
    watched()
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
