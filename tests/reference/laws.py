"""Laws that tests try on many random searches: of a kind each, made anew from a seed whenever that is asked for."""

import io
import math
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from random_problems import Rows, explained

import rulelab as rl
from rulelab.falling_rule_list.exact import reducing
from rulelab.falling_rule_list.exact import search as falling
from rulelab.rule_list.exact.search import RuleListSearch

ENOUGH = 5000


def problem_of(rows: Rows) -> rl.Problem:
    weight = rows.weight.astype(int) if rows.integral else rows.weight
    return rl.Problem.from_arrays(rows.A, rows.y, sample_weight=weight, groups=rows.group)


def rows_of(problem: rl.Problem) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Antecedents, labels and exact weights, in whole units, of a row for each pattern and class."""
    patterns, labels = np.vstack([problem.matrix()] * 2), np.repeat([True, False], problem.n_patterns)
    return patterns, labels, np.concatenate([problem.masses.positives, problem.masses.negatives]).tolist()


def noisy_problem(seed: int = 0, n: int = 160, m: int = 14, noise: float = 0.15) -> rl.Problem:
    """One that rules explain in part."""
    return rl.Problem.from_arrays(*explained(seed, n, m, noise))


def falling_for(problem: rl.Problem, **options: Any) -> rl.Search:
    """The search for a falling list that the options ask for."""
    return rl.search(problem, "falling_rule_list", **options)


def state_of(snapshot: rl.results.Snapshot) -> tuple[Any, ...]:
    """All that a search says at a moment but how long it took."""
    best = snapshot.incumbent
    assert best is not None
    return (
        *(snapshot.status, replace(best, found_at=(0.0, best.found_at[1])), snapshot.lower_bound, snapshot.work),
        *(dict(snapshot.counts), dict(snapshot.pruned), snapshot.queue_by_length),
    )


def in_slices(search: rl.Search, at_most: int = 3, pickled: int = 7) -> tuple[Any, rl.results.Snapshot]:
    """A search at its end, and its last state: advanced by a few units at a time, and pickled now and then."""
    for k in range(200_000):
        last = search.advance(1 + k % at_most)
        if k % pickled == pickled // 2:
            search = pickle.loads(pickle.dumps(search))
        if last.status is not rl.Status.RUNNING:
            break
    return search, last


GAP = "equal_opportunity"
MAKES: dict[str, Callable[[rl.Problem], rl.Search]] = {
    "list": lambda p: rl.RuleListSearch(p, 0.01),
    "list, threads": lambda p: rl.RuleListSearch(p, 0.01, n_jobs=2),
    "corels": lambda p: rl.CorelsSearch(p, 0.01),
    "near lists": lambda p: rl.NearOptimalSearch(p, 0.01),
    "near lists, counted": lambda p: rl.NearOptimalCounter(p, 0.01),
    "robustness": lambda p: rl.RobustnessSearch(p, 0.01),
    "frontier": lambda p: rl.FrontierSearch(p, max_length=8),
    "list, first rule": lambda p: rl.search(p, regularization=0.01, first_rule=p.names[0]),
    "fair list": lambda p: rl.search(p, regularization=0.01, fairness=rl.EqualOpportunity(0.02)),
    "fair list, length": partial(rl.search, regularization=0.01, fairness=rl.EqualOpportunity(0.02), max_length=4),
    "list, predictive parity": lambda p: rl.search(p, regularization=0.01, fairness=rl.PredictiveParity(0.05)),
    "least gap": lambda p: rl.LeastGapSearch(p, GAP, min_accuracy=0.5),
    "gap frontier": lambda p: rl.frontier(p, "gap", criterion=GAP),
    "falling": lambda p: rl.FallingRuleListSearch(p, 0.001),
    "softly falling": lambda p: rl.search(p, "falling_rule_list", regularization=0.001, violation_penalty=0.1),
    "falling, fair": lambda p: falling_for(p, regularization=0.001, fairness=rl.EqualOpportunity(0.02)),
    "set": lambda p: rl.RuleSetSearch(p),
    "set, fair": lambda p: rl.RuleSetSearch(p, fairness=rl.EqualOpportunity(0.02)),
    "set, fair, fewest errors": lambda p: rl.RuleSetSearch(p, loss="zero_one", fairness=rl.EqualOpportunity(0.02)),
    "near sets": lambda p: rl.engines.NearOptimalRuleSetSearch(p),
    "least gap of sets": lambda p: rl.engines.LeastGapRuleSetSearch(p, GAP),
    "gap frontier of sets": lambda p: rl.frontier(p, "gap", "rule_set", criterion=GAP),
    "fair frontier": lambda p: rl.frontier(p, "tolerance", "rule_set"),
}
"""Every kind of search."""


def larger_problem(seed: int = 0, n: int = 600, m: int = 16) -> rl.Problem:
    """Two groups of which what explains the labels tells something."""
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < rng.uniform(0.2, 0.8, m)
    y = (A[:, 0] & A[:, 1] | A[:, 2] & ~A[:, 3]) ^ (rng.random(n) < 0.25)
    return rl.Problem.from_arrays(A, y, groups=np.where(A[:, 2] ^ (rng.random(n) < 0.4), "a", "b"))


def known_problem(instances: ModuleType, name: str) -> rl.Problem:
    """One of the benchmark instances with certified optima."""
    A, y, names = instances.load(name)
    return rl.Problem.from_arrays(A, y, names=names)


def fifty_and_fifty() -> rl.Problem:
    """a1 holds for the positives, 20 of them in one group and 21 of 41 in the other; a2 for one of these 21."""
    y = np.repeat([1, 0], 50)
    groups = np.array(["a"] * 20 + ["b"] * 30 + ["a"] * 30 + ["b"] * 20)
    a1 = y == 1
    a1[20 + 21 : 50] = False
    a2 = np.zeros(100, dtype=bool)
    a2[40] = True
    return rl.Problem.from_arrays(np.column_stack([a1, a2]), y, names=["a1", "a2"], groups=groups)


def reread(certificate: rl.Certificate) -> rl.Certificate:
    """As it comes back from a file."""
    stream = io.BytesIO()
    certificate.save(stream)
    stream.seek(0)
    return rl.Certificate.load(stream)


def finished(search: rl.Search, work: int = 1) -> rl.results.Snapshot:
    """The last state of a search in slices, whose bounds and incumbents go one way."""
    objective, bound = math.inf, 0.0
    for snapshot in search.steps(work_per_step=work, work_limit=ENOUGH):
        assert snapshot.lower_bound >= bound - 1e-15
        bound = snapshot.lower_bound
        if snapshot.incumbent is not None:
            assert snapshot.incumbent.objective <= objective
            assert bound <= snapshot.incumbent.objective
            objective = snapshot.incumbent.objective
    assert snapshot.limit != "work"
    return snapshot


def certified(search: rl.Search) -> rl.results.Snapshot:
    """The end of a search that proves its optimum."""
    last = rl.solve(search)
    assert (last.status, last.gap) == (rl.Status.OPTIMAL, 0)
    return last


def told(snapshot: rl.results.Snapshot) -> tuple[object, ...]:
    """What must not depend on how a search was interrupted."""
    best = snapshot.incumbent
    model = None if best is None else best.model
    return snapshot.status, snapshot.lower_bound, snapshot.counts, snapshot.pruned, model


def slices_change_nothing(monkeypatch, engine, effort, case_of, seeds, told=told) -> None:
    """Units of work so small that a search is interrupted everywhere, and pickled now and then."""
    for seed in seeds:
        _, whole = case_of(seed)
        wanted = told(finished(whole))
        with monkeypatch.context() as patch:
            patch.setattr(engine, "EFFORT_PER_WORK", effort)
            _, sliced = case_of(seed)
            sliced, got = in_slices(sliced)
        assert told(got) == wanted
        assert sliced.advance(5).incumbent == got.incumbent


def same_optimum(one: rl.results.Snapshot, other: rl.results.Snapshot, within: float = 0.0) -> None:
    """Both have ended alike, with the same objective or with none."""
    assert one.status is other.status
    assert (one.incumbent is None) == (other.incumbent is None)
    if one.incumbent is not None and other.incumbent is not None:
        assert one.incumbent.objective == pytest.approx(other.incumbent.objective, abs=within, rel=0)


# how much Python does in a call, counted instead of timed -------------------------------------------------------------
def calls_in(run: Callable[[], Any]) -> int:
    """The number of calls of functions, of Python's and of C, while something runs."""
    count = 0

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


# proofs in tests: that of a search, one that has to hold or to be refused, and one that is changed --------------------
def proof_by(search: Any) -> tuple[Any, rl.Certificate]:
    """The best model of a search, which is solved, and the proof that it is optimal."""
    model = rl.solve(search).incumbent.model
    return model, search.certificate()


def holds(*claim: Any) -> rl.results.Verification:
    """What `rulelab.verify` says of a problem, a model and a proof, which proves the model optimal."""
    answer = rl.verify(*claim)
    assert answer.valid, answer.reason
    return answer


def refused(*claim: Any) -> str:
    """What `rulelab.verify` has against a problem, a model and a proof, which does not prove the model optimal."""
    answer = rl.verify(*claim)
    assert not answer
    return answer.reason


def with_arrays(certificate: rl.Certificate, **arrays: np.ndarray) -> rl.Certificate:
    """The same certificate with other arrays."""
    return replace(certificate, arrays={**certificate.arrays, **arrays})


def changed(certificate: rl.Certificate, name: str, change: Callable[[np.ndarray], Any]) -> rl.Certificate:
    """The same certificate where an array is changed: in place, or to what is returned."""
    array = certificate.arrays[name].copy()
    made = change(array)
    return with_arrays(certificate, **{name: array if made is None else made})


def put(*where_and_what: Any) -> Callable[[np.ndarray], None]:
    """A change of the number at this place, to another one or by a function."""
    *where, what = where_and_what

    def change(array: np.ndarray) -> None:
        array[tuple(where)] = what(array[tuple(where)]) if callable(what) else what

    return change


def with_parameters(certificate: rl.Certificate, **parameters: float | None) -> rl.Certificate:
    """The same certificate with other parameters, without those of None."""
    given = {name: value for name, value in {**certificate.parameters, **parameters}.items() if value is not None}
    return replace(certificate, parameters=given)


# what searches hand their kernels and learn while they run, for tests of those parts: the one file with its names -----
class Inside:
    """The parts of a search that has begun; those of rule lists, or of rule sets."""

    def __init__(self, search: Any) -> None:
        self.of = search

    layout = property(lambda self: self.of._layout)
    rules = property(lambda self: self.of._rules)
    data = property(lambda self: self.of._data)
    reduction = property(lambda self: self.of._reduction)
    store = property(lambda self: self.of._store)
    learning = property(lambda self: self.of._learning)
    cores = property(lambda self: self.of._cores)
    running = property(lambda self: self.of._running)

    @property
    def generation(self) -> Any:
        """The column generation of a search for rule sets; None where there is none by now."""
        return getattr(self.of, "_generation", None)


def scale_of(search: rl.Search) -> Any:
    """The units of a search over prefixes, and which bounds it knows."""
    return search._scale()


def replaced(part: Any, **fields: Any) -> Any:
    """A named tuple of the kernels with other fields."""
    return part._replace(**fields)


def learn_soon(search=RuleListSearch, after=0, where=0, separate_after=None, put=setattr) -> None:
    """Let exact searches for rule lists, or one of them, learn cores and multipliers that only long ones are worth."""
    for name, value in (("_LEARN_AFTER", after), ("_LEARN_WHERE", where), ("_SEPARATE_AFTER", separate_after)):
        if value is not None:
            put(search, name, value)


def drop_soon(patience: int, put: Callable[[Any, str, Any], object]) -> None:
    """Let exact searches for falling lists look for antecedents to drop where the queue is short."""
    put(falling, "PATIENCE", patience)
    put(reducing, "LEAST_QUEUE", 0)


# what several tests draw with Hypothesis ------------------------------------------------------------------------------
seeds = st.integers(0, 2**32 - 1)
"""Of random numbers."""


@st.composite
def rows(draw, *further: st.SearchStrategy[Any], max_rows=14, max_columns=5, max_weight=5) -> tuple[Any, ...]:
    """A table small enough for a naive reference, with rows of both classes, and what further strategies draw."""
    n, m = draw(st.integers(2, max_rows)), draw(st.integers(1, max_columns))
    cells = draw(st.lists(st.booleans(), min_size=n * m, max_size=n * m))
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[0], y[1] = True, False
    weight = draw(st.lists(st.integers(1, max_weight), min_size=n, max_size=n))
    return np.array(cells).reshape(n, m), y, weight, *(draw(one) for one in further)


def drawn_problem(case: tuple[Any, ...]) -> rl.Problem:
    """That of a table that was drawn."""
    return rl.Problem.from_arrays(case[0], case[1], sample_weight=case[2])
