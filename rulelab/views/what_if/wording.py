"""How far a list is from the optimum, what would be better, and what decides on a person, in words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...families import FAMILIES
from ...models import RuleList
from ...what_if import Change, Decision, Flip
from ...what_if.bench import DELETE, FLIP, INSERT, MOVE
from ...what_if.person import conditions_of
from ..cards.rule_tables import conditions_in_words
from ..live.wording import count, counted
from ..widgets.esc import esc, plain
from .hand import Best, Hand

EMPTY = (
    "<h2>What if the list were another one?</h2>"
    "<p>Edit a rule list by hand: put rules in, drag them, delete them, flip their labels. What it costs is counted "
    "anew at once, down to the distance from the certified optimum, and for one person the page says which rule "
    "decides, and what would have to be different for another decision.</p>"
    '<p class="empty">The data and settings are those of the tab Search, family “Rule list”. “Edit the best model” '
    "begins with what the search finds, “Beat the optimizer” with an empty list.</p>"
)


HINT = '<p class="note">“Best single change” tries all changes of one rule, and says the best one.</p>'


def number(value: Fraction, digits: int = 4) -> str:
    """With more digits where these show nothing but zeros."""
    shown = f"{float(value):.{digits}f}"
    return shown if value == 0 or shown.strip("-0.") else f"{float(value):.1e}"


def distance(hand: Hand, waiting: str) -> tuple[str, str]:
    """A tone, and how far the list is from the optimum, as exactly as it is known."""
    best, own = hand.best, hand.objective
    if best is None:
        return "busy", f"{waiting}: then the distance of your list from the optimum stands here"
    above = own - best.objective
    if best.certified:
        if above == 0:
            return "proven", "as good as the certified optimum: no list over these antecedents has a smaller objective"
        if above < 0:
            most = counted(hand.search.max_length or 0, "rules")
            return "idle", f"{_apart(hand, -above, 'below the certified optimum')}, which may have at most {most}"
        return "idle", _apart(hand, above, "above the certified optimum")
    bound = Fraction(best.snapshot.lower_bound)
    rest = f"the optimum is at most {number(max(own - bound, Fraction(0)))} below your list"
    found = "the best list that the search has found in its time"
    if above < 0:
        return "limit", f"{_apart(hand, -above, f'better than {found}')}; {rest}"
    if above == 0:
        return "limit", f"as good as {found}; {rest}"
    return "limit", f"{_apart(hand, above, f'above {found}')}; {rest}"


def _apart(hand: Hand, difference: Fraction, than: str) -> str:
    """A difference of objectives, and how many wrong rows it is worth."""
    rows = float(difference) * hand.problem.total_weight
    return f"{number(difference)} {than}, as much as {rows:.3g} wrong rows"


def figures(hand: Hand, model: RuleList, gap: float | None) -> list[list[str]]:
    """Names and values, always the same names in the same places."""
    best = hand.best
    above = "–" if best is None else number(hand.objective - best.objective)
    return [
        ["objective", number(hand.objective)],
        ["errors", count(model.errors)],
        ["accuracy", f"{100 * (1 - model.errors / model.weight):.2f} %"],
        ["rules", str(len(model.rules))],
        ["above the best", above],
        *([] if gap is None else [["TPR gap", f"{100 * gap:.1f} %"]]),
    ]


def equation(hand: Hand, model: RuleList) -> str:
    """The objective, taken apart; HTML."""
    parts = FAMILIES["rule_list"].objective(model, hand.search.parameters)
    return f'<p class="sum">objective {number(hand.objective)} = {esc(parts, 400)}</p>'


def rows_of(hand: Hand, model: RuleList) -> list[dict[str, Any]]:
    """What the editor shows of each rule and of the default."""
    every = (*model.rules, model.default)
    labels = hand.prepared.labels or model.classes
    names = dict(zip(model.classes, labels, strict=True))
    return [
        {
            "words": "" if rule.antecedent is None else plain(rule.name, 300),
            "label": plain(names[rule.prediction], 40),
            "counts": f"{count(rule.captured)} rows, {count(rule.errors)} wrong",
            "right": float(rule.correct),
            "wrong": float(rule.errors),
            "share": float(rule.captured / model.weight),
        }
        for rule in every
    ]


def change_in_words(hand: Hand, change: Change) -> str:
    """A single change as one would say it."""
    edited, names = hand.edited, hand.problem.names
    place, result = change.place, change.result

    def label(k: int) -> str:
        return plain(label_of(hand, result.labels[k]), 40)

    if change.kind == DELETE:
        return f"delete rule {place + 1} ({plain(names[edited.antecedents[place]], 120)})"
    if change.kind == FLIP:
        return f"let {_rule(place, len(edited))} say {label(place)}"
    if change.kind == MOVE:
        assert change.to is not None
        return f"move rule {place + 1} ({plain(names[edited.antecedents[place]], 120)}) to place {change.to + 1}"
    new = f"“{plain(names[result.antecedents[place]], 120)}: {label(place)}”"
    if change.kind == INSERT:
        return f"put in {new} as {'the last rule' if place == len(edited) else f'rule {place + 1}'}"
    return f"replace rule {place + 1} by {new}"


def hint(hand: Hand, best: Change | None) -> str:
    """The best single change, and what it would bring."""
    if best is None or best.objective >= hand.objective:
        return (
            "No single change makes this list better: every deletion, insertion, replacement, move and flip was tried."
        )
    return (
        f"Best of all single changes: {change_in_words(hand, best)}. It brings the objective from "
        f"{number(hand.objective)} to {number(best.objective)}."
    )


def revealed(best: Best) -> str:
    """The heading of what the search has found."""
    return "The certified optimum" if best.certified else "The best list that the search has found"


def label_of(hand: Hand, label: Any) -> Any:
    """What to call a class, given by its index or as the problem does."""
    classes = hand.problem.classes
    names = hand.prepared.labels or classes
    return names[classes.index(label)] if label in classes else names[int(label)]


def decided(hand: Hand, model: RuleList, person: Mapping[str, Any], found: Decision) -> str:
    """Which rule decides on a person, and why those before it do not; HTML."""
    lines = []
    for k, wrong in enumerate(found.unmet):
        because = " and ".join(_as_it_is(condition.column, person) for condition in _columns_once(wrong))
        words = conditions_in_words(conditions_of(model.rules[k]), model.rules[k].name)
        lines.append(f"<li>rule {k + 1}, {words}, does not hold, as {because}</li>")
    n = len(model.rules)
    what = "No rule holds, and the default says" if found.place == n else f"Rule {found.place + 1} decides:"
    return (
        f'<p><b>{what} {esc(label_of(hand, model.classes.index(found.label)), 40)}.</b></p><ul class="why-not">'
        f"{''.join(lines)}</ul>"
    )


def flipped(hand: Hand, model: RuleList, person: Mapping[str, Any], ticked: list[str], flip: Flip) -> str:
    """What would flip the decision; HTML."""
    if not ticked:
        return '<p class="note">Tick the columns that may be changed, to see the nearest change that flips this.</p>'
    if not flip.changes:
        named = esc(", ".join(ticked), 300)
        return (
            f"<p>No change of {named} flips the decision: all {counted(flip.looked_at, 'combinations')} of values that "
            "the rules can tell apart were looked at.</p>"
        )
    changes = " and ".join(
        f"<b>{esc(column, 80)}</b> were {esc(said, 80)} instead of {esc(shown(person[column]), 60)}"
        for column, said in flip.changes
    )
    label = esc(label_of(hand, model.classes.index(flip.label)), 40)
    decides = "no rule would hold, and the default says" if flip.place == len(model.rules) else (
        f"rule {flip.place + 1} would decide:"
    )  # fmt: skip
    return f"<p>If {changes}, {decides} <b>{label}</b>. No change of fewer of these columns does it.</p>"


def shown(value: Any) -> str:
    """A cell as people read it."""
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else plain(value, 60)


def _as_it_is(column: str, person: Mapping[str, Any]) -> str:
    return f"{esc(column, 80)} is {esc(shown(person[column]), 60)}"


def _columns_once(conditions: tuple[Any, ...]) -> list[Any]:
    return list({condition.column: condition for condition in conditions}.values())


def _rule(place: int, n: int) -> str:
    return "the default" if place == n else f"rule {place + 1}"
