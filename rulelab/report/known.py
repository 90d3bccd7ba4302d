"""What is known of a model when it is doubted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from ..data.gaps import CONSTRAINED, MEASURED
from ..data.metrics import Confusion, confusion, group_rates
from ..models import FallingRuleList, Model, MultiClassRuleList, RuleSet
from ..models.decision_list import DecisionList

if TYPE_CHECKING:
    from ..datasets import Dataset
    from ..snapshot import Snapshot

_ROUNDING = 1e-6
"""A gap of this share of the objective is that of rounded weights."""
_COMPARED = {name.replace("_", " "): rates for name, rates in MEASURED.items()}
_COMPARED |= {constrained.replace("_", " "): MEASURED[name] for name, constrained in CONSTRAINED.items()}


@dataclass(frozen=True, eq=False)
class Known:
    """A model, and all that speaks for or against it; what is not known raises no doubt."""

    model: Model | MultiClassRuleList
    rows: Sequence[float] = ()
    """How many training rows each class has, whatever they weigh; empty: as many as they weigh."""
    counted: Confusion | None = None  # what it does on its training rows; None: what it remembers of them
    gap: float | None = None  # how much better another model may be; None: what is saved with the model
    effective: float | None = None  # as how many training rows of one weight they count (Kish); None: all weigh alike
    test: Confusion | None = None  # what it does on rows that were kept out of training
    groups: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """Of each sensitive attribute the table of `rulelab.data.metrics.group_rates`."""
    on_test: bool = False  # whether these are of test rows
    compared: tuple[str, ...] = ()
    """The rates that it was asked to have alike in all groups; empty: it was asked for no fairness."""
    emptied: str = ""
    """Why they are alike and of no use, see `rulelab.data.gaps.emptied`; empty: that is seen from the training rows."""
    fewer: str = ""  # why its rules have fewer conditions than were asked for, and how many; empty: they have not
    as_good: int | None = None  # how many models are about as good
    leaks: Mapping[str, str] = field(default_factory=dict)
    """The columns that alone tell the class of nearly all rows, with the evidence."""
    sensitive: tuple[str, ...] = ()  # columns that people said are sensitive attributes
    target: str = ""  # what is predicted; empty: not known

    @classmethod
    def of(cls, model: Model, data: Dataset, rows: np.ndarray | None = None, **more: Any) -> Self:
        """From the training rows of a data set, by their positions; by default all are."""
        at = np.arange(len(data.y)) if rows is None else rows
        seen = predicted(model, data, at)
        counted = confusion(**seen)
        sizes = [int(counted.rows_of(f"false_{side}_rate")) for side in ("positive", "negative")]
        people = pd.DataFrame() if data.sensitive is None else data.sensitive.iloc[at]
        return cls(
            model,
            rows=sizes if len(model.classes) > 1 else (),
            effective=None if data.weight is None else counted.trials("accuracy")[1],
            groups={str(name): group_rates(groups=people[[name]], **seen) for name in people},
            sensitive=tuple(map(str, people)),
            target=data.target,
            **more,
        )

    @property
    def training(self) -> Confusion:
        """What it does on its training rows."""
        return training_confusion(self.model) if self.counted is None else self.counted

    @property
    def classes(self) -> tuple[int | float, ...]:
        """What the training rows of each class weigh."""
        return training_classes(self.model)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it looks at; an antecedent whose conditions are not known is one of its own."""
        parts: list[Any] = list(self.model.rules)
        if isinstance(self.model, RuleSet):
            parts = [literal for clause in self.model.rules for literal in clause.literals]
        named = [[c.column for c in part.conditions or ()] or [part.name] for part in parts]
        return tuple(dict.fromkeys(name for names in named for name in names))

    @property
    def open_gap(self) -> float:
        """How much better another model may be, as far as that is known; 0 where only rounded weights leave it open."""
        proof = self.model.provenance
        if self.gap is not None:
            return self.gap
        if proof is None or proof.status == "optimal":
            return 0.0
        gap = proof.objective - proof.lower_bound
        return gap if gap > _ROUNDING * proof.objective else 0.0

    @property
    def is_constant(self) -> bool:
        """Whether it says the same of everybody."""
        model = self.model
        if isinstance(model, FallingRuleList):  # whose probabilities differ where its answers do not
            return not model.rules
        if isinstance(model, RuleSet):
            return model.training.predicted_positive in (0, model.training.weight)
        return len({rule.prediction for rule in (*model.rules, model.default)}) == 1  # type: ignore[union-attr]


def predicted(model: Model, data: Dataset, rows: np.ndarray | None = None) -> dict[str, Any]:
    """Of some rows, by default of all, what they are, what the model says of them, and what they weigh."""
    at = np.arange(len(data.y)) if rows is None else rows
    said = np.asarray(model.predict(data.X.iloc[at]) == model.classes[-1], dtype=bool)
    weight, heads = (None if each is None else each.iloc[at].to_numpy() for each in (data.weight, data.heads))
    return {"actual": data.y.iloc[at].to_numpy() == 1, "predicted": said, "sample_weight": weight, "heads": heads}


def told(snapshot: Snapshot, fairness: Any = None) -> dict[str, Any]:
    """What the end of a search tells of its model, under a criterion or none, as attributes of `Known`."""
    closed = snapshot.limit == "exactness" or str(snapshot.status) == "optimal"
    gap = 0.0 if closed or snapshot.detail.get("gap_is_proven") else snapshot.gap
    return {"gap": gap, "compared": compared(fairness), "emptied": snapshot.detail.get("emptied") or ""}


def compared(fairness: Any) -> tuple[str, ...]:
    """The rates that a criterion, or a constraint in words, wants to be alike; none where there is no such thing."""
    if hasattr(fairness, "rates"):
        return tuple(rate.name for rate in fairness.rates())
    words = str(fairness or "").replace("_", " ").replace("-", " ")
    return next((rates for name, rates in _COMPARED.items() if words.startswith(name)), ())


def training_confusion(model: Model | MultiClassRuleList) -> Confusion:
    """Weights of what it predicts against the truth; of several classes of what is right and what is not."""
    if isinstance(model, MultiClassRuleList):
        return Confusion(model.weight - model.errors, model.errors, 0, 0)
    if isinstance(model, RuleSet):
        return model.training
    assert isinstance(model, DecisionList)
    every = (*model.rules, model.default)
    kinds = [[rule for rule in every if (rule.prediction == model.classes[-1]) == said] for said in (True, False)]
    (hits, alarms), (missed, passed) = (
        (sum(rule.positives for rule in kind), sum(rule.negatives for rule in kind)) for kind in kinds
    )
    return Confusion(hits, alarms, passed, missed)


def training_classes(model: Model | MultiClassRuleList) -> tuple[int | float, ...]:
    """Weight of each class, in the order of the model's labels."""
    if isinstance(model, MultiClassRuleList):
        return tuple(np.array([rule.counts for rule in (*model.rules, model.default)]).sum(axis=0).tolist())
    counted = training_confusion(model)
    return (counted.actual_negative, counted.actual_positive)[-len(model.classes) :]
