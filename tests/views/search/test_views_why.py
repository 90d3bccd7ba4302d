"""The box beside the gap: the tree of the session's search, at its beat, at rest, and looking back."""

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
from bokeh.models import Span
from live import HOSTILE, ended, html, long_search, look_back, open_tab, problem, settled, small_search, widget
from patience import wait_until

import rulelab as rl
from rulelab.views.live.job import THREAD_NAME
from rulelab.views.prefixes import tree_view
from rulelab.views.search import why
from rulelab.views.search.plots.generation import PoolPlot, PricesPlot
from rulelab.views.search.view import SearchView
from rulelab.views.search.why import POOL, PRICES, TREE

SEARCHES = {
    "rule list": small_search,
    "corels": lambda: rl.CorelsSearch(problem(), 0.005),
    "falling": lambda: rl.FallingRuleListSearch(problem(), 0.002, 2.0, iterations=0),
}


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
    open_tab(view, "Bounds")
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


# the pool of column generation as a table and as a picture ------------------------------------------------------------
def searches() -> Iterator[rl.RuleSetSearch]:
    rng = np.random.default_rng(3)
    A = rng.random((90, 6)) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(90) < 0.1)
    weighted = rl.Problem.from_arrays(A, y, sample_weight=rng.random(90))
    grouped = rl.Problem.from_arrays(A, y, groups=np.arange(90) % 2)
    yield rl.RuleSetSearch(problem(90, 6), max_complexity=7, max_conditions=2)
    yield rl.RuleSetSearch(problem(90, 6), max_complexity=7, form="cnf")
    yield rl.RuleSetSearch(problem(90, 6), max_complexity=6, loss="zero_one")
    yield rl.RuleSetSearch(weighted, max_complexity=5, max_conditions=2)
    yield rl.RuleSetSearch(grouped, max_complexity=5, max_conditions=2, fairness=rl.EqualOpportunity(0.2))


@pytest.mark.parametrize("search", list(searches()), ids=["dnf", "cnf", "0-1", "weighted", "fair"])
def test_pool_and_prices_agree_with_the_search(search) -> None:
    """Of rules of one complexity what they cost, less what they earn, differs by as much as their reduced costs."""
    assert list(search.pool().columns) == list(PoolPlot.empty.columns)
    assert search.pool().empty
    assert search.prices().empty
    matrix, problem, compared = search.problem.matrix(), search.problem, 0
    for snapshot in search.steps(work_per_step=1, work_limit=400):
        prices, pool = search.prices(10**6), search.pool(10**6)
        assert len(pool) == pool.attrs["pool"] == len(search.columns) or snapshot.phase == "reducing"
        assert (pool["use"] >= 0).all()
        if not len(prices) or pool["reduced_cost"].isna().any():
            continue
        assert (prices["price"] > 0).all()
        assert (prices["cost"] >= 0).all()
        assert prices["price"].is_monotonic_decreasing
        assert (prices["wanted"] <= prices["rows"] + 1e-9).all()
        assert prices.attrs["priced"] == len(prices)
        assert prices.attrs["total"] == pytest.approx(prices["price"].sum())
        if search.fairness is None:
            assert (prices["price"] <= prices["wanted"] + 1e-6).all(), "a row is worth 1 at most"
        if search.loss == "hamming" and search.fairness is None:
            compared += _compare(prices, pool, matrix, problem.names, search)
    assert compared or search.loss != "hamming" or search.fairness is not None
    assert len(pool) > 0
    place = {name: j for j, name in enumerate(problem.names)}
    between = " and " if search.form == "dnf" else " or "
    weights = (problem.positives + problem.negatives).astype(float)
    for row in pool.itertuples():
        inside = [place[name] for name in row.rule.split(between)]
        held = matrix[:, inside].all(axis=1) if search.form == "dnf" else ~matrix[:, inside].any(axis=1)
        assert (row.rows, row.complexity) == (pytest.approx(weights[held].sum()), 1 + len(inside))
    best = snapshot.incumbent.model
    assert pool["chosen"].sum() == len(best.rules)
    assert pool["chosen"].to_numpy()[: len(best.rules)].all()
    least = snapshot.detail["least_reduced_cost"]
    if snapshot.status is rl.Status.OPTIMAL and np.isfinite(least):
        assert pool["reduced_cost"].min() >= least - 1e-6 * max(1.0, float(weights.sum())), "none is below the least"
    used = pool[pool["use"] > 1e-6]["reduced_cost"].dropna()
    assert (used.abs() <= 0.3 * weights.sum()).all()
    few, dearest = search.pool(3), search.prices(2)
    assert few["rule"].tolist() == pool["rule"].tolist()[:3]
    assert len(dearest) <= 2
    assert dearest.attrs["priced"] == prices.attrs["priced"]
    for table in (search.pool, search.prices):
        with pytest.raises(ValueError, match="most must be"):
            table(0)


def _compare(prices: pd.DataFrame, pool: pd.DataFrame, matrix: np.ndarray, names: tuple[str, ...], search) -> int:
    problem, place = search.problem, {name: j for j, name in enumerate(names)}
    rows = {" and ".join(names[j] for j in np.flatnonzero(row)): k for k, row in enumerate(matrix)}
    price = np.zeros(len(matrix))
    price[[rows[each] for each in prices["conditions"]]] = prices["price"]
    lost = problem.negatives if search.form == "dnf" else problem.positives
    left: dict[int, list[float]] = {}
    for rule in pool.itertuples():
        inside = matrix[:, [place[name] for name in rule.rule.split(" and " if search.form == "dnf" else " or ")]]
        held = inside.all(axis=1) if search.form == "dnf" else ~inside.any(axis=1)
        left.setdefault(rule.complexity, []).append(rule.reduced_cost - float((lost - price)[held].sum()))
    for charges in left.values():
        assert np.ptp(charges) <= 1e-4 * problem.total_weight
    return len(pool)


def test_groups_are_drawn_the_dearest_first() -> None:
    search = rl.RuleSetSearch(problem(90, 6), max_complexity=7, max_conditions=2)
    rl.solve(search)
    plot, prices = PricesPlot(), search.prices()
    assert "No row has a price yet" in plot.caption
    plot.draw(prices)
    covered, missed = (source.data for source in plot.sources)
    assert sorted(covered["x"] + missed["x"]) == list(range(1, min(len(prices), 60) + 1))
    assert len(covered["x"]) == prices["covered"][:60].sum()
    assert f"{len(prices)} groups have a price" in plot.caption
    assert (list(plot.frame())[-1], plot.picture()["size"]) == ("covered by the best set", [1280, 720])
    hostile = prices.head(1).assign(conditions=HOSTILE * 40)
    plot.draw(hostile)
    texts = plot.sources[0].data["conditions"] + plot.sources[1].data["conditions"]
    assert len(texts) == 1
    assert len(texts[0]) <= 200


def test_each_rule_is_drawn_once_and_those_of_the_best_set_have_squares() -> None:
    search = rl.RuleSetSearch(problem(90, 6), max_complexity=7, max_conditions=2)
    rl.solve(search)
    plot, pool = PoolPlot(), search.pool()
    plot.draw(pool)
    loose, used, chosen = (source.data["rule"] for source in plot.sources)
    assert len(chosen) == pool["chosen"].sum()
    assert set(loose) | set(used) | set(chosen) == set(pool["rule"])
    assert not set(loose) & set(chosen)
    assert f"{len(pool)} rules in the pool" in plot.caption
    assert (len(plot.frame()), plot.picture()["size"]) == (len(pool), [1280, 720])
    plot.draw(PoolPlot.empty)
    assert "rule has a price yet" in plot.caption
    frame = pd.DataFrame({"rule": [HOSTILE * 40], "complexity": [2], "rows": [5.0], "reduced_cost": [-1.0]})
    plot.draw(frame.assign(use=0.0, chosen=False))
    assert len(plot.sources[0].data["rule"][0]) <= 200, "names are cut"
    assert "a negative reduced cost" in plot.caption
    costs = [1.0] * 98 + [500.0, 900.0]
    frame = pd.DataFrame({"rule": [f"a{k}" for k in range(100)], "complexity": 2, "rows": 5.0, "reduced_cost": costs})
    plot.draw(frame.assign(use=0.0, chosen=False))
    top = plot.figure.y_range.end
    assert top < 900
    assert f"Above the picture: {sum(cost > top for cost in costs)} rule" in plot.caption, "they are counted"
    plot.draw(frame.assign(use=0.0, chosen=False, reduced_cost=1.0))
    assert "Above" not in plot.caption


def test_the_page_shows_the_pool_of_a_rule_set_and_of_nothing_else(show) -> None:
    view = ended(show(rl.RuleSetSearch(problem(60, 5), max_complexity=4, max_conditions=2)))
    assert view.why.strip.open == POOL
    plot, box = view.why.pictures[POOL]
    assert "in the pool;" in plot.caption
    assert box.items[0].caption == plot.caption
    view.large = True
    assert plot.figure.xaxis[0].axis_label_text_font_size == "20px"
    open_tab(view, PRICES)
    settled(view)
    prices, _ = view.why.pictures[PRICES]
    assert "a price" in prices.caption
    assert "No row" not in prices.caption
    look_back(view, 0)
    settled(view)
    assert "the present" in html(view.why.body), "it is said that the present is shown"
    view.reset()
    assert "the present" not in html(view.why.body)
    assert "rule has a price yet" in plot.caption
    assert "No row has a price yet" in prices.caption
    assert POOL not in ended(show(rl.CorelsSearch(problem(60, 5), 0.05))).why.strip.names
