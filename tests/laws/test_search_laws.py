"""The laws every engine keeps. A new engine joins by adding its makers to ``ENGINES``."""

import io
import json
import math
import pickle
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from laws import state_of
from random_problems import explained

import rulelab as rl
from rulelab.as_json import plain
from rulelab.falling_rule_list import FairFallingSearch, FallingBounds, FallingRuleListSearch, SoftSearch
from rulelab.files import load_json
from rulelab.frontiers import ToleranceFrontier
from rulelab.rule_list import POLICIES


def _problem(seed: int) -> rl.Problem:
    A, y = explained(seed, 160, 14)
    return rl.Problem.from_arrays(A, y, groups=A[:, 4])


FEW_BOUNDS = FallingBounds(prefix_bound=False, equivalent_points=False, density_cap=False, eligible_cap=False)
LISTED, CORELS = partial(rl.RuleListSearch, regularization=0.012), {"regularization": 0.02}
ENGINES: dict[str, Callable[[rl.Problem], rl.Search]] = {
    **{f"rule_list, {policy}": partial(LISTED, policy=policy, random_state=3, beam_width=0) for policy in POLICIES},
    "rule_list, beam": partial(LISTED, beam_width=30),
    "rule_list, length limit": partial(LISTED, max_length=3),
    **{
        f"rule_list, two threads, {policy}": partial(LISTED, policy=policy, random_state=3, beam_width=0, n_jobs=2)
        for policy in ("lower_bound", "depth_first", "random")
    },
    "rule_list, three threads, beam": partial(LISTED, beam_width=30, n_jobs=3),
    "rule_list, two threads, length limit": partial(LISTED, max_length=3, n_jobs=2),
    **{f"corels, {policy}": partial(rl.CorelsSearch, **CORELS, policy=policy, random_state=3) for policy in POLICIES},
    "corels, published bounds": partial(rl.CorelsSearch, **CORELS, bounds=rl.engines.CorelsBounds.published()),
    "frontier": lambda p: rl.FrontierSearch(p, 4),
    "frontier, no beam": lambda p: rl.FrontierSearch(p, 4, beam_width=0),
    "near-optimal lists": lambda p: rl.NearOptimalSearch(p, 0.012, 0.004),
    "near-optimal lists, counted": lambda p: rl.NearOptimalCounter(p, 0.012, 0.004),
    "robustness": lambda p: rl.RobustnessSearch(p, 0.012),
    "falling": lambda p: FallingRuleListSearch(p, 0.001, 3.0, bounds=FEW_BOUNDS, iterations=0),
    "falling, after Monte Carlo": lambda p: FallingRuleListSearch(p, 0.001, 2.0, iterations=20),
    "falling, fair": lambda p: FairFallingSearch(p, 0.001, 3.0, fairness=rl.EqualOpportunity(0.1)),
    "falling, length limit": lambda p: FallingRuleListSearch(p, 0, 3.0, bounds=FEW_BOUNDS, max_length=3, iterations=0),
    "softly falling": lambda p: SoftSearch(p, 0.001, 3.0, 0.1, iterations=0),
    "softly falling, after Monte Carlo": lambda p: SoftSearch(p, 0.002, 2.0, 1.0, iterations=20),
    "rule_set": lambda p: rl.RuleSetSearch(p, 9, random_state=5),
    "rule_set, cnf": lambda p: rl.RuleSetSearch(p, 8, 2, form="cnf", regularization=0.5),
    "rule_set, errors": lambda p: rl.RuleSetSearch(p, 5, 2, loss="zero_one"),
    "near-optimal rule sets": lambda p: rl.engines.NearOptimalRuleSetSearch(p, 2, max_complexity=5, max_conditions=2),
    "rule_set, least gap": lambda p: rl.engines.LeastGapRuleSetSearch(p, "demographic_parity", 0.7, 4, 2),
    "fair frontier": lambda p: ToleranceFrontier(
        p, rl.EqualizedOdds, (0.02, 0.1), (3, 5), max_conditions=2, random_state=0
    ),
    "rule_list, fair": partial(rl.search, regularization=0.02, fairness=rl.EqualOpportunity(0.1), min_group_size=0),
    "rule_list, predictive parity": partial(
        rl.search, regularization=0.012, fairness=rl.PredictiveParity(0.1), min_group_size=0
    ),
    "rule_list, must use": partial(rl.search, regularization=0.02, must_use=["antecedent 5"], max_length=3),
    "rule_list, least gap": partial(
        rl.LeastGapSearch, criterion="equal_opportunity", min_accuracy=0.65, max_length=2, min_group_size=0
    ),
    "rule_set, fair": lambda p: rl.RuleSetSearch(p, 8, 2, fairness=rl.EqualizedOdds(0.02, 0.05)),
}
_LONG = {"fair frontier"}
OBEYING = {f"rule_list, {kind}" for kind in ("fair", "predictive parity", "must use", "least gap")}
"""Whose first list has to be found, and whose queue is not told by length."""
PREFIX_SEARCHES = [
    name for name in sorted(ENGINES) if re.match("rule_list|corels|.*fall", name) and name not in OBEYING
]
BEFORE_COUNTING = "dominance", "rejection_propagation", "commuting"
FRUGAL = {
    *("falling, after Monte Carlo", "softly falling, after Monte Carlo", "falling, fair", "falling, length limit"),
    *("frontier", "frontier, no beam", "rule_list, length limit", "rule_list, two threads, length limit"),
}


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.long] * (name in _LONG)) for name in sorted(ENGINES)])
def make(request):
    return lambda seed=0: ENGINES[request.param](_problem(seed))


def _result(snapshot: rl.results.Snapshot) -> tuple:
    points = [replace(each, found_at=(0.0, each.found_at[1])) for each in snapshot.detail.get("frontier", ())]
    return points, *state_of(snapshot)


@cache
def _whole(name: str, seed: int = 0) -> tuple:
    """What the search comes to in one go."""
    return _result(rl.solve(ENGINES[name](_problem(seed)), work_per_step=10**6))


@pytest.fixture
def whole(request):
    return _whole(request.node.callspec.params["make"])


@pytest.mark.few(4)
def test_slicing_the_work_never_changes_the_result(make, whole):
    assert whole[1] is rl.Status.OPTIMAL
    for size in (1, 7, 64):
        assert _result(rl.solve(make(), work_per_step=size)) == whole


@pytest.mark.parametrize("name", PREFIX_SEARCHES)
def test_every_prefix_that_is_made_is_cut_or_expanded_or_waits(name):
    """And counts once: all antecedents follow each that is expanded; of CORELS those that it has not are counted."""
    for seed in range(4):
        last = rl.solve(ENGINES[name](_problem(seed)))
        followers = last.detail["antecedents"] * last.counts["expanded"]
        if name.startswith("corels"):
            followers = last.counts["counted"] + sum(last.pruned[bound] for bound in BEFORE_COUNTING)
        assert (last.made, last.counts["queued"]) == (1 + followers, 0)


@pytest.mark.parametrize("name", sorted(set(ENGINES) - {"fair frontier", "robustness"}))  # which counts rows
def test_weights_times_a_number_are_told_apart_as_well(name):
    """Where the product is exact: a thousandth of six digits after the point are nine of them."""
    A, y = explained(0, 120, 8)
    weight = [Decimal(n).scaleb(-6) for n in np.random.default_rng(1).integers(1, 3_000_000, 120).tolist()]
    found = []
    for factor in map(Decimal, ("1", "3", "1000", "0.001", "0.1")):
        weights = [float(each * factor) for each in weight]
        last = rl.solve(ENGINES[name](rl.Problem.from_arrays(A, y, sample_weight=weights, groups=A[:, 4])))
        assert last.status in (rl.Status.OPTIMAL, rl.Status.INFEASIBLE), factor
        found.append(last)
    assert {each.status for each in found} == {found[0].status}
    if "rule_set" not in name and "rule sets" not in name:  # there a rule costs as much as before
        objectives = [each.incumbent.objective for each in found]
        assert objectives == pytest.approx(objectives[:1] * len(found), rel=1e-12)


def test_bounds_move_towards_each_other(make, request):
    """A list that has to obey is not there from the first unit on. No bound exceeds the optimum, which is the last."""
    objective, bound, work, found = math.inf, -math.inf, 0, False
    search, obeys = make(), request.node.callspec.params["make"] in OBEYING
    has_lengths = search.family != "rule_set" and not obeys
    for snapshot in rl.steps(search, work_per_step=3):
        assert snapshot.lower_bound >= bound
        assert work <= snapshot.work <= work + 3
        if has_lengths and snapshot.phase == "searching":
            assert sum(snapshot.queue_by_length) == snapshot.counts["queued"]
        bound, work = snapshot.lower_bound, snapshot.work
        if snapshot.incumbent is None:
            assert obeys
            assert not found
            continue
        assert snapshot.incumbent.objective <= objective
        assert snapshot.lower_bound <= snapshot.incumbent.objective
        assert snapshot.gap == snapshot.incumbent.objective - snapshot.lower_bound
        assert snapshot.incumbent.found_at[1] <= snapshot.work
        objective, found = snapshot.incumbent.objective, True
    assert (snapshot.gap, snapshot.counts["queued"], snapshot.log10_remaining) == (0, 0, 0)


def test_pickled_half_way_it_goes_on_to_an_end_where_nothing_changes(make, whole):
    search = make()
    for _ in range(4):
        search.advance(9)
        search = pickle.loads(pickle.dumps(search))
    assert _result(rl.solve(search)) == whole
    assert _result(search.advance(100)) == whole
    assert [_result(s) for s in search.steps()] == [whole]


@pytest.mark.few(4)
def test_interleaved_searches_do_not_meet(make, request):
    alone = [_whole(request.node.callspec.params["make"], seed) for seed in (0, 1)]
    pair = [make(0), make(1)]
    last: list[rl.results.Snapshot | None] = [None, None]
    for _ in range(100_000):
        for k, search in enumerate(pair):
            last[k] = search.advance(5)
        if all(s is not None and s.status is rl.Status.OPTIMAL for s in last):
            break
    assert [_result(s) for s in last if s is not None] == alone


def test_snapshots_are_small_frozen_and_keep_nothing_of_the_search(make):
    search = make()
    first = search.advance(5)
    before = pickle.dumps(first)
    assert len(before) < 20_000
    rl.solve(search)
    assert pickle.dumps(first) == before
    with pytest.raises(AttributeError):
        first.work = 3


def test_limits_stop_and_resume(make, whole):
    search = make()
    by_work = rl.solve(search, work_limit=10, work_per_step=4)
    assert (by_work.status, by_work.limit, by_work.work) == (rl.Status.LIMIT, "work", 10)
    by_time = rl.solve(search, time_limit=0, work_per_step=1)
    assert (by_time.status, by_time.limit, by_time.work) == (rl.Status.LIMIT, "time", 11)
    by_gap = rl.solve(search, gap=by_time.gap)
    assert (by_gap.status, by_gap.limit) == (rl.Status.LIMIT, "gap")
    assert by_gap.gap <= by_time.gap
    assert _result(rl.solve(search)) == whole


def test_a_memory_limit_stops_a_search_and_can_be_raised(make, request):
    """Those that need no more than what they begin with end; of robustness there is a test of its own."""
    kind, whole, search = request.node.callspec.params["make"], rl.solve(make()), make()
    if kind == "robustness":
        return
    search.advance(2)
    search.memory_limit = 1
    stopped = rl.solve(search)
    if kind in FRUGAL or stopped.status is rl.Status.OPTIMAL:
        assert (kind in FRUGAL, stopped.status) == (True, rl.Status.OPTIMAL)
    else:
        assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
        assert stopped.lower_bound <= whole.incumbent.objective
        assert stopped.incumbent is None or stopped.incumbent.objective >= whole.incumbent.objective
        assert rl.solve(search).work <= stopped.work + 1
    search.memory_limit = None
    last = rl.solve(search)
    assert (last.status, last.incumbent.objective) == (rl.Status.OPTIMAL, whole.incumbent.objective)


def test_parameters_make_the_search_again(make, whole):
    search = make()
    again = type(search)(search.problem, **search.parameters)
    assert again.parameters == search.parameters
    assert _result(rl.solve(again)) == whole


def test_bad_limits_and_bad_work_are_refused_at_the_call(make):
    for bad in ({"work_per_step": 0}, {"time_limit": -1}, {"gap": -0.1}, {"work_limit": 1.5}, {"gap": math.nan}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            rl.steps(make(), **bad)
    for bad in (0, -1, 2.5, True, None):
        with pytest.raises(ValueError, match="max_work"):
            make().advance(bad)


class _Interrupted(pickle.Pickler):
    """Lets something happen before the object of this number is written."""

    def __init__(self, at: int, happens: Callable[[], object]) -> None:
        super().__init__(io.BytesIO(), protocol=pickle.HIGHEST_PROTOCOL)
        self.seen, self.at, self.happens = 0, at, happens

    def persistent_id(self, found: object) -> None:
        self.seen += 1
        if self.seen == self.at:
            self.happens()


@pytest.mark.few(4)
def test_a_search_is_handed_on_whole_whatever_is_asked_of_it_meanwhile(make):
    """Another thread may ask for what is made once and kept, such as the certificate, between any two objects."""
    search = make()
    rl.solve(search)
    written = pickle.dumps(search)
    whole = _Interrupted(-1, lambda: None)
    whole.dump(search)
    for at in range(20, whole.seen, whole.seen // 3):
        asked = pickle.loads(written)
        _Interrupted(at, lambda asked=asked: _ask(asked)).dump(asked)
    assert pickle.loads(pickle.dumps(asked)).problem.fingerprint == search.problem.fingerprint


def _ask(search: rl.Search) -> None:
    assert search.problem.fingerprint
    search.to_json()
    if hasattr(search, "certificate"):
        with suppress(rl.errors.CertificateError):
            search.certificate()


# what every search has beside its steps -------------------------------------------------------------------------------
KINDS = {
    "rule_list, beam": "rule_list", "corels, published bounds": "corels", "near-optimal lists": "near_optimal",
    "near-optimal lists, counted": "near_optimal_count", "robustness": "rule_list_robustness",
    "frontier": "rule_list_frontier", "falling, after Monte Carlo": "falling_rule_list", "rule_set, fair": "rule_set",
    "near-optimal rule sets": "near_optimal_rule_sets", "rule_set, least gap": "least_gap",
    "fair frontier": "fair_frontier", "least gaps of rule sets": "gap_frontier",
}  # fmt: skip
"""What results of these engines are called, and of one more."""
SEVERAL = (
    "least gaps of rule sets", "near-optimal lists", "near-optimal lists, counted", "near-optimal rule sets",
    "frontier", "robustness", "fair frontier",
)  # fmt: skip


def problem() -> rl.Problem:
    rng = np.random.default_rng(0)
    A = rng.random((150, 10)) < 0.4
    y = ((A[:, 0] & ~A[:, 1]) | (A[:, 2] & A[:, 3])) ^ (rng.random(150) < 0.15)
    return rl.Problem.from_arrays(A, np.where(y, "yes", "no"), groups=A[:, 4])


def read(search: rl.Search) -> dict:
    return load_json(search.to_json(), 1 << 24, 1 << 17)


SMALL_FRONT = {"accuracies": (0.6, 0.7), "max_complexity": 5, "max_conditions": 2}
SHOWN = ENGINES | {
    "near-optimal lists": lambda p: rl.NearOptimalSearch(p, 0.02, 0.05),
    "near-optimal lists, counted": lambda p: rl.NearOptimalCounter(p, 0.02, 0.05),
    "least gaps of rule sets": partial(rl.frontier, by="gap", model="rule_set", **SMALL_FRONT),
}


@pytest.mark.parametrize("name", KINDS)
def test_tables_and_json_of_all_searches(name, tmp_path):
    kind, search = KINDS[name], SHOWN[name](problem())
    assert isinstance(search.frame, pd.DataFrame)
    first = read(search)
    assert (first["state"], first["rows"], first["models"], len(search.frame)) == (None, [], [], 0)
    assert (first["format"], first["schema_version"], first["kind"]) == ("rulelab result", 1, kind)

    search.advance(3)
    assert (read(search)["state"]["status"], search.stopped_by) == ("running", None)
    rl.solve(search, time_limit=0)
    stopped = read(search)["state"]
    assert (stopped["status"], stopped["limit"], search.stopped_by) == ("limit", "time", "time")

    last = rl.solve(search)
    assert search.stopped_by is None
    result = read(search)
    state = result["state"]
    assert (state["status"], state["limit"], state["work"], state["gap"]) == ("optimal", None, last.work, 0)
    assert (state["objective"], state["lower_bound"]) == (last.incumbent.objective, last.lower_bound)
    assert (state["counts"], state["memory_bytes"]) == (last.counts, last.memory_bytes)
    assert state["seconds"] > 0
    assert result["rows"] == plain(search.frame.to_dict(orient="records"))
    assert (len(result["models"]), len(search.frame) > 1) == (len(search.frame), name in SEVERAL)
    path = tmp_path / "model.json"
    for content in result["models"]:
        path.write_text(json.dumps(content))
        assert rl.load_model(path).classes == ("no", "yes")
    saved = tmp_path / "result.json"
    assert search.to_json(saved) == saved.read_text()


def test_what_json_holds():
    assert plain({"a": np.float64("nan"), 1: (np.int64(2), rl.Status.LIMIT, float("inf"))}) == {
        "a": None,
        "1": [2, "limit", None],
    }
    assert plain(rl.EqualOpportunity(0.5)) == {"type": "EqualOpportunity", "tolerance": 0.5}
    with pytest.raises(TypeError, match="a result cannot hold"):
        plain({1, 2})
