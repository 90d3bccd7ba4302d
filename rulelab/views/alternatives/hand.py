"""A model in the hands of a person: its family, what it is compared with, and what it was before; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, cast

from ...data.fairness import confusions
from ...data.metrics import Confusion
from ...data.problem import Problem
from ...falling_rule_list import FallingRuleListSearch, SoftSearch
from ...families import FAMILIES
from ...models import DecisionList, Model, RuleSet
from ...rule_list import RuleListSearch
from ...rule_set import RuleSetSearch
from ...snapshot import Snapshot, Status
from ...stepping import Search
from ...what_if import Bench, FallingBench, RuleListBench, RuleSetBench
from ..cards import snippet
from ..cards.card import Card, Proof, in_words, of_search
from ..live.prepared import Prepared

Editable: TypeAlias = RuleListSearch | FallingRuleListSearch | RuleSetSearch

KINDS = (
    "rule lists, falling rule lists (by the exact search) and rule sets without a fairness constraint or demands on "
    "their rules"
)
_BENCHES: dict[str, tuple[Any, ...]] = {
    "rule_list": (RuleListBench, "max_length"),
    "falling_rule_list": (FallingBench, "positive_weight", "violation_penalty", "max_length"),
    "rule_set": (RuleSetBench, "max_complexity", "max_conditions", "loss", "form"),
}
"""Of each family what counts costs, and the parameters on which they depend beside the price."""


def editable(search: Search) -> bool:
    """Whether models of this search can be edited."""
    whole = type(search) in (RuleListSearch, FallingRuleListSearch, SoftSearch, RuleSetSearch)
    free = not any(getattr(search, name, None) for name in ("must_use", "max_uses"))
    return whole and free and getattr(search, "fairness", None) is None


def bench_of(search: Search) -> Bench[Any]:
    """What models of a search cost, under which they are changed; ValueError when they are not edited."""
    if not editable(search):
        raise ValueError(f"models of this kind are not edited by hand, but those of {KINDS}")
    bench, *names = _BENCHES[search.family]
    of = search.parameters
    return bench(search.problem, regularization=of["regularization"], **{name: of[name] for name in names})


BY_HAND = "by hand"
_MOST_UNDONE = 200


@dataclass(frozen=True, eq=False)
class Best:
    """What the search has found, which models made by hand are compared with."""

    snapshot: Snapshot
    edited: Any  # its model, to be edited
    objective: Fraction  # without rounding

    @classmethod
    def of(cls, search: Search, snapshot: Snapshot) -> Best:
        """What a search has found, as it is edited."""
        assert snapshot.incumbent is not None
        bench = bench_of(search)
        edited = bench.of(snapshot.incumbent.model)
        return cls(snapshot, edited, bench.objective(edited))

    @property
    def certified(self) -> bool:
        return self.snapshot.status is Status.OPTIMAL


class Hand:
    """A model that is edited, of which every edit can be taken back."""

    def __init__(
        self,
        prepared: Prepared,
        edited: Any = None,  # to begin with; None: no rule
        before: Hand | None = None,  # in hand until now: of the same data and settings, undoing leads back to it
    ) -> None:
        self.bench: Bench[Any] = bench_of(prepared.search)
        self.prepared, self.search = prepared, prepared.search
        self.problem: Problem = prepared.search.problem
        self.best: Best | None = None  # once the search has ended
        # models of an objective of at most the optimum's * (1 + ratio) are within reach; None: nothing is said of that
        self.ratio: float | None = None
        # cards of models that were not made by hand, by these models as they are edited
        self.known: dict[Any, Card] = {}
        self.edited: Any = self.bench.empty() if edited is None else edited  # the model as it is now
        self.past: list[Any] = []  # what undoing leads back to, the last at the end; and what redoing leads to
        if before is not None and before.game == self.game:
            own = [] if before.edited in (self.bench.empty(), self.edited) else [before.edited]
            self.past = [*before.past, *own][-_MOST_UNDONE:]
        self.future: list[Any] = []

    @property
    def noun(self) -> str:
        """What a model is called, for short."""
        return "set" if self.bench.family == "rule_set" else "list"

    @property
    def model(self) -> DecisionList | RuleSet:
        """The model with what each rule captures."""
        model = self.bench.model(self.edited)
        assert isinstance(model, DecisionList | RuleSet)
        return model

    @property
    def objective(self) -> Fraction:
        """Without rounding."""
        return self.bench.objective(self.edited)

    @property
    def refusal(self) -> str:
        """Why this is no model of the family; empty when it is one."""
        return self.bench.refusal(self.edited)

    @property
    def game(self) -> str:
        """What tells data and settings apart where models are compared."""
        _, *names = _BENCHES[self.bench.family]
        of = " ".join(f"{self.search.parameters[name]}" for name in names)
        game = f"{self.problem.fingerprint} {self.bench.price} {of}"
        return game if self.bench.family == "rule_list" else f"{self.bench.family} {game}"

    def take(self, edited: Any) -> None:
        if edited != self.edited:
            self.past = [*self.past, self.edited][-_MOST_UNDONE:]
            self.future = []
            self.edited = edited

    def undo(self) -> None:
        if self.past:
            self.future.append(self.edited)
            self.edited = self.past.pop()

    def redo(self) -> None:
        if self.future:
            self.past.append(self.edited)
            self.edited = self.future.pop()

    def groups(self, attribute: str) -> dict[str, Confusion]:
        """What the model does to the groups of an attribute, on the training rows."""
        masses = self.prepared.masses(attribute)
        counted = confusions(masses, self.bench.predicts_positive(self.edited))
        return dict(zip(masses.names, counted, strict=True))

    def card(self) -> Card:
        """The card of the model; of one that was made by hand it says so. ValueError while there is none, with why."""
        if self.refusal:
            raise ValueError(self.refusal)
        if self.best is None:
            raise ValueError("the optimizer is still searching; the card says how far your model is from the optimum")
        if self.edited in self.known:
            return self.known[self.edited]
        base, objective = of_search(self.search, self.best.snapshot, self.prepared), float(self.objective)
        card = of_other(base, self.prepared, self.model, objective, float(self.best.snapshot.lower_bound))
        return replace(card, name="Made by hand", parameters={**base.parameters, "made": BY_HAND})


def of_other(base: Card, prepared: Prepared, model: Any, objective: float, bound: float) -> Card:
    """The card of another model of a search than the one of its card; it is never called optimal."""
    search = prepared.search
    equation = FAMILIES[model.family].objective(model, search.parameters, search.problem.n_rows)
    return replace(
        base,
        model=model,
        proof=Proof(objective, min(objective, bound), proven=False, scope="", equation=equation),
        search=None,
        unconstrained=None,
        code=snippet.of_model(in_words(model, prepared.labels)),
    )


def edited_of(search: Search, model: Model | None) -> Any:
    """A model, by default the search's best one, as it is edited; None: an empty one. ValueError for one of others."""
    bench = bench_of(search)
    if model is None:
        best = search.advance(1).incumbent if cast(Editable, search).certified else None
        return None if best is None else bench.of(best.model)
    names = search.problem.names
    if model.family != bench.family:
        raise ValueError(f"the model is of the family {model.family}, the search of {bench.family}")
    rules = cast(Any, model).rules
    used = [literal for clause in rules for literal in clause.literals] if isinstance(model, RuleSet) else rules
    known = [each for each in used if each.antecedent is not None]
    if not all(each.antecedent < len(names) and names[each.antecedent] == each.name for each in known):
        raise ValueError("the model is of another problem: its antecedents are not those of the search")
    return bench.of(model)
