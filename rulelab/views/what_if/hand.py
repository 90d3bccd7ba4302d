"""A model in the hands of a person: what it is compared with, and what it was before; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...data.fairness import confusions
from ...data.metrics import Confusion
from ...data.problem import Problem
from ...families import FAMILIES
from ...models import DecisionList, RuleSet
from ...rule_list.near_optimal.traits import group_masses
from ...snapshot import Snapshot, Status
from ...what_if import Bench
from ..cards import snippet
from ..cards.card import Card, Proof, in_words, of_search
from ..live.prepared import Prepared
from ..live.wording import in_signs
from .family import Words, bench_of, words_of

BY_HAND = "by hand"
_MOST_UNDONE = 200


@dataclass(frozen=True, eq=False)
class Best:
    """What the search has found, which models made by hand are compared with.

    Attributes
    ----------
    snapshot : Snapshot
    edited
        Its model, to be edited.
    objective : Fraction
        Without rounding.
    """

    snapshot: Snapshot
    edited: Any
    objective: Fraction

    @property
    def certified(self) -> bool:
        """Whether it is proven that no model is better."""
        return self.snapshot.status is Status.OPTIMAL


class Hand:
    """A model that is edited, of which every edit can be taken back.

    Parameters
    ----------
    prepared : Prepared
        The data, and a search of a family that can be edited.
    edited : optional
        To begin with; by default no rule.
    before : Hand, optional
        What was in hand until now: where it is of the same data and settings, undoing leads back to it.

    Attributes
    ----------
    best : Best or None
        Once the search has ended.
    """

    def __init__(self, prepared: Prepared, edited: Any = None, before: Hand | None = None) -> None:
        self.bench: Bench[Any] = bench_of(prepared.search)
        self.prepared, self.search = prepared, prepared.search
        self.problem: Problem = prepared.search.problem
        self.best: Best | None = None
        self._edited = self.bench.empty() if edited is None else edited
        self._past: list[Any] = []
        if before is not None and before.game == self.game:
            own = [] if before.edited == self.bench.empty() else [before.edited]
            self._past = [*before._past, *own][-_MOST_UNDONE:]
        self._future: list[Any] = []

    @property
    def words(self) -> Words:
        """What is said of models of this family."""
        return words_of(self.bench.family)

    @property
    def edited(self) -> Any:
        """The model as it is now."""
        return self._edited

    @property
    def model(self) -> DecisionList | RuleSet:
        """The model with what each rule captures."""
        model = self.bench.model(self._edited)
        assert isinstance(model, DecisionList | RuleSet)
        return model

    @property
    def objective(self) -> Fraction:
        """Without rounding."""
        return self.bench.objective(self._edited)

    @property
    def refusal(self) -> str:
        """Why this is no model of the family; empty when it is one."""
        return self.bench.refusal(self._edited)

    @property
    def game(self) -> str:
        """What tells data and settings apart where models are compared."""
        bench = self.bench
        if bench.family == "rule_list":
            return f"{self.problem.fingerprint} {bench.price} {self.search.parameters['max_length']}"
        names: tuple[str, ...] = ("positive_weight", "violation_penalty", "max_length")
        if bench.family == "rule_set":
            names = ("max_complexity", "max_conditions", "loss", "form")
        of = " ".join(f"{self.search.parameters[name]}" for name in names)
        return f"{bench.family} {self.problem.fingerprint} {bench.price} {of}"

    @property
    def undoable(self) -> bool:
        return bool(self._past)

    @property
    def redoable(self) -> bool:
        return bool(self._future)

    def take(self, edited: Any) -> None:
        """Go on with this model."""
        if edited != self._edited:
            self._past = [*self._past, self._edited][-_MOST_UNDONE:]
            self._future = []
            self._edited = edited

    def undo(self) -> None:
        """Take the last edit back."""
        if self._past:
            self._future.append(self._edited)
            self._edited = self._past.pop()

    def redo(self) -> None:
        """Do again what was taken back last."""
        if self._future:
            self._past.append(self._edited)
            self._edited = self._future.pop()

    def insert(self, place: int, antecedent: int) -> None:
        """Put an antecedent in at a place, in the way of the family.

        Raises
        ------
        ValueError
            When it is there already, or the settings leave no room for it.
        """
        self.take(self.bench.insert(self._edited, place, antecedent))

    def edit(self, doing: str, at: int, other: int) -> None:
        """Delete, move or flip a rule, or remove a condition of it; see `Bench.edit`.

        Raises
        ------
        LookupError
            When there is no such thing to do.
        ValueError
            When the model cannot be like that.
        """
        self.take(self.bench.edit(self._edited, doing, at, other))

    def matching(self, text: str, most: int) -> tuple[list[tuple[int, str]], int]:
        """Antecedents with all of these words, by index and name, and how many more there are.

        Conditions may be written as the page does, or as code does.
        """
        words = text.lower().split()
        found = [
            (j, name)
            for j, name in enumerate(self.problem.names)
            if all(word in f"{name} {in_signs(name)}".lower() for word in words)
        ]
        return found[:most], max(0, len(found) - most)

    def groups(self, attribute: str) -> dict[str, Confusion]:
        """What the model does to the groups of an attribute, on the training rows."""
        data, problem, test = self.prepared.data, self.problem, self.prepared.test_rows
        assert data is not None
        assert data.sensitive is not None
        rows = np.arange(len(data.y))
        if test is not None:
            rows = np.setdiff1d(rows, test)
        masses = group_masses(
            problem, data.sensitive[attribute].iloc[rows], data.y.iloc[rows].to_numpy(dtype=bool), data.weight_of(rows)
        )
        counted = confusions(masses, self.bench.predicts_positive(self._edited))
        return dict(zip(masses.names, counted, strict=True))

    @property
    def attributes(self) -> tuple[str, ...]:
        """Sensitive attributes that groups can be made of."""
        data = self.prepared.data
        if data is None or data.sensitive is None or self.problem.row_pattern is None:
            return ()
        return tuple(map(str, data.sensitive.columns))

    def card(self) -> Card:
        """The card of the model, which says that it was made by hand; it is never called optimal.

        Raises
        ------
        ValueError
            When nothing is known yet of how far it is from the optimum, or this is no model of the family.
        """
        if self.refusal:
            raise ValueError(self.refusal)
        if self.best is None:
            raise ValueError("the optimizer is still searching; the card says how far your model is from the optimum")
        base, model = of_search(self.search, self.best.snapshot, self.prepared), self.model
        objective, search = float(self.objective), self.search
        equation = FAMILIES[self.bench.family].objective(model, search.parameters, search.problem.n_rows)
        return replace(
            base,
            name="Made by hand",
            model=model,
            proof=Proof(
                objective=objective,
                lower_bound=min(objective, float(self.best.snapshot.lower_bound)),
                proven=False,
                scope="",
                equation=equation,
                bound="",
            ),
            parameters={**base.parameters, "made": BY_HAND},
            search=None,
            code=snippet.of_model(in_words(model, self.prepared.labels)),
        )
