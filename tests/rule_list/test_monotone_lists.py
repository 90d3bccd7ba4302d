"""Monotone directions of rule lists: by their rules against all lists, and on every row there could be."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from laws import certified, holds, proof_by, refused, rows_of, with_arrays
from naive import decimal
from test_monotone import GRID, drawn, is_monotone

import rulelab as rl
from rulelab.data.directions import NEGATIVE, POSITIVE, allowed_labels

CUTS = {"thresholds": {"a": [0, 1], "b": [0, 1]}, "min_support": 0.0, "max_support": 1.0}
NEUTRAL = ("is missing", "is present")


def classifier(**parameters: object) -> rl.RuleListClassifier:
    return rl.RuleListClassifier(**{**CUTS, "max_conditions": 1, **parameters})


def may_predict(conditions: tuple[rl.Condition, ...], label: int, directions: dict[str, str]) -> bool:
    """Written apart: a rule of the positive class must not end where a column goes the way it has."""
    for condition in conditions:
        if condition.column in directions and condition.operator not in NEUTRAL:
            rises = condition.operator == ">" or condition.value is True
            if (rises == (directions[condition.column] == "increasing")) != (label == 1):
                return False
    return True


def least(problem, penalty, directions, length, must_use) -> Fraction | None:
    """The least objective of lists whose rules all capture something, of all orders and labels."""

    def obeys(chosen: tuple[int, ...], labels: tuple[bool, ...]) -> bool:
        joined = [problem.conditions[a] for a in chosen]
        uses = not must_use or any(c.column == must_use for some in joined for c in some)
        return uses and all(map(may_predict, joined, labels, [directions] * len(chosen)))

    return naive.best_fair_rule_list(*rows_of(problem), [], penalty, {}, obeys=obeys, max_length=length)


def of_some(problem: rl.Problem, kept: np.ndarray) -> rl.Problem:
    """With these antecedents alone."""
    names, conditions = ([of[j] for j in kept.tolist()] for of in (problem.names, problem.conditions))
    some = rl.Problem.from_counts(problem.matrix()[:, kept], problem.positives, problem.negatives, names)
    return replace(some, conditions=tuple(conditions))


def mined(seed: int, unit: float = 1) -> tuple[rl.Problem, dict[str, str]]:
    """A problem of a table that is drawn, with weights in this unit, and directions."""
    table, y, weight, directions, _ = drawn(seed)
    X = rl.Binarizer(thresholds=CUTS["thresholds"]).fit_transform(table)
    ants = rl.mine_antecedents(X, 1 + seed % 2, min_support=0.0, max_support=1.0)
    return rl.Problem.from_antecedents(ants, y, sample_weight=weight * unit), directions


def small(seed: int) -> tuple[rl.Problem, dict[str, str]]:
    """A problem of four antecedents, and directions of some of its columns."""
    problem, directions = mined(seed, 0.1 if seed % 4 == 3 else 1)
    kept = np.random.default_rng(seed).permutation(problem.n_antecedents)[:4]
    problem = of_some(problem, np.sort(kept))
    columns = {c.column for some in problem.conditions for c in some}
    return problem, {name: way for name, way in directions.items() if name in columns}


def test_the_list_is_the_best_of_those_that_obey():
    dearer = 0
    for seed in range(30):
        problem, directions = small(seed)
        penalty = (0.02, 0.1, 0.004)[seed % 3]
        demands: dict[str, Any] = {}
        if seed % 5 == 1:
            demands["max_length"] = 2
        if seed % 5 == 2:
            demands["must_use"] = next(c.column for some in problem.conditions for c in some)
        last = rl.solve(rl.search(problem, regularization=penalty, monotone=directions, **demands))
        asked = decimal(penalty), demands.get("max_length", 4), demands.get("must_use")
        best, free = (least(problem, asked[0], ways, *asked[1:]) for ways in (directions, {}))
        if best is None:
            assert last.status is rl.Status.INFEASIBLE, seed
            continue
        assert last.status is rl.Status.OPTIMAL, seed
        assert last.incumbent.objective == pytest.approx(float(best), abs=1e-12), seed
        for rule in last.incumbent.model.rules:
            assert may_predict(rule.conditions, int(rule.prediction), directions)
        dearer += best > free
    assert dearer > 9


def test_what_the_list_predicts_is_monotone_for_every_row_there_could_be():
    for seed in range(8):
        table, y, weight, directions, _ = drawn(seed)
        model = classifier(regularization=0.01, monotone=directions).fit(table, y, sample_weight=weight)
        assert model.status_ is rl.Status.OPTIMAL
        assert is_monotone(set(np.flatnonzero(model.predict(GRID))), directions), seed


def case(seed: int) -> tuple[rl.engines.ConstrainedRuleListSearch, dict[str, str]]:
    problem, directions = mined(seed)
    directions = {name: way for name, way in directions.items() if any(name in str(one) for one in problem.names)}
    return rl.search(problem, regularization=0.04, monotone=directions), directions


def test_where_no_rule_may_predict_anything_the_proof_is_of_the_default_alone():
    X = pd.DataFrame({"a": [True, True, False, False] * 3, "b": [True, False, True, False] * 3})
    ants = rl.mine_antecedents(X, 2, min_support=0.0, max_support=1.0)
    both = rl.Problem.from_antecedents(ants, [1, 0, 0, 0] * 3)
    problem = of_some(both, np.array([j for j, some in enumerate(both.conditions) if len(some) == 2]))
    search = rl.search(problem, regularization=0.01, monotone={"a": "increasing", "b": "decreasing"})
    last = rl.solve(search)
    assert (last.status, len(last.incumbent.model)) == (rl.Status.OPTIMAL, 0)
    proof = search.certificate()
    assert not proof.arrays["labels"].any()
    n_bytes = proof.arrays["sets"].shape[1]
    raised = {"sets": np.array([[128] + [0] * (n_bytes - 1)], dtype=np.uint8), "values": np.array([1 << 40])}
    for other in ({}, raised):
        answer = holds(problem, last.incumbent.model, with_arrays(proof, **other))
        assert answer.lower_bound == last.incumbent.objective == 0.25


def test_proofs_hold_and_say_what_they_are_about():
    for seed in range(8):
        search, directions = case(seed)
        last = certified(search)
        assert last.incumbent is not None
        model, proof = last.incumbent.model, search.certificate()
        found = holds(search.problem, model, proof)
        if directions:
            assert "rule by rule" in found.reason
            assert all(f"{way} in {name}" in found.reason for name, way in directions.items())
        plain = rl.solve(rl.RuleListSearch(search.problem, 0.04)).incumbent
        assert plain is not None
        assert last.incumbent.objective >= plain.objective - 1e-12
        obeys = all(
            allowed_labels(tuple(directions.items()), [rule.conditions])[0]
            & (POSITIVE if rule.prediction else NEGATIVE)
            for rule in plain.model.rules
            if any(c.column in directions for c in rule.conditions) and len(directions) == 1
        )
        if len(directions) == 1 and not obeys:
            assert not rl.verify(search.problem, plain.model, proof)


@pytest.mark.parametrize("classes", [("no", "yes"), (1, 2), (False, True)])
def test_proofs_are_of_the_labels_that_the_data_have(classes):
    """A rule of the second class is a positive one, whatever the classes are called."""
    told = 0
    for seed in range(8):
        search, directions = case(seed)
        problem = replace(search.problem, classes=classes)
        model, proof = proof_by(rl.search(problem, regularization=0.04, monotone=directions))
        assert rl.verify(problem, model, proof), seed
        for rule in model.rules:
            only = NEGATIVE if rule.prediction == classes[1] else POSITIVE
            labels = proof.arrays["labels"].copy()
            labels[rule.antecedent] = only
            lie = with_arrays(proof, labels=labels)
            assert "may not predict what it does" in refused(problem, model, lie), seed
            told += 1
    assert told > 4


def test_what_cannot_be_is_an_error():
    search, _ = case(0)
    with pytest.raises(ValueError, match=r"monotone.*'nobody'"):
        rl.search(search.problem, monotone={"nobody": "increasing"})
    with pytest.raises(ValueError, match="'increasing' or 'decreasing'"):
        rl.search(search.problem, monotone={"a": "up"})
    table = pd.DataFrame({"c": list("uvw") * 8, "n": range(24)})
    with pytest.raises(ValueError, match="categories"):
        rl.RuleListClassifier(monotone={"c": "increasing"}).fit(table, [0, 1] * 12)
    with pytest.raises(ValueError, match="compares groups, but the problem has no groups"):
        rl.search(search.problem, monotone={"a": "increasing"}, fairness=rl.EqualOpportunity(0.1))


def test_a_column_of_two_numbers_has_a_larger_one():
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"two": rng.choice([3, 7], 60), "n": rng.integers(0, 9, 60)})
    y = ((table["two"] == 3) ^ (rng.random(60) < 0.2)).astype(int)
    up = rl.RuleListClassifier(monotone={"two": "increasing"}).fit(table, y)
    for n in range(9):
        low, high = (int(up.predict(pd.DataFrame({"two": [v], "n": [n]}))[0]) for v in (3, 7))
        assert low <= high
    down = rl.RuleListClassifier(monotone={"two": "decreasing"}).fit(table, y)
    assert down.objective_ == rl.RuleListClassifier().fit(table, y).objective_ < up.objective_
