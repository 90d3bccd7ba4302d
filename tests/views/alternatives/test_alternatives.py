"""Many good models: what they do to groups against counting by hand, and the view of them without a browser."""

import threading
from itertools import combinations
from typing import Any

import naive
import numpy as np
import pandas as pd
import panel as pn
import pytest
from good_rows import problem_of, rows
from live import alert, button, field, html, only, press, recorded, seen, send, status
from patience import wait_until

import rulelab as rl
from rulelab.data.gaps import CRITERIA
from rulelab.data.metrics import RATES, confusion
from rulelab.rule_list.near_optimal.summary import group_masses, reliance, traits_of
from rulelab.views.alternatives import view as alternatives
from rulelab.views.alternatives.good import find, refusal
from rulelab.views.alternatives.hand import edited_of
from rulelab.views.alternatives.parts import NO_MODEL, Builder, GoodList
from rulelab.views.alternatives.plots import short_names
from rulelab.views.alternatives.view import BUILD, TOGETHER, AlternativesView
from rulelab.views.alternatives.wording import COMING
from rulelab.views.forms.address import Address
from rulelab.views.live.job import Progress
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.state import State
from rulelab.views.pages.tabs import Tabs

RULES = [[0, 1], [2], [], [3, 1, 0]]


def predicted(A: np.ndarray, y: np.ndarray, weight: np.ndarray, antecedents: list[int]) -> np.ndarray:
    left, out = np.ones(len(y), dtype=bool), np.zeros(len(y), dtype=bool)
    for a in (*antecedents, None):
        hit = left if a is None else left & A[:, a]
        out[hit] = weight[hit & y].sum() > weight[hit & ~y].sum()
        left = left & ~hit
    return out


@pytest.mark.parametrize("seed", range(3))
def test_gaps_and_what_rules_decide_are_those_of_the_rows(seed: int) -> None:
    A, y, group, weight = rows(seed)
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    traits = traits_of(problem, RULES, group_masses(problem, group, y, weight))
    assert traits.groups == ("a", "b", "c")
    for k, antecedents in enumerate(RULES):
        guess = predicted(A, y, weight, antecedents)
        by_group = [confusion(y[group == g], guess[group == g], weight[group == g]) for g in traits.groups]
        for criterion, names in CRITERIA.items():
            rates = [[c.rate(name) for c in by_group] for name in names]
            largest = max(abs(p - q) for found in rates for p, q in combinations(found, 2))
            assert traits.gaps(criterion)[k] == pytest.approx(largest)
        left = np.ones(len(y), dtype=bool)
        for a, share in zip(antecedents, traits.decided[k], strict=True):
            assert share == pytest.approx(weight[left & A[:, a]].sum() / weight.sum())
            left &= ~A[:, a]


def test_groups_need_rows_and_those_of_few_rows_of_the_kind_are_left_out() -> None:
    A, y, group, _ = rows()
    group[:] = "a"
    group[:3] = "b"
    problem = rl.Problem.from_arrays(A, y)
    traits = traits_of(problem, RULES, group_masses(problem, group, y))
    assert np.isnan(traits.gaps("accuracy_parity", 30)).all()
    assert (traits.gaps("accuracy_parity") >= 0).all()
    with pytest.raises(ValueError, match="there is no criterion 'luck'; the criteria are equal_opportunity"):
        traits.gaps("luck")
    assert set(RATES) >= {name for names in CRITERIA.values() for name in names}
    with pytest.raises(ValueError, match="must have 60 rows, as the problem has"):
        group_masses(problem, group, y[:5])
    counts = rl.Problem.from_counts([[0, 1], [1, 0]], [9, 1], [1, 9])
    with pytest.raises(ValueError, match="made from counts, so that the groups of its rows are not known"):
        group_masses(counts, ["a", "b"], [True, False])


def test_reliance_is_the_range_over_all_models() -> None:
    A, y, _, _ = rows()
    problem = rl.Problem.from_arrays(A, y)
    lists = [[0, 1], [0], [0, 2]]
    table = reliance(problem, lists, traits_of(problem, lists).decided)
    assert table.loc[0, ["models", "least", "most"]].tolist() == [3, A[:, 0].mean(), A[:, 0].mean()]
    assert table.loc[1, "least"] == 0.0
    assert table.loc[1, "most"] == pytest.approx((A[:, 1] & ~A[:, 0]).mean())
    assert list(table.index) == [0, 1, 2]


def searched(dataset: rl.datasets.Dataset, **parameters: Any) -> rl.RuleListSearch:
    return rl.search(problem_of(dataset), **{"regularization": 0.02, **parameters})


@pytest.fixture
def view(dataset: rl.datasets.Dataset, show: Any) -> AlternativesView:
    return show(searched(dataset), dataset)


def test_all_that_is_found_is_near_and_nothing_is_missing(view: AlternativesView) -> None:
    found = view.found
    assert status(view).phase.startswith("certified complete: ")
    assert alert(view).phase == ""
    problem, result = found.result.problem, found.result
    assert found.prepared.search.certified
    cheaper = [
        d
        for d in naive.all_rule_lists(4, 2)
        if rl.RuleList.from_problem(problem, d).objective(0.02) <= 1.2 * result.optimum - 1e-12
    ]
    shown = {tuple(rl.RuleList.from_problem(problem, d).predicts_positive(problem.matrix())) for d in result.lists}
    for d in cheaper:
        assert tuple(rl.RuleList.from_problem(problem, d).predicts_positive(problem.matrix())) in shown
    assert len(found.frame) == result.count > 3
    assert found.frame["above"].max() <= 20 + 1e-9


def test_filters_keep_what_they_say(view: AlternativesView) -> None:
    names = view.found.frame["antecedents"]
    first = view.found.reliance["name"].iloc[0]
    view.uses = first
    assert view.kept.tolist() == [k for k, each in enumerate(names) if first in each]
    view.param.update(uses="", without=first)
    assert view.kept.tolist() == [k for k, each in enumerate(names) if first not in each]
    looking = view.found.columns["<b>u</b>"]
    view.param.update(without="", column="<b>u</b>")
    assert view.kept.tolist() == [k for k, each in enumerate(view.found.result.lists) if looking & set(each)]
    assert 0 < len(view.kept) < len(names)
    view.param.update(column="", rules=1)
    assert (view.found.frame["rules"].to_numpy()[view.kept] <= 1).all()
    view.rules = 0
    view.choose_diverse()
    assert (view.kept[0], sorted(view.found.result.diverse(4))) == (0, view.kept.tolist())
    view.choose_diverse()
    assert len(view.kept) == len(names)


def test_long_antecedents_are_told_apart_beside_the_matrix() -> None:
    names = [f"juv_other_count ≤ 0 and priors_count ≤ {k}" for k in (1, 2, 6)]
    names += ["juv_misd_count ≤ 0 and priors_count ≤ 6", "age > 35", "x" * 3000, f"y\n{'x' * 2999}"]
    short = short_names(names)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) <= 34
    assert not any(text.endswith("'") for text in short[:5])
    assert (short[0], short[4]) == ("juv_other_coun…nd priors_count ≤ 1", "age > 35")
    assert "\n" not in "".join(short)
    assert short_names(["same", "same"]) == ["same", "same'"]


def test_a_list_is_built_and_its_card_shown(view: AlternativesView, dataset: rl.datasets.Dataset) -> None:
    found = view.found
    assert found is not None
    assert not pn.panel(view).select(Builder), "made when it is first opened"
    view.strip.open = BUILD
    assert only(view, GoodList) not in seen(view)
    assert only(view, Builder).said["nodes"] == len(found.graph.model)
    assert only(view, Builder).said["labels"] == [dataset.negative, dataset.positive]
    for antecedents in (found.result.lists[1], found.result.lists[0]):
        send(only(view, Builder), {"rules": list(antecedents)})
        assert view.editor.hand.model.antecedents == antecedents
        assert found.result.lists[view.model] == antecedents
    turned = next(d for d in map(tuple, map(reversed, found.result.lists)) if found.graph.node(d) > 0 and len(d) > 1)
    send(only(view, Builder), {"rules": list(turned)})
    card = view.editor.hand.card()
    assert card.model.antecedents == turned
    assert card.proof.objective == pytest.approx(card.model.objective(0.02))
    for wrong in ([99], ["x"], None, {}):
        send(only(view, Builder), {"rules": wrong})
        send(only(view, Builder), wrong)
        assert view.editor.hand.model.antecedents == turned
    page = view.explorer_html().getvalue()
    assert "<b>u" not in page
    view.strip.open = TOGETHER
    assert only(view, GoodList) in seen(view)


def test_gaps_are_of_groups_that_are_the_same_everywhere(view: AlternativesView, dataset: rl.datasets.Dataset) -> None:
    assert view.gaps is None
    view.param.update(attribute="sex", criterion="demographic_parity")
    assert view.gaps is not None
    rules = rl.RuleList.from_problem(view.found.result.problem, view.found.result.lists[1])
    pattern = view.found.result.problem.row_pattern
    guess = rules.predicts_positive(view.found.result.problem.matrix())[pattern]
    rates = pd.Series(guess).groupby(dataset.sensitive["sex"].to_numpy()).mean()
    assert view.gaps[1] == pytest.approx(100 * (rates.max() - rates.min()))
    assert "gap in" in view.boxes[0].plot.figure.xaxis[0].axis_label
    assert [row[3] for row in only(view, GoodList).rows] == [f"{gap:.1f}" for gap in view.gaps]
    table = pd.read_csv(view.models_csv())
    assert (len(table), table.iloc[1, -1]) == (view.found.result.count, pytest.approx(view.gaps[1]))
    assert view.editor.groups.attribute == view.counting.groups[0] == "sex"
    assert field(view.editor, "Groups by") is None
    view.choose(1)
    assert view.editor.groups.gap is not None
    view.attribute = ""
    assert view.editor.groups.gap is None


def test_the_chosen_model_is_edited_and_its_card_says_how_far_it_is(view: AlternativesView) -> None:
    editor, found = view.editor, view.found
    assert found is not None
    assert view.model == 0
    assert editor.hand.card().proof.proven
    assert status(editor).phase.startswith("as good as the certified optimum")
    send(only(view, GoodList), {"do": "choose", "at": 2})
    assert view.model == only(view, GoodList).chosen == 2
    card = editor.hand.card()
    assert not card.proof.proven
    assert card.name.startswith("Good model 3")
    assert card.proof.lower_bound == found.result.optimum
    assert card.proof.objective == pytest.approx(card.model.objective(0.02))
    assert card.search is None
    assert status(editor).phase.endswith("still within 20 % of it")
    pinned: list[Any] = []
    view.on_pin = lambda card: pinned.append(card) or "A"
    editor.pin()
    assert [each.model for each in pinned] == [card.model]
    assert "pinned as A" in html(editor)
    for k in range(len(editor.hand.edited)):
        editor.act({"do": "flip", "at": k})
    assert editor.hand.card().name == "Made by hand"
    assert view.model == only(view, GoodList).chosen == NO_MODEL, "what is edited is none of them any more"
    assert status(editor).phase.endswith("no longer within 20 % of it")
    own = editor.hand.edited
    view.distance = 0.1
    wait_until(lambda: not view.refresh())
    assert editor.hand.edited == own, "what was made by hand stays when more or less is found"
    for k in (1, 1, 99, -1):
        view.choose(k)
        assert editor.hand.model == found.result.models[1]
    for wrong in ({"at": 10_000}, {"at": "0"}, {}, None):
        send(only(view, GoodList), wrong)
        assert view.model == 1
    editor.undo()
    assert editor.hand.edited == own


def test_of_one_person_it_is_said_what_each_good_model_says(view: AlternativesView, dataset: rl.datasets.Dataset):
    found, person = view.found, view.editor.person
    problem = found.result.problem
    guesses = np.array([model.predicts_positive(problem.matrix()) for model in found.result.models])
    said = set()
    for k in range(40):
        person.row = k + 1
        yes = int(guesses[:, problem.row_pattern[k]].sum())
        counted = {dataset.positive: yes, dataset.negative: len(guesses) - yes}
        for label, n in counted.items():
            if 0 < n < len(guesses):
                assert f"{n} of the" in person.said.object or f", {n} say <b>{label}</b>" in person.said.object
            elif n:
                assert f"All of the {n} good models say <b>{label}</b>." in person.said.object
        said.add(0 < yes < len(guesses))
    assert said == {True, False}
    person.row = 1
    before = person.said.object
    for at, each in enumerate(person.form.fields):
        person.enter({"do": "set", "at": at, "value": "no" if each["value"] == "yes" else "yes"})
    assert person.said.object.split("</p>")[0] != before.split("</p>")[0], "what is entered counts"


def test_names_are_escaped_and_those_of_cards_and_pictures_have_tables(view: AlternativesView) -> None:
    assert "<b>u" not in html(view, hidden=True)
    assert "&lt;b&gt;" in html(view, hidden=True)
    for box in view.boxes:
        assert len(box.plot.frame())
        assert box.plot.caption
        assert box.plot.picture()["size"] == [1600, 900]
        assert box.answer("csv")["csv"].count("\n") > 1
    assert pd.read_csv(view.antecedents_csv())["most"].between(0, 1).all()
    shown = [*view.found.frame["antecedents"].sum(), *view.found.reliance["name"], *view.param["uses"].objects.values()]
    assert any(" = " in name for name in shown)
    assert not any("==" in name for name in shown)
    assert "==" not in str(only(view, GoodList).rows) + html(view, hidden=True) + view.models_csv().getvalue()


def test_a_search_of_another_kind_is_refused_in_words(dataset: rl.datasets.Dataset) -> None:
    problem = searched(dataset).problem
    name = problem.names[0]
    A, y, group, _ = rows()
    fair = rl.Problem.from_arrays(A, y, groups=group)
    for search, said in (
        (rl.RuleSetSearch(problem, max_complexity=4, must_use=[name]), "Without “Must use”, “Using the column”"),
        (rl.search(problem, regularization=0.05, must_use=[name]), "Without “Must use”"),
        (rl.search(problem, regularization=0.05, first_rule=name), "Without “First rule”"),
        (rl.FallingRuleListSearch(problem, 0.05), "not of a falling rule list"),
        (rl.RuleSetSearch(fair, fairness=rl.EqualOpportunity(0.1)), "“Groups by” shows the gaps of all of them"),
        (rl.search(fair, regularization=0.05, fairness=rl.EqualOpportunity(0.1)), "“Groups by” shows the gaps"),
    ):
        assert said in refusal(search)
        with pytest.raises(ValueError, match=said):
            find(lambda report, search=search: Prepared(search), Progress(), 0.05, 100, 10.0)
    assert refusal(searched(dataset)) == ""
    with pytest.raises(TypeError, match="without a fairness constraint"):
        AlternativesView(rl.FallingRuleListSearch(problem))
    with pytest.raises(ValueError, match="either a search or source"):
        AlternativesView()
    hard = searched(dataset, regularization=0.0001)
    with pytest.raises(ValueError, match="time limit reached: the optimum was not certified after"):
        find(lambda report: Prepared(hard), Progress(), 0.05, 100, 1e-9)


QUICK = "data=tic_tac_toe&regularization=0.05&max_conditions=1"


def answered(query: str) -> tuple[Tabs, AlternativesView]:
    """The tabs of an address after the search that they ask for, from the tab that waits for it."""
    tabs = Tabs(Address(query))
    view, search = tabs.made("Alternatives").view, tabs.made("Search").view
    assert button(view, "Run the search")
    assert view.strip not in seen(view)
    assert pn.panel(view.editor) not in seen(view)
    press(view, "Run the search")

    def done() -> bool:
        search.refresh()
        return search.session.state.over and not view.refresh()

    wait_until(done, 0.02)
    return tabs, view


@pytest.mark.long
def test_the_tab_is_filled_by_itself_when_the_search_has_ended() -> None:
    tabs, view = answered(f"?tab=Alternatives&{QUICK}&distance=0.01")
    search = tabs.made("Search").view
    assert view.distance == 0.01
    assert view.found.prepared is search.session.prepared, "one search, not two"
    assert not button(view, "Run the search")
    assert view.strip in seen(view)
    assert pn.panel(view.editor) in seen(view)
    assert not button(view, "Find more"), "all of them are here"
    view.editor.pin()
    assert len(tabs.made("Compare").view.cards) == 1
    first = view.found
    search.reset()
    search.run()
    wait_until(lambda: search.refresh() or (search.session.state.over and not view.refresh()), 0.02)
    assert view.found is not first, "each answer has its own"
    view.close()


def test_a_model_without_good_ones_beside_it_is_edited_all_the_same() -> None:
    tabs, view = answered(f"?tab=Alternatives&{QUICK}&family=falling_rule_list")
    assert "not of a falling rule list" in status(view).phase
    assert view.strip not in seen(view)
    assert not button(view, "Find more"), "there is no more"
    assert view.editor.hand.model == tabs.made("Search").view.session.snapshot.incumbent.model
    assert view.editor.hand.best.certified
    view.close()


@pytest.mark.long
def test_what_keeps_the_search_from_beginning_is_said_and_a_recording_from_a_file_is_no_answer(dataset) -> None:
    tabs = Tabs(Address(f"?tab=Alternatives&{QUICK}"))
    search, view = tabs.made("Search"), tabs.made("Alternatives").view
    search.setup.table.pending = True
    press(view, "Run the search")
    assert "press “Accept” or “Cancel” there" in alert(view).phase
    search.setup.table.pending = False
    search.setup.refusal = "“Regularization” is too large"
    press(view, "Run the search")
    assert alert(view).phase == "In the tab Search: “Regularization” is too large"
    assert search.view.session.state is State.IDLE
    search.setup.refusal = ""
    search.view.open(recorded(searched(dataset)))
    search.view.refresh()
    assert search.view.session.recorded
    assert search.view.session.state.over
    assert button(view, "Run the search"), "nobody knows the rows of the one, and the other was not searched"
    assert view.found is None
    view.close()


def test_the_best_model_is_edited_while_those_beside_it_are_looked_for(monkeypatch, dataset: rl.datasets.Dataset):
    may_find = threading.Event()
    monkeypatch.setattr(alternatives, "find", lambda *given: may_find.wait() and find(*given))
    search = searched(dataset)
    latest = next(snapshot for snapshot in search.steps() if search.certified)
    view = AlternativesView(search, dataset, distance=0.2)
    assert view.refresh()
    hand = view.editor.hand
    assert hand.model == latest.incumbent.model
    assert status(view.editor).phase.startswith("as good as the certified optimum")
    assert pn.panel(view.editor) in seen(view)
    assert COMING in html(view)
    assert any("rl-both" in part.css_classes for part in seen(view)), "it stands where it will stand beside the others"
    view.editor.act({"do": "delete", "at": 0})
    by_hand = hand.edited
    may_find.set()
    wait_until(lambda: not view.refresh())
    assert view.strip in seen(view)
    assert COMING not in html(view)
    assert view.editor.hand is hand
    assert hand.edited == by_hand, "what was edited meanwhile is not lost"
    assert "within 20 % of it" in status(view.editor).phase
    view.close()


def test_more_is_found_when_more_is_asked_for(monkeypatch: pytest.MonkeyPatch, dataset: rl.datasets.Dataset) -> None:
    monkeypatch.setattr(alternatives, "EFFORTS", ((3, 60.0, 10**9), (100_000, 60.0, 10**9)))
    view = AlternativesView(searched(dataset), dataset, distance=0.2)
    wait_until(lambda: not view.refresh())
    assert view.found.result.count == 3
    assert status(view).phase.startswith("not complete (as many models as were asked for)")
    assert button(view, "Find more")
    press(view, "Find more")
    assert button(view, "Stop")
    wait_until(lambda: not view.refresh())
    assert view.found.result.complete
    assert not button(view, "Find more")
    view.close()


@pytest.mark.parametrize("kind", ["rule_set", "rule_list"])
def test_of_optima_that_cost_the_same_the_chosen_one_is_the_one_that_was_found(kind: str) -> None:
    given = rl.datasets.load("tic_tac_toe" if kind == "rule_set" else "diabetes")
    own = {"max_complexity": 8, "max_conditions": 2} if kind == "rule_set" else {"regularization": 0.02}
    search = rl.search(problem_of(given), kind, **own)
    best = rl.solve(search).incumbent.model
    view = AlternativesView(search, given, distance=0.01)
    wait_until(lambda: not view.refresh())
    found = view.found
    tied = int((found.frame["gap"] <= 0).sum())
    assert sorted(found.optima) == list(range(tied))
    assert found.answer == found.optima[0] == view.model
    assert (found.answer > 0) == (kind == "rule_set"), "of the sets another one is listed first"
    for k in range(tied):
        assert found.card(k).model.errors == found.frame["errors"].iloc[k], "what the list says of a model is so"
    assert found.card(found.answer).model == best
    assert view.editor.hand.edited == edited_of(search, best)
    assert ("the large dot is the optimum" in view.boxes[0].plot.caption) == (tied == 1)
    view.close()
