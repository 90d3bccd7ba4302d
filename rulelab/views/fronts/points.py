"""The points of sweeps with their intervals, which of them are on a front, and what each stands for: its figures in
words, its row in the table, the card of its model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from ...data.fairness import Criterion
from ...data.gaps import CONSTRAINED, MEASURED, emptied, largest_gap, price
from ...data.metrics import RATES, Confusion
from ...datasets import Dataset
from ...families import EVERY as RECORDS
from ...families import least_gap
from ...recipe import Recipe
from ...shown import with_interval
from ...sweeps import BASELINES, Result, Sweep, non_dominated
from ...sweeps.families import BINARIZING, FAMILIES, NOTHING_CALLED
from ...sweeps.frames import pooled
from ...sweeps.results_file import plain as plain_value
from ..cards import card as cards
from ..cards import html as card_html
from ..cards.card import OF_NAMES, Card, Proof, names_in_words
from ..cards.rows import Split
from ..cards.scores import Scores
from ..compare.table import row, same_of, unknown
from ..live.wording import NONE, count, family_name, filled, titled, today
from ..widgets.esc import plain

PARTS = {"test": "test rows", "train": "training rows"}  # which rows the figures count
COMPLEXITY = "complexity"
FALSE_POSITIVES, TRUE_POSITIVES = "false_positive_rate", "true_positive_rate"
"""What stands on the axes of an ROC curve."""
LABELS = {name: family_name(name).capitalize() for name in FAMILIES}
LABELS |= {name: method.title for name, method in BASELINES.items()}
"""What families and baselines are called."""
_GAP = "_gap_pooled"
_LEFT_OUT = "left out of the fairness constraint"
_NAMES = {record.class_name: name for name, record in RECORDS.items()}


@dataclass(frozen=True)
class Point:
    """One configuration of one sweep, counted on some rows."""

    sweep: int  # its position
    point: int  # the configuration within it
    method: str  # family or baseline
    baseline: bool
    parameters: str  # in words
    proven: bool  # whether its model is certified optimal
    values: Mapping[str, float]
    asked: str = ""  # what its model has to obey, in words; empty: nothing
    # what is counted on test rows; None: the figures are of training rows, which say nothing of others
    tested: Confusion | None = None
    groups: Mapping[str, Confusion] = field(default_factory=dict)  # the same of each group that is compared

    @property
    def key(self) -> str:
        return f"{self.sweep}:{self.point}"

    @property
    def label(self) -> str:
        """Method and parameters in one line."""
        return f"{LABELS[self.method]}, {self.parameters}" if self.parameters else LABELS[self.method]

    @property
    def proof(self) -> str:
        """Whether it is proven, in words; empty: nobody proves it."""
        return "" if self.baseline else "proven optimal" if self.proven else "not proven optimal"

    def value(self, name: str) -> float:
        return self.values.get(name, math.nan)

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % interval of a rate, or of a gap between groups, on test rows; nan where there is none."""
        if self.tested is not None and name in RATES:
            return self.tested.interval(name)
        criterion = name.removesuffix(_GAP)
        if criterion == name or not self.groups:
            return math.nan, math.nan
        gap = largest_gap(self.groups, criterion)
        return max(gap.low, 0.0), gap.high


def points(sweeps: Sequence[Sweep], on: str) -> tuple[Point, ...]:
    """All points of sweeps that have a result, a baseline of two sweeps once; ``on``: one of `PARTS`."""
    found: dict[Any, Point] = {}
    for i, sweep in enumerate(sweeps):
        table = sweep.points(on)
        known = {*sweep.parameters, "point", "family", "baseline", "folds", "proven"}
        figures = [name for name in table.columns if name not in known and not name.endswith("_se")]
        varied = _varied(table, sweep.parameters)
        for each in table.to_dict("records"):
            point, values = int(each["point"]), {str(name): float(each[name]) for name in figures}
            own = sweep.parameters_of(point)
            set_to = {name: own.get(name, each[name]) for name in varied[each["family"]]}
            parameters = ", ".join(
                f"{name.replace('_', ' ')} {in_words(name, value)}" for name, value in set_to.items()
            )
            tested, groups = None, {}
            if on == "test":
                tested = reduce(add, (r.test.whole for r in sweep.results if r.point == point and r.test is not None))
                groups = _compared(sweep, point, on)
                values |= {name: tested.rate(name) for name in RATES}
            fit = repr([each["family"], sorted(own.items()), {**values, "seconds": 0.0}, tested])  # nan is nan
            found.setdefault(
                fit if each["baseline"] else (i, point),
                Point(
                    *(i, point, str(each["family"]), bool(each["baseline"]), parameters),
                    *(each["proven"] == each["folds"], values, _asked(each["family"], own), tested, groups),
                ),
            )
    return tuple(found.values())


def _compared(sweep: Sweep, point: int, on: str) -> dict[str, Confusion]:
    """What it does on the rows of each group that is compared."""
    counted = pooled(sweep.results, point, on)
    return {name: counted[name] for name in sweep.groups if name in counted}


def _varied(table: pd.DataFrame, parameters: Sequence[str]) -> dict[str, list[str]]:
    """Per method the parameters that differ between its points."""
    out = {}
    for method, rows in table.groupby("family", sort=False):
        own = [name for name in parameters if rows[name].notna().any()]
        out[str(method)] = [name for name in own if rows[name].nunique(dropna=False) > 1]
    return out


def _asked(method: str, parameters: Mapping[str, Any]) -> str:
    """What the models of a configuration have to obey, see `rulelab.recipe.Recipe.asked`."""
    return plain(Recipe(FAMILIES[method].family, parameters).asked, 200) if method in FAMILIES else ""


def in_words(name: str, value: object) -> str:
    """A value in words; names as they are typed, of a constraint what it compares, and how much it allows."""
    if value and name in OF_NAMES:
        return names_in_words(name, value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Criterion):
        allowed = [f"{each:g}" for each in asdict(value).values() if each is not None]
        return f"{criterion_name(_NAMES[type(value).__name__])} ≤ {' and '.join(allowed)}"
    return plain(plain_value(value), 80)


def gap_name(criterion: str) -> str:
    """The figure of a criterion."""
    return criterion + _GAP


def constrained(sweeps: Sequence[Sweep]) -> str | None:
    """The gap, one of `MEASURED`, that the first constraint of the fits bounds; None: there is none."""
    asked = (sweep.parameters_of(result.point).get("fairness") for sweep in sweeps for result in sweep.results)
    gaps = {CONSTRAINED.get(name, name): name for name in MEASURED}
    return next((gaps[_NAMES[type(each).__name__]] for each in asked if each is not None), None)


def criterion_words(criterion: str) -> str:
    """A criterion by the name that it has everywhere."""
    return RECORDS[CONSTRAINED.get(criterion, criterion)].words


def criterion_name(criterion: str) -> str:
    """The same without what it compares."""
    return criterion_words(criterion).partition(":")[0]


def warning(sweep: Sweep, point: Point, on: str, accuracies: Mapping[int, float]) -> list[str]:
    """What to say of a constraint that left out groups, cost accuracy, or made rates equal by emptying them."""
    told = next((r.message for r in sweep.results if r.point == point.point and _LEFT_OUT in r.message), "")
    notes = [f"Groups {told[told.index(_LEFT_OUT) :]}."] if told else []
    chosen = sweep.parameters_of(point.point)
    compared = _compared(sweep, point.point, on)
    if len(compared) > 1 and (words := emptied(compared)):
        notes.append(f"Rates of the groups are {words}.")
    if chosen.get("fairness") is not None:
        free = {**chosen, "fairness": None}
        others = {r.point for r in sweep.results if r.family == point.method and r.point != point.point}
        same = [other for other in sorted(others & accuracies.keys()) if sweep.parameters_of(other) == free]
        if same:
            notes.append(f"{price(point.value('accuracy'), accuracies[same[0]]).capitalize()}.")
    return notes


def unmet(sweep: Sweep, point: Point) -> list[str]:
    """What to say of a point whose training rows do not know a name."""
    own = [result for result in sweep.results if result.point == point.point]
    return [told(result) for result in own if NOTHING_CALLED in result.message][:1]


def told(result: Result) -> str:
    """The message of a fit, with parameters as the form calls them."""
    method = FAMILIES.get(result.family)
    return result.message if method is None else titled(result.message, method.family)


def front(among: Iterable[Point], x: str, y: str = "accuracy") -> list[Point]:
    """The points that no other one dominates in a larger y and a smaller x, from the smallest x on."""
    candidates = list(among)
    xs, ys = ([p.value(name) for p in candidates] for name in (x, y))
    kept = non_dominated(xs, ys, (False, True))
    return sorted((p for p, keep in zip(candidates, kept, strict=True) if keep), key=lambda p: p.value(x))


def fronts(among: Iterable[Point], x: str, y: str = "accuracy") -> dict[str, list[Point]]:
    """The front of each method by itself."""
    own: dict[str, list[Point]] = {family: [] for family in FAMILIES}
    for p in among:
        own.setdefault(p.method, []).append(p)
    return {method: front(points, x, y) for method, points in own.items()}


def percent(point: Point, name: str) -> str:
    """A share with its interval, in percent."""
    value = point.value(name)
    return NONE if math.isnan(value) else with_interval(value, *point.interval(name))


def number(point: Point, name: str) -> str:
    """A number, to four digits."""
    return NONE if math.isnan(value := point.value(name)) else f"{value:.4g}"


_OF_THE_MODEL = (COMPLEXITY, "rules", "conditions", "seconds")
_OF_TRAINING = ("objective", "lower_bound")
_FIGURES = (
    ("accuracy (%)", "accuracy", percent),
    ("complexity", COMPLEXITY, number),
    ("rules", "rules", number),
    ("conditions", "conditions", number),
    ("true positive rate (%)", "true_positive_rate", percent),
    ("false positive rate (%)", "false_positive_rate", percent),
    ("objective", "objective", number),
    ("lower bound", "lower_bound", number),
    ("seconds of search", "seconds", number),
)


@dataclass(frozen=True)
class Started:
    """Sweeps over the same rows for training and test."""

    sweeps: tuple[Sweep, ...]
    data: Dataset | None = None  # None: known to the sweeps only
    codes: tuple[str, ...] = ()  # per sweep the Python that starts it; may be empty
    named: bool = False  # whether `rulelab.datasets.load` knows the data by name
    # of the rows, as the question keeps them out; 0 where it keeps none, or counts or others say it
    test_share: float = 0.0

    def result_of(self, point: Point) -> Result | None:
        """The first fit of a point that has a model; None: none has."""
        fits = (r for r in self.sweeps[point.sweep].results if r.point == point.point and r.model is not None)
        return min(fits, key=lambda r: r.fold, default=None)

    def data_of(self, point: Point) -> Dataset:
        """What is known of the data: at the least what the sweep knows, without the names of target and classes."""
        if self.data is not None:
            return self.data
        plan = self.sweeps[point.sweep].plan
        if plan.counts is not None:
            return plan.counts.dataset()
        names = " and ".join(plan.identity["sensitive"])
        return Dataset(
            X=plan.X,
            y=pd.Series(plan.y.astype(np.int64)),
            sensitive=None if plan.groups is None else pd.DataFrame({names: plan.groups}),
            name=plan.identity["dataset"],
            target="",
            positive=1,
            negative=0,
        )

    def cancel(self) -> None:
        """End them; what is done is kept."""
        for one in self.sweeps:
            one.cancel()

    def and_more(self, other: Started) -> Started:
        """These, which have ended or end now, before others over the same rows."""
        self.cancel()
        return replace(other, sweeps=self.sweeps + other.sweeps, codes=self.codes + other.codes)


def card_of(started: Started, point: Point) -> Card:
    """The card of a point's model of the training rows, tested on those kept out; ValueError when there is no model."""
    result = started.result_of(point)
    if result is None:
        raise ValueError("there is no model of this setting to pin")
    sweep, data, share = started.sweeps[point.sweep], started.data_of(point), started.test_share
    plan, code = sweep.plan, started.codes[point.sweep] if started.codes else ""
    test = np.flatnonzero(plan.fold_of == result.fold)
    known = plan.tested == bool(share)  # rows that no question deals cannot be dealt again
    split = Split.of(data, started.named, test_share=share) if known else None
    card = cards.of_model(result.load(), data, test if len(test) else None, split)
    proof = None
    if result.objective is not None and result.lower_bound is not None:
        bounds = result.objective, result.lower_bound
        proof = Proof(*bounds, result.status == "optimal", *_said(sweep, result))
    again = (
        f"{code}\nsweep.wait()\nresult = next(r for r in sweep.results if r.point == {result.point})\n"
        "model = result.load()\nprint(model)\n"
    )
    return replace(
        card,
        code=again if code else card.code,
        title=title_of(data.name, sweep),
        proof=proof,
        parameters=_parameters(sweep, result),
        made=today(),
    )


def about(started: Started, point: Point) -> str:
    """What the card of a point's model is of, or why there is none, as HTML."""
    if started.result_of(point) is None:
        none = "Other methods are here for comparison; they have no model card."
        return f'<p class="empty">{none if point.baseline else "This setting has no model."}</p>'
    tested = "The model of the training rows, tested on the rows that were kept out."
    whole = "The model of all rows: none are left to test it on."
    return f'<p class="note">{tested if started.sweeps[point.sweep].plan.tested else whole}</p>'


def title_of(name: str, sweep: Sweep) -> str:
    """What a card of a point is a model of."""
    return f"{name}, {'training' if sweep.plan.tested else 'all'} rows"


def _said(sweep: Sweep, result: Result) -> tuple[str, str, str]:
    """Scope, equation and bound of what a fit has proven, in words."""
    family, chosen = FAMILIES[result.family].family, sweep.parameters_of(result.point)
    asked = _asked(result.family, chosen)
    where = f"these conditions ({asked})" if asked else "these conditions"
    if not family.needs_groups:
        return f"no {family_name(result.family)} over {where} has a smaller objective", "", ""
    attribute = plain(" and ".join(sweep.plan.identity["sensitive"]), 60)
    bound = "" if result.lower_bound is None else least_gap.bound(chosen, where, result.lower_bound)
    return least_gap.claim(chosen, where, attribute), family.objective(result.load(), chosen), bound


def _parameters(sweep: Sweep, result: Result) -> dict[str, str]:
    """All parameters of a configuration in words, and how it was validated; those that are not set are left out."""
    plan, chosen, family = sweep.plan, sweep.parameters_of(result.point), FAMILIES[result.family].family
    found = cards.making_in_words(family, chosen)
    known = {"thresholds", "negations", *(("max_conditions", "min_support", "max_support") if family.mined else ())}
    if plan.counts is not None:
        known |= set(BINARIZING)
        del found["quantile groups"], found["negations"]
        found["conditions"] = f"{count(len(plan.counts.conditions))}, under which the rows were counted"
    own = {name: value for name, value in chosen.items() if name not in known}
    found |= cards.parameters_in_words(own, " and ".join(plan.identity["sensitive"]))
    found["test split"] = plan.split
    if plan.time_limit is not None:
        found["time limit"] = f"{plan.time_limit:g} s"
    if plan.resample is not None:
        found["resampling"] = plan.resample
    return found


def summary(
    test: Point | None, training: Point | None, gap: str | None, gap_words: str, notes: Sequence[str], split: str
) -> str:
    """What a point stands for: its figures on both kinds of rows, with intervals on test rows, and notes."""
    point = test or training
    assert point is not None
    said = filter(None, [point.proof, split, "in brackets 95 % intervals" if test is not None else ""])
    figures = [*_FIGURES[:6], *([] if gap is None else [(f"{gap_words} (%)", gap, percent)]), *_FIGURES[6:]]
    texts = [
        (name, _texts(test, training, figure, show))
        for name, figure, show in figures
        if not (point.baseline and figure in _OF_TRAINING)
    ]
    label, dealt = LABELS[point.method], "; ".join(said)
    return filled("front_point.html", label=label, point=point, dealt=dealt, notes=notes, figures=texts)


def _texts(test: Point | None, training: Point | None, figure: str, show: Callable[[Point, str], str]) -> list[str]:
    """A figure on test and training rows; one of the model, or of its search, stands once."""
    texts = [NONE if p is None else show(p, figure) for p in (test, training)]
    if figure in _OF_THE_MODEL:
        return [texts[test is None]]
    return [NONE, texts[training is None]] if figure in _OF_TRAINING else texts


def rates_of_groups(table: pd.DataFrame, attribute: str, on: str) -> str:
    """Rates of every group with intervals."""
    if table.empty:
        return ""
    note = card_html.groups_note(Scores(None, groups={attribute: table}))
    said = f"{card_html.group_table(attribute, table)}{note}"
    return f"<details open><summary>Rates per group, {PARTS[on]}</summary>{said}</details>"


def row_of(started: Started, point: Point, gap: str | None, tickable: bool) -> dict[str, Any]:
    """The row of a point, which can be chosen in the pictures; what has a model can be ticked, where that is of use."""
    sweep = started.sweeps[point.sweep]
    result = started.result_of(point)
    right = percent(point, "accuracy"), point.value("accuracy")
    figures = [
        *((right, unknown) if point.tested is not None else (unknown, right)),
        unknown if gap is None else (percent(point, gap), point.value(gap)),
        (number(point, "rules"), point.value("rules")),
        ("none", 0.0) if point.baseline else ("optimal", 2.0) if point.proven else ("open", 1.0),
        (NONE, math.nan),
    ]
    more: dict[str, Any] = {"acts": {"choose": "Show"}}
    if result is not None and tickable:
        name = sweep.plan.identity["dataset"] if started.data is None else started.data.name
        more |= {"tick": "pin", "same": same_of(title_of(name, sweep), result.objective, result.gap)}
    rows = "figures of training rows" if point.tested is None else f"tested on {count(point.tested.n_rows)} rows"
    return row(point.key, point.label, f"sweep, {rows}", figures, **more)
