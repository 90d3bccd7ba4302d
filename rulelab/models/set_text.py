"""Rule sets as text, as an HTML table and as Python source; names from data are escaped for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..shown import as_table, digits, escaped, printable
from .clause import Clause
from .text import label_text, python_literal, python_source, python_test


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
    body = [
        [
            clause_text(c, form),
            *map(digits, (c.positives, c.negatives, c.alone_positives, c.alone_negatives)),
        ]
        for c in clauses
    ]
    caption = f"{positive} if {'any' if form == 'dnf' else 'all'} of these hold, else {negative}"
    return as_table(titles, body, right=range(1, len(titles)), caption=caption)


def set_as_python(clauses: Sequence[Clause], form: str, classes: Sequence[Any]) -> str:
    """Source of a function ``predict(row)`` that needs no library, as `rulelab.models.text.list_as_python`."""
    lines = []
    positive, negative = python_literal(classes[-1]), python_literal(classes[0])
    for clause in clauses:
        tests = [python_test(literal.name, literal.conditions) for literal in clause.literals]
        if form == "dnf":
            lines += [f"    if {' and '.join(tests)}:", f"        return {positive}"]
        else:
            joined = " or ".join(f"({test})" if " and " in test else test for test in tests)
            lines += [f"    if not ({joined}):", f"        return {negative}"]
    lines.append(f"    return {negative if form == 'dnf' else positive}")
    return python_source(lines)
