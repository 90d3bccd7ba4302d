"""Rule sets on bootstrap samples: the samples are what they should be, and the tables count what returns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rulelab as rl
from rulelab.data.groups import Groups
from rulelab.rule_set.stability.resampling import Bootstrap


def made(n=400, noise=0.1, seed=0, groups=None, **arguments) -> rl.Problem:
    random = np.random.default_rng(seed)
    A = random.random((n, 6)) < 0.5
    y = (A[:, 0] & A[:, 1]) | (A[:, 2] & A[:, 3]) ^ (random.random(n) < noise)
    names = [f"is {letter}" for letter in "abcdef"]
    return rl.Problem.from_arrays(A, y, names=names, groups=None if groups is None else groups(A), **arguments)


def last(states) -> rl.RuleSetStability:
    return list(states)[-1]


def test_samples_have_as_many_rows_and_leave_out_37_percent():
    problem = made(groups=lambda A: np.where(A[:, 4], "x", "y"))
    bootstrap, random = Bootstrap(problem), np.random.default_rng(0)
    place = {words.tobytes(): k for k, words in enumerate(problem.words)}
    totals = np.zeros((2, problem.n_patterns))
    left = 0
    for _ in range(300):
        sample, unseen_positives, unseen_negatives = bootstrap.draw(random)
        assert sample.total_weight == sample.n_rows == 400
        where = [place[words.tobytes()] for words in sample.words]
        drawn = np.zeros_like(totals, dtype=np.int64)
        drawn[:, where] = sample.positives, sample.negatives
        whole = np.stack([problem.positives, problem.negatives])
        unseen = np.stack([unseen_positives, unseen_negatives])
        assert (unseen <= whole).all()
        assert ((drawn > 0) == (unseen < whole)).all()  # a cell is drawn exactly if not all of its rows were left out
        assert (sample.groups.positives.sum(axis=0) == sample.positives).all()
        assert (sample.groups.negatives.sum(axis=0) == sample.negatives).all()
        totals += drawn
        left += unseen.sum()
    assert left / (300 * 400) == pytest.approx(np.exp(-1), abs=0.01)
    expected = np.stack([problem.positives, problem.negatives])
    assert np.abs(totals / 300 - expected).max() < 5 * np.sqrt(expected.max() / 300)


def test_counts_are_rows():
    """A problem of counted rows is sampled as the problem of the rows themselves."""
    A, y = [[True, False], [False, True], [True, True]], [1, 0, 1]
    counted = rl.Problem.from_arrays(A, y, sample_weight=[3, 4, 2])
    rows = rl.Problem.from_arrays(np.repeat(A, [3, 4, 2], axis=0), np.repeat(y, [3, 4, 2]))
    one, other = (Bootstrap(p).draw(np.random.default_rng(5)) for p in (counted, rows))
    assert one.problem.fingerprint == other.problem.fingerprint
    assert one.unseen_positives.tolist() == other.unseen_positives.tolist()


def test_both_classes_are_in_every_sample():
    problem = rl.Problem.from_arrays([[True], [False]], [1, 0])
    for k in range(20):
        sample = Bootstrap(problem).draw(np.random.default_rng(k)).problem
        assert min(sample.total_positive, sample.total_negative) == 1


def test_too_few_rows_of_too_many_groups():
    groups = np.repeat([f"group {k}" for k in range(12)], 2)
    problem = rl.Problem.from_arrays(np.eye(24, dtype=bool), [0, 1] * 12, groups=groups)
    with pytest.raises(rl.ProblemError, match=r"too few rows of the class 1 in the group 'group 0'.*: 1"):
        Bootstrap(problem).draw(np.random.default_rng(0))


def test_rows_of_no_group_are_drawn_too():
    problem = made(groups=lambda A: np.where(A[:, 4], "x", "y"))
    first = Groups(("x",), problem.groups.positives[:1], problem.groups.negatives[:1])
    sample = Bootstrap(replace(problem, groups=first)).draw(np.random.default_rng(0)).problem
    assert sample.total_weight == 400
    assert sample.groups.names == ("x",)
    inside = sample.groups.positives.sum() + sample.groups.negatives.sum()
    assert inside == pytest.approx(first.positives.sum() + first.negatives.sum(), abs=50)
    assert (sample.groups.positives[0][~sample.matrix()[:, 4]] == 0).all()


def test_weights_that_count_nothing():
    problem = rl.Problem.from_arrays([[True], [False]], [1, 0], sample_weight=[0.5, 1.0])
    with pytest.raises(rl.ProblemError, match="not integers"):
        rl.rule_set_stability(problem)


@pytest.mark.parametrize("wrong", [{"n_samples": 0}, {"n_samples": True}, {"random_state": -1}, {"max_complexity": 1}])
def test_arguments_are_checked_at_once(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        rl.rule_set_stability(made(), **wrong)
    with pytest.raises(ValueError, match="time_limit"):
        rl.rule_set_stability(made(), time_limit=-1)


def test_clear_rules_return():
    states = list(rl.rule_set_stability(made(noise=0.02), n_samples=6, max_complexity=6))
    assert [len(state.samples) for state in states] == list(range(7))
    assert [state.done for state in states] == [False] * 6 + [True]
    rules = states[-1].rules()
    assert rules["rule"].head(2).sort_values().tolist() == ["is a and is b", "is c and is d"]
    assert (rules["share"].head(2) == 1).all()
    assert (rules["similarity"].head(2) == 1).all()
    assert rules["in_reference"].head(2).all()
    frame = states[-1].frame
    assert frame["sample"].tolist() == [-1, *range(6)]
    assert set(frame["status"]) == {"optimal"}
    assert (frame["objective"] == frame["lower_bound"]).all()
    assert (frame["shared_rules"] == 2).all()
    assert np.isnan(frame["unseen_error_rate"][0])
    assert (frame["unseen_error_rate"][1:] < 0.1).all()


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_tables_agree_with_the_models(form):
    """Against the models themselves, evaluated on the rows of the problem one by one."""
    problem = made(n=150, noise=0.3)
    state = last(rl.rule_set_stability(problem, n_samples=5, random_state=3, max_complexity=7, form=form))
    A, weight = problem.matrix(), problem.positives + problem.negatives
    decided = [s.model.fired(A) if form == "dnf" else ~s.model.fired(A) for s in state.samples]
    rules = state.rules()
    assert len(rules) == len(set(rules["antecedents"])) > 2
    assert rules["returns"].sum() == sum(len(s.model) for s in state.samples)
    joint = " and " if form == "dnf" else " or "
    for row in rules.to_dict(orient="records"):
        assert row["rule"] == joint.join(problem.names[j] for j in row["antecedents"])
        chosen = A[:, list(row["antecedents"])]
        own = chosen.all(axis=1) if form == "dnf" else ~chosen.any(axis=1)
        assert (row["positives"], row["negatives"]) == (problem.positives[own].sum(), problem.negatives[own].sum())
        best = [max(weight[own & f].sum() / weight[own | f].sum() for f in fired.T) for fired in decided]
        assert row["similarity"] == pytest.approx(np.mean(best))
        assert row["returns"] == sum(any((own == f).all() for f in fired.T) for fired in decided)
    table = state.frame.iloc[1:]
    assert table["error_rate"].tolist() == [s.model.errors / 150 for s in state.samples]
    assert table["complexity"].tolist() == [s.model.complexity for s in state.samples]
    summary = state.summary()
    assert summary.loc["complexity", "mean"] == table["complexity"].mean()
    assert summary.loc["objective", "reference"] == state.reference.objective
    assert summary.loc["unseen_error_rate", "std"] == pytest.approx(table["unseen_error_rate"].std())


def test_errors_on_rows_that_were_not_drawn():
    problem = made(n=150, noise=0.3)
    state = last(rl.rule_set_stability(problem, n_samples=3, random_state=1, max_complexity=5))
    for sample in state.samples:
        drawn = Bootstrap(problem).draw(np.random.default_rng([1, sample.index]))
        positive = sample.model.predicts_positive(problem.matrix())
        assert sample.unseen == drawn.unseen_positives.sum() + drawn.unseen_negatives.sum()
        assert sample.unseen_errors == drawn.unseen_positives @ ~positive + drawn.unseen_negatives @ positive


def test_more_samples_begin_with_the_same_ones():
    few, many = (last(rl.rule_set_stability(made(), n_samples=n, max_complexity=5)) for n in (2, 4))
    pd.testing.assert_frame_equal(few.frame, many.frame.head(3))


def test_nothing_to_say():
    """Sets without rules, and constraints that cannot be met."""
    nothing = rl.Problem.from_arrays(np.ones((20, 1), dtype=bool), [1] + [0] * 19)
    state = last(rl.rule_set_stability(nothing, n_samples=2))
    assert len(state.rules()) == 0
    assert state.frame["rules"].tolist() == [0, 0, 0]
    A = np.zeros((40, 1), dtype=bool)
    A[:20] = True
    unfair = rl.Problem.from_arrays(A, [1, 0] * 15 + [0] * 10, groups=np.repeat(["x", "y"], 20))
    state = last(rl.rule_set_stability(unfair, n_samples=2, fairness=rl.AccuracyParity(0.0), max_complexity=2))
    assert [sample.status for sample in state.samples] == [rl.Status.INFEASIBLE] * 2
    assert all(sample.model is None for sample in state.samples)
    assert state.frame["objective"].isna().sum() >= 2
    assert state.summary()["mean"].isna().all()
    assert state.rules()["share"].isna().all()


def test_fairness_holds_on_every_sample():
    problem = made(groups=lambda A: np.where(A[:, 0], "x", "y"))
    state = last(rl.rule_set_stability(problem, n_samples=2, fairness=rl.EqualOpportunity(0.0), max_complexity=4))
    assert all(sample.status is rl.Status.OPTIMAL for sample in state.samples)
