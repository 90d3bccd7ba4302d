"""The settings of a search on the page: what reaches the search, uploaded files, the address."""

from urllib.parse import parse_qsl

import numba
import pytest
from live import HOSTILE, finish, model_html

import rulelab as rl
from rulelab.families import FAMILIES, OFFERED
from rulelab.views.cards.card import Card
from rulelab.views.forms import address
from rulelab.views.front import EXAMPLES
from rulelab.views.live import recipe
from rulelab.views.live import wording as words
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.recipe import PageRecipe
from rulelab.views.live.state import TICK_SECONDS, State
from rulelab.views.live.wording import standing
from rulelab.views.search.controls import SPEEDS
from rulelab.views.search.setup import Setup
from rulelab.views.search.view import SearchView

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
