"""How far a list is from the optimum, what would be better, and what decides on a person, in words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...assets import texts
from ...families import FAMILIES
from ...models import DecisionList, FallingRuleList, RuleSet
from ...shown import digits, percent
from ...what_if import Change, Decision, Flip
from ...what_if.bench import ADD, DELETE, FLIP, INSERT, MOVE, REMOVE
from ...what_if.person import conditions_of, conditions_of_clause, in_words
from ..cards.rule_tables import conditions_in_words, rules_table
from ..live.wording import count, counted, grouped, in_signs
from ..widgets.esc import esc, plain
from .good import Good
from .hand import Best, Hand

WAITING = texts("empty")["alternatives"]
COMING = '<p class="empty">The good models will stand here as soon as all of them are found.</p>'
UNPACKING = texts("empty")["builder"]
HINT = '<p class="note">“Best single change” tries all changes of one rule or condition, and says the best one.</p>'


def number(value: Fraction, digits: int = 4) -> str:
    """With more digits where these show nothing but zeros."""
    shown = f"{float(value):.{digits}f}"
    return shown if value == 0 or shown.strip("-0.") else f"{float(value):.1e}"


def worth(hand: Hand, value: Fraction) -> str:
    """An objective, or a difference of two, in the units of the family: of rule sets rows, which are seldom broken."""
    return digits(float(value), 10) if hand.bench.family == "rule_set" else number(value)


def distance(hand: Hand, waiting: str) -> tuple[str, str]:
    """A tone, and how far the list is from the optimum, as exactly as it is known."""
    best, own, noun = hand.best, hand.objective, hand.noun
    if hand.refusal:
        return "limit", hand.refusal
    if best is None:
        return "busy", f"{waiting}: then the distance of your {noun} from the optimum stands here"
    above = own - best.objective
    if best.certified:
        if above == 0:
            over = "conditions" if hand.bench.family == "rule_set" else "antecedents"
            return "proven", f"as good as the certified optimum: no {noun} over these {over} has a smaller objective"
        if above < 0:
            most = counted(hand.search.parameters.get("max_length") or 0, "rules")
            return "idle", f"{_apart(hand, -above, 'below the certified optimum')}, which may have at most {most}"
        return "idle", _apart(hand, above, "above the certified optimum") + _reach(hand, best)
    bound = Fraction(best.snapshot.lower_bound)
    rest = f"the optimum is at most {worth(hand, max(own - bound, Fraction(0)))} below your {noun}"
    found = f"the best {noun} that the search has found in its time"
    if above == 0:
        return "limit", f"as good as {found}; {rest}"
    than = "above" if above > 0 else "better than"
    return "limit", f"{_apart(hand, abs(above), f'{than} {found}')}; {rest}"


def _reach(hand: Hand, best: Best) -> str:
    """Whether the model is as near to the optimum as the good models are."""
    if hand.ratio is None:
        return ""
    within = hand.objective <= best.objective * (1 + Fraction(hand.ratio))
    return f"; {'still' if within else 'no longer'} within {100 * hand.ratio:.4g} % of it"


_MANY = 1000  # from here on no fraction of a row is said


def _apart(hand: Hand, difference: Fraction, than: str) -> str:
    """A difference of objectives, and how many wrong rows it is worth."""
    if hand.bench.family == "rule_set":
        return f"{worth(hand, difference)} {than}"
    rows = float(difference) * hand.problem.total_weight
    what = "wrong rows" if hand.bench.family == "rule_list" else "false alarms"
    many = f"{rows:.3g}" if rows < _MANY else count(round(rows))
    return f"{worth(hand, difference)} {than}, as much as {many} {what}"


def figures(hand: Hand, model: DecisionList | RuleSet, gap: float | None) -> list[list[str]]:
    """Names and values, always the same names in the same places."""
    best = hand.best
    above = "–" if best is None or hand.refusal else worth(hand, hand.objective - best.objective)
    size = [["complexity", str(model.complexity)]] if isinstance(model, RuleSet) else []
    return [
        ["objective", worth(hand, hand.objective)],
        ["errors", count(model.errors)],
        ["accuracy", f"{percent(1 - model.errors / model.weight, 2)} %"],
        ["rules", str(len(model.rules))],
        *size,
        ["above the best", above],
        *([] if gap is None else [["TPR gap", f"{percent(gap)} %"]]),
    ]


def equation(hand: Hand, model: DecisionList | RuleSet) -> str:
    """The objective, taken apart; HTML."""
    parts = FAMILIES[hand.bench.family].objective(model, hand.search.parameters, hand.search.problem.n_rows)
    return f'<p class="sum">objective {worth(hand, hand.objective)} = {esc(grouped(parts), 400)}</p>'


def rows_of(hand: Hand, model: DecisionList | RuleSet) -> list[dict[str, Any]]:
    """What the editor shows of each rule and of the default."""
    labels = hand.prepared.labels or model.classes
    names = dict(zip(model.classes, (plain(label, 40) for label in labels), strict=True))
    if isinstance(model, RuleSet):
        return _rows_of_set(model, names)
    every = (*model.rules, model.default)
    falling = isinstance(model, FallingRuleList)
    last = len(every) - 1
    return [
        {
            "kw": ("else" if k else "always") if k == last else "else if" if k else "if",
            "words": "" if rule.antecedent is None else plain(in_signs(rule.name), 300),
            "label": names[rule.prediction],
            "share_positive": f"{percent(rule.probability, 0)} %" if falling else "",
            **_counts(rule.captured, rule.errors, model.weight),
        }
        for k, rule in enumerate(every)
    ]


def _rows_of_set(model: RuleSet, names: Mapping[Any, str]) -> list[dict[str, Any]]:
    dnf, training = model.form == "dnf", model.training
    negative, positive = names[model.classes[0]], names[model.classes[-1]]
    rows: list[dict[str, Any]] = []
    for k, clause in enumerate(model.rules):
        wrong = clause.negatives if dnf else clause.positives
        rows.append(
            {
                "kw": "if" if not k else "or if" if dnf else "and if",
                "between": "and" if dnf else "or",
                "parts": [[literal.antecedent, plain(in_signs(literal.name), 200)] for literal in clause.literals],
                "words": "",
                "label": positive if dnf else "must hold",
                **_counts(clause.positives + clause.negatives, wrong, model.weight),
            }
        )
    left = training.true_negative + training.false_negative if dnf else training.true_positive + training.false_positive
    wrong = training.false_negative if dnf else training.false_positive
    kw = ("else" if dnf else "all hold") if rows else "always"
    rows.append({"kw": kw, "words": "", "label": negative if dnf else positive, **_counts(left, wrong, model.weight)})
    return rows


def _counts(captured: int | float, wrong: int | float, weight: int | float) -> dict[str, Any]:
    return {
        "counts": f"{count(captured)} rows, {count(wrong)} wrong",
        "right": float(captured - wrong),
        "wrong": float(wrong),
        "share": float(captured / weight),
    }


def change_in_words(hand: Hand, change: Change[Any]) -> str:
    """A single change as one would say it."""
    edited, place, result, rule = hand.edited, change.place, change.result, f"rule {change.place + 1}"
    of_set = hand.bench.family == "rule_set"

    def named(*antecedents: int | None) -> str:
        between = " and " if hand.search.parameters.get("form") == "dnf" else " or "
        return plain(in_signs(between.join(hand.problem.names[j] for j in antecedents if j is not None)), 160)

    def label(k: int) -> str:
        return plain(label_of(hand, result.labels[k]), 40)

    if change.kind == DELETE:
        return f"delete {rule} ({named(*(edited.clauses[place] if of_set else edited.antecedents[place : place + 1]))})"
    if change.kind == REMOVE:
        return f"take “{named(change.old)}” out of {rule}"
    if change.kind == ADD:
        return f"add “{named(change.new)}” to {rule}"
    if of_set and change.kind == INSERT:
        return f"put in “{named(change.new)}” as a rule of its own"
    if of_set:
        return f"replace “{named(change.old)}” in {rule} by “{named(change.new)}”"
    if change.kind == FLIP:
        return f"let {'the default' if place == len(edited) else rule} say {label(place)}"
    if change.kind == MOVE:
        assert change.to is not None
        return f"move {rule} ({named(edited.antecedents[place])}) to place {change.to + 1}"
    new = named(result.antecedents[place]) + (f": {label(place)}" if hand.bench.family == "rule_list" else "")
    if change.kind == INSERT:
        return f"put in “{new}” as {'the last rule' if place == len(edited) else rule}"
    return f"replace {rule} by “{new}”"


def hint(hand: Hand, best: Change[Any] | None) -> str:
    """The best single change, and what it would bring."""
    if best is None or (best.objective >= hand.objective and not hand.refusal):
        return f"No single change makes this {hand.noun} better: every one was tried."
    brings = f"brings the objective from {worth(hand, hand.objective)} to {worth(hand, best.objective)}"
    if hand.refusal:
        brings = f"leaves a list that falls, of objective {worth(hand, best.objective)}"
    return f"Best of all single changes: {change_in_words(hand, best)}. It {brings}."


def answer(hand: Hand, best: Best) -> str:
    """What the search has found; HTML."""
    assert best.snapshot.incumbent is not None
    names = dict(zip(hand.problem.classes, hand.prepared.labels or hand.problem.classes, strict=True))
    heading = "The certified optimum" if best.certified else f"The best {hand.noun} that the search has found"
    table = rules_table(best.snapshot.incumbent.model, names, hand.prepared.target)
    return f'<h2>{heading}</h2>{table}<p class="sum">objective {worth(hand, best.objective)}</p>'


def label_of(hand: Hand, label: Any) -> Any:
    """What to call a class, given by its index or as the problem does."""
    classes = hand.problem.classes
    names = hand.prepared.labels or classes
    return names[classes.index(label)] if label in classes else names[int(label)]


def votes(good: Good, positive: int) -> str:
    """How many of the good models say what of one person; HTML."""
    asked, of = len(good.asked), _those_asked(good)
    said = [(positive, good.labels.positive), (asked - positive, good.labels.negative)]
    known = [(n, f"<b>{esc(label, 40)}</b>") for n, label in sorted(said, key=lambda each: -each[0]) if n]
    if len(known) == 1:
        return f"<p>All of {of} say {known[0][1]}.</p>"
    return f"<p>{count(known[0][0])} of {of} say {known[0][1]}, {count(known[1][0])} say {known[1][1]}.</p>"


def _those_asked(good: Good) -> str:
    return f"the {count(len(good.asked))} {'good' if len(good.asked) == good.result.count else 'best'} models"


def decided(hand: Hand, model: DecisionList | RuleSet, person: Mapping[str, Any], found: Decision) -> str:
    """Which rule decides on a person, and why those before it do not; HTML."""
    n = len(model.rules)
    cnf = isinstance(model, RuleSet) and model.form == "cnf"
    lines = []
    for k, wrong in enumerate(found.unmet) if not cnf else ():
        lines.append(f"<li>rule {k + 1}, {_in_words(model, k)}, does not hold, as {_because(wrong, person)}</li>")
    if cnf and found.place < n:
        wrong = tuple(condition for each in found.unmet for condition in each)
        lines.append(f"<li>rule {found.place + 1}, {_in_words(model, found.place)}: {_because(wrong, person)}</li>")
    what = _decides(model, found.place)
    return (
        f'<p><b>{what} {esc(label_of(hand, model.classes.index(found.label)), 40)}.</b></p><ul class="why-not">'
        f"{''.join(lines)}</ul>"
    )


def _decides(model: DecisionList | RuleSet, place: int) -> str:
    """Which rule decides, up to the label."""
    every = place == len(model.rules)
    if not isinstance(model, RuleSet):
        return "No rule holds, and the default says" if every else f"Rule {place + 1} decides:"
    if model.form == "cnf":
        said = "All rules hold" if every else f"Rule {place + 1} does not hold"
    else:
        said = "No rule holds" if every else f"Rule {place + 1} holds"
    return f"{said}, and the set says"


def _in_words(model: DecisionList | RuleSet, k: int) -> str:
    if isinstance(model, DecisionList):
        return conditions_in_words(conditions_of(model.rules[k]), model.rules[k].name)
    clause = model.rules[k]
    if model.form == "dnf":
        return conditions_in_words(conditions_of_clause(clause), " and ".join(clause.names))
    return " or ".join(conditions_in_words(conditions_of(literal), literal.name) for literal in clause.literals)


def _because(wrong: tuple[Any, ...], person: Mapping[str, Any]) -> str:
    """What the columns of some conditions are, each said once."""
    columns = dict.fromkeys(condition.column for condition in wrong)
    return " and ".join(f"{esc(column, 80)} is {esc(shown(person[column]), 60)}" for column in columns)


def flipped(hand: Hand, person: Mapping[str, Any], ticked: list[str], flip: Flip, good: Good | None = None) -> str:
    """What would flip the decision of the model in hand, or of it and of all good ones; HTML."""
    if not ticked:
        return '<p class="note">Tick the columns that may be changed, to see the nearest change that flips this.</p>'
    every = "" if good is None else f"this and all of {_those_asked(good)}"
    model = hand.model
    if not flip.changes:
        what, whose = ("the decision", "the") if good is None else (f"it in {every} at once", "their")
        return (
            f"<p>No change of {esc(', '.join(ticked), 300)} flips {what}: all "
            f"{counted(flip.looked_at, 'combinations')} of values that {whose} rules can tell apart were looked at.</p>"
        )
    label = esc(label_of(hand, model.classes.index(flip.label)), 40)
    if every:
        return f"<p>If {_changed(person, flip)}, {every} say <b>{label}</b>.</p>"
    least = "No change of fewer of these columns does it."
    return f"<p>If {_changed(person, flip)}, this {hand.noun} says <b>{label}</b>. {least}</p>"


def _changed(person: Mapping[str, Any], flip: Flip) -> str:
    return " and ".join(
        f"<b>{esc(column, 80)}</b> were {esc(said, 80)} instead of {esc(shown(person[column]), 60)}"
        for column, said in flip.changes
    )


def shown(value: Any) -> str:
    """A cell as people read it."""
    return "missing" if value is None else plain(in_words(value), 60)
