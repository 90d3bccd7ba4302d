"""The page under wrong input: numbers of its address and uploads that cannot be read are complained about."""

import gzip
import io
import random
import re
from typing import Any

import pandas as pd
import param
import pytest
from live import HOSTILE, alert, bring_file, send
from places import cases_beside

import rulelab as rl
from rulelab.datasets import reader
from rulelab.families import FAMILIES, TIME
from rulelab.views.forms import address
from rulelab.views.forms.address import Address, Part
from rulelab.views.forms.controls import read as numbers_read
from rulelab.views.forms.controls import shown
from rulelab.views.live.state import State
from rulelab.views.pages.tabs import SearchTab
from rulelab.views.search.setup import Setup
from rulelab.views.widgets.field_cards import FieldCards
from rulelab.views.widgets.html import Press

CSV = b"colour,size,ok\n" + b"".join(b"red,%d,yes\nblue,%d,no\n" % (i, 10 - i) for i in range(10))


def numeric(part: Part) -> list[str]:
    return [name for name in part.names if isinstance(part.owner.param[name], param.Number)]


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "-1", "1e400", "many", "true", "[1]", "null", ""])
def test_no_number_of_the_address_takes_what_it_cannot_mean(text) -> None:
    parts = Setup().parts
    shown = [part for part in parts if part.shown()]
    assert sum(len(numeric(part)) for part in shown) >= 5
    for part in shown:
        for name in numeric(part):
            before = getattr(part.owner, name)
            if text == "null" and part.owner.param[name].allow_None:
                continue
            complaints = address.read(f"?{name}={text}", *parts)
            assert getattr(part.owner, name) == before, name
            assert len(complaints) == (1 if text else 0), name
            assert all(name in complaint for complaint in complaints)


RECORDS = {each.name: each for family in [*FAMILIES.values()][::-1] for each in (*family.parameters, TIME)}


@pytest.mark.parametrize(
    ("name", "text", "said"), [*cases_beside(__file__), ("time_limit", HOSTILE, "is not a number")]
)
def test_a_number_that_cannot_be_read_is_complained_about_at_its_field(name, text, said) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        numbers_read(RECORDS[name], text)


def test_numbers_are_read_and_shown_and_every_default_is_a_text_that_means_it() -> None:
    for name, text, value in (
        ("regularization", " .02 ", 0.02),
        ("regularization", "1e-3", 0.001),
        ("thresholds", "7.0", 7),
        ("memory_limit", "50", 50_000_000),
        ("memory_limit", "", None),
        ("time_limit", "", None),
        ("violation_penalty", "", None),
        ("violation_penalty", "0.5", 0.5),
    ):
        assert numbers_read(RECORDS[name], text) == value
        assert numbers_read(RECORDS[name], shown(RECORDS[name], value)) == value
    for each in (parameter for family in FAMILIES.values() for parameter in family.parameters):
        if each.kind in ("whole", "number", "fraction", "size"):
            assert numbers_read(each, shown(each, each.default)) == each.default


def seen(form: FieldCards, label: str) -> dict[str, Any]:
    """What the browser shows of a field."""
    return next(each for card in form.cards for each in card["fields"] if each["label"] == label)


def write(form: FieldCards, label: str, text: Any) -> None:
    send(form, {"key": seen(form, label)["key"], "value": text})


def test_nothing_runs_before_a_field_is_mended() -> None:
    tab = SearchTab(Address())
    setup, view = tab.setup, tab.view
    form, label = setup.more, "Least support"
    write(form, label, "25%")
    assert "write 0.25" in seen(form, label)["wrong"]
    assert seen(form, label)["value"] == "25%"
    assert setup.settings.min_support == 0.01
    for button in (view.run, view.step):
        button()
        assert view.session.state is State.IDLE
        assert "Least support" in alert(view).phase
    bar = view.part("controls")
    assert bar is not None
    buttons = {each.label: each for each in bar.select(Press)}
    assert not buttons["Run"].able
    assert not buttons["Step"].able
    (hint,) = bar.select(lambda each: "rl-hint" in getattr(each, "css_classes", ()))
    assert "Mend the field that is marked." in hint.object
    assert view.part("status").phase.startswith("not ready: a field is wrong")
    write(form, label, HOSTILE)
    assert "<img" not in hint.object
    assert "<img" in seen(form, label)["wrong"], "it is shown as text"
    setup.family = "rule_set"
    assert (setup.refusal, view.refusal, alert(view).phase) == ("", "", "")
    setup.family = "rule_list"
    assert "Least support" in view.refusal
    setup.settings.min_support = 0.25
    assert (seen(form, label)["value"], seen(form, label)["wrong"], setup.refusal) == ("0.25", "", "")
    write(form, label, "2")
    assert setup.refusal
    write(form, label, "0.25")
    assert (setup.refusal, view.refusal, hint.object) == ("", "", "")
    assert buttons["Run"].able
    view.close()


def test_what_no_field_could_send_changes_nothing() -> None:
    setup = Setup()
    before = setup.more.cards
    for each in [one for card in before for one in card["fields"]]:
        for value in (HOSTILE, 3, None, [HOSTILE], {"a": 1}):
            if not (each["kind"] == "number" and isinstance(value, str)) and not (
                each["kind"] == "switches" and isinstance(value, list)
            ):
                send(setup.more, {"key": each["key"], "value": value})
    for message in (None, [], {"key": "9.9", "value": True}, {"key": 3}, {}):
        send(setup.more, message)
    assert setup.more.cards == before


def test_a_choice_and_a_switch_are_set_and_follow() -> None:
    setup = Setup()
    write(setup.more, "Order of the queue", "curiosity")
    write(setup.more, "Negate categories", False)
    assert (setup.settings.policy, setup.settings.negations) == ("curiosity", False)
    setup.settings.policy = "objective"
    assert seen(setup.more, "Order of the queue")["value"] == "objective"
    assert not seen(setup.more, "Largest difference (ε)")["shown"]
    write(setup.more, "Fairness", seen(setup.more, "Fairness")["options"][1])
    assert seen(setup.more, "Largest difference (ε)")["shown"]


def test_messages_of_the_engines_speak_of_the_fields() -> None:
    for settings, said in (
        ({"min_support": 0.9, "max_support": 0.1}, "“Least support” <= “Largest support”"),
        ({"min_support": 0.98}, "“Least support”"),
    ):
        setup = Setup()
        setup.choose(**settings)
        with pytest.raises(ValueError, match=re.escape(said)) as told:
            setup.recipe()(lambda doing: None)
        assert "_" not in str(told.value)


@pytest.mark.parametrize(
    ("contents", "name"),
    [
        (b"", "a.csv"),
        (bytes(range(256)), "a.csv"),
        pytest.param(gzip.compress(CSV)[:-12], "a.csv.gz", marks=pytest.mark.long),
    ],
)
def test_an_upload_that_cannot_be_read_is_an_alert(contents, name) -> None:
    setup = Setup()
    before = setup.table.data
    bring_file(setup.table, contents, name)
    assert name in setup.table.complaint
    assert setup.table.complaint.endswith("The data are as before.")
    assert (setup.table.draft, setup.table.pending) == (None, False)
    assert (setup.table.data, setup.table.own) == (before, None)


@pytest.mark.parametrize(
    "contents", [gzip.compress(CSV), pd.read_csv(io.BytesIO(CSV)).to_parquet()], ids=["gzip", "parquet"]
)
def test_damaged_bytes_are_read_or_refused_and_nothing_else(contents) -> None:
    rng = random.Random(0)
    for _ in range(400):
        damaged = bytearray(contents)
        for _ in range(rng.choice([1, 2, 5])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            reader.sheet(bytes(damaged), name="a file")
        except rl.datasets.DatasetError:
            continue


def test_bytes_of_which_nothing_can_be_read_are_refused() -> None:
    for contents in (
        b"\x1f\x8b",
        b"\x1f\x8b\x08\xff" + b"\0" * 20,
        b"\x1f\x8b" + b"no gzip at all",
        gzip.compress(CSV)[:40] + b"\0" * 20,
        gzip.compress(b""),
        gzip.compress(bytes(range(256))),
        b"PAR1",
        b"PAR1" + b"\0" * 50 + b"PAR1",
    ):
        with pytest.raises(rl.datasets.DatasetError):
            reader.sheet(contents, name="a file")


def test_views_of_something_else_say_what_they_show() -> None:
    with pytest.raises(TypeError, match="search must be a rulelab search"):
        rl.views.SearchView(5)
    with pytest.raises(ValueError, match="either"):
        rl.views.SearchView()
    with pytest.raises(TypeError, match="model must be a rulelab model"):
        rl.views.ModelCard(5)
    with pytest.raises(TypeError, match=r"sweeps must be a rulelab\.Sweep"):
        rl.views.FrontView(5)
    with pytest.raises(TypeError, match="kept must be what the page keeps"):
        rl.views.CompareView(5)
