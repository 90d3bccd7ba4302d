"""The source that `to_python` writes gives the answers of `predict`, whatever the cells of the table are."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rulelab as rl
from rulelab.data.conditions import attach_conditions

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
def cases(draw: st.DrawFn) -> tuple[pd.DataFrame, list[rl.Condition]]:
    few = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4))
    cells = st.lists(st.sampled_from(few if draw(st.booleans()) else CELLS), min_size=N_ROWS, max_size=N_ROWS)
    table = pd.DataFrame({name: column(draw(st.sampled_from(KINDS)), draw(cells)) for name in COLUMNS})
    chosen = draw(st.lists(st.tuples(st.sampled_from(COLUMNS), st.sampled_from(CONDITIONS)), min_size=1, max_size=4))
    conditions = [rl.Condition(name, *test) for name, test in chosen]
    distinct = {str(condition): condition for condition in conditions}
    return table, list(distinct.values())


def models(conditions: list[rl.Condition]) -> list[Any]:
    """A model of each family that asks every condition."""
    m = len(conditions)
    matrix = np.vstack([np.eye(m, dtype=bool), np.zeros((1, m), dtype=bool)])
    frame = pd.DataFrame(matrix, columns=[str(condition) for condition in conditions])
    attach_conditions(frame, conditions)
    problem = rl.Problem.from_arrays(frame, np.arange(m + 1) % 2)
    order = list(range(m))
    return [
        rl.RuleList.from_problem(problem, order),
        rl.FallingRuleList.from_problem(problem, order),
        *(rl.RuleSet.from_problem(problem, [(j,) for j in order], form=form) for form in ("dnf", "cnf")),
        *(rl.RuleSet.from_problem(problem, [tuple(order)], form=form) for form in ("dnf", "cnf")),
    ]


@settings(max_examples=300)
@given(cases())
def test_source_and_model_agree_on_every_cell(case):
    table, conditions = case
    for model in models(conditions):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = model.predict(table).tolist()
        except rl.ModelError:  # a text where a number is asked for
            continue
        scope: dict[str, Any] = {}
        exec(model.to_python(), scope)
        assert [scope["predict"](row) for row in table.to_dict("records")] == expected, model.to_python()


@pytest.mark.parametrize("cells", [[3, 3.0, "3", 4, "x"], [3.0, None, 2.5, float("nan"), 4.0], [pd.NA, 3, 4, "3", 2]])
def test_a_classifier_and_its_source_agree_on_mixed_columns(cells):
    X = pd.DataFrame({"a": pd.Series(cells * 8, dtype=object), "b": np.arange(40) % 7})
    y = X["a"].map(str).isin(["3", "3.0"]).astype(int)
    for classifier in (rl.RuleListClassifier(regularization=0.02), rl.RuleSetClassifier(max_complexity=6)):
        classifier.fit(X, y)
        scope: dict[str, Any] = {}
        exec(classifier.model_.to_python(), scope)
        assert [scope["predict"](row) for row in X.to_dict("records")] == classifier.predict(X).tolist()
