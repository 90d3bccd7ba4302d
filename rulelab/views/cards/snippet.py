"""Python that makes a model again: data, binarization, antecedents, search."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from typing import Any

import rulelab

from ...models import Model
from ...search import Search, Snapshot, Status
from ..live.recipe import SPLIT_SEED, Recipe

_SEARCHES = {
    "rule_list": "RuleListSearch",
    "falling_rule_list": "FallingRuleListSearch",
    "rule_set": "RuleSetSearch",
}
_MINING = ("max_conditions", "min_support", "max_support")


def of_search(recipe: Recipe, search: Search, snapshot: Snapshot) -> str:
    """A script that does what the page did, and ends with ``model``, the same as the snapshot's.

    A search does the same work in every slicing, so that the limit on work of an unfinished search gives its model.
    """
    at = ".iloc[training]" if recipe.test_share else ""
    limit = {} if snapshot.status is Status.OPTIMAL else {"work_limit": max(snapshot.work, 1)}
    changed = _changed(search)
    return "\n".join(
        [
            "import rulelab as rl",
            *_imports(changed, recipe),
            "",
            f"data = {recipe.load_code}",
            *_split(recipe),
            f"binarizer = rl.Binarizer({_arguments(thresholds=recipe.quantiles, negations=recipe.negations)})",
            f"features = binarizer.fit_transform(data.X{at}{_weight(recipe, at)})",
            *_problem(recipe, search, at),
            f"search = rl.{_SEARCHES[search.family]}(",
            "    problem,",
            *(f"    {name}={_source(value)}," for name, value in changed.items()),
            ")",
            f"last = rl.solve({', '.join(filter(None, ['search', _arguments(**limit)]))})",
            "",
            "model = last.incumbent.model",
            "print(model.relabelled((data.negative, data.positive)).to_text(data.target))",
            'print(f"objective {last.incumbent.objective:.6f}, lower bound {last.lower_bound:.6f}, {last.status}")',
            "",
        ]
    )


def of_model(model: Model) -> str:
    """A script that holds the model itself, for one whose training is not known."""
    return "\n".join(
        [
            "from rulelab.models import parse_model",
            "",
            f"model = parse_model({model.to_json()!r})",
            "print(model)",
            "",
        ]
    )


def mining(recipe: Recipe) -> dict[str, Any]:
    """How antecedents were mined; empty for a recipe whose problem has the conditions themselves."""
    return {name: getattr(recipe, name) for name in _MINING if hasattr(recipe, name)}


def _imports(changed: dict[str, Any], recipe: Recipe) -> list[str]:
    """Of what the package itself does not offer by name."""
    kinds = {type(value) for value in changed.values() if is_dataclass(value)}
    own = [kind for kind in kinds if kind.__name__ not in rulelab.__all__]
    lines = [f"from {'.'.join(kind.__module__.split('.')[:2])} import {kind.__name__}" for kind in own]
    return [*lines, *(["from sklearn.model_selection import train_test_split"] if recipe.test_share else [])]


def _split(recipe: Recipe) -> list[str]:
    if not recipe.test_share:
        return []
    return [
        "training, test = train_test_split(",
        f"    range(len(data.y)), stratify=data.y, {_arguments(test_size=recipe.test_share, random_state=SPLIT_SEED)}",
        ")",
    ]


def _problem(recipe: Recipe, search: Search, at: str) -> list[str]:
    weight = _weight(recipe, at)
    if mined := mining(recipe):
        return [
            f"antecedents = rl.mine_antecedents(features, {_arguments(**mined)}{weight})",
            f"problem = rl.Problem.from_antecedents(antecedents, data.y{at}{weight})",
        ]
    if search.problem.groups is None:
        return [f"problem = rl.Problem.from_arrays(features, data.y{at}{weight})"]
    return [
        f"groups = data.sensitive[{getattr(recipe, 'sensitive', None)!r}]",
        f"problem = rl.Problem.from_arrays(features, data.y{at}{weight}, groups=groups{at})",
    ]


def _weight(recipe: Recipe, at: str) -> str:
    """The argument that says how much rows count."""
    return f", sample_weight=data.weight{at}" if recipe.weighted else ""


def _changed(search: Search) -> dict[str, Any]:
    """The search's parameters that are not the defaults."""
    defaults = {name: p.default for name, p in inspect.signature(type(search).__init__).parameters.items()}
    return {name: value for name, value in search.parameters.items() if value != defaults.get(name)}


def _arguments(**arguments: Any) -> str:
    return ", ".join(f"{name}={_source(value)}" for name, value in arguments.items())


def _source(value: Any) -> str:
    """Python source of a parameter: plain values, and the package's own frozen options."""
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        changed = {f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name) != f.default}
        return f"{'rl.' if name in rulelab.__all__ else ''}{name}({_arguments(**changed)})"
    return repr(value)
