"""What stands in the picture of sweeps: their points with means and errors, and which of them are on a front."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ... import shown
from ...data.gaps import CONSTRAINED, emptied, price
from ...data.metrics import Confusion
from ...families import DEMANDS, MONOTONE, MUST_NOT_USE
from ...families import EVERY as RECORDS
from ...families.typed import written
from ...recipe import Recipe
from ...sweeps import Result, Sweep, non_dominated
from ...sweeps.demands import NOTHING_CALLED
from ...sweeps.families import FAMILIES
from ...sweeps.grid import plain as plain_value
from ..compare.baselines import NAMES
from ..live.wording import NONE, counted, family_name, titled
from ..widgets.esc import plain

PARTS = {"test": "test rows", "train": "training rows"}
"""Which rows the figures count."""
COMPLEXITY = "complexity"
POOLED, MEAN = "pooled", "mean"
MEASURES = {POOLED: "of the counts of all folds", MEAN: "mean of the folds' gaps"}
"""How a gap is made out of folds. The mean of gaps is biased upwards, as each fold takes the largest difference."""
LABELS = {
    **{name: family_name(name).capitalize() for name in FAMILIES},
    **NAMES,
    "adaboost": "AdaBoost",
    "exponentiated_gradient": "Exponentiated gradient",
    "threshold_optimizer": "Threshold optimizer",
}
"""What families and baselines are called."""
_LEFT_OUT = "left out of the fairness constraint"
_OF_NAMES = {each.name: each.kind for each in (*DEMANDS, MUST_NOT_USE, MONOTONE)}
_CRITERION = re.compile(r"([A-Z][A-Za-z]+)\((\w+=[\d.e-]+(?:, \w+=[\d.e-]+)*)\)")


@dataclass(frozen=True)
class Point:
    """One configuration of one sweep, counted on some rows of each fold.

    Attributes
    ----------
    sweep, point : int
        Position of the sweep, and the configuration within it.
    method : str
        Family or baseline.
    baseline : bool
    parameters : str
        In words.
    folds, proven : int
        Folds that are done, and how many of their models are certified optimal.
    values : mapping of str to float
        Means over the folds, each with its standard error ``<name>_se``, and pooled gaps ``<name>_gap_pooled``.
    asked : str
        What its models have to obey, in words; empty: nothing.
    """

    sweep: int
    point: int
    method: str
    baseline: bool
    parameters: str
    folds: int
    proven: int
    values: Mapping[str, float]
    asked: str = ""

    @property
    def key(self) -> str:
        return f"{self.sweep}:{self.point}"

    @property
    def label(self) -> str:
        """Method and parameters in one line."""
        return f"{LABELS[self.method]}, {self.parameters}" if self.parameters else LABELS[self.method]

    def value(self, name: str) -> float:
        return self.values.get(name, math.nan)

    def error(self, name: str) -> float:
        """The standard error; nan where there is none."""
        return self.value(f"{name}_se")

    def spread(self, name: str) -> tuple[float, float]:
        """One standard error below and above the value; the value twice where none is known."""
        value, error = self.value(name), self.error(name)
        return (value, value) if math.isnan(error) else (value - error, value + error)


def points(sweeps: Sequence[Sweep], on: str) -> tuple[Point, ...]:
    """All points of sweeps that have a result.

    Parameters
    ----------
    sweeps : sequence of Sweep
    on : str
        One of `PARTS`.
    """
    found = []
    for i, sweep in enumerate(sweeps):
        table = sweep.points(on)
        known = {*sweep.parameters, "point", "family", "baseline", "folds", "proven"}
        figures = [name for name in table.columns if name not in known]
        varied = _varied(table, sweep.parameters)
        for row in table.to_dict("records"):
            point, values = int(row["point"]), {str(name): float(row[name]) for name in figures}
            own = sweep.parameters_of(point)
            parameters = _words({name: own.get(name, row[name]) for name in varied[row["family"]]})
            found.append(
                Point(
                    *(i, point, str(row["family"]), bool(row["baseline"]), parameters),
                    *(int(row["folds"]), int(row["proven"]), values, asked_in_words(sweep, point)),
                )
            )
    return tuple(found)


def _varied(table: pd.DataFrame, parameters: Sequence[str]) -> dict[str, list[str]]:
    """Per method the parameters that differ between its points."""
    out = {}
    for method, rows in table.groupby("family", sort=False):
        own = [name for name in parameters if rows[name].notna().any()]
        out[str(method)] = [name for name in own if rows[name].nunique(dropna=False) > 1]
    return out


def _words(parameters: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {in_words(name, value)}" for name, value in parameters.items())


def in_words(name: str, value: object) -> str:
    """A parameter's value in words; names as they are typed."""
    if value and name in _OF_NAMES:
        value = [value] if isinstance(value, str) and _OF_NAMES[name] == "names" else value
        return plain(written(_OF_NAMES[name], value), 80)
    return word(plain_value(value))


def asked_in_words(sweep: Sweep, point: int) -> str:
    """What the models of a configuration have to obey, see `rulelab.recipe.Recipe.asked`."""
    found = next((result.family for result in sweep.results if result.point == point), "")
    return plain(Recipe(FAMILIES[found].family, sweep.parameters_of(point)).asked, 200) if found in FAMILIES else ""


def word(value: object) -> str:
    """A parameter's value in words."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    text = plain(value, 80)
    criterion = _CRITERION.fullmatch(text)
    return text if criterion is None else _criterion(*criterion.groups())


def _criterion(name: str, arguments: str) -> str:
    """A fairness constraint: what it compares, and the largest differences."""
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()
    return f"{words} ≤ {' and '.join(one.partition('=')[2] for one in arguments.split(', '))}"


def gap_name(criterion: str, measure: str) -> str:
    """The figure of a criterion."""
    return f"{criterion}_gap" if measure == MEAN else f"{criterion}_gap_pooled"


def criterion_words(criterion: str) -> str:
    """A criterion by the name that it has everywhere."""
    return RECORDS[CONSTRAINED.get(criterion, criterion)].words


def criterion_name(criterion: str) -> str:
    """The same without what it compares."""
    return criterion_words(criterion).partition(":")[0]


def warning(sweep: Sweep, point: Point, on: str, accuracy_of: Callable[[int], float]) -> list[str]:
    """What to say of a point whose constraint left out groups, cost accuracy, or made rates equal by emptying them.

    Parameters
    ----------
    sweep : Sweep
    point : Point
        Of this sweep.
    on : str
        One of `PARTS`.
    accuracy_of : callable
        Of another point of the sweep, by its number; nan where nothing is known of it.
    """
    told = next((r.message for r in sweep.results if r.point == point.point and _LEFT_OUT in r.message), "")
    once = "" if sweep.plan.split else ", in one of the folds"
    notes = [f"Groups {told[told.index(_LEFT_OUT) :]}{once}."] if told else []
    chosen = sweep.parameters_of(point.point)
    rates = sweep.rates(point.point, on)
    names = ("true_positive", "false_positive", "true_negative", "false_negative")
    compared = {
        name: Confusion(*(rates.loc[name, each] for each in names)) for name in sweep.groups if name in rates.index
    }
    if len(compared) > 1 and (words := emptied(compared)):
        notes.append(f"Rates of the groups are {words}.")
    if chosen.get("fairness") is not None:
        free = {**chosen, "fairness": None}
        others = {r.point for r in sweep.results if r.family == point.method and r.point != point.point}
        same = [accuracy_of(other) for other in sorted(others) if sweep.parameters_of(other) == free]
        if same and not math.isnan(same[0]):
            notes.append(f"{price(point.value('accuracy'), same[0]).capitalize()}.")
    return notes


def unmet(sweep: Sweep, point: Point) -> list[str]:
    """What to say of a point of which some folds have no model that obeys, or do not know a name."""
    own = [result for result in sweep.results if result.point == point.point]
    empty = [result for result in own if result.train is None and result.message]
    notes = [f"{counted(len(empty), 'folds')} without a model: {told(empty[0])}"] if empty else []
    return notes + [told(result) for result in own if NOTHING_CALLED in result.message][:1]


def told(result: Result) -> str:
    """The message of a fit of a family, with parameters as the form calls them."""
    family = FAMILIES[result.family].family
    return titled(result.message, family)


def front(among: Iterable[Point], x: str) -> list[Point]:
    """The points that no other one dominates in a larger accuracy and a smaller x, from the smallest x on."""
    candidates = list(among)
    xs, ys = ([p.value(name) for p in candidates] for name in (x, "accuracy"))
    kept = non_dominated(xs, ys, (False, True))
    return sorted((p for p, keep in zip(candidates, kept, strict=True) if keep), key=lambda p: p.value(x))


def fronts(among: Iterable[Point], x: str) -> dict[str, list[Point]]:
    """The front of each method by itself."""
    own: dict[str, list[Point]] = {family: [] for family in FAMILIES}
    for p in among:
        own.setdefault(p.method, []).append(p)
    return {method: front(points, x) for method, points in own.items()}


def percent(point: Point, name: str) -> str:
    """A share with its standard error, in percent."""
    value, error = point.value(name), point.error(name)
    if math.isnan(value):
        return NONE
    return shown.percent(value) if math.isnan(error) else f"{shown.percent(value)} ± {shown.percent(error)}"


def number(point: Point, name: str) -> str:
    """A number with its standard error, both to the error's first digit, or to its second one where the first is 1."""
    value, error = point.value(name), point.error(name)
    if math.isnan(value):
        return NONE
    if math.isnan(error) or not error:
        return f"{value:.4g}"
    first = math.floor(math.log10(error))
    digits = max(0, -first + (error < 2 * 10**first))
    return f"{value:.{digits}f} ± {error:.{digits}f}"
