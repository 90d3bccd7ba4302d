"""What it costs that probabilities may only fall from rule to rule, and what it gives."""

from __future__ import annotations

from ...live.wording import count, counted
from ..plan import Choice, Part, Run, Seen, ended, plan, saw_another_model, stepped_anew, tried


def _missed(run: Run) -> int:
    model = run.model
    return sum(rule.positives for rule in (*model.rules, model.default) if rule.prediction != model.classes[-1])


def _alarms(run: Run) -> int:
    model = run.model
    return sum(rule.negatives for rule in (*model.rules, model.default) if rule.prediction == model.classes[-1])


def _first(seen: Seen) -> str:
    assert seen.snapshot is not None
    assert seen.snapshot.incumbent is not None
    model = seen.snapshot.incumbent.model
    rules = counted(model.complexity, "rules")
    return (
        f"This list has {rules}. Read it from the top and stop at the first rule that applies: that is the stratum of "
        "the person, and nobody further down is at a higher risk."
    )


def _more(seen: Seen) -> str:
    fewest = min(seen.runs, key=_missed)
    return (
        f"Of your runs the one with weight {fewest.choice} misses {count(_missed(fewest))}, the fewest, with "
        f"{count(_alarms(fewest))} false alarms. The weight says how many false alarms a missed positive is worth; "
        "that is a decision about people, not one that the search can make."
    )


PLAN = plan(
    "falling_lists.md",
    [
        Part(ended, _first),
        Part(saw_another_model),
        Part(stepped_anew(3)),
        Part(tried(3), _more, chooses=True),
    ],
    family="falling_rule_list",
    data="breast_cancer",
    parameters={"thresholds": 4, "max_conditions": 1, "iterations": 0},
    speed="speeding up",
    choice=Choice("positive_weight", "Weight of a missed positive", {"1": 1.0, "3": 3.0, "10": 10.0}),
    figures={
        "missed": lambda run: count(_missed(run)),
        "false alarms": lambda run: count(_alarms(run)),
    },
)
