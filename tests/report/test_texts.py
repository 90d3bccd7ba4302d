"""What is said of a search at each of its ends, for every family; ``python tests/report/test_texts.py`` writes it anew.

What changes in the file of texts is read before it is committed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rulelab as rl
from rulelab.report import report

TEXTS = Path(__file__).with_name("texts.txt")
_ENDS: dict[str, dict[str, Any]] = {
    "running": {"status": rl.Status.RUNNING},
    **{f"limit by {limit}": {"status": rl.Status.LIMIT, "limit": limit} for limit in ("time", "work", "gap", "memory")},
    "limit by weights": {"status": rl.Status.LIMIT, "limit": "exactness"},
    "stopped": {"status": rl.Status.RUNNING},
    "stopped before a model": {"status": rl.Status.RUNNING, "incumbent": None},
    "infeasible": {"status": rl.Status.INFEASIBLE, "incumbent": None},
}


def _problem() -> rl.Problem:
    rng = np.random.default_rng(0)
    A = pd.DataFrame(rng.random((200, 4)) < 0.5, columns=list("abcd"))
    y = A["a"] ^ (rng.random(200) < 0.1)
    return rl.Problem.from_arrays(A, y, groups=np.where(A["a"] ^ (rng.random(200) < 0.3), "old", "young"))


def _of_classes() -> Any:
    A = pd.DataFrame(np.random.default_rng(0).random((200, 4)) < 0.5, columns=list("abcd"))
    return rl.MultiClassProblem.from_arrays(A, A["a"].to_numpy() + A["b"].to_numpy())


FAIR = rl.EqualOpportunity(0.5)
FAMILIES: dict[str, Callable[[], Any]] = {
    "rule list": lambda: rl.search_for(_problem(), regularization=0.02),
    "rule list, asked": lambda: rl.search_for(
        _problem().without(["d"]), regularization=0.02, must_use=["a"], max_length=2, beam_width=10
    ),
    "fair rule list": lambda: rl.search_for(_problem(), regularization=0.02, fairness=FAIR, min_group_size=5),
    "falling rule list": lambda: rl.search_for(_problem(), "falling_rule_list", regularization=0.02, iterations=0),
    "softly falling rule list": lambda: rl.search_for(
        _problem(), "falling_rule_list", regularization=0.02, violation_penalty=0.1, iterations=0
    ),
    "rule set": lambda: rl.RuleSetSearch(_problem(), 6),
    "fair rule set": lambda: rl.RuleSetSearch(_problem(), 6, 2, fairness=FAIR, min_group_size=5, must_use=["a"]),
    "rule list of several classes": lambda: rl.MultiClassRuleListSearch(_of_classes(), 0.02),
    "rule list of least gap": lambda: rl.LeastGapSearch(
        _problem(), "equal_opportunity", min_accuracy=0.6, max_length=2, min_group_size=5
    ),
    "rule set of least gap": lambda: rl.LeastGapRuleSetSearch(
        _problem(), "equal_opportunity", 0.6, 4, 1, min_group_size=5
    ),
}


@cache
def _said(family: str) -> str:
    return "\n".join(_ends(family))


def _ends(family: str) -> Iterator[str]:
    search = FAMILIES[family]()
    done = replace(rl.solve(search), seconds=1.0)
    assert done.status is rl.Status.OPTIMAL
    found = report(search, done, whole=True)
    yield from (f"== {family}: optimal", found.headline, found.to_text())
    assert json.loads(json.dumps(found.to_dict()))["headline"] == found.headline
    early = replace(done, lower_bound=0.87654321 * done.lower_bound, detail={})
    for end, state in _ENDS.items():
        at = replace(early, **state)
        found = report(search, at, "stopped" if "stopped" in end else "", whole=True)
        yield f"== {family}: {end}"
        yield found.headline
        if not end.startswith("limit") or end in ("limit by time", "limit by weights"):
            yield "\n".join(found.to_text().splitlines()[:2])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_end_of_every_family_is_said_as_it_was_reviewed(family: str) -> None:
    parts = TEXTS.read_text(encoding="utf-8").split("\n\n")
    assert _said(family) in [part.strip("\n") for part in parts]


def test_there_is_no_text_of_what_is_no_family() -> None:
    assert TEXTS.read_text(encoding="utf-8").count(": optimal\n") == len(FAMILIES)


if __name__ == "__main__":
    TEXTS.write_text("\n\n".join(map(_said, FAMILIES)) + "\n", encoding="utf-8")
