"""The bounds of the CORELS papers: each holds for the best completion, and none of them changes the optimum."""

import math
from dataclasses import replace
from functools import cache
from itertools import permutations
from types import SimpleNamespace

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import Inside, noisy_problem, rows

import rulelab as rl
from rulelab.kernels import bits
from rulelab.kernels.growing import OPEN
from rulelab.rule_list import CORELS_BOUNDS, POLICIES, CorelsBounds, CorelsSearch
from rulelab.rule_list.corels import bounds as paper_bounds
from rulelab.rule_list.costs import costs_of

LAMBDAS = (0.02, 0.05, 0.1, 0.2)
FUNCTIONS = {name: getattr(paper_bounds, name, None) for name in CORELS_BOUNDS}
bound = SimpleNamespace(**{name: getattr(f, "py_func", f) for name, f in FUNCTIONS.items() if f is not None})
"""The bounds as plain Python: they are compiled into the kernels and cannot be called from outside."""


@st.composite
def cases(draw, max_rows=12, max_antecedents=4):
    """A matrix, labels, integer weights and a regularization; antecedents often overlap, nest or are disjoint."""
    A, y, weight = draw(rows(max_rows=max_rows, max_columns=max_antecedents, max_weight=4))
    for a in range(1, A.shape[1]):
        kind = draw(st.sampled_from(["free", "free", "inside", "outside", "equal"]))
        if kind == "inside":
            A[:, a] &= A[:, a - 1]
        elif kind == "outside":
            A[:, a] &= ~A[:, a - 1]
        elif kind == "equal":
            A[:, a] = A[:, a - 1]
    return A, y, weight, draw(st.sampled_from(LAMBDAS))


class Costs:
    """A case in integer costs: what the bounds take, by the definitions, row by row."""

    def __init__(self, A, y, weight, regularization):
        self.A, self.y, self.weight = A, y, weight
        self.n, self.m = sum(weight), A.shape[1]
        fraction = naive.decimal(regularization)
        self.regularization = fraction
        self.per_error, self.per_rule = fraction.denominator, fraction.numerator * self.n
        self.objective = cache(self.uncached_objective)

    def uncached_objective(self, antecedents):
        cost = naive.rule_list_objective(self.A, self.y, self.weight, self.regularization, antecedents)
        return int(cost * self.per_error * self.n)

    def of(self, rows):
        return sum(self.weight[i] for i in rows)

    def classes(self, rows):
        positive = self.of([i for i in rows if self.y[i]])
        return positive, self.of(rows) - positive

    def uncaptured(self, prefix):
        return [i for i in range(len(self.y)) if not any(self.A[i, a] for a in prefix)]

    def captured(self, prefix, a):
        return [i for i in self.uncaptured(prefix) if self.A[i, a]]

    def bound(self, prefix):
        """b(prefix): what its rules get wrong, and the rules."""
        wrong = sum(min(self.classes(self.captured(prefix[:k], a))) for k, a in enumerate(prefix))
        return self.per_error * wrong + self.per_rule * len(prefix)

    def points(self, prefix):
        """Minority weight of the uncaptured rows that satisfy the same antecedents."""
        rows = self.uncaptured(prefix)
        groups = {tuple(self.A[i]) for i in rows}
        return sum(min(self.classes([i for i in rows if tuple(self.A[i]) == group])) for group in groups)

    def lists(self):
        return list(naive.all_rule_lists(self.m, self.m))

    def completions(self, prefix, at_least=0):
        """Costs of all lists that start with the prefix and have so many rules more, by length."""
        rest = [a for a in range(self.m) if a not in prefix]
        return [
            (len(prefix) + k, self.objective((*prefix, *tail)))
            for k in range(at_least, len(rest) + 1)
            for tail in permutations(rest, k)
        ]


def least(completions):
    return min((cost for _, cost in completions), default=math.inf)


@settings(max_examples=40)
@given(cases(max_antecedents=3))
def test_limits_of_cost_and_length_hold_for_every_completion(case):
    costs = Costs(*case)
    per_error, per_rule = costs.per_error, costs.per_rule
    optimum = least(costs.completions(()))
    incumbents = {costs.objective(d) for d in costs.lists()}
    for prefix in costs.lists():
        k, b, points = len(prefix), costs.bound(prefix), costs.points(prefix)
        everything, longer = costs.completions(prefix), costs.completions(prefix, 1)
        assert b + per_error * points <= least(everything)
        assert b + per_error * points + per_rule <= least(longer)
        for best in incumbents:
            assert not bound.hierarchical(b, best) or least(everything) >= best
            assert not bound.equivalent_points(b, points, per_error, best) or least(everything) >= best
            assert not bound.lookahead(b, per_rule, best) or least(longer) >= best
            for extended in range(k + 1, costs.m + 1):
                as_long = least([(length, cost) for length, cost in longer if length >= extended])
                if bound.prefix_length(k, extended, b, per_rule, best):
                    assert as_long >= best
                if bound.incumbent_length(extended, per_rule, best):
                    assert as_long >= best
                if bound.a_priori_length(extended, per_error, per_rule, costs.n):
                    assert as_long > optimum


@settings(max_examples=60)
@given(cases())
def test_a_rejected_rule_is_no_loss(case):
    """Each list with a rule that a support bound rejects is no better than a shorter one, of the same first rules."""
    costs = Costs(*case)
    per_error, per_rule = costs.per_error, costs.per_rule
    for d in costs.lists():
        for k, a in enumerate(d):
            rows = costs.captured(d[:k], a)
            left = costs.of(costs.uncaptured(d[: k + 1]))
            without = costs.objective(d[:k] + d[k + 1 :])
            if bound.support(costs.of(rows), per_error, per_rule):
                assert bound.accurate_support(max(costs.classes(rows)), per_error, per_rule)
            if bound.accurate_support(max(costs.classes(rows)), per_error, per_rule):
                assert without <= costs.objective(d)
            if bound.excessive_support(left, per_error, per_rule):
                assert costs.objective(d[:k]) <= costs.objective(d)
            if any((costs.A[:, a] <= costs.A[:, before]).all() for before in d[:k]):
                assert without == costs.objective(d) - per_rule


@settings(max_examples=40)
@given(cases())
def test_rejection_propagates_to_supersets_in_any_order(case):
    costs = Costs(*case)
    per_error, per_rule = costs.per_error, costs.per_rule

    def rejections(prefix, a):
        rows = costs.captured(prefix, a)
        left = costs.of(costs.uncaptured((*prefix, a)))
        return np.array(
            [
                bound.support(costs.of(rows), per_error, per_rule),
                bound.accurate_support(max(costs.classes(rows)), per_error, per_rule),
                bound.excessive_support(left, per_error, per_rule),
            ]
        )

    for prefix in costs.lists():
        for a in set(range(costs.m)) - set(prefix):
            for subset in costs.lists():
                if set(subset) <= set(prefix):
                    assert (rejections(subset, a) <= rejections(prefix, a)).all()


@settings(max_examples=40)
@given(cases())
def test_equal_and_similar_captures_bound_each_other(case):
    costs = Costs(*case)
    prefixes = {d: (costs.bound(d), set(costs.uncaptured(d)), least(costs.completions(d))) for d in costs.lists()}
    for first, (b, left, best) in prefixes.items():
        for second, (other_b, other_left, other_best) in prefixes.items():
            rest = set(range(costs.m)) - set(first) - set(second)
            if left == other_left and b <= other_b:
                assert least(_with_tails(costs, first, rest)) <= least(_with_tails(costs, second, rest))
            apart = costs.of(other_left - left)
            if bound.similar_support(b, other_b, apart, costs.per_error):
                assert least(_with_tails(costs, first, rest)) >= least(_with_tails(costs, second, rest))
                assert best >= other_best


def _with_tails(costs, prefix, rest):
    return [
        (0, costs.objective((*prefix, *tail))) for k in range(len(rest) + 1) for tail in permutations(sorted(rest), k)
    ]


def certified(problem, regularization, **options):
    snapshot = rl.solve(CorelsSearch(problem, regularization, **options))
    assert snapshot.status is rl.Status.OPTIMAL
    assert (snapshot.gap, set(snapshot.pruned)) == (0, set(CORELS_BOUNDS))
    return snapshot


def without(*names):
    return CorelsBounds(**dict.fromkeys(names, False))


def only(*names):
    return CorelsBounds(**{name: name in names for name in CORELS_BOUNDS})


def related_antecedents(rng, n, m):
    """Antecedents that lie inside others, outside, around them or opposite, and labels that depend on three of them."""
    A = rng.random((n, m)) < rng.uniform(0.05, 0.8, m)
    for a in range(1, m):
        other = A[:, rng.integers(a)].copy()
        relations = [A[:, a] & other, A[:, a] & ~other, A[:, a] | other, ~other, A[:, a], A[:, a]]
        A[:, a] = relations[rng.integers(len(relations))]
    y = ((A[:, 0] & ~A[:, 1]) | A[:, 2]) ^ (rng.random(n) < 0.25)
    y[:2] = True, False
    return A, y


@pytest.mark.parametrize("seed", range(4))
def test_no_list_beats_the_incumbent_that_starts_with_a_closed_prefix(seed):
    """What similar prefixes are compared with, and what they cut, is proven at every moment (Thm 18)."""
    rng = np.random.default_rng(seed)
    for _ in range(12):
        n = int(rng.integers(8, 24))
        A, y = related_antecedents(rng, n, 5)
        regularization = float(rng.choice([0.01, 0.02, 0.03, 0.05]))
        costs = Costs(A, y, [1] * n, regularization)
        objectives = {d: costs.objective(d) for d in costs.lists()}
        best_from = {}
        for d, objective in objectives.items():
            for k in range(len(d) + 1):
                best_from[d[:k]] = min(objective, best_from.get(d[:k], objective))
        for policy in sorted(POLICIES):
            off = [name for name in CORELS_BOUNDS if name != "similar_support" and rng.random() < 0.4]
            search = CorelsSearch(rl.Problem.from_arrays(A, y), regularization, policy, without(*off), random_state=1)
            seen = set()
            for snapshot in search.steps(work_per_step=1):
                best = objectives[snapshot.incumbent.model.antecedents]
                store = Inside(search).store
                for node in set(np.flatnonzero(store.closed).tolist()) - seen:
                    assert best_from[_prefix(store, node)] >= best
                    seen.add(node)
            assert best == best_from[()]


def test_a_similar_prefix_is_there_for_each_that_is_cut():
    problem = noisy_problem(4, 300, 16, 0.2)  # some thousands of prefixes are stored
    bounds = replace(CorelsBounds.published(), similar_support=True)
    search = CorelsSearch(problem, 0.01, "random", bounds, random_state=0)
    weight = problem.positives + problem.negatives
    cuts = 0
    for snapshot in search.steps(work_per_step=20):
        store, costs = Inside(search).store, costs_of(problem, 0.01)
        opened = store.settled.any(axis=1)
        explored = np.flatnonzero(store.closed & opened)
        left = bits.unpack(store.sets, problem.n_patterns)
        best = round(snapshot.incumbent.objective / costs.unit)
        for node in np.flatnonzero(store.closed & ~opened & (store.key < best)).tolist():
            apart = (left[explored] & ~left[node]) @ weight
            assert (store.cost[node] - store.cost[explored] >= costs.per_error * apart).any()
            cuts += 1
    assert cuts >= snapshot.pruned["similar_support"] > 20


def _prefix(store, node):
    antecedents = []
    while node > 0:
        antecedents.insert(0, int(store.rule[node]))
        node = int(store.parent[node])
    return tuple(antecedents)


def nested_and_disjoint(seed=3, n=200):
    """Categories, unions of categories and free features: every bound finds something to cut."""
    rng = np.random.default_rng(seed)
    category = rng.integers(0, 4, n)
    free = rng.random((n, 3)) < (0.02, 0.4, 0.6)
    columns = [category == k for k in range(4)] + [category < 2, category > 0, np.ones(n, dtype=bool), *free.T]
    A = np.column_stack(columns)
    y = ((category == 1) | (A[:, 8] & (category == 3))) ^ (rng.random(n) < 0.2)
    return rl.Problem.from_arrays(A, y)


# the search of the CORELS papers as a search --------------------------------------------------------------------------


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_remaining_evaluations_are_counted_as_the_theorems_say(policy):
    problem = nested_and_disjoint()
    search = CorelsSearch(problem, 0.015, policy, random_state=2)
    search.advance(1)
    inside = Inside(search)
    m, per_rule = problem.n_antecedents, inside.rules.per_rule
    for snapshot in rl.steps(search, work_per_step=3):
        store, detail = inside.store, snapshot.detail
        best = round(snapshot.incumbent.objective / costs_of(problem, 0.015).unit)
        fine = coarse = 0
        for node in np.flatnonzero(store.fate == OPEN).tolist():
            length = int(store.length[node])
            steps = min((best - int(store.cost[node])) // per_rule, m - length)
            fine += sum(math.perm(m - length, j) for j in range(steps + 1))
            coarse += sum(math.perm(m - length, j) for j in range(min(best // per_rule, m) - length + 1))
        assert detail["log10_remaining_fine"] == pytest.approx(math.log10(fine) if fine else 0)
        assert detail["log10_remaining_coarse"] == pytest.approx(math.log10(coarse) if coarse else 0)
        assert detail["log10_remaining_fine"] <= detail["log10_remaining_coarse"] + 1e-9
        assert snapshot.log10_remaining == detail["log10_remaining_coarse"]
    longest = min(math.floor(1 / (2 * 0.015)), m)
    assert detail["log10_total_naive"] == pytest.approx(math.log10(sum(math.perm(m, k) for k in range(longest + 1))))
    assert snapshot.counts["created"] <= 10 ** detail["log10_total_symmetry_aware"]


def test_costs_that_do_not_fit_are_refused():
    problem = nested_and_disjoint(n=201)
    search = CorelsSearch(problem, 0.9123456789123457, bounds=only("support"))
    with pytest.raises(ValueError, match="fewer digits"):
        search.advance(1)
