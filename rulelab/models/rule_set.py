"""Rule sets: a row is positive when any clause holds (DNF), or when all clauses hold (CNF)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..arguments import ModelError
from ..data.columns import read_weights
from ..data.metrics import Confusion
from ..data.problem import Problem
from ..shown import digits
from . import serialisation
from .base import Model, column_of, indices, weights_of
from .evaluation import Evaluation
from .rule import COUNTS, Branch, Clause, conjunction, literal_of
from .tables import satisfied
from .text import clause_text, formula, set_as_html, set_as_text

FORMS = ("dnf", "cnf")
LOSSES = ("hamming", "zero_one")


@dataclass(frozen=True, repr=False)
class RuleSet(Model):
    """Unordered clauses over the antecedents of a problem; build one with `from_problem`.

    Attributes
    ----------
    rules : tuple of Clause
        Conjunctions in the form ``dnf``, disjunctions in the form ``cnf``.
    form : "dnf" or "cnf"
        Positive when any clause holds, or when all clauses hold. Without clauses a ``dnf`` is never positive and a
        ``cnf`` always is.
    classes : tuple
        The negative and the positive label; only one label when the training data had no other.
    n_antecedents : int
        Antecedents at training, the width of the arrays that `predict` takes.
    training : Confusion
        Counts (or weights) of the training rows.
    provenance : Provenance or None
        What was proven of it when its search was left; two models are equal whatever that was.
    """

    rules: tuple[Clause, ...]
    form: str
    classes: tuple[Any, ...]
    n_antecedents: int
    training: Confusion
    provenance: serialisation.Provenance | None = field(default=None, compare=False, kw_only=True)

    family: ClassVar[str] = "rule_set"

    @classmethod
    def from_problem(cls, problem: Problem, clauses: Sequence[Sequence[int | str]], form: str = "dnf") -> RuleSet:
        """The set of these clauses with its exact training counts.

        Parameters
        ----------
        problem : Problem
        clauses : sequence of sequences of int or str
            Indices or names of antecedents; may be empty, a clause may not.
        form : "dnf" or "cnf"

        Raises
        ------
        ModelError
            When there is no such antecedent, a clause is empty, or two clauses are the same.
        """
        _check("form", form, FORMS)
        chosen = [tuple(sorted(set(indices(clause, problem.names)))) for clause in clauses]
        _check_clauses(chosen, problem.n_antecedents)
        decided = np.zeros((len(chosen), problem.n_patterns), dtype=bool)
        for k, clause in enumerate(chosen):
            holds = np.column_stack([column_of(problem, j) for j in clause])
            decided[k] = holds.all(axis=1) if form == "dnf" else ~holds.any(axis=1)
        times = decided.sum(axis=0)
        literals = {j: literal_of(problem, j) for clause in chosen for j in clause}
        rules = tuple(
            Clause(
                tuple(literals[j] for j in clause),
                *weights_of(problem, decided[k]),
                *weights_of(problem, decided[k] & (times == 1)),
            )
            for k, clause in enumerate(chosen)
        )
        positive = (times > 0) if form == "dnf" else (times == 0)
        return cls(
            rules=rules,
            form=form,
            classes=problem.classes,
            n_antecedents=problem.n_antecedents,
            training=Confusion(*weights_of(problem, positive), *reversed(weights_of(problem, ~positive))),
        )

    @classmethod
    def without_rules(cls, classes: Sequence[Any], positives: int | float, negatives: int | float) -> RuleSet:
        """The set that predicts one label, where no problem can be made: no antecedents, or a single class.

        Parameters
        ----------
        classes : sequence of two labels, or of one
        positives, negatives : int or float
            Training weight of the last and of the other label.
        """
        if positives > negatives or len(classes) == 1:
            return cls((), "cnf", tuple(classes), 0, Confusion(positives, negatives, 0, 0))
        return cls((), "dnf", tuple(classes), 0, Confusion(0, 0, negatives, positives))

    def __repr__(self) -> str:
        rules = "1 rule" if len(self) == 1 else f"{len(self)} rules"
        counted = f"{digits(self.errors)} errors in {digits(self.weight)}"
        return f"RuleSet({self.form}, {rules}, complexity {self.complexity}, {counted})"

    def _repr_html_(self) -> str:
        return set_as_html(self.rules, self.form, self.classes)

    @property
    def complexity(self) -> int:
        """Sum over the clauses of one plus the number of antecedents."""
        return sum(clause.complexity for clause in self.rules)

    @property
    def n_conditions(self) -> int:
        return sum(len(clause.literals) for clause in self.rules)

    @property
    def errors(self) -> int | float:
        return self.training.errors

    @property
    def weight(self) -> int | float:
        """Total weight of the training rows."""
        return self.training.weight

    @property
    def clauses(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the antecedents of each clause."""
        return tuple(clause.antecedents for clause in self.rules)

    @property
    def hamming_loss(self) -> int | float:
        """Clauses that would have to be added or removed to get every training row right, in rows.

        For ``dnf``: the positives that no clause covers, plus each negative once for every clause that covers it; for
        ``cnf`` with the classes exchanged (Lawless et al., JMLR 24(242), 2023, section 3.1).
        """
        if self.form == "dnf":
            return self.training.false_negative + sum(clause.negatives for clause in self.rules)
        return self.training.false_positive + sum(clause.positives for clause in self.rules)

    def objective(self, loss: str = "hamming", regularization: float = 0.0) -> float:
        """Loss on the training rows (``hamming`` or ``zero_one``), plus ``regularization`` per unit of complexity.

        Parameters
        ----------
        regularization : float
            Cost of a unit of complexity.
        loss : "hamming" or "zero_one"
        """
        _check("loss", loss, LOSSES)
        return (self.hamming_loss if loss == "hamming" else self.errors) + regularization * self.complexity

    def fired(self, A: Any) -> np.ndarray:
        """Which clauses hold on each row.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        bool array, shape (n_rows, len(rules))
        """
        literals = list({literal.antecedent: literal for clause in self.rules for literal in clause.literals}.values())
        place = {literal.antecedent: k for k, literal in enumerate(literals)}
        hits = satisfied(A, literals, self.n_antecedents)
        out = np.empty((len(hits), len(self.rules)), dtype=bool)
        for k, clause in enumerate(self.rules):
            own = hits[:, [place[j] for j in clause.antecedents]]
            out[:, k] = own.all(axis=1) if self.form == "dnf" else own.any(axis=1)
        return out

    def predicts_positive(self, A: Any) -> np.ndarray:
        fired = self.fired(A)
        return np.asarray(fired.any(axis=1) if self.form == "dnf" else fired.all(axis=1))

    def predict_proba(self, A: Any) -> np.ndarray:
        """Proportion of each class among the training rows that were given the same label.

        A rule set has two answers, so there are two different rows at most. An answer that no training row was given
        has the proportions of all training rows.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        float array, shape (n_rows, len(classes))
            Columns in the order of ``classes``.
        """
        positive = np.where(self.predicts_positive(A), *self.probabilities)
        return np.column_stack([1 - positive, positive])[:, -len(self.classes) :]

    @property
    def probabilities(self) -> tuple[float, float]:
        """Proportion of positives among the training rows predicted positive, and among those predicted negative."""
        t = self.training
        base = t.actual_positive / t.weight
        said_no = t.true_negative + t.false_negative
        return (
            t.true_positive / t.predicted_positive if t.predicted_positive > 0 else base,
            t.false_negative / said_no if said_no > 0 else base,
        )

    def explain(self, A: Any) -> pd.DataFrame:
        """Say for each row which clauses decide it.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        DataFrame
            One row per row of ``A`` (with its index): ``rules`` (tuple of indices into ``rules`` of the clauses that
            decide: those that hold for ``dnf``, those that fail for ``cnf``; empty when the row gets the other label),
            ``because`` (their text), ``prediction``, ``probability`` of the positive class.
        """
        fired = self.fired(A)
        deciding = fired if self.form == "dnf" else ~fired
        texts = [clause_text(clause, self.form) for clause in self.rules]
        which, row_kind = np.unique(deciding, axis=0, return_inverse=True)
        rules = [tuple(np.flatnonzero(kind).tolist()) for kind in which]
        nothing, head = ("no rule holds", "") if self.form == "dnf" else ("every rule holds", "fails: ")
        because = [head + "; ".join(texts[k] for k in chosen) if chosen else nothing for chosen in rules]
        kinds = np.empty(len(rules), dtype=object)
        kinds[:] = rules
        positive = deciding.any(axis=1) == (self.form == "dnf")
        return pd.DataFrame(
            {
                "rules": kinds[row_kind.ravel()],
                "because": np.array(because, dtype=object)[row_kind.ravel()],
                "prediction": np.where(positive, np.asarray(self.classes)[-1], np.asarray(self.classes)[0]),
                "probability": np.where(positive, *self.probabilities),
            },
            index=A.index if isinstance(A, pd.DataFrame) else None,
        )

    def evaluate(
        self,
        A: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        regularization: float | None = None,
        loss: str = "hamming",
    ) -> Evaluation:
        """Score the set on rows with known labels.

        Parameters
        ----------
        A, y, sample_weight, groups
            As for `rulelab.models.Model.evaluate`.
        regularization : float, optional
            Adds the objective: the loss of these rows plus ``regularization`` per unit of complexity (0 for the loss).
        loss : "hamming" or "zero_one"

        Raises
        ------
        ModelError
        """
        _check("loss", loss, LOSSES)
        out = super().evaluate(A, y, sample_weight, groups, regularization)
        if regularization is None or loss == "zero_one":
            return out
        fired = self.fired(A)
        weight = (
            np.ones(len(fired), dtype=np.int64) if sample_weight is None else read_weights(sample_weight, len(fired))
        )
        positive = np.asarray(y).reshape(len(fired)) == self.classes[-1]
        wrongly = fired[~positive] if self.form == "dnf" else ~fired[positive]
        times = (weight[~positive if self.form == "dnf" else positive] * wrongly.sum(axis=1)).sum().item()
        missed = out.confusion.false_negative if self.form == "dnf" else out.confusion.false_positive
        return replace(out, objective=missed + times + regularization * self.complexity)

    def relabelled(self, classes: tuple[Any, Any]) -> RuleSet:
        return replace(self, classes=tuple(classes))

    def to_frame(self) -> pd.DataFrame:
        """The rules as a table; of ``dnf`` a row is positive where one of them holds, of ``cnf`` where all do.

        Returns
        -------
        DataFrame
            rule, conditions (their number); positives, negatives, alone_positives and alone_negatives as of `Clause`.
        """
        joined = " and " if self.form == "dnf" else " or "
        sizes = [(joined.join(rule.names), len(rule.literals)) for rule in self.rules]
        counts = [[getattr(rule, name) for name in COUNTS] for rule in self.rules]
        rows = [(*size, *own) for size, own in zip(sizes, counts, strict=True)]
        return pd.DataFrame(rows, columns=["rule", "conditions", *COUNTS])

    def to_text(self, target: str | None = None) -> str:
        return set_as_text(self.rules, self.form, self.classes, target)

    def formula(self) -> str:
        """The whole set in one line, such as ``(a and b) or c``."""
        return formula(self.rules, self.form)

    def branches(self) -> tuple[tuple[Branch, ...], Branch]:
        t, (high, low) = self.training, self.probabilities
        yes = Branch.of_two(self.classes[-1], high, t.false_positive, t.true_positive, len(self.classes))
        no = Branch.of_two(self.classes[0], low, t.true_negative, t.false_negative, len(self.classes))
        clauses = [[conjunction(one.name, one.conditions) for one in clause.literals] for clause in self.rules]
        if self.form == "dnf":
            return tuple(replace(yes, test=tuple((each,) for each in clause)) for clause in clauses), no
        if not clauses:
            return (), yes
        return (replace(yes, test=tuple(map(tuple, clauses))),), no

    def _objective(self, counted: Confusion, regularization: float) -> float:
        """The objective with the 0-1 loss; the Hamming loss needs the clauses, see `evaluate`."""
        return counted.errors + regularization * self.complexity

    def _body(self) -> dict[str, Any]:
        training = {name: getattr(self.training, name) for name in _COUNTS}
        return {"form": self.form, **super()._body(), "training": training}

    @classmethod
    def _from_body(cls, data: dict[str, Any]) -> Self:
        form = serialisation.read(data, "form", str)
        _check("form", form, FORMS)
        m = serialisation.read_width(data)
        rules = tuple(Clause.from_dict(item, where, m) for where, item in serialisation.read_items(data, "rules"))
        _check_clauses([clause.antecedents for clause in rules], m)
        counts = serialisation.read(data, "training", dict)
        training = Confusion(*(serialisation.read_count(counts, name, "training") for name in _COUNTS))
        if not training.weight > 0:
            raise ModelError("'training' of the saved model counts no rows")
        return cls(rules, form, serialisation.read_classes(data), m, training)


_COUNTS = ("true_positive", "false_positive", "true_negative", "false_negative")


def _check(what: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ModelError(f"the {what} of a rule set is {' or '.join(map(repr, known))}, not {given!r}")


def _check_clauses(clauses: Sequence[tuple[int, ...]], n_antecedents: int) -> None:
    for k, clause in enumerate(clauses):
        if not clause:
            raise ModelError(f"clause {k} has no antecedents; leave it out")
        if clause[0] < 0 or clause[-1] >= n_antecedents:
            wrong = clause[0] if clause[0] < 0 else clause[-1]
            raise ModelError(f"there is no antecedent {wrong}; the problem has {n_antecedents}")
    if len(set(clauses)) < len(clauses):
        twice = next(clause for clause in clauses if clauses.count(clause) > 1)
        raise ModelError(f"the clause of the antecedents {', '.join(map(str, twice))} is there twice; keep one of them")
