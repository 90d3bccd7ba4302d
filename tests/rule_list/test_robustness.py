"""How many rows may change before another rule list wins, against all changes of all small problems."""

import pickle
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import rows
from random_problems import explained

import rulelab as rl

LAMBDAS = (0.02, 0.05, 0.11, 0.2)


def errors_of(A, y, weight, antecedents, labels) -> int:
    """Errors of a list of given labels."""
    wrong, left = 0, list(range(len(y)))
    for a, label in zip((*antecedents, None), labels, strict=True):
        hit = [i for i in left if a is None or A[i, a]]
        wrong += sum(weight[i] for i in hit if y[i] != label)
        left = [i for i in left if i not in set(hit)]
    return wrong


def wins(A, y, weight, regularization, best, longest) -> bool:
    """Whether some list has a smaller objective than the one of these antecedents and labels."""
    own = Fraction(errors_of(A, y, weight, *best), sum(weight)) + regularization * len(best[0])
    return naive.best_rule_list(A, y, weight, regularization, longest) < own


def fewest(change, A, y, weight, regularization, best, longest, most) -> int | None:
    """The fewest changed rows, at most so many, after which some list wins, by trying all."""
    each = [i for i, w in enumerate(weight) for _ in range(w)]
    for k in range(1, most + 1):
        if change == "added":
            kinds = [(i, label) for i in range(len(y)) for label in (False, True)]
            tries = combinations_with_replacement(kinds, k)
        else:
            tries = sorted(set(combinations(each, k)))
            if change == "removed" and k == len(each):
                return None
        for chosen in tries:
            now = list(weight)
            if change == "added":
                all_A = np.vstack([A, A[[i for i, _ in chosen]]])
                all_y, now = np.array([*y, *(label for _, label in chosen)]), now + [1] * k
            elif change == "removed":
                for i in chosen:
                    now[i] -= 1
                all_A, all_y = A, y
            else:
                for i in chosen:
                    now[i] -= 1
                all_A = np.vstack([A, A[list(chosen)]])
                all_y, now = np.array([*y, *(not y[i] for i in chosen)]), now + [1] * k
            kept = [i for i, w in enumerate(now) if w]
            if wins(all_A[kept], all_y[kept], [now[i] for i in kept], regularization, best, longest):
                return k
    return None


def solved(problem, regularization, **given):
    search = rl.RobustnessSearch(problem, regularization, **given)
    assert rl.solve(search).status is rl.Status.OPTIMAL
    return search


def check_witness(each, problem, regularization, model):
    """The other list really is better on the changed rows, and no row is changed that is not there."""
    assert each.exact
    assert each.rows["rows"].sum() == each.breaks
    changed = each.changed(problem)
    assert min(changed.positives.min(), changed.negatives.min()) >= 0
    assert changed.total_weight == problem.total_weight + {"added": 1, "removed": -1}.get(each.change, 0) * each.breaks
    A, pos, neg = changed.matrix(), changed.positives.tolist(), changed.negatives.tolist()

    def objective(one):
        wrong = sum(n if says else p for says, p, n in zip(one.predicts_positive(A), pos, neg, strict=True))
        return Fraction(wrong, changed.total_weight) + naive.decimal(regularization) * len(one)

    assert objective(each.rival) < objective(model)


@settings(max_examples=8)
@given(rows(st.sampled_from(LAMBDAS), max_rows=6, max_columns=3, max_weight=2), st.sampled_from((None, 1, 2)))
def test_all_changes_of_small_problems(case, longest):
    against_all_changes(case, longest, 2)


@pytest.mark.long
@settings(max_examples=60)
@given(rows(st.sampled_from(LAMBDAS), max_rows=7, max_columns=3, max_weight=2), st.sampled_from((None, 1, 2)))
def test_all_changes_of_three_rows(case, longest):
    against_all_changes(case, longest, 3)


def against_all_changes(case, longest, tried):
    A, y, weight, regularization = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    found = solved(problem, regularization, max_length=longest).robustness
    model = found.model
    labels = tuple(problem.classes.index(rule.prediction) for rule in (*model.rules, model.default))
    for each in found.changes:
        check_witness(each, problem, regularization, model)
        most = min(each.breaks, 2 if each.change == "added" else tried)
        exactly = naive.decimal(regularization)
        rows = fewest(each.change, A, y, weight, exactly, (model.antecedents, labels), longest, most)
        assert rows == (each.breaks if each.breaks <= most else None), each.change
    assert found.ties == len(list(ties(A, y, weight, regularization, found, longest)))


def ties(A, y, weight, regularization, found, longest):
    """Lists of any labels that are as good as the optimum and predict otherwise."""
    m, exactly = A.shape[1], naive.decimal(regularization)
    first = [a for a in range(m) if not any((A[:, a] == A[:, b]).all() for b in range(a))]
    own = found.model.predicts_positive(A).tolist()
    best = Fraction(found.model.errors, sum(weight)) + exactly * len(found.model)
    for antecedents in naive.all_rule_lists(m, m if longest is None else longest):
        if not set(antecedents) <= set(first):
            continue
        left, places = np.ones(len(y), dtype=bool), np.zeros(len(y), dtype=int)
        hits = []
        for k, a in enumerate(antecedents):
            hits.append((left & A[:, a]).any())
            places[left & A[:, a]] = k
            left &= ~A[:, a]
        places[left] = len(antecedents)
        if not all(hits):
            continue
        for labels in product((False, True), repeat=len(antecedents) + 1):
            if not left.any() and labels[-1]:
                continue
            predicted = [labels[k] for k in places]
            wrong = sum(w for w, p, truth in zip(weight, predicted, y, strict=True) if p != truth)
            if Fraction(wrong, sum(weight)) + exactly * len(antecedents) == best and predicted != own:
                yield antecedents, labels


@settings(max_examples=6)
@given(st.integers(0, 1000), st.sampled_from((0.01, 0.03, 0.07)))
def test_the_rows_shown_let_another_list_win_and_one_less_does_not(seed, regularization):
    A, y = explained(seed, 40, 5)
    problem = rl.Problem.from_arrays(A, y)
    found = solved(problem, regularization).robustness
    for each in found.changes:
        check_witness(each, problem, regularization, found.model)
    random = np.random.default_rng(seed)
    labels = random.random((5, len(y))).argsort(axis=1)[:, : found.relabelled.withstands]
    for chosen in labels:
        turned = y.copy()
        turned[chosen] ^= True
        if turned.any() and not turned.all():
            best = rl.solve(rl.RuleListSearch(rl.Problem.from_arrays(A, turned), regularization)).incumbent
            own = Fraction(int((found.model.predicts_positive(A) != turned).sum()), len(y))
            exactly = naive.decimal(regularization)
            assert own + exactly * len(found.model) <= Fraction(best.errors, len(y)) + exactly * len(best.model)


def test_lower_bounds_and_upper_bounds_close_in_and_a_limit_leaves_what_is_proven():
    A, y = explained(0, 150, 10)
    problem = rl.Problem.from_arrays(A, y)
    whole = solved(problem, 0.02).robustness
    search, last = rl.RobustnessSearch(problem, 0.02), None
    assert search.robustness is None
    assert len(search.frame) == 0
    for snapshot in search.steps(work_per_step=5):
        known = search.robustness
        if known is None:
            continue
        for each, end in zip(known.changes, whole.changes, strict=True):
            assert each.withstands <= end.withstands
            assert each.breaks is None or each.breaks >= end.breaks
            if last is not None:
                assert each.withstands >= getattr(last, each.change).withstands
        last = known
        if snapshot.phase == "labels":
            search = pickle.loads(pickle.dumps(search))
            assert rl.solve(search).status is rl.Status.OPTIMAL
            break
    assert search.robustness.frame.equals(whole.frame)
    assert search.robustness.ties == whole.ties


def test_a_memory_limit_can_be_raised():
    A, y = explained(0, 150, 10)
    problem = rl.Problem.from_arrays(A, y)
    search = rl.RobustnessSearch(problem, 0.02, memory_limit=1000)
    last = rl.solve(search)
    assert (last.status, last.limit) == (rl.Status.LIMIT, "memory")
    assert not search.robustness.exact
    assert "may stand more" in str(search.robustness) or "nothing is proven yet" in str(search.robustness)


def test_ties_need_a_single_row():
    search = rl.RobustnessSearch(rl.Problem.from_arrays([[1]] * 10 + [[0]] * 10, [1] * 10 + [0] * 10), 0.5)
    rl.solve(search)
    tied = search.robustness
    assert (tied.ties, tied.relabelled.withstands, tied.removed.withstands, tied.added.withstands) == (2, 0, 0, 0)
    assert [each.breaks for each in tied.changes] == [1, 1, 1]


def test_what_cannot_be_counted_is_refused():
    A, y = explained(0, 150, 10)
    problem = rl.Problem.from_arrays(A, y, sample_weight=np.linspace(0.5, 1.25, len(y)))
    with pytest.raises(rl.errors.ProblemError, match="weights are not integers"):
        rl.RobustnessSearch(problem, 0.02)
    search = rl.RobustnessSearch(rl.Problem.from_arrays(A, y), 0.02)
    assert rl.solve(search, time_limit=0).limit == "time"
    assert search.robustness is None
    with pytest.raises(ValueError, match="the search's own"):
        rl.RobustnessSearch(rl.RuleListSearch(rl.Problem.from_arrays(A, y), 0.02), 0.02)
