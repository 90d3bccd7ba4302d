"""Ctrl-C: a search is whole afterwards and goes on, a classifier keeps its best model with the proven gap."""

import signal
import threading

import numpy as np
import pytest
from laws import falling_for
from sklearn.exceptions import ConvergenceWarning
from test_estimators import flowers, people

import rulelab as rl
from rulelab import interrupts

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
    assert (last.status, last.incumbent.objective, last.lower_bound, last.counts) == (
        whole.status,
        whole.incumbent.objective,
        whole.lower_bound,
        whole.counts,
    )
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
    with pytest.raises(KeyboardInterrupt), interrupts.noted() as noted:  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        assert noted == [signal.SIGINT]
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_ones_own_is_kept(monkeypatch):
    caught = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    try:
        with interrupts.noted() as noted, interrupts.held_back():
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
