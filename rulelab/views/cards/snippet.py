"""Python that makes a model again: data, binarization, antecedents, search."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from ...families import BINARIZING
from ...lazy import called
from ...models import Model, MultiClassRuleList
from ...snapshot import Snapshot, Status
from ...stepping import Search
from ..live.recipe import SPLIT_SEED, PageRecipe

_SPLITTER = "from sklearn.model_selection import train_test_split"


def of_search(recipe: PageRecipe, search: Search, snapshot: Snapshot) -> str:
    """A script that does what the page did, and ends with ``model``, the same as the snapshot's.

    A search does the same work in every slicing, so that the limit on work of an unfinished search gives its model.
    """
    at = ".iloc[training]" if recipe.test_share else ""
    limit = {} if snapshot.status is Status.OPTIMAL else {"work_limit": max(snapshot.work, 1)}
    changed = _changed(search)
    return "\n".join(
        [
            "import rulelab as rl",
            *imports(changed.values()),
            *([_SPLITTER] if recipe.test_share and not recipe.counted else []),
            "",
            *(_counted(recipe) if recipe.counted else [f"data = {recipe.load_code}", *_split(recipe)]),
            *([] if recipe.counted else _features(recipe, at)),
            *([f"features = features.drop(columns={list(recipe.forbidden)!r})"] if recipe.forbidden else []),
            *_problem(recipe, search, at),
            *_call(search),
            *(f"    {name}={source(value)}," for name, value in changed.items()),
            ")",
            f"last = rl.solve({', '.join(filter(None, ['search', _arguments(**limit)]))})",
            "",
            "model = last.incumbent.model",
            "print(model.relabelled((data.negative, data.positive)).to_text(data.target))",
            'print(f"objective {last.incumbent.objective:.6f}, lower bound {last.lower_bound:.6f}, {last.status}")',
            "",
        ]
    )


def of_model(model: Model | MultiClassRuleList) -> str:
    """A script that holds the model itself, for one whose training is not known."""
    read = "parse_model" if isinstance(model, Model) else "parse_any_model"
    return "\n".join(
        [f"from rulelab.models import {read}", "", f"model = {read}({model.to_json()!r})", "print(model)", ""]
    )


def imports(values: Iterable[Any]) -> list[str]:
    """Of the values that the package itself does not offer by name."""
    kinds = {type(value) for value in values if is_dataclass(value)}
    own = {kind.__name__: kind for kind in kinds if called(kind.__name__) == kind.__name__}
    return [f"from {'.'.join(kind.__module__.split('.')[:2])} import {name}" for name, kind in sorted(own.items())]


def counting(recipe: PageRecipe) -> list[str]:
    """What makes ``counts`` of a table of the server: where its file lies is for the reader to say."""
    arguments = _arguments(**{each.name: recipe[each.name] for each in BINARIZING})
    draw = f".split_at_random({_arguments(share=recipe.test_share, seed=SPLIT_SEED)})" if recipe.test_share else ""
    return [
        f"table = {recipe.load_code}",
        f"binarizer = rl.Binarizer({arguments}).fit({recipe.counted.features_code()})",
        f"counts = rl.tables.count(table, binarizer, {recipe.counted.count_code()}){draw}",
    ]


def _counted(recipe: PageRecipe) -> list[str]:
    split = recipe.test_share
    return [
        *counting(recipe),
        "data = counts.dataset()",
        *(["training, test = counts.positions"] if split else []),
        f"features = counts.{'training.' if split else ''}frame",
    ]


def _split(recipe: PageRecipe) -> list[str]:
    if not recipe.test_share:
        return []
    return [
        "training, test = train_test_split(",
        f"    range(len(data.y)), stratify=data.y, {_arguments(test_size=recipe.test_share, random_state=SPLIT_SEED)}",
        ")",
    ]


def _features(recipe: PageRecipe, at: str) -> list[str]:
    if not recipe.binarizes:
        return [f"features = data.X{at}"]
    arguments = _arguments(**{each.name: recipe[each.name] for each in BINARIZING})
    return [
        f"binarizer = rl.Binarizer({arguments})",
        f"features = binarizer.fit_transform(data.X{at}{_weight(recipe, at)})",
    ]


def _problem(recipe: PageRecipe, search: Search, at: str) -> list[str]:
    weight, compared = _weight(recipe, at), search.problem.groups is not None
    known = [f"groups = data.sensitive[{recipe.sensitive!r}]"] if compared else []
    groups = f", groups=groups{at}" if compared else ""
    if recipe.family.mined:
        mined = {name: recipe[name] for name in ("max_conditions", "min_support", "max_support")}
        by_class = f", y=data.y{at}" if recipe["by_class"] else ""
        without = f".without({list(recipe.joined)!r})" if recipe.joined else ""
        return [
            f"antecedents = rl.mine_antecedents(features, {_arguments(**mined)}{by_class}{weight})",
            *known,
            f"problem = rl.Problem.from_antecedents(antecedents, data.y{at}{weight}{groups}){without}",
        ]
    ways = f".monotone({recipe['monotone']!r})" if recipe.directions else ""
    return [*known, f"problem = rl.Problem.from_arrays(features, data.y{at}{weight}{groups}){ways}"]


def _weight(recipe: PageRecipe, at: str) -> str:
    """The argument that says how much rows count."""
    return f", sample_weight=data.weight{at}" if recipe.weighted else ""


def _call(search: Search) -> list[str]:
    """What makes the search: its class, where the package offers it by name."""
    name = called(type(search).__name__)
    if name.count(".") == 1:
        return [f"search = {name}(", "    problem,"]
    return ["search = rl.search(", "    problem,", f"    {search.family!r},"]


def _changed(search: Search) -> dict[str, Any]:
    """The search's parameters that are not the defaults."""
    defaults = {name: p.default for name, p in inspect.signature(type(search).__init__).parameters.items()}
    return {name: value for name, value in search.parameters.items() if value != defaults.get(name)}


def _arguments(**arguments: Any) -> str:
    return ", ".join(f"{name}={source(value)}" for name, value in arguments.items())


def source(value: Any) -> str:
    """Python source of a parameter: plain values, the package's own frozen options, and tables and lists of these."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {source(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(source, value))}]"
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name) != f.default}
        return f"{called(type(value).__name__)}({_arguments(**changed)})"
    return repr(value)
