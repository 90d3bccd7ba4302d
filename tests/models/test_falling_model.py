"""Falling rule lists against the definition in fractions; reading them back; risk groups."""

import json
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import decimal
from test_exchange import models
from test_models import cases, first_rule, with_entry
from test_models import small as small_list

import rulelab as rl
from rulelab.data.metrics import wilson_interval

WEIGHTS = st.sampled_from([0.1, 0.5, 1, 1.5, 2, 3.7, 7, 1e-3, 1e6])
PENALTIES = st.sampled_from([None, 0.0, 0.05, 0.5, 3.0])


@given(cases(), WEIGHTS, PENALTIES, st.sampled_from([0.0, 1e-6, 0.1]))
def test_counts_and_objective_are_those_of_the_definition(case, w, penalty, regularization):
    A, y, weight, antecedents = case
    model = rl.FallingRuleList.from_problem(
        rl.Problem.from_arrays(A, y, sample_weight=weight), antecedents, w, violation_penalty=penalty
    )
    counts = np.zeros((len(antecedents) + 1, 2), dtype=int)
    for row, label, one in zip(A, y, weight, strict=True):
        counts[first_rule(row, antecedents), label] += one
    every = (*model.rules, model.default)
    assert [(rule.negatives, rule.positives) for rule in every] == list(map(tuple, counts.tolist()))
    expected = naive.falling_objective(
        A, y, weight.tolist(), decimal(w), decimal(regularization), antecedents,
        None if penalty is None else decimal(penalty),
    )  # fmt: skip
    assert model.exact_objective(regularization) == expected
    assert model.objective(regularization) == float(expected)
    assert model.falls == naive.falls(A, y, weight.tolist(), antecedents)
    scores = model.evaluate(A, y, sample_weight=weight, regularization=regularization)
    assert scores.objective == model.objective(regularization)
    assert (scores.errors, scores.weight) == (model.errors, model.weight)


@given(cases(), WEIGHTS, PENALTIES)
def test_predictions_and_probabilities(case, w, penalty):
    A, y, weight, antecedents = case
    problem = rl.Problem.from_arrays(A, np.array(["no", "yes"])[y], sample_weight=weight)
    model = rl.FallingRuleList.from_problem(problem, antecedents, w, violation_penalty=penalty)
    lowest, expected = Fraction(1), []
    every = (*model.rules, model.default)
    for k, rule in enumerate(every):
        left = every[k:]
        p, n = rule.positives, rule.captured
        if n == 0:
            p, n = sum(r.positives for r in left), sum(r.captured for r in left)
        proportion = Fraction(p, n) if n else lowest
        lowest = min(lowest, proportion)
        assert (rule.prediction == "yes") == (proportion > 1 / (1 + decimal(w)))
        assert model.proportions[k] == float(proportion)
        expected.append(float(proportion if penalty is None else lowest))
        assert model.lowered[k] == (expected[-1] < float(proportion))
    fired = [first_rule(row, antecedents) for row in A]
    assert model.fired(A).tolist() == fired
    assert model.predict(A).tolist() == [every[k].prediction for k in fired]
    assert model.predict_proba(A)[:, 1].tolist() == [expected[k] for k in fired]
    explained = model.explain(A)
    assert explained["probability"].tolist() == [expected[k] for k in fired]
    assert explained["proportion"].tolist() == [model.proportions[k] for k in fired]
    if penalty is not None or model.falls:
        shown = [each for each, rule in zip(expected, every, strict=True) if rule.captured]  # others say what is left
        assert sorted(shown, reverse=True) == shown


@given(cases(st.floats(0, 3).map(lambda w: round(w, 3) + 0.0005)), WEIGHTS, PENALTIES)
def test_fractional_weights(case, w, penalty):
    A, y, weight, antecedents = case
    model = rl.FallingRuleList.from_problem(
        rl.Problem.from_arrays(A, y, sample_weight=weight), antecedents, w, violation_penalty=penalty
    )
    scores = model.evaluate(A, y, sample_weight=weight, regularization=0.01)
    assert scores.objective == pytest.approx(model.objective(0.01))
    assert rl.FallingRuleList.from_json(model.to_json()) == model


def small(penalty: float | None = 0.5, w: float = 2) -> rl.FallingRuleList:
    A = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    problem = rl.Problem.from_arrays(A, [1, 0, 1, 1, 0, 0], names=["one", "two", "a third"])
    return rl.FallingRuleList.from_problem(problem, [0, 1], w, penalty)


def test_text():
    assert str(small()).splitlines() == [
        "if      one then P(1) = 0.50   (1 positive, 1 negative, predicts 1)",
        "else if two then P(1) = 0.50   (2 positive, 0 negative, predicts 1, proportion 1.00)",
        "else             P(1) = 0.00   (0 positive, 2 negative, predicts 0)",
    ]
    assert "then P(y = 1) = 0.50   (1 positive, 1 negative, predicts y = 1" in small().to_text(target="y")
    assert "then P(1) = 1.00   (2 positive" in str(small(None))
    alone = rl.FallingRuleList.without_rules((0, 1), 1, 3)
    assert str(alone) == "always P(1) = 0.25   (1 positive, 3 negative, predicts 0)"
    assert repr(small()) == "FallingRuleList(2 rules, 1 errors in 6)"
    assert not small().falls
    assert (small().lowered, small().threshold) == ((False, True, False), 1 / 3)


def test_risk_strata():
    frame = small().strata(confidence=0.9)
    assert (frame["name"].tolist(), frame["share"].tolist()) == (["one", "two", "default"], [2 / 6] * 3)
    assert frame["proportion"].tolist() == [0.5, 1.0, 0.0]
    assert frame["probability"].tolist() == [0.5, 0.5, 0.0]
    low, high = wilson_interval([1, 2, 0], [2, 2, 2], 0.9)
    assert (frame["low"].tolist(), frame["high"].tolist()) == (low.tolist(), high.tolist())
    with pytest.raises(ValueError, match="confidence"):
        small().strata(1.0)


def test_a_rule_that_captures_nothing_keeps_the_list_falling():
    A = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0]])
    model = rl.FallingRuleList.from_problem(rl.Problem.from_arrays(A, [1, 1, 1, 0, 0]), [0, 1, 2])
    assert [rule.captured for rule in model.rules] == [2, 0, 2]
    assert model.proportions == (1.0, 1 / 3, 0.5, 0.0)
    assert model.falls
    everything = rl.FallingRuleList.from_problem(rl.Problem.from_arrays(A, [1, 1, 0, 0, 0]), [0, 2, 0], 2)
    assert (everything.proportions, everything.objective(0)) == ((1.0, 0.0, 0.0, 0.0), 0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"positive_weight": 0}, "positive_weight must be a number above 0"),
        ({"positive_weight": float("nan")}, "positive_weight"),
        ({"positive_weight": 10**400}, "positive_weight"),
        ({"positive_weight": "x"}, "positive_weight"),
        ({"violation_penalty": -0.1}, "violation_penalty"),
        ({"violation_penalty": float("inf")}, "violation_penalty"),
        ({"antecedents": [1]}, "no antecedent 1"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    problem = rl.Problem.from_arrays([[1], [0]], [1, 0])
    with pytest.raises(rl.errors.ModelError, match=message):
        rl.FallingRuleList.from_problem(problem, **{"antecedents": [0], **parameters})


def changed(*path, value):
    return with_entry(small().to_dict(), *path, value=value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed("family", value="rule_list"), "'rule_list', not 'falling_rule_list'"),
        (changed("positive_weight", value=0), "positive_weight must be"),
        (changed("positive_weight", value=0.2), r"'rules\[0\]\.prediction' .* positive weight 0.2 it must be 0"),
        (changed("violation_penalty", value=-1), "violation_penalty must be"),
        (changed("violation_penalty", value=None), r"'rules\[1\]\.probability' .* 0.5, but its counts make it 1"),
        (changed("rules", 0, "prediction", value=0), r"'rules\[0\]\.prediction' .* is 0.* must be 1"),
        (changed("rules", 1, "positives", value=0), r"rules\[1\]"),
        (changed("default", "probability", value=0.25), r"'default\.probability' .* is 0.25"),
        (changed("rules", 0, "probability", value=-0.1), "cannot be negative"),
    ],
)
def test_malformed_models_are_refused(data, message):
    with pytest.raises(rl.errors.ModelError, match=message):
        rl.FallingRuleList.from_dict(json.loads(json.dumps(data)))


def test_a_model_of_no_rows_is_refused():
    data = rl.FallingRuleList.without_rules((0, 1), 1, 3).to_dict()
    data["default"]["positives"] = data["default"]["negatives"] = 0
    with pytest.raises(rl.errors.ModelError, match="captured nothing"):
        rl.FallingRuleList.from_dict(data)


@pytest.mark.parametrize("make", [small, small_list])
@settings(max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.just(10**400) | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    ),
    st.data(),
)
def test_anything_else_is_refused_or_read(make, value, data):
    family, saved = type(make()), make().to_dict()
    at = data.draw(st.sampled_from([saved, saved["rules"][0], saved["default"]]))
    at[data.draw(st.sampled_from(sorted(at)))] = value
    try:
        model = family.from_dict(saved)
    except rl.errors.ModelError:
        return
    assert family.from_json(model.to_json()) == model


@pytest.mark.parametrize("k", range(10))
@pytest.mark.parametrize("kind", ["falling", "soft_falling"])
def test_known_optima(shared, kind, k):
    with np.load(shared / "oracles" / f"{kind}_{k:02d}.npz") as z:
        A, y, rules = z["X"].astype(bool), z["y"], z["one_optimal_list"].tolist()
        w, C, C1, optimum = float(z["w"]), float(z["C"]), float(z["C1"]), float(z["objective"])
    penalty = C1 if kind == "soft_falling" else None
    model = rl.FallingRuleList.from_problem(rl.Problem.from_arrays(A, y), rules, w, penalty)
    assert model.objective(C) == pytest.approx(optimum, abs=1e-12)
    assert penalty is not None or model.falls
    exact = (decimal(w), Fraction(C), None if penalty is None else Fraction(C1))
    best = naive.best_falling_rule_list(A, y, [1] * len(y), *exact)
    assert float(best) == pytest.approx(optimum, abs=1e-12)


# the source that `to_python` writes gives the answers of `predict` ----------------------------------------------------
CELLS = [
    *(3, 3.0, "3", "3.0", " 3", 2.5, "2.5", np.int64(3), np.float64(3), Decimal(3), Decimal("0.1"), 0.1, 10**20, 1e300),
    *("x", "", "nan", "True", True, False, 1, 0, -0.0, float("inf"), None, float("nan"), pd.NA, pd.NaT),
]
CONDITIONS = [
    *((operator, value) for operator in ("<=", ">") for value in (3, 2.5, 0.1, -1)),
    *((operator, value) for operator in ("==", "!=") for value in (3, 3.0, 2.5, 0.1, "3", "3.0", "x", "", "True")),
    *((operator, value) for operator in ("==", "!=") for value in (True, False)),
    ("is missing", None),
    ("is present", None),
]
N_ROWS = 8
COLUMNS = ("a", "b")


def column(kind: str, cells: list[Any]) -> pd.Series:
    """A column of a type, made from the cells that fit."""
    if kind == "object":
        return pd.Series(cells, dtype=object)
    fits = {
        "float64": lambda c: isinstance(c, float | int) and not isinstance(c, bool),
        "Int64": lambda c: isinstance(c, int) and not isinstance(c, bool) and abs(c) < 2**60,
        "boolean": lambda c: isinstance(c, bool),
        "string": lambda c: isinstance(c, str),
        "category": lambda c: isinstance(c, str),
        "category of numbers": lambda c: isinstance(c, float | int) and not isinstance(c, bool) and c == c,
    }[kind]
    kept = [c if fits(c) else None for c in cells]
    return pd.Series(kept, dtype="category" if kind.startswith("category") else kind)


KINDS = ("object", "object", "float64", "Int64", "boolean", "string", "category", "category of numbers")


@st.composite
def sources(draw: st.DrawFn) -> tuple[pd.DataFrame, list[rl.Condition]]:
    few = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4))
    cells = st.lists(st.sampled_from(few if draw(st.booleans()) else CELLS), min_size=N_ROWS, max_size=N_ROWS)
    table = pd.DataFrame({name: column(draw(st.sampled_from(KINDS)), draw(cells)) for name in COLUMNS})
    chosen = draw(st.lists(st.tuples(st.sampled_from(COLUMNS), st.sampled_from(CONDITIONS)), min_size=1, max_size=4))
    conditions = [rl.Condition(name, *test) for name, test in chosen]
    distinct = {str(condition): condition for condition in conditions}
    return table, list(distinct.values())


@settings(max_examples=300)
@given(sources())
def test_source_and_model_agree_on_every_cell(case):
    table, conditions = case
    for model in models(conditions):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = model.predict(table).tolist()
        except rl.errors.ModelError:  # a text where a number is asked for
            continue
        scope: dict[str, Any] = {}
        exec(model.to_python(), scope)
        assert [scope["predict"](row) for row in table.to_dict("records")] == expected, model.to_python()
