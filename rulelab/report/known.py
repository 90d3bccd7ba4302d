"""What is known of a model, and what of that speaks against trusting it, however optimal it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from ..arguments import require
from ..data.gaps import CONSTRAINED, MEASURED, NEAR, emptied, largest_difference
from ..data.metrics import FEW, Confusion, confusion, group_rates
from ..datasets import Dataset
from ..datasets.guesses import is_protected, is_unknown
from ..families.wording import adding_up
from ..models import FallingRuleList, Model, MultiClassRuleList, RuleSet
from ..models.decision_list import DecisionList
from ..shown import percent, signed
from ..snapshot import Snapshot
from ..what_if.person import columns_of

TITLE = "Before you trust this"
FAR = 0.05
"""So much less is right on the test rows than on the training rows, at the least, that it is doubted."""
NEARLY = 0.9
"""Share of the training rows that one column gets right, from which on it may be the outcome in other words."""
HUNDREDS = 100
"""Models that are as good, from which on the one that is shown says little of the others."""
_MOST_NAMED = 3
_Said = tuple[str, str] | None
_ROUNDING = 1e-6  # a gap of this share of the objective is that of rounded weights
_COMPARED = {name.replace("_", " "): rates for name, rates in MEASURED.items()}
_AS_SHOWN = {"false_negative_rate": "true_positive_rate"}  # what it leaves of 1, which differs by as much
_COMPARED |= {constrained.replace("_", " "): MEASURED[name] for name, constrained in CONSTRAINED.items()}


@dataclass(frozen=True, eq=False)
class Known:
    """A model, and all that speaks for or against it; what is not known raises no doubt."""

    model: Model | MultiClassRuleList
    rows: Sequence[float] = ()
    """How many training rows each class has, whatever they weigh; empty: as many as they weigh."""
    counted: Confusion | None = None  # what it does on its training rows; None: what it remembers of them
    ends: tuple[float, float] | None = None  # objective and lower bound, alike where proven; None: as it has them
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
    def of(
        cls,
        model: Model,
        data: Dataset,
        rows: np.ndarray | None = None,
        kept_out: np.ndarray | None = None,
        **more: Any,
    ) -> Self:
        """From the training rows of a data set, by default all, and those kept out, by their positions.

        Groups are compared on the rows that were kept out, where there are any.
        """
        at = np.arange(len(data.y)) if rows is None else rows
        seen = predicted(model, data, at)
        counted = confusion(**seen)
        sizes = [int(counted.rows_of(f"false_{side}_rate")) for side in ("positive", "negative")]
        if kept_out is not None:
            at, seen = kept_out, predicted(model, data, kept_out)
            more |= {"test": confusion(**seen), "on_test": True}
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
        return tuple(columns_of(self.model))

    @property
    def is_constant(self) -> bool:
        """Whether it says the same of everybody."""
        model = self.model
        if isinstance(model, FallingRuleList):  # whose probabilities differ where its answers do not
            return not model.rules
        if isinstance(model, RuleSet):
            return model.training.predicted_positive in (0, model.training.weight)
        return len({rule.prediction for rule in (*model.rules, model.default)}) == 1  # type: ignore[union-attr]

    @property
    def sameness(self) -> str:
        """That it says the same of everybody, where it does; else empty."""
        noun = "set" if isinstance(self.model, RuleSet) else "list"
        return f"the best {noun} says the same of everybody" if self.is_constant else ""


def predicted(model: Model, data: Dataset, rows: np.ndarray | None = None) -> dict[str, Any]:
    """Of some rows, by default of all, what they are, what the model says of them, and what they weigh."""
    at = np.arange(len(data.y)) if rows is None else rows
    said = np.asarray(model.predict(data.X.iloc[at]) == model.classes[-1], dtype=bool)
    weight, heads = (None if each is None else each.iloc[at].to_numpy() for each in (data.weight, data.heads))
    return {"actual": data.y.iloc[at].to_numpy() == 1, "predicted": said, "sample_weight": weight, "heads": heads}


def told(snapshot: Snapshot, fairness: Any = None) -> dict[str, Any]:
    """What the end of a search tells of its model, under a criterion or none, as attributes of `Known`."""
    closed = snapshot.limit == "exactness" or str(snapshot.status) == "optimal"
    found = math.inf if snapshot.incumbent is None else snapshot.incumbent.objective
    bound = found if closed or snapshot.detail.get("gap_is_proven") else snapshot.lower_bound
    return {"ends": (found, bound), "compared": compared(fairness), "emptied": snapshot.detail.get("emptied") or ""}


def compared(fairness: Any) -> tuple[str, ...]:
    """The rates that a criterion, or a constraint in words, wants to be alike; none where there is no such thing."""
    if hasattr(fairness, "rates"):
        return tuple(_AS_SHOWN.get(rate.name, rate.name) for rate in fairness.rates())
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


class Doubt(NamedTuple):
    """A reason not to trust a model, and what to do."""

    code: str
    words: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.words[:1].upper()}{self.words[1:]}: {self.remedy}"


def _constant(known: Known) -> _Said:
    remedy = "lower the price of a rule, or give the rarer class more weight"
    return (known.sameness, remedy) if known.is_constant else None


def _one_column(known: Known) -> _Said:
    """One column decides nearly everything alone, or could: it may be known only after the outcome."""
    whole = sum(known.classes)
    if known.is_constant or not whole:
        return None
    if len(known.columns) == 1 and known.model.errors <= (1 - NEARLY) * whole:
        (column,) = known.columns
        right = percent(1 - known.model.errors / whole)
        without = f"one answer for everybody gets {percent(max(known.classes) / whole)} %"
        said = f"one column decides alone, {column}, and gets {right} % right"
        return said, f"{without}; leave it out if it is known only after the outcome"
    told = {name: known.leaks[name] for name in known.columns if name in known.leaks}
    if not told:
        return None
    name, evidence = next(iter(told.items()))
    remedy = f"{evidence.replace(': ', ', ')}; leave it out if it is known only after the outcome"
    return f"one column gives the answer away, {name}", remedy


def _protected(known: Known) -> _Said:
    found = [name for name in known.columns if name in known.sensitive or is_protected(name)]
    if known.is_constant or not found:
        return None
    what, it = ("a protected attribute", "it") if len(found) == 1 else ("protected attributes", "them")
    return f"it uses {what}, {_listed(found)}", f"leave {it} out where people must not be told apart by {it}"


def _few_rows(known: Known) -> _Said:
    rows = known.rows or known.classes
    of = f"{known.target} = " if known.target else ""
    scarce = [
        f"{n:.10g} {'is' if n == 1 else 'are'} {of}{label}"
        for n, label in zip(rows, known.model.classes, strict=False)
        if n < FEW
    ]
    if not scarce:
        return None
    few = f"of {sum(rows):.10g} training rows only {' and '.join(scarce)}"
    return few, f"with fewer than {FEW} of a class its rates say little of other rows"


def _small_groups(known: Known) -> _Said:
    """Of the rows that what was to be made equal is a share of, such as the positives."""
    counted = [f"{rate}_rows" for rate in known.compared or ("accuracy",)]
    small = [
        f"{name} = {group} with {n:.10g}"
        for name, table in known.groups.items()
        for group, n in table[counted].min(axis=1).items()
        if n < FEW
    ]
    if not small:
        return None
    few = f"some groups have hardly any {'test ' if known.on_test else ''}rows that count, {_listed(small)}"
    return few, f"with fewer than {FEW} of a group its rates say little of other people"


def _worse_on_test(known: Known) -> _Said:
    if known.test is None or not known.test.weight:
        return None
    before, after = known.training.accuracy, known.test.accuracy
    if before - after < FAR or known.test.interval("accuracy")[1] >= before:  # that may be chance
        return None
    said = f"it does far worse on the test rows, {percent(after)} % right, than in training, {percent(before)} %"
    return said, "raise the price of a rule, or train it on more rows"


def _short_rules(known: Known) -> _Said:
    """Where the model makes errors, and has a rule as long as any may be or none: a longer one may do better."""
    said, _, why = known.fewer.partition(": ")
    if not said or not known.model.errors:
        return None
    longest = max((len(rule.conditions or ()) or 1 for rule in known.model.rules), default=0)
    return (said, why) if not longest or str(longest) in said.split() else None


def _not_proven(known: Known) -> _Said:
    """Unless only rounded weights leave it open."""
    ends, proof = known.ends, known.model.provenance
    if ends is None and proof is not None and proof.status != "optimal":
        ends = proof.objective, proof.lower_bound
    if ends is None or ends[0] == ends[1] or ends[0] - ends[1] <= _ROUNDING * ends[0]:
        return None
    better = f"by {adding_up(*ends, known.model.family)[2]} " if math.isfinite(ends[1]) else ""
    return f"a model that is better {better}is not ruled out", "give the search more time"


def _many_as_good(known: Known) -> _Said:
    if known.as_good is None or known.as_good < HUNDREDS:
        return None
    said = f"{known.as_good} models are about as good"
    return said, "what they have in common says more than this one; look at others of them"


def _emptied(known: Known) -> _Said:
    if not known.compared:
        return None
    reason = known.emptied or emptied({"all": known.training})
    said = f"the rates of the groups are {reason.replace(': ', ', ')}"
    return (said, "allow a larger difference, or give the rarer class more weight") if reason else None


def _missed(known: Known) -> _Said:
    """Nearly no positive is found; where rates were to be equal, `_emptied` says so."""
    if known.is_constant or isinstance(known.model, FallingRuleList | MultiClassRuleList):
        return None
    hit = known.training.true_positive_rate
    if not hit <= NEAR or len(known.model.classes) != 2 or _emptied(known):
        return None
    missed = f"only {percent(hit)} % of {known.model.classes[-1]} are found"
    return missed, "give that class more weight, or ask for less of the groups' rates"


def _wide_interval(known: Known) -> _Said:
    """The widest of what fairness compares, or else of who is predicted positive."""
    found = []
    for name, table in known.groups.items():
        for rate in known.compared or ("selection_rate",):
            gap = largest_difference(table, rate)
            if gap is not None and gap.high - gap.low > gap.value:
                found.append((gap.high - gap.low, name, rate, gap))
    if not found or known.is_constant:
        return None
    _, name, rate, gap = max(found, key=lambda each: each[0])
    between = f"{name} {gap.groups[0]} and {gap.groups[1]}"
    by = f"{percent(gap.value)} points{' on test rows' if known.on_test else ''}, more or less"
    said = f"the {rate.replace('_', ' ')}s of {between} differ by {by}"
    reach = f"the 95 % interval, {signed(gap.low)} to {signed(gap.high)} points, is wider than that"
    return said, f"{reach}; more rows would tell {'by how much' if gap.low * gap.high > 0 else 'whether they do'}"


def _unequal_weights(known: Known) -> _Said:
    n, alike = sum(known.rows), known.effective
    if alike is None or not n or not (alike < n / 10 or alike < FEW <= n):
        return None
    said = f"the weights are so unequal that {n:.10g} rows say as much as {alike:.3g} of one weight"
    return said, "few rows decide; look at the largest weights"


def _unknown_class(known: Known) -> _Said:
    found = [label for label in known.model.classes if is_unknown(label)]
    if not found or len(known.model.classes) < 2:
        return None
    what = "the negative class" if found[0] == known.model.classes[0] else "a class"
    said = f"rows whose class is {found[0]!r} are counted as {what}"
    return said, "leave them out if it means that nobody knows"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


_EACH: tuple[Callable[[Known], _Said], ...] = (
    _few_rows, _constant, _not_proven, _worse_on_test, _emptied, _one_column, _protected, _missed, _short_rules,
    _many_as_good, _unknown_class, _unequal_weights, _small_groups, _wide_interval,
)  # fmt: skip
DOUBTS = {each.__name__.removeprefix("_"): each for each in _EACH}
"""By code, the weightiest first: each looks at what is known, and says why not to trust it and what to do."""


def doubted(known: Known) -> tuple[Doubt, ...]:
    """What is to be doubted of a model, by what is known of it."""
    return tuple(Doubt(code, *said) for code, doubt in DOUBTS.items() if (said := doubt(known)) is not None)


def doubts(
    model: Any, data: Dataset | None = None, test: Dataset | None = None, as_good: int | None = None
) -> tuple[Doubt, ...]:
    """What speaks against trusting a model, however optimal it is.

    Parameters
    ----------
    model : model or fitted classifier
    data : Dataset, optional
        The rows that it was trained on, which tell of groups, weights and columns that give the class away.
    test : Dataset, optional
        Rows that were kept out of training; they are looked at where ``data`` are given, too.
    as_good : int, optional
        How many models are about as good, where that is known.

    Returns
    -------
    tuple of Doubt
        Each with a ``code``, the ``words``, and the ``remedy``; the weightiest first.

    Examples
    --------
    >>> import rulelab as rl
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((100, 3)) < 0.5
    >>> model = rl.RuleListClassifier().fit(X, X[:, 0])
    >>> [doubt.code for doubt in rl.doubts(model)]
    ['one_column']
    """
    for name, value in (("data", data), ("test", test)):
        require((name, value, value is None or hasattr(value, "leaks"), "a Dataset"))
    given: tuple[Doubt, ...] = getattr(model, "doubts_", ())
    if len(models := getattr(model, "models_", [model])) > 1:
        return given
    (own,) = models
    more: dict[str, Any] = {"as_good": as_good, "compared": compared(getattr(model, "fairness", None))}
    if data is None or isinstance(own, MultiClassRuleList):
        known = Known(own, **more)
    else:
        known = Known.of(own, data, leaks=data.leaks(), **more)
        if test is not None:
            known = replace(known, test=confusion(**predicted(own, test)))
    found = doubted(known)
    codes = {each.code for each in found}
    return (*found, *(each for each in given if each.code not in codes))
