"""What is said of a search at each of its ends, for every family, and of many models at once.

``python tests/report/test_texts.py`` writes it anew.
What changes in the file of texts is read before it is committed.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from laws import falling_for
from test_shown import html_of

import rulelab as rl
from rulelab.report import Near, Verdict, Withstood, front, report, rule_list_front

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
    "rule list": lambda: rl.search(_problem(), regularization=0.02),
    "rule list, asked": lambda: rl.search(
        _problem().without(["d"]), regularization=0.02, must_use=["a"], max_length=2, beam_width=10
    ),
    "fair rule list": lambda: rl.search(_problem(), regularization=0.02, fairness=FAIR, min_group_size=5),
    "falling rule list": lambda: rl.search(_problem(), "falling_rule_list", regularization=0.02, iterations=0),
    "softly falling rule list": lambda: falling_for(
        _problem(), regularization=0.02, violation_penalty=0.1, iterations=0
    ),
    "rule set": lambda: rl.RuleSetSearch(_problem(), 6),
    "fair rule set": lambda: rl.RuleSetSearch(_problem(), 6, 2, fairness=FAIR, min_group_size=5, must_use=["a"]),
    "rule list of several classes": lambda: rl.engines.MultiClassRuleListSearch(_of_classes(), 0.02),
    "rule list of least gap": lambda: rl.LeastGapSearch(
        _problem(), "equal_opportunity", min_accuracy=0.6, max_length=2, min_group_size=5
    ),
    "rule set of least gap": lambda: rl.engines.LeastGapRuleSetSearch(
        _problem(), "equal_opportunity", 0.6, 4, 1, min_group_size=5
    ),
}
MANY: dict[str, Callable[[], Iterator[tuple[str, Verdict]]]] = {
    "lists near the optimum": lambda: _near(rl.NearOptimalSearch(_problem(), 0.02, 0.03), complete=False, covered=0.13),
    "sets near an optimum of nothing": lambda: _near(
        rl.engines.NearOptimalRuleSetSearch(rl.RuleSetSearch(_easy(), 4), 9), complete=False, covered=3.0
    ),
    "sets near the optimum": lambda: _near(
        rl.engines.NearOptimalRuleSetSearch(rl.RuleSetSearch(_problem(), 4), 6), complete=False, covered=20.0
    ),
    "lists near the optimum, counted": lambda: _near(rl.NearOptimalCounter(_problem(), 0.02, 0.03), counted=None),
    "lists by number of rules": lambda: _fronts(rl.FrontierSearch(_problem().without(["d"]), 3), rule_list_front),
    "lists by tolerance": lambda: _fronts(_places("rule_list"), front),
    "sets by tolerance": lambda: _fronts(_places("rule_set"), front),
    "lists by accuracy": lambda: _fronts(
        rl.frontier(_problem(), "gap", criterion="equal_opportunity", accuracies=[0.6, 0.9], min_group_size=5), front
    ),
    "a list whose rows change": lambda: _robust(),
}


def _easy() -> rl.Problem:
    A = pd.DataFrame(np.random.default_rng(0).random((200, 4)) < 0.5, columns=list("abcd"))
    return rl.Problem.from_arrays(A, A["a"])


def _places(family: str) -> Any:
    more: dict[str, Any] = {"regularization": 0.02} if family == "rule_list" else {"complexities": [4]}
    asked = {"criterion": "equal_opportunity", "tolerances": [0.5, 1.0], "min_group_size": 5}
    return rl.frontier(_problem(), "tolerance", family, **asked, **more)


def _near(search: Any, **partial: Any) -> Iterator[tuple[str, Verdict]]:
    begun, sets = search.advance(1), search.family == "rule_set"
    assert begun.phase == "optimum"
    yield "the optimum is not proven", Near(search.result(), replace(begun, seconds=1.0, limit="time"), ratio=0.1)
    done, result = replace(rl.solve(search), seconds=1.0), search.result()
    assert done.status is rl.Status.OPTIMAL
    yield "all", Near(result, done)
    yield "all, of some per cent", Near(result, done, ratio=0.25, longest=3)
    yield "all, with rounded weights", Near(result, replace(done, limit="exactness"), ratio=0.25)
    for limit in ("time", None) if "counted" in partial else ("time", "limit", *sets * ("columns",), None):
        part = replace(result, truncated=limit or "stopped", **partial)
        yield f"a part, {limit}", Near(part, replace(done, limit=limit, phase="expanding"), "interrupted", 0.25, 3)
    if sets:
        yield "a part, who knows which", Near(replace(part, covered=np.nan), replace(done, limit="memory"))


def _fronts(search: Any, said: Callable[..., Verdict]) -> Iterator[tuple[str, Verdict]]:
    begun = replace(search.advance(1), seconds=1.0)
    yield "begun", said(search, begun, "interrupted")
    yield "begun, in time", said(search, replace(begun, limit="time"))
    done = replace(rl.solve(search), seconds=1.0)
    assert done.status is rl.Status.OPTIMAL
    yield "all", said(search, done)
    if said is rule_list_front:
        yield "all, with rounded weights", said(search, replace(done, status=rl.Status.LIMIT, limit="exactness"))
    else:
        yield "all, with more to say", said(search, done, beside=("at tolerance 0 the rates are of no use",))


def _robust() -> Iterator[tuple[str, Verdict]]:
    search = rl.RobustnessSearch(_problem(), 0.02)
    begun = search.advance(1)
    yield "the optimum is not proven", Withstood.of(search, replace(begun, seconds=1.0), "interrupted")
    while begun.phase != "lists":
        begun = search.advance(1)
    yield "in part", Withstood.of(search, replace(begun, seconds=1.0, limit="memory"))
    yield "all", Withstood.of(search, replace(rl.solve(search), seconds=1.0))


def _of_many(kind: str) -> Iterator[str]:
    for end, found in MANY[kind]():
        green = bool(found.withstands) if isinstance(found, Withstood) else found.proven
        assert found.tone == ("proven" if green else "limit")
        yield from (f"== {kind}: {end}", found.headline, found.to_text())


@cache
def _said(family: str) -> str:
    return "\n".join(_of_many(family) if family in MANY else _ends(family))


def _ends(family: str) -> Iterator[str]:
    search = FAMILIES[family]()
    done = replace(rl.solve(search), seconds=1.0)
    assert done.status is rl.Status.OPTIMAL
    found = report(search, done, whole=True)
    yield from (f"== {family}: optimal", found.headline, found.to_text())
    early = replace(done, lower_bound=0.87654321 * done.lower_bound, detail={})
    for end, state in _ENDS.items():
        at = replace(early, **state)
        found = report(search, at, "stopped" if "stopped" in end else "", whole=True)
        yield f"== {family}: {end}"
        yield found.headline
        if not end.startswith("limit") or end in ("limit by time", "limit by weights"):
            yield "\n".join(found.to_text().splitlines()[:2])


@pytest.mark.parametrize("family", [*FAMILIES, *MANY])
def test_every_end_of_every_family_is_said_as_it_was_reviewed(family):
    parts = TEXTS.read_text(encoding="utf-8").split("\n\n")
    assert _said(family) in [part.strip("\n") for part in parts]


def test_there_is_no_text_of_what_is_no_family():
    text = TEXTS.read_text(encoding="utf-8")
    assert (text.count(": optimal\n"), text.count(": all\n")) == (len(FAMILIES), len(MANY))


def test_a_notebook_shows_the_sentence_as_text():
    found = next(_fronts(_places("rule_list"), front))[1]
    assert repr(found) == f"<Front: {found.headline}>"
    hostile = replace(found, claim="<script>", certified=True)  # type: ignore[type-var]
    assert "<script>" not in html_of(hostile)
    assert "&lt;script&gt;" in html_of(hostile)


if __name__ == "__main__":
    TEXTS.write_text("\n\n".join(map(_said, [*FAMILIES, *MANY])) + "\n", encoding="utf-8")
