"""Groups too small for a fairness constraint are left out, and it is said; proofs make the same restriction."""

import numpy as np
import pandas as pd
import pytest
from command_line import output_of
from laws import certified, holds, proof_by, with_arrays, with_parameters
from patience import PATIENCE

import rulelab as rl
from rulelab.datasets import from_frame
from rulelab.views.cards.card import of_search
from rulelab.views.cards.html import doubts
from rulelab.views.cards.scores import of_counts

EO = rl.EqualOpportunity(0.05)


def table(n: int = 300) -> pd.DataFrame:
    """Groups "a" and "b", and a small one "c" on whose positives no rule does well; some labels are missing."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.random((n, 5)) < 0.5, columns=list("vwxyz"))
    frame["group"] = np.where(rng.random(n) < 0.5, "a", "b")
    frame["label"] = ((frame.v & frame.w) ^ (rng.random(n) < 0.1)).astype(int)
    frame.loc[:19, "group"], frame.loc[:19, "label"], frame.loc[:19, "v"] = "c", np.arange(20) % 2, False
    frame.loc[20:59, "group"] = None
    return frame


def problem(weight: np.ndarray | None = None) -> rl.Problem:
    frame = table()
    groups = frame.group.fillna("none")
    return rl.Problem.from_arrays(frame[list("vwxyz")], frame.label, sample_weight=weight, groups=groups)


def test_a_small_group_does_not_rule_the_rest():
    every = rl.solve(rl.RuleSetSearch(problem(), 6, fairness=EO))
    most = rl.solve(search := rl.RuleSetSearch(problem(), 6, fairness=EO, min_group_size=15))
    free = rl.solve(rl.RuleSetSearch(problem(), 6))
    assert every.status is most.status is rl.Status.OPTIMAL
    assert every.incumbent.objective > most.incumbent.objective >= free.incumbent.objective
    assert "c (10), none (5): fewer than 15 positive training rows" in search.left_out
    assert (most.detail["left_out"], every.detail["left_out"]) == (search.left_out, "")
    assert most.detail["true_gaps"]["false_negative_rate"] <= 0.05


def test_a_card_says_who_was_left_out_and_that_rates_are_empty():
    last = rl.solve(search := rl.RuleSetSearch(problem(), 2, fairness=rl.EqualOpportunity(0.0), min_group_size=15))
    card = of_search(search, last)
    assert "c (10)" in card.limits
    assert last.detail["emptied"] == "equal because nearly everyone is missed: true positive rates 0 %"
    assert "equal because nearly everyone is missed, true positive rates 0 %" in doubts(card, of_counts(card))


def test_rows_count_whatever_they_weigh():
    weight = np.ones(300, dtype=int)
    weight[:20] = 50
    heavy = rl.RuleSetSearch(problem(weight), 6, fairness=EO, min_group_size=15)
    assert "c (10)" in heavy.left_out
    weight[:10] = 0
    assert "c (5)" in rl.RuleSetSearch(problem(weight), 6, fairness=EO, min_group_size=15).left_out
    odds = rl.RuleSetSearch(problem(0.5 * weight), 6, fairness=rl.EqualizedOdds(0.1), min_group_size=11)
    assert odds.left_out.count("c (5)") == 2


def test_groups_without_any_such_row_are_left_out_by_one_and_one_alone_cannot_be_compared():
    frame = table()
    y = frame.label.where(frame.group != "c", 0)
    grouped = rl.Problem.from_arrays(frame[list("vwxyz")], y, groups=frame.group.fillna("none"))
    with pytest.raises(ValueError, match="'c' has no positives"):
        rl.RuleSetSearch(grouped, fairness=EO)
    assert rl.RuleSetSearch(grouped, fairness=rl.FalsePositiveRateParity(0.1)).fairness is not None
    assert "c (0)" in rl.RuleSetSearch(grouped, fairness=EO, min_group_size=1).left_out

    with pytest.raises(ValueError, match=r"no two groups to compare.*fewer than 999 positive.*'c' 10.*min_group_size"):
        rl.RuleSetSearch(problem(), fairness=EO, min_group_size=999)


def test_a_frontier_leaves_out_the_same_groups():
    places = {"tolerances": (0.05, 0.3), "complexities": (4, 6), "max_conditions": 2}
    search = rl.frontier(problem(), "tolerance", "rule_set", min_group_size=15, **places)
    last = certified(search)
    assert last.detail["left_out"] == search.left_out
    assert "c (10)" in search.left_out
    for point in search.points:
        fairness, most = rl.EqualOpportunity(point.place["tolerance"]), point.place["max_complexity"]
        alone = rl.solve(rl.RuleSetSearch(problem(), most, 2, fairness=fairness, min_group_size=15))
        assert point.value == alone.incumbent.objective
        assert point.true_gap <= max(alone.detail["true_gaps"].values()) or point.model != alone.incumbent.model


def test_a_proof_speaks_of_the_groups_that_were_compared():
    data = problem()
    model, proof = proof_by(rl.RuleSetSearch(data, 6, fairness=EO, min_group_size=15))
    answer = holds(data, model, proof)
    assert "groups of fewer than 15 rows left out" in answer.reason

    def changed(**parameters: float) -> rl.results.Verification:
        return rl.verify(data, model, with_parameters(proof, **parameters))

    assert "breaks a constraint" in changed(min_group_size=0.0).reason
    assert not changed(min_group_size=10.0)
    assert "leaves 0 to compare" in changed(min_group_size=999.0).reason
    assert "whole number" in changed(min_group_size=2.5).reason
    multipliers = proof.arrays["multipliers"].copy()
    multipliers[0, 0, data.groups.names.index("c")] = 1.0
    answer = rl.verify(data, model, with_arrays(proof, multipliers=multipliers))
    assert "a group that is left out" in answer.reason
    best, plain = proof_by(rl.RuleSetSearch(data, 6))
    lie = with_parameters(plain, min_group_size=15.0)
    assert "no rates of groups" in rl.verify(data, best, lie).reason


def test_a_fit_says_who_was_left_out_and_the_proof_is_checked_on_the_file(tmp_path, capsys):
    file, model, proof = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "p.npz"
    table().to_csv(file, index=False)
    where = (file, "--target", "label", "--sensitive", "group", "--model", "rule-set", "--quiet")
    options = ("--fairness", "equal-opportunity:0.05", "--max-complexity", "6")
    saved = ("-o", model, "--proof", proof, "--min-group-size", "15")
    out, err = output_of(capsys, "fit", *where, *options, *saved)
    assert "equal opportunity within 0.05 between groups" in out
    assert all(each in err for each in ("left out of the fairness constraint: ", "c (10)"))
    assert "min group size 15" in output_of(capsys, "verify", file, model, proof, "--sensitive", "group")[0]
    assert "not valid" in output_of(capsys, "verify", file, model, proof, "--sensitive", "x", status=1)[0]
    assert "(10)" not in output_of(capsys, "fit", *where, *options, "--min-group-size", "0")[1]
    strict = ("--fairness", "equal-opportunity:0,1", "--max-complexity", "2", "--min-group-size", "15")
    out, err = output_of(capsys, "frontier", *where, *strict)
    assert "c (10)" in err
    assert "at tolerance 0 and complexity 2 the rates are equal because nearly everyone is missed" in out
    assert "points of accuracy" in out


def test_an_estimator_warns():
    frame = table()
    groups = frame.group.fillna("none")
    model = rl.RuleSetClassifier(6, fairness=EO, min_group_size=15)
    with pytest.warns(UserWarning, match=r"left out of the fairness constraint: c \(10\), none"):
        model.fit(frame[list("vwxyz")], frame.label, sensitive_features=groups)


def test_a_sweep_has_a_group_of_missing_labels_and_says_who_is_left_out():
    data = from_frame(table(), "label", sensitive=["group"], name="t")
    grid = {"max_complexity": [4], "fairness": [EO], "min_group_size": [11]}
    sweep = rl.sweep(data, "rule_set", grid, 2, "group", groups=["a", "b", "c", "(missing)"])
    assert sweep.wait(PATIENCE)
    assert set(sweep.rates(0).index) == {"a", "b", "c", "(missing)"}
    assert all("c (" in result.message for result in sweep.results)
