"""The view of a list edited by hand, its distance from the optimum, persons and rooms, without a browser."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import live
import numpy as np
import pandas as pd
import panel as pn
import pytest
from live import alert, button, html, made, only, press, seen, send, status, widget
from patience import wait_until

import rulelab as rl
from rulelab.datasets.dataset import from_frame
from rulelab.models import parse_model
from rulelab.store import BoardEntry
from rulelab.views.alternatives import game, parts, wording
from rulelab.views.alternatives.editing import WhatIfView
from rulelab.views.alternatives.game import BOARDS, Boards, find_best
from rulelab.views.alternatives.hand import Hand
from rulelab.views.alternatives.parts import Editor
from rulelab.views.cards import html as card_html
from rulelab.views.forms.address import Address
from rulelab.views.live.job import Progress
from rulelab.views.live.prepared import Prepared
from rulelab.views.pages.tabs import Tabs
from rulelab.views.widgets.explained import by_slug
from rulelab.views.widgets.fields import KEEP
from rulelab.what_if import EditedList, EditedSet

REGULARIZATION = 0.01


def table(seed: int = 0, n: int = 80, evil: str = "town") -> rl.datasets.Dataset:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 60, n),
            evil: rng.choice(["north", f"south {live.HOSTILE}" if evil != "town" else "south"], n),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    frame["y"] = np.where((frame["age"] < 35) ^ (rng.random(n) < 0.2), "yes", "no")
    return from_frame(frame, "y", positive="yes", sensitive=["sex"], name="people")


def conditions_of(data: rl.datasets.Dataset) -> pd.DataFrame:
    return rl.Binarizer(thresholds={"age": [25, 36, 50]}).fit_transform(data.X)


def problem_of(data: rl.datasets.Dataset, **more: Any) -> rl.Problem:
    return rl.Problem.from_arrays(conditions_of(data), data.y, **more)


def searched(data: rl.datasets.Dataset, **more: Any) -> rl.RuleListSearch:
    return rl.search(problem_of(data), **{"regularization": REGULARIZATION, **more})


@pytest.fixture
def make() -> Iterator[Any]:
    """Views that are closed in the end."""
    views: list[WhatIfView] = []

    def view(*arguments: Any, **more: Any) -> WhatIfView:
        views.append(WhatIfView(*arguments, **more))
        return views[-1]

    yield view
    for each in views:
        each.close()


def ready(view: WhatIfView) -> WhatIfView:
    """When the optimizer has ended."""
    wait_until(lambda: not view.refresh(), 0.02)
    return view


def standing(view: WhatIfView) -> dict[str, str]:
    return dict(status(view).figures)


def test_every_edit_counts_anew_and_can_be_taken_back(make) -> None:
    data = table()
    search = searched(data)
    view = ready(make(search, data=data))
    hand = view.hand
    names, conditions = list(search.problem.names), conditions_of(data)
    seen = [hand.edited]
    for wanted in (
        {"do": "insert", "at": 0, "antecedent": names.index("age <= 36")},
        {"do": "insert", "at": 1, "antecedent": 3},
        {"do": "flip", "at": 2},
        {"do": "move", "at": 0, "to": 1},
        {"do": "flip", "at": 0},
        {"do": "delete", "at": 1},
    ):
        view.act(wanted)
        assert hand.edited != seen[-1]
        seen.append(hand.edited)
        scored = hand.model.evaluate(conditions, data.y, regularization=REGULARIZATION)
        assert standing(view)["objective"] == f"{scored.objective:.4f}"
        assert standing(view)["errors"] == str(scored.errors)
        assert [row["counts"].split()[0] for row in only(view, Editor).rules] == [
            str(rule.captured) for rule in (*hand.model.rules, hand.model.default)
        ]
    for before in reversed(seen[:-1]):
        view.undo()
        assert hand.edited == before
    assert widget(view, "Undo").disabled
    for after in seen[1:]:
        view.redo()
        assert hand.edited == after
    assert widget(view, "Redo").disabled


def test_a_message_that_makes_no_sense_changes_nothing(make) -> None:
    view = make(live.small_search())
    view.act({"do": "insert", "at": 0, "antecedent": 2})
    before = view.hand.edited
    for wanted in (
        *(None, {}, {"do": "delete"}, {"do": "delete", "at": 7}, {"do": "delete", "at": True}),
        *({"do": "move", "at": 0, "to": -1}, {"do": "flip", "at": "0"}, {"do": live.HOSTILE}),
        *({"do": "insert", "at": 0, "antecedent": 1000}, {"do": "insert", "at": 5, "antecedent": 0}),
    ):
        send(only(view, Editor), wanted)
        if wanted is not None:
            view.person.enter(wanted)
        assert view.hand.edited == before, wanted


def test_what_cannot_be_put_in_is_said_and_antecedents_are_found_by_all_words(make, monkeypatch) -> None:
    view = make(rl.RuleListSearch(live.problem(), regularization=0.01, max_length=1))
    view.act({"do": "insert", "at": 0, "antecedent": 2})
    view.act({"do": "insert", "at": 1, "antecedent": 2})
    assert "is rule 1 already" in alert(view).phase
    view.act({"do": "insert", "at": 1, "antecedent": 3})
    assert "at most 1 rule; delete one first" in alert(view).phase
    assert len(view.hand.edited) == 1
    hand = Hand(Prepared(searched(table())))
    monkeypatch.setattr(parts, "MOST_FOUND", 2)
    found = parts.matching(hand, "AGE  <")
    assert len(found["items"]) == 2
    assert found["note"] == f"and {sum('age <' in name for name in hand.problem.names) - 2} more: type more of it"
    none = parts.matching(hand, "no such thing")
    assert (none["items"], none["note"]) == ([], "no antecedent has these words")
    place = list(hand.problem.names).index("age <= 36")
    for text in ("age ≤ 36", "age <= 36"):
        assert parts.matching(hand, text)["items"] == [[place, "age ≤ 36"]]


def test_the_best_single_change_leads_downwards_until_there_is_none(make) -> None:
    view = ready(make(searched(table())))
    objectives = [view.hand.objective]
    while True:
        view.hint()
        ready(view)
        if button(view, "Make this change") is None:
            break
        assert "Best of all single changes: " in html(view)
        view.apply_hint()
        objectives.append(view.hand.objective)
        assert objectives[-1] < objectives[-2]
    assert "No single change makes this list better" in html(view)
    assert len(objectives) > 1


def test_a_change_of_other_data_is_no_hint(make, at_work) -> None:
    """The model in hand is the same, as a list of rules without any is, but not the data."""
    view = ready(make(searched(table())))
    view.hand.take(view.hand.bench.empty())
    view.hint()
    other = searched(table(1))
    view.edit(Prepared(other), rl.RuleList.from_problem(other.problem, []))
    wait_until(lambda: not at_work())  # nobody has looked at what was found
    ready(view)
    assert button(view, "Make this change") is None
    assert wording.HINT in html(view)


def test_the_distance_is_said_as_far_as_it_is_known(make) -> None:
    search = searched(table())
    view = make(search)
    assert status(view).phase.endswith("stands here")
    ready(view)
    best = view.hand.best
    assert best.certified
    assert "above the certified optimum, as much as" in status(view).phase
    assert "The certified optimum" not in html(view)
    view.reveal()
    assert "The certified optimum" in html(view)
    found = rl.solve(search)
    again = ready(make(search))
    assert again.hand.edited == EditedList.of(found.incumbent.model)
    assert status(again).phase.startswith("as good as the certified optimum")
    assert again.hand.best.objective == again.hand.objective
    assert float(again.hand.objective) == pytest.approx(found.incumbent.objective, abs=1e-12)
    data = table()
    heavy = problem_of(data, sample_weight=np.full(len(data.y), 1000))
    view = ready(make(rl.RuleListSearch(heavy, regularization=REGULARIZATION)))
    said = status(view).phase.partition("as much as ")[2]
    assert re.fullmatch(r"\d{1,3}(\u202f\d{3})+ wrong rows", said), "many wrong rows are counted out"


def test_without_a_proof_the_bound_is_said(make, monkeypatch) -> None:
    search = live.long_search()
    snapshot = rl.solve(live.long_search(), work_limit=3)
    monkeypatch.setattr(game, "searched", lambda *_: snapshot)
    view = ready(make(search))
    assert not view.hand.best.certified
    assert "the optimum is at most" in status(view).phase
    view.reveal()
    assert "The best list that the search has found" in html(view)


def test_a_list_made_by_hand_is_never_called_optimal(make) -> None:
    data = table()
    search = searched(data)
    rl.solve(search)
    view = ready(make(search, data=data))
    card = view.hand.card()
    assert not card.proof.proven
    assert card.search is None
    assert card.parameters["made"] == "by hand"
    said = card_html.head(card, "A", card.name)
    assert "Made by hand" in said
    assert "Not proven optimal: within 0 of the optimum" in said
    assert "certified" not in said
    view.act({"do": "delete", "at": 0})
    worse = view.hand.card()
    assert worse.proof.gap == pytest.approx(float(view.hand.objective - view.hand.best.objective), abs=1e-12)
    saved = json.loads(view.exports.text("Model (JSON)").getvalue())
    assert saved["card"]["parameters"]["made"] == "by hand"
    assert parse_model(json.dumps(saved)).rules == worse.named.rules
    assert view.exports.text("Rules (text)").getvalue().strip()
    assert made(view.exports.text("Python script").getvalue())["model"] == worse.named


def test_one_person_is_decided_and_flipped(make) -> None:
    data = table()
    search = searched(data)
    view = make(search, data=data)
    place = search.problem.names.index("age <= 36")
    view.act({"do": "insert", "at": 0, "antecedent": place})
    (field,) = view.person.form.fields
    assert (field["name"], field["options"], field["ticked"]) == ("age", None, False)
    view.person.row = 5
    assert view.person.form.fields[0]["value"] == str(data.X["age"].iloc[4])
    (number,) = pn.panel(view.person).select(pn.widgets.IntInput)
    for wrong in (99999, 0, None):
        number.value = wrong
        assert (alert(view.person).phase, view.person.row) == (f"there are rows 1 to {len(data.X)}", 5)
    number.value = 5
    assert alert(view.person).phase == ""
    view.person.enter({"do": "set", "at": 0, "value": "50"})
    assert "Tick the columns" in view.person.said.object
    view.person.enter({"do": "tick", "at": 0, "on": True})
    assert "does not hold, as age is 50" in view.person.said.object
    assert "<b>age</b> were at most 36 instead of 50, this list says <b>yes</b>" in view.person.said.object
    view.person.enter({"do": "set", "at": 0, "value": "old"})
    assert "age: old is no number" in alert(view.person).phase
    view.person.enter({"do": "set", "at": 0, "value": ""})
    assert "age is missing" in view.person.said.object
    view.act({"do": "flip", "at": 0})
    assert "No change of age flips the decision: all 2 combinations" in view.person.said.object


def test_groups_are_those_of_the_predictions_and_of_few_rows_they_make_no_gap(make) -> None:
    data = table(n=400)
    sex = data.sensitive["sex"].astype(object).to_numpy().copy()
    sex[np.flatnonzero(np.asarray(data.y))[:3]] = "few"
    data = replace(data, sensitive=data.sensitive.assign(sex=sex))
    search = searched(data)
    view = make(search, data=data)
    view.act({"do": "insert", "at": 0, "antecedent": search.problem.names.index("age <= 36")})
    view.groups.attribute = "sex"
    found = view.hand.model.evaluate(conditions_of(data), data.y, groups=data.sensitive["sex"])
    rates = found.groups["true_positive_rate"]
    known = rates.drop("few")
    assert rates.max() - rates.min() > known.max() - known.min()
    assert view.groups.gap == pytest.approx(known.max() - known.min())
    assert standing(view)["TPR gap"] == f"{100 * view.groups.gap:.1f} %"
    assert f"{100 * view.groups.gap:.1f}" in html(view.groups), "the table below says the same"
    for each in pn.panel(view).select(pn.widgets.Select):
        assert live.terms_of(each.css_classes), each.label
    assert None not in [by_slug(name) for name in standing(view)]


def test_text_from_data_is_escaped(make) -> None:
    data = table(evil=live.HOSTILE)
    search = searched(data)
    view = ready(make(search, data=data))
    evil = next(j for j, name in enumerate(search.problem.names) if live.HOSTILE in name)
    view.act({"do": "insert", "at": 0, "antecedent": evil})
    view.person.enter({"do": "tick", "at": 0, "on": True})
    view.hint()
    ready(view)
    view.reveal()
    view.room.room, view.room.called = live.HOSTILE, live.HOSTILE
    shown = [str(pane.object) for pane in pn.panel(view).select(pn.pane.HTML)]
    shown += [pane.object for pane in (view.person.said, view.room.board)]
    assert any("&lt;img" in text for text in shown)
    assert not any("<img" in text for text in shown)


def test_who_enters_a_room_sees_the_others(make) -> None:
    data = table()
    one, two, other = (make(searched(data, regularization=price)) for price in (0.01, 0.01, 0.02))
    for view, name in ((one, "Ada"), (two, ""), (other, "Eve")):
        view.room.room, view.room.called = "class 7", name
    one.act({"do": "insert", "at": 0, "antecedent": 0})
    two.room.refresh()
    assert "Ada" in two.room.board.object
    one.room.refresh()
    assert "player " in one.room.board.object
    assert two.room.called == "", "what is being typed there is not written over"
    assert widget(two, "Your name").placeholder in one.room.board.object
    assert "Eve" not in two.room.board.object, "another price of rules is another game"
    reached = {entry.name: entry for _, entry in BOARDS.board("class 7", one.hand.game)}
    first = one.hand.bench.objective(one.hand.bench.empty())
    assert reached["Ada"].objective == min(one.hand.objective, first)
    wait_until(lambda: one.refresh() is False, 0.02)
    one.reveal()
    before = {entry.name: entry for _, entry in BOARDS.board("class 7", one.hand.game)}["Ada"]
    assert before.revealed
    one.act({"do": "insert", "at": 1, "antecedent": 1})
    after = {entry.name: entry for _, entry in BOARDS.board("class 7", one.hand.game)}["Ada"]
    assert after.objective == before.objective, "what is made after the optimum was seen does not count"
    one.close()
    two.room.refresh()
    assert "Ada" not in two.room.board.object
    two.room.room = ""
    assert BOARDS.board("class 7", two.hand.game) == []


def test_who_was_first_in_a_room_ends_the_game_for_all(make) -> None:
    data = table()
    first, second = (make(searched(data)) for _ in range(2))
    for view, name in ((first, "teacher"), (second, "Ada")):
        view.room.room, view.room.called = "class 8", name
        ready(view)
    shown = "certified"
    assert shown not in html(second)
    second.room.end()
    first.room.refresh()
    assert "has ended" not in first.room.board.object, "nobody else can end it"
    first.room.end()
    second.room.refresh()
    for view in (first, second):
        assert "The game has ended" in view.room.board.object
        assert shown in html(view)
    before = [entry.objective for _, entry in BOARDS.board("class 8", first.hand.game)]
    second.act({"do": "insert", "at": 0, "antecedent": 0})
    second.act({"do": "insert", "at": 1, "antecedent": 3})
    assert [entry.objective for _, entry in BOARDS.board("class 8", first.hand.game)] == before
    third = make(searched(data))
    third.room.room = "class 8"
    assert "The game has ended" in third.room.board.object
    for view in (first, second, third):
        view.close()
    again = make(searched(data))
    again.room.room = "class 8"
    assert "The game has ended" not in again.room.board.object, "a room that was left is new"


def test_who_opened_a_room_starts_its_game_alone_reveals_the_optimum_and_resets_it(make) -> None:
    data = table()
    first, second = (make(searched(data)) for _ in range(2))
    for view, name in ((first, "teacher"), (second, "Ada")):
        view.room.room, view.room.called = "class 9", name
        ready(view)
    both = (first, second)

    def offers() -> list[set[str]]:
        for view in both:
            view.room.refresh()
        said = ("Reveal the optimum", "Start the game", "End the game for all", "Reset the room")
        buttons = [[each for each in seen(view) if getattr(each, "label", "") in said] for view in both]
        return [{each.label for each in of if each.visible} for of in buttons]

    def reached() -> dict[str, int]:
        return {entry.name: entry.rules for _, entry in BOARDS.board("class 9", first.hand.game)}

    second.act({"do": "insert", "at": 0, "antecedent": 0})
    assert offers() == [{"Reveal the optimum", "Start the game"}, set()]
    second.reveal()
    assert "certified" not in html(second)
    second.room.start()
    assert len(second.hand.edited) == 1, "nobody else can start it"
    press(first, "Start the game")
    assert offers() == [{"Reveal the optimum", "End the game for all"}, set()]
    assert second.hand.edited == second.hand.bench.empty()
    second.undo()
    assert second.hand.edited == second.hand.bench.empty(), "what was made before does not come back"
    assert reached() == {"teacher": 0, "Ada": 0}
    press(first, "End the game for all")
    assert offers()[0] >= {"Reset the room"}
    assert "The game has ended" in second.room.board.object
    press(first, "Reset the room")
    assert offers() == [{"Reveal the optimum", "Start the game"}, set()]
    assert "Practice" in second.room.board.object
    assert "certified" not in html(second)
    first.close()
    assert offers()[1] == set(), "nobody leads for who has left"
    first = make(searched(data))
    first.room.room, first.room.called = "class 9", "teacher"
    both = (first, second)
    assert "Start the game" in offers()[0]


def test_players_without_a_name_are_numbered_from_1_in_each_room(make) -> None:
    first, second = (make(searched(table())) for _ in range(2))

    def names(room: str) -> set[str]:
        return {entry.name for _, entry in BOARDS.board(room, first.hand.game)}

    for view in (first, second):
        view.room.room = "class 11"
    assert names("class 11") == {"player 1", "player 2"}
    second.room.room = "class 12"
    assert names("class 12") == {"player 1"}
    first.room.start()
    third = make(searched(table()))
    third.room.room = "class 11"
    first.room.refresh()
    assert names("class 11") == {"player 1", "player 3"}, "nobody gets the number of who is there already"


def test_who_leads_a_room_has_its_address_as_a_picture(make) -> None:
    one, two = (make(searched(table())) for _ in range(2))
    for view in (one, two):
        view.room.link = lambda: "http://class/?room=<10>&data=a"
        view.room.room = "class 10"
    one.room.refresh()
    assert "?room=&lt;10&gt;&amp;data=a" in one.room.code.object
    assert len(live.soup(one.room.code.object).find_all("svg")) == 1
    assert two.room.code.object == ""


def test_a_board_keeps_the_best_and_is_bounded(monkeypatch) -> None:
    known = Boards()
    for objective in (5, 3, 4):
        known.put("room", "game", "session", BoardEntry("a" * 99, Fraction(objective, 10), objective))
    ((_, entry),) = known.board("room", "game")
    assert (entry.objective, entry.rules) == (Fraction(3, 10), 3)
    assert len(entry.name) == game.MOST_CHARACTERS
    known.put("room", "game", "session", BoardEntry("b", Fraction(9, 10), 0))
    assert known.board("room", "game")[0][1].name == "b", "who is renamed keeps what was reached"
    monkeypatch.setattr(game, "MOST_PLAYERS", 2)
    known.put("room", "game", 2, BoardEntry("c", Fraction(1), 0))
    with pytest.raises(ValueError, match="take another room"):
        known.put("room", "game", 3, BoardEntry("d", Fraction(1), 0))
    monkeypatch.setattr(game, "MOST_ROOMS", 2)
    for k in range(4):
        known.put(f"room {k}", "game", 0, BoardEntry("e", Fraction(1), 0))
    assert [bool(known.board(f"room {k}", "game")) for k in range(4)] == [False, False, True, True]
    known.leave(0)
    assert known.board("room 3", "game") == []


def test_a_class_searches_once_also_after_one_was_cancelled(monkeypatch) -> None:
    done: list[int] = []
    search_for = game.searched

    def counting(*arguments: Any) -> Any:
        done.append(1)
        return search_for(*arguments)

    monkeypatch.setattr(game, "searched", counting)
    data = table(seed=3)
    first = [find_best(searched(data), 10.0, Progress()) for _ in range(3)]
    assert len(done) == 1
    assert {best.edited for best in first} == {first[0].edited}
    find_best(searched(data, regularization=0.03), 10.0, Progress())
    assert len(done) == 2
    search = searched(table(seed=4))
    gone = Progress()
    gone.cancel()
    with pytest.raises(ValueError, match="cancelled"):
        find_best(search, 10.0, gone)
    assert find_best(search, 10.0, Progress()).certified


QUICK = "data=tic_tac_toe&regularization=0.02&max_conditions=1"


def played(view: WhatIfView) -> None:
    """When the optimizer of a game has ended."""
    wait_until(lambda: not view.refresh() and view.hand is not None and view.hand.best is not None, 0.02)


def test_who_comes_to_a_room_plays_and_sees_nothing_of_the_optimum() -> None:
    tabs = Tabs(Address(f"?tab=Alternatives&{QUICK}&room=class+7"))
    alternatives = tabs.made("Alternatives").view
    view = alternatives.editor
    played(view)
    assert alternatives.playing
    assert (view.room.room, view.hand.edited) == ("class 7", view.hand.bench.empty())
    ((_, entry),) = BOARDS.board("class 7", view.hand.game)
    assert not entry.revealed
    tabs.made("Search").answer()

    def done() -> bool:
        tabs.made("Search").view.refresh()
        return alternatives.found is not None or not (
            alternatives.refresh() or not tabs.made("Search").view.session.state.over
        )

    wait_until(done, 0.02)
    assert alternatives.strip not in seen(alternatives)
    assert status(alternatives) not in seen(alternatives)
    assert view.hand.edited == view.hand.bench.empty(), "what the search has found does not disturb who plays"
    view.reveal()
    ((_, entry),) = BOARDS.board("class 7", view.hand.game)
    assert entry.revealed
    view.pin()
    assert "pinned as A" in html(view)
    (card,) = tabs.made("Compare").view.cards
    assert card.title == "Made by hand"
    press(alternatives, "Leave the game")
    wait_until(lambda: not alternatives.refresh(), 0.02)
    assert BOARDS.board("class 7", view.hand.game) == []
    assert alternatives.strip in seen(alternatives)
    assert not button(alternatives, "Leave the game")
    assert view.hand.edited == view.hand.best.edited
    alternatives.play()
    assert (view.hand, status(view).figures) == (None, []), "the optimum is not in hand any more"
    played(view)
    send(only(alternatives, parts.GoodList), {"at": 0})
    for change in (view.undo, view.redo, view.apply_hint):
        change()
        assert view.hand.edited == view.hand.bench.empty(), "what was in hand before is not taken back"
    assert alternatives.playing
    tabs.made("Compare").view.close()
    alternatives.close()


@pytest.mark.long
def test_a_new_list_in_hand_does_not_throw_the_one_before_away() -> None:
    tabs = Tabs(Address(f"?tab=Alternatives&{QUICK}"))
    alternatives = tabs.made("Alternatives").view
    view = alternatives.editor
    alternatives.play()
    played(view)
    view.act({"do": "insert", "at": 0, "antecedent": 3})
    own, before = view.hand.edited, view.hand.objective
    assert own != view.hand.bench.empty()
    view.play()
    played(view)
    assert view.hand.edited != own
    assert "Undo brings" in only(view, Editor).said
    assert only(view, Editor).said.endswith(wording.worth(view.hand, view.hand.objective))
    assert not widget(view, "Undo").disabled
    view.undo()
    assert (view.hand.edited, view.hand.objective) == (own, before)
    tabs.made("Search").setup.choose(regularization=0.1)
    view.play()
    played(view)
    assert widget(view, "Undo").disabled, "a list of another question does not come back"
    assert only(view, Editor).said == ""
    alternatives.close()


def test_other_families_are_refused_in_words_and_a_problem_and_a_model_are_enough(make) -> None:
    groups = np.array(["a", "b"] * 60)
    problem = rl.Problem.from_arrays(*_arrays(120), groups=groups)
    fair = rl.search(problem, regularization=0.05, fairness=rl.EqualOpportunity(0.1))
    falling = rl.search(live.problem(60, 4), "falling_rule_list", regularization=0.02, method="monte_carlo")
    fair_set = rl.RuleSetSearch(problem, fairness=rl.EqualOpportunity(0.1))
    demanding = rl.search(live.problem(60, 4), regularization=0.02, must_use=["antecedent 1"])
    for search in (fair, falling, demanding, fair_set):
        with pytest.raises(TypeError, match="without a fairness constraint"):
            WhatIfView(search)
        with pytest.raises(ValueError, match="not edited by hand"):
            Hand(Prepared(search))
    with pytest.raises(ValueError, match="either"):
        WhatIfView()
    other = rl.RuleList.from_problem(rl.Problem.from_arrays(*_arrays(20), names=list("wxyz")), [1])
    with pytest.raises(ValueError, match="another problem"):
        WhatIfView(live.small_search(), other)
    with pytest.raises(ValueError, match="of the family rule_list"):
        WhatIfView(rl.RuleSetSearch(problem), other)
    problem = live.problem()
    model = rl.RuleList.from_problem(problem, [2, 0])
    view = make(problem, model, regularization=0.02)
    assert (view.hand.model, view.hand.search.regularization) == (model, 0.02)


def _arrays(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    A = rng.random((n, 4)) < 0.5
    return A, (A[:, 0] ^ (rng.random(n) < 0.2)).astype(int)


def test_a_falling_list_that_does_not_fall_has_no_distance(make) -> None:
    data = table(seed=6)
    problem = problem_of(data)
    view = ready(make(rl.FallingRuleListSearch(problem, regularization=0.01, positive_weight=2.0), data=data))
    hand, names = view.hand, list(problem.names)
    assert hand.best.certified
    view.act({"do": "insert", "at": 0, "antecedent": names.index("age > 36")})
    assert "does not fall: the default has" in status(view).phase
    assert standing(view)["above the best"] == "–"
    view.on_pin = lambda card: "A"
    assert not button(view, KEEP), "what is none has no card"
    view.room.room = "falls"
    assert BOARDS.board("falls", hand.game) == []
    view.act({"do": "flip", "at": 0})
    assert hand.edited == EditedList((names.index("age > 36"),)), "labels follow from what rules capture"
    view.hint()
    ready(view)
    assert "It leaves a list that falls" in html(view)
    view.apply_hint()
    assert not hand.refusal
    assert button(view, KEEP)
    best = hand.best.edited
    hand.take(best)
    view.compare(None)
    assert "as good as the certified optimum: no list" in status(view).phase
    assert json.loads(view.exports.text("Model (JSON)").getvalue())["family"] == "falling_rule_list"
    assert [row["share_positive"] for row in only(view, Editor).rules] == [
        f"{100 * rule.probability:.0f} %" for rule in (*hand.model.rules, hand.model.default)
    ]
    assert not hand.card().proof.proven


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_conditions_of_a_rule_set_are_added_and_taken_out(make, form) -> None:
    data = table(seed=7)
    conditions, problem = conditions_of(data), problem_of(data)
    search = rl.RuleSetSearch(problem, max_complexity=6, max_conditions=2, form=form, regularization=0.5)
    view = ready(make(search, data=data))
    hand = view.hand
    for wanted, clauses in (
        ({"do": "insert", "at": 0, "antecedent": 0}, ((0,),)),
        ({"do": "insert", "at": 0, "antecedent": 4}, ((0, 4),)),
        ({"do": "insert", "at": 1, "antecedent": 2}, ((0, 4), (2,))),
        ({"do": "move", "at": 0, "to": 1}, ((0, 4), (2,))),
        ({"do": "remove", "at": 0, "antecedent": 2}, ((0, 4), (2,))),
        ({"do": "remove", "at": 0, "antecedent": None}, ((0, 4), (2,))),
        ({"do": "remove", "at": 0, "antecedent": 0}, ((4,), (2,))),
    ):
        view.act(wanted)
        assert hand.edited == EditedSet(clauses)
        scored = hand.model.evaluate(conditions, data.y)
        assert hand.objective == Fraction(hand.model.hamming_loss) + Fraction(hand.edited.complexity, 2)
        assert standing(view)["errors"] == str(scored.errors)
        assert standing(view)["complexity"] == str(hand.edited.complexity)
    view.act({"do": "insert", "at": 0, "antecedent": 2})
    view.act({"do": "insert", "at": 0, "antecedent": 1})
    assert "at most 2 conditions" in alert(view).phase
    view.act({"do": "insert", "at": 2, "antecedent": 1})
    assert "at most 6" in alert(view).phase
    assert "above the certified optimum" in status(view).phase
    view.person.enter({"do": "tick", "at": 0, "on": True})
    assert "the set says" in view.person.said.object
    view.hint()
    ready(view)
    before = hand.objective
    view.apply_hint()
    assert hand.objective < before
    view.reveal()
    assert "The certified optimum" in html(view)
    hand.take(hand.best.edited)
    view.compare(None)
    assert "as good as the certified optimum: no set over these conditions" in status(view).phase
    assert parse_model(view.exports.text("Model (JSON)").getvalue()).form == form


def test_closing_ends_the_optimizer(at_work) -> None:
    view = WhatIfView(rl.RuleListSearch(live.problem(1000, 150), 0.0031, beam_width=0))  # none that is known already
    assert at_work()
    view.close()
    wait_until(lambda: not at_work())
