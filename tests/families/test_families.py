"""The records of families: estimators, searches, sweeps and recipes agree with them, one default each."""

import inspect
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import yaml

import rulelab as rl
from rulelab.families import BINARIZING, CRITERIA, EVERY_FAMILY, FAMILIES, MINING
from rulelab.plots.styling import in_words
from rulelab.questions import ENGINES, search_of
from rulelab.recipe import smallest_problem
from rulelab.remaining import log10_coarse, log10_fine, log10_total, log10_total_symmetry_aware
from rulelab.snapshot import Snapshot, Status, time_left

ESTIMATORS = {
    "rule_list": rl.RuleListClassifier,
    "falling_rule_list": rl.FallingRuleListClassifier,
    "rule_set": rl.RuleSetClassifier,
}
OF_FITTING = {"class_weight", "time_limit", "gap", "random_state", "several_classes", "verbose", "n_jobs"}


def defaults_of(function: object) -> dict[str, object]:
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}


@pytest.mark.parametrize("name", FAMILIES)
def test_estimators_and_searches_have_the_parameters_of_their_record(name):
    family, estimator = FAMILIES[name], ESTIMATORS[name]
    given = {key: value for key, value in defaults_of(estimator.__init__).items() if key not in OF_FITTING}
    assert given == family.defaults
    assert len(family.defaults) == len(family.parameters), "each name once"
    assert all(each.name in inspect.getdoc(estimator) for each in family.parameters)
    search = search_of(family, smallest_problem(), {})
    assert search.family == getattr(rl.models, family.models).family == name
    known = {key for engine in ENGINES if engine.model == name for key in engine.takes}
    assert {each.name for each in family.own} <= known


@pytest.mark.parametrize("name", EVERY_FAMILY)
def test_searches_take_all_numbers_that_their_record_accepts_and_refuse_its_costs_outside(name):
    """So that a field says what is wrong with a number, in the words of the record, and not Run."""
    rng, family = np.random.default_rng(0), EVERY_FAMILY[name]
    A, groups = rng.random((400, 3)) < 0.5, rng.choice(["a", "b"], 400)
    kind, classes = (rl.MultiClassProblem, 3) if name == "multi_class_rule_list" else (rl.Problem, 2)
    grouped = {} if classes == 3 else {"groups": groups}
    problem = kind.from_arrays(A, rng.integers(0, classes, 400), **grouped)
    numbers = [each for each in family.own if each.kind in ("whole", "number", "fraction")]
    for asked in ({}, {"fairness": rl.EqualOpportunity(0.1)}, {"must_use": ["antecedent 1"]}):
        if not set(asked) <= set(family.defaults):
            continue
        for each in numbers:
            if each.name in ("violation_penalty", "iterations") and "fairness" in asked:
                continue  # fair falling lists have none, which the form says
            most = 100 if each.name == "min_group_size" else 10**6
            for value in (-1, 0, 0.5, 1, 2, 5, 10**4, 10**6):
                if (each.kind == "whole" and value != int(value)) or value > most:
                    continue
                given = {**asked, each.name: int(value) if each.kind == "whole" else float(value)}
                if each.accepts(value):
                    assert search_of(family, problem, given).problem is problem
                elif each.name in ("regularization", "positive_weight"):
                    with pytest.raises(ValueError, match=each.name):
                        search_of(family, problem, given)


def test_binarizing_and_mining_have_the_defaults_of_the_library():
    milder = {"thresholds": 5}  # so that fits with default parameters are certified soon
    assert {each.name: each.default for each in BINARIZING} == defaults_of(rl.Binarizer.__init__) | milder
    mining = defaults_of(rl.mine_antecedents)
    for each in MINING:
        if each.name in mining and each.name != "max_antecedents":  # a limit, which mining alone has not
            assert each.default == mining[each.name]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_model_without_rules_has_the_cost_of_its_errors(name):
    family = FAMILIES[name]
    model, objective = family.without_rules([0, 1], 3, 5, family.defaults)
    assert (len(model.rules), model.n_conditions, model.errors) == (0, 0, 3)
    assert objective == (3 if name == "rule_set" else 3 / 8)
    assert "3" in family.objective(model, family.defaults) or name == "falling_rule_list"


def test_criteria_are_made_by_name():
    for name, record in CRITERIA.items():
        criterion = record.make(*[0.125] * len(record.tolerances))
        assert isinstance(criterion, getattr(rl, record.class_name))
        assert in_words(name).split()[0] in record.words
        with pytest.raises(ValueError, match="takes"):
            record.make()
    with pytest.raises(ValueError, match="-1"):
        CRITERIA["equal_opportunity"].make(-1.0)


def test_records_are_read_without_the_engines():
    code = (
        "import sys, rulelab.families; assert not {'numba', 'pandas', 'numpy'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


TOYS = yaml.safe_load(Path(__file__).with_name("toys.yaml").read_text(encoding="utf-8"))


@pytest.mark.long
@pytest.mark.parametrize(("kind", "door"), [(kind, door) for kind, toy in TOYS.items() for door in toy["doors"]])
def test_a_family_and_a_criterion_of_a_few_lines_are_at_every_door(kind, door):
    code = TOYS[kind]["made"] + TOYS[kind]["doors"][door]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", FAMILIES)
def test_run_makes_the_model_that_fit_makes(name):
    """With nothing chosen anywhere: the page's defaults are the estimator's."""
    from rulelab.views.search.setup import Setup

    setup, data = Setup(), rl.datasets.load("diabetes")
    setup.choose(family=name)
    prepared = setup.recipe()(lambda doing: None)
    found = rl.solve(prepared.search)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that rules have fewer conditions
        fitted = ESTIMATORS[name]().fit(data.X, data.y)
    assert (fitted.status_, found.status) == (rl.Status.OPTIMAL, rl.Status.OPTIMAL)
    assert (fitted.model_, setup.limits.time_limit) == (found.incumbent.model, fitted.time_limit)
    assert prepared.search.memory_limit == fitted.memory_limit


# upper bounds on the search space that is left ------------------------------------------------------------------------
def coarse(queue, m, longest):
    """Proposition 9, term by term."""
    total = 0
    for length, queued in enumerate(queue):
        for j in range(max(longest - length, 0) + 1):
            if j <= m - length:
                total += queued * math.factorial(m - length) // math.factorial(m - length - j)
    return total


@pytest.mark.parametrize("queue", [(1,), (0, 5), (0, 3, 0, 7), (2, 1, 1)])
@pytest.mark.parametrize(("m", "longest"), [(4, 0), (5, 3), (10, 10), (150, 6)])
def test_coarse_bound_is_proposition_9(queue, m, longest):
    assert log10_coarse(queue, m, longest) == pytest.approx(math.log10(coarse(queue, m, longest)))


def fine(queue, m):
    """Theorem 7, prefix by prefix; the queue holds lengths and steps that the incumbent pays for."""
    return sum(math.perm(m - length, j) for length, steps in queue for j in range(min(steps, m - length) + 1))


@pytest.mark.parametrize("m", [4, 6, 60])
@pytest.mark.parametrize("queue", [[(0, 3)], [(1, 2), (1, 2), (2, 0)], [(3, 1), (2, 4), (2, 1), (4, 0)]])
def test_fine_bound_is_theorem_7(queue, m):
    table = np.zeros((6, 5), dtype=np.int64)
    for length, steps in queue:
        table[length, steps] += 1
    assert log10_fine(table, m) == pytest.approx(math.log10(fine(queue, m)))


def test_bounds_of_empty_queues_large_spaces_and_the_papers_example():
    assert (log10_coarse((), 100, 10), log10_coarse((0, 0), 100, 10)) == (0, 0)
    assert log10_fine(np.zeros((3, 3), dtype=np.int64), 10) == 0
    assert 1000 < log10_coarse((0, 10**6), 100_000, 300) < 2000
    assert 10 ** log10_total(100, 5) == pytest.approx(9.1e9, rel=0.02)
    assert 10 ** log10_total_symmetry_aware(100, 5) == pytest.approx(3.9e8, rel=0.02)


@pytest.mark.parametrize(("m", "longest"), [(1, 0), (1, 1), (4, 9), (7, 3), (30, 30)])
def test_totals_are_proposition_8_and_theorem_17(m, longest):
    most = min(m, longest)
    naive = sum(math.factorial(m) // math.factorial(m - k) for k in range(most + 1))
    aware = 1 + sum(math.factorial(m) // (math.factorial(k - 1) * math.factorial(m - k)) for k in range(1, most + 1))
    assert log10_total(m, longest) == pytest.approx(math.log10(naive))
    assert log10_total_symmetry_aware(m, longest) == pytest.approx(math.log10(aware))


@pytest.mark.parametrize(("m", "longest"), [(12_780, 400), (2_000, 1_999), (12_780, 12_780)])
def test_large_spaces_are_summed_to_the_last_term_that_counts(m, longest):
    log10_factorial = [math.lgamma(n + 1) / math.log(10) for n in range(m + 1)]

    def naive(queue):
        terms = [
            math.log10(queued) + log10_factorial[m - length] - log10_factorial[m - length - j]
            for length, steps, queued in queue
            for j in range(min(steps, m - length) + 1)
        ]
        largest = max(terms)
        return largest + math.log10(sum(10 ** (t - largest) for t in terms))

    lengths = (0, 3, 50)
    queue = [7 if length in lengths else 0 for length in range(60)]
    expected = naive([(length, longest - length, 7) for length in lengths])
    assert log10_coarse(queue, m, longest) == pytest.approx(expected, rel=1e-9)
    table = np.zeros((60, longest + 1), dtype=np.int64)
    table[3, longest], table[50, longest // 2] = 5, 9
    assert log10_fine(table, m) == pytest.approx(naive([(3, longest, 5), (50, longest // 2, 9)]), rel=1e-9)


def test_a_wide_queue_takes_no_longer_than_its_cells():
    table = np.ones((400, 4000), dtype=np.int64)  # of which a sum over all steps would have billions of terms
    assert log10_fine(table, 13_000) > 10_000


@pytest.mark.parametrize(
    ("coarse", "fine", "said"),
    [
        (9.0, 5.0, "at most 3 min left (estimate)"), (4.0, None, "at most 20 s left (estimate)"),
        (7.5, 7.0, "at most 6 h left (estimate)"), (99.0, 8.0, ""), (99.0, None, ""), (0, 0, ""),
    ],
)  # fmt: skip
def test_the_time_left_is_an_estimate_by_the_finer_bound(coarse, fine, said):
    detail = {} if fine is None else {"log10_remaining_fine": fine}
    counts = {"created": 1000}
    state = Snapshot(1, 1, 2.0, Status.RUNNING, None, 0.0, counts=counts, log10_remaining=coarse, detail=detail)
    assert time_left(state, 2.0) == said
