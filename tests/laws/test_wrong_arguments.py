"""Whatever is given to a public name: it works, or a ValueError or TypeError names the argument, and it comes back."""

import inspect
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import dashed
from test_cli import run
from test_views_wrong_input import seen, write

import rulelab as rl
from rulelab.cli.output import as_option
from rulelab.datasets import from_frame
from rulelab.falling_rule_list import FairFallingSearch, MonteCarloSearch, SoftSearch
from rulelab.families import EVERY_FAMILY, FAMILIES, MEMORY, OF_SEVERAL, Family, Parameter
from rulelab.fitting import CLASSIFIERS
from rulelab.recipe import Recipe
from rulelab.views.live.recipe import PageRecipe
from rulelab.views.search.setup import Setup

VALUES = [None, math.nan, math.inf, -math.inf, -1, 0, 1e-300, 1e300, 2**70, 10**30, -(10**30), 10**400, 0.5, 3, True,
          "", "text", b"bytes", [], [[]], {}, (), object(), np.nan, np.int64(2), np.array([1, 2]), pd.NA]  # fmt: skip
WORK = 30


RNG = np.random.default_rng(0)
A = RNG.random((40, 4)) < 0.5
Y, G = (A[:, 0] ^ (RNG.random(40) < 0.2)).astype(int), RNG.integers(0, 2, 40)
X = pd.DataFrame({"a": np.arange(40) % 9, "b": Y ^ (np.arange(40) % 7 == 0)})
PROBLEM = rl.Problem.from_arrays(A, Y, groups=G)
FAIR = rl.DemographicParity(0.1)


def searched(make: Callable[..., rl.Search]) -> Callable[..., Any]:
    return lambda **given: rl.solve(make(PROBLEM, **given), work_limit=WORK)


def near(**given: Any) -> Any:
    return rl.near_optimal(PROBLEM, **{"regularization": 0.05, "within": 0.01, "work_limit": WORK, **given})


def fitted(estimator: type) -> Callable[..., Any]:
    return lambda **given: estimator(**{"thresholds": 3, **given}).fit(X, Y)


def arguments(make: type) -> tuple[str, ...]:
    """All that a search takes beside a problem."""
    return tuple(name for name in inspect.signature(make).parameters if name not in GIVEN)


def signed(*makers: type, **fixed: Any) -> dict[str, tuple[Callable[..., Any], tuple[str, ...]]]:
    """Searches by name, with all that they take."""
    return {
        make.__name__: (searched(lambda p, make=make, **given: make(p, **{**fixed, **given})), arguments(make))
        for make in makers
    }


GIVEN = {"problem", "search", "others"}
"""What is no argument of a question."""
PLACES = {"tolerances": (0.1,), "complexities": (3,)}
LIST = ("regularization", "policy", "bounds", "max_length", "memory_limit", "random_state", "beam_width", "warm_start")
CRITERIA = (
    "AccuracyParity", "DemographicParity", "EqualOpportunity", "FalsePositiveRateParity", "PredictiveParity",
)  # fmt: skip
CALLS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    **signed(rl.RuleListSearch, rl.CorelsSearch, rl.FrontierSearch, rl.RuleSetSearch),
    **signed(rl.LeastGapSearch, rl.engines.LeastGapRuleSetSearch, rl.FallingRuleListSearch, MonteCarloSearch),
    **signed(SoftSearch, violation_penalty=0.5),
    **signed(rl.engines.FairRuleListSearch, FairFallingSearch, fairness=FAIR),
    **signed(rl.NearOptimalSearch, rl.NearOptimalCounter, rl.RobustnessSearch, regularization=0.05),
    "search": (
        searched(rl.search),
        (*LIST, "must_use", "first_rule", "max_uses", "monotone", "fairness", "labels", "min_group_size", "n_jobs",
         "criterion", "model"),
    ),
    "frontier by gap": (
        searched(lambda problem, **given: rl.frontier(problem, "gap", **given)),
        ("criterion", "accuracies", "regularization", "max_length", "memory_limit", "beam_width", "min_group_size"),
    ),
    "frontier of sets by gap": (
        searched(lambda problem, **given: rl.frontier(problem, "gap", "rule_set", **given)),
        ("criterion", "accuracies", "max_complexity", "max_conditions", "loss", "form", "column_limit",
         "memory_limit", "random_state", "min_group_size"),
    ),
    "frontier by tolerance": (
        searched(lambda problem, **given: rl.frontier(problem, "tolerance", "rule_set", **{**PLACES, **given})),
        ("criterion", "tolerances", "complexities", "max_conditions", "loss", "form", "column_limit",
         "random_state", "memory_limit", "min_group_size"),
    ),
    "steps": (
        lambda **given: rl.solve(rl.RuleListSearch(PROBLEM), **given),
        ("time_limit", "gap", "work_limit", "work_per_step"),
    ),
    "advance": (lambda **given: rl.RuleListSearch(PROBLEM).advance(**given), ("max_work",)),
    "near_optimal": (
        near,
        ("regularization", "within", "limit", "time_limit", "max_length", "memory_limit", "work_limit", "model"),
    ),
    "Binarizer": (lambda **given: rl.Binarizer(**given).fit(X), ("thresholds", "max_categories")),
    "mine_antecedents": (
        lambda **given: rl.mine_antecedents(A, **given),
        ("max_conditions", "min_support", "max_support", "max_antecedents", "y", "sample_weight"),
    ),
    "from_arrays": (
        lambda **given: rl.Problem.from_arrays(**{"A": A, "y": Y, **given}),
        ("A", "y", "names", "sample_weight", "groups"),
    ),
    "RuleListClassifier": (
        fitted(rl.RuleListClassifier),
        ("regularization", "max_conditions", "min_support", "thresholds", "time_limit", "gap", "memory_limit",
         "beam_width"),
    ),
    "RuleSetClassifier": (
        fitted(rl.RuleSetClassifier),
        ("max_conditions", "loss", "form", "thresholds", "time_limit", "gap"),
    ),
    **{name: (getattr(rl, name), ("tolerance",)) for name in CRITERIA},
}  # fmt: skip


@pytest.mark.few(4)
@pytest.mark.parametrize(("call", "argument"), [(call, name) for call, (_, names) in CALLS.items() for name in names])
def test_a_wrong_argument_is_named(call, argument):
    make, _ = CALLS[call]
    words = {argument, *ALSO.get((call, argument), ())}
    faults = []
    assert (call, argument) in MAY_BE_LESS or raised(lambda: make(**{argument: -1})) is not None
    for value in VALUES:
        error = raised(lambda value=value: make(**{argument: value}))
        if error is not None and not (
            isinstance(error, ValueError | TypeError)
            and any(word in str(error) for word in words)
            and (not isinstance(error, rl.ParameterError) or error.name in words)
        ):
            faults.append(f"{call}({argument}={value!r:.40}): {type(error).__name__}: {error!s:.200}")
    assert not faults, "\n".join(faults)


def raised(call: Callable[[], Any]) -> Exception | None:
    """What a call raises."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - it is judged by the caller
        return error
    return None


MAY_BE_LESS = {("search", "n_jobs"), ("RuleListSearch", "n_jobs")}
"""What -1 stands for something in; everything else refuses it."""
ALSO = {
    ("from_arrays", "A"): ("the antecedents", "names"),
    ("from_arrays", "names"): ("named",),
    ("from_arrays", "groups"): ("group",),
    ("FallingRuleListSearch", "violation_penalty"): ("option",),
    ("mine_antecedents", "max_support"): ("min_support",),
}
"""Other words that messages use for an argument."""


@pytest.mark.parametrize("regularization", [1e-300, 1e-16])
@pytest.mark.parametrize("make", [rl.RuleListSearch, rl.CorelsSearch])
def test_the_least_regularization_is_said_and_works(make, regularization):
    problem = rl.Problem.from_arrays(A, Y, sample_weight=0.1 + np.arange(40) / 7)
    with pytest.raises(ValueError, match="regularization must be at least") as caught:
        make(problem, regularization=regularization)
    least = float(str(caught.value).split("at least ")[1].split()[0])
    rl.solve(make(problem, regularization=least), work_limit=WORK)


def test_the_widest_beam_is_said():
    for make in (rl.RuleListSearch, rl.FrontierSearch):
        with pytest.raises(ValueError, match=r"beam_width must be at most [0-9]+ for this problem"):
            make(PROBLEM, beam_width=10**12)


def test_an_unknown_option_is_answered_by_the_name_that_was_called():
    with pytest.raises(TypeError, match=r"FallingRuleListSearch has no option 'depth'.*max_length"):
        rl.search(PROBLEM, "falling_rule_list", depth=3)


def test_only_searches_are_searched():
    for drain in (rl.solve, rl.steps):
        with pytest.raises(TypeError, match="search must be a rulelab search"):
            drain(None)


def test_a_missing_cell_of_a_nullable_table_is_named():
    table = pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean"), "b": [True, False, True]})
    with pytest.raises(rl.errors.ProblemError, match="'a', row 1 holds <NA>"):
        rl.Problem.from_arrays(table, [0, 1, 0])


def test_near_lists_of_an_unfinished_search_need_a_limit():
    search = rl.RuleListSearch(PROBLEM, 0.01)
    with pytest.raises(ValueError, match="has not certified its optimum"):
        rl.near_optimal(search, within=0.01)
    assert rl.near_optimal(search, within=0.01, work_limit=1).truncated == "work"
    rl.solve(search)
    assert rl.near_optimal(search, within=0.01).complete


@pytest.mark.parametrize("options", [{"method": "monte_carlo"}, {"violation_penalty": 0.5}, {}])
def test_options_of_every_kind_of_falling_list_are_known(options):
    assert rl.search(PROBLEM, "falling_rule_list", **options, iterations=5, random_state=1).iterations == 5


def test_iterations_are_refused_where_no_list_is_drawn():
    fair = {"fairness": FAIR, "min_group_size": 0}
    for call in (
        lambda n: rl.search(PROBLEM, "falling_rule_list", **fair, iterations=n),
        lambda n: rl.FallingRuleListClassifier(**fair, iterations=n).fit(X, Y, sensitive_features=np.arange(40) % 2),
    ):
        with pytest.raises(rl.ParameterError, match="iterations must be 3000 where a falling list has to be fair"):
            call(5)
    assert type(rl.search(PROBLEM, "falling_rule_list", **fair, iterations=3000)).__name__ == "FairFallingSearch"


TABLE = {
    "a search": lambda: rl.RuleListSearch(X),
    "solve": lambda: rl.solve(X),
    "a problem": lambda: rl.Problem.from_antecedents(X, Y),
    "near": lambda: rl.NearOptimalSearch(X, 0.01),
    "sweep": lambda: rl.sweep(X, Y),
    "a number": lambda: rl.RuleListSearch(PROBLEM, regularization=X),
    "a view": lambda: rl.views.SearchView(X),
}


@pytest.mark.parametrize("call", TABLE.values(), ids=TABLE)
def test_a_table_in_the_wrong_place_is_named_and_not_printed(call):
    with pytest.raises((ValueError, TypeError), match="not a DataFrame") as caught:
        call()
    assert len(str(caught.value)) < 200


# a parameter with a wrong value is refused with its name and what it has to be ----------------------------------------
FRAME = pd.DataFrame({"age": np.arange(60) % 23, "town": [*"abc"] * 20, "sex": [*"fm"] * 30})
FRAME["paid"] = (FRAME.age > 9).astype(int)
WRONG: dict[str, Any] = {
    "whole": -1, "number": -1.0, "fraction": 1.5, "size": -1, "choice": "beauty", "text": "beauty",
    "measure": "beauty", "criterion": "beauty", "name": 3, "names": 3, "limits": {"age": -1},
    "directions": {"age": "up"}, "switch": "maybe",
}  # fmt: skip
"""What no parameter of a kind can be."""
TAKES_ANYTHING = {"negations"}
EVERY = [
    pytest.param(family, each, id=f"{family.name}-{each.name}")
    for family in EVERY_FAMILY.values()
    for each in family.parameters
    if each.name not in TAKES_ANYTHING
]
TYPED = ("whole", "number", "fraction")
NEEDS_DATA = ("switch", "name", "names")
"""Of which no text is wrong before there are data."""
OF_FITS = [each for each in EVERY if each.values[0].name in FAMILIES]
ON_THE_PAGE = [each for each in EVERY if each.values[0].name not in OF_SEVERAL]


def refused(family: Family, parameter: Parameter) -> rl.ParameterError:
    """What the steps from a table to a search say of a wrong value."""
    recipe = Recipe(family, {parameter.name: WRONG[parameter.kind]})
    with pytest.raises(rl.ParameterError) as caught:
        _try(recipe)
    return caught.value


def _try(recipe: Recipe) -> None:
    recipe.check(list(FRAME))
    if recipe.family.name in OF_SEVERAL:
        recipe.search(rl.MultiClassProblem.from_arrays([[False], [True]] * 2, [0, 1, 2, 1]))
    else:
        recipe.smallest()


@pytest.mark.parametrize(("family", "parameter"), EVERY)
def test_the_error_has_name_value_and_requirement(family, parameter):
    error = refused(family, parameter)
    assert error.name == parameter.name
    assert error.value in (WRONG[parameter.kind], *np.atleast_1d(WRONG[parameter.kind]), -1, "up")
    assert error.requirement
    assert parameter.name in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.name, copy.requirement, str(copy)) == (error.name, error.requirement, str(error))


@pytest.mark.parametrize(("family", "parameter"), OF_FITS)
def test_the_estimator_says_the_same(family, parameter):
    estimator = CLASSIFIERS[family.name](**{parameter.name: WRONG[parameter.kind]})
    with pytest.raises(rl.ParameterError) as caught:
        estimator.fit(FRAME.drop(columns="paid"), FRAME.paid)
    error = refused(family, parameter)
    assert (caught.value.name, caught.value.requirement) == (error.name, error.requirement)


@pytest.mark.parametrize(("family", "parameter"), [each for each in OF_FITS if each.values[1].kind not in NEEDS_DATA])
def test_the_command_names_the_option(family, parameter, tmp_path, capsys):
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    option, wrong = as_option(parameter.name), WRONG[parameter.kind]
    text = ":".join(map(str, *wrong.items())) if isinstance(wrong, dict) else str(wrong)
    status, _, err = run(
        capsys, "fit", tmp_path / "people.csv", "--target", "paid", "--model", dashed(family.name), f"{option}={text}"
    )
    assert status == 2
    assert option in err or f"{parameter.name} must be" in err


@pytest.mark.parametrize(("family", "parameter"), [each for each in EVERY if each.values[1].kind in TYPED])
def test_the_field_says_what_it_has_to_be(family, parameter):
    setup = Setup(family=family.name)
    write(setup.more, parameter.title, str(WRONG[parameter.kind]))
    wrong = seen(setup.more, parameter.title)["wrong"]
    assert wrong.startswith(f"{parameter.title}: ")
    assert parameter.required in wrong


@pytest.mark.parametrize(
    ("family", "parameter"),  # but sizes and switches, which the page makes of its own
    [each for each in ON_THE_PAGE if each.values[1] != MEMORY and each.values[1].kind != "switch"],
)
def test_a_run_of_the_page_calls_it_what_its_field_is_called(family, parameter):
    data = from_frame(FRAME, "paid", sensitive=["sex"])
    asked = {"criterion": "equal_opportunity"} if family.needs_groups else {}
    recipe = PageRecipe(
        family, {**asked, "min_group_size": 1, parameter.name: WRONG[parameter.kind]}, lambda: data, sensitive="sex"
    )
    with pytest.raises(rl.ParameterError) as caught:
        recipe(lambda doing: None)
    assert caught.value.name == parameter.name
    assert f"“{parameter.title}”" in str(caught.value)
