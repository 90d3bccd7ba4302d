"""One step of a search in slow motion: bars and table say what `look_into` says, for every search over prefixes."""

from __future__ import annotations

from io import StringIO

import live
import numpy as np
import pandas as pd
import pytest
from test_prefixes import KINDS, random_problem

import rulelab as rl
from rulelab.glossary import find
from rulelab.snapshot import Status
from rulelab.views.prefixes import step_plot, step_view
from rulelab.views.prefixes.step_plot import MOST_BARS, TERMS, StepPlot, fates, interesting, tally
from rulelab.views.prefixes.step_table import HEADS, PAGE
from rulelab.views.prefixes.step_view import StepView
from rulelab.views.widgets.esc import esc
from rulelab.views.widgets.explained import by_slug, terms_of


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def bars(view: StepView) -> pd.DataFrame:
    """What the picture draws, a row per bar from the top down."""
    return pd.DataFrame(view._plot.sources[0].data)


def look_of(view: StepView) -> pd.DataFrame:
    """Without rules of the prefix that the search does not even try again."""
    look = view.search.look_into(view.prefix)
    return look[~(look["antecedent"].isin(look.attrs["prefix"]) & (look["fate"] == "open"))]


def agrees(view: StepView) -> None:
    """Bars, line, words and table are those of `look_into`."""
    look = look_of(view)
    drawn = bars(view)
    shown = look.set_index("antecedent").loc[drawn["rule"]]
    ends = np.zeros(len(drawn))
    for name in TERMS:
        assert drawn[f"{name}_from"].to_numpy() == pytest.approx(ends)
        ends = drawn[f"{name}_to"].to_numpy()
        assert drawn[name].tolist() == shown[name].tolist()
    assert ends == pytest.approx(shown["bound"].to_numpy(), abs=1e-12)
    assert drawn["bound"].is_monotonic_increasing
    assert view._plot._line.location == look.attrs["incumbent"]
    cut = shown["cut_by"].isin(view.search._scale().bounding).to_numpy()
    assert (ends[cut] >= look.attrs["incumbent"] - 1e-9).all()
    assert drawn["fate"].tolist() == fates(shown.reset_index())
    assert (drawn["alpha"].to_numpy() < 1).tolist() == (shown["fate"] == "cut").tolist()
    assert 0 < len(drawn) <= min(MOST_BARS, len(look))
    rest = look[~look["antecedent"].isin(drawn["rule"])]
    assert f"In all {esc(tally(look), 600)}" in view._plot.below
    assert (f"; {len(rest)} of these are not drawn: {esc(tally(rest), 600)}." in view._plot.below) == (not rest.empty)
    assert f" of {len(look)} next rule" in view._plot.caption
    table = view._table
    rules = [row["cells"][0] for row in table.rows]
    assert len(rules) == min(PAGE, len(look))
    at = {row["antecedent"]: row for row in look.assign(words=fates(look)).to_dict(orient="records")}
    for row in table.rows:
        cells, own = dict(zip(HEADS, row["cells"], strict=True)), at[row["cells"][0]]
        assert cells["bound"] == f"{own['bound']:.4f}"
        assert cells["fate"] == own["words"]
        assert row["reason"] == own["reason"]
        if own["fate"] == "cut":
            assert by_slug(row["term"]) == find(own["cut_by"], view.search.kind or view.search.family)
    assert view._plot.frame().shape == (len(look), len(HEADS) + 1)
    for name in look.attrs["prefix"]:
        assert name in view._heading.object


@pytest.mark.long
def test_after_every_step_the_view_is_what_look_into_says(make) -> None:
    view = StepView(make(random_problem(3)))
    for steps in range(1, 7):
        if view._step.disabled:
            break
        view.step()
        now = view.search.snapshot
        assert now.counts["expanded"] == steps or now.status is not Status.RUNNING
        assert view.prefix is None
        agrees(view)
    assert steps > 3


@pytest.mark.long
def test_the_button_takes_the_same_steps_in_parts(make, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = StepView(make(random_problem(5))), StepView(make(random_problem(5)))
    monkeypatch.setattr(two._beat, "start", lambda: None)
    monkeypatch.setattr(type(two.search), "compiled", False)  # so that the button itself does nothing yet
    monkeypatch.setattr(step_view, "_MOMENT", 0.0)
    for _ in range(3):
        one.step()
        two._press()
        assert two._step.disabled
        assert two._status.tone == "busy"
        before = two.search.work
        two._press()
        assert two.search.work == before
        two.refresh()
        assert two._step.disabled
        while two._go_on():
            pass
        assert one.search.snapshot.counts == two.search.snapshot.counts
        assert one._heading.object == two._heading.object
        assert two._step.disabled == one._step.disabled
        if one._step.disabled:
            break


def test_after_the_end_there_is_no_step_and_the_view_says_so(make) -> None:
    search = make(random_problem(2, m=4))
    view = StepView(search)
    rl.solve(search)
    view.refresh()
    assert view._step.disabled
    assert "ended" in view._status.phase
    assert "optimal" in view._status.phase
    before = search.work
    view.step()
    assert search.work == before
    agrees(view)


def test_before_the_search_has_begun_words_stand_in_place_of_pictures(make) -> None:
    view = StepView(make(random_problem(1)))
    assert "has not begun" in view._status.phase
    assert not any(box.visible for box in view._frames)
    assert all(len(column) == 0 for column in view._plot.sources[0].data.values())
    view.step()
    assert all(box.visible for box in view._frames)


def test_a_first_look_before_anything_is_expanded_says_so() -> None:
    search = KINDS["rule list"](random_problem(1))
    while search.look_into().empty:
        search.advance(1)
        view = StepView(search)
    if not search.snapshot.counts["expanded"]:
        assert "No prefix is expanded yet" in view._note.object
    view.step()
    assert view._note.object == ""


@pytest.mark.parametrize("kind", ["rule list", "corels"])
def test_a_prefix_that_is_not_expanded_is_said_to_be_so_with_the_reason(kind: str) -> None:
    search = KINDS[kind](random_problem(3))
    rl.solve(search)
    names = search.problem.names
    prefixes = [[], *([a] for a in names), *([a, b] for a in names[:2] for b in names)]
    cut = {search.look_into(prefix).attrs["prefix_cut_by"]: prefix for prefix in prefixes}
    assert len(cut) > 1
    view = StepView(search)
    for by, prefix in cut.items():
        view.prefix = prefix
        agrees(view)
        assert ("does not continue this prefix" in view._note.object) == bool(by)
        if by:
            assert esc(find(by, search.kind or search.family).sentence, 400) in view._note.object


def test_children_are_looked_into_and_parents_come_back(make) -> None:
    search = make(random_problem(4))
    view = StepView(search)
    for _ in range(3):
        view.step()
    view.prefix = []
    assert not view._back.able
    look = search.look_into([])
    child = look["antecedent"][look["fate"] != "cut"].iloc[0]
    for choose in (
        lambda: view._table.ask({"look": [row["cells"][0] for row in view._table.rows].index(child)}),
        lambda: setattr(view._plot.sources[0].selected, "indices", [bars(view)["rule"].tolist().index(child)]),
    ):
        choose()
        assert view.prefix == [child]
        assert "Looked into" in view._heading.object
        agrees(view)
        own = look[look["antecedent"] == child].iloc[0]
        assert f"Bound {own['bound']:.4f} = " in view._figures.object
        view.back()
        assert view.prefix == []
    view.last()
    assert view.prefix is None
    assert "Expanded last" in view._heading.object
    agrees(view)


def test_what_cannot_be_looked_into_is_said_and_leaves_the_view_as_it_is() -> None:
    search = rl.RuleListSearch(random_problem(7), 0.1, beam_width=0)
    view = StepView(search)
    view.step()
    view.prefix = []
    shown = view.prefix
    for _ in range(8):
        shown = view.prefix
        view.look(search.problem.names[0])
        if view._alert.phase:
            break
    assert "no list of more than" in view._alert.phase
    assert view.prefix == shown
    with pytest.raises(ValueError, match=r"^prefix: .*'nothing'"):
        view.prefix = ["nothing"]
    assert view.prefix == shown
    agrees(view)
    view.back()
    assert view._alert.phase == ""


def test_other_searches_and_unknown_rules_are_refused() -> None:
    with pytest.raises(TypeError, match="search must be one over prefixes"):
        StepView(rl.RuleSetSearch(live.problem(60, 4), max_complexity=4))
    with pytest.raises(TypeError, match="search must be one over prefixes"):
        StepView(rl.search_for(live.problem(60, 4), "falling_rule_list", method="monte_carlo"))
    search = live.small_search()
    search.advance(5)
    with pytest.raises(ValueError, match=r"^prefix: .*'nothing'"):
        StepView(search, ["nothing"])


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


@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 200])
@pytest.mark.parametrize("seed", range(3))
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
    plot = StepPlot("share of rows")
    plot.draw(frame)
    counted = sum(int(part.split()[0]) for part in tally(frame).split(", "))
    assert counted == n
    assert len(plot.frame()) == n


def test_only_what_has_changed_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    view = StepView(live.small_search())
    view.step()
    sent = []
    for source in view._plot.sources:
        source.on_change("data", lambda attr, old, new: sent.append((attr, new)))
    view._plot.figure.on_change("height", lambda attr, old, new: sent.append((attr, new)))
    view._table.param.watch(lambda event: sent.append(event), ["rows", "said"])
    view._heading.param.watch(lambda event: sent.append(event), "object")
    view.refresh()
    assert sent == []
    view.step()
    assert sent


def test_the_table_is_sorted_by_its_heads_and_shows_more_when_asked() -> None:
    search = live.long_search()
    view = StepView(search)
    view.step()
    table = view._table
    assert len(table.rows) == PAGE
    assert f"{PAGE} of {len(search.look_into())}" in table.said
    for name in HEADS:
        table.ask({"sort": name})
        place = list(HEADS).index(name)
        found = [row["cells"][place] for row in table.rows]
        key = str if name in ("antecedent", "label", "fate") else float
        assert table.order[0] == name
        assert found == sorted(found, key=key, reverse=not table.order[1])
    up = table.order[1]
    table.ask({"sort": name})
    assert table.order == (name, not up)
    while table.said:
        table.ask({"more": True})
    assert sorted(row["cells"][0] for row in table.rows) == sorted(search.look_into()["antecedent"])
    before = (table.order, list(table.rows), view.prefix)
    for nonsense in ({}, {"sort": "reason"}, {"look": 10**6}, {"look": "rule"}, {"look": -1}):
        table.ask(nonsense)
    table._handle_msg("nonsense")
    assert (table.order, list(table.rows), view.prefix) == before


def test_figures_are_given_away_and_pictures_are_made() -> None:
    view = StepView(live.small_search())
    view.step()
    look = view.search.look_into()
    csv = pd.read_csv(StringIO(view._box.answer("csv")["csv"]))
    assert len(csv) == len(look)
    assert csv[list(TERMS.values())].sum(axis=1).to_numpy() == pytest.approx(csv["bound"].to_numpy())
    assert view._box.answer("table")["rows"]
    picture = view._box.answer("svg")
    assert picture["size"][1] == view._plot.figure.height + step_plot._MARGIN


def test_untrusted_names_are_text() -> None:
    A = pd.DataFrame(np.random.default_rng(0).random((80, 3)) < 0.5)
    A.columns = [live.HOSTILE, "b\u202e<b>", "c"]
    y = (A["c"] ^ (np.random.default_rng(1).random(80) < 0.2)).map({True: live.HOSTILE, False: "a"})
    problem = rl.Problem.from_arrays(A, y.to_numpy())
    search = rl.RuleListSearch(problem, 0.001, beam_width=0)
    view = StepView(search, None)
    view.step()
    for name in problem.names:
        view.prefix = [name]
        for pane in (view._heading, view._figures, view._note):
            assert "<img" not in pane.object
            assert "\u202e" not in pane.object
        assert "<img" not in view._plot.below
        assert all("\u202e" not in cell for row in view._table.rows for cell in row["cells"])
    assert "{safe}" not in step_plot._TOOLTIP


def test_every_term_of_the_picture_is_explained() -> None:
    for name in ("this step", *TERMS.values(), "bound", "captured", "errors", "label"):
        assert find(name) is not None, name
    assert list(terms_of(StepPlot("share of rows").figure.css_classes))
    view = StepView(live.small_search())
    view.step()
    assert {name for name, _ in view._status.figures if by_slug(name) is None} == set()


def test_dark_pages_have_light_ink() -> None:
    view = StepView(live.small_search())
    inks = [view._plot._best.text_color, *(text.glyph.text_color for text in view._plot._texts)]
    view.dark = True
    assert all(
        ink != now
        for ink, now in zip(
            inks, [view._plot._best.text_color, *(text.glyph.text_color for text in view._plot._texts)], strict=True
        )
    )
