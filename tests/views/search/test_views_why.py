"""The box beside the gap: the tree of the session's search, at its beat, at rest, and looking back."""

import threading
from collections.abc import Callable

import pytest
from bokeh.models import Span
from live import long_search, look_back, open_tab, problem, small_search, widget
from patience import wait_until

import rulelab as rl
from rulelab.views.live.job import THREAD_NAME
from rulelab.views.prefixes import tree_view
from rulelab.views.search import why
from rulelab.views.search.view import SearchView
from rulelab.views.search.why import TREE

SEARCHES = {
    "rule list": small_search,
    "corels": lambda: rl.CorelsSearch(problem(), 0.005),
    "falling": lambda: rl.FallingRuleListSearch(problem(), 0.002, 2.0, iterations=0),
}


def settled(view: SearchView) -> SearchView:
    """Let the beat of the page go on until nothing runs any more, and all that is to be seen is seen."""
    wait_until(lambda: not view.tick())
    return view


def until_searching(view: SearchView) -> None:
    for _ in range(30):
        view.step()
        settled(view)
        if view.session.search.prefixes() is not None and view.session.snapshot.counts["expanded"]:
            return
    raise AssertionError("no prefix was expanded")


@pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)
def test_every_step_is_seen_in_tree_and_bars(show, make) -> None:
    view = show(make(), speed="speeding up")
    box = view.why
    until_searching(view)
    for _ in range(4):
        view.step()
        settled(view)
        frame, told = box.tree.drawn, view.session.search.look_into()
        assert box.tree.plot.nodes[0] == 0
        assert len(frame.tree) == min(why.MOST_NODES, view.session.snapshot.counts["stored"])
        assert list(frame.seen.path) == told.attrs["prefix"]
        assert frame.seen.last
        assert len(box.tree.bars.frame()) == len(told)
        assert box.tree.bars.figure.select_one({"type": Span}).location == told.attrs["incumbent"]
    work = view.session.snapshot.work
    settled(view)
    assert view.session.snapshot.work == view.session.search.work == work, "looking takes no step"
    first, names = box.tree.drawn.seen.path, view.session.search.problem.names
    box.tree.look(next(name for name in names if name not in first))
    settled(view)
    assert box.tree.drawn.seen.path[:-1] == first
    widget(box.tree, "Prefix").value = ()
    settled(view)
    assert box.tree.drawn.seen.path == ()
    bounds = view.session.search.look_into([])["bound"]
    assert box.tree.bars.frame()["bound"].tolist() == pytest.approx(sorted(bounds))


@pytest.mark.long
def test_a_running_search_is_drawn_and_never_touched_by_the_page(show, monkeypatch) -> None:
    search, hands, touched = long_search(), threading.RLock(), set()

    def spied(method: Callable[..., object]) -> Callable[..., object]:
        def taken(*given: object) -> object:
            alone = hands.acquire(blocking=False)
            touched.add((threading.current_thread().name, alone))
            try:
                return method(*given)
            finally:
                if alone:
                    hands.release()

        return taken

    view = show(search)
    for name in ("prefixes", "advance", "look_into"):
        monkeypatch.setattr(search, name, spied(getattr(search, name)))
    view.run()
    wait_until(lambda: view.tick() and len(view.why.tree.plot.nodes) > 1)
    view.pause()
    settled(view)
    stored = view.session.snapshot.counts["stored"]
    assert view.why.tree.drawn.tree.attrs["stored"] == stored, "at rest all of it is seen"
    assert touched == {(THREAD_NAME, True)}, "nobody looks while it is advanced"
    assert len(view.why.tree.plot.nodes) <= why.MOST_NODES
    assert len(widget(view.why.tree, "Prefix").options) <= tree_view.OFFERED + 2


def test_nothing_is_looked_at_that_is_not_open(show) -> None:
    view = show(small_search())
    open_tab(view, "Queue")
    view.run()
    wait_until(lambda: view.session.state.over)
    settled(view)
    assert view.session.watching.frame(TREE) is None
    assert view.why.tree is None, "nor is it made"
    open_tab(view, TREE)
    settled(view)
    assert len(view.why.tree.plot.nodes) > 1, "what is opened after the end is seen too"
    assert view.why.tree.drawn.seen.last
    assert len(view.why.tree.bars.frame()) > 0
    view.reset()
    assert view.why.tree.plot.nodes == []
    assert view.session.watching.frame(TREE) is None


@pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)
def test_looking_back_sets_the_tree(show, make) -> None:
    """The fates of that moment, and not what has become of the prefixes since."""
    view, was = show(make(), speed="speeding up"), []
    until_searching(view)
    tree, first = view.why.tree, len(view.session.history) - 1
    for _ in range(6):
        was.append((view.snapshot.step, tree.drawn.tree, tree.drawn.seen))
        view.step()
        settled(view)
    view.stop()
    settled(view)
    snapshots = view.session.history.snapshots
    for k in (0, 3, 1, 5):
        look_back(view, first + k)
        settled(view)
        step, then, seen = was[k]
        assert snapshots[first + k].step == step
        for name in ("state", "cut_by", "length"):
            assert tree.drawn.tree[name].value_counts().to_dict() == then[name].value_counts().to_dict()
        assert tree.drawn.tree.attrs["stored"] == then.attrs["stored"]
        assert tree.drawn.seen.path == seen.path, "the prefix that was expanded last at that time"
        assert tree.drawn.seen.last
        stored = tree.drawn.seen.children.set_index("antecedent")["bound"]
        assert set(stored.index) <= set(seen.children["antecedent"])
        assert tree.drawn.objective == snapshots[first + k].incumbent.objective
        assert len(tree.plot.nodes) > 0
    look_back(view, None)
    settled(view)
    assert tree.drawn.tree["state"].tolist() == view.session.search.tree(why.MOST_NODES)["state"].tolist()
