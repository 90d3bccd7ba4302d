"""What every search has beside its steps: a table of what is known, and strict JSON with models that can be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rulelab as rl
from rulelab.files import load_json
from rulelab.models.loading import load_model
from rulelab.results import plain
from rulelab.search import Search

SEARCHES: dict[str, tuple[str, Callable[[rl.Problem], Search]]] = {
    "rule list": ("rule_list", lambda p: rl.RuleListSearch(p, 0.02, beam_width=20)),
    "corels": ("corels", lambda p: rl.CorelsSearch(p, 0.03, bounds=rl.CorelsBounds.published())),
    "near-optimal lists": ("near_optimal", lambda p: rl.NearOptimalSearch(p, 0.02, 0.05)),
    "near-optimal lists, counted": ("near_optimal_count", lambda p: rl.NearOptimalCounter(p, 0.02, 0.05)),
    "robustness": ("rule_list_robustness", lambda p: rl.RobustnessSearch(p, 0.02)),
    "frontier": ("rule_list_frontier", lambda p: rl.FrontierSearch(p, 3, beam_width=20)),
    "falling": ("falling_rule_list", lambda p: rl.FallingRuleListSearch(p, 0.01, iterations=5, random_state=0)),
    "rule set": ("rule_set", lambda p: rl.RuleSetSearch(p, 6, 2, fairness=rl.EqualizedOdds(0.1, 0.2))),
    "near-optimal rule sets": (
        "near_optimal_rule_sets",
        lambda p: rl.NearOptimalRuleSetSearch(p, 2, max_complexity=5, max_conditions=2),
    ),
    "least gap of rule sets": ("least_gap", lambda p: rl.LeastGapRuleSetSearch(p, "equalized_odds", 0.7, 5, 2)),
    "least gaps of rule sets": (
        "gap_frontier",
        lambda p: rl.frontier(p, "gap", "rule_set", accuracies=(0.6, 0.7), max_complexity=5, max_conditions=2),
    ),
    "fair frontier": (
        "fair_frontier",
        lambda p: rl.frontier(
            p, "tolerance", "rule_set", criterion=rl.EqualizedOdds, tolerances=(0.05, 1.0), complexities=(4, 6)
        ),
    ),
}
SEVERAL = (
    "least gaps of rule sets",
    "near-optimal lists",
    "near-optimal lists, counted",
    "near-optimal rule sets",
    "frontier",
    "robustness",
    "fair frontier",
)


def problem() -> rl.Problem:
    rng = np.random.default_rng(0)
    A = rng.random((150, 10)) < 0.4
    y = ((A[:, 0] & ~A[:, 1]) | (A[:, 2] & A[:, 3])) ^ (rng.random(150) < 0.15)
    return rl.Problem.from_arrays(A, np.where(y, "yes", "no"), groups=A[:, 4])


def read(search: Search) -> dict:
    return load_json(search.to_json(), 1 << 24, 1 << 17)


@pytest.mark.parametrize("name", list(SEARCHES))
def test_tables_and_json_of_all_searches(name: str, tmp_path: Path) -> None:
    kind, make = SEARCHES[name]
    search = make(problem())
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
    assert len(result["models"]) == len(search.frame)
    assert (len(search.frame) > 1) == (name in SEVERAL)
    path = tmp_path / "model.json"
    for content in result["models"]:
        path.write_text(json.dumps(content))
        assert load_model(path).classes == ("no", "yes")
    saved = tmp_path / "result.json"
    assert search.to_json(saved) == saved.read_text()


def test_what_json_holds() -> None:
    assert plain({"a": np.float64("nan"), 1: (np.int64(2), rl.Status.LIMIT, float("inf"))}) == {
        "a": None,
        "1": [2, "limit", None],
    }
    assert plain(rl.EqualOpportunity(0.5)) == {"type": "EqualOpportunity", "tolerance": 0.5}
    with pytest.raises(TypeError, match="a result cannot hold"):
        plain({1, 2})


@pytest.mark.parametrize("wrong", [{"criterion": ["odds"]}, {"tolerances": 0.1}, {"complexities": 5}])
def test_a_grid_is_made_of_sequences(wrong: dict) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        rl.frontier(problem(), "tolerance", "rule_set", **wrong)
