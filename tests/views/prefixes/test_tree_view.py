"""The search tree as an icicle: nothing overlaps, nothing is lost, and what is tapped is explained."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import numpy as np
import pandas as pd
import pytest
from bokeh.models import GlyphRenderer, NoOverlap, TapTool
from hypothesis import given
from hypothesis import strategies as st
from laws import scale_of
from live import field, problem, recorded, small_search, widget
from test_views_why import SEARCHES

import rulelab as rl
from rulelab.prefixes.nodes import COLUMNS
from rulelab.views.prefixes import tree_plot
from rulelab.views.prefixes.children_plot import TERMS, ChildrenPlot
from rulelab.views.prefixes.frames import EMPTY, TreeFrame, tree_frame
from rulelab.views.prefixes.icicle import CUTS, Icicle, Rest, color_of, fate_of, icicle
from rulelab.views.prefixes.tree_plot import TreePlot
from rulelab.views.prefixes.tree_view import TreeView


def above(node: int, parent: Mapping[int, int] | np.ndarray, drawn: Collection[int]) -> int:
    """The longest beginning of a prefix that is drawn."""
    node = int(parent[node])
    while node not in drawn:
        node = int(parent[node])
    return node


def tree_of(parents: list[int], rng: np.random.Generator, most: int | None = None) -> tuple[pd.DataFrame, list[Rest]]:
    """The frame of a tree in which each node's parent is an earlier one, the largest ``most`` of them; and the rest."""
    parent, n = np.array(parents), len(parents)
    length, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for k in range(1, n):
        length[k] = length[parent[k]] + 1
    for k in range(n - 1, 0, -1):
        below[parent[k]] += below[k] + 1
    fate = rng.choice(["expanded", "open", "cut"], n)
    fate[below > 0] = "expanded"
    by = np.where(fate == "cut", rng.choice(["lookahead", "dominance"], n), "")
    frame = pd.DataFrame({
        "node": np.arange(n), "parent": parent, "length": length, "descendants": below, "bound": rng.random(n),
        "state": fate, "cut_by": by,
    })  # fmt: skip
    kept = frame.sort_values(["descendants", "length"], ascending=[False, True], kind="stable").head(most or n)
    there = set(kept["node"])
    left = frame[~frame["node"].isin(there)]
    sizes = (
        left.assign(parent=[above(node, parent, there) for node in left["node"]])
        .groupby(["parent", "state", "cut_by"])
        .size()
    )
    return kept.sort_values(["length", "node"], ignore_index=True), [(*key, int(n)) for key, n in sizes.items()]


def fates_of(tree: pd.DataFrame, rest: Iterable[Rest]) -> Counter[tuple[str, str]]:
    """How many prefixes of a frame, and of what it leaves out, have each fate."""
    found = Counter(zip(tree["state"], tree["cut_by"], strict=True))
    for _, state, by, n in rest:
        found[state, by] += n
    return found


@st.composite
def trees(draw: st.DrawFn) -> tuple[pd.DataFrame, list[Rest]]:
    n = draw(st.integers(1, 60))
    parents = [-1, *(draw(st.integers(max(0, k - draw(st.integers(1, k))), k - 1)) for k in range(1, n))]
    return tree_of(parents, np.random.default_rng(n), draw(st.none() | st.integers(1, n)))


def laws(tree: pd.DataFrame, drawn: Icicle, least: float) -> None:
    stored, stubs = int(tree["descendants"].iloc[0]) + 1, drawn.stubs
    assert len(drawn.place) + stubs["count"].sum() == stored, "nothing is lost"
    assert (stubs["count"] > 0).all()
    assert not stubs.duplicated(["parent", "state", "cut_by"]).any(), "a stub per parent and fate"
    assert (drawn.left[0], drawn.right[0]) == (0, 1)
    assert (drawn.right - drawn.left)[1:].min(initial=1) >= least - 1e-12
    assert (drawn.row == tree["length"].to_numpy()[drawn.place]).all()
    alone = tree.iloc[drawn.place]
    assert not ((alone["state"] == "cut") & (alone["descendants"] == 0) & (alone["length"] > 0)).any()
    at = {int(node): k for k, node in enumerate(alone["node"])}
    parents = dict(zip(tree["node"].tolist(), tree["parent"].tolist(), strict=True))
    hidden = tree[~tree["node"].isin(list(at))]
    hidden = hidden.assign(above=[above(node, parents, at) for node in hidden["node"]])
    inside: dict[int, list[tuple[float, float]]] = {k: [] for k in at.values()}
    for k, parent in enumerate(alone["parent"].tolist()):
        if parent >= 0:
            inside[at[parent]].append((drawn.left[k], drawn.right[k]))
    for k, left, right in zip(stubs["parent"].tolist(), stubs["left"], stubs["right"], strict=True):
        inside[k].append((left, right))
    for k, spans in inside.items():
        spans.sort()
        ends = [drawn.left[k], *(right for _, right in spans)]
        assert all(left >= end - 1e-9 for (left, _), end in zip(spans, ends, strict=False)), "no overlap"
        assert ends[-1] <= drawn.right[k] + 1e-9, "inside the parent"
    for stub in stubs[stubs["place"] >= 0].itertuples():
        member = tree.iloc[stub.place]
        assert (member["state"], member["cut_by"]) == (stub.state, stub.cut_by)
        alike = hidden[(hidden["above"].map(at) == stub.parent) & (hidden["state"] == stub.state)]
        alike = alike[alike["cut_by"] == stub.cut_by]
        assert int(member["node"]) in set(alike["node"])
        assert member["bound"] == alike["bound"].min(), "the one of least bound stands for the others"


@given(trees(), st.sampled_from([0.0, 1e-3, 0.05, 0.3]))
def test_children_lie_inside_their_parents_and_nothing_is_lost(made, least):
    tree, rest = made
    drawn = icicle(tree, rest, least)
    laws(tree, drawn, least)
    stubs = drawn.stubs[["parent", "state", "cut_by", "count"]].itertuples(index=False)
    shown = fates_of(tree.iloc[drawn.place], stubs)
    assert shown == fates_of(tree, rest), "each prefix has its own fate, however deep it stands"
    breadth = drawn.right - drawn.left
    sizes = tree["descendants"].to_numpy()[drawn.place] + 1
    assert breadth == pytest.approx(sizes / sizes[0])
    stubs = drawn.stubs
    assert (stubs["right"] - stubs["left"]).to_numpy() == pytest.approx(stubs["count"].to_numpy() / sizes[0])


def test_of_many_rows_those_are_numbered_that_find_room_and_what_has_no_row_is_said():
    tree, rest = tree_of([*range(-1, 25)], np.random.default_rng(0))
    tree, plot = tree.assign(antecedent="a", label=1, cost=0.1), TreePlot()
    tree.attrs["deepest"] = 25
    plot.draw(TreeFrame(tree, rest))
    assert isinstance(plot.figure.yaxis[0].major_label_policy, NoOverlap)
    assert "too narrow" not in plot.caption
    tree.attrs["deepest"] = 27
    plot.draw(TreeFrame(tree, rest))
    drawn = len(plot.figure.yaxis[0].ticker.ticks) - 1
    assert f"The longest have 27 rules; all of more than {drawn} are too narrow for a row." in plot.caption


def test_a_tree_calls_the_classes_as_the_answer_does():
    search = SEARCHES[next(iter(SEARCHES))]()
    search.advance(60)
    frame = tree_frame(search, 50)
    named = frame.in_words(search.problem.classes, ("no", "yes"))
    known = {None: None, **dict(zip(search.problem.classes, ("no", "yes"), strict=True))}
    for before, after in ((frame.tree, named.tree), (frame.seen.children, named.seen.children)):
        assert list(after["label"]) == [known[label] for label in before["label"]]
        assert after.attrs == before.attrs
        assert {"yes", "no"} & {*after["label"]}


def test_the_way_to_the_best_list_is_drawn_however_narrow_it_is():
    tree, rest = tree_of([-1, 0, 1, *[0] * 97], np.random.default_rng(0))
    assert len(icicle(tree, rest, 0.5).place) == 1
    tree.attrs["incumbent"] = [0, 1, 2]
    assert tree["node"].to_numpy()[icicle(tree, rest, 0.5).place].tolist() == [0, 1, 2]


@pytest.fixture(params=SEARCHES)
def search(request):
    search = SEARCHES[request.param]()
    while not len(search.tree()):
        search.advance(1)
    search.advance(60)
    return search


@pytest.mark.long
def test_every_prefix_that_is_drawn_is_explained(search):
    view = TreeView(search)
    tree = search.tree()
    assert set(view.plot.nodes) <= set(tree["node"])
    assert len(view.plot.sources[0].data["node"]) > 10
    assert len(widget(view, "Prefix").options) == 1 + min(40, len(view.plot.nodes))
    for row in tree[tree["node"].isin(view.plot.sources[0].data["node"])].head(25).itertuples():
        view.prefix = view.path(row.node)
        said = view.said.object
        assert f"{row.bound:.4f}" in said
        own = view.drawn.seen.own
        if own is None:
            continue
        assert (own["fate"], own["cut_by"]) == (row.state, row.cut_by)
        assert row.cut_by.removeprefix("always: ").replace("_", " ") in said
        reached = search.snapshot.incumbent.objective if row.cut_by in scale_of(search).bounding else 0.0
        assert sum(own[name] for name in TERMS) == pytest.approx(max(row.bound, row.cost, reached))
        assert own["loss"] + own["rules"] <= row.cost + 1e-9
        assert min(own[name] for name in TERMS) >= 0


def test_the_best_list_is_told_as_such_where_its_prefix_was_cut_by_a_bound_that_was_looked_at_later():
    data = rl.datasets.load("diabetes")
    antecedents = rl.mine_antecedents(rl.Binarizer(thresholds=4).fit_transform(data.X), max_conditions=1)
    search = rl.FallingRuleListSearch(rl.Problem.from_antecedents(antecedents, data.y), 0.01)
    best = rl.solve(search).incumbent
    view = TreeView(search)
    view.prefix = best.model.antecedent_names
    tree, own, said = search.tree(), view.drawn.seen.own, view.said.object
    stored = tree[tree["node"] == tree.attrs["incumbent"][-1]].iloc[0]
    assert (stored["state"], stored["cut_by"]) == ("cut", own["cut_by"])
    assert stored["bound"] < best.objective - 1e-9
    assert own["bound"] == pytest.approx(best.objective), "the bound that cut it is no smaller"
    assert "The list that ends here is the best one" in said
    assert f"It was stored with a bound of {stored['bound']:.4f}" in said
    assert view.plot.caption.endswith("; cut is what would go on from it.")
    look = search.look_into(best.model.antecedent_names[:-1])
    cut = look[look["cut_by"].isin(scale_of(search).bounding)]
    assert len(cut) > 1
    assert (cut["bound"] >= best.objective - 1e-9).all()


@pytest.mark.parametrize("limit", [{}, {"max_length": 0}], ids=["by cost", "by length"])
@pytest.mark.parametrize("family", ["list", "falling list"])
def test_a_tree_whose_root_was_cut_says_so(family, limit):
    if family == "list":
        search = rl.RuleListSearch(problem(), 0.01 if limit else 0.5, **limit)
    else:
        search = rl.FallingRuleListSearch(problem(), 0.01 if limit else 0.5, iterations=0, **limit)
    last = rl.solve(search)
    assert (last.counts["expanded"], sum(last.pruned.values())) == (0, 1)
    (root,) = search.tree().itertuples()
    assert (root.state, last.pruned[root.cut_by]) == ("cut", 1)
    view = TreeView(search)
    assert "expanded" not in view.plot.below + view.said.object
    for part in ("Cut by", root.cut_by.removeprefix("always: "), *(["looked at last"] if limit else [])):
        assert part in view.said.object


def falling_search() -> rl.FallingRuleListSearch:
    data = rl.datasets.load("breast_cancer")
    antecedents = rl.mine_antecedents(rl.Binarizer(thresholds=4).fit_transform(data.X), max_conditions=1)
    return rl.FallingRuleListSearch(rl.Problem.from_antecedents(antecedents, data.y), 0.001, iterations=0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: rl.CorelsSearch(problem(), 0.005),
        lambda: rl.RuleListSearch(problem(), 0.005, beam_width=0),
        falling_search,
    ],
    ids=["of the paper", "list", "falling list"],
)
def test_the_parts_of_a_bound_are_those_of_a_look_into_its_parent(make):
    """Where the search has stored what it says of a child."""
    search = make()
    while (search.tree()["state"] == "expanded").sum() < 20 and search.advance(1).status == "running":
        pass
    tree = search.tree()
    view = TreeView(search)
    compared = 0
    for parent in tree[tree["state"] == "expanded"].head(8).itertuples():
        names = view.path(parent.node)
        look = search.look_into(names).set_index("antecedent")
        for row in tree[tree["parent"] == parent.node].itertuples():
            told = look.loc[row.antecedent]
            view.prefix = [*names, row.antecedent]
            own = view.drawn.seen.own
            for name in ("loss", "rules", "captured", "errors"):
                assert own[name] == pytest.approx(told[name])
            if told["bound"] == pytest.approx(row.bound):
                assert own["inevitable"] == pytest.approx(told["inevitable"])
                assert own["further"] == pytest.approx(told["further"])
                compared += 1
            if search.family == "rule_list":
                assert own["loss"] == pytest.approx(own["errors"] / search.problem.total_weight)
    assert compared > 10


def test_a_tap_and_the_list_of_prefixes_do_the_same(search):
    view = TreeView(search)
    last = view.said.object
    k = len(view.plot.nodes) - 1
    path = view.path(view.plot.nodes[k])
    view.plot.sources[0].selected.indices = [k]
    assert (view.prefix, widget(view, "Prefix").value) == (path, tuple(path))
    tapped = view.said.object
    assert view.plot.sources[2].data["left"] == [view.plot.sources[0].data["left"][k]]
    widget(view, "Prefix").value = "last"
    assert view.prefix is None
    assert view.said.object == last
    widget(view, "Prefix").value = tuple(path)
    assert (view.prefix, view.said.object) == (path, tapped)


def test_a_tap_on_a_stub_looks_at_one_that_stands_in_it():
    search = rl.CorelsSearch(problem(), 0.005)
    search.advance(60)
    view, tree = TreeView(search), search.tree().set_index("node")
    data = view.plot.sources[0].data
    stubs = [k for k, alone in enumerate(data["alone"]) if not alone]
    assert stubs
    for k in stubs[:20]:
        view.plot.sources[0].selected.indices = [k]
        row = tree.loc[data["node"][k]]
        assert view.prefix == view.path(data["node"][k])
        assert widget(view, "Prefix").value == tuple(view.prefix), "it is offered, however narrow it is"
        assert fate_of(row["state"], row["cut_by"]) == data["fate"][k]
        assert view.plot.sources[2].data["left"] == [data["left"][k]], "the stub has the ring"


def test_only_what_has_changed_is_sent():
    search = rl.CorelsSearch(problem(), 0.005)
    search.advance(20)
    view, sent = TreeView(search), []
    view.prefix = view.path(view.plot.nodes[1])
    for source in (*view.plot.sources, *view.bars.sources):
        source.on_change("data", lambda attr, old, new: sent.append(new))
    widget(view, "Prefix").param.watch(sent.append, "options")
    view.said.param.watch(sent.append, "object")
    view.refresh()
    assert sent == []
    search.advance(40)
    view.refresh()
    assert sent
    assert len(view.drawn.tree) == len(search.tree())


def test_the_way_to_the_best_list_is_outlined_to_its_last_rule_and_colours_tell_fates():
    search = rl.CorelsSearch(problem(), 0.005)
    rl.solve(search)
    view = TreeView(search)
    rules = len(search.snapshot.incumbent.model.rules)
    assert view.plot.sources[1].data["top"] == list(range(rules + 1))
    assert rules + 1 >= len(search.tree().attrs["incumbent"]) > 1
    assert len(set(view.plot.sources[0].data["color"])) == len(set(view.plot.sources[0].data["fate"]))
    assert "Outlined" in view.plot.caption
    assert "white" not in view.plot.caption, "the ground may be dark"
    drawn = view.plot.sources[0].data
    lumped = [fate for fate, alone in zip(drawn["fate"], drawn["alone"], strict=True) if not alone]
    narrow = any(not fate.startswith("cut") for fate in lumped)
    assert ("stand together" in view.plot.caption) == narrow
    assert all(fate in view.plot.below for fate in set(view.plot.sources[0].data["fate"]))
    assert color_of("cut", "always: new incumbent") == CUTS["new incumbent"]
    assert color_of("cut", "equivalent_support") == CUTS["equivalent support"]
    assert color_of("cut", "no such bound") not in CUTS.values()
    for name in CUTS:
        assert rl.glossary.find(name) is not None, name


@pytest.mark.few(2)
@pytest.mark.parametrize("most", [1, 10, 10**6])
def test_what_is_left_out_is_counted_by_its_fate(search, most):
    view = TreeView(search, max_nodes=most)
    whole = search.tree(10**6)
    counts = whole.groupby(["state", "cut_by"]).size()
    frame = view.drawn
    assert fates_of(frame.tree, frame.rest) == counts.to_dict()
    if most == 10**6:
        assert frame.rest == []
    drawn: Counter[str] = Counter()
    for text, fate, alone in zip(*(view.plot.sources[0].data[k] for k in ("rule", "fate", "alone")), strict=True):
        drawn[fate] += 1 if alone else int(text.split()[0].replace("\u202f", ""))
    assert drawn == {fate_of(*each): n for each, n in counts.items()}, "what is open is drawn as open"


def test_an_empty_tree_says_why_and_only_what_has_one_is_taken():
    for view in (TreeView(small_search()), TreeView(rl.Recording(small_search()))):
        assert len(view.plot.caption) > 10
        assert (view.plot.nodes, view.said.object) == ([], "")
        assert field(view, "Prefix") is None
    assert list(EMPTY.columns) == list(COLUMNS)
    with pytest.raises(TypeError, match="stores prefixes"):
        TreeView(rl.RuleSetSearch(problem(), max_complexity=3))
    with pytest.raises(ValueError, match="max_nodes"):
        TreeView(small_search(), max_nodes=0)


@pytest.mark.long
def test_a_recording_is_shown_at_any_step_and_from_a_file(tmp_path):
    search = rl.CorelsSearch(problem(), 0.005)
    recording = recorded(search, work_per_step=20, work_limit=100)
    view = TreeView(recording)
    last = len(view.drawn.tree)
    view.step = 1
    assert len(view.drawn.tree) == len(recording.tree_at(1)) < last
    view.step = 0
    assert "Nothing is recorded" in view.plot.caption
    recording.save(tmp_path / "run.rulelab")
    again, rows = (TreeView(each) for each in (rl.Recording.load(tmp_path / "run.rulelab"), recording))
    assert len(again.drawn.tree) == last
    stored = recording.snapshots[-1].counts["stored"]
    assert f"{stored} prefixes stored; " in again.plot.caption
    part = TreeView(rl.Recording.from_bytes(recording.to_bytes(stored // 2)))
    assert f"{stored // 2} prefixes kept of {stored} that were stored; " in part.plot.caption
    assert "are not kept" in again.bars.caption
    for node in again.plot.nodes[1::40]:
        again.prefix = rows.prefix = again.path(node)
        without, known = again.drawn.seen.own, rows.drawn.seen.own
        for name in ("loss", "rules", "bound"):
            assert without[name] == pytest.approx(known[name])
        assert without["inevitable"] == 0, "it needs the rows"


@pytest.mark.parametrize(
    "plot", [tree_plot.TreePlot(print), ChildrenPlot("errors", print)], ids=lambda plot: type(plot).__name__
)
def test_what_is_tapped_keeps_the_colours_of_the_page(plot):
    (tap,) = plot.figure.select(TapTool)
    tapped = [each.data_source for each in tap.renderers]
    for each in plot.figure.select(GlyphRenderer):
        if each.data_source in tapped:
            assert each.selection_glyph is each.nonselection_glyph is each.glyph
