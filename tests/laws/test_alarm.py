"""Every call ends: with awkward numbers, step by step; at a flag of another thread; at Ctrl-C amid long work."""

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
from laws import falling_for
from live import problem as noisy

import rulelab as rl

ALARM = 60.0  # seconds, after which the process says where it is and ends
MOST_STEPS = 30_000
WEIGHTS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "unit": lambda rng, y: np.ones(len(y)),
    "tenths": lambda rng, y: np.full(len(y), 0.1),
    "real": lambda rng, y: rng.random(len(y)) + 0.01,
    "huge": lambda rng, y: np.full(len(y), 1e12),
    "tiny": lambda rng, y: np.full(len(y), 1e-12),
    "balanced": lambda rng, y: np.where(y, len(y) / (2 * y.sum()), len(y) / (2 * (len(y) - y.sum()))),
}
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
    "softly falling": lambda: rl.search_for(
        noisy(1000, 150),
        "falling_rule_list",
        regularization=0.0005,
        violation_penalty=0.05,
        iterations=5,
        random_state=0,
    ),
    "rule set": lambda: rl.RuleSetSearch(noisy(3000, 150), 40),
    "fair list": lambda: rl.search_for(grouped(2000, 200), regularization=0.0002, fairness=rl.EqualOpportunity(0.01)),
    "predictive parity": lambda: rl.search_for(
        grouped(1000, 100), regularization=0.0005, fairness=rl.PredictiveParity(0.01)
    ),
    "least gap": lambda: rl.LeastGapSearch(grouped(1000, 100), "equalized_odds", min_accuracy=0.6),
    "must use": lambda: rl.search_for(noisy(1000, 150), regularization=0.0005, must_use=["antecedent 3"]),
    "fair falling": lambda: rl.search_for(
        grouped(4000, 300),
        "falling_rule_list",
        regularization=1e-6,
        positive_weight=6.0,
        fairness=rl.EqualOpportunity(0.3),
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
            threading.Timer(0.2, flag.set).start()
    assert flag.is_set()
    assert search.advance(1).status is rl.Status.RUNNING  # it was not the end of the search that ended the steps


def interrupted(run: Callable[[], object], seconds: float = 0.3) -> bool:
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
