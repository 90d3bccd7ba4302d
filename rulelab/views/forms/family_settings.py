"""The settings of a model family and their fields, made from its record, and the question they ask as a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import param
from panel.custom import JSComponent

from ...assets import asset
from ...data.directions import as_directions
from ...data.exact_weights import asked_accuracy
from ...data.naming import as_names, limits_of
from ...datasets.normalise import RECORDS
from ...families import EVERY, MEMORY, OF_SEVERAL, TIME, Family, Parameter, criteria_of
from ...parameters import MIN_ACCURACY
from ...questions import ASKING, NEUTRAL, Question, allows, asks_nothing, engine_of
from ..live.wording import count
from ..widgets.esc import plain
from ..widgets.field_cards import Field
from ..widgets.style import sheet
from .address import Typed
from .controls import Choice, Control, Fixed, Note, Number, Settings, Switches, always, in_words, shown
from .data_settings import TEST_SHARE, DataSettings

if TYPE_CHECKING:
    from ...rule_set import Criterion


NO_CRITERION = "none"


def words_of(family: str) -> dict[str, str]:
    """The criteria, or none, that models of a family can be asked to meet, in words."""
    return {NO_CRITERION: "none"} | {name: record.words for name, record in criteria_of(family).items()}


def criterion_of(name: str, tolerance: float, second: float) -> Criterion | None:
    """The criterion by its name, None for "none"; raises ValueError when a tolerance is out of range."""
    if name == NO_CRITERION:
        return None
    record = EVERY[name]
    return record.make(*(tolerance, second)[: len(record.tolerances)])


LIMITS = (TIME, MEMORY)
TOLERANCE = Parameter(
    "tolerance", 0.05, "largest difference between two groups", "fraction", most=1, label="Largest difference (ε)"
)
NEGATIVES_TOLERANCE = Parameter(
    "negatives_tolerance", 0.05, "the same for the second rate", "fraction", most=1, label="On negatives (ε₂)"
)
OF_FAIRNESS = "min_group_size"  # the parameter whose field stands beside that of the criterion
BOUNDS, FAIR_BOUNDS = "bounds", "fair_bounds"
"""The parameters for the bounds in use, which only searches have; those for fair models have other ones."""
OF_FAIR_MODELS = {"labels": True, "iterations": False}
"""Parameters that count only where a criterion is asked for, or where none is."""
_HELD = {*ASKING, *NEUTRAL} - {"fairness", "criterion"}
"""The parameters that what else is asked for may leave no choice."""
RARE = (
    *("max_length", "column_limit", "max_categories", "max_support", "by_class", "max_antecedents"),
    *("must_use", "must_not_use", "first_rule", "max_uses"),
)
"""Parameters whose fields stand apart."""


def settings_of(family: Family, bounds: Sequence[str] = (), fair_bounds: Sequence[str] = ()) -> Any:
    """Settings of a family with their defaults, with the names of the bounds that it may use."""
    own = shown_parameters(family)
    if any(each.kind == "criterion" for each in own):
        own += [TOLERANCE, NEGATIVES_TOLERANCE]
    more = {
        name: param.ListSelector(default=list(every), objects=list(every), label="Bounds in use")
        for name, every in ((BOUNDS, bounds), (FAIR_BOUNDS, fair_bounds))
        if every
    }
    return _settings(f"{family.name}_settings", own, more, family.name)


def limit_settings() -> Any:
    """When a search ends without a proof."""
    return _settings("limit_settings", LIMITS, {})


def names_of(settings: Settings) -> list[str]:
    """The parameters of settings, in the order of their family's."""
    return [name for name in type(settings).__dict__ if name in settings.param and name not in Settings.param]


def chosen(settings: Any, family: Family) -> dict[str, Any]:
    """The values of the family's parameters; raises ValueError when a tolerance is out of range."""
    values = {each.name: getattr(settings, each.name) for each in shown_parameters(family)}
    fixed = {each.name: fixed_of(settings, family, each.name) for each in family.own}
    values |= {name: only.value for name, only in fixed.items() if only is not None}
    for each in shown_parameters(family):
        if each.kind == "criterion":
            values[each.name] = criterion_of(values[each.name], settings.tolerance, settings.negatives_tolerance)
    return values


def fields_of(settings: Any, family: Family, table: DataSettings) -> tuple[list[Field], list[Field], list[Field]]:
    """The fields of the search, of its conditions, and those that are rarely asked for."""
    usual: dict[bool, list[Field]] = {True: [], False: []}
    rare: list[Field] = []
    known = shown_parameters(family)
    for each in sorted(known, key=lambda one: RARE.index(one.name) if one.name in RARE else -1):
        if each.name == OF_FAIRNESS:
            continue
        made = fields_for(settings, family, each, table)
        (rare if each.name in RARE else usual[each in family.own]).extend(made)

    def shown(name: str) -> bool:
        return bounds_of(settings, family) == name

    for name in (BOUNDS, FAIR_BOUNDS):
        if name in settings.param:
            options = {each.replace("_", " "): each for each in settings.param[name].objects}
            usual[True].append(Switches(settings, name, options, partial(shown, name)))
    return usual[True], usual[False], rare


def is_fair(settings: Any) -> bool:
    """Whether a criterion of fairness is asked for."""
    return "fairness" in settings.param and settings.fairness != NO_CRITERION


def question_of(settings: Any, family: Family) -> Question:
    """What the settings ask for: the criterion first, of the rest what can be asked for beside it."""
    criterion = criterion_of(settings.fairness, 0.0, 0.0) if is_fair(settings) else None
    asked = {"fairness": criterion, "criterion": "" if family.needs_groups else None}
    question = Question.of(family.model or family.name, asked, several=family.name in OF_SEVERAL)
    for name in (each.name for each in family.own if each.name in ASKING and each.name not in asked):
        value = getattr(settings, name)
        if not asks_nothing(name, value) and allows(question, name):
            question = replace(question, **{name: value})
    return question


def bounds_of(settings: Any, family: Family) -> str:
    """The setting that names the bounds in use, for fair models or for others; empty: none can be left out."""
    name = FAIR_BOUNDS if is_fair(settings) else BOUNDS
    free = name in settings.param and "bounds" in engine_of(question_of(settings, family)).takes
    return name if free else ""


def counts(settings: Any, name: str) -> bool:
    """Whether a parameter counts: not all do both with a criterion and without."""
    return OF_FAIR_MODELS.get(name) in (None, is_fair(settings))


def fields_for(settings: Any, family: Family, parameter: Parameter, table: DataSettings) -> list[Field]:
    """The field of one parameter; of a criterion, those of what belongs to it too."""
    made = _fields_for(settings, family, parameter, table)
    first = made[0]
    if isinstance(first, Control) and parameter in family.own:
        first.fixed = lambda: fixed_of(settings, family, parameter.name)
    if parameter.name in OF_FAIR_MODELS:
        first.shown = partial(counts, settings, parameter.name)
    return made


def fixed_of(settings: Any, family: Family, name: str) -> Fixed | None:
    """The only value of a parameter, where what is asked for leaves no other."""
    if name not in _HELD:
        return None
    question = question_of(settings, family)
    if allows(question, name):
        return None
    return Fixed(NEUTRAL.get(name), f"It can only be this {engine_of(question).where}.")


def _fields_for(settings: Any, family: Family, parameter: Parameter, table: DataSettings) -> list[Field]:
    if parameter.kind == "switch":
        return [Control(settings, parameter.name)]
    if parameter.kind == "criterion":
        return _fairness(settings, family, table)
    if parameter.kind == "measure":
        options = dict(zip(parameter.said, parameter.choices, strict=True))
        return [Choice(settings, parameter.name, options), *_groups(settings, family, table)]
    if parameter.choices:
        said = parameter.said or tuple(name.replace("_", " ") for name in parameter.choices)
        return [Choice(settings, parameter.name, dict(zip(said, parameter.choices, strict=True)))]
    return [Number(settings, parameter)]


def shown_parameters(family: Family) -> list[Parameter]:
    """The parameters that have fields here; the limits have theirs beside those of time."""
    return [each for each in family.parameters if each != MEMORY and each.name not in family.meaningless]


def _fairness(settings: Any, family: Family, table: DataSettings) -> list[Field]:
    fair = partial(is_fair, settings)
    *groups, smallest = _groups(settings, family, table, fair)
    return [
        Choice(settings, "fairness", {said: name for name, said in words_of(family.name).items()}),
        *groups,
        Number(settings, TOLERANCE, fair),
        Number(settings, NEGATIVES_TOLERANCE, lambda: bool(settings.fairness == "equalized_odds")),
        smallest,
    ]


def _groups(settings: Any, family: Family, table: DataSettings, asked: Callable[[], bool] = always) -> list[Field]:
    """Which groups are compared, and how large they must be."""
    return [
        Choice(
            table,
            "sensitive",
            lambda: {str(name): name for name in table.param.sensitive.objects},
            lambda: asked() and table.sensitive is not None,
        ),
        Note(
            "These data have no sensitive attribute: there are no groups to be fair to.",
            lambda: asked() and table.sensitive is None,
        ),
        *(Number(settings, each, asked) for each in family.own if each.name == OF_FAIRNESS),
    ]


def _typed(of_kind: str, base: Any, check: Any = None) -> Any:
    """The class of the parameters of a kind: names, or columns with what is said of each."""
    return type(f"_{of_kind.capitalize()}", (Typed, base), {"of_kind": of_kind, "check": check})


_OF_NAMES: dict[str, Any] = {
    "name": _typed("name", param.String),
    "names": _typed("names", param.List, lambda self, given: as_names(given, str(self.name))),
    "limits": _typed("limits", param.Dict, lambda self, given: limits_of(given)),
    "directions": _typed("directions", param.Dict, lambda self, given: as_directions(given)),
}


def _settings(name: str, parameters: Sequence[Parameter], more: Mapping[str, param.Parameter], family: str = "") -> Any:
    return type(name, (Settings,), {**{each.name: made(each, family) for each in parameters}, **more})()


def made(parameter: Parameter, family: str = "") -> Any:
    """The parameter of settings for a parameter of the records; ``family`` has the criteria."""
    label, default = parameter.title, parameter.default
    if parameter.kind == "switch":
        return param.Boolean(default=default, label=label)
    if parameter.kind == "criterion":
        return param.Selector(default=NO_CRITERION, objects=list(words_of(family)), label=label)
    if parameter.kind in _OF_NAMES:
        return _OF_NAMES[parameter.kind](default=default, allow_None=True, label=label)
    if parameter.choices:
        return param.Selector(default=default, objects=list(parameter.choices), label=label)
    kind: Any = param.Integer if parameter.kind in ("whole", "size") else param.Number
    least = 1_000_000 if parameter.kind == "size" else parameter.least
    most = parameter.most if math.isfinite(parameter.most) else None
    inclusive = (not parameter.above, not parameter.below)
    return kind(
        default=default, bounds=(least, most), inclusive_bounds=inclusive, allow_None=parameter.optional, label=label
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
        parts += _between(table)
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
        yield [*fair, *_between(table)]
    elif table.sensitive is not None and "fairness" in settings.param:
        yield [("treating ", ""), (f"{_attribute(table)} as it comes", "Fairness")]


def _between(table: DataSettings) -> list[Part]:
    if table.sensitive is None:  # what has groups is chosen with the data
        return [(" between groups that are ", ""), ("not chosen yet", "Data set")]
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
    said = in_words(each, value)
    shortly = said.partition(":")[0] if each.choices and value is not None else said
    return [(text, label) for text, label in ((before, ""), (shortly, each.title), (after, "")) if text]


def _asked(table: DataSettings) -> float | None:
    """The accuracy that is asked for where none is given; None where the form does not know the training rows.

    Of the embedded data sets a few simple rules reach more.
    """
    known = RECORDS.get(table.data)
    if known is None or not known.embedded or table.own is not None or table.test_share:
        return None
    return asked_accuracy(known.positives, known.rows - known.positives)


class Sentence(JSComponent):
    """The question in the head of the tab; a part that is pressed opens the settings at its field."""

    parts = param.List(default=[], doc="Pairs of a text and the label of its field, as `sentence_of` gives them.")
    open = param.Boolean(default=False, doc="Whether the settings are seen.")

    _esm = asset("dom.js", "sentence.js")
    _stylesheets = [sheet("sentence.css")]
