"""What becomes of each next rule: bars and words say what `look_into` says, for every search over prefixes."""

from io import StringIO

import live
import numpy as np
import pandas as pd
import pytest
from bokeh.models import Span
from laws import scale_of
from test_prefixes import KINDS, random_problem

import rulelab as rl
from rulelab.glossary import find
from rulelab.prefixes import PrefixSearch
from rulelab.views.prefixes.children_plot import MOST_BARS, TERMS, ChildrenPlot, fates, interesting
from rulelab.views.prefixes.frames import Seen
from rulelab.views.prefixes.icicle import tally
from rulelab.views.prefixes.tree_view import TreeView
from rulelab.views.widgets.esc import esc


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def bars(view: TreeView) -> pd.DataFrame:
    """What the picture draws, a row per bar from the top down."""
    return pd.DataFrame(view.bars.sources[0].data)


def step(view: TreeView, search: PrefixSearch) -> None:
    """Expand one more prefix."""
    before = 0 if search.snapshot is None else search.snapshot.counts.get("expanded", 0)
    while search.advance(1).counts.get("expanded", 0) == before and search.snapshot.status is rl.Status.RUNNING:
        pass
    view.refresh()


def agrees(view: TreeView, search: PrefixSearch) -> None:
    """Bars, line, words and table are those of `look_into`."""
    look = search.look_into(view.prefix)
    drawn = bars(view)
    shown = look.set_index("antecedent").loc[drawn["rule"]]
    ends = np.zeros(len(drawn))
    for name in TERMS:
        assert drawn[f"{name}_from"].to_numpy() == pytest.approx(ends)
        ends = drawn[f"{name}_to"].to_numpy()
        assert drawn[name].tolist() == shown[name].tolist()
    assert ends == pytest.approx(shown["bound"].to_numpy(), abs=1e-12)
    best = look.attrs["incumbent"]
    below = drawn["bound"] < best - 1e-9
    assert below.is_monotonic_increasing, "first come those that reach the line"
    assert all(some.is_monotonic_increasing for _, some in drawn["bound"].groupby(below))
    assert view.bars.figure.select_one({"type": Span}).location == best
    assert drawn["beyond"].tolist() == np.maximum(drawn["bound"], best).tolist(), "no words lie across the line"
    cut = shown["cut_by"].isin(scale_of(search).bounding).to_numpy()
    assert (ends[cut] >= best - 1e-9).all()
    assert drawn["fate"].tolist() == fates(shown.reset_index())
    assert (drawn["alpha"].to_numpy() < 1).tolist() == (shown["fate"] == "cut").tolist()
    assert 0 < len(drawn) <= min(MOST_BARS, len(look))
    assert view.bars.caption.startswith(f"Of {len(look)} next rule")
    assert f": {tally(fates(look))}." in view.bars.caption
    assert (f"{len(drawn)} of {len(look)} next rules are drawn" in view.bars.below) == (len(drawn) < len(look))
    frame = view.bars.frame()
    assert frame["bound"].tolist() == pytest.approx(sorted(look["bound"]))
    assert sorted(frame["reason"]) == sorted(look["reason"])
    for name in look.attrs["prefix"]:
        assert esc(name) in view.said.object


@pytest.mark.long
def test_after_every_step_the_view_is_what_look_into_says(make) -> None:
    search = make(random_problem(3))
    view = TreeView(search)
    for steps in range(1, 7):
        step(view, search)
        now = search.snapshot
        assert now.counts["expanded"] == steps or now.status is not rl.Status.RUNNING
        assert view.prefix is None
        agrees(view, search)
        if now.status is not rl.Status.RUNNING:
            break
    assert steps > 3


def test_after_the_end_the_last_prefix_is_still_explained(make) -> None:
    search = make(random_problem(2, m=4))
    rl.solve(search)
    agrees(TreeView(search), search)


def test_a_first_look_before_anything_is_expanded_says_so() -> None:
    search = KINDS["softly falling"](random_problem(1))
    while search.look_into().empty:
        search.advance(1)
    assert not search.snapshot.counts["expanded"]
    view = TreeView(search)
    assert "No prefix is expanded yet" in view.bars.caption
    step(view, search)
    assert "No prefix is expanded yet" not in view.bars.caption


@pytest.mark.parametrize("kind", ["rule list", "corels"])
def test_a_prefix_that_is_not_continued_is_said_to_be_so_with_the_reason(kind: str) -> None:
    search = KINDS[kind](random_problem(3))
    rl.solve(search)
    names = search.problem.names
    view = TreeView(search)
    seen = set()
    for prefix in ([], *([a] for a in names), *([a, b] for a in names[:2] for b in names if b != a)):
        view.prefix = prefix
        agrees(view, search)
        own = view.drawn.seen.own
        cut = own is not None and own["fate"] == "cut"
        told = "does not continue this prefix" in view.bars.caption
        assert told == (cut and bool(search.look_into(prefix).attrs["prefix_cut_by"]))
        if cut:
            assert esc(find(own["cut_by"], search.kind or search.family).sentence, 400) in view.said.object
            seen.add(own["cut_by"])
    assert len(seen) > 1


def test_children_are_looked_into_and_parents_come_back(make) -> None:
    search = make(random_problem(4))
    view = TreeView(search)
    for _ in range(3):
        step(view, search)
    view.prefix = []
    look = search.look_into([])
    child = bars(view)["rule"][0]
    view.bars.sources[0].selected.indices = [0]
    assert view.prefix == [child]
    agrees(view, search)
    own = look[look["antecedent"] == child].iloc[0]
    assert f"price of the rules</button> {own['rules']:.4f}" in view.said.object
    live.widget(view, "Prefix").value = "last"
    assert view.prefix is None
    assert " last: " in view.said.object or "No rule yet" in view.said.object
    agrees(view, search)


def test_what_cannot_be_looked_into_is_said() -> None:
    search = rl.RuleListSearch(random_problem(7), 0.1, beam_width=0)
    view = TreeView(search)
    step(view, search)
    view.prefix = []
    for _ in range(8):
        view.look(search.problem.names[0])
        if not len(view.drawn.seen.children):
            break
    assert "no list of more than" in view.bars.caption
    assert bars(view).empty
    assert "price of the rules" in view.said.object
    shown = view.prefix
    with pytest.raises(ValueError, match=r"^prefix: .*'nothing'"):
        view.prefix = ["nothing"]
    assert view.prefix == shown
    with pytest.raises(ValueError, match=r"^prefix: .*'nothing'"):
        TreeView(search, prefix=["nothing"])


def frame_of(rng: np.random.Generator, n: int) -> pd.DataFrame:
    fate = rng.choice(["open", "expanded", "cut"], n, p=[0.3, 0.1, 0.6])
    terms = {name: rng.random(n).round(2) for name in TERMS}
    frame = pd.DataFrame(
        {
            "antecedent": [f"rule {k}" for k in range(n)],
            "label": 1,
            "captured": 2.5,
            "errors": 1.0,
            **terms,
            "fate": fate,
            "cut_by": np.where(fate == "cut", rng.choice(["lookahead", "deletion", "always: hierarchical"], n), ""),
            "reason": "because.",
        }
    )
    frame["bound"] = sum(terms.values())
    frame.attrs.update(incumbent=1.5, prefix=[], prefix_cut_by="")
    return frame


@pytest.mark.parametrize("n", [1, 2, MOST_BARS - 1, MOST_BARS, MOST_BARS + 1, 200])
@pytest.mark.parametrize("seed", range(2))
def test_the_most_interesting_are_drawn_and_all_are_counted(n: int, seed: int) -> None:
    frame = frame_of(np.random.default_rng(seed), n)
    shown = interesting(frame)
    rest = frame.drop(index=shown.index)
    assert len(shown) == min(n, MOST_BARS)
    assert set(shown["cut_by"]) - {""} == set(frame["cut_by"]) - {""}
    going = frame["fate"] != "cut"
    if (shown["fate"] == "cut").sum() > (shown["cut_by"].nunique() - ("" in set(shown["cut_by"]))):
        assert not (rest["fate"] != "cut").any()
    if (rest["fate"] != "cut").any():
        assert shown.loc[going[shown.index], "bound"].max() <= rest.loc[going[rest.index], "bound"].min()
    plot = ChildrenPlot("share of rows")
    plot.draw(Seen(children=frame))
    counted = sum(int(part.split()[0]) for part in tally(fates(frame)).split(", "))
    assert counted == n
    assert len(plot.frame()) == n


def test_figures_are_given_away_pictures_are_made_and_every_term_is_explained() -> None:
    search = live.small_search()
    view = TreeView(search)
    step(view, search)
    look = search.look_into()
    csv = pd.read_csv(StringIO(view.bars_box.answer("csv")["csv"]))
    assert len(csv) == len(look)
    assert csv[list(TERMS.values())].sum(axis=1).to_numpy() == pytest.approx(csv["bound"].to_numpy())
    assert view.bars_box.answer("table")["rows"]
    assert view.bars_box.answer("svg")["size"][1] > view.bars.figure.height
    for name in ("next rules", *TERMS.values(), "bound", "captured", "errors", "label"):
        assert find(name) is not None, name
    assert live.terms_of(ChildrenPlot("share of rows").figure.css_classes)


def test_untrusted_names_are_text() -> None:
    A = pd.DataFrame(np.random.default_rng(0).random((80, 3)) < 0.5)
    A.columns = [live.HOSTILE, "b\u202e<b>", "c"]
    y = (A["c"] ^ (np.random.default_rng(1).random(80) < 0.2)).map({True: live.HOSTILE, False: "a"})
    problem = rl.Problem.from_arrays(A, y.to_numpy())
    search = rl.RuleListSearch(problem, 0.001, beam_width=0)
    view = TreeView(search)
    step(view, search)
    for name in problem.names:
        view.prefix = [name]
        for text in (view.said.object, view.bars.below, view.bars.caption):
            assert "<img" not in text
            assert "\u202e" not in text
        assert not any("\u202e" in text for text in bars(view)["short"])
