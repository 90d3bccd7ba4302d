"""Near-optimal rule lists against naive enumeration of every list."""

from collections import defaultdict
from functools import partial
from math import factorial

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import in_slices, learn_soon, noisy_problem, rows

import rulelab as rl
from rulelab.questions import near_optimal
from rulelab.rule_list import RuleListBounds, RuleListSearch
from rulelab.rule_list.near_optimal.base import NearSearch
from rulelab.rule_list.near_optimal.search import NearOptimalSearch
from rulelab.rule_list.near_optimal.summary import NearOptimal

LAMBDAS = (0.01, 0.02, 0.05, 0.2)
GAPS = (0.0, 0.01, 0.05, 0.1, 0.3)
medium_problem = partial(noisy_problem, m=12)
small_problems = partial(rows, st.sampled_from(LAMBDAS), max_rows=10, max_columns=4, max_weight=4)


def predictions(A, y, weight, antecedents):
    """What a list predicts for each row (majority, ties negative); None when one of its rules captures nothing."""
    left, out = np.ones(len(y), dtype=bool), np.zeros(len(y), dtype=bool)
    weight = np.array(weight)
    for a in (*antecedents, None):
        hit = left & A[:, a] if a is not None else left
        if a is not None and not hit.any():
            return None
        out[hit] = weight[hit & y].sum() > weight[hit & ~y].sum()
        left = left & ~hit
    return tuple(out.tolist())


def near_optimal_by_enumeration(A, y, weight, regularization, within=0.0, ratio=None, max_length=None):
    """All near-optimal lists by what they predict: {predictions: {list: objective}}; and the optimum."""
    m = A.shape[1]
    first = [a for a in range(m) if not any((A[:, a] == A[:, b]).all() for b in range(a))]
    exact = naive.decimal(regularization)
    objective = {
        d: naive.rule_list_objective(A, y, weight, exact, d)
        for d in naive.all_rule_lists(m, m if max_length is None else max_length)
    }
    optimum = min(objective.values())
    threshold = optimum + naive.decimal(within) if ratio is None else optimum * (1 + naive.decimal(ratio))
    models = defaultdict(dict)
    for d, value in objective.items():
        if value <= threshold and set(d) <= set(first):
            predicted = predictions(A, y, weight, d)
            if predicted is not None:
                models[predicted][d] = value
    return models, optimum


def check(result: NearOptimal, A, y, weight, models, optimum):
    """Everything that the result says, against the enumeration."""
    assert result.complete
    assert result.truncated is None
    assert result.optimum == pytest.approx(float(optimum), abs=1e-12)
    assert result.count == len(models)
    assert result.n_lists == sum(map(len, models.values()))
    seen = set()
    for i, antecedents in enumerate(result.lists):
        predicted = predictions(A, y, weight, antecedents)
        assert predicted in models
        seen.add(predicted)
        group = models[predicted]
        assert group[antecedents] == min(group.values())
        assert result.objectives[i] == pytest.approx(float(group[antecedents]), abs=1e-12)
        assert result.multiplicity[i] == len(group)
        assert tuple(result.models[i].predicts_positive(A).tolist()) == predicted
        assert result.models[i].errors == result.errors[i]
    assert len(seen) == result.count
    assert (np.diff(result.objectives) >= -1e-12).all()
    lists = {d: value for group in models.values() for d, value in group.items()}
    frame = result.antecedents
    assert set(frame.index) == {a for d in lists for a in d}
    for a, row in frame.iterrows():
        using = [d for d in lists if a in d]
        assert (row["lists"], row["share"]) == (len(using), len(using) / len(lists))
        assert row["models"] == sum(a in d for d in result.lists)
        assert row["objective"] == pytest.approx(float(min(lists[d] for d in using)), abs=1e-12)
        assert row["aliases"] == tuple(b for b in range(A.shape[1]) if b != a and (A[:, a] == A[:, b]).all())
    assert result.by_gap["models"].sum() == result.count
    assert result.by_gap["lists"].sum() == result.n_lists
    assert result.by_gap["complete"].all()


DISTANCES = st.tuples(st.sampled_from(["within", "ratio"]), st.sampled_from(GAPS)).map(lambda each: dict([each]))
LENGTHS = st.sampled_from([None, None, 0, 1, 2, 3])


@settings(max_examples=120)
@given(small_problems(), DISTANCES, LENGTHS)
def test_all_lists_within_a_distance_and_a_length(case, distance, max_length):
    A, y, weight, regularization = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    search = RuleListSearch(problem, regularization, max_length=max_length)
    rl.solve(search)
    found = near_optimal(search, **distance)
    check(found, A, y, weight, *near_optimal_by_enumeration(*case, **distance, max_length=max_length))
    again = near_optimal(problem, regularization=regularization, **distance, max_length=max_length)
    assert again.lists == found.lists


@settings(max_examples=100)
@given(
    small_problems(max_rows=12),
    st.sampled_from(GAPS),
    st.sampled_from([None, None, 1, 2, 3]),
    st.sampled_from([1, 3, 0.7]),
)
def test_pairs_of_patterns_lose_no_list(case, gap, max_length, unit):
    A, y, weight, regularization = case
    with pytest.MonkeyPatch.context() as patched:
        learn_soon(NearSearch, after=None, where=None, separate_after=0, put=patched.setattr)
        problem = rl.Problem.from_arrays(A, y, sample_weight=[unit * w for w in weight])
        found = near_optimal(problem, regularization=regularization, within=gap, max_length=max_length)
        counter = rl.NearOptimalCounter(problem, regularization, gap, max_length=max_length)
        rl.solve(counter)
    models, optimum = near_optimal_by_enumeration(A, y, weight, regularization, gap, max_length=max_length)
    if unit != 0.7:  # else rounding may take lists of the same objective apart
        check(found, A, y, weight, models, optimum)
    assert counter.result().n_lists == found.n_lists
    sure = [value for lists in models.values() for value in lists.values() if value < optimum + gap - 1e-9]
    assert found.n_lists >= len(sure)  # of those at the threshold rounding decides, where weights are no integers
    assert found.optimum == pytest.approx(float(optimum), abs=1e-9)


@pytest.mark.parametrize("cls", [NearOptimalSearch, rl.NearOptimalCounter])
def test_pairs_of_patterns_cut_what_other_bounds_do_not_and_lose_nothing(cls, monkeypatch):
    learn_soon(NearSearch, after=None, where=None, separate_after=0, put=monkeypatch.setattr)
    problem = medium_problem(seed=3, n=200, m=20, noise=0.25)

    def search(**bounds: bool) -> NearSearch:
        return cls(RuleListSearch(problem, 0.005, bounds=RuleListBounds(**bounds)), within=0.003)

    searches = search(), search(separation=False)
    used, unused = map(rl.solve, searches)
    (sliced, end), found, plain = in_slices(search(), 20), searches[0].result(), searches[1].result()
    assert (sliced.result().n_lists, end.work) == (found.n_lists, used.work)
    assert used.work < 0.9 * unused.work
    assert (found.n_lists, found.optimum) == (plain.n_lists, plain.optimum)
    if cls is rl.NearOptimalCounter:
        assert list(found.lists()) == list(plain.lists())
        return
    assert used.states < 0.7 * unused.states
    np.testing.assert_allclose(found.objectives, plain.objectives, atol=1e-12)
    assert sorted(found.multiplicity) == sorted(plain.multiplicity)


@pytest.fixture(scope="module")
def everything():
    result = near_optimal(medium_problem(), regularization=0.02, within=0.05)
    assert result.complete
    assert result.count > 100, result
    return result


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_limit_keeps_the_best(everything, limit):
    result = near_optimal(medium_problem(), regularization=0.02, within=0.05, limit=limit)
    assert (result.count, result.complete, result.truncated) == (limit, False, "limit")
    np.testing.assert_array_equal(result.objectives, everything.objectives[:limit])
    assert result.covered <= everything.objectives[limit] + 1e-12
    assert result.n_lists <= everything.n_lists
    below = result.by_gap["complete"].to_numpy()
    np.testing.assert_array_equal(result.by_gap["models"][below], everything.by_gap["models"][below])
    np.testing.assert_array_equal(result.by_gap["lists"][below], everything.by_gap["lists"][below])


def test_what_is_found_on_the_way_is_the_best_of_all(everything):
    search = NearOptimalSearch(medium_problem(), 0.02, within=0.05)
    count, covered = 0, 0.0
    while search.phase != "finished":
        progress = search.advance(17)
        assert progress.count >= count
        if progress.phase != "optimum":
            assert progress.covered >= covered
            covered = progress.covered
        count = progress.count
        partial = search.result()
        assert partial.truncated == (None if search.phase == "finished" else "stopped")
        np.testing.assert_array_equal(partial.objectives, everything.objectives[: partial.count])
    result = search.result()
    assert (result.lists, result.n_lists) == (everything.lists, everything.n_lists)
    np.testing.assert_array_equal(result.multiplicity, everything.multiplicity)


def test_the_optimum_is_near_itself_before_anything_is_complete(everything):
    search = NearOptimalSearch(medium_problem(), 0.02, within=0.05)
    while (now := search.advance(1)).phase in ("optimum", "preparing"):
        pass
    for _ in now.incumbent.model.rules:
        search.advance(1)
    result = search.result()
    assert (search.phase, result.complete) == ("enumerating", False)
    assert result.count >= 1
    assert result.objectives[0] == everything.objectives[0] <= result.covered < everything.covered
    assert search.prefixes().n_lists >= 1


def disjoint(n):
    """Antecedents each of which holds for one positive row, and a negative rest: every order of them is as good."""
    return rl.Problem.from_arrays(np.eye(n + 1, n), [True] * n + [False], sample_weight=[1] * n + [200])


def test_orders_are_counted_beyond_what_could_be_listed():
    n = 14
    result = near_optimal(disjoint(n), regularization=0.0001, within=0.0)
    assert (result.count, result.n_lists, result.multiplicity.tolist()) == (1, factorial(n), [factorial(n)])
    assert (result.antecedents["share"] == 1).all()


def test_models_differ_and_diverse_ones_differ_most(everything):
    problem = medium_problem()
    rows = problem.matrix()
    weight = problem.positives + problem.negatives
    predicted = np.array([model.predicts_positive(rows) for model in everything.models])
    assert len(np.unique(predicted, axis=0)) == everything.count
    distance = ((predicted[:, None, :] != predicted[None, :, :]) * weight).sum(axis=2) / weight.sum()
    np.testing.assert_allclose(everything.disagreement(3), distance[3], atol=1e-12)
    chosen = everything.diverse(6)
    assert (chosen[0], len(set(chosen))) == (0, 6)
    for i in range(1, 6):
        nearest = distance[list(chosen[:i])].min(axis=0)
        assert nearest[chosen[i]] == pytest.approx(nearest.max())
    assert sorted(everything.diverse(10**6)) == list(range(everything.count))


def test_float_weights_include_everything():
    A = np.random.default_rng(4).random((40, 4)) < 0.5
    y = np.random.default_rng(5).random(40) < 0.5
    weight = np.random.default_rng(6).integers(1000, 2000, 40)  # no ties, which rounding may break either way
    whole = near_optimal(rl.Problem.from_arrays(A, y, sample_weight=weight), regularization=0.02, within=0.1)
    floats = near_optimal(rl.Problem.from_arrays(A, y, sample_weight=0.3 * weight), regularization=0.02, within=0.1)
    assert whole.count > 5
    assert set(floats.lists) == set(whole.lists)
    np.testing.assert_allclose(floats.objectives, whole.objectives, atol=1e-9)
    np.testing.assert_allclose(floats.errors, 0.3 * whole.errors, atol=1e-9)


def test_near_optimal_lists_of_compas(instances):
    """Within half a per cent of the certified optimum at .01; every model is checked on the rows."""
    A, y, names = instances.load("compas_a")
    problem = rl.Problem.from_arrays(A, y, names)
    result = near_optimal(problem, regularization=0.01, ratio=0.005)
    assert result.complete
    assert result.optimum == pytest.approx(instances.EXPECTED["rule_list"][("compas_a", 0.01)], abs=1e-9)
    assert (result.count, result.n_lists) == (11, 92)
    assert result.threshold <= result.optimum * 1.005 < result.covered
    for model, objective in zip(result.models, result.objectives, strict=True):
        assert model.evaluate(A, y, regularization=0.01).objective == pytest.approx(objective, abs=1e-12)
    assert len({model.predict(A).tobytes() for model in result.models}) == 11


def test_the_best_and_random_models_are_rows_of_the_table():
    problem = noisy_problem(5, 40, 5)
    found = rl.near_optimal(problem, regularization=0.02, within=0.05)
    assert found.complete
    assert found.top(2).equals(found.frame().head(2))
    drawn = found.sample(400, random_state=0)
    assert set(drawn.index) == set(range(found.count)), "each is drawn"
    assert drawn.drop_duplicates().sort_index().equals(found.frame())
    first = rl.near_optimal(problem, regularization=0.02, within=0.05, limit=1)
    with pytest.raises(ValueError, match="not complete"):
        first.sample()


def test_the_same_lists_are_found_by_every_door():
    A = np.random.default_rng(5).random((60, 4)) < 0.5
    y = (A[:, 0] ^ (np.random.default_rng(6).random(60) < 0.2)).astype(int)
    fitted = rl.RuleListClassifier(regularization=0.02, max_conditions=1, min_support=0).fit(A, y)
    problem = fitted.search_.problem
    unsolved = RuleListSearch(problem, 0.02)
    by_problem = rl.near_optimal(problem, 0.05, regularization=0.02)
    others = [rl.near_optimal(fitted, 0.05), fitted.near(within=0.05), rl.near_optimal(unsolved, 0.05, time_limit=100)]
    assert by_problem.complete
    assert all(found.lists == by_problem.lists for found in others)
    assert rl.near_optimal(fitted, 0.05, count=True).n_lists == by_problem.n_lists


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: NearOptimalSearch(p, within=0.1), "regularization"),
        (lambda p: NearOptimalSearch(RuleListSearch(p, 0.02), 0.02, within=0.1), "regularization"),
        (lambda p: near_optimal(RuleListSearch(p, 0.02), 0.1, regularization=0.02), "regularization: the search's own"),
        (lambda p: near_optimal(p, 0.0, regularization=0.1).diverse(0), "n must"),
        (lambda p: near_optimal("compas"), "of must be a RuleListSearch, a RuleSetSearch, a classifier"),
        (lambda p: near_optimal(rl.search(p, "falling_rule_list")), "of must be a RuleListSearch"),
        (lambda p: near_optimal(p, gap=0.1), "no option 'gap': within is the distance"),
        (lambda p: near_optimal(p, count=True, limit=5), "count must be False"),
        (lambda p: near_optimal(p, count=True, model="rule_set"), "count must be False"),
    ],
)
def test_what_cannot_be_looked_for_is_refused_in_words(make, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make(medium_problem())
