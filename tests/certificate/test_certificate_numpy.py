"""A check of a proof compiles nothing and runs nothing compiled: it works where numba cannot even be imported."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from patience import PATIENCE

import rulelab as rl
from rulelab.cli import commands as cli

WITHOUT_NUMBA = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
try:
    import numba
except ImportError:
    pass
else:
    raise AssertionError("numba is there")
"""

THROUGH_PYTHON = """
import pickle, pathlib
import numpy as np
import rulelab as rl
folder = pathlib.Path(sys.argv[1])
frame, y, groups = pickle.loads((folder / "table.pickle").read_bytes())
for path in sorted(folder.glob("*.npz")):
    model, proof = rl.load_model(path.with_suffix(".json")), rl.Certificate.load(path)
    for table in (frame, frame.astype(int)):
        problem = rl.Problem.from_arrays(table, y, groups=groups)
        answer = rl.verify(problem, model, proof)
        assert answer.valid, (path.name, answer.reason)
    counted = rl.Problem.from_counts(problem.matrix(), problem.positives, problem.negatives, problem.names)
    assert counted.fingerprint == problem.fingerprint
    assert (model.predict(frame) == model.predict(frame.to_numpy())).all()
    assert model.evaluate(frame, y).n_rows == len(frame)
    assert len(model.explain(frame)) == len(frame)
    print(path.stem)
"""

THROUGH_THE_COMMAND = """
from rulelab import cli
sys.exit(cli.main(sys.argv[1:]))
"""

FAMILIES = {
    "rule_list": ("--model", "rule-list", "--regularization", "0.02"),
    "falling": ("--model", "falling-rule-list", "--regularization", "0.01"),
    "rule_set": ("--model", "rule-set", "--max-complexity", "6"),
    "rule_set_at_a_cost": ("--model", "rule-set", "--max-complexity", "6", "--regularization", "1.5"),
    "cnf": ("--model", "rule-set", "--max-complexity", "6", "--form", "cnf"),
    "fair": ("--model", "rule-set", "--max-complexity", "6", "--fairness", "equal-opportunity:0.05"),
}


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, "-c", WITHOUT_NUMBA + script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def people(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "sex": rng.choice(["f", "m"], n)})
    frame["score"] = np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(size=n), 2))
    paid = ~((frame["age"] <= 40) & (frame["sex"] == "f")) ^ (rng.random(n) < 0.1)
    frame["paid"] = np.where(paid, "yes", "no")
    return frame


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_the_command_checks_without_numba(family: str, tmp_path: Path) -> None:
    data, model, proof = (tmp_path / name for name in ("data.csv", "model.json", "proof.npz"))
    people().to_csv(data, index=False)
    files = ("-o", model, "--proof", proof)
    options = [*FAMILIES[family], "--target", "paid", "--thresholds", "3", "--quiet", "--sensitive", "sex"]
    assert cli.main(list(map(str, ("fit", data, *options, *files)))) == 0
    found = run(THROUGH_THE_COMMAND, "verify", data, model, proof, "--sensitive", "sex")
    assert found.startswith("valid: ")


def test_python_checks_without_numba(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    A = rng.random((200, 6)) < 0.5
    y = ((A[:, 0] & A[:, 1]) ^ (rng.random(200) < 0.1)).astype(int)
    groups = rng.choice(["a", "b"], 200)
    frame = pd.DataFrame(A, columns=[f"c{j}" for j in range(6)])
    problem = rl.Problem.from_arrays(frame, y, groups=groups)
    searches = {
        "falling": rl.FallingRuleListSearch(problem, 0.01, 2.0),
        "list": rl.RuleListSearch(problem, 0.01),
        "set": rl.RuleSetSearch(problem, 6, 2),
        "set_cnf": rl.RuleSetSearch(problem, 6, 2, form="cnf", regularization=0.5),
        "set_fair": rl.RuleSetSearch(problem, 6, 2, fairness=rl.EqualizedOdds(0.1, 0.1)),
    }
    for name, search in searches.items():
        rl.solve(search).incumbent.model.to_json(tmp_path / f"{name}.json")
        search.certificate().save(tmp_path / f"{name}.npz")
    (tmp_path / "table.pickle").write_bytes(pickle.dumps((frame, y, groups)))
    assert run(THROUGH_PYTHON, tmp_path).split() == sorted(searches)
