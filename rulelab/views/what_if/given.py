"""What a view of a search of one's own begins with."""

from __future__ import annotations

from typing import Any, cast

from ...datasets import Dataset
from ...models import DecisionList, Model, RuleSet
from ...search import Search
from ..live.prepared import Prepared
from .family import Editable, bench_of


def prepared_of(search: Search, data: Dataset | None) -> Prepared:
    """The search with the data that its problem was made from, where they are given."""
    if data is None:
        return Prepared(search)
    return Prepared(search, (data.negative, data.positive), str(data.target), data.name, data=data)


def edited_of(search: Search, model: Model | None) -> Any:
    """A model of the search, by default its best one, as it is edited; None: an empty model.

    Raises
    ------
    ValueError
        When the model is of another family or another problem.
    """
    bench = bench_of(search)
    if model is None:
        best = search.advance(1).incumbent if cast(Editable, search).certified else None
        return None if best is None else bench.of(best.model)
    names = search.problem.names
    if model.family != bench.family:
        raise ValueError(f"the model is of the family {model.family}, the search of {bench.family}")
    used = (
        [(literal.antecedent, literal.name) for clause in model.rules for literal in clause.literals]
        if isinstance(model, RuleSet)
        else [(r.antecedent, r.name) for r in cast(DecisionList, model).rules if r.antecedent is not None]
    )
    if not all(antecedent < len(names) and names[antecedent] == name for antecedent, name in used):
        raise ValueError("the model is of another problem: its antecedents are not those of the search")
    return bench.of(model)
