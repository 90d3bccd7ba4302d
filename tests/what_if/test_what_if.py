"""Lists changed by hand: what they cost and their best change, against trying all; what would flip a decision."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import naive
import naive_rule_sets as sets
import numpy as np
import pandas as pd
import pytest
from laws import certified
from random_problems import weights_as_read

import rulelab as rl
from rulelab import what_if
from rulelab.what_if import EditedList, EditedSet, RuleListBench, RuleSetBench, Values, decide, flip_in_all
from rulelab.what_if.bench import KINDS
from rulelab.what_if.person import columns_of

REGULARIZATION = 0.013


def rows(seed: int, weighting: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n, m = 60, 7 if seed % 3 else 70
    A = rng.random((n, m)) < 0.4
    y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(n) < 0.3)
    weight = {
        "ones": np.ones(n, dtype=np.int64),
        "whole": rng.integers(0, 4, n),
        "digits": rng.random(n) * 10.0 ** rng.integers(-12, 12, n),
        "huge": rng.integers(1 << 50, 1 << 52, n),
    }[weighting]
    return A, y.astype(int), weight


def drawn(seed: int, m: int) -> EditedList:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 5))
    antecedents = rng.choice(m, n, replace=False)
    return EditedList(tuple(map(int, antecedents)), tuple(map(int, rng.integers(0, 2, n + 1))))


def every_change(edited: EditedList, m: int, labels: Any = (0, 1)) -> dict[str, list[EditedList]]:
    n, others = len(edited), [j for j in range(m) if j not in edited.antecedents]
    every = [(j, label) for j in others for label in labels]
    return {
        "delete": [edited.deleted(k) for k in range(n)],
        "flip": [edited.flipped(k) for k in range(len(edited.labels))],
        "move": [edited.moved(k, to) for k in range(n) for to in range(n) if k != to],
        "replace": [edited.replaced(k, j, label) for k in range(n) for j, label in every],
        "insert": [edited.inserted(k, j, label) for k in range(n + 1) for j, label in every],
    }


def by_hand(A: np.ndarray, y: np.ndarray, weight: np.ndarray, edited: EditedList) -> Fraction:
    """The exact objective, row by row."""
    wrong = Fraction(0)
    for row, label, worth in zip(A, y, weights_as_read(weight), strict=True):
        fired = next((k for k, j in enumerate(edited.antecedents) if row[j]), len(edited))
        wrong += worth * int(edited.labels[fired] != label)
    return wrong / sum(weights_as_read(weight)) + naive.decimal(REGULARIZATION) * len(edited)


@pytest.mark.parametrize("weighting", ["ones", "whole", "digits", "huge"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_change_of_each_kind_is_that_of_trying_all(seed, weighting):
    A, y, weight = rows(seed, weighting)
    bench = RuleListBench(rl.Problem.from_arrays(A, y, sample_weight=weight), REGULARIZATION)
    edited = drawn(seed, A.shape[1])
    every = every_change(edited, A.shape[1])
    found = {change.kind: change for change in bench.best_changes(edited)}
    assert set(found) == {kind for kind in KINDS if every.get(kind)}
    for kind, change in found.items():
        assert change.objective == min(map(bench.objective, every[kind])), kind
        assert change.objective == by_hand(A, y, weight, change.result) == bench.objective(change.result)
        assert change.result in every[kind]
    assert bench.best_changes(edited)[0].objective == min(change.objective for change in found.values())
    model = bench.model(edited)
    scored = model.evaluate(A, y, sample_weight=weight, regularization=REGULARIZATION)
    assert EditedList.of(model) == edited
    assert float(bench.objective(edited)) == pytest.approx(scored.objective, abs=1e-14)


def test_a_rule_that_is_put_in_takes_the_label_of_fewest_errors():
    for seed in range(6):
        A, y, weight = rows(seed, "digits")
        bench = RuleListBench(rl.Problem.from_arrays(A, y, sample_weight=weight), REGULARIZATION)
        edited = drawn(seed, A.shape[1])
        for place in range(len(edited) + 1):
            chosen = edited.inserted(place, 3, bench.best_label(edited, place, 3))
            assert bench.objective(chosen) == min(bench.objective(edited.inserted(place, 3, k)) for k in (0, 1))


def test_an_optimum_has_no_better_change_and_a_list_of_every_antecedent_takes_no_more():
    A, y, weight = rows(1, "whole")
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    last = certified(rl.RuleListSearch(problem, regularization=REGULARIZATION))
    bench, best = RuleListBench(problem, REGULARIZATION), EditedList.of(last.incumbent.model)
    assert bench.best_changes(best)[0].objective >= bench.objective(best)
    full = RuleListBench(rl.Problem.from_arrays([[0, 1], [1, 0], [1, 1]], [0, 1, 1]), 0.1)
    assert {change.kind for change in full.best_changes(EditedList((0, 1), (1, 0, 1)))} == {"delete", "flip", "move"}


def test_looking_for_the_best_change_can_be_ended():
    def refuse() -> None:
        raise ValueError("not wanted")

    A, y, _ = rows(0, "ones")
    bench = RuleListBench(rl.Problem.from_arrays(A, y), REGULARIZATION)
    with pytest.raises(ValueError, match="not wanted"):
        bench.best_changes(drawn(0, A.shape[1]), refuse)


def people(seed: int) -> tuple[pd.DataFrame, rl.RuleList]:
    """A table of numbers, texts, Booleans and missing cells, and a list of rules over its conditions."""
    rng = np.random.default_rng(seed)
    n = 40
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 30, n),
            "priors": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 6, n)),
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["a", "b", "c"], n),
            "jail": rng.random(n) < 0.5,
        }
    )
    y = (X["age"] < 24).to_numpy() ^ (rng.random(n) < 0.2)
    mined = rl.mine_antecedents(rl.Binarizer(thresholds=4).fit_transform(X), max_conditions=2)
    problem = rl.Problem.from_antecedents(mined, y.astype(int))
    chosen = rng.choice(problem.n_antecedents, 4, replace=False)
    return X, rl.RuleList.from_problem(problem, tuple(map(int, chosen)), tuple(map(int, rng.integers(0, 2, 5))))


GRID: dict[str, list[Any]] = {
    "age": [17.0, *np.arange(17.5, 31, 0.5).tolist()], "priors": np.arange(-1, 7, 0.5).tolist(), "sex": ["f", "m"],
    "town": ["a", "b", "c"], "jail": [True, False],
}  # fmt: skip
"""A value of every cell, whatever the cuts are."""


def predicted(model: rl.RuleList, persons: list[dict[str, Any]]) -> np.ndarray:
    return model.predict(pd.DataFrame(persons, dtype=object))


def fewest(person: dict[str, Any], changeable: list[str], flips: Any) -> int | None:
    """The fewest columns that have to change, of all values of each, for the answers of some persons to be flipped."""
    for size in range(1, len(changeable) + 1):
        for some in combinations(changeable, size):
            cells = product(*map(GRID.get, some))
            if flips([{**person, **dict(zip(some, each, strict=True))} for each in cells]).any():
                return size
    return None


def check_flips(model: Any, X: pd.DataFrame, changeable: list[str], every: int) -> None:
    """Of every so many people the nearest flip changes as few of some columns as any other answer needs."""
    values = {name: Values.of(X[name], conditions) for name, conditions in columns_of(model).items()}
    for row in range(0, len(X), every):
        person = {name: None if pd.isna(cell) else cell for name, cell in X.iloc[row].items()}
        now = decide(model, person)
        (label,) = predicted(model, [person])
        assert now.label == label
        if isinstance(model, rl.RuleList):
            assert now.place == model.fired(X.iloc[[row]])[0]
        flip = flip_in_all([model], person, changeable, values)
        least = fewest(person, changeable, lambda others, label=label: predicted(model, others) != label)
        assert (len(flip.changes) or None) == least
        assert {name for name, _ in flip.changes} <= set(changeable)
        assert (flip.label is None) == (least is None)
        assert flip.label != label


@pytest.mark.parametrize("seed", range(4))
def test_the_flip_in_all_models_is_the_nearest_that_every_one_agrees_on(seed):
    X, *models = people(seed)[0], *(people(other)[1] for other in (seed, seed + 9, seed + 10))
    tested: dict[str, tuple[Any, ...]] = {}
    for model in models:
        for name, conditions in columns_of(model).items():
            tested[name] = (*tested.get(name, ()), *conditions)
    values = {name: Values.of(X[name], conditions) for name, conditions in tested.items()}
    changeable = sorted(tested)[:3]
    found = 0
    for row in range(0, len(X), 4):
        person = {name: None if pd.isna(cell) else cell for name, cell in X.iloc[row].items()}
        now = decide(models[0], person).label
        flip = flip_in_all(models, person, changeable, values)
        least = fewest(person, changeable, lambda p, now=now: np.all([predicted(m, p) != now for m in models], axis=0))
        assert (len(flip.changes) or None) == least
        found += least is not None
    assert found


def small() -> rl.RuleList:
    X = pd.DataFrame({"priors": [0, 1, 2, 3, 4, 5, 6, 7], "sex": list("fmfmfmfm")})
    B = rl.Binarizer(thresholds={"priors": [1, 3, 5]}).fit_transform(X)
    problem = rl.Problem.from_arrays(B, [0, 0, 0, 1, 1, 0, 1, 1])
    place = [problem.names.index(name) for name in ("priors <= 1", "priors <= 3", "sex == m")]
    return rl.RuleList.from_problem(problem, place, (0, 0, 1, 1))


def test_a_flip_is_the_nearest_one_and_said_in_words():
    model = small()
    values = {name: Values.of(None, conditions) for name, conditions in columns_of(model).items()}
    flip = flip_in_all([model], {"priors": 5, "sex": "f"}, ["priors", "sex"], values)
    assert (flip.changes, (flip.place, flip.label)) == ((("priors", "at most 3 and more than 1"),), (1, 0))
    back = flip_in_all([model], {"priors": 2, "sex": "f"}, ["priors"], values)
    assert back.changes == (("priors", "more than 3"),)
    none = flip_in_all([model], {"priors": 5, "sex": "f"}, ["sex"], values)
    assert (none.changes, none.place, none.label) == ((), -1, None)
    assert none.looked_at == 2, "cells of sex; that of the priors is not changed"


def test_a_missing_cell_meets_no_condition_and_is_no_change_to_make():
    model = small()
    values = {name: Values.of(None, conditions) for name, conditions in columns_of(model).items()}
    person = {"priors": None, "sex": "f"}
    assert decide(model, person).place == 3
    assert flip_in_all([model], person, ["priors"], values).changes in (
        (("priors", "at most 1"),),
        (("priors", "more than 1 and at most 3"),),
    )
    with pytest.raises(rl.errors.ModelError, match="'sex', which is not given"):
        flip_in_all([model], {"priors": 5}, ["priors"], values)


def test_antecedents_without_conditions_are_columns_of_their_own():
    problem = rl.Problem.from_arrays([[0, 1], [1, 0], [1, 1], [0, 0]], [0, 1, 1, 0], names=["left", "right"])
    model = rl.RuleList.from_problem(problem, (0, 1), (1, 0, 0))
    values = {name: Values.of(None, conditions) for name, conditions in columns_of(model).items()}
    person = {"left": True, "right": True}
    assert decide(model, person).place == 0
    assert flip_in_all([model], person, ["left", "right"], values).changes == (("left", "no"),)


@pytest.mark.parametrize("penalty", [None, 0.1])
@pytest.mark.parametrize("weighting", ["ones", "whole", "huge"])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_change_of_a_falling_list_is_that_of_trying_all(seed, weighting, penalty):
    A, y, weight = rows(seed, weighting)
    A = A[:, :12]
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    bench = what_if.FallingBench(problem, REGULARIZATION, 2.5, penalty, max_length=4)
    m = A.shape[1]
    edited = EditedList(drawn(seed, m).antecedents)
    of_rows, costs = (A, y, weights_as_read(weight)), naive.decimals(2.5, REGULARIZATION)
    (soft,) = naive.decimals(penalty)
    every = every_change(edited, m, (None,))
    if len(edited) == 4:
        every["insert"] = []
    least: dict[str, Fraction] = {}
    for kind, each in every.items():
        for one in each:
            worth = naive.falling_objective(*of_rows, *costs, one.antecedents, soft)
            may_be = penalty is not None or naive.falls(*of_rows, one.antecedents)
            assert (worth, not bench.refusal(one)) == (bench.objective(one), may_be)
            if may_be:
                least[kind] = min(worth, least.get(kind, worth))
    found = bench.best_changes(edited)
    assert {change.kind: change.objective for change in found} == least
    for change in found:
        assert change.result in every[change.kind]
        assert change.objective == bench.objective(change.result)
        assert not bench.refusal(change.result)
        model = bench.model(change.result)
        counted = weight > 0
        says = bench.predicts_positive(change.result)[problem.row_pattern[counted]]
        assert (model.predicts_positive(A[counted]) == says).all()
        if weighting == "whole":
            assert float(change.objective) == model.objective(REGULARIZATION)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_change_of_a_rule_set_is_that_of_trying_all(seed, loss, form):
    A, y, weight = rows(seed, "whole" if seed % 2 else "huge")
    A = A[:, :9]
    m = A.shape[1]
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    rng = np.random.default_rng(seed)
    clauses = {tuple(sorted(map(int, rng.choice(m, rng.integers(1, 4), replace=False)))) for _ in range(seed)}
    edited = EditedSet(tuple(sorted(clauses)))
    most = edited.complexity + seed % 3
    bench = RuleSetBench(problem, max(most, 2), 3, loss, form, 0.5)
    data = sets.Data(A, y, weights_as_read(weight), [0] * len(y))
    every: dict[str, list[EditedSet]] = {
        "delete": [edited.deleted(k) for k in range(len(edited))],
        "remove": [edited.removed(k, j) for k, c in enumerate(edited.clauses) for j in c if len(c) > 1],
        "insert": [edited.added(len(edited), j) for j in range(m)],
        "add": [
            edited.added(k, j) for k, c in enumerate(edited.clauses) for j in range(m) if j not in c and len(c) < 3
        ],
        "replace": [
            edited.with_clause(k, (*(i for i in c if i != old), j))
            for k, c in enumerate(edited.clauses)
            for old in c
            for j in range(m)
            if j not in c
        ],
    }
    every = {
        kind: [one for one in each if len(set(one.clauses)) == len(one) and one.complexity <= max(most, 2)]
        for kind, each in every.items()
    }
    found = {change.kind: change for change in bench.best_changes(edited)}
    assert set(found) == {kind for kind, each in every.items() if each}
    for kind, change in found.items():
        assert change.objective == min(map(bench.objective, every[kind])), kind
        assert change.result in every[kind]
        assert change.objective == bench.objective(change.result)
        assert change.objective == sets.objective(data, change.result.clauses, loss, form, Fraction(1, 2))
        counted = weight > 0
        says = bench.predicts_positive(change.result)[problem.row_pattern[counted]]
        assert (bench.model(change.result).predicts_positive(A[counted]) == says).all()
        if change.old is not None and change.new is not None:
            assert change.new in change.result.clauses[change.place]
            assert change.old not in change.result.clauses[change.place]


def test_what_a_rule_set_has_no_room_for_is_refused():
    A, y, _ = rows(0, "ones")
    bench = RuleSetBench(rl.Problem.from_arrays(A[:, :4], y), 6, 2)
    edited = EditedSet(((0, 1), (0,)))
    for place, antecedent, said in (
        (1, 1, "the same as rule 1"),
        (0, 2, "at most 2 conditions"),
        (1, 0, "has antecedent 0 already"),
        (2, 3, "complexity of at most 6"),
    ):
        with pytest.raises(ValueError, match=said):
            bench.insert(edited, place, antecedent)
    with pytest.raises(ValueError, match="the same as rule 2"):
        bench.edit(edited, "remove", 0, 1)
    assert bench.edit(edited, "remove", 1, 0) == EditedSet(((0, 1),)), "with its only condition the rule goes"
    with pytest.raises(LookupError):
        bench.edit(edited, "remove", 0, 3)


@pytest.mark.parametrize(("form", "seed"), [*product(["list"], range(6)), *product(["dnf", "cnf"], range(3))])
def test_the_nearest_flip_changes_as_few_columns_as_any(seed, form):
    X, model = people(seed)
    if form == "list":
        check_flips(model, X, sorted(columns_of(model))[:3], 8)
        return
    rng = np.random.default_rng(seed)
    problem = rl.Problem.from_arrays(rl.Binarizer(thresholds=4).fit_transform(X), rng.integers(0, 2, len(X)))
    drawn_of = [tuple(map(int, rng.choice(problem.n_antecedents, 2, replace=False))) for _ in range(3)]
    model = RuleSetBench(problem, 30, None, "hamming", form).model(EditedSet(tuple(drawn_of)))
    check_flips(model, X, sorted(columns_of(model))[:2], 20)
