"""Every call ends: limits by default, the same everywhere, and what is said when one of them was met."""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import dashed, output_of, run
from hypothesis import given, settings
from hypothesis import strategies as st
from live import problem
from sklearn.exceptions import ConvergenceWarning
from test_estimators import flowers, people

import rulelab as rl
from rulelab import parameters
from rulelab.cli.output import as_option
from rulelab.data.antecedents import TooManyAntecedents
from rulelab.data.columns import quantile_positions
from rulelab.data.mining import mine_antecedents, mine_within
from rulelab.fitting import CLASSIFIERS
from rulelab.kernels.growing import affordable
from rulelab.rule_set.master.dual_bound import knapsack
from rulelab.sweeps.families import FAMILIES


def table(columns: int = 14, rows: int = 120) -> pd.DataFrame:
    matrix = np.random.default_rng(2).random((rows, columns)) < 0.5
    return pd.DataFrame(matrix, columns=[f"c{k}" for k in range(columns)])


def default(function: object, name: str) -> object:
    return inspect.signature(function).parameters[name].default  # type: ignore[arg-type]


@pytest.fixture
def seen(monkeypatch):
    """What the last search was asked for."""
    asked = {}
    monkeypatch.setattr(
        rl.Search,
        "steps",
        lambda search, **options: asked.update(options, **search.parameters) or rl.steps(search, work_limit=1),
    )
    return asked


@pytest.mark.parametrize("family", list(CLASSIFIERS))
def test_classifiers_sweeps_and_the_command_line_have_the_same_defaults(family, tmp_path, capsys, seen):
    make = CLASSIFIERS[family]
    assert default(make, "time_limit") == default(rl.sweep, "time_limit") == parameters.TIME_LIMIT
    assert default(make, "memory_limit") == FAMILIES[family].defaults["memory_limit"] == parameters.MEMORY_LIMIT
    names = set(inspect.signature(make).parameters) & set(FAMILIES[family].defaults)
    assert {name: default(make, name) for name in names} == {name: FAMILIES[family].defaults[name] for name in names}
    X, y = people()
    X.assign(y=y).to_csv(tmp_path / "people.csv", index=False)
    status, _, err = run(capsys, "fit", tmp_path / "people.csv", "--target", "y", "--model", dashed(family))
    assert (status, seen["time_limit"]) == (0, parameters.TIME_LIMIT), err
    for name in set(inspect.signature(make).parameters) & set(seen) - {"random_state"}:
        assert seen[name] == default(make, name), name


@pytest.fixture
def fit(tmp_path, capsys):
    """The status of a command that fits a small table, and what it says on stderr."""
    table().assign(y=[0, 1] * 60).to_csv(tmp_path / "t.csv", index=False)
    return lambda *options: run(capsys, "fit", tmp_path / "t.csv", "--target", "y", *options)[::2]


def test_limits_are_lifted_on_the_command_line(fit, seen):
    lifted = ["--time-limit", "none", "--memory-limit", "None", "--max-antecedents", "none"]
    assert fit("--regularization", 0.2, *lifted)[0] == 0
    assert seen["time_limit"] is seen["memory_limit"] is None
    status, err = fit("--time-limit", "soon")
    assert (status, "--time-limit" in err) == (2, True)
    status, err = fit("--model", "rule-set", "--max-antecedents", "none")
    assert (status, "--max-antecedents is not an option of --model rule-set" in err) == (2, True)


def test_too_many_antecedents_give_way_to_those_of_fewer_conditions():
    B = table()
    full = {k: mine_antecedents(B, k, 0.0, 1.0) for k in (1, 2, 3)}
    sizes = {k: len(antecedents) for k, antecedents in full.items()}
    for most, taken in ((None, 3), (sizes[3], 3), (sizes[3] - 1, 2), (sizes[2], 2), (sizes[2] - 1, 1), (1, 1)):
        found, note = mine_within(B, 3, 0.0, 1.0, max_antecedents=most)
        assert found.names == full[taken].names
        assert (f"at most {taken} condition" in note) is (taken < 3)
        assert ("max_antecedents" in note) is (taken < 3)
    with pytest.raises(TooManyAntecedents):
        mine_antecedents(B, 3, 0.0, 1.0, max_antecedents=sizes[2])


def test_the_memory_of_a_search_limits_its_antecedents():
    B = table(rows=800)
    found, note = mine_within(B, 2, 0.0, 1.0, memory_limit=64 * 101 * 20)
    assert len(found) == 14
    assert all(each in note for each in ("20", "memory_limit"))
    assert mine_within(B, 2, 0.0, 1.0, memory_limit=10**9)[1] == ""


@pytest.mark.parametrize("make", [rl.RuleListClassifier, rl.FallingRuleListClassifier])
def test_a_classifier_says_what_it_left_out(make):
    B, y = table(), [0, 1] * 60
    with pytest.warns(UserWarning, match="at most 1 condition, not 2: .* max_antecedents .* raise it") as told:
        model = make(regularization=0.1, max_antecedents=14).fit(B, y)
    assert (told[0].filename, len(model.antecedents_)) == (__file__, 14)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(make(regularization=0.1, max_antecedents=None).fit(B, y).antecedents_) > 14
    with pytest.raises(ValueError, match="max_antecedents"):
        make(max_antecedents=0).fit(B, y)


def test_the_command_line_says_what_it_left_out(fit):
    status, err = fit("--regularization", 0.1, "--max-antecedents", 30)
    assert (status, "rules have at most 1 condition, not 2" in err) == (0, True)


def test_classes_share_the_time(monkeypatch):
    given = []

    def steps(search: rl.Search, time_limit: float, gap: float, verbose: bool):
        given.append(time_limit)
        for snapshot in rl.steps(search, gap=gap):
            yield replace(snapshot, seconds=time_limit / 2)

    monkeypatch.setattr(rl.Search, "steps", steps)
    X, y = flowers()
    rl.RuleListClassifier(0.05, thresholds=3, max_conditions=1, time_limit=24.0).fit(X, y)
    assert given == [8.0, 10.0, 15.0]  # of 24, of the 20 that are left, of the 15 that are left then


@pytest.fixture
def inexact(monkeypatch):
    """Searches end with an objective that is proven optimal within the rounding of their numbers."""
    original = rl.Search.advance
    rounding = 3e-6

    def advance(search: rl.Search, max_work: int) -> rl.results.Snapshot:
        snapshot = original(search, max_work)
        if snapshot.status is not rl.Status.OPTIMAL:
            return snapshot
        bound = snapshot.incumbent.objective - rounding
        return replace(snapshot, status=rl.Status.LIMIT, limit="exactness", lower_bound=bound)

    monkeypatch.setattr(rl.Search, "advance", advance)


@pytest.mark.parametrize("family", list(CLASSIFIERS))
def test_optimal_within_rounding_is_said_in_these_words(family, inexact, tmp_path, capsys):
    X, y = people()
    options = {"max_complexity": 4, "max_conditions": 1} if family == "rule_set" else {"regularization": 0.05}
    with pytest.warns(ConvergenceWarning) as told:
        model = CLASSIFIERS[family](**options, thresholds=3).fit(X, y)
    assert [str(one.message)[:30] for one in told] == ["proven optimal within 0.000003"]
    assert told[0].filename == __file__
    assert model.status_ is rl.Status.LIMIT
    assert 2e-6 < model.gap_ < 4e-6
    X.assign(y=y).to_csv(tmp_path / "people.csv", index=False)
    named = [part for name, value in options.items() for part in (as_option(name), value)]
    arguments = ["--target", "y", "--thresholds", 3, "--model", dashed(family), *named]
    out, err = output_of(capsys, "fit", tmp_path / "people.csv", *arguments)
    assert "optimal within 0.000003" in out
    assert "certified" not in out + err.replace("certified  ", "")
    assert "limit reached" not in out


# growing within a memory limit ----------------------------------------------------------------------------------------
MAKERS: dict[str, Callable[[int], rl.Search]] = {
    **{
        policy: lambda limit, policy=policy: rl.RuleListSearch(
            problem(400, 40), 0.002, policy=policy, memory_limit=limit, beam_width=0
        )
        for policy in ("lower_bound", "objective", "breadth_first")
    },
    "frontier": lambda limit: rl.FrontierSearch(problem(400, 40), 12, memory_limit=limit, beam_width=0),
    "corels": lambda limit: rl.CorelsSearch(problem(400, 40), 0.002, memory_limit=limit),
    "falling": lambda limit: rl.FallingRuleListSearch(problem(1000, 150), 0.003, 5.0, memory_limit=limit, iterations=0),
}


@pytest.mark.long
@pytest.mark.parametrize("name", list(MAKERS))
def test_no_search_grows_beyond_its_memory_limit(name):
    stopped = False
    for limit in (300_000, 1_000_000, 1_700_000):
        search = MAKERS[name](limit)
        first = search.advance(1).memory_bytes
        last = rl.solve(search, work_limit=20_000)
        assert last.memory_bytes <= max(limit, first)
        stopped |= last.limit == "memory"
    assert stopped


@given(st.integers(1, 1000), st.integers(1, 3000), st.integers(0, 10_000), st.integers(1, 9))
def test_what_is_affordable_is_paid_for_and_enough(capacity, needed, free, entry):
    wanted = affordable(capacity, needed, free, lambda n: (n - capacity) * entry)
    assert wanted == affordable(capacity, needed, None, abs) or (wanted - capacity) * entry <= free
    if (max(needed, 2 * capacity) if needed <= capacity else needed) - capacity <= free // entry:
        assert wanted >= needed


def naive_knapsack(best: list[int], penalty: int, room: int) -> int:
    most = [0] * (room + 1)
    for used in range(1, room + 1):
        most[used] = most[used - 1]
        for s in range(1, len(best)):
            if s + 1 <= used:
                most[used] = max(most[used], most[used - s - 1] + best[s] - penalty * (s + 1))
    return most[room]


@settings(max_examples=300)
@given(st.lists(st.integers(-20, 60), min_size=1, max_size=7), st.integers(0, 12), st.integers(2, 300))
def test_the_knapsack_is_that_of_every_room(best, penalty, room):
    assert knapsack(np.array(best), penalty, room) == naive_knapsack(best, penalty, room)


def test_a_knapsack_of_a_huge_room_is_filled_at_once():
    assert knapsack(np.array([0, 7, 12]), 1, 10**15) == 9 * (10**15 // 3 - 1) + 2 * 5


@settings(max_examples=200)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=30).filter(any), st.integers(2, 400))
def test_groups_beyond_the_values_cut_where_quantiles_fall(counts, groups):
    upto, total = np.cumsum(counts).tolist(), sum(counts)
    expected = {next(k for k, n in enumerate(upto) if n * groups >= q * total) for q in range(1, groups)}
    for numbers in (np.array(counts), np.array(counts) / 3, np.array(counts) << 55):
        found = quantile_positions(numbers, groups).tolist()
        assert [k for k in found if k < len(counts) - 1] == sorted(expected - {len(counts) - 1})


def test_more_groups_than_values_cost_nothing():
    table = np.arange(60.0)[:, None]
    assert len(rl.Binarizer(thresholds=10**30).fit(table).conditions_) == 2 * 59
