"""The search tree as an icicle: nothing overlaps, nothing is lost, and what is tapped is explained."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from bokeh.events import Tap
from bokeh.models import GlyphRenderer, TapTool
from hypothesis import given
from hypothesis import strategies as st
from live import HOSTILE, problem, small_search

import rulelab as rl
from rulelab.prefixes import Nodes, Pixels
from rulelab.prefixes.nodes import COLUMNS
from rulelab.views.prefixes import fate_colors, tree_plot, tree_view
from rulelab.views.prefixes.fate_colors import fate_of
from rulelab.views.prefixes.icicle import ORDERS, WIDTHS, Icicle, icicle
from rulelab.views.prefixes.step_plot import StepPlot
from rulelab.views.prefixes.tree_plot import PIXELS
from rulelab.views.prefixes.tree_view import TreeView, _captured, _terms
from rulelab.views.search.plots.pool import PoolPlot


def tree_of(parents: list[int], rng: np.random.Generator, most: int | None = None) -> pd.DataFrame:
    """The frame of a tree in which each node's parent is an earlier one; the largest ``most`` of them."""
    parent, n = np.array(parents), len(parents)
    length, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for k in range(1, n):
        length[k] = length[parent[k]] + 1
    for k in range(n - 1, 0, -1):
        below[parent[k]] += below[k] + 1
    frame = pd.DataFrame(
        {"node": np.arange(n), "parent": parent, "length": length, "descendants": below, "bound": rng.random(n)}
    )
    kept = frame.sort_values(["descendants", "length"], ascending=[False, True], kind="stable").head(most or n)
    return kept.sort_values(["length", "node"], ignore_index=True)


@st.composite
def trees(draw: st.DrawFn) -> pd.DataFrame:
    n = draw(st.integers(1, 60))
    parents = [-1, *(draw(st.integers(max(0, k - draw(st.integers(1, k))), k - 1)) for k in range(1, n))]
    return tree_of(parents, np.random.default_rng(n), draw(st.none() | st.integers(1, n)))


def laws(tree: pd.DataFrame, drawn: Icicle, least: float) -> None:
    stored = int(tree["descendants"].iloc[0]) + 1
    assert len(drawn.place) + drawn.block_count.sum() == stored, "nothing is lost"
    assert (drawn.block_count > 0).all()
    assert len(set(drawn.block_parent.tolist())) == len(drawn.block_parent), "a block per parent"
    assert (drawn.left[0], drawn.right[0]) == (0, 1)
    assert (drawn.right - drawn.left >= least - 1e-12).all()
    assert (drawn.row == tree["length"].to_numpy()[drawn.place]).all()
    nodes, parents = tree["node"].to_numpy()[drawn.place], tree["parent"].to_numpy()[drawn.place]
    at = {int(node): k for k, node in enumerate(nodes)}
    inside: dict[int, list[tuple[float, float]]] = {k: [] for k in at.values()}
    for k, parent in enumerate(parents.tolist()):
        if parent >= 0:
            inside[at[parent]].append((drawn.left[k], drawn.right[k]))
    for k, left, right in zip(drawn.block_parent.tolist(), drawn.block_left, drawn.block_right, strict=True):
        inside[k].append((left, right))
    for k, spans in inside.items():
        spans.sort()
        ends = [drawn.left[k], *(right for _, right in spans)]
        assert all(left >= end - 1e-9 for (left, _), end in zip(spans, ends, strict=False)), "no overlap"
        assert ends[-1] <= drawn.right[k] + 1e-9, "inside the parent"


@given(trees(), st.sampled_from(WIDTHS), st.sampled_from(ORDERS), st.sampled_from([0.0, 1e-3, 0.05, 0.3]))
def test_children_lie_inside_their_parents_and_nothing_is_lost(tree, width, order, least):
    drawn = icicle(tree, width, order, least, objective=0.4)
    laws(tree, drawn, least)
    breadth = drawn.right - drawn.left
    whole = {int(node): float(wide) for node, wide in zip(tree["node"].to_numpy()[drawn.place], breadth, strict=True)}
    filled = dict.fromkeys(range(len(drawn.place)), 0.0)
    at = {node: k for k, node in enumerate(whole)}
    for place, wide in zip(drawn.place.tolist(), breadth, strict=True):
        if tree["parent"].iat[place] >= 0:
            filled[at[int(tree["parent"].iat[place])]] += wide
    for k, wide in zip(drawn.block_parent.tolist(), drawn.block_right - drawn.block_left, strict=True):
        filled[k] += wide
    for k, place in enumerate(drawn.place.tolist()):
        below = int(tree["descendants"].iat[place])
        share = below / (below + 1) if width == "descendants" else float(below > 0)
        assert filled[k] == pytest.approx(share * breadth[k], abs=1e-9), "widths add up"


def test_widths_follow_descendants_or_the_distance_to_the_best_list():
    tree = tree_of([-1, 0, 0, 0, 1, 1, 3], np.random.default_rng(0))
    by_size = icicle(tree, "descendants", "stored")
    assert by_size.right - by_size.left == pytest.approx(np.array([7, 3, 1, 2, 1, 1, 1]) / 7)
    assert by_size.left[:4] == pytest.approx(np.array([0, 0, 3, 4]) / 7)
    assert icicle(tree, "descendants", "largest").left[:4] == pytest.approx(np.array([0, 0, 5, 3]) / 7)
    alike = icicle(tree, "bound", "stored")
    assert (alike.right - alike.left)[1:4] == pytest.approx([1 / 3] * 3)
    tree["bound"] = [0.5, 0.5, 0.4, 0.1, 0.5, 0.5, 0.5]
    near = icicle(tree, "bound", objective=0.5)
    wide = near.right - near.left
    assert wide[1] > wide[2] > wide[3] > 0


def test_the_children_of_a_wide_tree_are_drawn_at_once():
    n, rng = 100_000, np.random.default_rng(0)
    parents = [-1, *(rng.random(n - 1) * np.arange(1, n)).astype(int).tolist()]
    tree = tree_of(parents, rng)
    for width in WIDTHS:
        for least in (0.0, 1e-3):
            laws_of = icicle(tree, width, least=least, objective=0.5)
            assert len(laws_of.place) + laws_of.block_count.sum() == n


@pytest.mark.parametrize("wrong", [{"width": "objective"}, {"order": "smallest"}])
def test_what_there_is_not_is_refused(wrong):
    with pytest.raises(ValueError, match="must be one of"):
        icicle(tree_of([-1], np.random.default_rng(0)), **wrong)


SEARCHES = {
    "rule list": small_search,
    "corels": lambda: rl.CorelsSearch(problem(), 0.005),
    "falling": lambda: rl.FallingRuleListSearch(problem(), 0.002, 2.0, iterations=0),
}


@pytest.fixture(params=SEARCHES)
def search(request):
    search = SEARCHES[request.param]()
    while not len(search.tree()):
        search.advance(1)
    search.advance(60)
    return search


def test_conditions_are_written_as_in_tables_of_rules():
    data = rl.datasets.load("tic_tac_toe")
    problem = rl.Problem.from_arrays(rl.Binarizer().fit_transform(data.X), data.y)
    search = rl.RuleListSearch(problem, regularization=0.02, beam_width=0)
    search.advance(30)
    view = TreeView(search)
    view.node = max(view._plot.nodes)
    for seen in ([*view._prefix.options], view._plot._nodes.data["rule"], [view._said.object]):
        assert any(" = " in text or " ≠ " in text for text in seen)
        assert not any(" == " in text or " != " in text for text in seen)


@pytest.mark.long
def test_every_prefix_that_is_drawn_is_explained(search):
    view = TreeView(search)
    tree = search.tree()
    data = view._plot._nodes.data
    assert set(data["node"]) <= set(tree["node"])
    assert len(data["node"]) > 10
    assert set(view._prefix.options.values()) == {-1, *data["node"]}
    scale = search.prefixes().scale
    for row in tree[tree["node"].isin(data["node"])].head(80).itertuples():
        view.node = row.node
        said = view._said.object
        assert (f"cut: {row.cut_by.removeprefix('always: ').replace('_', ' ')}" if row.cut_by else row.state) in said
        assert f"{row.bound:.4f}" in said
        names = [tree["antecedent"].iat[view._at[node]] for node in view._path(row.node)[1:]]
        terms = _terms(scale, names, row.cost, row.bound)
        assert sum(terms.values()) == pytest.approx(max(row.bound, row.cost))
        assert min(terms.values()) >= 0


def test_the_parts_of_a_bound_are_those_of_a_look_into_its_parent():
    """Where the search has stored what it says of a child."""
    search = rl.CorelsSearch(problem(), 0.005)
    search.advance(20)
    tree, scale = search.tree(), search.prefixes().scale
    view = TreeView(search)
    compared = 0
    for parent in tree[tree["state"] == "expanded"].head(8).itertuples():
        names = [tree["antecedent"].iat[view._at[node]] for node in view._path(parent.node)[1:]]
        look = search.look_into(names).set_index("antecedent")
        for row in tree[tree["parent"] == parent.node].itertuples():
            told = look.loc[row.antecedent]
            terms = _terms(scale, [*names, row.antecedent], row.cost, row.bound)
            assert terms["loss so far"] == pytest.approx(told["loss"])
            assert terms["price of the rules"] == pytest.approx(told["rules"])
            if told["bound"] == pytest.approx(row.bound):
                assert terms["inevitable loss"] == pytest.approx(told["inevitable"])
                assert terms["what further bounds add"] == pytest.approx(told["further"])
                compared += 1
    assert compared > 10


def test_the_rows_of_a_prefix_are_counted(search):
    view, own = TreeView(search), search.problem
    tree = search.tree()
    node = int(tree["node"].iat[len(tree) // 2])
    rules = [tree["antecedent"].iat[view._at[each]] for each in view._path(node)[1:]]
    A, y = rows_of(own)
    left = np.ones(len(y), dtype=bool)
    for name, (captured, wrong) in zip(rules, _captured(search.prefixes().scale, rules), strict=False):
        here = left & A[:, own.names.index(name)]
        assert captured == pytest.approx(here.sum())
        assert wrong == pytest.approx(min(y[here].sum(), (~y[here]).sum()))
        left &= ~here


def rows_of(own):
    """The rows that `live.problem` is made of."""
    rng = np.random.default_rng(0)
    A = rng.random((own.n_rows, own.n_antecedents)) < 0.4
    return A, ((A[:, 0] & ~A[:, 1]) ^ (rng.random(own.n_rows) < 0.35)).astype(bool)


def test_a_tap_and_the_list_of_prefixes_do_the_same(search):
    view = TreeView(search)
    node = view._plot.nodes[-1]
    view._plot._nodes.selected.indices = [len(view._plot.nodes) - 1]
    assert view.node == view._prefix.value == node
    tapped = view._said.object
    view._prefix.value = -1
    assert view.node is None
    assert view._plot._nodes.selected.indices == []
    assert view._plot._chosen.data["left"] == []
    assert "Tap a prefix" in view._said.object
    view._prefix.value = node
    assert (view.node, view._said.object) == (node, tapped)
    assert view._plot._chosen.data["left"] == [view._plot._nodes.data["left"][-1]]


def test_only_what_has_changed_is_sent():
    search = rl.CorelsSearch(problem(), 0.005)
    search.advance(20)
    view, sent = TreeView(search), []
    view.node = view._plot.nodes[1]
    for source in view._plot.sources:
        source.on_change("data", lambda attr, old, new: sent.append(new))
    view._prefix.param.watch(sent.append, "options")
    view.refresh()
    assert sent == []
    search.advance(40)
    view.refresh()
    assert sent
    assert len(view._tree) == len(search.tree())


def test_the_way_to_the_best_list_is_outlined_and_colours_tell_fates():
    search = rl.CorelsSearch(problem(), 0.005)
    rl.solve(search)
    view = TreeView(search)
    tree = search.tree()
    assert len(view._plot._path.data["left"]) == len(tree.attrs["incumbent"]) > 1
    assert len(set(view._plot._nodes.data["color"])) == len(set(view._plot._nodes.data["fate"]))
    assert "Outlined" in view._plot.caption
    assert all(fate in view._plot.below for fate in set(view._plot._nodes.data["fate"]))


def test_the_colours_of_bounds_are_those_of_their_names():
    assert fate_colors.color_of("cut", "always: new incumbent") == fate_colors.CUTS["new incumbent"]
    assert fate_colors.color_of("cut", "equivalent_support") == fate_colors.CUTS["equivalent support"]
    assert fate_colors.color_of("cut", "no such bound") not in fate_colors.CUTS.values()
    for name in fate_colors.CUTS:
        assert rl.glossary.find(name) is not None, name


def test_what_is_left_out_is_counted():
    search = rl.CorelsSearch(problem(), 0.005)
    search.advance(60)
    view = TreeView(search, max_nodes=10)
    stored = search.tree().attrs["stored"]
    hidden = sum(int(n.replace("\u2009", "").replace("\u202f", "")) for n in view._plot._blocks.data["count"])
    assert len(view._plot.nodes) + hidden == stored
    assert "hatched" in view._plot.caption


def test_an_empty_tree_says_why():
    for view in (TreeView(small_search()), TreeView(rl.Recording(small_search()))):
        assert len(view._plot.caption) > 10
        assert view._plot.nodes == []
        assert view._said.object == ""
    assert list(tree_plot.EMPTY.columns) == list(COLUMNS)


def test_a_recording_is_shown_at_any_step_and_from_a_file(tmp_path):
    search = rl.CorelsSearch(problem(), 0.005)
    recording = rl.Recording(search)
    for _ in recording.steps(work_per_step=20, work_limit=100):
        pass
    view = TreeView(recording)
    last = len(view._tree)
    view.step = 1
    assert len(view._tree) == len(recording.tree_at(1)) < last
    view.step = 0
    assert "Nothing is recorded" in view._plot.caption
    recording.save(tmp_path / "run.rulelab")
    again = TreeView(rl.Recording.load(tmp_path / "run.rulelab"))
    assert len(again._tree) == last
    again.node = again._plot.nodes[-1]
    assert "loss so far and price of the rules" in again._said.object


def test_names_from_data_are_escaped():
    rng = np.random.default_rng(0)
    A, y = rng.random((200, 6)) < 0.5, rng.random(200) < 0.5
    search = rl.CorelsSearch(rl.Problem.from_arrays(A, y, names=[f"{HOSTILE}{k}" for k in range(6)]), 0.001)
    search.advance(10)
    view = TreeView(search)
    assert len(view._plot.nodes) > 5
    for node in view._plot.nodes:
        view.node = node
        said = view._said.object
        assert HOSTILE not in said
    assert "&lt;img" in said


def test_the_picture_is_made_anew_with_its_legend():
    search = rl.CorelsSearch(problem(), 0.005)
    search.advance(60)
    view = TreeView(search)
    told = view._box.answer("png")
    assert told["size"] == list(tree_plot.PICTURE)
    assert view._plot.figure.legend.visible is False
    assert view._box.answer("table")["rows"]
    assert "node" in view._box.answer("csv")["csv"]


def test_only_what_has_a_tree_is_taken():
    with pytest.raises(TypeError, match="stores prefixes"):
        TreeView(rl.RuleSetSearch(problem(), max_complexity=3))
    with pytest.raises(ValueError, match="max_nodes"):
        TreeView(small_search(), max_nodes=0)


def test_a_prefix_that_is_too_narrow_to_draw_can_be_looked_at():
    search = rl.CorelsSearch(problem(), regularization=0.001)
    search.advance(400)
    view = rl.views.TreeView(search)
    hidden = sorted(set(search.tree()["node"]) - set(view._plot.nodes))
    for node in [*hidden[:1], int(search.tree()["node"].iloc[-1])]:
        view.node = node
        assert view._prefix.value == node
        assert node in view._prefix.options.values()
        assert view._said.object != tree_view._TAP


@given(trees())
def test_a_pixel_shows_the_prefix_at_its_middle(tree):
    """Against intervals counted one by one; the part of a row of each prefix is as large as its part of the tree."""
    whole = tree.sort_values("node", ignore_index=True)
    if len(whole) <= int(tree["descendants"].max()):
        return  # a part of a tree
    parent, below, length = (whole[name].tolist() for name in ("parent", "descendants", "length"))
    n = len(whole)
    left = [0] * n
    for k in range(1, n):
        left[k] = left[parent[k]] + sum(below[j] + 1 for j in range(1, k) if parent[j] == parent[k])
    fate = np.arange(n, dtype=np.uint8) % 3
    zeros = np.zeros(n)
    nodes = Nodes(whole["parent"].to_numpy(), np.zeros(n, dtype=np.int64), zeros, zeros, fate, ("cut",), ("a",), (0, 1))
    columns = 37
    pixels = Pixels.of(nodes, columns)
    for row in range(len(pixels.node)):
        for column in range(columns):
            at = (column + 0.5) * n / columns
            there = [k for k in range(n) if length[k] == row and left[k] <= at < left[k] + below[k] + 1]
            assert pixels.node[row, column] == (there[0] if there else -1)
            assert pixels.fate[row, column] == (fate[there[0]] if there else 255)
    assert set(pixels.shown.tolist()) >= {parent[k] for k in pixels.shown.tolist() if k}
    assert pixels.span(0) == (0, 0, columns)


def test_all_prefixes_are_drawn_as_pixels_and_a_tap_explains(search):
    view = TreeView(search, max_nodes=5)
    assert view.columns == 0
    view.width = PIXELS
    raster = view._plot._raster
    assert raster.pixels is not None
    assert view._plot.nodes == []
    images = raster._source.data["image"]
    assert len(images) == search.tree(10**6)["length"].max() + 1
    assert set(raster.colors) == {
        fate_of(*each) for each in zip(view._tree["state"], view._tree["cut_by"], strict=True)
    }
    deepest = len(images) - 1
    column = int(np.flatnonzero(raster.pixels.node[deepest] >= 0)[0])
    view._plot._tapped_at(Tap(None, x=(column + 0.5) / 480, y=deepest + 0.5))
    node = int(raster.pixels.node[deepest, column])
    assert view.node == node
    assert len(view._path(node)) == deepest + 1
    assert f"{deepest} rule" in view._said.object
    ring = view._plot._chosen.data
    assert ring["top"] == [deepest]
    view._plot._tapped_at(Tap(None, x=2.0, y=0.5))
    assert view.node == node, "outside there is nothing"
    assert view._plot.picture()["size"] == [1280, 720]
    view.width = "descendants"
    assert raster.pixels is None
    assert len(view._plot.nodes) > 0
    assert raster._source.data["image"] == []


@pytest.mark.parametrize(
    "plot", [tree_plot.TreePlot(print), StepPlot("errors", print), PoolPlot()], ids=lambda plot: type(plot).__name__
)
def test_what_is_tapped_keeps_the_colours_of_the_page(plot):
    (tap,) = plot.figure.select(TapTool)
    tapped = [each.data_source for each in tap.renderers]
    for each in plot.figure.select(GlyphRenderer):
        if each.data_source in tapped:
            assert each.selection_glyph is each.nonselection_glyph is each.glyph
