"""Rules as text and as an HTML table; names from data are escaped for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..shown import as_table, digits, escaped, percent, printable, share
from .rule import COUNTS, Clause, Rule


def label_text(label: Any) -> str:
    return printable(str(label))


def list_as_text(rules: Sequence[Rule], default: Rule, target: str | None = None) -> str:
    """One line per rule, aligned: ``if age <= 23 then 1   (right for 312 of 480, 65.0 %)``."""
    every = [*rules, default]
    right = (_aligned(cells) for cells in zip(*map(_right, every), strict=True))
    return "\n".join(
        f"{line}{answer}   (right for {correct} of {captured}{f', {percents} %' if rule.captured else ''})"
        for line, answer, rule, correct, captured, percents in zip(
            _openings(rules), _answers(every, target), every, *right, strict=True
        )
    )


def falling_as_text(
    rules: Sequence[Rule], default: Rule, proportions: Sequence[float | None], positive: Any, target: str | None = None
) -> str:
    """One line per rule, aligned: ``if age <= 23 then P(1) = 0.65   (312 positive, 168 negative, predicts 1)``.

    ``proportions`` are given where they differ from the rules' probabilities, and are shown there.
    """
    every = [*rules, default]
    answers = _answers(every, target)
    probabilities = [share(rule.probability) for rule in every]
    width = max(map(len, probabilities))
    positives = _aligned([digits(rule.positives) for rule in every])
    negatives = _aligned([digits(rule.negatives) for rule in every])
    return "\n".join(
        f"{line}P({_answer(positive, target)}) = {said:<{width}}   ({p} positive, {n} negative, predicts "
        f"{answer.rstrip()}{'' if own is None else f', proportion {share(own)}'})"
        for line, answer, said, p, n, own in zip(
            _openings(rules), answers, probabilities, positives, negatives, proportions, strict=True
        )
    )


def list_as_html(rules: Sequence[Rule], default: Rule, classes: Sequence[Any] = ()) -> str:
    """A table of what each rule predicts, and how often that was right; with ``classes`` of their counts, too."""
    titles = ("predict", "right", "captured", "right in %", *(f"rows of {label_text(label)}" for label in classes))
    counts = ((*_right(rule), *map(digits, getattr(rule, "counts", ()))) for rule in (*rules, default))
    return _html(rules, default, titles, counts)


def falling_as_html(rules: Sequence[Rule], default: Rule, proportions: Sequence[float | None], positive: Any) -> str:
    """As `list_as_html`, with the probability of the positive class; ``proportions`` as in `falling_as_text`."""
    titles = ("predict", f"probability of {label_text(positive)}", "positive", "negative", "proportion")
    shown = titles if any(own is not None for own in proportions) else titles[:-1]
    cells = (
        (share(r.probability), digits(r.positives), digits(r.negatives), "" if own is None else share(own))
        for r, own in zip((*rules, default), proportions, strict=True)
    )
    return _html(rules, default, shown, (row[: len(shown) - 1] for row in cells))


def _right(rule: Rule) -> tuple[str, str, str]:
    """How much of what a rule captured has the label that it predicts, of how much, and in percent."""
    said = percent(rule.correct / rule.captured) if rule.captured else ""
    return digits(rule.correct), digits(rule.captured), said


def _answer(label: Any, target: str | None) -> str:
    return label_text(label) if target is None else f"{printable(target)} = {label_text(label)}"


def _answers(rules: Sequence[Rule], target: str | None) -> list[str]:
    """What each rule predicts, padded on the right."""
    answers = [_answer(rule.prediction, target) for rule in rules]
    width = max(map(len, answers))
    return [f"{answer:<{width}}" for answer in answers]


def _aligned(numbers: Sequence[str]) -> list[str]:
    width = max(map(len, numbers))
    return [f"{n:>{width}}" for n in numbers]


def _heads(rules: Sequence[Rule]) -> list[str]:
    return ["if"] + ["else if"] * (len(rules) - 1) if rules else []


def _openings(rules: Sequence[Rule]) -> list[str]:
    """What comes before the answer in each line, padded."""
    head_width = len("else if") if len(rules) > 1 else len("else") if rules else 0
    lines = [f"{head:<{head_width}} {printable(rule.name)}" for head, rule in zip(_heads(rules), rules, strict=True)]
    width = max(map(len, lines), default=0)
    return [*(f"{line:<{width}} then " for line in lines), f"{'else':<{width}}      " if rules else "always "]


def _html(rules: Sequence[Rule], default: Rule, titles: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    heads = [*_heads(rules), "else" if rules else "always"]
    body = [
        [head, rule.name, label_text(rule.prediction), *own]
        for head, rule, own in zip(heads, (*rules, default), cells, strict=True)
    ]
    every = ("", "rule", *titles)
    return as_table(every, body, right=range(3, len(every)))


def formula(clauses: Sequence[Clause], form: str) -> str:
    """The whole set in one line: ``(a and b) or c``, or ``(a or b) and c``; ``never`` or ``always`` without clauses."""
    outer, inner = (" or ", " and ") if form == "dnf" else (" and ", " or ")
    if not clauses:
        return "never" if form == "dnf" else "always"
    parts = [clause_text(clause, form) for clause in clauses]
    bracketed = len(clauses) > 1
    return outer.join(f"({p})" if bracketed and inner in p else p for p in parts)


def clause_text(clause: Clause, form: str) -> str:
    """The antecedents joined by ``and`` (``dnf``) or ``or`` (``cnf``)."""
    return (" and " if form == "dnf" else " or ").join(printable(name) for name in clause.names)


def set_as_text(clauses: Sequence[Clause], form: str, classes: Sequence[Any], target: str | None = None) -> str:
    """One line per clause, aligned, with the training weight that it decides, in all and alone."""
    prefix = "" if target is None else f"{printable(target)} = "
    positive, negative = prefix + label_text(classes[-1]), prefix + label_text(classes[0])
    if not clauses:
        return f"always {negative if form == 'dnf' else positive}"
    head = f"{positive} if {'any' if form == 'dnf' else 'all'} of these hold, else {negative}:"
    texts = [clause_text(clause, form) for clause in clauses]
    width = max(map(len, texts))
    verb = "covers" if form == "dnf" else "rejects"
    lines = [
        f"  {text:<{width}}   ({verb} {digits(c.positives)} positive, {digits(c.negatives)} negative; "
        f"alone {digits(c.alone_positives)}, {digits(c.alone_negatives)})"
        for text, c in zip(texts, clauses, strict=True)
    ]
    return "\n".join([head, *lines])


def set_as_html(clauses: Sequence[Clause], form: str, classes: Sequence[Any]) -> str:
    """A table with one row per clause; all text is escaped."""
    positive, negative = (label_text(label) for label in (classes[-1], classes[0]))
    if not clauses:
        return f"<p>always {escaped(negative if form == 'dnf' else positive)}</p>"
    verb = "covered" if form == "dnf" else "rejected"
    titles = ("rule", *(f"{part} {verb}{alone}" for alone in ("", " alone") for part in ("positive", "negative")))
    body = [[clause_text(c, form), *(digits(getattr(c, name)) for name in COUNTS)] for c in clauses]
    caption = f"{positive} if {'any' if form == 'dnf' else 'all'} of these hold, else {negative}"
    return as_table(titles, body, right=range(1, len(titles)), caption=caption)
