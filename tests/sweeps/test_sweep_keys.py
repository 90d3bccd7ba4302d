"""Results are used again only where version, settings and limits are the same; what is not used is told of."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_sweep import DATA, waited

import rulelab as rl
from rulelab.sweeps import BASELINES, FAMILIES, SweepWarning
from rulelab.sweeps import results_file as keys
from rulelab.sweeps.families import Certified
from rulelab.sweeps.results_file import plain

ONE = {"regularization": [0.1]}


def swept(path: Path, grid: dict[str, Any] | None = None, **arguments: Any) -> rl.Sweep:
    return waited(rl.sweep(DATA, **{"grid": ONE if grid is None else grid, "cv": 2, "results": path} | arguments))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    swept(tmp_path / "results.jsonl")
    return tmp_path / "results.jsonl"


def test_keys_name_all_settings_and_versions(path):
    key = json.loads(path.read_text().splitlines()[1])["key"]
    method, settings, versions = keys.split(key)
    assert (method, versions) == ("rule_list", {"rulelab": rl.__version__})
    assert settings.keys() == FAMILIES["rule_list"].defaults.keys() > {"policy", "beam_width"}
    assert settings["regularization"] == 0.1
    for method in BASELINES.values():
        if method.defaults:
            elsewhere = method.name not in ("greedy_list", "ripper")  # made here, and by a package without scikit-learn
            assert ("scikit-learn" in method.packages) == elsewhere


def test_another_version_computes_again_and_says_so(path, monkeypatch):
    version = rl.__version__
    monkeypatch.setattr(rl, "__version__", "9.9")
    message = f"not used but computed again: 2 computed with rulelab {version}, here 9.9"
    with pytest.warns(SweepWarning, match=message):
        new = swept(path)
    assert new.progress.resumed == 0
    assert message in new.messages[0]
    assert swept(path).progress.resumed == 2
    monkeypatch.undo()
    assert swept(path).progress.resumed == 2


def test_another_default_computes_again_and_says_so(path, monkeypatch):
    defaults = {**FAMILIES["rule_list"].defaults, "max_conditions": 1}
    monkeypatch.setattr(FAMILIES["rule_list"], "defaults", defaults)
    new = swept(path)
    assert new.progress.resumed == 0
    assert new.messages == (
        f"results in {path} that are not used but computed again: 2 of other settings: max_conditions 2, here 1",
    )
    assert swept(path, {**ONE, "max_conditions": [2]}).progress.resumed == 2


def test_another_version_of_scikit_learn_fits_baselines_again(path, monkeypatch):
    one = {"cart": {"max_leaf_nodes": [2]}}
    assert swept(path, baselines=one).progress.resumed == 2
    monkeypatch.setattr(keys, "version_of", lambda name: "0.1")
    with pytest.warns(SweepWarning, match="2 computed with scikit-learn .*, here 0.1"):
        assert swept(path, baselines=one).progress.resumed == 2


def test_failures_and_other_limits_are_told(path, monkeypatch):
    grid = {"regularization": [0.02]}
    swept(path, grid, gap=0.5)
    again = swept(path, grid)
    assert again.messages[0].endswith("computed again: 2 which other limits had ended")
    monkeypatch.setattr(Certified, "fit", lambda *_: 1 / 0)
    assert swept(path, {"regularization": [0.03]}).progress.failed == 2
    monkeypatch.undo()
    assert swept(path, {"regularization": [0.03]}).messages[0].endswith("computed again: 2 which had failed")
    assert swept(path, {"regularization": [0.2]}).messages == ()  # another point of a grid is no old result


def test_a_result_has_the_columns_of_the_sweep_that_uses_it(path):
    again = swept(path, {**ONE, "max_conditions": [2]})
    assert (again.progress.resumed, again.frame["max_conditions"].tolist()) == (2, [2, 2])
    assert len(again.points()) == 1


def test_long_arrays_of_cuts_differ():
    cuts = [np.arange(3000.0), np.arange(3000.0)]
    cuts[1][1500] = -1.0
    assert plain({"age": cuts[0]}) != plain({"age": cuts[1]})
    assert plain({"age": cuts[0]}) == plain({"age": cuts[0].tolist()})
    assert keys.make_key("rule_list", {"thresholds": {"age": cuts[0]}}) != keys.make_key(
        "rule_list", {"thresholds": {"age": cuts[1]}}
    )
