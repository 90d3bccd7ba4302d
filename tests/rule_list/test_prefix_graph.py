"""Near-optimal lists as a graph of prefixes, against the lists themselves, one by one."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import rows
from test_near_optimal import GAPS, LAMBDAS, disjoint, medium_problem, near_optimal_by_enumeration

import rulelab as rl
from rulelab.rule_list.near_optimal.prefix_graph import PrefixGraph

small_problems = partial(rows, st.sampled_from(LAMBDAS), max_rows=8, max_columns=4, max_weight=4)


def searched(problem: rl.Problem, regularization: float, gap: float, **limits: int) -> rl.NearOptimalSearch:
    search = rl.NearOptimalSearch(problem, regularization, gap, **limits)
    rl.solve(search)
    return search


def paths(graph: PrefixGraph, node: int = 0) -> dict[tuple[int, ...], int]:
    """Every list of the graph, with the model that it is."""
    found: dict[tuple[int, ...], int] = {(): int(graph.model[node])} if graph.model[node] >= 0 else {}
    for edge in range(graph.first[node], graph.first[node + 1]):
        for rest, model in paths(graph, int(graph.to[edge])).items():
            found[(int(graph.rule[edge]), *rest)] = model
    return found


def check_choices(graph: PrefixGraph, lists: dict[tuple[int, ...], tuple[float, int]], prefix: tuple[int, ...]) -> None:
    """What is offered after a prefix, and what remains then, is counted from the lists that begin so."""
    going_on = {d: said for d, said in lists.items() if d[: len(prefix)] == prefix and len(d) > len(prefix)}
    offered = graph.choices(prefix)
    assert set(offered.index) == {d[len(prefix)] for d in going_on}
    for rule, row in offered.iterrows():
        these = [said for d, said in going_on.items() if d[len(prefix)] == rule]
        assert (row["lists"], row["models"]) == (len(these), len({model for _, model in these}))
        assert row["objective"] == pytest.approx(min(value for value, _ in these), abs=1e-12)
        assert row["slack"] == pytest.approx(max(graph.threshold - row["objective"], 0), abs=1e-12)


@settings(max_examples=40)
@given(small_problems(), st.sampled_from(GAPS))
def test_the_paths_are_all_near_optimal_lists(case, gap):
    A, y, weight, regularization = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    search = searched(problem, regularization, gap)
    graph, result = search.prefixes(), search.result()
    models, _ = near_optimal_by_enumeration(A, y, weight, regularization, gap)
    found = paths(graph)
    assert set(found) == {d for group in models.values() for d in group}
    assert graph.complete
    assert (graph.n_lists, graph.n_models) == (result.n_lists, result.count)
    predicted = [tuple(model.predicts_positive(A).tolist()) for model in result.models]
    lists = {d: rl.RuleList.from_problem(problem, d) for d in found}
    values = {d: (lists[d].objective(regularization), model) for d, model in found.items()}
    for d, model in list(found.items())[:: len(found) // 20 + 1]:
        made = lists[d]
        assert predicted[model] == tuple(made.predicts_positive(A).tolist())
        node = graph.node(d)
        assert graph.left[:, node].tolist() == [made.default.positives, made.default.negatives]
        for k, rule in enumerate(made.rules):
            at = graph.node(d[:k])
            edge = next(e for e in range(graph.first[at], graph.first[at + 1]) if graph.rule[e] == d[k])
            assert problem.classes[int(graph.positive[edge])] == rule.prediction
            captured = graph.left[:, at] - graph.left[:, graph.to[edge]]
            assert captured.tolist() == [rule.positives, rule.negatives]
    prefixes = sorted({d[:k] for d in found for k in range(len(d) + 1)})
    for prefix in prefixes[:: len(prefixes) // 6 + 1]:
        check_choices(graph, values, prefix)
    check_reliance(graph, lists)


def check_reliance(graph: PrefixGraph, lists: dict[tuple[int, ...], rl.RuleList]) -> None:
    table = graph.reliance()
    weight = graph.problem.total_weight
    decided = [{rule.antecedent: rule.captured / weight for rule in one.rules} for one in lists.values()]
    for j, row in table.iterrows():
        shares = [of_rule.get(j, 0) for of_rule in decided]
        assert (row["least"], row["most"]) == pytest.approx((min(shares), max(shares)))
        assert row["lists"] == pytest.approx(sum(j in d for d in lists) / len(lists))
    assert set(table.index) == {j for d in lists for j in d}


@pytest.fixture(scope="module")
def everything():
    return searched(medium_problem(), 0.02, 0.05)


@pytest.mark.parametrize("most", [1, 40, 300, 10**9])
def test_of_too_many_the_best_are_kept_and_none_of_those_is_missing(everything, most):
    graph, whole = everything.prefixes(most), everything.prefixes()
    assert len(graph.to) <= most or graph.threshold == pytest.approx(graph.optimum)
    problem = everything.problem
    lists = {d: rl.RuleList.from_problem(problem, d).objective(0.02) for d in paths(whole)}
    assert set(paths(graph)) == {d for d, value in lists.items() if value <= graph.threshold + 1e-12}
    assert graph.complete
    assert (graph.threshold < whole.threshold) == (most < len(whole.to))
    assert (graph.node([5, 5]), len(graph.choices([5, 5]))) == (-1, 0)


def test_what_was_cut_short_has_all_below_a_bound_and_nothing_dear(everything):
    search = searched(medium_problem(), 0.02, 0.05, limit=7)
    graph, whole = search.prefixes(), everything.prefixes()
    problem = search.problem
    assert not graph.complete
    assert graph.n_models == 7
    best = {d: rl.RuleList.from_problem(problem, d).objective(0.02) for d in paths(whole)}
    found = paths(graph)
    assert {d for d, value in best.items() if value < graph.covered - 1e-12} <= set(found) <= set(best)
    assert max(best[d] for d in found) <= graph.threshold + 1e-12


def test_orders_beyond_counting_are_few_prefixes():
    search = searched(disjoint(15), 0.0001, 0.0)
    graph = search.prefixes()
    assert (graph.n_lists, graph.n_models) == (search.result().n_lists, 1)
    assert (graph.reliance()["lists"] == 1).all()


def test_weights_that_are_no_whole_numbers():
    A = np.random.default_rng(4).random((40, 4)) < 0.5
    y = np.random.default_rng(5).random(40) < 0.5
    weight = 0.3 * np.random.default_rng(6).integers(1000, 2000, 40)
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    graph = searched(problem, 0.02, 0.1).prefixes()
    best = graph.choices()["objective"].iloc[0]
    assert best == pytest.approx(graph.optimum)
    for d in paths(graph):
        default = rl.RuleList.from_problem(problem, d).default
        assert graph.left[:, graph.node(d)].sum() == pytest.approx(default.captured)


def test_before_the_optimum_there_is_nothing_to_choose_from():
    search = rl.NearOptimalSearch(medium_problem(), 0.02, 0.05)
    with pytest.raises(ValueError, match="not certified yet"):
        search.prefixes()
    rl.solve(search)
    with pytest.raises(ValueError, match="most must be an integer >= 1, not 0"):
        search.prefixes(0)
