"""The joint capture bound drops no antecedent that a better falling list has, and proofs show it of each that goes."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations

import laws
import naive
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from laws import certified, changed, drawn_problem, drop_soon, holds, put, refused, reread, rows, told, with_arrays
from random_problems import explained

import rulelab as rl
from rulelab.certificate import prove_falling_rule_list
from rulelab.certificate.falling_rule_list.joint_capture import eligible, merged, most_saved
from rulelab.certificate.falling_rule_list.states import falling_states
from rulelab.falling_rule_list import BOUNDS, FallingBounds, FallingRuleListSearch
from rulelab.falling_rule_list.costs import prepare
from rulelab.falling_rule_list.exact.fixing import Fixing, captures

WEIGHTS = [0.5, 1.0, 3.0, 10.0]
REGULARIZATIONS = [0.0, 1e-6, 0.01, 0.05, 0.1]
drawn = partial(rows, st.sampled_from(WEIGHTS), st.sampled_from(REGULARIZATIONS), max_weight=6)


def falling_lists(case, w, C):
    """Every falling list with its objective, and whether each rule, and the else, is above the threshold."""
    A, y, weight = case[0], case[1], np.asarray(case[2])
    w, C = naive.decimal(w), naive.decimal(C)
    for k in range(A.shape[1] + 1):
        for d in permutations(range(A.shape[1]), k):
            if not naive.falls(A, y, weight, d):
                continue
            left, above = np.ones(len(y), dtype=bool), []
            for j in (*d, None):
                hit = left if j is None else left & A[:, j]
                above.append(w * int(weight[hit & y].sum()) > int(weight[hit & ~y].sum()))
                left = left & ~hit
            yield d, naive.falling_objective(A, y, weight, w, C, d), above


ALL_ABOVE = (np.eye(10, 3, dtype=bool)[:, ::-1], np.array([0, 0, 1] + [0] * 6 + [1], dtype=bool), [1] * 10)
"""A list whose else is above the threshold, too, costs what the empty list does."""


@settings(max_examples=60, deadline=None)
@example((np.ones((2, 1), dtype=bool), np.array([True, False]), [1, 1]), 3.0, 0.01, Fraction(1, 50))
@example(ALL_ABOVE, 10.0, 0.0, Fraction(1, 5))
@given(
    rows(max_weight=6, max_columns=4),
    st.sampled_from(WEIGHTS),
    st.sampled_from(REGULARIZATIONS),
    st.sampled_from([Fraction(0), Fraction(1, 50), Fraction(1, 5)]),
)
def test_no_antecedent_of_a_better_list_is_dropped(case, w, C, more):
    problem = drawn_problem(case)
    prepared = prepare(problem, C, w)
    lists = list(falling_lists(case, w, C))
    unit = Fraction(prepared.costs.unit).limit_denominator(1 << 40)
    bar = min(cost for _, cost, _ in lists) + more
    fixing = Fixing(prepared)
    best = int(bar / unit)
    for _ in range(200):
        if not fixing.useful or not fixing.iterate(best):
            break
    allowed = set(prepared.antecedents[fixing.allowed].tolist())
    held = problem.matrix()
    empty = next(cost for d, cost, _ in lists if not d)
    for d, cost, above in lists:
        if above[-1]:
            assert cost >= empty, "no list of which all is above the threshold is better than the empty one"
            continue
        if cost / unit >= best - Fraction(1, 100):
            continue
        for j, is_above in zip(d, above, strict=False):
            if held[:, j].all():  # a rule that captures all that is left does what the else does
                continue
            same = {k for k in allowed if (held[:, k] == held[:, j]).all()}
            assert not is_above or same, (d, j, cost, bar)
        if any(above[:-1]):
            assert fixing.least <= cost / unit + Fraction(1, 100)


@settings(max_examples=150, deadline=None)
@given(
    rows(max_weight=6, max_columns=6),
    st.sampled_from(WEIGHTS),
    st.sampled_from(REGULARIZATIONS),
    st.sampled_from([0, 30]),
    st.sampled_from([None, None, 1, 2]),
    st.sampled_from([0, 1, 4]),
    st.sets(st.sampled_from(BOUNDS)),
)
def test_the_optimum_with_antecedents_dropped(case, w, C, iterations, limit, patience, off):
    A, y, weight = case
    bounds = FallingBounds(**{**dict.fromkeys(off, False), "joint_capture": True})
    with pytest.MonkeyPatch.context() as patch:
        drop_soon(patience, patch.setattr)
        asked = {"bounds": bounds, "iterations": iterations, "max_length": limit}
        snapshot = certified(FallingRuleListSearch(drawn_problem(case), C, w, **asked))
    best = naive.best_falling_rule_list(A, y, weight, naive.decimal(w), naive.decimal(C), None, limit)
    assert snapshot.incumbent.model.exact_objective(C) == best
    assert snapshot.incumbent.model.falls


def noisy(seed=0, n=1000, columns=5, values=3):
    """Risks that every value raises or lowers a little; values and pairs of them."""
    rng = np.random.default_rng(seed)
    F = np.column_stack([rng.integers(0, values, n)[:, None] == np.arange(values) for _ in range(columns)])
    score = F @ rng.normal(0, 0.5, F.shape[1])
    pairs = [F[:, i] & F[:, j] for i in range(F.shape[1]) for j in range(i // values * values)]
    A = np.column_stack([F, *pairs])
    return rl.Problem.from_arrays(A, rng.random(n) < 1 / (1 + np.exp(2 - score + score.mean())))


@pytest.fixture
def impatient(monkeypatch):
    drop_soon(20, monkeypatch.setattr)


@pytest.mark.parametrize(("seed", "factor"), [(0, 0.2), (1, 1.0)])
def test_it_drops_antecedents_and_prefixes(impatient, seed, factor):
    problem = noisy(seed)
    without = certified(FallingRuleListSearch(problem, 1e-6, 8.0, bounds=FallingBounds(joint_capture=False)))
    snapshot = certified(FallingRuleListSearch(problem, 1e-6, 8.0))
    assert snapshot.incumbent.objective == without.incumbent.objective
    assert without.pruned["joint capture"] == 0 < snapshot.pruned["joint capture"]
    assert snapshot.counts["expanded"] <= factor * without.counts["expanded"]


@pytest.mark.parametrize("iterations", [0, 50])
def test_slices_and_pickles_change_nothing(impatient, iterations):
    whole, small, pickled = (FallingRuleListSearch(noisy(0), 1e-6, 8.0, iterations=iterations) for _ in range(3))
    seen = list(rl.steps(small, work_per_step=17))
    assert "dropping antecedents" in {snapshot.phase for snapshot in seen}
    _, last = laws.in_slices(pickled, 29, 1)
    assert told(seen[-1]) == told(last) == told(certified(whole))


def test_its_memory_is_counted_and_limited(impatient):
    problem = noisy(2)
    free = certified(FallingRuleListSearch(problem, 0.001, 8.0))
    for limit in (20_000, 200_000, 2_000_000):
        search = FallingRuleListSearch(problem, 0.001, 8.0, memory_limit=limit)
        for snapshot in rl.steps(search):
            assert snapshot.memory_bytes <= max(limit, 200_000)
        if snapshot.status is rl.Status.OPTIMAL:
            assert snapshot.incumbent.objective == free.incumbent.objective


def test_weights_that_are_not_whole(impatient):
    weight = np.random.default_rng(3).random(300)
    problem = rl.Problem.from_arrays(*explained(3, 300, 10, 0.3), sample_weight=weight)
    with_it = rl.solve(FallingRuleListSearch(problem, 0.003, 4.0))
    without = rl.solve(FallingRuleListSearch(problem, 0.003, 4.0, bounds=FallingBounds(joint_capture=False)))
    assert with_it.incumbent.objective == pytest.approx(without.incumbent.objective, abs=1e-12)


# proofs that drop antecedents first -----------------------------------------------------------------------------------
ROUNDS = {"rounds", "dropped", "pairs", "rules"}


def impatiently(run):
    with pytest.MonkeyPatch.context() as patch:
        drop_soon(1, patch.setattr)
        return run()


def proven_with(problem, w, C, model):
    """A proof whose antecedents are dropped, as far as they can be."""
    prepared = prepare(problem, C, w)
    best = int(Fraction(model.exact_objective(C)) / Fraction(prepared.costs.unit).limit_denominator(1 << 40))
    several = captures(prepared, best) if len(prepared.antecedents) > 1 else None
    return prove_falling_rule_list(problem, model, C, captures=several)


@settings(max_examples=60, deadline=None)
@given(drawn(max_columns=4), st.integers(0, 10**6))
def test_no_multipliers_show_more_than_is_true(case, seed):
    """Any that are allowed, at random, among any antecedents that are left: no list of these saves more."""
    A, y, weight, w, C = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    space, rng = falling_states(problem, C, w), np.random.default_rng(seed)
    left = eligible(space) & (rng.random(len(space.antecedents)) < 0.8)
    patterns = merged(space, left)
    n_u, n_v = len(patterns.gain), len(patterns.loss)
    if not n_u:
        return
    share = rng.dirichlet(np.full(n_u, 0.3), size=n_v) if n_v else np.zeros((0, n_u))
    x = np.floor(share.T * patterns.loss * 0.999).astype(np.int64)
    u, v = np.nonzero(x)
    pairs = np.stack([u, v, x[u, v]])
    y_of = np.floor(rng.dirichlet(np.full(n_u, 0.3), size=len(left)).T * space.per_rule * 0.999).astype(np.int64)
    u, a = np.nonzero((y_of > 0) & patterns.in_u)
    among = np.flatnonzero(left)
    saved = most_saved(space, patterns, pairs, np.stack([u, a, y_of[u, a]]), among)
    gains = space.per_positive * space.positives - space.per_negative * space.negatives
    for k in range(1, len(among) + 1):
        for chosen in permutations(among, k):
            true = int(gains[space.inside[:, list(chosen)].any(axis=1)].sum()) - k * space.per_rule
            for b in chosen:
                assert true <= saved[list(among).index(b)], (chosen, b)


@settings(max_examples=60, deadline=None)
@given(drawn(), st.sets(st.sampled_from(BOUNDS)), st.sampled_from([0, 30]), st.sampled_from([1.0, 0.25]))
def test_proofs_of_searches_with_other_options(case, off, iterations, scale):
    A, y, weight, w, C = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=np.asarray(weight) * scale)
    bounds = FallingBounds(**dict.fromkeys(off, False))
    search = FallingRuleListSearch(problem, C, w, bounds=bounds, iterations=iterations)
    model = impatiently(lambda: rl.solve(search)).incumbent.model
    certificate = search.certificate()
    assert rl.verify(problem, model, certificate, C)
    assert bounds.joint_capture or ROUNDS.isdisjoint(certificate.arrays)


@pytest.fixture(scope="module")
def proven():
    problem = noisy(0)
    search = FallingRuleListSearch(problem, 1e-6, 8.0)
    model = impatiently(lambda: rl.solve(search)).incumbent.model
    certificate = reread(search.certificate())
    assert set(certificate.arrays) > ROUNDS
    assert holds(problem, model, certificate, 1e-6).checked["dropped"] == len(certificate.arrays["dropped"]) > 0
    return problem, model, certificate


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("pairs", put(2, 0, lambda x: x + 10**12), "exceeds"), ("pairs", put(2, 0, -1), "negative"),
        ("pairs", put(0, 0, 10**6), "there is not"), ("pairs", put(1, 0, -1), "there is not"),
        ("pairs", lambda a: a[:, :-1].copy(), "rounds do not say"), ("pairs", lambda a: a[:2].copy(), "shapes"),
        ("pairs", lambda a: a.astype(float), "integers"), ("rules", put(2, 0, lambda y: y + 10**12), "exceeds"),
        ("rules", put(1, 0, 10**6), "there is not"), ("dropped", put(0, 10**6), "not left"),
        ("dropped", put(0, -1), "not left"), ("dropped", lambda a: np.append(a[:-1], a[0]), ""),
        ("rounds", put(0, 0, lambda n: n - 1), "rounds do not say"),
        ("rounds", lambda a: -a, "rounds do not say"),
    ],
)  # fmt: skip
def test_malformed_rounds_are_refused(proven, name, change, reason):
    problem, model, certificate = proven
    assert reason in refused(problem, model, changed(certificate, name, change))


def test_the_multipliers_are_needed(proven):
    """Where every one is 0, and where those of one pattern together exceed its loss by 1."""
    problem, model, certificate = proven

    assert "multipliers show only" in refused(problem, model, changed(certificate, "pairs", put(2, 0)))
    n = certificate.arrays["rounds"][1, 0]

    def one_more(pairs):
        counts = np.bincount(pairs[1, :n])
        several = np.flatnonzero(np.isin(pairs[1, :n], np.flatnonzero(counts > 1)))
        pairs[2, several[0]] += 1

    assert "exceed" in refused(problem, model, changed(certificate, "pairs", one_more))


def test_what_is_not_shown_is_not_dropped(proven):
    """An antecedent that is left after a round is named as dropped by the first one."""
    problem, model, certificate = proven
    first = int(certificate.arrays["rounds"][0, 0])
    later = certificate.arrays["dropped"][first:]
    n = falling_states(problem, 0.0, 8.0).inside.shape[1]
    never = np.setdiff1d(np.arange(n), certificate.arrays["dropped"])
    for a in [*later[:1], *never[:2]]:
        dropped = certificate.arrays["dropped"].copy()
        dropped[0] = a
        if len(later) and a == later[0]:
            dropped[first] = certificate.arrays["dropped"][0]
        assert "multipliers show only" in refused(problem, model, with_arrays(certificate, dropped=dropped))


def test_some_of_the_rounds_are_no_rounds(proven):
    problem, model, certificate = proven
    for name in ROUNDS:
        arrays = {key: array for key, array in certificate.arrays.items() if key != name}
        assert "must hold" in rl.verify(problem, model, replace(certificate, arrays=arrays)).reason
    without = {key: array for key, array in certificate.arrays.items() if key not in ROUNDS}
    assert not rl.verify(problem, model, replace(certificate, arrays=without))


def test_a_bound_alone_is_proven():
    problem = noisy(0)
    search = FallingRuleListSearch(problem, 1e-6, 8.0)

    def run():
        looked = False
        for snapshot in rl.steps(search, work_per_step=20):
            looked |= snapshot.phase == "dropping antecedents"
            if looked and snapshot.phase == "searching":
                return snapshot
        return snapshot

    snapshot = impatiently(run)
    if snapshot.status is rl.Status.OPTIMAL:
        pytest.skip("nothing was left to search")
    certificate = search.certificate(bound_only=True)
    assert set(certificate.arrays) >= ROUNDS
    answer = rl.verify(problem, snapshot.incumbent.model, certificate)
    assert answer.state == "bound"
    assert answer.lower_bound == pytest.approx(snapshot.lower_bound)


@pytest.mark.long
def test_a_positive_weight_of_ten_on_the_paper_s_data(instances):
    problem = laws.known_problem(instances, "bank_227")
    model, certificate = laws.proof_by(FallingRuleListSearch(problem, 0.001, 10.0))
    assert holds(problem, model, certificate, 0.001).lower_bound == pytest.approx(0.6832246, abs=1e-7)
