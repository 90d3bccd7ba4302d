"""Ctrl-C: a search is whole afterwards and goes on, a classifier keeps its best model with the proven gap."""

import faulthandler
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from laws import falling_for, noisy_problem, problem_of, state_of
from live import problem as noisy
from random_problems import WEIGHTS, random_rows
from sklearn.exceptions import ConvergenceWarning
from test_estimators import flowers, people
from test_search_laws import ENGINES

import rulelab as rl
from rulelab import progress

KINDS = (
    "rule_list, lower_bound", "corels, lower_bound", "frontier, no beam", "falling, after Monte Carlo",
    "softly falling, after Monte Carlo", "rule_set",
)  # fmt: skip
MAKES = {name: ENGINES[name] for name in KINDS} | {
    "monte carlo": lambda p: falling_for(p, regularization=0.005, method="monte_carlo", iterations=60, random_state=0)
}
CLASSIFIERS = {
    "rule list": rl.RuleListClassifier(0.002, thresholds=4, max_conditions=1, beam_width=0),
    "falling": rl.FallingRuleListClassifier(0.0005, thresholds=4, max_conditions=1, iterations=5, random_state=0),
    "rule set": rl.RuleSetClassifier(10, 3, thresholds=4),
}


problem = partial(noisy_problem, 1, 160, 9, 0.2)


@pytest.fixture
def press(monkeypatch):
    """Presses Ctrl-C in the middle of the steps that are named by number, of all searches together."""
    original = rl.Search.advance

    for make in (rl.RuleListSearch, rl.FallingRuleListSearch, rl.RuleSetSearch):  # which take steps of small searches
        make(problem()).compile()

    def at(*numbers: int, times: int = 1) -> list[int]:
        done: list[int] = []

        def advance(self: rl.Search, max_work: int) -> rl.results.Snapshot:
            done.append(len(done) + 1)
            if done[-1] not in numbers:
                return original(self, max_work)

            def pressed(*_: object) -> object:
                for _ in range(times):
                    signal.raise_signal(signal.SIGINT)
                return mock.DEFAULT  # go on with the step

            with mock.patch.object(self, "_advance", wraps=self._advance, side_effect=pressed):
                return original(self, max_work)

        monkeypatch.setattr(rl.Search, "advance", advance)
        return done

    return at


@pytest.mark.parametrize("kind", list(MAKES))
def test_a_search_goes_on_after_it(kind, press):
    whole = list(MAKES[kind](problem()).steps(work_per_step=1))[-1]
    search = MAKES[kind](problem())
    at = press(2, 3, 5)
    states, interrupted = [], 0
    while not states or states[-1].status is rl.Status.RUNNING:
        try:
            states.extend(search.steps(work_per_step=1))
        except KeyboardInterrupt:
            interrupted += 1
    assert (interrupted, len(at)) == (3, len(states) + 3)
    last = states[-1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert state_of(last) == state_of(whole)
    bounds = [state.lower_bound for state in states]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize(("times", "work"), [(1, 7), (2, 0)], ids=["once", "twice"])
def test_solve_lets_it_through_at_the_end_of_a_step_and_pressed_twice_at_once(press, times, work):
    press(1, times=times)
    search = MAKES["rule_list, lower_bound"](problem())
    with pytest.raises(KeyboardInterrupt):
        rl.solve(search, work_per_step=7)
    assert search.work == work


def test_near_optimal_lists_go_on_after_it(press):
    optimum = rl.RuleListSearch(problem(), 0.03)
    rl.solve(optimum)
    whole, enumeration = rl.near_optimal(optimum, within=0.02), rl.NearOptimalSearch(optimum, within=0.02)
    press(2, 3)
    interrupted = 0
    while enumeration.phase != "finished":
        try:
            rl.solve(enumeration, work_per_step=1)
        except KeyboardInterrupt:
            interrupted += 1
    assert (interrupted, enumeration.result().count) == (2, whole.count)


@pytest.mark.parametrize("kind", list(CLASSIFIERS))
def test_fit_keeps_the_best_model(kind, press):
    X, _ = people()
    y = np.random.default_rng(0).integers(0, 2, len(X))
    at = press(3)
    with pytest.warns(ConvergenceWarning, match="interrupted before a proof: the objective .* is proven to be within"):
        model = CLASSIFIERS[kind].fit(X, y)
    assert len(at) == 3
    assert model.status_ is rl.Status.LIMIT
    assert model.gap_ == model.objective_ - model.lower_bound_ > 0
    assert len(model.trace_) == 3
    assert len(model.predict(X)) == len(X)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_fit_of_several_classes_keeps_a_model_of_each(press):
    X, y = flowers()
    at = press(1)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = rl.RuleListClassifier(0.001, thresholds=4, max_conditions=1, beam_width=0).fit(X, y)
    assert (len(at), len(model.models_)) == (3, 3)
    assert (model.gap_ >= 0).all()


def test_pressed_twice_it_ends_fit(press):
    X, y = people()
    press(2, times=2)
    with pytest.raises(KeyboardInterrupt):
        rl.RuleListClassifier(0.01, thresholds=4, max_conditions=1, beam_width=0).fit(X, y)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_note_is_taken_once():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), progress.noted() as noted:  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        assert noted == [signal.SIGINT]
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_ones_own_is_kept(monkeypatch):
    caught = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    try:
        with progress.noted() as noted, progress.held_back():
            signal.raise_signal(signal.SIGINT)
        assert (noted, caught) == ([], [signal.SIGINT])
    finally:
        signal.signal(signal.SIGINT, before)


# every call ends ------------------------------------------------------------------------------------------------------
ALARM = 60.0  # seconds, after which the process says where it is and ends
MOST_STEPS = 30_000
PENALTIES = (1 / 3, 1e-9, 7e-3)
LISTS: dict[str, Callable[[rl.Problem, float], rl.Search]] = {
    "frontier": lambda p, r: rl.FrontierSearch(p, 3),
    "monte carlo": lambda p, r: falling_for(p, regularization=r, method="monte_carlo", iterations=60, random_state=0),
    "near-optimal": lambda p, r: rl.NearOptimalSearch(p, r, 0.01, max_length=3),
    "near-optimal, counted": lambda p, r: rl.NearOptimalCounter(p, r, 0.01, max_length=3),
}
"""Those that are not among the families of ``test_crossed.py``, all of whose cases have to end."""


@contextmanager
def alarm() -> Iterator[None]:
    """The process ends with all its stacks when what is inside does not return."""
    faulthandler.dump_traceback_later(ALARM, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def ends(search: rl.Search) -> None:
    """Step by step to the end."""
    search.compile()
    for _ in range(MOST_STEPS):
        with alarm():
            snapshot = search.advance(1)
        if snapshot.status is not rl.Status.RUNNING:
            break
    assert snapshot.status is not rl.Status.RUNNING, f"{MOST_STEPS} steps were not enough"
    assert snapshot.lower_bound <= snapshot.incumbent.objective


@pytest.mark.few(5)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("name", list(LISTS))
def test_searches_for_lists_end(name, penalty):
    for kind in WEIGHTS:
        ends(LISTS[name](problem_of(random_rows(np.random.default_rng(1), kind)), penalty))


@pytest.mark.parametrize("kind", list(WEIGHTS))
def test_mining_ends(kind):
    rng = np.random.default_rng(4)
    B = pd.DataFrame(rng.random((60, 8)) < 0.5, columns=list("abcdefgh"))
    for least, most in ((0.0, 1.0), (1 / 3, 0.7), (1e-9, 1 - 1e-9)):
        with alarm():
            weight = WEIGHTS[kind](rng, B["a"].to_numpy())
            assert rl.mine_antecedents(B, 3, least, most, sample_weight=weight) is not None


def interrupted(run: Callable[[], object], seconds: float = 0.1) -> bool:
    """Whether Ctrl-C, pressed in the main thread after that time, ends what runs."""
    timer = threading.Timer(seconds, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    with alarm():
        try:
            timer.start()
            run()
        except KeyboardInterrupt:
            return True
        finally:
            timer.cancel()
            timer.join()
    return False


needs_signals = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to a thread on this system")


@needs_signals
def test_ctrl_c_ends_mining():
    rng = np.random.default_rng(0)
    B = pd.DataFrame(rng.random((4000, 700)) < 0.5, columns=[f"c{k}" for k in range(700)])
    rl.mine_antecedents(B.iloc[:100, :5], 3, 0.0, 1.0)
    assert interrupted(lambda: rl.mine_antecedents(B, 3, 0.2, 1.0))  # of 57 million conjunctions


@needs_signals
def test_ctrl_c_ends_the_making_of_a_proof_and_its_check():
    problem = noisy(500, 14)
    search = rl.RuleListSearch(problem, 0.004)
    model = rl.solve(search).incumbent.model

    kept = pickle.dumps(search)  # without its proof

    def proofs() -> None:
        for _ in range(10_000):
            pickle.loads(kept).certificate()

    assert interrupted(proofs)
    proof, began = search.certificate(), time.perf_counter()
    assert rl.verify(problem, model, proof).valid
    took = time.perf_counter() - began
    assert interrupted(lambda: [rl.verify(problem, model, proof) for _ in range(10_000)], max(0.05, took / 3))
