"""One clause of a rule set: the antecedents it joins, and what it did in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..data.conditions import Condition
from . import serialisation
from .errors import ModelError


@dataclass(frozen=True)
class Literal:
    """A training antecedent as a part of clauses.

    Attributes
    ----------
    antecedent : int
        Index among the training antecedents.
    name : str
    conditions : tuple of Condition or None
        The conditions that must all hold, where they are known.
    """

    antecedent: int
    name: str
    conditions: tuple[Condition, ...] | None


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
        return {
            "antecedents": [
                {
                    "antecedent": literal.antecedent,
                    "name": literal.name,
                    "conditions": serialisation.conditions_to_list(literal.conditions),
                }
                for literal in self.literals
            ],
            "positives": self.positives,
            "negatives": self.negatives,
            "alone_positives": self.alone_positives,
            "alone_negatives": self.alone_negatives,
        }

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
        literals = tuple(_literal(item, place) for place, item in serialisation.read_items(data, "antecedents", where))
        used = [literal.antecedent for literal in literals]
        if not used or sorted(set(used)) != used or used[0] < 0 or used[-1] >= n_antecedents:
            raise ModelError(
                f"'{where}.antecedents' of the saved model must be ascending, at least one, and below {n_antecedents}"
            )
        out = cls(
            literals,
            **{
                key: serialisation.read_count(data, key, where)
                for key in ("positives", "negatives", "alone_positives", "alone_negatives")
            },
        )
        if out.alone_positives > out.positives or out.alone_negatives > out.negatives:
            raise ModelError(f"{where!r} of the saved model decides more alone than in all")
        return out


def _literal(data: dict[str, Any], where: str) -> Literal:
    return Literal(
        antecedent=serialisation.read(data, "antecedent", int, where),
        name=serialisation.read(data, "name", str, where),
        conditions=serialisation.read_conditions(data, where),
    )
