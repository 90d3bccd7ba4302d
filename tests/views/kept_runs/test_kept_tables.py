"""The rows of an uploaded file on the next day: the same data or none, and groups of people with them."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest
from live import (
    BUTTONS,
    HOSTILE,
    alert,
    bring_file,
    button,
    html,
    recorded,
    seen,
    settled,
    small_search,
    status,
    use_file,
    use_roles,
)  # fmt: skip
from live import finish as ended
from model_cards import finish
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.store import StoreError, bundle, data_hash
from rulelab.store.kept_table import packed, unpacked
from rulelab.views.cards.rows import Split
from rulelab.views.cards.scores import of_card
from rulelab.views.cards.verifying import refusal
from rulelab.views.compare.table import MEASURED
from rulelab.views.compare.view import CompareView
from rulelab.views.forms.address import Address
from rulelab.views.forms.data import UPLOADED
from rulelab.views.forms.draft import ALL_CLASSES
from rulelab.views.kept_runs import keeping
from rulelab.views.live.prepared import Prepared
from rulelab.views.pages.tabs import Tabs

SETTINGS = {"regularization": "0.02", "max_conditions": "1", "thresholds": "2", "test_share": "0.25"}


def people(n: int = 240) -> pd.DataFrame:
    """Numbers, Booleans, dates, texts with commas, quotes and nothing, and a weight."""
    rng = np.random.default_rng(3)
    sex, owns = rng.choice(["m", "f"], n), rng.random(n) < 0.5
    paid = np.where(rng.random(n) < 0.2, rng.random(n) < 0.5, owns | (sex == "m"))
    return pd.DataFrame(
        {
            "sex": sex,
            "age": rng.integers(18, 80, n),
            "owns": owns,
            "town": rng.choice(["a,b", 'c"d', "é ü", "001", None], n),
            "weight": rng.integers(1, 4, n),
            "seen": pd.date_range("2020-01-01", periods=n).astype(str),
            "height": rng.normal(1.7, 0.1, n),
            "paid": np.where(paid, "yes", "no"),
        }
    )


RAW = people().to_csv(index=False).encode()
ROLES = [
    {},
    {"sensitive": "sex"},
    {"sensitive": ["sex"], "keep_sensitive": True},
    {"sensitive": ["sex", "owns"], "keep_sensitive": ["owns"], "weight": "weight"},
    {"positive": "no", "excluded": ["town", "seen"]},
    {"sensitive": "town", "dates": "ignore"},
]


@pytest.mark.parametrize("roles", ROLES, ids=str)
def test_a_kept_table_gives_the_same_data(roles) -> None:
    data = rl.datasets.read(RAW, target="paid", name="people", **roles)
    content = packed(data)
    again = unpacked(content, data_hash(data)).dataset()
    pd.testing.assert_frame_equal(again.X, data.X, check_dtype=False)  # years are numbers of fewer bits
    assert again.y.tolist() == data.y.tolist()
    assert (again.positive, again.negative, again.name) == (data.positive, data.negative, "people")
    assert (again.sensitive is None) == (data.sensitive is None)
    assert data.sensitive is None or again.sensitive.equals(data.sensitive)
    assert data.weight is None or again.weight.equals(data.weight)


def test_what_a_text_cannot_hold_is_kept_with_its_types_and_what_is_too_large_not(monkeypatch) -> None:
    several = people().assign(paid=np.resize(["yes", "no", "late"], 240)).drop(columns="seen")
    data = rl.datasets.from_frame(several, "paid", "late", "sex", name="people")
    again = unpacked(packed(data), data_hash(data)).dataset()
    assert (again.positive, again.negative) == ("late", "not late")
    assert data_hash(again) == data_hash(data)
    frame = people().assign(seen=pd.Categorical([f" {k % 3} " for k in range(240)]))
    texts = rl.datasets.from_frame(frame.assign(town=np.resize(["1", "2"], 240)), "paid", name="people")
    kept = unpacked(packed(texts), data_hash(texts))
    assert kept.how == {}, "texts that look like numbers are numbers when they are read"
    assert data_hash(kept.dataset()) == data_hash(texts)
    monkeypatch.setattr("rulelab.store.kept_table.LARGEST_ROWS", 1000)
    assert packed(rl.datasets.read(RAW, target="paid")) is None


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda entry: entry.update(csv=entry["csv"].replace("yes", "no", 1)),
    lambda entry: entry.update(target="age"),
    lambda entry: entry.update(sensitive=["nobody"]),
    lambda entry: entry.update(sensitive="sex"),
    lambda entry: entry.update(sensitive=[["sex"]]),
    lambda entry: entry.update(weight=3),
    lambda entry: entry.update(csv=5),
    lambda entry: entry.update(path="/etc/passwd"),
    lambda entry: entry.pop("positive"),
    lambda entry: entry.update(format="rulelab model"),
]


def test_a_table_that_is_not_what_its_hash_says_is_refused() -> None:
    data = rl.datasets.read(RAW, target="paid", name="people", sensitive="sex")
    for change in CHANGES:
        entry = json.loads(packed(data))
        change(entry)
        with pytest.raises(StoreError, match=r"cannot be read|not what their hash says"):
            unpacked(json.dumps(entry).encode(), data_hash(data))
    for content in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 20_000):
        with pytest.raises(StoreError, match="cannot be read"):
            unpacked(content, "0" * 64)


@pytest.fixture
def recording() -> rl.Recording:
    """The beginning of a run."""
    return recorded(small_search(), work_limit=10)


def test_rows_are_kept_as_long_as_something_names_them(store, tmp_path: Path, recording) -> None:
    data = rl.datasets.read(RAW, target="paid", name="people", sensitive="sex")
    key = data_hash(data)
    first, second = (store.save(recording, data=data, name=name) for name in ("first", "second"))
    assert store.table(key).dataset().sensitive.equals(data.sensitive)
    with rl.store.open(tmp_path / "other.sqlite") as other:
        other.take(store.export(None, [first]))
        assert other.table(key) == store.table(key)
        other.delete(first.hash)
        assert other.table(key).weight is None, "a deleted run can be brought back for a while"
        other.delete(first.hash, forever=True)
        with pytest.raises(StoreError, match="not kept"):
            other.table(key)
    store.delete(first, forever=True)
    store.keep_pins(json.dumps([{"model": {}, "split": {"kept": key}}]))
    store.delete(second, forever=True)
    assert store.table(key).sensitive == ("sex",)
    third = store.save(recording, data=data, name="third")
    store.delete(third, forever=True)
    assert store.table(key).name == "people", "pinned models name it"
    with pytest.raises(StoreError, match="not kept"):
        store.table("0" * 64)


def test_an_archive_with_other_rows_is_refused(store, recording) -> None:
    run = store.save(recording, data=rl.datasets.read(RAW, target="paid", name="people"))
    ((_, files),) = bundle.unpacked(store.export(None, [run]))
    other = packed(rl.datasets.read(RAW.replace(b"yes", b"no", 1), target="paid", name="people"))
    with pytest.raises(StoreError, match="not what their hash says"):
        store.take(bundle.packed([(run, {**files, "table": other})]))


def day(place: Path, **asked: str) -> Tabs:
    """A page of a server that has just begun."""
    rl.views.keep_runs(None)
    rl.views.keep_runs(rl.store.open(place))
    return Tabs(Address(f"?{urlencode({**SETTINGS, **asked})}"))


def settle(tabs: Tabs) -> None:
    wait_until(lambda: not tabs.runs.refresh())


def scored(compare: CompareView) -> None:
    """Wait until the rows of all cards are predicted."""
    finish(compare)
    for shown in compare.cards:
        finish(shown)


def closed(tabs: Tabs, *names: str) -> None:
    """End what goes on in the tabs that were opened."""
    for name in ("Search", *names):
        tabs.made(name).view.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "class.sqlite"
    rl.views.keep_runs(None)


@pytest.mark.long
def test_groups_of_an_uploaded_file_are_there_on_the_next_day(place: Path) -> None:
    tabs = day(place)
    search = tabs.made("Search")
    use_file(search.setup.table, RAW, "people.csv", weight="weight", sex="group", owns="sensitive", seen="ignore")
    ended(search.view)
    settle(tabs)
    run = tabs.runs.run
    before = search.view.best.card_at(search.view.session.snapshot)
    closed(tabs)

    tabs = day(place, tab="Alternatives", run=run)
    search, gate = tabs.made("Search"), threading.Event()
    tabs.runs.run = ""
    keeping.keeper().do(lambda store: gate.wait(PATIENCE))
    tabs.runs.run = run
    assert status(search.view).phase == "opening the kept run ..."
    assert not any(button(search.view, name).able for name in ("Run", "Step"))
    search.view.run_or_pause()
    with pytest.raises(ValueError, match="kept run"):
        search.answer()
    gate.set()
    settle(tabs)
    assert search.view.session.recorded
    assert button(search.view, "Run").able
    own = search.setup.table.own
    assert (own.target, own.positive, own.weight) == ("paid", "yes", "weight")
    assert (own.sensitive, own.kept) == (("sex", "owns"), ("owns",))
    alternatives = tabs.made("Alternatives").view
    search.view.refresh()
    wait_until(lambda: not alternatives.refresh() and alternatives.found is not None, 0.02)
    view = alternatives.editor
    assert view.hand.prepared.attributes == ("sex", "owns")
    assert view.hand.best.certified
    assert view.hand.model.rules == before.model.rules
    alternatives.attribute = "sex"
    assert view.groups.gap is not None
    closed(tabs, "Alternatives")


def typed() -> bytes:
    """Parquet of types that a text does not hold: an order of categories, whole numbers with gaps, digits as text."""
    frame = people()
    frame["height"] = pd.Series(np.where(frame.age % 7 == 0, None, frame.age), dtype="Int64")
    grade = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame["town"] = pd.Series(np.resize(["mid", "low", "high"], len(frame))).astype(grade)
    frame["seen"] = (frame.age % 5).map("0{}".format)
    return frame.to_parquet()


@pytest.mark.long
@pytest.mark.few(3)
@pytest.mark.parametrize("source", ["text", "types", "name"])
def test_a_kept_run_is_opened_with_its_split_its_groups_and_its_proof(place: Path, source: str) -> None:
    tabs = day(place, **({"data": "diabetes"} if source == "name" else {}))
    search = tabs.made("Search")
    if source != "name":
        file = (RAW, "people.csv") if source == "text" else (typed(), "people.parquet")
        use_file(search.setup.table, *file, sex="group", weight="ignore")
    ended(search.view)
    settle(tabs)
    session, run = search.view.session, tabs.runs.run
    assert session.snapshot.status is rl.Status.OPTIMAL
    (row,) = tabs.runs.list.rows
    tabs.made("Compare").view.kept.found = ""
    for _ in range(2):
        search.view.pin()
    (live,) = tabs.made("Compare").view.cards
    assert "pinned already, as A" in alert(search.view).phase
    scored(tabs.made("Compare").view)
    assert live.scores.test is not None
    assert live.scores.groups
    closed(tabs, "Compare")

    tabs = day(place, data="diabetes" if source == "name" else UPLOADED, run=run)
    assert "upload it once more" not in alert(tabs.made("Search").view).phase
    tabs.runs.run = run
    settle(tabs)
    search = tabs.made("Search")
    assert search.view.session.recorded
    assert alert(search.view).phase == ""
    tabs.made("Compare").view.kept.found = ""
    search.view.pin()
    assert alert(search.view).phase == ""
    compare = tabs.made("Compare").view
    scored(compare)
    (back,) = compare.cards
    assert back.scores.test == live.scores.test
    for name, table in live.scores.groups.items():
        pd.testing.assert_frame_equal(back.scores.groups[name], table)
    tabs.runs.act("compare", [row["hash"]])
    settle(tabs)
    assert "pinned already, as A" in tabs.runs.list.said
    check = search.view.certificate.check
    assert check.button.visible
    if source == "name":  # of uploaded rows the proof is checked when the pinned models have come back
        check.press()
        wait_until(lambda: not check.refresh())
        assert check.verdict.startswith("valid: "), check.verdict
    wait_until(lambda: not tabs.runs.refresh() and tabs.runs.pins != "")
    pins, written = tabs.runs.pins, compare.kept.kept
    closed(tabs, "Compare")

    if source != "name":  # the address names the pinned models alone, or the browser kept them
        tabs = day(place)
        compare = tabs.made("Compare").view
        compare.kept.found = "" if source == "text" else written
        if source == "text":
            tabs.runs.pins = pins
        settle(tabs)
        scored(compare)
        (back,) = compare.cards
        assert set(back.scores.groups) == set(live.scores.groups)
        back.verify()
        finish(back)
        assert back.verdict.startswith("valid: "), back.verdict
        closed(tabs, "Compare")
    store = keeping.keeper().store
    for run in store.runs():
        store.delete(run)
    tabs = day(place)
    tabs.runs.pins = pins
    settle(tabs)
    (alone,) = tabs.made("Compare").view.cards
    assert "Run, in the tab Search, searches again: what it proves can be checked" in refusal(alone.card)
    closed(tabs, "Compare")


FAMILIES = {
    "rule list": {},
    "falling rule list": {"family": "falling_rule_list"},
    "soft falling rule list": {"family": "falling_rule_list", "violation_penalty": "0.1"},
    "rule set": {"family": "rule_set", "max_complexity": "4"},
    "fair rule list": {"fairness": "demographic_parity"},
    "rule list of several classes": {},
}


def doors(tabs: Tabs) -> list[Any]:
    """What is offered of the answer that is shown, and what is behind each door: texts, figures and rows."""
    view, alternatives = tabs.made("Search").view, tabs.made("Alternatives").view
    settled(view)
    wait_until(lambda: not alternatives.refresh())
    out: list[Any] = [[each.label for each in seen(view.part("model")) if isinstance(each, BUTTONS)]]
    out += [status(alternatives).phase, None if alternatives.found is None else alternatives.found.frame.to_csv()]
    if "Edit" in out[0]:
        view.ask()
        out.append(html(view.best.person))
        view.ask()
        view.edit()
        wait_until(lambda: not alternatives.refresh() and not alternatives.editor.refresh())
        editor = alternatives.editor
        data = editor.hand.prepared.data
        rows = [data.X.to_csv(), data.y.tolist(), data.sensitive.to_csv(), editor.hand.prepared.test_rows.tolist()]
        out += [status(editor).phase, status(editor).figures, html(editor), *rows]
        editor.act({"do": "delete", "at": 0})
        assert editor.hand.past
        out += [status(editor).phase, status(editor).figures, editor.hand.objective]
        editor.undo()
        out.append(editor.hand.card().proof.proven)
    return out


@pytest.mark.few(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_kept_run_opens_the_doors_of_the_run_that_was_made(place: Path, family: str) -> None:
    tabs = day(place, **FAMILIES[family])
    search = tabs.made("Search")
    several = people().assign(paid=lambda frame: frame["paid"].mask(frame["age"] > 60, "late"))
    raw = several.to_csv(index=False).encode() if family.endswith("classes") else RAW
    bring_file(search.setup.table, raw, "people.csv")
    if family.endswith("classes"):
        draft = search.setup.table.draft
        draft.choose_positive(draft.choices.index(ALL_CLASSES))
    use_roles(search.setup.table, sex="sensitive", weight="ignore")
    ended(search.view)
    settle(tabs)
    fresh, run = doors(tabs), tabs.runs.run
    assert ("Edit" in fresh[0]) == ("One person" in fresh[0]) == (family not in list(FAMILIES)[-2:])
    known = not family.endswith("classes")  # the store keeps rows of two classes
    (row,) = tabs.runs.list.rows
    if known:
        counted = of_card(search.view.best.model_card(), lambda doing: None)
        shares = *(each.rate("accuracy") for each in (counted.test, counted.training)), counted.gap(MEASURED[0]).value
        assert row["sort"][:3] == pytest.approx(shares)
    closed(tabs, "Alternatives")

    tabs = day(place)
    tabs.runs.run = run
    settle(tabs)
    assert tabs.made("Search").view.session.recorded
    assert doors(tabs)[: None if known else 1] == fresh[: None if known else 1]
    said = html(tabs.made("Search").view.part("model"))
    assert ("the rows of this run are not known here any more. Run searches anew." in said) is not known
    closed(tabs, "Alternatives")


def test_a_kept_run_whose_rows_are_others_or_gone_says_so_in_the_place_of_the_buttons(place: Path) -> None:
    tabs = day(place, data="tic_tac_toe")
    search = tabs.made("Search").view
    ended(search)
    settle(tabs)
    model = search.model.proven(replace(search.best.model_card().model.provenance, data="0" * 64))
    card = replace(search.best.model_card(), model=model)
    recipe, recording = tabs.made("Search").setup.recipe(), search.session.recording()
    assert [each[2] for each in keeping.tried(keeping.keeper(), card)] == ["rule list of tic_tac_toe"]
    assert keeping.tried(keeping.keeper(), replace(card, target="another")) == []

    def gone(report: Callable[[str], None]) -> Prepared:
        raise ValueError("the place of the data cannot be reached")

    for source, why in (
        (None, "not known here any more"),
        (recipe, "are others than those"),
        (gone, "cannot be reached"),
    ):
        search.open(recording, "a run", card, source)
        settled(search)
        labels = [each.label for each in seen(search.part("model")) if isinstance(each, BUTTONS)]
        assert not {"Edit", "One person"} & {*labels}
        assert "No Edit, no One person and no Alternatives: the " in html(search.part("model"))
        assert why in html(search.part("model"))
    search.open(recording, "a recording")
    settled(search)
    assert "No Edit" not in html(search.part("model")), "a recording says so itself"
    closed(tabs)


@pytest.mark.long
def test_groups_of_pinned_models_are_there_although_no_search_was_kept(place: Path) -> None:
    tabs = day(place, tab="Alternatives")
    use_file(tabs.made("Search").setup.table, RAW, "people.csv", sex="group")
    view = tabs.made("Alternatives").view.editor
    view.play()
    wait_until(lambda: not view.refresh() and view.hand is not None and view.hand.best is not None, 0.02)
    view.act({"do": "insert", "at": 0, "antecedent": 0})
    compare = tabs.made("Compare").view
    compare.kept.found = ""
    view.pin()
    scored(compare)
    settle(tabs)
    pins, first = tabs.runs.pins, compare.cards[0].scores
    assert list(first.groups) == ["sex"]
    assert keeping.keeper().store.runs() == []
    closed(tabs, "Alternatives", "Compare")

    tabs = day(place, tab="Compare")
    tabs.runs.pins = pins
    settle(tabs)
    compare = tabs.made("Compare").view
    scored(compare)
    (shown,) = compare.cards
    pd.testing.assert_frame_equal(shown.scores.groups["sex"], first.groups["sex"])
    assert shown.scores.test == first.test
    closed(tabs, "Compare")


def test_rows_that_are_not_kept_are_said_to_be_missing(place: Path) -> None:
    rl.views.keep_runs(rl.store.open(place))
    entry = {"data": "people", "n_rows": 240, "kept": "0" * 64}
    assert Split.read({**entry, "kept": HOSTILE}) is None
    assert Split.read({**entry, "kept": 5}) is None
    with pytest.raises(ValueError, match="not kept"):
        Split.read(entry).rows()
    rl.views.keep_runs(None)
    assert Split.read(entry) is None
    assert keeping.keeper() is None
