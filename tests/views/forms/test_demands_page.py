"""What lists and sets must use on the page: fields of texts, what travels with them, and what is proven."""

import json
import re
from functools import cache
from itertools import product
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live import HOSTILE, made, use_file
from patience import PATIENCE, wait_until
from places import cases_beside

import rulelab as rl
from rulelab.families import DEMANDS, MUST_NOT_USE, OFFERED
from rulelab.families.typed import NotReadError, read, written
from rulelab.views.cards import card as cards
from rulelab.views.forms import address
from rulelab.views.kept_runs import keeping
from rulelab.views.live.recorded import RecordedSession
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import State
from rulelab.views.live.wording import standing
from rulelab.views.search.setup import Setup

CASES = cases_beside(__file__)
LABELS = {each.name: each.title for each in (*DEMANDS, MUST_NOT_USE)}
RNG = np.random.default_rng(5)
N = 160
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 60, N),
        "a, b": RNG.integers(0, 3, N),
        "sex": RNG.choice(["f", "m"], N),
        "town": RNG.choice(["x", "y; z"], N),
    }
)
PEOPLE["y"] = np.where((PEOPLE["age"] > 35) ^ ((PEOPLE["sex"] == "m") & (RNG.random(N) < 0.4)), "yes", "no")


def people(**settings: Any) -> Setup:
    """The form, with an uploaded file."""
    setup = Setup()
    use_file(setup.table, PEOPLE.to_csv(index=False).encode(), "people.csv", "yes", y="target", sex="sensitive")
    setup.choose(**{"thresholds": 2, "max_conditions": 1, **settings})
    return setup


def searched(setup: Setup) -> SearchSession:
    session = setup.new_session()
    session.run()
    wait_until(lambda: session.state.over)
    setup.show_refused(session)
    session.close()
    session.join(PATIENCE)
    return session


@given(st.text(st.sampled_from(' ,;"abX:=1≤<>≠and\n'), min_size=1, max_size=12).filter(str.strip))
def test_what_is_written_is_read_again(name: str) -> None:
    for kind, value in (
        ("name", name),
        ("names", [name, "x"] if name != "x" else [name]),
        ("limits", {name: 3} | ({"y": 0} if name != "y" else {})),
        ("directions", {name: "increasing"}),
    ):
        assert read(kind, written(kind, value)) == value


def test_texts_of_names_are_read_and_what_cannot_be_read_is_named() -> None:
    for kind, text, value in CASES["read"]:
        assert read(kind, text) == value
    for kind, text, part in CASES["unread"]:
        with pytest.raises(NotReadError) as caught:
            read(kind, text)
        assert caught.value.part == part


def test_families_show_the_fields_of_what_they_know() -> None:
    setup = Setup()
    for name, family in OFFERED.items():
        setup.family = name
        rare = {each["label"]: each for each in setup.more.cards[3]["fields"]}
        known = {each.name for each in family.parameters}
        assert {label for label in LABELS.values() if label in rare} == {LABELS[n] for n in LABELS if n in known}
        for each in (rare[LABELS[n]] for n in LABELS if n in known):
            assert each["term"], "the glossary explains it"
            assert each["placeholder"].startswith("such as ")
    setup = people(must_use=["age"], max_uses={"age": 2}, must_not_use=["town"])
    setup.family = "rule_set"
    assert (setup.settings.must_use, setup.settings.max_uses) == (["age"], {"age": 2})
    assert setup.settings.must_not_use == ["town"]
    setup.family = "falling_rule_list"
    assert setup.settings.must_not_use == ["town"]


def test_what_cannot_be_read_is_said_at_the_field_and_the_setting_stays() -> None:
    setup = people()
    setup.choose(must_use=["age"])
    for label, text, said in (
        ("Must use", f'age, "{HOSTILE}', f'Must use: “"{HOSTILE}” is not a name, or one in double quotes; write age,'),
        (LABELS["max_uses"], "age", f"{LABELS['max_uses']}: “age” is not a column and a number; write age: 1"),
        (LABELS["max_uses"], "age: 1, age: 1", f"{LABELS['max_uses']}: “age” is there twice"),
    ):
        field = setup.more.find(label)
        field.take(text)
        assert field.state()["value"] == text
        assert field.state()["wrong"].startswith(said)
        assert setup.refusal == field.state()["wrong"]
        field.take("")
        assert setup.refusal == field.state()["wrong"] == ""
        setup.choose(must_use=["age"])
    assert setup.more.find("Must use").state()["value"] == "age"


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("label", "text", "said"),
    [
        ("Must use", "aeg", "“Must use”: no antecedent uses 'aeg'; the nearest: 'age"),
        ("Must use", HOSTILE, f"“Must use”: no antecedent uses '{HOSTILE}'; the nearest:"),
        ("Must not use", "agee", "“Must not use”: no antecedent uses 'agee'; the nearest: 'age"),
        ("Must not use", 'age, sex, town, "a, b"', "“Must not use” leaves out every condition: 'age', 'sex', 'town'"),
        ("First rule", "age > 3", "“First rule”: no antecedent is 'age > 3'; the nearest: 'age >"),
        (LABELS["max_uses"], "ages: 1", f"“{LABELS['max_uses']}”: no antecedent uses 'ages'; the nearest: 'age'"),
        ("Monotone columns", "ages: increasing", "“Monotone columns”: no antecedent uses 'ages'; the nearest: 'age'"),
        ("Monotone columns", "sex: increasing", "“Monotone columns”: 'sex' holds categories"),
    ],
)
def test_what_the_data_do_not_have_is_said_at_the_field_after_run(label: str, text: str, said: str) -> None:
    setup = people()
    field = setup.more.find(label)
    field.take(text)
    assert field.state()["wrong"] == setup.refusal == ""
    session = searched(setup)
    assert session.state is State.FAILED
    assert session.error.startswith(said)
    assert field.state()["wrong"].startswith(said[:100])
    assert len(field.state()["wrong"]) <= 300
    assert setup.refusal == "", "other data may have it"
    setup.choose(test_share=0.2)
    assert (field.state()["wrong"], field.state()["value"]) == ("", text)


def test_what_cannot_be_is_said_in_words() -> None:
    setup = people(must_use=["age"], must_not_use=["age"])
    assert searched(setup).error.startswith("“Must use” and “Must not use” both have 'age'")
    assert setup.more.find("Must use").state()["wrong"]
    setup = people(must_use=["a, b", "age"], max_length=1)
    said = standing(searched(setup)).phase
    assert said == "certified infeasible: no list can use a, b, age and have at most 1 rule; ask for less"
    setup = people(family="rule_set", must_use=["age"], max_uses={"age": 0}, max_complexity=4)
    said = standing(searched(setup)).phase
    assert said == "certified infeasible: no set can use age and have at most 0 conditions on age; ask for less"


ASKED = {"must_use": ["age", "a, b"], "must_not_use": ["town == x"], "first_rule": "sex == m", "max_uses": {"age": 1}}


def test_names_are_in_the_address_and_come_back_from_it() -> None:
    setup = people(**ASKED)
    entries = {name: text for name, text in address.write(*setup.parts).items() if text is not None}
    assert json.loads(entries["must_use"]) == ASKED["must_use"]
    assert entries["first_rule"] == ASKED["first_rule"]
    session = searched(setup)
    assert dict(parse_qsl(session.query)).items() >= {name: entries[name] for name in ASKED}.items()
    again = people()
    assert not again.go_back_to(session.query).replace("a file that was uploaded is not kept", "").startswith("the")
    assert {name: getattr(again.settings, name) for name in ASKED} == ASKED
    assert again.more.find("Must use").state()["value"] == 'age, "a, b"'
    assert again.more.find(LABELS["max_uses"]).state()["value"] == "age: 1"
    for wrong in ("must_use=[1]", 'must_use="a', 'max_uses={"age":-1}', 'max_uses=["age"]', "max_uses=age"):
        other = Setup()
        (complaint,) = address.read(f"?{wrong}", *other.parts)
        assert wrong.partition("=")[0] in complaint
        assert not any(getattr(other.settings, name) for name in ASKED)


def test_an_address_may_have_names_as_they_are_typed() -> None:
    for text, name, value in CASES["typed"]:
        setup = Setup()
        assert address.read(f"?{text}", *setup.parts) == []
        assert getattr(setup.settings, name) == value
        again = Setup()
        query = urlencode({key: entry for key, entry in address.write(*setup.parts).items() if entry is not None})
        assert address.read(f"?{query}", *again.parts) == []
        assert getattr(again.settings, name) == value


def test_a_recording_says_what_was_left_out_as_the_run_did() -> None:
    asked = {"family": "rule_set", "monotone": {"age": "increasing"}, "must_not_use": ["town", "sex == m"]}
    session = searched(people(**asked))
    before = standing(session).phase
    assert "without town, sex == m" in before
    read_again = rl.Recording.from_bytes(session.recording().to_bytes())
    assert (read_again.left_out, dict(read_again.directions)) == (("town", "sex == m"), {"age": "increasing"})
    assert before in standing(RecordedSession(read_again, "a run", "rule_set")).phase
    bare = searched(people(family="rule_set")).recording()
    assert (bare.left_out, bare.directions) == ((), ())
    assert "without" not in standing(RecordedSession(bare, "a run", "rule_set")).phase


def test_a_search_with_demands_leaves_no_choice_of_policy_and_bounds() -> None:
    setup = people(policy="curiosity", bounds=["lookahead"], must_use=["age"])
    fields = {each["label"]: each for each in setup.more.cards[0]["fields"] if each["shown"]}
    assert fields["Order of the queue"]["off"] == "It can only be this where a list has to obey."
    assert "Bounds in use" not in fields
    session = searched(setup)
    assert standing(session).phase.startswith("certified optimal among the lists that use age")
    setup.choose(must_use=None)
    fields = {each["label"]: each for each in setup.more.cards[0]["fields"] if each["shown"]}
    assert (fields["Order of the queue"]["off"], fields["Bounds in use"]["value"]) == ("", ["lookahead"])
    assert setup.recipe()["policy"] == "curiosity"


@pytest.mark.parametrize(
    "settings",
    [
        {"family": "rule_list", **ASKED, "must_use": ["a, b"]},
        {"family": "rule_list", "must_not_use": ["age", "sex == m and town == x"], "max_conditions": 2},
        {"family": "rule_set", "must_use": ["a, b"], "must_not_use": ["town"], "max_uses": {"age": 1}},
        {"family": "falling_rule_list", "must_not_use": ["age", "town == x"]},
    ],
)
def test_the_code_of_a_card_makes_the_model_that_obeys(settings: dict[str, Any], tmp_path, monkeypatch) -> None:
    if settings["family"] == "rule_list":
        settings = {"regularization": 0.005, **settings}
    session = searched(people(**settings))
    assert session.error is None
    card = cards.of_search(session.search, session.snapshot, session.prepared)
    for name in ASKED:
        if settings.get(name):
            kind = next(each.kind for each in (*DEMANDS, MUST_NOT_USE) if each.name == name)
            assert keeping.settings_in_words(session)[LABELS[name]] == written(kind, settings[name])
    for words in (*settings["must_not_use"], *settings.get("must_use", ())):
        assert words in card.proof.scope
        assert words in standing(session).phase
    (tmp_path / "people.csv").write_text(PEOPLE.to_csv(index=False))
    monkeypatch.chdir(tmp_path)
    script = made(card.code)
    assert script["problem"].fingerprint == session.search.problem.fingerprint
    assert script["last"].incumbent.objective == session.snapshot.incumbent.objective
    assert script["model"] == card.model


WISHES = {"must_use": ["a, b", "age"], "must_not_use": ["town == x"], "first_rule": "sex == m", "max_uses": {"age": 0}}


@cache
def form(family: str) -> Setup:
    """One that is filled in anew for each question."""
    return people(family=family)


SOME = [asked for asked in product([False, True], repeat=4) if sum(asked) % 2 == 0]
"""Any three of the four wishes are there in every way."""


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("fairness", "max_length"), [("none", 1), ("none", 2), ("demographic_parity", None), ("demographic_parity", 2)]
)
@pytest.mark.parametrize("asked", SOME)
def test_lists_of_the_page_obey_demands(asked: tuple[bool, ...], fairness: str, max_length: int | None) -> None:
    """The reference of all lists is in `crossed_cases`; here the page leads to the right search, and its proof."""
    wishes = {name: wish for (name, wish), on in zip(WISHES.items(), asked, strict=True) if on}
    own = {"max_length": max_length, "regularization": 0.005 if fairness == "none" else 0.01}
    setup, nothing = form("rule_list"), dict.fromkeys(WISHES)
    setup.choose(**{**nothing, **wishes}, **own, fairness=fairness, tolerance=0.3, min_group_size=5)
    session = searched(setup)
    search, snapshot = session.search, session.snapshot
    assert session.error is None
    assert search.problem.left_out == tuple(wishes.get("must_not_use", ()))
    needed = len(wishes.get("must_use", ())) + ("first_rule" in wishes)  # a rule for each, of one column
    if {"must_use", "max_uses"} <= set(wishes) or needed > (max_length or needed):
        assert snapshot.status is rl.Status.INFEASIBLE
        assert re.fullmatch("certified infeasible: no list can .*; ask for less", standing(session).phase)
        return
    assert snapshot.status is rl.Status.OPTIMAL
    model = snapshot.incumbent.model
    if fairness == "none":
        X, y = PEOPLE.drop(columns="y"), (PEOPLE["y"] == "yes").astype(int)
        by_hand = rl.RuleListClassifier(thresholds=2, max_conditions=1, **own, **wishes).fit(X, y)
        assert snapshot.incumbent.objective == by_hand.objective_
        assert keeping.is_provable(session), "a proof is kept of lists of limited length, too"
        card = cards.of_search(search, snapshot, session.prepared)
        proof = keeping.prove(session.prepared, card)
        assert rl.verify(proof.origin.problem(X, y), card.named, proof).valid
    else:
        plain = max_length is None and not set(wishes) - {"must_not_use"}
        assert type(search) is (rl.engines.FairRuleListSearch if plain else rl.engines.ConstrainedRuleListSearch)
        assert rl.verify(search.problem, model, search.certificate()).valid
    used = [c.column for rule in model.rules for c in search.problem.conditions[rule.antecedent]]
    assert set(wishes.get("must_use", ())) <= set(used)
    assert wishes.get("first_rule") in (None, *model.antecedent_names[:1])
    assert all(used.count(column) <= most for column, most in wishes.get("max_uses", {}).items())
    assert len(model) <= (max_length or len(model))


@pytest.mark.few(5)
@pytest.mark.parametrize("asked", list(product([False, True], repeat=3)))
@pytest.mark.parametrize("fairness", ["none", "equal_opportunity"])
def test_sets_of_the_page_obey_demands_and_fairness_together(asked: tuple[bool, ...], fairness: str) -> None:
    names = ("must_use", "must_not_use", "max_uses")
    wishes = {name: {**WISHES, "max_uses": {"age": 1}}[name] for name, on in zip(names, asked, strict=True) if on}
    parameters = {"max_complexity": 6, "max_conditions": 2, "min_group_size": 5, **wishes}
    setup = form("rule_set")
    setup.choose(**dict.fromkeys(names), fairness=fairness, tolerance=0.2)
    setup.choose(**parameters)
    session = searched(setup)
    assert session.error is None
    snapshot, problem = session.snapshot, session.search.problem
    assert snapshot.status is rl.Status.OPTIMAL
    criterion = None if fairness == "none" else rl.EqualOpportunity(0.2)
    by_hand = rl.RuleSetClassifier(**parameters, fairness=criterion, thresholds=2)
    X, y = PEOPLE.drop(columns="y"), (PEOPLE["y"] == "yes").astype(int)
    by_hand.fit(X, y, **({} if criterion is None else {"sensitive_features": X["sex"]}))
    assert snapshot.incumbent.objective == by_hand.objective_
    used = [problem.conditions[j][0] for clause in snapshot.incumbent.model.rules for j in clause.antecedents]
    assert {c.column for c in used} >= set(wishes.get("must_use", ()))
    assert not {str(c) for c in used} & set(wishes.get("must_not_use", ()))
    for column, most in wishes.get("max_uses", {}).items():
        assert sum(c.column == column for c in used) <= most
    proof = session.search.certificate()
    assert rl.verify(problem, snapshot.incumbent.model, proof).valid


def test_a_list_of_predictive_parity_knows_no_demands_and_says_so_at_their_fields() -> None:
    wishes = {"must_use": ["age"], "first_rule": "sex == m", "max_uses": {"age": 1}, "max_length": 2}
    setup = people(**wishes, must_not_use=["town"])
    setup.choose(fairness="predictive_parity", tolerance=0.3, min_group_size=5)
    for label in ("Must use", "First rule", LABELS["max_uses"], "Rules, at most", "Monotone columns"):
        state = setup.more.find(label).state()
        off = "It can only be this where a list has to be of predictive parity."
        assert (state["value"], state["off"]) == ("", off)
    assert setup.more.find("Must not use").state()["off"] == ""
    session = searched(setup)
    assert session.snapshot.status is rl.Status.OPTIMAL
    assert isinstance(session.search, rl.engines.FairRuleListSearch)
    assert session.search.problem.left_out == ("town",)
    assert rl.verify(session.search.problem, session.snapshot.incumbent.model, session.search.certificate()).valid
    setup.choose(fairness="none")
    assert {name: setup.recipe()[name] for name in wishes} == wishes
    assert searched(setup).search.parameters["must_use"] == ["age"]
