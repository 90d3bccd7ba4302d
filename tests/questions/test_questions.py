"""One list of engines decides which search answers a question, and says why none does."""

import numpy as np
import pytest

import rulelab as rl
from rulelab.families import EVERY_FAMILY, OF_SEVERAL
from rulelab.questions import ENGINES, Engine, Question, allows, engine_of, search_of
from rulelab.recipe import smallest_problem

FAIR, PARITY = rl.EqualOpportunity(0.1), rl.PredictiveParity(0.1)


def problem() -> rl.Problem:
    rng = np.random.default_rng(0)
    return rl.Problem.from_arrays(rng.random((60, 4)) < 0.5, rng.random(60) < 0.5, groups=np.arange(60) % 2)


@pytest.mark.parametrize(
    ("model", "asked", "name"),
    [
        ("rule_list", {}, "RuleListSearch"),
        ("rule_list", {"max_length": 2, "policy": "curiosity"}, "RuleListSearch"),
        ("rule_list", {"must_use": [], "max_uses": {}, "fairness": None}, "RuleListSearch"),
        ("rule_list", {"fairness": FAIR, "random_state": 1, "n_jobs": 2}, "FairRuleListSearch"),
        ("rule_list", {"fairness": PARITY}, "PredictiveParitySearch"),
        ("rule_list", {"fairness": FAIR, "max_length": 2}, "ConstrainedRuleListSearch"),
        ("rule_list", {"must_use": ["antecedent 1"]}, "ConstrainedRuleListSearch"),
        ("rule_list", {"criterion": "equal_opportunity"}, "LeastGapSearch"),
        ("falling_rule_list", {}, "FallingRuleListSearch"),
        ("falling_rule_list", {"violation_penalty": 0.0}, "SoftSearch"),
        ("falling_rule_list", {"method": "monte_carlo", "violation_penalty": 0.1}, "MonteCarloSearch"),
        ("falling_rule_list", {"fairness": FAIR}, "FairFallingSearch"),
        ("rule_set", {"fairness": FAIR, "must_use": ["antecedent 1"]}, "RuleSetSearch"),
        ("rule_set", {"criterion": "equal_opportunity"}, "LeastGapRuleSetSearch"),
    ],
)
def test_the_first_that_accepts_answers(model, asked, name):
    search = rl.search(problem(), model, **asked)
    assert (type(search).__name__, search.family) == (name, model)


@pytest.mark.parametrize(
    ("model", "asked", "name", "said"),
    [
        ("rule_list", {"fairness": FAIR, "policy": "curiosity"}, "policy", "'lower_bound' where a list has to be fair"),
        ("rule_list", {"must_use": ["a"], "policy": "random"}, "policy", "'lower_bound' where a list has to obey"),
        ("rule_list", {"fairness": PARITY, "max_length": 2}, "fairness", "other than predictive parity"),
        ("rule_list", {"violation_penalty": 0.1}, "violation_penalty", "None"),
        ("falling_rule_list", {"fairness": FAIR, "violation_penalty": 0}, "violation_penalty", "None where a falling"),
        ("falling_rule_list", {"fairness": FAIR, "method": "monte_carlo"}, "method", "'exact' where a falling"),
        ("falling_rule_list", {"method": "beauty"}, "method", "one of exact, monte_carlo"),
        ("rule_set", {"first_rule": "antecedent 1"}, "first_rule", "None for a RuleSetSearch"),
        ("rule_set", {"fairness": PARITY}, "fairness", "other than predictive parity for a RuleSetSearch"),
        ("forest", {}, "model", "one of rule_list, falling_rule_list, rule_set"),
    ],
)
def test_what_nobody_answers_is_refused_in_the_words_of_the_nearest(model, asked, name, said):
    with pytest.raises(rl.ParameterError) as caught:
        rl.search(problem(), model, **asked)
    assert caught.value.name == name
    assert said in caught.value.requirement


@pytest.mark.parametrize(
    ("make", "asked"),
    [
        *((rl.RuleListSearch, name) for name in ("fairness", "must_use", "first_rule", "max_uses", "monotone")),
        (rl.FallingRuleListSearch, "fairness"),
        (rl.FallingRuleListSearch, "violation_penalty"),
    ],
)
def test_a_class_makes_nothing_but_itself_and_names_the_door(make, asked):
    said = rf"{asked} must be None .*rulelab\.search\(\.\., {asked}="
    with pytest.raises(rl.ParameterError, match=said) as caught:
        make(problem(), **{asked: FAIR if asked == "fairness" else 0.1})
    assert caught.value.name == asked
    search = make(problem(), **{asked: None})
    assert type(search) is make


@pytest.mark.parametrize("name", [name for name in EVERY_FAMILY if name not in OF_SEVERAL])
def test_every_family_is_searched_through_the_list(name, monkeypatch):
    family = EVERY_FAMILY[name]
    others = [each for each in ENGINES if each.model != (family.model or name)]
    monkeypatch.setattr("rulelab.questions.ENGINES", others)
    with pytest.raises(rl.ParameterError, match="model must be one of"):
        search_of(family, smallest_problem(), {})


class ToySearch(rl.RuleListSearch):
    """What answers one question that no other does."""

    def __init__(self, problem: rl.Problem, regularization: float = 0.01, max_uses=None, beam_width: int = 5) -> None:
        super().__init__(problem, regularization, beam_width=beam_width)
        self.max_uses = max_uses


@pytest.fixture
def toy():
    record = Engine("ToySearch", "rule_list", knows=("max_uses",), needs=("max_uses",), room=__name__)
    ENGINES.insert(0, record)
    yield record
    ENGINES.remove(record)


@pytest.mark.usefixtures("toy")
def test_an_engine_is_added_by_one_record():
    search = rl.search(problem(), max_uses={"a": 1})
    assert type(search) is ToySearch
    assert rl.solve(search).status is rl.Status.OPTIMAL
    assert type(rl.search(problem())) is rl.RuleListSearch
    assert type(search_of(EVERY_FAMILY["rule_list"], problem(), {"max_uses": {"a": 1}})) is ToySearch
    with pytest.raises(rl.ParameterError, match="policy must be 'lower_bound' for a ToySearch"):
        rl.search(problem(), max_uses={"a": 1}, policy="random")


@pytest.mark.parametrize(
    ("model", "asked", "said"),
    [
        ("rule_list", {}, "the rule list with the fewest errors"),
        (
            "rule_list",
            {"regularization": 0.02, "max_length": 1, "fairness": FAIR, "must_use": ["antecedent 1"]},
            "the rule list with the fewest errors, a rule costing 0.02, at most 1 rule, "
            "equal opportunity within 0.1 between groups, using antecedent 1",
        ),
        ("falling_rule_list", {"positive_weight": 2}, "a missed positive counting as 2 false alarms"),
        ("rule_set", {"loss": "zero_one", "form": "cnf"}, "the rule set with the least 0-1 loss, in CNF"),
        ("rule_list", {"criterion": "demographic_parity"}, "the rule list of least gap in demographic parity"),
    ],
)
def test_a_question_is_a_record_that_says_itself_and_is_answered(model, asked, said):
    question = Question(model, **asked)
    assert said in str(question)
    search = rl.search(problem(), question, memory_limit=10**8)
    same = rl.search(problem(), model, memory_limit=10**8, **asked)
    assert (type(search), search.parameters) == (type(same), same.parameters)


def test_a_question_that_nobody_answers_says_itself_too():
    assert "falling_rule_list" in str(Question("falling_rule_list", criterion="equal_opportunity"))
    assert "forest" in str(Question("forest"))


def test_what_is_to_be_least_can_be_named():
    least = rl.search(problem(), minimize="gap", min_accuracy=0.5)
    assert type(least) is rl.LeastGapSearch
    assert least.parameters["criterion"] == "equal_opportunity"
    assert type(rl.search(problem(), "rule_set", minimize="gap")) is rl.engines.LeastGapRuleSetSearch
    assert type(rl.search(problem(), minimize="errors")) is rl.RuleListSearch
    with pytest.raises(rl.ParameterError, match="minimize must be one of gap, not 'errors'"):
        rl.search(problem(), minimize="errors", criterion="equal_opportunity")
    with pytest.raises(rl.ParameterError, match="minimize must be one of errors, gap"):
        rl.search(problem(), minimize="loss")


def test_what_can_be_asked_for_beside_a_question():
    fair, of_values = Question(fairness=FAIR), Question(fairness=PARITY)
    assert allows(fair, "max_length")
    assert allows(fair, "must_use")
    assert not allows(fair, "policy")
    assert not any(allows(of_values, name) for name in ("max_length", "must_use", "first_rule", "max_uses", "monotone"))
    assert "bounds" in engine_of(of_values).takes
    falling = Question("falling_rule_list", fairness=FAIR)
    assert not any(allows(falling, name) for name in ("method", "violation_penalty"))
