"""What all rule sets near the optimum have in common, against trying all sets."""

from __future__ import annotations

import html
import json
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from live import HOSTILE

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.data.conditions import Condition, attach_conditions
from rulelab.rule_set.ranges.uses import LimitedUse, count

C, D = 5, 2


def table(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    A = rng.random((30, 4)) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(30) < 0.2)
    groups = rng.integers(0, 2, 30)
    groups[:4], y[:4] = [0, 0, 1, 1], [0, 1, 0, 1]
    problem = rl.Problem.from_arrays(A, y.astype(int), groups=groups)
    sets = list(naive.all_rule_sets(A, C, D))
    return SimpleNamespace(A=A, y=y, groups=groups, problem=problem, sets=sets)


def losses(t: Any) -> np.ndarray:
    return np.array([naive.hamming_loss(t.A, t.y, [1] * len(t.y), clauses) for clauses in t.sets])


def uses(t: Any, j: int) -> np.ndarray:
    """Which sets have a rule with the antecedent; rules that cover nothing are in no set."""
    return np.array([any(j in clause for clause in clauses) for clauses in t.sets])


@pytest.mark.parametrize("within", [0, 1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_who_uses_a_column_is_what_trying_all_sets_finds(seed: int, within: int) -> None:
    t = table(seed)
    found = rl.rule_set_ranges(t.problem, within, max_complexity=C, max_conditions=D)
    loss = losses(t)
    assert found.optimum == loss.min()
    near = loss <= found.threshold
    for j, name in enumerate(t.problem.names):
        used, row = uses(t, j), found.columns.loc[name]
        least, without = loss[used].min(initial=10**9), loss[~used].min()
        assert row["bound"] <= least
        assert row["without_bound"] <= without
        if row["used_by"] == "none":
            assert not (near & used).any()
        elif row["used_by"] == "all":
            assert used[near].all()
        else:
            assert row["used_by"] == "some"
            assert row["without"] <= found.threshold
            assert row["objective"] <= found.threshold


def all_rules(t: Any, uses: np.ndarray) -> list[tuple[int, ...]]:
    """One of those that cover the same rows, at least one, with the same conditions that count."""
    found: dict[Any, tuple[int, ...]] = {}
    for size in range(1, D + 1):
        for rule in combinations(range(t.A.shape[1]), size):
            rows = t.A[:, list(rule)].all(axis=1)
            if rows.any():
                found.setdefault((rows.tobytes(), tuple(j for j in rule if uses[j])), rule)
    return list(found.values())


@pytest.mark.parametrize("price", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_how_often_a_column_is_used_is_what_trying_all_sets_finds(seed: int, price: float) -> None:
    t = table(seed)
    conditions = [Condition("ab"[j // 2], "==", j) for j in range(4)]
    frame = pd.DataFrame(t.A, columns=list(map(str, conditions)))
    attach_conditions(frame, conditions)
    problem = rl.Problem.from_arrays(frame, t.y.astype(int))
    asked = {"max_complexity": 7, "max_conditions": D, "regularization": price}
    found = rl.rule_set_ranges(problem, 3, graded=True, **asked)
    for column in "ab":
        uses = np.array([c.column == column for c in conditions])
        rules, counts = all_rules(t, uses), []
        for n in range(4):
            for chosen in combinations(rules, n):
                complexity = sum(1 + len(rule) for rule in chosen)
                loss = naive.hamming_loss(t.A, t.y, [1] * len(t.y), chosen)
                if complexity <= 7 and loss + price * complexity <= found.threshold:
                    counts.append(sum(uses[j] for rule in chosen for j in rule))
        row = found.columns.loc[column]
        assert (row["fewest"], row["most"]) == (row["at_least"], row["at_most"]) == (min(counts), max(counts))


@pytest.mark.parametrize("seed", range(60))
def test_sets_that_must_use_so_much_are_the_best_of_these(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = table(seed)
    uses = rng.integers(0, 3, 4)
    uses[0] = 1
    complexity, bound, at_least = int(rng.integers(2, 8)), int(rng.integers(1, 5)), bool(rng.random() < 0.7)
    best = min(
        (
            naive.hamming_loss(t.A, t.y, [1] * len(t.y), chosen)
            for n in range(complexity // 2 + 1)
            for chosen in combinations(all_rules(t, uses), n)
            if sum(1 + len(rule) for rule in chosen) <= complexity
            and (total := sum(uses[j] for rule in chosen for j in rule)) >= (bound if at_least else total)
            and total <= (total if at_least else bound)
        ),
        default=None,
    )
    asked = {"max_complexity": complexity, "max_conditions": D}
    snapshot = rl.solve(LimitedUse(t.problem, uses, bound, at_least, asked))
    if best is None:
        assert (snapshot.status, snapshot.incumbent) == (rl.Status.INFEASIBLE, None)
        return
    assert snapshot.status is rl.Status.OPTIMAL
    assert snapshot.incumbent.objective == best
    total = count(snapshot.incumbent.model, uses)
    assert total >= bound if at_least else total <= bound


def predicted(t: Any, clauses: Any, form: str = "dnf") -> np.ndarray:
    """Of a set of rules, or of a set of clauses that each reject what has none of their antecedents."""
    if form == "dnf":
        return np.array([any(all(row[j] for j in clause) for clause in clauses) for row in t.A])
    return np.array([all(any(row[j] for j in clause) for clause in clauses) for row in t.A])


@pytest.fixture(params=["from the list", "without a list"])
def from_list(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether gaps may be read from the list of all sets, where it is short."""
    if request.param == "without a list":
        monkeypatch.setattr("rulelab.rule_set.ranges.searching.listed", lambda *_: None)
    return request.param == "from the list"


@pytest.mark.usefixtures("from_list")
@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("criterion", ["equal_opportunity", "false_positive_rate_parity", "demographic_parity"])
@pytest.mark.parametrize("seed", [0, 1, 8, 20])
def test_no_set_near_the_optimum_has_another_gap(seed: int, criterion: str, form: str) -> None:
    """Also where rules overlap, so that the Hamming loss counts a negative more than once."""
    t = overlapping(seed)
    found = rl.rule_set_ranges(t.problem, 3, criteria=(criterion,), max_complexity=C, max_conditions=D, form=form)
    rate = {
        "equal_opportunity": "true_positive_rate",
        "false_positive_rate_parity": "false_positive_rate",
        "demographic_parity": "selection_rate",
    }[criterion]
    differences = []
    for clauses in t.sets:
        if hamming(t, clauses, form) <= found.threshold:
            p = predicted(t, clauses, form)
            of = {"true_positive_rate": t.y, "false_positive_rate": ~t.y, "selection_rate": t.y | ~t.y}[rate]
            a, b = ((p & of)[t.groups == g].sum() / of[t.groups == g].sum() for g in (0, 1))
            differences.append(a - b)
    row = found.gaps.loc[criterion]
    assert row["least"] == pytest.approx(np.abs(differences).min(), abs=1e-6)
    assert row["found"] == pytest.approx(np.abs(differences).min(), abs=1e-6)
    apart = found.differences
    assert apart[["rate", "group", "other"]].to_numpy().tolist() == [[rate, "0", "1"]]
    for least, greatest in (("least", "greatest"), ("at_least", "at_most")):
        assert apart[least][0] == pytest.approx(min(differences), abs=1e-9)
        assert apart[greatest][0] == pytest.approx(max(differences), abs=1e-9)


def overlapping(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    A = rng.random((24, 4)) < 0.5
    y = (A[:, 0] | A[:, 1]) ^ (rng.random(24) < 0.3)
    groups = rng.integers(0, 2, 24)
    groups[:4], y[:4] = [0, 0, 1, 1], [0, 1, 0, 1]
    problem = rl.Problem.from_arrays(A, y.astype(int), groups=groups)
    return SimpleNamespace(A=A, y=y, groups=groups, problem=problem, sets=list(naive.all_rule_sets(A, C, D)))


def hamming(t: Any, clauses: Any, form: str) -> int:
    """Counted row by row: what the rules should cover and do not, and each rule that covers what it should not."""
    loss = 0
    for row, label in zip(t.A, t.y, strict=True):
        if form == "dnf":
            times = sum(all(row[j] for j in clause) for clause in clauses)
        else:
            times = sum(not any(row[j] for j in clause) for clause in clauses)
        loss += int(not times) if label == (form == "dnf") else times
    return loss


def test_differences_of_weighted_rows_and_of_an_objective_with_a_price(from_list: bool) -> None:
    t = overlapping(8)
    weights = np.where(np.arange(24) % 3 == 0, 4, 2)
    problem = rl.Problem.from_arrays(t.A, t.y.astype(int), groups=t.groups, sample_weight=weights)
    for price in (0.0, 1.0):
        near = {"max_complexity": C, "max_conditions": D, "regularization": price}
        found = rl.rule_set_ranges(problem, 6, criteria=("accuracy_parity",), **near)
        all_, cheap = [], []
        for clauses in t.sets:
            loss = naive.hamming_loss(t.A, t.y, weights.tolist(), clauses)
            right = predicted(t, clauses) == t.y
            a, b = ((weights * right)[t.groups == g].sum() / weights[t.groups == g].sum() for g in (0, 1))
            if loss <= found.threshold:
                all_.append(a - b)
            if loss + price * sum(1 + len(clause) for clause in clauses) <= found.threshold:
                cheap.append(a - b)
        row = found.differences.iloc[0]
        proven = cheap if from_list else all_  # without a list the price is left out of what is near
        assert row["at_least"] == pytest.approx(min(proven), abs=1e-9)
        assert row["at_most"] == pytest.approx(max(proven), abs=1e-9)
        for value in (row["least"], row["greatest"]):
            assert np.isnan(value) or min(cheap) - 1e-9 <= value <= max(cheap) + 1e-9


def test_at_a_limit_nothing_is_said_that_is_not_known() -> None:
    t = table(0)
    search = rl.RuleSetSearch(t.problem, C, D)
    rl.solve(search)
    found = rl.rule_set_ranges(search, 0, time_limit=0.0, graded=True)
    assert set(found.columns["used_by"]) <= {"all", "some", "none", "not known"}
    for j, name in enumerate(t.problem.names):
        if found.columns.loc[name, "used_by"] == "all":
            assert uses(t, j)[losses(t) <= found.threshold].all()
        grades = found.columns.loc[name]
        near = losses(t) <= found.threshold
        used = [
            sum(j in clause for clause in clauses) for clauses, is_near in zip(t.sets, near, strict=True) if is_near
        ]
        assert grades["at_least"] <= min(used)
        assert max(used) <= grades["at_most"]
    with pytest.raises(ValueError, match="not certified"):
        rl.rule_set_ranges(rl.RuleSetSearch(t.problem, C, D), time_limit=0.0)


def test_some_columns_and_other_groups_are_those_that_were_asked_for() -> None:
    t = table(1)
    search = rl.RuleSetSearch(t.problem, C, D)
    names = list(t.problem.names)
    some = rl.rule_set_ranges(search, 1, columns=[names[2], names[0]])
    every = rl.rule_set_ranges(search, 1)
    assert sorted(some.columns.index) == sorted([names[2], names[0]])
    assert some.columns.equals(every.columns.loc[some.columns.index])
    bare = rl.RuleSetSearch(rl.Problem.from_arrays(t.A, t.y.astype(int)), C, D)
    asked = {"criteria": ("equal_opportunity",), "columns": ()}
    one = rl.rule_set_ranges(bare, 1, groups=t.problem.groups, **asked)
    other = rl.rule_set_ranges(search, 1, **asked)
    assert one.columns.empty
    assert one.gaps.equals(other.gaps)
    assert one.differences.equals(other.differences)


def test_stopped_ranges_are_those_of_the_columns_that_were_done(from_list: bool) -> None:
    t = table(2)
    search = rl.RuleSetSearch(t.problem, C, D)
    every = rl.rule_set_ranges(search, 1, graded=True, criteria=("equal_opportunity",))
    done: list[str] = []
    found = rl.rule_set_ranges(
        search, 1, graded=True, criteria=("equal_opportunity",), report=done.append, stop=lambda: len(done) > 3
    )
    begun = [doing.split()[1] for doing in done if doing.startswith("column antecedent")]
    assert begun
    known = found.columns[found.columns["used_by"] != "not known"].index
    assert 1 <= len(known) < len(every.columns)
    assert found.columns.loc[known, "used_by"].equals(every.columns.loc[known, "used_by"])
    assert (found.columns["at_least"] <= every.columns["at_least"].loc[found.columns.index]).all()
    assert (found.columns["at_most"] >= every.columns["at_most"].loc[found.columns.index]).all()
    assert found.gaps["least"].tolist() == (every.gaps["least"].tolist() if from_list else [0.0])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"columns": "antecedent 0"}, "columns must be names"),
        ({"columns": ["strange"]}, "columns must be names"),
        ({"within": 1, "ratio": 0.1}, "one of them"),
        ({"within": -1}, "within must be"),
        ({"ratio": "x"}, "ratio must be"),
        ({"time_limit": float("nan")}, "time_limit must be"),
        ({"criteria": "equal_opportunity"}, "criteria must be"),
        ({"graded": 1}, "graded must be"),
        ({"criteria": ("opportunity",)}, "criterion must be"),
        ({"fairness": rl.EqualOpportunity(0.1)}, "without a fairness constraint"),
        ({"must_use": ["antecedent 0"]}, "without what they must use"),
        ({"loss": "zero_one", "criteria": ("equal_opportunity",)}, "Hamming loss"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        rl.rule_set_ranges(table(0).problem, **arguments)


def test_the_command_says_who_uses_what(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["diabetes", "--model", "rule-set", "--max-complexity", "4", "--max-conditions", "1", "--thresholds", "2"]
    assert main(["near", *options, "--ranges", "--ratio", "0.05", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("column ")
    assert "used by" in out
    assert "conditions on it" in out
    assert "equal opportunity" in out
    assert "true positive rate" in out
    assert "exact" in out
    assert "of all rule sets over rules of at most 1 condition" in out
    for wrong, reason in (
        (["diabetes", "--ranges"], "--count-lists"),
        ([*options, "--ranges", "--max", "5"], "leave --max out"),
    ):
        assert main(["near", *wrong]) == 2
        assert reason in capsys.readouterr().err


def test_the_command_saves_the_ranges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({HOSTILE: rng.integers(0, 2, 40), "age": rng.integers(20, 60, 40)})
    table["sex"] = np.where(rng.random(40) < 0.5, "f", "m")
    table["y"] = (table["age"] > 40) ^ (rng.random(40) < 0.2)
    table.to_csv(tmp_path / "people.csv", index=False)
    options = ["near", str(tmp_path / "people.csv"), "--target", "y", "--sensitive", "sex", "--model", "rule-set"]
    options += ["--max-complexity", "4", "--max-conditions", "1", "--thresholds", "2", "--ranges", "--ratio", "0.05"]
    for kind in ("json", "csv", "html"):
        assert main([*options, "-o", str(tmp_path / f"ranges.{kind}")]) == 0
        assert f"ranges.{kind}" in capsys.readouterr().err
    found = json.loads((tmp_path / "ranges.json").read_text())
    assert (found["kind"], found["parameters"]["max_complexity"], found["problem"]["rows"]) == (
        "rule_set_ranges",
        4,
        40,
    )
    assert found["threshold"] == pytest.approx(1.05 * found["optimum"])
    frame = pd.read_csv(tmp_path / "ranges.csv")
    assert frame.groupby("of").size().to_dict() == {
        what: len(found[f"{what}s"]) for what in ("column", "gap", "difference")
    }
    columns = frame[frame["of"] == "column"].set_index("column")
    assert {row["column"]: row["used_by"] for row in found["columns"]} == columns["used_by"].to_dict()
    assert columns.loc["age", "used_by"] == "all"
    assert columns.loc[HOSTILE, "at_most"] == next(
        row["at_most"] for row in found["columns"] if row["column"] == HOSTILE
    )
    gaps = frame[frame["of"] == "gap"].set_index("criterion")["least"].to_dict()
    assert gaps == {row["criterion"]: pytest.approx(row["least"]) for row in found["gaps"]}
    page = (tmp_path / "ranges.html").read_text()
    assert HOSTILE not in page
    assert html.escape(HOSTILE) in page
    assert "every set" in page
    assert "certified of all rule sets" in page.lower()
    for said in ("equal opportunity", "demographic parity", "All groups are compared"):
        assert said in page
    assert main([*options, "-o", str(tmp_path / "ranges.xlsx")]) == 2
