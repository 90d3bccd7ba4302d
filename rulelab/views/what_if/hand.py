"""A list in the hands of a person: what it is compared with, and what it was before; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...data.metrics import Confusion
from ...data.problem import Problem
from ...families import FAMILIES
from ...models import RuleList
from ...rule_list import RuleListSearch
from ...rule_list.near_optimal.traits import group_masses
from ...search import Snapshot, Status
from ...what_if import Bench, EditedList
from ..cards import snippet
from ..cards.card import Card, Proof, in_words, of_search
from ..live.session import Prepared
from ..live.wording import counted

BY_HAND = "by hand"
_MOST_UNDONE = 200


@dataclass(frozen=True, eq=False)
class Best:
    """What the search has found, which lists made by hand are compared with.

    Attributes
    ----------
    snapshot : Snapshot
    edited : EditedList
    objective : Fraction
        Without rounding.
    """

    snapshot: Snapshot
    edited: EditedList
    objective: Fraction

    @property
    def certified(self) -> bool:
        """Whether it is proven that no list is better."""
        return self.snapshot.status is Status.OPTIMAL


class Hand:
    """A list that is edited, of which every edit can be taken back.

    Parameters
    ----------
    prepared : Prepared
        The data, and a search of rule lists without a fairness constraint or demands on their rules.
    edited : EditedList, optional
        To begin with; by default no rule.

    Attributes
    ----------
    best : Best or None
        Once the search has ended.
    """

    def __init__(self, prepared: Prepared, edited: EditedList | None = None) -> None:
        search = prepared.search
        if type(search) is not RuleListSearch:
            raise ValueError(
                "the settings of the tab Search are of another kind: What if edits rule lists without a fairness "
                "constraint or demands on their rules; choose the family “Rule list” there"
            )
        self.prepared, self.search = prepared, search
        self.problem: Problem = search.problem
        self.bench = Bench(search.problem, search.regularization)
        self.best: Best | None = None
        self._edited = edited or EditedList.empty(search.problem)
        self._past: list[EditedList] = []
        self._future: list[EditedList] = []

    @property
    def edited(self) -> EditedList:
        """The list as it is now."""
        return self._edited

    @property
    def model(self) -> RuleList:
        """The list with what each rule captures."""
        return self._edited.model(self.problem)

    @property
    def objective(self) -> Fraction:
        """Without rounding."""
        return self.bench.objective(self._edited)

    @property
    def undoable(self) -> bool:
        return bool(self._past)

    @property
    def redoable(self) -> bool:
        return bool(self._future)

    @property
    def full(self) -> bool:
        """Whether the search allows no more rules than there are."""
        most = self.search.max_length
        return most is not None and len(self._edited) >= most

    def take(self, edited: EditedList) -> None:
        """Go on with this list."""
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
        """Put a rule in, with the label of least errors.

        Raises
        ------
        ValueError
            When the list has it, or has as many rules as the search allows.
        """
        if antecedent in self._edited.antecedents:
            k = self._edited.antecedents.index(antecedent) + 1
            raise ValueError(f"{self.problem.names[antecedent]} is rule {k} already; move it instead")
        if self.full:
            raise ValueError(f"the settings allow at most {counted(len(self._edited), 'rules')}; delete one first")
        label = self.bench.best_label(self._edited, place, antecedent)
        self.take(self._edited.inserted(place, antecedent, label))

    def matching(self, text: str, most: int) -> tuple[list[tuple[int, str]], int]:
        """Antecedents with all of these words, by index and name, and how many more there are."""
        words = text.lower().split()
        found = [(j, name) for j, name in enumerate(self.problem.names) if all(word in name.lower() for word in words)]
        return found[:most], max(0, len(found) - most)

    def groups(self, attribute: str) -> dict[str, Confusion]:
        """What the list does to the groups of an attribute, on the training rows."""
        data, problem, test = self.prepared.data, self.problem, self.prepared.test_rows
        assert data is not None
        assert data.sensitive is not None
        rows = np.arange(len(data.y))
        if test is not None:
            rows = np.setdiff1d(rows, test)
        masses = group_masses(
            problem, data.sensitive[attribute].iloc[rows], data.y.iloc[rows].to_numpy(dtype=bool), data.weight_of(rows)
        )
        positive = self.bench.predicts_positive(self._edited)
        return {
            name: Confusion(
                true_positive=yes[positive].sum().item(),
                false_positive=no[positive].sum().item(),
                true_negative=no[~positive].sum().item(),
                false_negative=yes[~positive].sum().item(),
            )
            for name, yes, no in zip(masses.names, masses.positives, masses.negatives, strict=True)
        }

    @property
    def attributes(self) -> tuple[str, ...]:
        """Sensitive attributes that groups can be made of."""
        data = self.prepared.data
        if data is None or data.sensitive is None or self.problem.row_pattern is None:
            return ()
        return tuple(map(str, data.sensitive.columns))

    def card(self) -> Card:
        """The card of the list, which says that it was made by hand; it is never called optimal.

        Raises
        ------
        ValueError
            When nothing is known yet of how far it is from the optimum.
        """
        if self.best is None:
            raise ValueError("the optimizer is still searching; the card says how far the list is from the optimum")
        base, model = of_search(self.search, self.best.snapshot, self.prepared), self.model
        objective = float(self.objective)
        return replace(
            base,
            name="Made by hand",
            model=model,
            proof=Proof(
                objective=objective,
                lower_bound=min(objective, float(self.best.snapshot.lower_bound)),
                proven=False,
                scope="",
                equation=FAMILIES["rule_list"].objective(model, self.search.parameters),
                bound="",
            ),
            parameters={**base.parameters, "made": BY_HAND},
            search=None,
            code=snippet.of_model(in_words(model, self.prepared.labels)),
        )
