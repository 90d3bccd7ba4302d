"""Monotone directions: of some columns more can only help, or only hinder, a positive prediction of a rule set."""

from __future__ import annotations

from collections.abc import Set
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from operator import and_, or_

import naive_rule_sets as sets
import numpy as np
import pandas as pd
import pytest

import rulelab as rl
from rulelab.data.conditions import Condition
from rulelab.data.problem_arguments import ProblemError

VALUES = {"a": (0, 1, 2, None), "b": (0, 1, 2), "k": (False, True)}
CELLS = list(product(*VALUES.values()))
"""Every row there could be."""
CONDITIONS = [
    *(Condition(name, operator, t) for name in ("a", "b") for t in (0, 1) for operator in ("<=", ">")),
    *(Condition("a", operator) for operator in ("is missing", "is present")),
    *(Condition("k", "==", value) for value in (True, False)),
]
COMPLEXITY = 6
BACK = {"increasing": "<=", "decreasing": ">"}


def holds(condition: Condition, cell: tuple[int | bool | None, ...]) -> bool:
    value = cell[list(VALUES).index(condition.column)]
    if condition.operator in ("is missing", "is present"):
        return (value is None) == (condition.operator == "is missing")
    if value is None:
        return False
    if condition.column == "k":
        return value == condition.value
    return value > condition.value if condition.operator == ">" else value <= condition.value


def allowed(directions: dict[str, str]) -> list[Condition]:
    """The conditions of which none points back."""
    return [
        c
        for c in CONDITIONS
        if c.column not in directions
        or c.operator in ("is missing", "is present")
        or (
            c.operator != BACK[directions[c.column]]
            if c.column != "k"
            else c.value == (directions["k"] == "increasing")
        )
    ]


def raised(column: str) -> list[tuple[int, int]]:
    """Pairs of cells that differ in this column alone, which is present in both: the lower first."""
    k = list(VALUES).index(column)
    of = list(enumerate(CELLS))
    others = [(i, j) for i, low in of for j, high in of if low[:k] + low[k + 1 :] == high[:k] + high[k + 1 :]]
    return [(i, j) for i, j in others if None not in (CELLS[i][k], CELLS[j][k]) and CELLS[i][k] < CELLS[j][k]]


RAISED = {column: raised(column) for column in VALUES}


def is_monotone(positive: Set[int], directions: dict[str, str]) -> bool:
    """Whether no cell turns from positive to negative where a column goes the way it has."""
    return not any(
        (j in positive) < (i in positive) if way == "increasing" else (i in positive) < (j in positive)
        for column, way in directions.items()
        for i, j in RAISED[column]
    )


def predictions(conditions: list[Condition], form: str) -> list[tuple[frozenset[int], int, tuple[int, ...]]]:
    """Of every set: the positive cells, its complexity, and of each cell how many clauses decide it."""
    masks = [sum(1 << i for i, cell in enumerate(CELLS) if holds(c, cell)) for c in conditions]
    whole = (1 << len(CELLS)) - 1
    clauses = {
        reduce(and_, joined) if form == "dnf" else whole & ~reduce(or_, joined): size
        for size in (2, 1)
        for joined in combinations(masks, size)
    }
    out = []
    for n in range(COMPLEXITY // 2 + 1):
        for chosen in combinations(clauses.items(), n):
            used = sum(1 + size for _, size in chosen)
            if used <= COMPLEXITY:
                times = tuple(sum(mask >> i & 1 for mask, _ in chosen) for i in range(len(CELLS)))
                positive = frozenset(i for i, t in enumerate(times) if (t > 0) == (form == "dnf"))
                out.append((positive, used, times))
    return out


def least(
    found: list[tuple[frozenset[int], int, tuple[int, ...]]], mass: np.ndarray, loss: str, form: str, price: Fraction
) -> Fraction:
    """The least objective: ``mass`` has the weights of the negatives and of the positives of each cell."""
    wanted, unwanted = (mass[1], mass[0]) if form == "dnf" else (mass[0], mass[1])
    times = np.array([each for _, _, each in found])
    missed = (times == 0) @ wanted
    wrong = missed + (times if loss == "hamming" else times > 0) @ unwanted
    return min(Fraction(int(w)) + price * used for w, (_, used, _) in zip(wrong, found, strict=True))


def drawn(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, dict[str, str], np.ndarray]:
    """Random rows, labels, weights and directions; the weights by class and cell."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(len(CELLS), size=25)
    table = pd.DataFrame([CELLS[i] for i in cells], columns=list(VALUES)).astype({"a": float, "k": bool})
    y, weight = (rng.random(25) < 0.5).astype(int), rng.integers(1, 4, 25)
    y[:2] = [0, 1]
    columns = rng.permutation(list(VALUES))[: rng.integers(1, 4)]
    directions = {str(name): str(rng.choice(["increasing", "decreasing"])) for name in columns}
    mass = np.zeros((2, len(CELLS)), dtype=int)
    np.add.at(mass, (y, cells), weight)
    return table, y, weight, directions, mass


def classifier(**parameters: object) -> rl.RuleSetClassifier:
    asked = {"max_complexity": COMPLEXITY, "max_conditions": 2, "thresholds": {"a": [0, 1], "b": [0, 1]}}
    return rl.RuleSetClassifier(**asked, **parameters)


GRID = pd.DataFrame(CELLS, columns=list(VALUES)).astype({"a": float, "k": bool})
FORMS = ("dnf", "cnf")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
def test_the_set_is_monotone_and_the_best_of_those_whose_conditions_are(loss: str, form: str) -> None:
    for seed in range(12):
        table, y, weight, directions, mass = drawn(seed)
        price = Fraction(seed % 3, 2)
        model = classifier(loss=loss, form=form, regularization=float(price), monotone=directions)
        model.fit(table, y, sample_weight=weight)
        assert model.status_ is rl.Status.OPTIMAL
        assert is_monotone(set(np.flatnonzero(model.predict(GRID))), directions), seed
        expected = least(predictions(allowed(directions), form), mass, loss, form, price)
        assert model.objective_ == pytest.approx(float(expected), abs=1e-9), seed


@pytest.mark.parametrize("form", FORMS)
def test_of_all_monotone_sets_none_has_fewer_errors(form: str) -> None:
    everything = predictions(CONDITIONS, form)
    lower = 0
    for seed in range(5):
        *_, directions, mass = drawn(seed)
        monotone = [each for each in everything if is_monotone(each[0], directions)]
        made = predictions(allowed(directions), form)
        assert all(is_monotone(each[0], directions) for each in made)
        for price in (Fraction(0), Fraction(1, 2)):
            best = least(monotone, mass, "zero_one", form, price)
            assert best == least(made, mass, "zero_one", form, price), seed
            lower += least(monotone, mass, "hamming", form, price) < least(made, mass, "hamming", form, price)
    assert lower  # of the Hamming loss some have less
