"""One clause of a rule set: the antecedents it joins, and what it did in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError
from ..shown import as_table, digits, escaped, printable
from . import serialisation
from .rule import Literal, read_literal
from .text import label_text

COUNTS = ("positives", "negatives", "alone_positives", "alone_negatives")
"""Of a clause, see there."""


@dataclass(frozen=True)
class Clause:
    """One clause: a conjunction in a set of the form ``dnf``, a disjunction in one of the form ``cnf``.

    Attributes
    ----------
    literals : tuple of Literal
        In the order of the training antecedents; at least one.
    positives, negatives : int or float
        Training weight that the clause decides on its own, by class: the rows that satisfy it (``dnf``), or that fail
        it (``cnf``).
    alone_positives, alone_negatives : int or float
        The part of it that no other clause of the set decides.
    """

    literals: tuple[Literal, ...]
    positives: int | float
    negatives: int | float
    alone_positives: int | float
    alone_negatives: int | float

    @property
    def antecedents(self) -> tuple[int, ...]:
        """Indices of the antecedents, ascending."""
        return tuple(literal.antecedent for literal in self.literals)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the antecedents."""
        return tuple(literal.name for literal in self.literals)

    @property
    def complexity(self) -> int:
        """One plus the number of antecedents (Lawless et al., JMLR 24(242), 2023, section 3.1)."""
        return 1 + len(self.literals)

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON."""
        counts = {name: getattr(self, name) for name in COUNTS}
        return {"antecedents": [literal.to_dict() for literal in self.literals], **counts}

    @classmethod
    def from_dict(cls, data: dict[str, Any], where: str, n_antecedents: int) -> Clause:
        """The inverse of `to_dict`; ``where`` is named in errors (ModelError).

        Parameters
        ----------
        data : dict
            What `to_dict` gives.
        where : str
            Where it stands in what is read.
        n_antecedents : int
            Of the problem.
        """
        literals = tuple(
            read_literal(item, place) for place, item in serialisation.read_items(data, "antecedents", where)
        )
        used = [literal.antecedent for literal in literals]
        if not used or sorted(set(used)) != used or used[0] < 0 or used[-1] >= n_antecedents:
            raise ModelError(
                f"'{where}.antecedents' of the saved model must be ascending, at least one, and below {n_antecedents}"
            )
        out = cls(literals, *(serialisation.read_count(data, name, where) for name in COUNTS))
        if out.alone_positives > out.positives or out.alone_negatives > out.negatives:
            raise ModelError(f"{where!r} of the saved model decides more alone than in all")
        return out


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
