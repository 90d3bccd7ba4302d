"""One list of several classes on the page: its data, its form, its run, its tables and files; without a browser."""

import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import live
import numpy as np
import pandas as pd
import panel as pn
import pytest
from live import (
    HOSTILE,
    alert,
    awaited,
    bring_file,
    export_menu,
    exported,
    finish,
    html,
    made,
    model_html,
    status,
    widget,
)
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.cli import main
from rulelab.families import EVERY_FAMILY, OF_SEVERAL, OFFERED
from rulelab.families.account import account
from rulelab.views.cards import card_file as pins
from rulelab.views.cards import html as card_html
from rulelab.views.cards import scores
from rulelab.views.cards.card import Card
from rulelab.views.cards.differences import remarks
from rulelab.views.cards.exports import FORMS
from rulelab.views.cards.report import report
from rulelab.views.cards.rule_tables import class_tables, confusions, confusions_of
from rulelab.views.cards.scores import figures
from rulelab.views.compare.view import CompareView
from rulelab.views.forms.address import Address
from rulelab.views.forms.data import UPLOADED
from rulelab.views.forms.data_settings import DataSettings
from rulelab.views.forms.draft import ALL_CLASSES, Draft
from rulelab.views.kept_runs.keeping import Keeper, evidence
from rulelab.views.kept_runs.runs import KeptRuns
from rulelab.views.pages.tabs import Tabs
from rulelab.views.search.setup import Setup
from rulelab.views.search.view import SearchView
from rulelab.views.widgets.html import LiveText

NAME = "multi_class_rule_list"
SETTINGS = {"thresholds": 3, "max_conditions": 1, "regularization": 0.02}


def table(rows: int = 150) -> pd.DataFrame:
    """Three kinds that two columns tell apart, nearly."""
    rng = np.random.default_rng(3)
    length, width = rng.integers(0, 60, rows) / 10, rng.integers(0, 30, rows) / 10
    kind = np.where(length < 2, HOSTILE, np.where(width > 1.5, "wide", "thin")).astype(object)
    odd = rng.random(rows) < 0.06
    kind[odd] = rng.choice(["wide", "thin"], odd.sum())
    return pd.DataFrame({"length": length, "width": width, "site": rng.choice(["a", "b"], rows), "kind": kind})


CSV = table().to_csv(index=False).encode()


def use_all(settings: DataSettings, contents: bytes = CSV, **roles: str) -> None:
    """Upload a file of which all classes are predicted."""
    bring_file(settings, contents, "kinds.csv")
    draft = settings.draft
    assert draft is not None, settings.complaint
    for column, role in {"kind": "target", **roles}.items():
        draft.give(column, role)
    draft.choose_positive(draft.choices.index(ALL_CLASSES))
    settings.accept()


@pytest.fixture
def setup() -> Setup:
    setup = Setup()
    use_all(setup.table)
    setup.choose(**SETTINGS)
    return setup


@pytest.fixture
def view(setup: Setup, show) -> SearchView:
    return show(new_session=setup.new_session, on_pin=lambda card: "A")


def test_a_target_of_three_classes_offers_all_of_them_in_one_list_and_one_of_two_does_not() -> None:
    draft = Draft(CSV, "kinds.csv")
    draft.give("kind", "target")
    assert (draft.choices[-1], len(draft.choices)) == (ALL_CLASSES, 4)
    assert draft.state()["positive"] < 3
    draft.choose_positive(3)
    state = draft.state()
    json.dumps(state)
    assert state["positive"] == 3
    assert any("counted together" in remark for remark in state["remarks"])
    draft.give("site", "target")
    assert [choice.partition(" (")[0] for choice in draft.choices] == ["a", "b"]
    assert draft.state()["positive"] < 2
    assert not draft.every, "the choice is gone with the classes"


def test_the_choice_can_be_undone_in_the_sheet_that_is_opened_again(setup: Setup) -> None:
    assert setup.table.several is not None
    assert "all 3 classes in one list" in html(pn.Column(*setup.table.fields))
    setup.table.reopen()
    draft = setup.table.draft
    assert draft.state()["positive"] == 3
    draft.choose_positive(draft.classes.index("wide"))
    setup.table.accept()
    assert setup.table.several is None
    assert setup.family == "rule_list"
    assert setup.recipe()(lambda doing: None).search.family == "rule_list"


def test_weights_have_to_be_whole() -> None:
    settings = DataSettings()
    heavy = table().assign(n=np.where(np.arange(150) % 2, 0.5, 2))
    bring_file(settings, heavy.to_csv(index=False).encode(), "kinds.csv")
    use = settings.draft
    use.give("kind", "target")
    use.give("n", "weight")
    use.choose_positive(3)
    settings.accept()
    assert "whole numbers" in use.error
    assert settings.several is None


def test_only_a_list_of_several_classes_can_have_such_data_and_it_is_said_why(setup: Setup) -> None:
    assert (setup.family, list(widget(setup, "Model family").options.values())) == (NAME, [NAME])
    assert "fairness" in html(setup.data_card)
    labels = {each["label"] for card in setup.more.cards for each in card["fields"]}
    assert "Support within a class" not in labels, "no class is told from the rest"
    assert not any("Fairness" in label for label in labels)
    setup.table.data = "diabetes"
    assert setup.family == "rule_list"
    assert set(widget(setup, "Model family").options.values()) == set(OFFERED)
    assert "fairness" not in html(setup.data_card)
    setup.family = "falling_rule_list"
    setup.table.data = UPLOADED
    assert setup.family == NAME
    setup.table.data = "diabetes"
    assert setup.family == "falling_rule_list", "it comes back"


def test_an_address_that_asks_for_it_without_its_data_is_answered_in_words(setup: Setup) -> None:
    without = Setup()
    address = Address(f"?family={NAME}&regularization=0.05")
    assert address.follow(*without.parts) == []
    assert without.family == NAME
    assert "upload it" in without.refusal
    without.family = "rule_set"
    assert without.refusal == ""
    query = setup.new_session().query
    assert query is not None
    setup.choose(family=NAME, regularization=0.2, max_length=1)
    assert setup.go_back_to(query) == ""
    assert (setup.settings.regularization, setup.settings.max_length) == (0.02, None), "those of a run come back"


def test_the_page_finds_what_the_library_finds(view: SearchView, tmp_path: Path, capsys: Any) -> None:
    """And shows it with its classes, as text; its files are read again and verified."""
    snapshot = finish(view).session.snapshot
    assert view.session.error is None
    best = snapshot.incumbent
    assert best is not None
    assert snapshot.status is rl.Status.OPTIMAL
    frame = table()
    conditions = rl.Binarizer(thresholds=3).fit_transform(frame.drop(columns="kind"))
    problem = rl.MultiClassProblem.from_antecedents(rl.mine_antecedents(conditions, max_conditions=1), frame["kind"])
    own = rl.solve(rl.engines.MultiClassRuleListSearch(problem, 0.02))
    assert best.model == own.incumbent.model
    assert "certified optimal: no rule list of several classes" in status(view).phase
    assert live.boxes(view)[0].pane.object is live.gap_figure(view)
    assert "lists of at most" in account(view.session.search, snapshot).search_space
    shown = model_html(view)
    for part in ("The optimal rule list of several classes", "&lt;img", "Training rows by class"):
        assert part in shown
    for part in ("<img", "Test rows"):
        assert part not in shown
    assert f"{best.errors} errors / 150 rows" in shown.replace("\u202f", " ")
    assert best.model.errors == confusions(best.model).sum() - np.trace(confusions(best.model))
    assert confusions(best.model).sum(axis=1).tolist() == view.session.search.problem.counts.sum(axis=0).tolist()
    assert "Model (JSON)" in export_menu(view)[1]
    assert "are of two classes" in told(view), "what is not offered"
    assert "Tree" not in view.why.strip.names
    (tmp_path / "kinds.csv").write_bytes(CSV)
    (tmp_path / "model.json").write_bytes(exported(view, "Model (JSON)"))
    (tmp_path / "proof.npz").write_bytes(exported(view, "Proof"))
    assert rl.load_model(tmp_path / "model.json") == best.model
    assert main(["verify", *(str(tmp_path / name) for name in ("kinds.csv", "model.json", "proof.npz"))]) == 0
    assert "optimal" in capsys.readouterr().out
    for form in FORMS:
        assert exported(view, form).strip()


def test_rows_kept_out_have_a_table_and_a_class_that_they_alone_have_is_wrong(view: SearchView, setup: Setup) -> None:
    setup.choose(regularization=0.2)
    view.reset()
    snapshot = finish(view).session.snapshot
    counts = view.session.search.problem.counts.sum(axis=0)
    most = int((counts.sum() - counts.max()) / counts.sum() / 0.2)
    assert 1 < most < 10
    said = account(view.session.search, snapshot).search_space
    assert f"at most {most} rules" in said, "as the errors of the default pay for"
    setup.choose(regularization=0.02, test_share=0.3)
    view.reset()
    finish(view)
    rows, model = view.session.prepared.classes, view.session.snapshot.incumbent.model
    assert len(rows.test) == 45
    assert "Test rows by class" in model_html(view)
    found = confusions_of(model, rows)
    frame = table().iloc[rows.test]
    predicted = model.predict(frame.drop(columns="kind"))
    assert np.trace(found) == (predicted == frame["kind"].to_numpy()).sum()
    assert found.sum() == 45
    assert "Proof" not in export_menu(view)[1]
    assert "kept out" in told(view)
    labels = rows.labels.copy()
    labels.iloc[rows.test[:2]] = "new"
    changed = replace(rows, labels=labels)
    assert confusions_of(model, changed).sum() == 43
    assert "2 test rows are of classes that no training row has" in class_tables(model, changed)
    score = scores.of_card(replace(pinned(setup), classes=changed), lambda doing: None).test
    right = (model.predict(table().iloc[rows.test[2:]]) == table()["kind"].iloc[rows.test[2:]]).sum()
    assert dict(score.outcomes) == {"right": right, "wrong": 45 - right}


def test_the_page_goes_on_while_the_proof_is_made_and_says_why_there_is_none(view: SearchView, monkeypatch) -> None:
    finish(view)
    search = view.session.search
    may, made = threading.Event(), search.certificate
    monkeypatch.setattr(search, "certificate", lambda: may.wait(PATIENCE) and made())
    proof = export_menu(view)[1]["Proof"]

    async def pressed() -> bytes:
        task = asyncio.create_task(proof.callback())
        while "being made" not in told(view):
            await asyncio.sleep(0.01)
        view.refresh()
        assert proof.disabled
        assert not task.done()
        may.set()
        return (await task).getvalue()

    assert awaited(pressed()).startswith(b"PK")
    assert not proof.disabled
    assert "being made" not in told(view)
    search.max_length = 3
    monkeypatch.undo()
    with pytest.raises(rl.errors.CertificateError):
        awaited(proof.callback())
    assert any("No proof: there is no certificate" in each.phase for each in view.part("model").select(LiveText))
    assert "being made" not in told(view)


def told(view: SearchView) -> str:
    """What is said under the model, such as why something cannot be saved."""
    return html(view.part("model"), hidden=True)


def pinned(setup: Setup, **settings: Any) -> Card:
    """The card that is pinned of a run with these settings."""
    setup.choose(**settings)
    taken: list[Card] = []
    view = SearchView(new_session=setup.new_session, speed="full speed")
    view.on_pin = lambda card: taken.append(card) or "A"  # type: ignore[func-returns-value]
    try:
        finish(view).pin()
        assert alert(view).phase == ""
    finally:
        view.close()
    return taken[0]


def test_a_pinned_list_has_figures_of_all_classes(setup: Setup) -> None:
    """Counted here anew from the rows: what has a positive class is not told of it, accuracy and tables are."""
    setup.choose(test_share=0.3)
    card = pinned(setup)
    assert (card.title, card.target) == ("kinds", "kind")
    assert card.proof.proven
    assert card.classes is not None
    shown = scores.of_card(card, lambda doing: None)
    frame = table()
    for score, rows in ((shown.training, card.classes.training), (shown.test, card.classes.test)):
        right = (card.model.predict(frame.iloc[rows]) == frame["kind"].iloc[rows]).sum()
        assert score.rate("accuracy") == right / len(rows)
        assert dict(score.outcomes) == {"right": right, "wrong": len(rows) - right}
        assert np.isnan([score.rate(name) for name in ("true_positive_rate", "precision", "selection_rate")]).all()
    assert repr(scores.of_counts(card).training) == repr(shown.training), "of which some rates are nan"
    told = {figure.name: [value.small for value in figure.values] for figure in figures(card, shown)}
    assert told["recall"] == told["AUC"] == ["of two classes only"] * 2
    for page in (card_html.sections(card, shown, card_html.ALONE)["by_class"].html, report([card], [shown])):
        assert "Training rows by class" in page
        assert "Test rows by class" in page
        assert HOSTILE not in page
    assert f"predicts kind = {HOSTILE[:3]}" not in card_html.head(card)


@pytest.mark.long
def test_pinned_lists_stand_side_by_side_and_survive_a_reload(setup: Setup) -> None:
    cards = [pinned(setup, regularization=value) for value in (0.02, 0.4)]
    assert cards[0].model != cards[1].model
    view = CompareView()
    view.kept.found = ""
    try:
        assert [view.pin(card) for card in cards] == ["A", "B"]
        wait_until(lambda: not any(shown.refresh() for shown in view.cards))
        one, other = view.cards
        assert "not in B" in one.parts["rules"].object
        (advice,) = (each for each in pn.panel(view).select(pn.pane.HTML) if "Accuracy can." in str(each.object))
        assert "recall" not in advice.object
        one.verify()
        wait_until(lambda: not one.refresh())
        assert one.verdict.startswith("valid")
        kept = view.kept.kept
        other.exports.text("Model (JSON)")
        assert made(other.exports.text("Python script").getvalue())["model"] == other.card.model
    finally:
        view.close()
    found, complaints = pins.read(kept, lambda doing: None)
    assert complaints == []
    assert [(card.model, card.proof, card.facts) for card in found] == [
        (card.model, card.proof, card.facts) for card in cards
    ]
    assert [repr(scores.of_card(card, lambda doing: None).training) for card in found] == [
        repr(scores.of_counts(card).training) for card in cards
    ]


def test_a_label_differs_where_another_class_is_predicted() -> None:
    A = np.array([[1], [1], [0], [0], [0]], dtype=bool)
    models = [
        rl.results.MultiClassRuleList.from_problem(rl.MultiClassProblem.from_arrays(A, y), [0])
        for y in (list("aabbc"), list("ccbba"))
    ]
    (rule, default), _ = remarks([Card(model) for model in models])
    assert (rule, default) == ("the other label in B", "")
    of_two = Card(rl.RuleList.from_problem(rl.Problem.from_arrays(A, [1, 1, 0, 0, 0]), [0]))
    assert remarks([Card(models[0]), of_two])[0] == ("", "")


def test_a_recorded_run_is_looked_at_again(view: SearchView) -> None:
    latest = finish(view).session.snapshot
    recording = rl.Recording.from_bytes(exported(view, "Recording"))
    assert recording.snapshots[-1].incumbent.model == latest.incumbent.model
    assert recording.frame["objective"].tolist() == view.session.recording().frame["objective"].tolist()
    view.open(recording, "kinds")
    assert "Recording kinds" in status(view).phase
    assert "Training rows by class" in model_html(view)
    assert "Proof" not in export_menu(view)[1]
    assert "a recording holds no rows" in told(view)
    view.pin()
    assert "holds no rows" in alert(view).phase


@pytest.mark.parametrize(("settings", "proven"), [({}, True), ({"test_share": 0.2}, False), ({"max_length": 1}, False)])
def test_a_run_is_kept_with_its_proof(setup: Setup, tmp_path: Path, settings: dict[str, Any], proven: bool) -> None:
    setup.choose(**settings)
    kept = Keeper(rl.store.open(f"sqlite:///{tmp_path / 'runs.sqlite'}"))
    complaints: list[str] = []
    pins_: list[Card] = []
    runs = KeptRuns(lambda *_: None, lambda card: pins_.append(card) or "A", complaints.append, keeper=kept)
    view = SearchView(new_session=setup.new_session, speed="full speed")
    view.on_standing = runs.follow
    try:
        finish(view)
        wait_until(lambda: runs.refresh() is False and bool(runs.run))
        store = rl.store.open(f"sqlite:///{tmp_path / 'runs.sqlite'}")
        run = store.run(runs.run)
        latest = view.session.snapshot
        assert (run.family, run.data, run.objective) == (NAME, "kinds", latest.incumbent.objective)
        assert store.model(run) == latest.incumbent.model
        assert store.recording(run).frame["objective"].tolist()[-1] == run.objective
        assert (run.proof is not None) is proven
        if proven:
            (tmp_path / "proof.npz").write_bytes(store.file(run, "proof"))
            (tmp_path / "model.json").write_bytes(store.file(run, "model"))
            (tmp_path / "kinds.csv").write_bytes(CSV)
            assert main(["verify", *(str(tmp_path / n) for n in ("kinds.csv", "model.json", "proof.npz"))]) == 0
            with pytest.raises(rl.store.StoreError, match="rows of this run are not kept: export it"):
                evidence(store, run.hash)
        runs.act("compare", [run.hash])
        wait_until(lambda: runs.refresh() is False and bool(pins_))
        assert pins_[0].model == latest.incumbent.model
        assert complaints == []
    finally:
        view.close()
        kept.close()


def test_other_tabs_say_that_they_are_of_two_classes() -> None:
    tabs = Tabs(Address(""))
    search = tabs.made("Search")
    use_all(search.setup.table)
    with pytest.raises(ValueError, match="two classes"):
        search.source()
    fronts = tabs.made("Compare").fronts
    assert "two classes" in fronts.told
    (fill,) = (each for each in pn.panel(fronts).select(pn.widgets.Button) if each.label == "Fill the front")
    assert fill.disabled
    search.setup.table.data = "diabetes"
    assert search.source().family.name == "rule_list"
    assert "fits" in fronts.told
    assert not fill.disabled


@pytest.mark.parametrize("name", OF_SEVERAL)
def test_the_record_makes_searches(name: str) -> None:
    family = EVERY_FAMILY[name]
    search = family.rehearsal()
    last = rl.solve(search)
    assert last.status is rl.Status.OPTIMAL
    model, objective = family.without_rules(["a", "b"], 2, 3, {"regularization": 0.1})
    assert (model.errors, objective) == (2, 0.4)
    assert "error" in family.objective(last.incumbent.model, search.parameters)
