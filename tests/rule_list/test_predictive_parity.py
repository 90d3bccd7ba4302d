"""Rule lists of predictive parity against all lists, in slices, with any weights, and where it cannot be asked for."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import laws
import naive
import numpy as np
import pandas as pd
import pytest
from laws import finished, problem_of
from random_problems import Rows, weights_as_read
from test_fair_rule_list import KINDS, PENALTIES, larger_problem, some_rows

import rulelab as rl
from rulelab.__main__ import main
from rulelab.data.fairness import true_gaps
from rulelab.falling_rule_list import FairFallingSearch
from rulelab.rule_list.fair import search as fair_search


def gap(rows: Rows, weight: Sequence[int], predicted: Sequence[bool], least: int = 0) -> Fraction:
    """The largest difference of the parts that are positive among those predicted positive, of groups with any."""
    counted = [i for i in range(len(rows.y)) if weight[i]]
    y, group = rows.y[counted], rows.group[counted].tolist()
    w, positive = ([each[i] for i in counted] for each in (weight, predicted))
    return naive.weighted_gap("precision", y, w, group, positive, least)


def case(seed: int) -> tuple[Rows, rl.PredictiveParitySearch]:
    rng = np.random.default_rng(seed)
    rows = some_rows(rng, KINDS[seed % len(KINDS)], most_columns=3)
    criterion = rl.PredictiveParity(float(rng.choice([0.0, 0.02, 0.1, 0.3])))
    given = {"labels": str(rng.choice(["free", "majority"]))}
    search = rl.search_for(problem_of(rows), regularization=float(rng.choice(PENALTIES)), fairness=criterion, **given)
    assert isinstance(search, rl.PredictiveParitySearch)
    return rows, search


def check(rows: Rows, search: rl.PredictiveParitySearch, last: rl.Snapshot) -> tuple[Fraction | None, Fraction]:
    weight = [int(w * rows.scale) for w in weights_as_read(rows.weight)]
    tolerance, penalty = Fraction(repr(search.fairness.tolerance)), Fraction(repr(search.regularization))
    best, free = None, Fraction(2)
    for length, predicted, wrong in naive.labelled_rule_lists(rows.A, rows.y, weight, rows.A.shape[1], search.labels):
        cost = wrong + penalty * length
        free = min(free, cost)
        if (best is None or cost < best) and gap(rows, weight, predicted) <= tolerance:
            best = cost
    if best is None:
        assert (last.status, last.incumbent) == (rl.Status.INFEASIBLE, None)
        return best, free
    assert last.status is rl.Status.OPTIMAL or (rows.kind == "real" and last.limit == "exactness")
    assert last.incumbent.objective == pytest.approx(float(best), abs=1e-13)
    assert last.lower_bound <= float(best) + 1e-15
    predicted = last.incumbent.model.predicts_positive(rows.A).tolist()
    assert gap(rows, weight, predicted) <= tolerance
    assert last.detail["true_gaps"]["precision"] == pytest.approx(float(gap(rows, weight, predicted)), abs=1e-12)
    return best, free


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 2))])
def test_the_optimum_is_that_of_the_naive_reference(part: int) -> None:
    binding = 0
    for seed in range(12 * part, 12 * part + 12):
        rows, search = case(seed)
        best, free = check(rows, search, finished(search))
        binding += best is None or best > free
    assert binding > 3


@pytest.mark.long
def test_slices_and_pickling_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ranges are searched in another order then, so that counts and equally good lists may differ."""

    def objective_of(snapshot: rl.Snapshot) -> tuple[rl.Status, float, float | None]:
        best = snapshot.incumbent
        return snapshot.status, round(snapshot.lower_bound, 12), None if best is None else round(best.objective, 12)

    monkeypatch.setattr(laws, "told", objective_of)
    laws.slices_change_nothing(monkeypatch, fair_search, 200, case, range(4))


def test_weights_of_too_many_digits_for_the_kernels() -> None:
    """Rounded sums decide nothing: every list that may be fair is looked at in exact numbers."""
    for seed in range(6):
        rows, _ = case(4 * seed)
        rng = np.random.default_rng(seed)
        weight = rng.integers(1, 4, len(rows.y)) * (2.0**-40 if seed % 2 else 1.0) + rng.integers(1, 4, len(rows.y))
        heavy = Rows(rows.A, rows.y, weight, rows.group, "real")
        search = rl.search_for(problem_of(heavy), regularization=0.02, fairness=rl.PredictiveParity(0.1))
        check(heavy, search, finished(search))


def test_a_list_may_predict_nobody_positive_and_small_groups_are_left_out() -> None:
    problem = rl.Problem.from_arrays([[0], [1]] * 3, [0, 1, 0, 0, 0, 1], groups=list("aabbbc"))
    search = rl.search_for(problem, regularization=0.4, fairness=rl.PredictiveParity(0.0))
    last = rl.solve(search)
    assert last.status is rl.Status.OPTIMAL
    assert not last.incumbent.model.predicts_positive(problem.matrix()).any()
    assert last.detail["true_gaps"] == {"precision": 0.0}
    small = rl.search_for(problem, regularization=0.01, fairness=rl.PredictiveParity(0.0), min_group_size=2)
    assert "c (1)" in small.left_out
    with pytest.raises(ValueError, match="no two groups"):
        rl.search_for(problem, regularization=0.01, fairness=rl.PredictiveParity(0.0), min_group_size=3)


def test_limits_stop_a_search_that_then_goes_on() -> None:
    search = rl.search_for(larger_problem(m=10), regularization=0.01, fairness=rl.PredictiveParity(0.02))
    assert rl.solve(search, work_limit=3).limit == "work"
    search = pickle.loads(pickle.dumps(search))
    search.memory_limit = 1
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
    assert stopped.lower_bound <= stopped.incumbent.objective
    search.memory_limit = None
    last = rl.solve(search)
    assert last.status is rl.Status.OPTIMAL
    assert last.memory_bytes < 4_000_000
    whole = rl.solve(rl.search_for(larger_problem(m=10), regularization=0.01, fairness=rl.PredictiveParity(0.02)))
    assert whole.incumbent.objective == last.incumbent.objective
    warm = rl.search_for(
        larger_problem(m=10), regularization=0.01, fairness=rl.PredictiveParity(0.02), warm_start=last.incumbent.model
    )
    assert rl.solve(warm, work_limit=1).incumbent.objective == last.incumbent.objective
    predicted = last.incumbent.model.predicts_positive(search.problem.matrix())
    assert true_gaps(search.fairness, search.problem.groups, predicted)["precision"] <= 0.02
    assert rl.verify(search.problem, last.incumbent.model, search.certificate())


def test_other_searches_say_that_it_is_for_rule_lists() -> None:
    problem, criterion = larger_problem(), rl.PredictiveParity(0.1)
    for make in (rl.RuleSetSearch, FairFallingSearch, rl.FairRuleListSearch):
        with pytest.raises(ValueError, match="PredictiveParity is for rule lists"):
            make(problem, fairness=criterion)
    with pytest.raises(ValueError, match="criterion must be"):
        rl.LeastGapSearch(problem, rl.PredictiveParity, 0.01, 0.6)
    with pytest.raises(ValueError, match=r"fairness must be rulelab.PredictiveParity"):
        rl.PredictiveParitySearch(problem, 0.01, rl.EqualOpportunity(0.1))
    with pytest.raises(ValueError, match="tolerance"):
        rl.PredictiveParity(-1.0)


def test_the_classifier_and_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {"n": rng.integers(0, 9, 200), "c": rng.choice(list("uvw"), 200), "g": rng.choice(["x", "y"], 200)}
    )
    y = ((table["n"] > 4) ^ (rng.random(200) < np.where(table["g"] == "x", 0.1, 0.3))).astype(int)
    model = rl.RuleListClassifier(fairness=rl.PredictiveParity(0.05), min_group_size=0)
    model.fit(table[["n", "c"]], y, sensitive_features=table["g"])
    assert model.status_ is rl.Status.OPTIMAL
    predicted = model.predict(table[["n", "c"]]).astype(bool)
    values = [y[predicted & (table["g"] == g)].mean() for g in "xy" if (predicted & (table["g"] == g)).any()]
    assert max(values, default=0) - min(values, default=0) <= 0.05 + 1e-12
    table.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    asked = ["--target", "y", "--sensitive", "g", "--fairness", "predictive-parity:0.05"]
    assert main(["fit", str(tmp_path / "t.csv"), "--model", "rule-list", *asked]) == 0
    assert "predictive parity within 0.05" in capsys.readouterr().out
    assert main(["fit", str(tmp_path / "t.csv"), "--model", "rule-set", *asked]) == 2
    assert "fairness must be a criterion other than predictive parity for a RuleSetSearch" in capsys.readouterr().err


def test_the_bound_of_all_lists_comes_first_and_holds_in_every_range() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        A = rng.random((120, 5)) < 0.5
        y = (A[:, 0] & A[:, 1]) ^ (rng.random(120) < 0.3)
        problem = rl.Problem.from_arrays(A, y, groups=np.arange(120) % 6)
        free = rl.solve(rl.RuleListSearch(problem, 0.02)).incumbent.objective
        search = rl.search_for(problem, regularization=0.02, fairness=rl.PredictiveParity(0.05))
        steps = [search.advance(1)]
        while steps[-1].lower_bound < free - 1e-12:
            steps.append(search.advance(1))
        assert (steps[-1].status, len(steps) < 100) == ("running", True)
        assert steps[-1].lower_bound <= steps[-1].incumbent.objective
        search = pickle.loads(pickle.dumps(search))
        answer = rl.verify(problem, steps[-1].incumbent.model, search.certificate(bound_only=True))
        assert answer.state == "bound"
        assert answer.lower_bound == pytest.approx(steps[-1].lower_bound, rel=1e-9)
