"""What it costs that probabilities may only fall from rule to rule, and what it gives."""

from __future__ import annotations

from ...live.wording import count, counted
from ..plan import Choice, Plan, Run, Seen, Step, ended, saw_another_model, stepped_anew, tried


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


PLAN = Plan(
    name="falling lists",
    about="Lists whose probabilities only fall, so that the first rule names those at the highest risk.",
    family="falling_rule_list",
    data="breast_cancer",
    parameters={"thresholds": 4, "max_conditions": 1, "iterations": 0},
    speed="speeding up",
    choice=Choice("positive_weight", "Weight of a missed positive", {"1": 1.0, "3": 3.0, "10": 10.0}),
    figures={
        "missed": lambda run: count(_missed(run)),
        "false alarms": lambda run: count(_alarms(run)),
    },
    steps=(
        Step(
            "In a [[falling rule list]] the [[probability]] of no rule is larger than that of the one before. So it "
            "sorts people by risk, and one stops reading at the first rule that applies.",
            "model",
            "Press Run and wait for the end.",
            ended,
            "What does the position of a rule say about a person?",
            _first,
        ),
        Step(
            "Each stratum of the picture is a rule: as wide as the share of people it captures, as high as the share "
            "of them that is positive. The steps may only go down.",
            "strata of risk",
            "Drag the slider back to an earlier list and see how its strata differ.",
            saw_another_model,
            "Is a falling list always worse than the best rule list?",
            "It can never be better at the same loss, for falling lists are some of all lists. Where the best list "
            "happens to fall, the demand costs nothing.",
        ),
        Step(
            "A prefix is allowed only while its probabilities fall, and while the rows that are left have no larger "
            "share of positives than its last rule. That [[cuts|prefixes cut]] many prefixes that cost little.",
            "prefixes cut, by bound",
            "Press Reset, then Step three times, and watch which bounds cut.",
            stepped_anew(3),
            "The rows that are left are richer in positives than the last rule. Could further rules mend it?",
            "No. No further rule may have a larger share of positives than the last one, nor may the default; but "
            "together they are the rows that are left, and a whole cannot be richer than each of its parts.",
        ),
        Step(
            "Missing an ill person and alarming a healthy one need not count the same. The weight of a missed positive "
            "says how many false alarms it is worth.",
            "model",
            "Run with each of the three weights.",
            tried(3),
            "Which list misses the fewest, and at what price?",
            _more,
            chooses=True,
        ),
    ),
)
