"""The question of the page as a sentence, whose underlined parts open the fields behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import param
from panel.custom import JSComponent

from ...assets import asset
from ...data.exact_weights import asked_accuracy
from ...datasets.normalise import RECORDS
from ...families import EVERY, Family, Parameter
from ...parameters import MIN_ACCURACY
from ..live.wording import count
from ..widgets.esc import plain
from ..widgets.style import sheet
from .controls import in_words, shown
from .data_settings import TEST_SHARE, DataSettings
from .family_settings import (
    LIMITS,
    NEGATIVES_TOLERANCE,
    TOLERANCE,
    bounds_of,
    counts,
    fixed_of,
    is_fair,
    shown_parameters,
)

Part = tuple[str, str]
"""A text, and the label of the field behind it; an empty one: none."""
_AIM = "the fewest errors"
_NOT_SAID = (*(each.name for each in LIMITS), "fairness", "min_group_size")
_LONGEST = 60


def sentence_of(family: Family, settings: Any, table: DataSettings, limits: Any) -> list[Part]:
    """What is asked, and what else is not as ever: the parts of a sentence, with the labels of their fields."""
    kind = "measure" if family.needs_groups else "choice"
    aims = [each for each in family.own if each.named and each.kind == kind]
    parts: list[Part] = [("On ", ""), (table.called, "Data set")]
    if rows := _rows(table):
        parts += [(" ", ""), (f"({rows})", TEST_SHARE.title)]
    if table.predicted:
        parts += [(" predict ", ""), (table.predicted, "Data set")]
    parts += [(" by the ", ""), (family.called, "Model family"), (" " if family.needs_groups else " with ", "")]
    parts += [part for each in aims for part in _said(each, getattr(settings, each.name))] or [(_AIM, "")]
    if family.needs_groups:
        parts += _groups(table)
    for clause in _clauses(family, settings, table, limits, aims):
        parts += [(", ", ""), *clause]
    return [(text, label) for text, label in [*parts, (".", "")] if text]


def _clauses(
    family: Family, settings: Any, table: DataSettings, limits: Any, aims: Sequence[Parameter]
) -> Iterator[list[Part]]:
    """What follows the aim: prices and sizes, groups, and whatever differs from its default."""
    yield from _compared(family, settings, table)
    for each in shown_parameters(family):
        value = getattr(settings, each.name)
        if each.name == MIN_ACCURACY.name:
            yield _said(each, _asked(table) if value is None else value)
            continue
        if each in aims or each.name in _NOT_SAID or not counts(settings, each.name):
            continue
        if fixed_of(settings, family, each.name) is not None:
            continue
        if (each.named and value is not None) or value != each.default:
            yield _said(each, value)
    if bounds := bounds_of(settings, family):
        every, used = settings.param[bounds], getattr(settings, bounds)
        if left_out := [one.replace("_", " ") for one in every.objects if one not in used]:
            yield [("without the bound ", ""), (", ".join(left_out), every.label)]
    for each in LIMITS:
        if getattr(limits, each.name) != each.default:
            yield _said(each, getattr(limits, each.name))


def _compared(family: Family, settings: Any, table: DataSettings) -> Iterator[list[Part]]:
    """How alike groups have to be treated, where a criterion can be asked for."""
    if is_fair(settings):
        fair: list[Part] = [(EVERY[settings.fairness].short, "Fairness"), (" within ", "")]
        fair += [(shown(TOLERANCE, settings.tolerance), TOLERANCE.title)]
        if len(EVERY[settings.fairness].tolerances) > 1:
            fair += [(" and ", ""), (shown(TOLERANCE, settings.negatives_tolerance), NEGATIVES_TOLERANCE.title)]
        yield [*fair, *_groups(table)]
    elif table.sensitive is not None and "fairness" in settings.param:
        yield [("treating ", ""), (f"{_attribute(table)} as it comes", "Fairness")]


def _groups(table: DataSettings) -> list[Part]:
    return [(" between groups of ", ""), (_attribute(table), str(table.param.sensitive.label))]


def _attribute(table: DataSettings) -> str:
    return plain(str(table.sensitive), _LONGEST)


def _rows(table: DataSettings) -> str:
    """How many rows there are, and which part of them is kept out of training."""
    test = f"{100 * table.test_share:.3g} % kept to test" if table.test_share else ""
    return ", ".join(filter(None, [f"{count(table.n_rows)} rows" if table.n_rows else "", test]))


def _said(each: Parameter, value: Any) -> list[Part]:
    """A parameter with its value; of one thing in the singular."""
    before, after = (each.clause or f"{re.split('[:(]', each.title)[0].strip().lower()} {{}}").split("{}")
    if value == 1:
        after = re.sub(r"^( \w+)s\b", r"\1", after)
    return [(text, label) for text, label in ((before, ""), (_value(each, value), each.title), (after, "")) if text]


def _asked(table: DataSettings) -> float | None:
    """The accuracy that is asked for where none is given; None where the form does not know the training rows.

    Of the embedded data sets a few simple rules reach more.
    """
    known = RECORDS.get(table.data)
    if known is None or not known.embedded or table.own is not None or table.test_share:
        return None
    return asked_accuracy(known.positives, known.rows - known.positives)


def _value(each: Parameter, value: Any) -> str:
    """The value in few words."""
    said = in_words(each, value)
    return said.partition(":")[0] if each.choices and value is not None else said


class Sentence(JSComponent):
    """The question in the head of the tab; a part that is pressed opens the settings at its field."""

    parts = param.List(default=[], doc="Pairs of a text and the label of its field, as `sentence_of` gives them.")
    open = param.Boolean(default=False, doc="Whether the settings are seen.")

    _esm = asset("dom.js", "sentence.js")
    _stylesheets = [sheet("sentence.css")]
