"""Every call ends: limits by default, the same everywhere, and what is said when one of them was met."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import run
from sklearn.exceptions import ConvergenceWarning
from test_estimators import flowers, people

import rulelab as rl
from rulelab import parameters
from rulelab.data.antecedents import TooManyAntecedents
from rulelab.data.mining import mine_antecedents, mine_within
from rulelab.fitting import CLASSIFIERS
from rulelab.sweeps.families import FAMILIES


def table(columns: int = 14, rows: int = 120) -> pd.DataFrame:
    matrix = np.random.default_rng(2).random((rows, columns)) < 0.5
    return pd.DataFrame(matrix, columns=[f"c{k}" for k in range(columns)])


def default(function: object, name: str) -> object:
    return inspect.signature(function).parameters[name].default  # type: ignore[arg-type]


@pytest.fixture
def seen(monkeypatch):
    """What the last search was asked for."""
    asked = {}
    monkeypatch.setattr(
        rl.Search,
        "steps",
        lambda search, **options: asked.update(options, **search.parameters) or rl.steps(search, work_limit=1),
    )
    return asked


@pytest.mark.parametrize("family", list(CLASSIFIERS))
def test_classifiers_sweeps_and_the_command_line_have_the_same_defaults(family, tmp_path, capsys, seen):
    make = CLASSIFIERS[family]
    assert default(make, "time_limit") == default(rl.sweep, "time_limit") == parameters.TIME_LIMIT
    assert default(make, "memory_limit") == FAMILIES[family].defaults["memory_limit"] == parameters.MEMORY_LIMIT
    names = set(inspect.signature(make).parameters) & set(FAMILIES[family].defaults)
    assert {name: default(make, name) for name in names} == {name: FAMILIES[family].defaults[name] for name in names}
    X, y = people()
    X.assign(y=y).to_csv(tmp_path / "people.csv", index=False)
    status, _, err = run(capsys, "fit", tmp_path / "people.csv", "--target", "y", "--model", family.replace("_", "-"))
    assert (status, seen["time_limit"]) == (0, parameters.TIME_LIMIT), err
    for name in set(inspect.signature(make).parameters) & set(seen) - {"random_state"}:
        assert seen[name] == default(make, name), name


def test_limits_are_lifted_on_the_command_line(tmp_path, capsys, seen):
    table().assign(y=[0, 1] * 60).to_csv(tmp_path / "t.csv", index=False)
    lifted = ["--time-limit", "none", "--memory-limit", "None", "--max-antecedents", "none"]
    options = ["fit", tmp_path / "t.csv", "--target", "y", "--regularization", 0.2]
    assert run(capsys, *options, *lifted)[0] == 0
    assert seen["time_limit"] is seen["memory_limit"] is None
    status, _, err = run(capsys, *options, "--time-limit", "soon")
    assert (status, "--time-limit" in err) == (2, True)
    status, _, err = run(capsys, *options, "--model", "rule-set", "--max-antecedents", "none")
    assert (status, "--max-antecedents is not an option of --model rule-set" in err) == (2, True)
    monte_carlo = ["--model", "falling-rule-list", "--method", "monte_carlo"]
    status, _, err = run(capsys, *options, *monte_carlo, "--memory-limit", "1GB")
    assert (status, "--memory-limit is for --method exact" in err) == (2, True)
    assert run(capsys, *options, *monte_carlo)[0] == 0


def test_too_many_antecedents_give_way_to_those_of_fewer_conditions():
    B = table()
    full = {k: mine_antecedents(B, k, 0.0, 1.0) for k in (1, 2, 3)}
    sizes = {k: len(antecedents) for k, antecedents in full.items()}
    for most, taken in ((None, 3), (sizes[3], 3), (sizes[3] - 1, 2), (sizes[2], 2), (sizes[2] - 1, 1), (1, 1)):
        found, note = mine_within(B, 3, 0.0, 1.0, max_antecedents=most)
        assert found.names == full[taken].names
        assert (f"at most {taken} condition" in note) is (taken < 3)
        assert ("max_antecedents" in note) is (taken < 3)
    with pytest.raises(TooManyAntecedents):
        mine_antecedents(B, 3, 0.0, 1.0, max_antecedents=sizes[2])


def test_the_memory_of_a_search_limits_its_antecedents():
    B = table(rows=800)
    found, note = mine_within(B, 2, 0.0, 1.0, memory_limit=64 * 101 * 20)
    assert len(found) == 14
    assert "20" in note
    assert "memory_limit" in note
    assert mine_within(B, 2, 0.0, 1.0, memory_limit=10**9)[1] == ""


@pytest.mark.parametrize("make", [rl.RuleListClassifier, rl.FallingRuleListClassifier])
def test_a_classifier_says_what_it_left_out(make):
    B, y = table(), [0, 1] * 60
    with pytest.warns(UserWarning, match="at most 1 condition, not 2: .* max_antecedents .* raise it") as told:
        model = make(regularization=0.1, max_antecedents=14).fit(B, y)
    assert told[0].filename == __file__
    assert len(model.antecedents_) == 14
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(make(regularization=0.1, max_antecedents=None).fit(B, y).antecedents_) > 14
    with pytest.raises(ValueError, match="max_antecedents"):
        make(max_antecedents=0).fit(B, y)


def test_the_command_line_says_what_it_left_out(tmp_path, capsys):
    table().assign(y=[0, 1] * 60).to_csv(tmp_path / "t.csv", index=False)
    options = ["--target", "y", "--regularization", 0.1, "--max-antecedents", 30]
    status, _, err = run(capsys, "fit", tmp_path / "t.csv", *options)
    assert (status, "rules have at most 1 condition, not 2" in err) == (0, True)


def test_classes_share_the_time(monkeypatch):
    given = []

    def steps(search: rl.Search, time_limit: float, gap: float, verbose: bool):
        given.append(time_limit)
        for snapshot in rl.steps(search, gap=gap):
            yield replace(snapshot, seconds=time_limit / 2)

    monkeypatch.setattr(rl.Search, "steps", steps)
    X, y = flowers()
    rl.RuleListClassifier(0.05, thresholds=3, max_conditions=1, time_limit=24.0).fit(X, y)
    assert given == [8.0, 10.0, 15.0]  # of 24, of the 20 that are left, of the 15 that are left then


@pytest.fixture
def inexact(monkeypatch):
    """Searches end with an objective that is proven optimal within the rounding of their numbers."""
    original = rl.Search.advance
    rounding = 3e-6

    def advance(search: rl.Search, max_work: int) -> rl.Snapshot:
        snapshot = original(search, max_work)
        if snapshot.status is not rl.Status.OPTIMAL:
            return snapshot
        bound = snapshot.incumbent.objective - rounding
        return replace(snapshot, status=rl.Status.LIMIT, limit="exactness", lower_bound=bound)

    monkeypatch.setattr(rl.Search, "advance", advance)


@pytest.mark.parametrize("family", list(CLASSIFIERS))
def test_optimal_within_rounding_is_said_in_these_words(family, inexact, tmp_path, capsys):
    X, y = people()
    options = {"max_complexity": 4, "max_conditions": 1} if family == "rule_set" else {"regularization": 0.05}
    with pytest.warns(ConvergenceWarning) as told:
        model = CLASSIFIERS[family](**options, thresholds=3).fit(X, y)
    assert [str(one.message)[:30] for one in told] == ["proven optimal within 0.000003"]
    assert told[0].filename == __file__
    assert model.status_ is rl.Status.LIMIT
    assert 2e-6 < model.gap_ < 4e-6
    X.assign(y=y).to_csv(tmp_path / "people.csv", index=False)
    named = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    arguments = ["--target", "y", "--thresholds", 3, "--model", family.replace("_", "-"), *named]
    status, out, err = run(capsys, "fit", tmp_path / "people.csv", *arguments)
    assert status == 0
    assert "optimal within 0.000003" in out
    assert "certified" not in out + err.replace("certified  ", "")
    assert "limit reached" not in out


def test_a_warning_of_a_limit_names_the_line_of_the_fit():
    X, _ = people()
    y = np.random.default_rng(0).integers(0, 2, len(X))
    with pytest.warns(ConvergenceWarning, match="time limit") as told:
        rl.RuleListClassifier(0.005, time_limit=0.0, thresholds=3).fit(X, y)
    assert told[0].filename == __file__
