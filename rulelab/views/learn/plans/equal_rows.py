"""Why rows that no condition tells apart bound every list."""

from __future__ import annotations

import numpy as np

from ...live.wording import count, counted
from ..plan import Choice, Part, Run, Seen, ended, plan, ran, stepped, tried


def _inevitable(run: Run) -> str:
    return count(int(np.minimum(run.problem.positives, run.problem.negatives).sum()))


def _counted(seen: Seen) -> str:
    assert seen.problem is not None
    wrong = int(np.minimum(seen.problem.positives, seen.problem.negatives).sum())
    return (
        f"The {count(seen.problem.n_rows)} rows make {count(seen.problem.n_patterns)} patterns. In each the smaller "
        f"class must be wrong: {counted(wrong, 'rows')} together, which is {wrong / seen.problem.n_rows:.4f} of all."
    )


def _most(seen: Seen) -> str:
    best = min(seen.runs, key=lambda run: run.snapshot.incumbent.objective if run.snapshot.incumbent else np.inf)
    hardest = max(seen.runs, key=lambda run: run.snapshot.work)
    return (
        f"Here the least objective was with {best.choice} groups, and the longest proof with {hardest.choice}. More "
        "cuts tell more rows apart, which takes the inevitable errors away and with them a bound, and they make more "
        "antecedents, which gives more lists to exclude."
    )


PLAN = plan(
    "equal_rows.md",
    [
        Part(stepped(1), _counted),
        Part(ended),
        Part(tried(3), _most, chooses=True),
        Part(ran(2), chooses=True),
    ],
    family="rule_list",
    data="diabetes",
    parameters={"regularization": 0.02, "thresholds": 2, "max_conditions": 1, "beam_width": 0},
    speed="speeding up",
    choice=Choice("thresholds", "Groups per number", {"2": 2, "3": 3, "4": 4}),
    figures={
        "patterns": lambda run: count(run.problem.n_patterns),
        "inevitable errors": _inevitable,
        "antecedents": lambda run: count(run.problem.n_antecedents),
    },
)
