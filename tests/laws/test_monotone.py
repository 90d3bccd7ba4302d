"""Monotone directions: of some columns more can only help, or only hinder, a positive prediction of a rule set."""

import json
from collections.abc import Set
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from operator import and_, or_

import naive_rule_sets as sets
import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refused
from patience import wait_until

import rulelab as rl
from rulelab.certificate import Origin, OriginError

VALUES = {"a": (0, 1, 2, None), "b": (0, 1, 2), "k": (False, True)}
CELLS = list(product(*VALUES.values()))
"""Every row there could be."""
CONDITIONS = [
    *(rl.Condition(name, operator, t) for name in ("a", "b") for t in (0, 1) for operator in ("<=", ">")),
    *(rl.Condition("a", operator) for operator in ("is missing", "is present")),
    *(rl.Condition("k", "==", value) for value in (True, False)),
]
COMPLEXITY = 6


def holds(condition: rl.Condition, cell: tuple[int | bool | None, ...]) -> bool:
    value = cell[list(VALUES).index(condition.column)]
    if condition.operator in ("is missing", "is present"):
        return (value is None) == (condition.operator == "is missing")
    if value is None:
        return False
    if condition.column == "k":
        return value == condition.value
    return value > condition.value if condition.operator == ">" else value <= condition.value


def allowed(directions: dict[str, str]) -> list[rl.Condition]:
    """The conditions of which none points back."""
    back = {("a", "increasing"): "<=", ("a", "decreasing"): ">"}
    back |= {("b", way): operator for (_, way), operator in back.items()}
    back |= {("k", "increasing"): False, ("k", "decreasing"): True}
    return [
        c for c in CONDITIONS if back.get((c.column, directions.get(c.column, "")), "") not in (c.operator, c.value)
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


def predictions(conditions: list[rl.Condition], form: str) -> list[tuple[frozenset[int], int, tuple[int, ...]]]:
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


def least(found, mass, loss, form, price) -> Fraction:
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
@pytest.mark.parametrize(("fairness", "seeds"), [(None, range(8)), (rl.EqualOpportunity(0.1), range(4, 8))])
def test_the_set_is_monotone_and_the_best_of_those_whose_conditions_are(fairness, seeds, loss, form):
    limits = [] if fairness is None else [("false_negative", Fraction(1, 10))]
    group, ends = np.arange(25) % 2, set()
    for seed in seeds:
        table, y, weight, directions, _ = drawn(seed)
        cells = [tuple(None if value != value else value for value in row) for row in table.itertuples(index=False)]
        A = np.array([[holds(c, cell) for c in allowed(directions)] for cell in cells])
        data = sets.Data(A, y.astype(bool), weight.tolist(), group.tolist())
        price = Fraction(seed % 3, 2)
        best = sets.best_rule_set(data, COMPLEXITY, 2, loss, form, price, limits)
        asked = {"loss": loss, "form": form, "regularization": float(price), "fairness": fairness}
        model = classifier(monotone=directions, min_group_size=0, **asked)
        ends.add(best is None)
        if best is None:
            with pytest.raises(ValueError, match="no rule set"):
                model.fit(table, y, weight, sensitive_features=group)
            continue
        model.fit(table, y, weight, sensitive_features=group)
        assert model.status_ is rl.Status.OPTIMAL
        assert model.objective_ == pytest.approx(float(best), abs=1e-9), seed
        assert is_monotone(set(np.flatnonzero(model.predict(GRID))), directions), seed
    assert False in ends


@pytest.mark.parametrize("form", FORMS)
def test_of_all_monotone_sets_none_has_fewer_errors(form):
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


DATA = rl.datasets.load("diabetes")
WAYS = {"bmi": "increasing", "blood_pressure": "increasing"}


def upward(problem: rl.Problem) -> bool:
    return all(c.operator == ">" for (c,) in problem.conditions if c.column in WAYS)


def test_a_problem_keeps_what_points_the_same_way():
    table = pd.DataFrame(
        {"old": [1, 2, 3, 4] * 4, "flag": [0, 1] * 8, "sex": ["f", "m", "x", "m"] * 4, "yes": [True, False] * 8}
    )
    y = [0, 1, 1, 0] * 4
    problem = rl.Problem.from_arrays(rl.Binarizer(thresholds=2).fit_transform(table), y)
    assert set(problem.names) >= {"old <= 2", "old > 2", "flag == 0", "flag == 1", "yes", "not yes"}
    made = problem.monotone({"old": "decreasing", "flag": "increasing", "yes": "decreasing"})
    assert made.directions == (("old", "decreasing"), ("flag", "increasing"), ("yes", "decreasing"))
    assert [name for name in made.names if "sex" not in name] == ["old <= 2", "flag == 1", "not yes"]
    assert made.monotone({}).directions == made.directions
    for ways, why in (
        ({"age": "increasing"}, r"monotone: no antecedent uses 'age'"),
        ({"sex": "increasing"}, r"monotone: 'sex' holds categories, which have no order"),
        ({"old": 1}, r"monotone\['old'\] must be 'increasing' or 'decreasing', not 1"),
        (["old"], r"monotone must have a direction"),
    ):
        with pytest.raises(rl.errors.ProblemError, match=why):
            problem.monotone(ways)  # type: ignore[arg-type]
    with pytest.raises(rl.errors.ProblemError, match="no condition is decreasing in 'not'"):
        rl.Problem.from_arrays(pd.DataFrame({"not": [1, 0]}), [0, 1]).without([]).monotone({"not": "decreasing"})
    with pytest.raises(rl.errors.ProblemError, match="one condition each"):
        rl.Problem.from_antecedents(rl.mine_antecedents(rl.Binarizer(2).fit_transform(table)), y).monotone({})


def test_the_estimator_leaves_out_what_points_back():
    asked = rl.RuleSetClassifier(max_complexity=6, max_conditions=2, thresholds=3, monotone=WAYS, must_not_use=["age"])
    fitted = asked.fit(DATA.X, DATA.y)
    conditions = rl.Binarizer(3).fit_transform(DATA.X)
    problem = rl.Problem.from_arrays(conditions, DATA.y).without("age").monotone(WAYS)
    assert upward(problem)
    assert fitted.objective_ == rl.solve(rl.RuleSetSearch(problem, 6, 2)).incumbent.objective
    again = asked.fit(conditions, DATA.y)  # conditions know their columns
    assert again.objective_ == fitted.objective_
    for ways, why in (({"bmj": "increasing"}, "nearest: 'bmi'"), ({"bmi": "up"}, "must be"), ("bmi", "must have")):
        with pytest.raises(ValueError, match=why):
            asked.set_params(monotone=ways).fit(DATA.X, DATA.y)
    only = rl.RuleSetClassifier(monotone={"flag": "decreasing"})
    with pytest.warns(UserWarning, match="no condition is left that is decreasing in flag"):
        only.fit(pd.DataFrame({"flag": DATA.X["bmi"] > 25}), DATA.y)
    arrays = rl.RuleSetClassifier(max_complexity=4, max_conditions=1, monotone={0: "decreasing"})
    assert ">" not in str(arrays.fit(DATA.X[["bmi"]].to_numpy(), DATA.y).model_)


def test_the_command_line_certifies_and_verifies(tmp_path, capsys):
    model, proof = tmp_path / "m.json", tmp_path / "p.npz"
    command = ["fit", "diabetes", "--model", "rule-set", "--max-complexity", "6", "--max-conditions", "2", "--quiet"]
    ways = ["--monotone", "bmi:increasing", "--monotone", "blood_pressure:increasing"]
    said = "all conditions increasing in bmi and increasing in blood_pressure"
    found, _ = output_of(capsys, *command, *ways, "-o", model, "--proof", proof)
    assert f"certified optimal for rules of at most 2 conditions, {said}: " in found
    assert said in output_of(capsys, "verify", "diabetes", model, proof)[0]
    for wrong, why in (
        (["--monotone", "bmi:up"], "increasing or decreasing"),
        (["--monotone", "bmj:increasing"], "'bmi'"),
        (["--monotone", "sex:increasing"], "which have no order"),
        ([*ways, "--monotone", "bmi:decreasing"], "says two things of bmi"),
        ([*ways, "--model", "rule-list"], "not an option of --model rule-list"),
    ):
        refused(capsys, why, *command, *wrong)
    sweep = ["sweep", "diabetes", "--model", "rule-set", "--folds", "2", "--vary", "max-complexity=4", *ways[:2]]
    assert "certified: each rule set is optimal" in output_of(capsys, *sweep, "--max-conditions", "1", "--quiet")[0]


def test_a_proof_does_not_claim_a_direction_that_its_conditions_lack():
    table = pd.DataFrame({"n": [1, 2, 3, 4] * 3, "flag": [0, 1] * 6, "sex": ["f", "m", "x"] * 4})
    y = np.array([0, 1, 1] * 4)
    problem = rl.Problem.from_arrays(rl.Binarizer(2).fit_transform(table), y)
    made = problem.monotone({"n": "increasing", "flag": "increasing"})
    origin = Origin.of(made)
    assert Origin.parse(origin.dump()) == origin
    again = origin.problem(table, y)
    assert (again.fingerprint, again.directions) == (made.fingerprint, made.directions)
    with pytest.raises(OriginError, match="'flag == 1' is not increasing in 'flag': there are cells beyond it"):
        origin.problem(table.assign(flag=table["flag"] * 2 + (table["n"] > 2)), y)
    lied = ({"n": "decreasing"}, "'n > 2' is not"), ({"sex": "increasing"}, "no order"), ({"n": "up"}, "must be")
    for ways, why in lied:
        text = origin.dump().replace(b'{"n":"increasing","flag":"increasing"}', json.dumps(ways).encode())
        with pytest.raises(OriginError, match=why):
            Origin.parse(text)
    with pytest.raises(OriginError, match="several values"):
        Origin(problem.conditions, problem.names, (0, 1), directions=(("flag", "increasing"),))


def test_the_page_asks_for_directions_and_the_card_says_them():
    from rulelab.views.cards import card
    from rulelab.views.forms.address import read, write
    from rulelab.views.live.state import State
    from rulelab.views.live.wording import standing
    from rulelab.views.search.setup import Setup

    setup = Setup()
    setup.choose(family="rule_set", thresholds=3, max_complexity=4, max_conditions=2)
    field = setup.more.find("Monotone columns")
    field.take("bmi: increasing, blood_pressure:Increasing")
    assert (setup.settings.monotone, write(*setup.parts)["monotone"]) == (WAYS, json.dumps(WAYS))
    for text, why in (("bmi up", "“bmi up” is not a column"), ("bmi: increasing; bmi: decreasing", "is there twice")):
        field.take(text)
        assert why in setup.refusal
        assert setup.settings.monotone == WAYS
    field.take("a, b: c: decreasing")
    assert (setup.settings.monotone, setup.refusal) == ({"a, b: c": "decreasing"}, "")
    field.take("")
    assert setup.settings.monotone is None
    assert read('?family=rule_set&monotone={"bmi":"up"}', *setup.parts)
    assert not read(f"?family=rule_set&monotone={json.dumps(WAYS)}", *setup.parts)
    assert field.state()["value"] == "bmi: increasing, blood_pressure: increasing"
    said = "all conditions increasing in bmi and increasing in blood_pressure"
    session = setup.new_session()
    session.run()
    wait_until(lambda: session.state is State.ENDED)
    assert said in standing(session).phase
    session.close()
    prepared = setup.recipe()(lambda doing: None)
    last = rl.solve(prepared.search)
    found = card.of_search(prepared.search, last, prepared)
    assert said in found.proof.scope
    script: dict[str, object] = {}
    exec(found.code, script)
    assert script["model"] == found.model
    assert upward(prepared.search.problem)
