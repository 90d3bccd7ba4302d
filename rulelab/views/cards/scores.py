"""How good a model is on the rows of a card, the figures of cards, and the incumbent of a search in words.

All text from data goes through `esc`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...assets import texts
from ...data.gaps import Gap, largest_gap, price
from ...data.metrics import Confusion, confusion, group_confusions, group_labels, rates_table, roc_auc
from ...families import EVERY_FAMILY
from ...families.account import Account
from ...families.records import LEAST_GAP
from ...models import DecisionList, FallingRuleList, Model, MultiClassRuleList, RuleSet
from ...report import TITLE, Known, doubted
from ...report.known import predicted, training_confusion
from ...shown import difference, percent, with_interval
from ...snapshot import Incumbent, Snapshot, Status
from ...sweeps.plan import compared_groups
from ..live.prepared import ClassRows, TrainingRows
from ..live.wording import NONE, count, filled, grouped, objective, together
from ..widgets.esc import esc
from ..widgets.explained import word
from .card import Card
from .differences import comparable, same_rows
from .rows import Rows
from .rule_tables import confusions, rules_table

_OUTCOMES = {
    "found": "true_positive",
    "missed": "false_negative",
    "alarms": "false_positive",
    "passed": "true_negative",
}
_OF_CLASSES = {"right": "true_positive", "wrong": "false_positive"}  # what becomes of rows, and where it is counted
_WHY = texts("unknown figures")
MAX_GROUPS = 12  # attributes with more values are not shown


@dataclass(frozen=True)
class Score:
    """What a model gets right on some rows."""

    counted: Confusion  # counts, or weights
    auc: float = math.nan  # area under the ROC curve; ``nan`` where it is not defined or not known
    blind: bool = False  # whether only weights are known, and not of how many rows: there are no intervals
    several: bool = False  # whether it is of several classes, of which the accuracy alone needs no positive one

    def rate(self, name: str) -> float:
        """One of `rulelab.data.metrics.RATES`; ``nan`` where no row counts, or there is no such rate."""
        return math.nan if self.several and name != "accuracy" else self.counted.rate(name)

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % Wilson interval of the rate; ``nan`` where it is not known."""
        return (math.nan, math.nan) if self.blind else self.counted.interval(name)

    def why_not(self, name: str) -> str:
        """Why there is no such rate, or no AUC."""
        return "of two classes only" if self.several else _WHY[name]

    @property
    def outcomes(self) -> Sequence[tuple[str, int | float]]:
        """What becomes of the rows, in words, and how many they are."""
        counts = _OF_CLASSES if self.several else _OUTCOMES
        return [(words, getattr(self.counted, name)) for words, name in counts.items()]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one model."""

    training: Score | None
    test: Score | None = None
    # per sensitive attribute the table of `rulelab.data.metrics.group_rates`
    groups: dict[str, pd.DataFrame] = field(default_factory=dict)
    on_test: bool = False  # whether the groups are of test rows
    # per sensitive attribute the groups that are compared, as in sweeps: those with enough rows of both classes
    compared: dict[str, dict[str, Confusion]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # sensitive attributes that are not shown, with the reason
    # of the model without the fairness constraint: on the training rows and on the test rows
    free: tuple[Score | None, Score | None] = (None, None)

    def gap(self, criterion: str, attribute: str = "") -> Gap | None:
        """How far the groups of an attribute are apart; empty: of the first. None where it is not known."""
        found = self.compared.get(attribute or next(iter(self.compared), ""))
        return None if found is None else largest_gap(found, criterion)


def of_counts(card: Card) -> Scores:
    """What the models of a card themselves remember of their training."""
    if isinstance(card.model, MultiClassRuleList):
        found = confusions(card.model)
        right, whole = int(np.trace(found)), int(found.sum())
        return Scores(_of_classes(Confusion(right, whole - right, 0, 0)))
    rows = "" if "training weight" in card.data else card.data.get("training rows")
    known = [None if model is None else _remembered(model) for model in (card.model, card.unconstrained)]
    training, without = (
        score and replace(score, blind=rows not in (None, count(score.counted.weight))) for score in known
    )
    return Scores(training, free=(without, None))


def of_card(card: Card, report: Callable[[str], None]) -> Scores:
    """Let the model predict the rows of its card; ValueError when the data lack the columns of the model's rules."""
    rows, classes = card.rows, card.classes
    if isinstance(card.model, MultiClassRuleList) and classes is not None:
        report("predicting the rows")
        training, test = (_of_class_rows(card.model, classes, at) for at in (classes.training, classes.test))
        return Scores(training, test, on_test=test is not None)
    if rows is None or isinstance(card.model, MultiClassRuleList):
        return of_counts(card)
    report("predicting the rows")
    groups: dict[str, pd.DataFrame] = {}
    left_out: list[str] = []
    compared: dict[str, dict[str, Confusion]] = {}
    sensitive, heads = rows.data.sensitive, rows.data.heads
    of_groups = rows.training if rows.test is None else rows.test
    for name in [] if sensitive is None else map(str, sensitive.columns):
        everybody = group_labels(sensitive[name], len(rows.data.y))  # type: ignore[index]
        labels = everybody[of_groups]
        if (values := len(set(labels))) > MAX_GROUPS:
            left_out.append(f"{name} has {values} values, more than {MAX_GROUPS}")
            continue
        report(f"rates by {name}")
        counted = group_confusions(groups=labels, **predicted(card.model, rows.weighted, of_groups))
        large = compared_groups(everybody, rows.data.y.to_numpy() == 1, None, heads)
        compared[name] = {group: counted[group] for group in large if group in counted}
        groups[name] = rates_table(counted)

    def scored(model: Model | None, at: np.ndarray | None) -> Score | None:
        return None if model is None or at is None else _score(model, rows, at)

    return Scores(
        training=scored(card.model, rows.training),
        test=scored(card.model, rows.test),
        groups=groups,
        on_test=rows.test is not None,
        compared=compared,
        left_out=tuple(left_out),
        free=(scored(card.unconstrained, rows.training), scored(card.unconstrained, rows.test)),
    )


def _of_classes(counted: Confusion) -> Score | None:
    """Of what a list of several classes gets right, as found positives, and wrong, as alarms; None of no rows."""
    return Score(counted, several=True) if counted.weight else None


def _of_class_rows(model: MultiClassRuleList, rows: ClassRows, at: np.ndarray) -> Score | None:
    """On the rows at these positions; those of classes that no training row has are wrong."""
    labels = rows.labels.iloc[at].to_numpy(dtype=object)
    right = np.asarray(model.predict(rows.data.X.iloc[at]), dtype=object) == labels
    weights = (None if each is None else each.iloc[at].to_numpy() for each in (rows.data.weight, rows.data.heads))
    return _of_classes(confusion(right, np.ones(len(at), dtype=bool), *weights))


def _remembered(model: Model) -> Score | None:
    """Scores on the training rows, from the counts in the model."""
    if isinstance(model, RuleSet):
        t = model.training
        yes, no = model.probabilities
        return Score(t, roc_auc([yes, no], [t.true_positive, t.false_negative], [t.false_positive, t.true_negative]))
    assert isinstance(model, DecisionList)
    every, counted = (*model.rules, model.default), training_confusion(model)
    if not counted.weight:
        return None
    p, positives, negatives = zip(*((rule.probability, rule.positives, rule.negatives) for rule in every), strict=True)
    return Score(counted, roc_auc(p, positives, negatives))


def _score(model: Model, rows: Rows, at: np.ndarray) -> Score:
    seen = predicted(model, rows.weighted, at)
    actual, weights = seen["actual"], seen["sample_weight"]
    weight = np.ones(len(at)) if weights is None else weights
    likely = model.predict_proba(rows.data.X.iloc[at])[:, -1]
    return Score(confusion(**seen), roc_auc(likely, weight * actual, weight * ~actual))


RATES = {"accuracy": "accuracy", "true_positive_rate": "recall", "precision": "precision"}
"""Rates that every card shows, with the names that they go by there."""
EXPLAINED = (
    *("objective", "lower bound", "gap", "accuracy", "recall", "precision"),
    *("TPR", "FPR", "selected", "95 % intervals"),
)
"""Lines of a card whose meaning the glossary has."""
TERMS = texts("figures of cards")  # what the other lines mean


@dataclass(frozen=True)
class Value:
    """One number of a card."""

    number: float = math.nan  # ``nan`` where there is none
    text: str = NONE
    small: str = ""  # an interval; or why there is no number


@dataclass(frozen=True)
class Figure:
    """One line of a card."""

    name: str
    unit: str
    values: tuple[Value, ...]  # on the training rows and on the test rows; only one where the rows do not matter
    compared: bool = True  # whether a difference to the same line of another card means something


def figures(card: Card, scores: Scores, beside: Card | None = None) -> list[Figure]:
    """All lines of a card, as many as of any other one; ``beside``: the card that it is compared with."""
    family, proof = card.model.family, card.proof
    unit = LEAST_GAP.unit if card.is_of_least_gap else EVERY_FAMILY[family].unit
    alike = beside is None or comparable(card, beside)
    known = beside is None or same_rows(card, beside)
    if proof is None:
        shown = [Value(small="not known")] * 3
    else:
        found, bound, gap = together(proof.objective, proof.objective if proof.proven else proof.lower_bound, family)
        shown = [
            Value(proof.objective, found, grouped(proof.equation)),
            Value(proof.lower_bound, bound),
            Value(proof.gap, gap, "proven" if proof.proven else ""),
        ]
    own = [
        Figure(name, unit, (value,), compared=alike)
        for name, value in zip(("objective", "lower bound", "gap"), shown, strict=True)
    ]
    both = scores.training, scores.test
    rates = [
        Figure(shown, "%", tuple(_rate(score, rate, card) for score in both), known) for rate, shown in RATES.items()
    ]
    auc = tuple(_auc(score, card) for score in both)
    sizes = (("rules", len(card.model.rules)), ("conditions", card.model.n_conditions))
    return [
        *own,
        *rates,
        Figure("AUC", "", auc, compared=known),
        *(Figure(name, "", (Value(n, count(n)),)) for name, n in sizes),
    ]


def _absent(card: Card) -> Value:
    return Value(small="rows not known" if card.rows is None and card.classes is None else "no test rows")


def _rate(score: Score | None, name: str, card: Card) -> Value:
    if score is None:
        return _absent(card)
    value = score.rate(name)
    if math.isnan(value):
        return Value(small=score.why_not(name))
    low, high = score.interval(name)
    return Value(value, percent(value), "" if math.isnan(low) else f"{percent(low)}–{percent(high)}")


def _auc(score: Score | None, card: Card) -> Value:
    if score is None:
        return _absent(card)
    return Value(small=score.why_not("auc")) if math.isnan(score.auc) else Value(score.auc, f"{score.auc:.3f}")


def change(value: Value, other: Value) -> str:
    """The difference to the number on another card, with its sign; "=" where both are shown alike; empty: none."""
    if not math.isfinite(value.number - other.number):
        return ""
    return "=" if value.text == other.text else difference(value.text, other.text)


def alike(cards: Sequence[Card], scores: Sequence[Scores]) -> frozenset[str]:
    """The lines of figures that read the same on all cards."""
    lines = zip(*(figures(card, own) for card, own in zip(cards, scores, strict=True)), strict=True)
    texts = {line[0].name: {tuple((v.text, v.small) for v in figure.values) for figure in line} for line in lines}
    return frozenset(name for name, read in texts.items() if len(read) == 1)


def incumbent_card(
    best: Incumbent,
    labels: tuple[Any, Any] | None = None,
    target: str = "",
    equation: str = "",
    spare: int = 0,
    rows: float | None = None,
    counted: bool = False,
    training: TrainingRows | None = None,
) -> str:
    """The incumbent in words, with what each of its rules captured in training, and a sum.

    `labels`: what to call the negative and the positive class; default: the model's labels. `target`: what is
    predicted. `equation`: the objective, taken apart. `spare`: for how many more rules there is place. `rows`: how many
    training rows there are; by default as many as they weigh. `counted`, `training`: see `rules_table`.
    """
    model = best.model
    names = dict(zip(model.classes, labels or model.classes, strict=True))
    wrong, weight = best.errors, model.weight
    worth = esc(grouped(equation), 400) or objective(best.objective, model.family)
    return (
        f"{rules_table(model, names, target, counted=counted, training=training)}"
        f'<p class="sum">{_size(model)}, {_of_rows(wrong, weight, rows)} wrong '
        f"({percent(wrong / weight)}&nbsp;%), objective {worth}.</p>" + spare * '<div class="spare"></div>'
    )


def _of_rows(wrong: float, weight: float, rows: float | None) -> str:
    """How much of the training rows is wrong: their number, or their weight where that is another."""
    if rows is None or rows == weight:
        return f"{count(wrong)} of {count(weight)} training {'row' if weight == 1 else 'rows'}"
    return f"weight {count(wrong)} of {count(weight)} ({count(rows)} training rows)"


def fairness_notes(latest: Snapshot, unconstrained: Snapshot | None, counted: Mapping[str, float] | None = None) -> str:
    """What is to be known of a fair model: what fairness costs, and whom it is not about; HTML.

    `counted`: the gaps as a constraint counts them that counts an error of several rules several times.
    """
    best, free = latest.incumbent, None if unconstrained is None else unconstrained.incumbent
    known = () if best is None or free is None else (best, free)
    accuracies = [float(1 - each.errors / each.model.weight) for each in known]
    true = latest.detail.get("true_gaps") or {}
    return filled(
        "fairness_notes.html",
        so_far="" if latest.status is Status.OPTIMAL else " so far",
        price=_price(*accuracies) if accuracies else "",
        more={rate.replace("_", " "): gap for rate, gap in (counted or {}).items() if gap != true.get(rate)},
        left_out=latest.detail.get("left_out"),
    )


def on_test_rows(known: Known) -> str:
    """What is wrong on the rows that were kept out of training, as what is wrong on the others is said; HTML."""
    if known.test is None:
        return ""
    right = known.test.accuracy, *known.test.interval("accuracy")
    value, high, low = (1 - each for each in right)
    wrong = with_interval(value, low, high)
    return f'<p class="sum">Of {count(known.test.n_rows)} test rows {wrong}&nbsp;% are wrong.</p>'


def doubt_list(known: Known) -> str:
    """What is to be doubted of a model, as a list; empty when nothing is."""
    return filled("doubts.html", title=TITLE, doubts=doubted(known))


def _price(accuracy: float, without: float) -> str:
    if accuracy < without:
        return price(accuracy, without)
    return f"the constraint costs no accuracy: {percent(accuracy)} % right, {percent(without)} % without it"


def proof_block(shown: Account) -> str:
    """What a search that has ended has shown, to be read and copied."""
    space, ruled_out = grouped(shown.search_space), grouped(shown.ruled_out)
    return filled("account.html", shown=shown, space=space, ruled_out=ruled_out, word=Markup(word("Possible lists")))


def _size(model: Model | MultiClassRuleList) -> str:
    if isinstance(model, RuleSet) and not model.rules:
        return "no rule"
    n = len(model.rules)
    said = "no rule, only the default" if n == 0 else "1 rule" if n == 1 else f"{n} rules"
    if isinstance(model, FallingRuleList):
        falls = "" if model.falls else ", which do not fall everywhere"
        return f"{said}{falls}, positive above {model.threshold:.3g}"
    return said


def in_place_of(before: str, now: str) -> str:
    """``now``, with the height of what stood there before, which is neither seen nor told."""
    return f'<div class="place"><div class="before" aria-hidden="true">{before}</div><div>{now}</div></div>'
