"""The proximal master with constraints against the simplex one and the naive reference."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from test_rule_set_fairness import LOSSES, compas_like, compas_problem
from test_rule_set_master import check_its_end
from test_rule_set_search import certified

import rulelab as rl
from rulelab.rule_set import RuleSetSearch, generation
from rulelab.rule_set.features import Features
from rulelab.rule_set.generation import ColumnGeneration
from rulelab.rule_set.master.constrained_proximal import ConstrainedProximalMaster
from rulelab.rule_set.pool import Pool
from rulelab.rule_set.program import Program, make_program

CRITERIA = [
    rl.EqualOpportunity(0.02), rl.EqualOpportunity(0.0), rl.EqualizedOdds(0.02, 0.05),
    rl.FalsePositiveRateParity(0.01), rl.DemographicParity(0.01), rl.AccuracyParity(0.02), rl.AccuracyParity(0.0),
]  # fmt: skip


@pytest.fixture
def proximal(monkeypatch):
    """Let problems of any size take the proximal methods."""
    monkeypatch.setattr(generation, "_LARGE_CONSTRAINED", 0)
    monkeypatch.setattr(generation, "_LARGE", 0)


def some_rules(criterion: rl.EqualOpportunity, loss: str = "hamming", form: str = "dnf") -> tuple[Program, Pool]:
    problem = compas_problem()
    program = make_program(problem, 9, loss, form, criterion)
    pool = Pool(program, Features.from_problem(problem, form))
    pool.add([*((j,) for j in range(8)), *combinations(range(8), 2)])
    return program, pool


@pytest.mark.few(5)
@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_without_new_rules_it_ends_at_the_value_of_the_linear_program(criterion, loss, form):
    check_its_end(ConstrainedProximalMaster, *some_rules(criterion, loss, form), 1e-5, (2e-3, 2e-2))


def test_weights_that_are_not_integers(proximal):
    A, y, groups = compas_like(200)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y))
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
    found = certified(RuleSetSearch(problem, 6, 2, fairness=rl.EqualOpportunity(0.1)))
    assert found.counts["newton_steps"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "_LARGE_CONSTRAINED", 1 << 30)
        simplex = certified(RuleSetSearch(problem, 6, 2, fairness=rl.EqualOpportunity(0.1)))
    assert found.incumbent.objective == simplex.incumbent.objective


def generated(criterion: rl.EqualOpportunity) -> ColumnGeneration:
    """Column generation at its end."""
    problem = compas_problem()
    program, features = make_program(problem, 11, fairness=criterion), Features.from_problem(problem)
    columns = ColumnGeneration(program, features, Pool(program, features), 3)
    while not columns.done:
        columns.advance()
    return columns


def proven(columns: ColumnGeneration) -> float:
    """The linear bound."""
    point, price = columns.closing_point
    return float((point.total - price * columns.program.max_complexity) / point.grid)


@pytest.mark.parametrize("criterion", [None, *CRITERIA], ids=repr)
def test_column_generation_meets_the_one_with_the_simplex_method(criterion, monkeypatch):
    simplex = generated(criterion)
    assert not simplex.newton_steps
    for name in ("_LARGE", "_LARGE_CONSTRAINED"):
        monkeypatch.setattr(generation, name, 0)
    columns = generated(criterion)
    assert columns.newton_steps
    assert proven(columns) == pytest.approx(proven(simplex), abs=0.25)
    assert columns.value == pytest.approx(simplex.value, abs=0.25)
    assert criterion is None or columns.gamma.shape == simplex.gamma.shape
    assert criterion is not None or (columns.lower, columns.simplex_iterations) == (simplex.lower, 0)


@pytest.mark.parametrize("criterion", [None, rl.EqualOpportunity(0.02)], ids=repr)
def test_the_simplex_method_takes_over_when_nothing_is_found(criterion, proximal, monkeypatch):
    expected = proven(generated(criterion))
    monkeypatch.setattr(generation, "_EXACT", 1)
    monkeypatch.setattr(ColumnGeneration, "_closed", lambda self: False)
    columns = generated(criterion)
    assert columns.newton_steps
    assert columns.simplex_iterations
    assert proven(columns) == pytest.approx(expected, abs=0.25)


@pytest.mark.parametrize("criterion", [rl.EqualOpportunity(0.02), rl.DemographicParity(0.02)], ids=repr)
def test_a_search_pickled_after_every_unit_ends_alike_and_is_proven(proximal, criterion):
    problem = compas_problem()
    whole = certified(RuleSetSearch(problem, 8, 3, fairness=criterion).without_relaxation())
    search, bounded = RuleSetSearch(problem, 8, 3, fairness=criterion).without_relaxation(), False
    while (snapshot := search.advance(1)).status is rl.Status.RUNNING:
        search = pickle.loads(pickle.dumps(search))
        if not bounded and snapshot.lower_bound > 0 and snapshot.incumbent is not None:
            verdict = rl.verify(problem, snapshot.incumbent.model, search.certificate(bound_only=True))
            assert verdict.state == "bound"
            assert 0 < verdict.lower_bound <= whole.incumbent.objective
            bounded = True
    assert bounded
    assert snapshot.counts == whole.counts
    assert snapshot.counts["newton_steps"]
    assert snapshot.incumbent.model == whole.incumbent.model
    assert rl.verify(problem, snapshot.incumbent.model, search.certificate()).valid
