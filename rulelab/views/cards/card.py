"""What a model card says: a model with all that is known about how it was made and how good it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from ...datasets import Dataset
from ...families import EVERY_FAMILY, NAMING, OF_SEVERAL, OFFERED, TIME, Family, Parameter, criteria, record_of
from ...families.typed import written
from ...models import Model, MultiClassRuleList, Provenance
from ...report import report
from ...report.report import Claim
from ...snapshot import Snapshot, Status
from ...stepping import Search
from ..live.prepared import ClassRows, Prepared
from ..live.recipe import load_code
from ..live.wording import count, family_name, grouped, today
from ..widgets.esc import plain
from . import snippet
from .rows import Rows, Split

MAX_NOTE = 2000  # most characters of the texts on intended use and limits
MAX_NAME = 80  # most characters of a name
FILE, BROWSER, KEPT = "file", "browser", "kept"
"""Where a card comes from that nobody here has made."""
AnyModel = TypeVar("AnyModel", Model, MultiClassRuleList, Model | MultiClassRuleList)
Recheck = Callable[[Callable[[Callable[[], Any]], Any]], str]
SENTENCE = 300
_MADE_OF = {"quantile groups": "thresholds", "negations": "negations"}
"""Facts of a card whose parameter has another name."""
OF_NAMES = {each.name: each.kind for of in EVERY_FAMILY.values() for each in of.parameters if each.kind in NAMING}
"""Parameters that are names, or columns with what is said of each, with their kinds."""
_UNIT = re.compile(r" \((s|MB)\)$")  # behind the name of a field; on a card it stands behind the number


@dataclass(frozen=True)
class Proof:
    """How good a model is, at least."""

    objective: float  # in the units of the family
    lower_bound: float
    proven: bool  # whether no model of the family has a smaller objective
    scope: str  # among which models
    equation: str = ""  # what the objective is made of, in words; empty: not known
    bound: str = ""  # what the lower bound says, in words; empty: that no model has a smaller objective

    @property
    def gap(self) -> float:
        return 0.0 if self.proven else max(self.objective - self.lower_bound, 0.0)


@dataclass(frozen=True, eq=False)
class Card:
    """A model and what is known about it."""

    model: Model | MultiClassRuleList
    title: str = "model"  # what it is a model of: the name of the data, or of the file
    name: str = ""  # what people call it; empty: they gave it no name
    target: str = ""  # what is predicted
    labels: tuple[Any, Any] | None = None  # what to call the negative and the positive class; None: as the model does
    proof: Proof | None = None
    data: Mapping[str, str] = field(default_factory=dict)  # facts about the data, in words
    parameters: Mapping[str, str] = field(default_factory=dict)  # all that the model depends on besides the data
    made: str = ""  # date, ISO 8601
    # why its rules have fewer conditions than were asked for, and how many; empty: they have not, or it is not known
    fewer: str = ""
    intended_use: str = ""  # written by people
    limits: str = ""
    code: str = ""  # Python that makes the model again
    # `FILE`, `BROWSER` or `KEPT` where everything besides the model is what these say, unchecked; empty for a card made
    # here
    origin: str = ""
    rows: Rows | None = field(default=None, repr=False)
    search: Search | None = field(default=None, repr=False)  # that has proven the model optimal
    # the best one found without the fairness constraint of this one
    unconstrained: Model | None = field(default=None, repr=False)
    # of a list of several classes, in the place of ``rows``
    classes: ClassRows | None = field(default=None, repr=False)
    # checks the proof that is kept of it: takes what to call with what ends the check, and gives a line that begins
    # with "valid" or "not valid"
    recheck: Recheck | None = field(default=None, repr=False)

    @property
    def facts(self) -> dict[str, str]:
        """Data and parameters in words."""
        return {**self.data, **self.parameters}

    @property
    def fairness(self) -> str:
        """The fairness constraint in words; empty where there was none."""
        return self.parameters.get("fairness", "")

    @property
    def is_of_least_gap(self) -> bool:
        """Whether the objective is a gap between groups."""
        return "min accuracy" in self.parameters

    @property
    def named(self) -> Model | MultiClassRuleList:
        """The model with the labels that people know, which it is saved with."""
        return in_words(self.model, self.labels)

    @property
    def names(self) -> dict[Any, Any]:
        """What to call the model's labels."""
        labels = self.labels or self.model.classes
        return dict(zip(self.model.classes, labels[-len(self.model.classes) :], strict=True))

    @property
    def positive(self) -> Any:
        """What to call the positive class."""
        return self.names[self.model.classes[-1]]

    def says_the_same(self, other: Card) -> bool:
        """Whether both have the same rules, proof, data and parameters, whatever people wrote on them."""
        alike = (self.proof, self.facts) == (other.proof, other.facts)
        return alike and self.named.to_dict() == other.named.to_dict()

    def to_json(self) -> str:
        """The saved model, which `rulelab.load_model` reads, with one more entry ``card``."""
        entry = {
            "title": self.title,
            "name": self.name,
            "target": self.target,
            "proof": None if self.proof is None else asdict(self.proof),
            "data": dict(self.data),
            "parameters": dict(self.parameters),
            "made": self.made,
            "fewer": self.fewer,
            "intended_use": self.intended_use,
            "limits": self.limits,
            "unconstrained": None if self.unconstrained is None else self.unconstrained.to_dict(),
        }
        return json.dumps({**self.named.to_dict(), "card": entry}, indent=2, ensure_ascii=False) + "\n"


def in_words(model: AnyModel, labels: tuple[Any, Any] | None) -> AnyModel:
    """The model with these labels, where it has two; those that JSON cannot hold are written as text."""
    if labels is None or len(model.classes) < 2 or isinstance(model, MultiClassRuleList):
        return model
    plainly = [np.asarray(label).item() if isinstance(label, np.generic) else label for label in labels]
    negative, positive = (label if isinstance(label, str | int | float) else str(label) for label in plainly)
    return model.relabelled((negative, positive))


def of_search(search: Search, snapshot: Snapshot, prepared: Prepared | None = None) -> Card:
    """The card of a search's best model so far; ValueError when the search has no model yet."""
    if snapshot.incumbent is None:
        raise ValueError("the search has no model yet; let it run")
    best, prepared = snapshot.incumbent, prepared or Prepared(search)
    recipe, classes, free = prepared.recipe, prepared.classes, prepared.unconstrained
    rows = None if prepared.data is None else Rows(prepared.data, prepared.test_rows, _split(recipe, prepared.data))
    known = rows or classes
    several = search.family in OF_SEVERAL
    return Card(
        model=best.model.proven(Provenance.of(snapshot, search.problem)),
        title=family_name(search.family) if known is None else prepared.name,
        target=prepared.target,
        labels=None if several else prepared.labels,
        proof=Proof(
            objective=best.objective,
            lower_bound=snapshot.lower_bound,
            proven=snapshot.status is Status.OPTIMAL or bool(snapshot.detail.get("gap_is_proven")),
            scope=_scope(search, plain(getattr(recipe, "sensitive", None) or "", 60), prepared.fewer),
            equation=EVERY_FAMILY[search.family].objective(best.model, search.parameters, search.problem.n_rows),
            bound=report(search, snapshot).open if search.kind == "least_gap" and snapshot.lower_bound > 0 else "",
        ),
        data=_facts(search, known),
        parameters=({} if recipe is None else making_in_words(recipe.family, recipe))
        | parameters_in_words(search.parameters, getattr(recipe, "sensitive", None) or ""),
        made=today(),
        fewer=prepared.fewer,
        limits=_limits("" if known is None else known.data.notes, snapshot.detail.get("left_out")),
        code=snippet.of_search(recipe, search, snapshot)
        if recipe and recipe.load_code and not several
        else snippet.of_model(in_words(best.model, prepared.labels)),
        rows=rows,
        search=search if snapshot.status is Status.OPTIMAL else None,
        unconstrained=None if free is None or free.incumbent is None else free.incumbent.model,
        classes=classes,
    )


def prepared_of(search: Search, data: Dataset | None, test_rows: np.ndarray | None = None) -> Prepared:
    """The search with the data that its problem was made from, where they are given."""
    if data is None:
        return Prepared(search)
    labels = data.negative, data.positive
    return Prepared(search, labels, str(data.target), data.name, data=data, test_rows=test_rows)


def _limits(notes: str, left_out: str | None = None) -> str:
    """What the data say of their limits, as a sentence, and whom the fairness constraint left out."""
    return "\n".join(filter(None, (notes[:1].upper() + notes[1:], left_out and f"Groups were {left_out}.")))


def of_model(
    model: Model, data: Dataset | None = None, test: np.ndarray | None = None, split: Split | None = None
) -> Card:
    """The card of a model alone, or of one and the data it was trained on."""
    rows = None if data is None else Rows(data, test, split)
    labels = None if data is None or len(model.classes) < 2 else (data.negative, data.positive)
    return Card(
        model=model,
        title=family_name(model.family) if data is None else data.name,
        target="" if data is None else str(data.target),
        labels=labels,
        data=_facts(None, rows),
        limits=_limits("" if data is None else data.notes),
        code=snippet.of_model(in_words(model, labels)),
        rows=rows,
    )


def annotated(card: Card, intended_use: str, limits: str, name: str = "") -> Card:
    """The card with other texts."""
    return replace(card, intended_use=intended_use[:MAX_NOTE], limits=limits[:MAX_NOTE], name=plain(name, MAX_NAME))


def _split(recipe: Any, data: Dataset) -> Split | None:
    if recipe is None:
        return None
    return Split.of(data, recipe.load_code == load_code(data.name), test_share=recipe.test_share)


def _scope(search: Search, attribute: str, fewer: str) -> str:
    """Among which models, and that rules had to have fewer conditions than were asked for, where they had."""
    whole = plain(grouped(Claim.of(search, attribute, exact=True).whole), SENTENCE)
    return f"{whole}; {fewer.partition(':')[0]}" if fewer else whole


def _facts(search: Search | None, rows: Rows | ClassRows | None) -> dict[str, str]:
    facts = {}
    if rows is not None:
        facts["data set"] = rows.data.name
        if rows.data.source:
            facts["source"] = rows.data.source
        facts["training rows"] = count(rows.data.count(rows.training))
        facts["test rows"] = "none" if rows.test is None or not len(rows.test) else count(rows.data.count(rows.test))
        if rows.data.weight is not None and rows.data.heads is None:
            facts["training weight"] = count(float(rows.data.weight.iloc[rows.training].sum()))
    elif search is not None:
        facts["training rows"] = count(search.problem.n_rows)
    if search is not None:
        facts["antecedents"] = count(search.problem.n_antecedents)
    return facts


def making_in_words(family: Family, parameters: Any) -> dict[str, str]:
    """How the conditions and antecedents of a family were made, in words."""
    words = {"quantile groups": str(parameters["thresholds"]), "negations": "yes" if parameters["negations"] else "no"}
    if family.mined:
        words["conditions per rule"] = f"at most {parameters['max_conditions']}"
        words["support"] = f"{parameters['min_support']:g} to {parameters['max_support']:g}"
    return words


def parameters_in_words(parameters: Mapping[str, Any], attribute: str = "") -> dict[str, str]:
    """What was chosen, in words; parameters that are not set are left out. ``attribute``: whose groups are compared."""
    words = {}
    for name, value in parameters.items():
        if value is None or name == "warm_start":
            continue
        if name == "memory_limit":
            text = f"{value / 1e6:g} MB"
        elif name == "fairness":
            text = criteria.in_words(value, plain(attribute, 60))
        elif name in OF_NAMES:
            text = names_in_words(name, value)
        elif hasattr(value, "to_dict"):
            text = "without " + ", ".join(key.replace("_", " ") for key, used in value.to_dict().items() if not used)
        elif isinstance(value, float):
            text = f"{value:.6g}"
        else:
            text = plain(value, 120).replace("_", " ")
        words[name.replace("_", " ")] = text
    return words


def names_in_words(name: str, value: Any) -> str:
    """The value of one of `OF_NAMES`, as it is typed."""
    value = [value] if isinstance(value, str) and OF_NAMES[name] == "names" else value
    return plain(written(OF_NAMES[name], value), 120)


def kind(card: Card) -> str:
    """What a model of a card is, such as "rule list of least gap"."""
    name = family_name(card.model.family)
    return f"{name} of least gap" if card.is_of_least_gap else name


def short_name(card: Card) -> str:
    """What it is, with the price of a rule or the size of a set, such as "rule list 0.01"."""
    record = record_of("least_gap" if card.is_of_least_gap else "", card.model.family)
    prices = [each.name for each in record.own if each.named and each.kind in ("number", "whole")]
    return " ".join([kind(card), *filter(None, (card.parameters.get(name.replace("_", " ")) for name in prices[-1:]))])


def named(card: Card, fact: str) -> str:
    """What the form calls a parameter of a card; the name of any other fact as it is."""
    parameter = _known_parameters(card.model.family, card.is_of_least_gap).get(fact)
    if parameter is None:
        return fact
    title = _UNIT.sub("", parameter.title)
    return title[:1].lower() + title[1:]


def worded(card: Card, fact: str) -> str:
    """The value of a fact of a card, as the form shows it."""
    value = card.facts[fact]
    parameter = _known_parameters(card.model.family, card.is_of_least_gap).get(fact)
    if parameter is None:
        return value
    if parameter.kind == "switch":
        return {"True": "yes", "False": "no"}.get(value, value)
    choices = (each.replace("_", " ") for each in parameter.choices)
    return dict(zip(choices, parameter.said, strict=False)).get(value.replace("_", " "), value)


def setting(card: Card, fact: str) -> str:
    """A parameter with its value in few words, such as "set complexity C 8"; the data are called as they are."""
    if fact == "data set":
        return worded(card, fact)
    return f"{named(card, fact).partition(':')[0]} {worded(card, fact).partition(':')[0]}"


@cache
def _known_parameters(family: str, of_least_gap: bool) -> dict[str, Parameter]:
    """Parameters by the names that cards keep them under: those of the family, and what others have besides."""
    searches = [record_of("least_gap" if of_least_gap else family, family), EVERY_FAMILY[family], *OFFERED.values()]
    every = [each for record in searches for each in record.own]
    every += [*EVERY_FAMILY[family].parameters, *(each for record in searches for each in record.parameters), TIME]
    found = {each.name: each for each in reversed(every)}
    facts = {name.replace("_", " "): each for name, each in found.items()}
    return {**facts, **{fact: found[name] for fact, name in _MADE_OF.items()}}
