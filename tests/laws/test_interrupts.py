"""Ctrl-C: a search is whole afterwards and goes on, a classifier keeps its best model with the proven gap."""

import faulthandler
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from laws import falling_for, state_of
from live import problem as noisy
from random_problems import WEIGHTS
from sklearn.exceptions import ConvergenceWarning
from test_estimators import flowers, people

import rulelab as rl
from rulelab import progress

MAKES = {
    "rule list": lambda p: rl.RuleListSearch(p, 0.02, beam_width=0),
    "corels": lambda p: rl.CorelsSearch(p, 0.02),
    "frontier": lambda p: rl.FrontierSearch(p, 3, beam_width=0),
    "falling": lambda p: rl.FallingRuleListSearch(p, 0.005, iterations=5, random_state=0),
    "soft": lambda p: falling_for(p, regularization=0.005, violation_penalty=0.1, iterations=5, random_state=0),
    "monte carlo": lambda p: falling_for(p, regularization=0.005, method="monte_carlo", iterations=60, random_state=0),
    "rule set": lambda p: rl.RuleSetSearch(p, 8, 2),
}
CLASSIFIERS = {
    "rule list": rl.RuleListClassifier(0.002, thresholds=4, max_conditions=1, beam_width=0),
    "falling": rl.FallingRuleListClassifier(0.0005, thresholds=4, max_conditions=1, iterations=5, random_state=0),
    "rule set": rl.RuleSetClassifier(10, 3, thresholds=4),
}


def problem() -> rl.Problem:
    rng = np.random.default_rng(1)
    A = rng.random((160, 9)) < 0.45
    return rl.Problem.from_arrays(A, (A[:, 0] & A[:, 1]) ^ (A[:, 2] & A[:, 3]) ^ (rng.random(160) < 0.2))


@pytest.fixture
def press(monkeypatch):
    """Presses Ctrl-C in the middle of the steps that are named by number, of all searches together."""
    original = rl.Search.advance

    for make in (rl.RuleListSearch, rl.FallingRuleListSearch, rl.RuleSetSearch):  # which take steps of small searches
        make(problem()).compile()

    def at(*numbers: int, times: int = 1) -> list[int]:
        done: list[int] = []

        def advance(self: rl.Search, max_work: int) -> rl.Snapshot:
            inner = self._advance

            def pressed(work: int) -> None:
                for _ in range(times):
                    signal.raise_signal(signal.SIGINT)
                inner(work)

            done.append(len(done) + 1)
            if done[-1] in numbers:
                vars(self)["_advance"] = pressed
            try:
                return original(self, max_work)
            finally:
                vars(self).pop("_advance", None)

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


def test_solve_lets_it_through_at_the_end_of_a_step(press):
    press(1)
    search = MAKES["rule list"](problem())
    with pytest.raises(KeyboardInterrupt):
        rl.solve(search, work_per_step=7)
    assert search.work == 7


def test_pressed_twice_it_takes_effect_at_once(press):
    press(1, times=2)
    search = MAKES["rule list"](problem())
    with pytest.raises(KeyboardInterrupt):
        rl.solve(search, work_per_step=7)
    assert search.work == 0


def test_near_optimal_lists_go_on_after_it(monkeypatch):
    whole = rl.near_optimal(problem(), regularization=0.03, within=0.02)
    enumeration = rl.NearOptimalSearch(problem(), 0.03, within=0.02)
    original, presses = enumeration._advance, iter([False, True, True])

    def pressed(work: int) -> None:
        if next(presses, False):
            signal.raise_signal(signal.SIGINT)
        original(work)

    monkeypatch.setattr(enumeration, "_advance", pressed)
    interrupted = 0
    while enumeration.phase != "finished":
        try:
            for _ in enumeration.steps():
                pass
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


def test_searches_run_in_other_threads():
    found = []
    thread = threading.Thread(target=lambda: found.append(rl.solve(MAKES["rule list"](problem())).status))
    thread.start()
    thread.join()
    assert found == [rl.Status.OPTIMAL]


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


def grouped(n: int, m: int) -> rl.Problem:
    rng = np.random.default_rng(0)
    A = rng.random((n, m)) < 0.4
    y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(n) < 0.35)
    return rl.Problem.from_arrays(A, y.astype(int), groups=rng.random(n) < 0.4)


LONG: dict[str, Callable[[], rl.Search]] = {
    "rule list": lambda: rl.RuleListSearch(noisy(1000, 150), 0.0005, beam_width=0),
    "rule list, beam": lambda: rl.RuleListSearch(noisy(1000, 150), 0.0005),
    "corels": lambda: rl.CorelsSearch(noisy(1000, 150), 0.0005),
    "frontier": lambda: rl.FrontierSearch(noisy(1000, 150), 15, beam_width=0),
    "softly falling": lambda: falling_for(
        noisy(1000, 150), regularization=0.0005, violation_penalty=0.05, iterations=5, random_state=0
    ),
    "rule set": lambda: rl.RuleSetSearch(noisy(3000, 150), 40),
    "fair list": lambda: rl.search_for(grouped(2000, 200), regularization=0.0002, fairness=rl.EqualOpportunity(0.01)),
    "predictive parity": lambda: rl.search_for(
        grouped(1000, 100), regularization=0.0005, fairness=rl.PredictiveParity(0.01)
    ),
    "least gap": lambda: rl.LeastGapSearch(grouped(1000, 100), "equalized_odds", min_accuracy=0.6),
    "must use": lambda: rl.search_for(noisy(1000, 150), regularization=0.0005, must_use=["antecedent 3"]),
    "fair falling": lambda: falling_for(
        grouped(4000, 300), regularization=1e-6, positive_weight=6.0, fairness=rl.EqualOpportunity(0.3)
    ),
    "near-optimal": lambda: rl.NearOptimalSearch(noisy(1000, 100), 0.002, 0.05),
    "near-optimal, counted": lambda: rl.NearOptimalCounter(noisy(1000, 100), 0.002, 0.05),
    "robustness": lambda: rl.RobustnessSearch(noisy(1000, 100), 0.002),
    "near-optimal rule sets": lambda: rl.NearOptimalRuleSetSearch(noisy(800, 60), 20, max_complexity=20),
    "fair frontier": lambda: rl.frontier(grouped(800, 60), "tolerance", "rule_set"),
    "least gap of rule sets": lambda: rl.LeastGapRuleSetSearch(grouped(800, 60), "equalized_odds", 0.6, 20),
}
SLOW = ("robustness", "near-optimal rule sets", "fair frontier", "least gap of rule sets", "predictive parity")
NAMES = [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in LONG]


def table(kind: str, seed: int = 1, n: int = 40, m: int = 5) -> rl.Problem:
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < 0.5
    y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(n) < 0.25)
    y[:4], group = [True, False, True, False], rng.random(n) < 0.4
    group[:4] = [True, True, False, False]
    return rl.Problem.from_arrays(A, y, sample_weight=WEIGHTS[kind](rng, y), groups=group)


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
        ends(LISTS[name](table(kind), penalty))


@pytest.mark.parametrize("kind", list(WEIGHTS))
def test_mining_ends(kind):
    rng = np.random.default_rng(4)
    B = pd.DataFrame(rng.random((60, 8)) < 0.5, columns=list("abcdefgh"))
    for least, most in ((0.0, 1.0), (1 / 3, 0.7), (1e-9, 1 - 1e-9)):
        with alarm():
            assert (
                rl.mine_antecedents(B, 3, least, most, sample_weight=WEIGHTS[kind](rng, B["a"].to_numpy())) is not None
            )


@pytest.mark.parametrize("name", NAMES)
def test_a_flag_ends_the_steps_at_the_next_one(name):
    search = LONG[name]()
    search.compile()
    flag = threading.Event()
    for step, _ in enumerate(search.steps()):
        if flag.is_set():
            break
        if not step:
            threading.Timer(0.05, flag.set).start()
    assert flag.is_set()
    assert search.advance(1).status is rl.Status.RUNNING  # it was not the end of the search that ended the steps


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


@pytest.mark.few(5)
@needs_signals
@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_ends_solve(name):
    search = LONG[name]()
    search.compile()
    assert interrupted(lambda: rl.solve(search))


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
