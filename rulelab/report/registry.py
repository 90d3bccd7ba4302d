"""What speaks against trusting a model, however optimal it is: a registry, each in words and with what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import require
from ..data.gaps import NEAR, emptied, largest_difference
from ..data.metrics import FEW, confusion
from ..families.wording import at_most
from ..models import FallingRuleList, MultiClassRuleList, RuleSet
from ..shown import percent
from .known import Known, compared, predicted

if TYPE_CHECKING:
    from ..datasets import Dataset

TITLE = "Before you trust this"
FAR = 0.05
"""So much less is right on the test rows than on the training rows, at the least, that it is doubted."""
HUNDREDS = 100
"""Models that are as good, from which on the one that is shown says little of the others."""
_MOST_NAMED = 3
_Said = tuple[str, str] | None


class Doubt(NamedTuple):
    """A reason not to trust a model, and what to do."""

    code: str
    words: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.words[:1].upper()}{self.words[1:]}: {self.remedy}"


def _constant(known: Known) -> _Said:
    if not known.is_constant:
        return None
    same = f"the best {'set' if isinstance(known.model, RuleSet) else 'list'} says the same of everybody"
    return same, "lower the price of a rule, or give the rarer class more weight"


def _one_column(known: Known) -> _Said:
    """One column decides alone, or could: it may be known only after the outcome."""
    whole = sum(known.classes)
    if known.is_constant or not whole:
        return None
    if len(known.columns) == 1:
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
    from ..datasets.guesses import is_protected

    found = [name for name in known.columns if name in known.sensitive or is_protected(name)]
    if known.is_constant or not found:
        return None
    what = f"a protected attribute, {found[0]}" if len(found) == 1 else f"protected attributes, {_listed(found)}"
    return f"it uses {what}", "leave it out where people must not be told apart by it"


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
    said, _, why = known.fewer.partition(": ")
    return (said, why) if said else None


def _not_proven(known: Known) -> _Said:
    if not (gap := known.open_gap):
        return None
    better = f"by {at_most(gap)} " if math.isfinite(gap) else ""
    return f"a model that is better {better}is not ruled out", "let the search run longer"


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
    reach = f"the 95 % interval, {percent(gap.low)} to {percent(gap.high)} points, is wider than that"
    return said, f"{reach}; more rows would tell"


def _unequal_weights(known: Known) -> _Said:
    n, alike = sum(known.rows), known.effective
    if alike is None or not n or not (alike < n / 10 or alike < FEW <= n):
        return None
    said = f"the weights are so unequal that {n:.10g} rows say as much as {alike:.3g} of one weight"
    return said, "few rows decide; look at the largest weights"


def _unknown_class(known: Known) -> _Said:
    from ..datasets.guesses import is_unknown

    found = [label for label in known.model.classes if is_unknown(label)]
    if not found or len(known.model.classes) < 2:
        return None
    what = "the negative class" if found[0] == known.model.classes[0] else "a class"
    said = f"rows whose class is {found[0]!r} are counted as {what}"
    return said, "leave them out if it means that nobody knows"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


DOUBTS: dict[str, Callable[[Known], _Said]] = {
    "few_rows": _few_rows,
    "constant": _constant,
    "not_proven": _not_proven,
    "worse_on_test": _worse_on_test,
    "emptied": _emptied,
    "one_column": _one_column,
    "protected": _protected,
    "missed": _missed,
    "short_rules": _short_rules,
    "many_as_good": _many_as_good,
    "unknown_class": _unknown_class,
    "unequal_weights": _unequal_weights,
    "small_groups": _small_groups,
    "wide_interval": _wide_interval,
}
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
        seen = None if test is None else confusion(**predicted(own, test))
        known = Known.of(own, data, test=seen, leaks=data.leaks(), **more)
    found = doubted(known)
    codes = {each.code for each in found}
    return (*found, *(each for each in given if each.code not in codes))
