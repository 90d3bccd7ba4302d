"""Why rows that no condition tells apart bound every list."""

from __future__ import annotations

import numpy as np

from ...live.wording import count, counted
from ..plan import Choice, Plan, Run, Seen, Step, ended, ran, stepped, tried


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


PLAN = Plan(
    name="equal rows",
    about="Why rows that look alike, but end differently, bound every model there is.",
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
    steps=(
        Step(
            "Each number of these people is only known as low or high, for it is cut in two. Rows that agree in all "
            "conditions are one [[pattern]], and a list treats them alike.",
            "status",
            "Press Step once.",
            stepped(1),
            "How many rows must every list get wrong?",
            _counted,
        ),
        Step(
            "The search adds the [[inevitable loss]] of the rows that a prefix has not captured to what the prefix "
            "costs. So the lower bound stands well above 0 before anything was tried.",
            "objective and lower bound",
            "Press Run and wait for the end.",
            ended,
            "Would a cleverer kind of model get below the inevitable errors?",
            "No: not on these conditions. Whatever looks at nothing but them, a tree, a network or a list, gives rows "
            "of one pattern one answer. Only further conditions can tell them apart.",
        ),
        Step(
            "With more groups per number fewer rows are equal. The table keeps what each choice came to.",
            "model",
            "Choose 3, press Run; then choose 4, press Run.",
            tried(3),
            "Which choice was best, and which was hardest to prove?",
            _most,
            chooses=True,
        ),
        Step(
            "With many cuts hardly any two rows are equal, and this bound says nothing any more. Then other bounds "
            "must do the work, and the bars show which.",
            "prefixes cut, by bound",
            "Choose 4, press Run and look at the bars; then choose 2, press Run, and see how they differ.",
            ran(2),
            "If every row were different, would a list without errors be likely?",
            "No. A list of few rules captures rows in large portions; what it can reach is limited by its price per "
            "rule, long before equal rows limit it.",
            chooses=True,
        ),
    ),
)
