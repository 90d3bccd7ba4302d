"""Model cards of a point: of the model of one fold, or of one that is searched again on all rows."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from ...data.conditions import NothingFound
from ...datasets import Dataset
from ...families import least_gap
from ...recipe import Recipe
from ...sweeps import FAMILIES, Result, Sweep
from ...sweeps.families import BINARIZING
from ...sweeps.plan import Fold
from ..cards import card as cards
from ..cards.card import Card, Proof
from ..cards.rows import Rows, Split
from ..live.prepared import Prepared
from ..live.wording import count, family_name
from ..widgets.esc import plain
from .points import asked_in_words, in_words


def data_of(sweep: Sweep) -> Dataset:
    """The data set as the sweep knows it: without the names of the target and of its classes."""
    plan = sweep.plan
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


def of_fold(
    sweep: Sweep, result: Result, data: Dataset, code: str = "", named: bool = False, test_share: float = 0.0
) -> Card:
    """The card of the model of one fold: trained on the other rows, tested on these.

    Parameters
    ----------
    sweep : Sweep
    result : Result
    data : Dataset
        Of the sweep.
    code : str
        Python that starts the sweep as ``sweep``; empty: not known.
    named : bool
        Whether `rulelab.datasets.load` knows the data by name.
    test_share : float
        Of the split of a question; 0: dealt to folds.

    Raises
    ------
    ValueError
        When the fit has no model.
    """
    plan = sweep.plan
    folds = {"folds": plan.n_folds, "fold": result.fold, "seed": plan.random_state}
    split = Split.of(data, named, **({"test_share": test_share} if test_share else folds))
    card = cards.of_model(result.load(), data, np.flatnonzero(plan.fold_of == result.fold), split)
    proof = None
    if result.objective is not None and result.lower_bound is not None:
        bounds = result.objective, result.lower_bound
        proof = Proof(*bounds, result.status == "optimal", *_said(sweep, result))
    again = (
        f"{code}\nsweep.wait()\n"
        f"result = next(r for r in sweep.results if (r.point, r.fold) == ({result.point}, {result.fold}))\n"
        "model = result.load()\nprint(model)\n"
    )
    title = title_of(data.name, sweep, result.fold)
    return _completed(replace(card, code=again if code else card.code), sweep, result.point, title, proof)


def title_of(name: str, sweep: Sweep, fold: int) -> str:
    """What a card of a fold is a model of."""
    plan = sweep.plan
    return f"{name}, training rows" if plan.split else f"{name}, fold {fold + 1} of {plan.n_folds}"


def _said(sweep: Sweep, result: Result) -> tuple[str, str, str]:
    """Scope, equation and bound of what a fit has proven, in words."""
    where = "these conditions" if sweep.plan.split else "the conditions of this fold"
    method = FAMILIES[result.family]
    asked = asked_in_words(sweep, result.point)
    where += f" ({asked})" if asked else ""
    if not method.family.needs_groups:
        return f"no {family_name(result.family)} over {where} has a smaller objective", "", ""
    chosen, attribute = sweep.parameters_of(result.point), plain(" and ".join(sweep.plan.identity["sensitive"]), 60)
    bound = "" if result.lower_bound is None else least_gap.bound(chosen, where, result.lower_bound)
    return (
        least_gap.claim(chosen, where, attribute),
        method.family.objective(result.load(), chosen),
        bound,
    )


def refitted(sweep: Sweep, point: int, data: Dataset, report: Callable[[str], None], named: bool = False) -> Card:
    """The card of the configuration searched once more, on all rows; such a model has no test rows.

    Parameters
    ----------
    sweep : Sweep
    point : int
        A configuration of a family.
    data : Dataset
        Of the sweep.
    report : callable
        Told what is being done; it may raise to end the work.
    named : bool
        Whether `rulelab.datasets.load` knows the data by name.

    Raises
    ------
    ValueError
        When there is no such model.
    """
    plan, chosen = sweep.plan, sweep.parameters_of(point)
    method = FAMILIES[next(result.family for result in sweep.results if result.point == point)]
    if plan.counts is not None:
        data = replace(plan.counts, test=None, split="").dataset()
    report("making the conditions of all rows")
    part = replace(plan, fold_of=np.ones_like(plan.fold_of)).fold(0).train
    title = f"{data.name}, all rows"
    rows = Rows(data, None, Split.of(data, named))
    try:
        problem = method.problem(Fold(0, part, part, plan.compared), chosen)
    except NothingFound as error:
        if Recipe(method.family, chosen).demands:
            raise
        model, objective = method.without_rules(part, chosen)
        proof = Proof(objective, objective, True, str(error))
        return _completed(replace(cards.of_model(model, data), rows=rows), sweep, point, title, proof)
    search = method.search(problem, chosen, plan)
    report("compiling the search")
    search.compile()
    for snapshot in search.steps(time_limit=plan.time_limit, gap=plan.gap):  # noqa: B007 - the last one counts
        report("searching on all rows")
    if snapshot.incumbent is None:
        asked = asked_in_words(sweep, point)
        met = f"obeys ({asked})" if asked else "meets the constraint"
        raise ValueError(f"on all rows no {family_name(method.name)} that {met} was found")
    prepared = Prepared(search, (data.negative, data.positive), str(data.target), data.name, data=data)
    card = replace(cards.of_search(search, snapshot, prepared), rows=rows)
    return _completed(card, sweep, point, title, card.proof)


def parameters(sweep: Sweep, point: int) -> dict[str, str]:
    """All parameters of a configuration in words, and how it was validated; those that are not set are left out."""
    plan = sweep.plan
    chosen = dict(sweep.parameters_of(point))
    found = {"quantile groups": in_words("thresholds", chosen.pop("thresholds"))}
    if plan.counts is not None:
        found = {"conditions": f"{count(len(plan.counts.conditions))}, under which the rows were counted"}
        chosen = {name: value for name, value in chosen.items() if name not in BINARIZING}
    if "min_support" in chosen:
        found["conditions per rule"] = f"at most {chosen.pop('max_conditions')}"
        found["support"] = f"{chosen.pop('min_support'):g} to {chosen.pop('max_support'):g}"
    found |= {name.replace("_", " "): _in_words(name, value) for name, value in chosen.items() if value is not None}
    if plan.split:
        found["test split"] = plan.split
    else:
        found["cross-validation"] = f"{plan.n_folds} folds, seed {plan.random_state}"
    if plan.time_limit is not None:
        found["time limit"] = f"{plan.time_limit:g} s"
    if plan.resample is not None:
        found["resampling"] = plan.resample
    return found


def _in_words(name: str, value: object) -> str:
    if name == "memory_limit" and isinstance(value, int | float):
        return f"{value / 1e6:g} MB"
    text = in_words(name, value)
    return text.replace("_", " ") if isinstance(value, str) else text


def _completed(card: Card, sweep: Sweep, point: int, title: str, proof: Proof | None) -> Card:
    made = datetime.datetime.now(datetime.UTC).date().isoformat()
    return replace(card, title=title, proof=proof, parameters=parameters(sweep, point), made=made)
