"""What all models of a sweep have to obey: as alone, in every fold; what a fold lacks; keys, files, refusals."""

import json
import pickle
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import run as command
from places import cases_beside
from test_sweep import DATA, folds, waited
from test_sweep_counted import COUNTS, FRAME

import rulelab as rl
from rulelab.data.naming import UnknownNameError, unknown
from rulelab.sweeps import FAMILIES, SweepError
from rulelab.sweeps.results_file import split

THRESHOLDS = {"thresholds": [3]}
LISTS = {"regularization": [0.02, 0.005], "max_conditions": [1], **THRESHOLDS}
SETS = {"max_complexity": [4, 6], "max_conditions": [2], **THRESHOLDS}
WISHES = {
    "must_use": ["age"],
    "must_not_use": ["job == cook"],
    "max_uses": {"age": 1},
    "monotone": {"age": "decreasing"},
}
CRITERION = rl.EqualOpportunity(0.3)
FOLDS = folds(2)


def swept(family: str, grid: dict[str, list[Any]], data: Any = DATA, **arguments: Any) -> rl.Sweep:
    cv = {} if data is not DATA else {"cv": 2, "sensitive": "group"}
    return waited(rl.sweep(data, family, grid, **cv | arguments))


def obeys(model: Any, wishes: dict[str, Any]) -> bool:
    """Whether the rules of a list have what they must, and nothing that they must not."""
    used = [condition for rule in model.rules for condition in rule.conditions]
    must = all(any(c.column == name for c in used) for name in wishes.get("must_use", ()))
    mustnt = any(str(c) == name for c in used for name in wishes.get("must_not_use", ()))
    limits = wishes.get("max_uses", {}).items()
    return must and not mustnt and all(sum(c.column == name for c in used) <= most for name, most in limits)


SOME = [asked for asked in product([False, True], repeat=4) if sum(asked) % 2 == 0]
"""Any three of the four wishes are there in every way, in one half of them with another demand beside."""
FAIR, SHORT = {"fairness": CRITERION}, {"max_length": 2}
BOTH = {"fairness": CRITERION, "max_length": 3}
MORE = {"rule_list": ({}, SHORT, BOTH, SHORT), "rule_set": ({}, FAIR)}


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("family", "asked", "more"),
    [(f, asked, more[k % len(more)]) for f, more in MORE.items() for k, asked in enumerate(SOME)],
)
def test_models_of_every_fold_are_those_that_obey_alone(asked: tuple[bool, ...], family: str, more: dict[str, Any]):
    """Demands x length or fairness x folds, each against one search without a sweep."""
    wishes = {name: wish for (name, wish), on in zip(WISHES.items(), asked, strict=True) if on}
    fair = {"min_group_size": 0} if "fairness" in more else {}
    of_lists = family == "rule_list"
    grid, varied = (LISTS, "regularization") if of_lists else (SETS, "max_complexity")
    sweep = swept(family, grid, fixed={**wishes, **more, **fair})
    assert not sweep.messages
    rows = sweep.frame.set_index(["fold", varied])
    for fold, (train, _) in enumerate(FOLDS):
        own = {**{name: values[0] for name, values in grid.items()}, **wishes, **more, **fair}
        groups = {"sensitive_features": DATA.sensitive["group"].iloc[train]} if fair else {}
        for value in grid[varied]:
            alone = (rl.RuleListClassifier if of_lists else rl.RuleSetClassifier)(**own | {varied: value})
            alone.fit(DATA.X.iloc[train], DATA.y.iloc[train], **groups)
            assert rows.loc[(fold, value)].status == "optimal"
            assert rows.loc[(fold, value)].objective == alone.objective_
    if fair:
        assert (sweep.frame["train_equal_opportunity_gap"] <= CRITERION.tolerance + 1e-12).all()
    if of_lists:
        models = [result.load() for result in sweep.results]
        assert all(obeys(model, wishes) for model in models)
        assert max(len(model.rules) for model in models) <= more.get("max_length", 99)


@pytest.mark.parametrize("family", ["rule_list", "rule_set"])
def test_rows_that_count_several_times_are_asked_the_same(family: str) -> None:
    """Demands x weights: counts of the rows, and the rows themselves."""
    grid = {"regularization": [0.01], "max_conditions": [1]} if family == "rule_list" else {"max_complexity": [4]}
    column = COUNTS.conditions[0].column
    wishes = {"must_use": [column], "max_uses": {column: 1}, "must_not_use": [str(COUNTS.conditions[-1])]}
    method, sweep = FAMILIES[family], swept(family, grid, COUNTS, fixed=wishes)
    (result,) = sweep.results
    assert result.status == "optimal"
    problem = method.problem(sweep.plan.fold(0), sweep.parameters_of(0))
    last = rl.solve(method.search(problem, sweep.parameters_of(0), sweep.plan))
    assert result.objective == last.incumbent.objective
    free = swept(family, grid, COUNTS).results[0]
    assert free.objective <= result.objective
    assert column in result.load().to_text()


def cut_of(fold: int) -> str:
    """A condition on age that only one of the folds has."""
    names = []
    for train, _ in FOLDS:
        names.append(set(rl.Binarizer(thresholds=7).fit_transform(DATA.X.iloc[train]).columns))
    return sorted(name for name in names[fold] - names[1 - fold] if name.startswith("age <="))[0]


GRID = {"regularization": [0.02], "max_conditions": [1], "thresholds": [7]}


@pytest.mark.parametrize("asked", [{"must_use": None}, {"first_rule": None}])
def test_where_a_fold_has_nothing_to_use_no_model_of_it_obeys(asked: dict[str, None], tmp_path: Path) -> None:
    name = cut_of(0)
    (what,) = asked
    fixed = {what: name if what == "first_rule" else [name]}
    sweep = swept("rule_list", GRID, fixed=fixed, results=tmp_path / "kept.jsonl")
    by_fold = {result.fold: result for result in sweep.results}
    assert by_fold[0].status == "optimal"
    assert name in by_fold[0].load().to_text()
    assert by_fold[1].status == "infeasible"
    assert by_fold[1].model is None
    words = "begin with" if what == "first_rule" else "use"
    assert by_fold[1].message.startswith(f"no rule list over these training rows can {words} {name}: {what}: no ")
    (point,) = sweep.points().to_dict("records")
    assert (point["folds"], point["proven"]) == (1, 1)
    again = swept("rule_list", GRID, fixed=fixed, results=tmp_path / "kept.jsonl")
    assert again.progress.resumed == 2, "that there is none is known, too"


def test_what_a_fold_does_not_have_it_does_not_use() -> None:
    name = cut_of(0)
    sweep = swept("rule_list", GRID, fixed={"must_not_use": [name, "job"]})
    by_fold = {result.fold: result for result in sweep.results}
    assert by_fold[0].message == ""
    assert by_fold[1].message == f"must_not_use: the training rows have nothing called {name!r}"
    problems = [FAMILIES["rule_list"].problem(sweep.plan.fold(k), sweep.parameters_of(0)) for k in (0, 1)]
    assert [problem.left_out for problem in problems] == [(name, "job"), ("job",)]
    assert not any(name in problem.names for problem in problems)


@pytest.mark.parametrize("family", ["rule_list", "rule_set"])
@pytest.mark.parametrize("asked", [{"max_uses": {"rare": 0, "age": 1}}, {"monotone": {"rare": "increasing"}}])
def test_a_column_without_conditions_in_a_fold_is_used_no_too_often(family: str, asked: dict[str, Any]) -> None:
    """A column that is constant on the training rows of one fold."""
    fold_of = np.empty(len(DATA.y), dtype=int)
    for k, (_, test) in enumerate(FOLDS):
        fold_of[test] = k
    frame = DATA.X.assign(rare=np.where((fold_of == 0) & (DATA.X["age"] > 40), 1.0, 0.0), y=DATA.y)
    data = rl.datasets.from_frame(frame, "y", name="rare")
    grid = GRID if family == "rule_list" else {"max_complexity": [4], "thresholds": [7]}
    sweep = waited(rl.sweep(data, family, grid, cv=2, fixed=asked))
    assert [result.status for result in sweep.results] == ["optimal"] * 2, sweep.results[0].message


def test_another_demand_is_another_key_and_older_rows_are_still_read(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    free = swept("rule_list", LISTS, results=path)
    assert swept("rule_list", LISTS, results=path, fixed={"must_use": None}).progress.resumed == 4
    asked = swept("rule_list", LISTS, results=path, fixed={"must_use": ["age"]})
    assert asked.progress.resumed == 0
    assert asked.messages == ()
    assert swept("rule_list", LISTS | {"must_use": [["age"]]}, results=path).progress.resumed == 4
    assert swept("rule_list", LISTS, results=path, fixed={"must_use": ["job"]}).progress.resumed == 0
    both = swept("rule_list", LISTS | {"must_use": [None, ["age"]]}, results=path)
    assert (both.progress.resumed, set(both.frame["must_use"].dropna())) == (8, {"['age']"})
    assert both.frame["must_use"].isna().sum() == 4
    assert sorted(both.frame["objective"]) == sorted([*free.frame["objective"], *asked.frame["objective"]])
    settings = [split(json.loads(line)["key"])[1] for line in path.read_text().splitlines()[1:]]
    assert {each["must_use"] for each in settings} == {None, "['age']", "['job']"}


def test_a_set_of_names_is_the_same_in_every_process(tmp_path: Path) -> None:
    names = {"age", "job", "member"}
    sweeps = [swept("rule_list", GRID, fixed={"must_not_use": given}) for given in (names, frozenset(names))]
    (key,) = {sweep.results[0].key for sweep in sweeps}
    assert split(key)[1]["must_not_use"] == "['age', 'job', 'member']"


@pytest.mark.parametrize(
    ("family", "fixed", "said"),
    [
        *cases_beside(__file__),
        ("rule_list", {"must_use": ["age"], "fairness": rl.PredictiveParity(0.3)}, "other than predictive parity"),
    ],
)
def test_what_nothing_could_obey_is_refused_before_the_first_fit(family: str, fixed: Any, said: str) -> None:
    grid = {"min_accuracy": [0.6]} if family == "least_gap" else SETS if family == "rule_set" else LISTS
    with pytest.raises(SweepError, match=said.replace("(", r"\(")):
        rl.sweep(DATA, family, grid, cv=2, sensitive="group", fixed=fixed)


def test_names_of_categories_and_booleans_are_possible_names() -> None:
    names = ["not member", "job == cook", "age is missing", "age <= 20 and member"]
    sweep = swept("rule_list", GRID, fixed={"must_not_use": ["member", *names]})
    assert {result.status for result in sweep.results} == {"optimal"}


def test_fixed_values_take_the_place_of_a_default_grid_s() -> None:
    sweep = swept("rule_list", None, fixed={"regularization": 0.1, "max_conditions": 1})
    assert set(sweep.frame["regularization"]) == {0.1}


def test_an_unknown_name_survives_a_process() -> None:
    error = pickle.loads(pickle.dumps(unknown("aeg", ["age"], "must_use")))
    assert isinstance(error, UnknownNameError)
    assert (error.name, error.value) == ("must_use", "aeg")
    assert str(error) == "must_use: no antecedent uses 'aeg'; the nearest: 'age'"


def test_the_command_line_says_what_was_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    file = str(tmp_path / "people.csv")
    vary = ("--target", "y", "--vary", "regularization=0.05,0.02", "--max-conditions", 1, "--folds", 2, "--quiet")
    column = next(name for name in FRAME.columns if name not in ("y", "id"))
    saved = ("--fits", tmp_path / "fits.csv")
    status, out, err = command(capsys, "sweep", file, *vary, "--must-use", column, "--max-uses", f"{column}:1", *saved)
    assert status == 0, err
    assert "certified: each rule list is optimal for its training rows; asked of all: use " in out
    assert f"have at most 1 condition on {column}" in out
    assert "must_use" in (tmp_path / "fits.csv").read_text().splitlines()[0]
    status, out, err = command(capsys, "sweep", file, *vary, "--must-use", "nothing")
    assert (status, out) == (2, "")
    assert "--must-use: 'nothing' begins with no column" in err
    status, out, err = command(capsys, "sweep", file, *vary, "--first-rule", f"{column} > 12345")
    assert status == 0
    assert "4 fits without a model, the first: no rule list over these training rows can begin with" in err
