"""Slices: the work that a search is asked for at once is small again wherever a unit of work may take longer."""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from laws import falling_for

import rulelab as rl
from rulelab.slices import Slices

GAP = "equal_opportunity"
MAKES: dict[str, Callable[[rl.Problem], rl.Search]] = {
    "list": lambda p: rl.RuleListSearch(p, 0.01),
    "list, threads": lambda p: rl.RuleListSearch(p, 0.01, n_jobs=2),
    "corels": lambda p: rl.CorelsSearch(p, 0.01),
    "near lists": lambda p: rl.NearOptimalSearch(p, 0.01),
    "near lists, counted": lambda p: rl.NearOptimalCounter(p, 0.01),
    "robustness": lambda p: rl.RobustnessSearch(p, 0.01),
    "frontier": lambda p: rl.FrontierSearch(p, max_length=8),
    "list, first rule": lambda p: rl.search_for(p, regularization=0.01, first_rule=p.names[0]),
    "fair list": lambda p: rl.search_for(p, regularization=0.01, fairness=rl.EqualOpportunity(0.02)),
    "fair list, length": lambda p: rl.search_for(
        p, regularization=0.01, fairness=rl.EqualOpportunity(0.02), max_length=4
    ),
    "list, predictive parity": lambda p: rl.search_for(p, regularization=0.01, fairness=rl.PredictiveParity(0.05)),
    "least gap": lambda p: rl.LeastGapSearch(p, GAP),
    "gap frontier": lambda p: rl.frontier(p, "gap", criterion=GAP),
    "falling": lambda p: rl.FallingRuleListSearch(p, 0.001),
    "softly falling": lambda p: rl.search_for(p, "falling_rule_list", regularization=0.001, violation_penalty=0.1),
    "falling, fair": lambda p: falling_for(p, regularization=0.001, fairness=rl.EqualOpportunity(0.02)),
    "set": lambda p: rl.RuleSetSearch(p),
    "set, fair": lambda p: rl.RuleSetSearch(p, fairness=rl.EqualOpportunity(0.02)),
    "near sets": lambda p: rl.NearOptimalRuleSetSearch(p),
    "least gap of sets": lambda p: rl.LeastGapRuleSetSearch(p, GAP),
    "gap frontier of sets": lambda p: rl.frontier(p, "gap", "rule_set", criterion=GAP),
    "fair frontier": lambda p: rl.frontier(p, "tolerance", "rule_set"),
}


def table(n: int, k: int) -> rl.Problem:
    """Numbers that hang together, of which one tells something."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, k))
    Z[:, 1:] += 0.6 * Z[:, [0]]
    y = (rng.random(n) < 1 / (1 + np.exp(-1.2 * Z[:, 0]))).astype(int)
    B = rl.Binarizer(5).fit_transform(pd.DataFrame(Z.round(2), columns=[f"c{i}" for i in range(k)]))
    return rl.Problem.from_antecedents(rl.mine_antecedents(B, max_conditions=1), y, groups=rng.random(n) < 0.4)


@pytest.mark.parametrize("name", list(MAKES))
def test_a_call_ends_where_a_search_within_changes_its_phase(name, monkeypatch):
    search, original = MAKES[name](table(300, 3)), rl.Search.advance
    inner: list[tuple[int, tuple[str, ...]]] = []

    def advance(self: rl.Search, max_work: int) -> rl.Snapshot:
        inner.append((id(self), self.pace))
        return original(self, max_work)

    monkeypatch.setattr(rl.Search, "advance", advance)
    slices, pace, kinds = Slices(), search.pace, set()
    for _ in range(300):
        before, units = len(inner), slices.size
        now = slices.advance(search, units)
        called = inner[before + 1 :]
        on_each_level = [len(pace) for _, pace in set(called)]
        assert len(on_each_level) == len(set(on_each_level)) or units == 1, called  # of one kind, by one search
        if search.pace != pace:
            assert slices.size == 1
        pace = search.pace
        kinds.add(pace)
        if now.status is not rl.Status.RUNNING:
            break
    assert len(kinds) > 1


@pytest.mark.long
@pytest.mark.parametrize("name", list(MAKES))
def test_a_second_is_kept_on_a_large_table(name):
    search = MAKES[name](table(10_000, 24))
    search.compile()
    waits, before, limit = [], time.perf_counter(), 1.0
    for _ in search.steps(time_limit=limit):
        now = time.perf_counter()
        waits.append(now - before)
        before = now
    longest, most = 1.0, 2.0 * limit
    assert max(waits) < longest
    assert sum(waits) < most
