"""The settings of a search on the page: what reaches the search, uploaded files, the address."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numba
import numpy as np
import pandas as pd
import panel as pn
import pytest
from live import HOSTILE, bring_file, finish, html, made, model_html
from patience import PATIENCE, wait_until
from places import cases_beside
from table_engines import people

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.families import EVERY_FAMILY, FAMILIES, OF_SEVERAL, OFFERED
from rulelab.views.cards.card import Card, of_search
from rulelab.views.forms import address, tables
from rulelab.views.forms.address import Address
from rulelab.views.forms.data_settings import DataSettings
from rulelab.views.front import EXAMPLES
from rulelab.views.live import recipe
from rulelab.views.live import wording as words
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.recipe import PageRecipe
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import TICK_SECONDS, State
from rulelab.views.live.wording import count, standing
from rulelab.views.pages.tabs import SearchTab
from rulelab.views.search.controls import SPEEDS, offered
from rulelab.views.search.setup import Setup
from rulelab.views.search.view import SearchView
from rulelab.views.widgets.field_cards import FieldCards

FAMILY_NAMES = [("family", name) for name in OFFERED]
CSV = b"colour,size,ok\n" + b"".join(b"red,%d,yes\nblue,%d,no\n" % (i, 10 - i) for i in range(10))


@pytest.fixture
def setup() -> Setup:
    return Setup()


def prepared(recipe: PageRecipe) -> Prepared:
    return recipe(lambda doing: None)


def test_the_notes_say_how_many_antecedents_were_mined_and_dropped(setup) -> None:
    assert rl.datasets.names()[setup.table.data] == "embedded"
    setup.choose(max_conditions=2, min_support=0.2, thresholds=3)
    done = prepared(setup.recipe())
    assert done.search.problem.n_rows == len(rl.datasets.load(setup.table.data).y)
    n = done.search.problem.n_antecedents
    note = next(note for note in done.notes if "mined" in note)
    assert f"{words.count(n)} antecedents" in note
    assert "support below min" in note


def test_where_rules_have_fewer_conditions_than_asked_every_claim_says_so(setup) -> None:
    setup.choose(max_antecedents=100, max_conditions=2, thresholds=3, regularization=0.05)
    view = SearchView(new_session=setup.new_session, on_pin=lambda card: cards.append(card) or "A")
    cards: list[Card] = []
    finish(view)
    said = "have at most 1 condition, not 2"
    assert view.status is State.ENDED
    assert said in standing(view.session).phase
    assert not any(said in note for note in view.session.prepared.notes), "once, in the certificate"
    assert said.replace("have", "Rules have") in model_html(view), "what to do stands among the doubts"
    view.pin()
    assert said in cards[0].proof.scope
    view.close()


@pytest.mark.parametrize("kernels", [0, 2])
def test_compiling_is_called_so_and_loading_what_was_compiled_is_not(setup, monkeypatch, kernels: int) -> None:
    def compile_(*_: object) -> None:
        for _kernel in range(kernels):
            numba.njit(lambda x: x + 1)(1)

    monkeypatch.setattr(recipe, "mining_is_compiled", lambda: False)
    monkeypatch.setattr(recipe, "warm_up_mining", compile_)
    monkeypatch.setattr(rl.RuleListSearch, "compiled", False)
    monkeypatch.setattr(rl.RuleListSearch, "compile", compile_)
    told: list[str] = []
    setup.recipe()(told.append)
    kinds = [each.split()[0] if "compiling" not in each else each.partition(":")[0] for each in told]
    expected = ["reading", "binarizing", "compiling the mining", "mining", "merging", "compiling the search"]
    assert kinds == [each for each in expected if kernels or "compiling" not in each]


def test_every_setting_reaches_the_search(setup) -> None:
    asked = {"regularization": 0.02, "policy": "curiosity", "beam_width": 7, "memory_limit": 50_000_000}
    setup.choose(data="tic_tac_toe", bounds=["lookahead"], **asked)
    parameters = prepared(setup.recipe()).search.parameters
    assert {name: parameters[name] for name in asked} == asked
    assert [name for name, used in parameters["bounds"].to_dict().items() if used] == ["lookahead"]


def test_the_proof_of_the_front_is_one_to_watch(setup) -> None:
    example = EXAMPLES["proof"]
    setup.choose(family="rule_list", **{name: example[name] for name in example if name != "speed"})
    done = prepared(setup.recipe())
    assert done.fewer == ""
    states = list(done.search.steps(work_per_step=1))
    assert states[-1].status is rl.Status.OPTIMAL
    assert 10 <= len(states) * TICK_SECONDS / SPEEDS[example["speed"]].units <= 25
    assert len({state.incumbent.objective for state in states if state.incumbent}) >= 4
    assert len(states[-1].incumbent.model.rules) >= 3


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=list(EXAMPLES))
def test_the_form_shows_what_an_example_searches(setup, example) -> None:
    setup.choose(family="rule_list", **{name: example[name] for name in example if name != "speed"})
    searched = prepared(setup.recipe()).search.parameters
    shown = {field["label"]: field.get("value") for card in setup.more.cards for field in card["fields"]}
    for parameter in FAMILIES["rule_list"].parameters:
        if parameter.kind in ("number", "whole", "fraction") and parameter.name in searched:
            value = searched[parameter.name]
            assert shown[parameter.title] == ("" if value is None else f"{value:g}"), parameter.name
    asked = {name: value for name, value in example.items() if name not in ("data", "speed")}
    assert {name: getattr(setup.settings, name) for name in asked} == asked


def test_settings_of_another_tab_stay_in_the_address() -> None:
    setup, others, shown = Setup(), "sweep_families=%5B%22rule_list%22%5D&list_grid=0.05", []
    assert address.Address(f"?{others}", lambda *what: shown.append(what)).follow(*setup.parts) == []
    setup.settings.regularization = 0.02
    (query, step) = shown[-1]
    assert parse_qsl(query[1:]) == [*parse_qsl(others), ("regularization", "0.02")]
    assert not step


def test_back_sets_what_the_address_says_and_defaults_for_the_rest() -> None:
    setup, shown = Setup(), []
    followed = address.Address("", lambda *what: shown.append(what))
    followed.follow(*setup.parts)
    setup.settings.regularization = 0.02
    setup.table.data = "tic_tac_toe"
    setup.family = "rule_set"
    assert [step for _, step in shown[-2:]] == [True, True]
    before = len(shown)
    assert followed.go("?regularization=0.02") == []
    assert (setup.family, setup.table.data, setup.settings.regularization) == ("rule_list", "diabetes", 0.02)
    assert shown[before:] == []
    assert len(followed.go("?data=nothing")) == 1
    assert (setup.table.data, shown[-1]) == ("diabetes", ("", False))


def test_names_of_older_addresses_are_understood() -> None:
    for query, name, value in (
        ("?quantiles=7", "thresholds", 7),
        ("?family=rule_set&quantiles=7", "thresholds", 7),
        ("?family=rule_set&rule_size=null", "max_conditions", None),
        ("?complexity_cost=0.5&family=rule_set", "regularization", 0.5),
        ('?family=falling_rule_list&falling_bounds=["density_cap"]', "bounds", ["density_cap"]),
    ):
        setup = Setup()
        assert address.read(query, *setup.parts) == []
        assert getattr(setup.settings, name) == value
        assert name in address.write(*setup.parts)


@pytest.mark.parametrize(
    "query",
    [
        *("?data=nothing", "?memory_limit=50", "?quantiles=many", "?policy=[]", "?bounds=7"),
        *("?beam_width=" + "[" * 5000, "?family=tree", "?family=falling_rule_list&method=guess"),
        *("?family=rule_set&fairness=very", "?max_complexity=5", "?family=rule_set&policy=curiosity"),
    ],
)
def test_nonsense_in_the_address_is_complained_about(query) -> None:
    setup = Setup()
    setup.choose(**{name: value for name, value in parse_qsl(query[1:]) if (name, value) in FAMILY_NAMES})
    before = address.write(*setup.parts)
    complaints = address.read(query + f"&unknown={HOSTILE}", *setup.parts)
    assert len(complaints) == 1
    assert address.write(*setup.parts) == before


# the question as a sentence: it says what is asked, and each of its parts has a field behind it -----------------------
def said(setup: Setup) -> str:
    return "".join(text for text, _ in setup.sentence.parts)


def fields(setup: Setup) -> set[str]:
    """The labels of what can be set."""
    form = pn.panel(setup)
    widgets = {str(each.label) for each in form.select(pn.widgets.Widget) if each.label}
    return widgets | {each.label for cards in form.select(FieldCards) for card in cards.content for each in card.fields}


COMPAS = "On compas (7\u202f214 rows) predict two_year_recid = 1 by the "


@pytest.mark.parametrize(("chosen", "expected"), cases_beside(__file__))
def test_it_says_what_is_asked_and_what_is_not_as_ever(chosen: dict[str, Any], expected: str) -> None:
    setup = Setup()
    setup.choose(data="compas", **chosen)
    assert said(setup) == COMPAS + expected
    assert {label for _, label in setup.sentence.parts if label} <= fields(setup)


@pytest.mark.parametrize("data", ["compas", "diabetes"])
def test_the_accuracy_that_is_not_set_is_the_one_that_is_demanded(data: str) -> None:
    setup = Setup()
    setup.choose(family="least_gap", data=data)
    search = setup.recipe()(lambda doing: None).search
    assert f"accuracy at least {search.min_accuracy:g}," in said(setup)
    setup.choose(test_share=0.3)
    assert "accuracy at least a tenth above one answer for all," in said(setup), "the form does not know which rows"


@pytest.mark.parametrize("family", ["least_gap", "least_gap_of_sets"])
def test_without_groups_no_gap_between_them_is_looked_for(family: str) -> None:
    setup = Setup()
    setup.choose(family=family, data="tic_tac_toe")
    assert ["not chosen yet", "Data set"] in setup.sentence.parts
    assert setup.refusal.startswith("These data have no groups: ")
    able, hint = offered(setup.new_session(), False, False, setup.refusal)
    assert (able["run"], able["step"], hint) == (False, False, setup.refusal)
    setup.choose(data="compas")
    assert (setup.refusal, "between groups of race" in said(setup)) == ("", True)


@pytest.mark.parametrize("family", [name for name in EVERY_FAMILY if name not in OF_SEVERAL])
def test_every_part_of_every_family_has_a_field(family: str) -> None:
    setup = Setup(family=family)
    setup.choose(data="adult")
    labels = {label for _, label in setup.sentence.parts if label}
    assert {"Data set", "Model family"} < labels <= fields(setup)


def test_bounds_that_are_left_out_and_a_test_share_are_named_and_what_does_not_count_is_not() -> None:
    setup = Setup()
    setup.choose(data="diabetes", test_share=0.25)
    setup.settings.bounds = [name for name in setup.settings.bounds if name not in ("lookahead", "accurate_support")]
    assert "(442 rows, 25 % kept to test)" in said(setup)
    assert "without the bound accurate support, lookahead" in said(setup)
    setup.choose(labels="majority")
    assert "Labels of a fair list" not in {label for _, label in setup.sentence.parts}
    setup.choose(fairness="equal_opportunity")
    assert "Labels of a fair list" in {label for _, label in setup.sentence.parts}


def test_the_settings_open_where_something_is_wrong() -> None:
    tab = SearchTab(Address())
    assert not tab.setup.sentence.open
    bring_file(tab.setup.table, b"", "empty.csv")
    assert tab.setup.table.complaint
    assert tab.setup.sentence.open


# tables of the server on the page: roles, counting, the search, its card, and what visitors see of the place ----------
NAME = "trips (table of this server)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    frame = people(1200, 3)[["age", "sex", "two"]].assign(when=pd.Timestamp("2020-01-01"), id=np.arange(1200))
    frame["y"] = np.where((frame.age < 30) ^ (rng.random(1200) < 0.1), "late", "on time")
    place = tmp_path / "secret place"
    place.mkdir()
    frame.iloc[:500].to_parquet(place / "trips_1.parquet")
    frame.iloc[500:].to_parquet(place / "trips_2.parquet")
    return place


@pytest.fixture
def source(folder: Path):
    yield str(folder / "trips_*.parquet")
    tables.offer([])


def test_a_table_is_a_data_set_of_the_page(source: str) -> None:
    tables.offer([source])
    setup = Setup()
    settings = setup.table
    assert NAME in settings.fields[0].options
    settings.data = "trips"
    draft = settings.draft
    state = draft.state()
    assert state["title"] == "trips_*.parquet: a table of this server, its first 1\u202f000 rows"
    assert "secret" not in str(state)
    assert draft.roles["when"] == "ignore"
    draft.give("when", "feature")
    assert "holds dates or times" in draft.error
    for name, role in (("y", "target"), ("sex", "sensitive"), ("id", "ignore")):
        draft.give(name, role)
    draft.choose_positive(draft.classes.index("late"))
    settings.accept()
    assert (settings.pending, settings.data, settings.sensitive) == (False, "trips", "sex")
    assert "counted where they lie" in html(pn.Column(*settings.fields))
    settings.test_share = 0.25
    session = setup.new_session()
    session.run()
    session.join(PATIENCE)
    assert session.state is State.ENDED, session.error
    prepared = session.prepared
    assert prepared.search.problem.n_rows + prepared.data.count(prepared.test_rows) == 1200
    assert "1\u202f200 rows, 3 columns; y is late in" in prepared.notes[0]
    assert "secret" not in " ".join(map(str, (*prepared.notes, *prepared.left_out)))
    card = of_search(prepared.search, session.snapshot, prepared)
    assert card.data["training rows"] == count(prepared.search.problem.n_rows)
    assert "rows counted by duckdb" in card.limits
    assert "25 % of the rows are kept out" in card.limits
    assert "secret" not in str(card.to_dict() if hasattr(card, "to_dict") else card)
    search = prepared.search
    assert rl.verify(search.problem, session.snapshot.incumbent.model, search.certificate())
    known = made(card.code.replace("trips_*.parquet", source))  # the script makes the same model
    assert known["model"].to_dict()["rules"] == session.snapshot.incumbent.model.to_dict()["rules"]


def test_a_target_that_was_named_needs_no_sheet_and_without_roles_the_data_are_as_before(
    source: str, folder: Path
) -> None:
    tables.offer([source])
    settings = DataSettings()
    settings.data = "trips"
    settings.cancel()
    assert settings.data == "diabetes"
    tables.offer([source], target="y")
    settings = DataSettings()
    settings.data = "trips"
    assert settings.draft is None
    assert settings.counted is not None
    settings.reopen()
    assert settings.draft is not None
    settings.cancel()
    assert settings.data == "trips"
    for path in folder.iterdir():
        path.unlink()
    gone = DataSettings()
    gone.data = "trips"
    assert "there is no file 'trips_*.parquet'" in gone.complaint, "without its place"
    assert gone.data == "diabetes"


@pytest.mark.long
def test_counting_is_interrupted_when_nobody_wants_it(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tables.offer([source], target="y")
    setup = Setup()
    setup.table.data = "trips"

    def endless(table: rl.tables.Table, *_: object) -> None:
        table.connection.execute("select count(*) from range(10000000000) a, range(1000) b").fetchone()

    monkeypatch.setattr(tables.tables, "count", endless)
    session = SearchSession(setup.recipe())
    session.run()
    wait_until(lambda: "counting the rows of trips: " in session.doing and "% of this pass" in session.doing)
    session.stop()
    session.join(PATIENCE)
    assert session.state is State.STOPPED


def test_what_cannot_be_offered_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "trips_1.parquet").rename(folder / "compas.parquet")
    for arguments, message in (
        (["--table", str(folder / "nothing.csv")], "there is no file"),
        (["--table", str(folder / "compas.parquet")], "there is a data set 'compas' already"),
        (["--table", str(folder / "trips_2.parquet"), "--target", "z"], "no column 'z'"),
        (["--target", "y"], "name that, too"),
    ):
        assert main(["serve", "--port", "0", *arguments]) == 2
        assert message in capsys.readouterr().err
    assert not tables.offered()
