"""Near-optimal rule lists as the file that TimberTrek shows: each list as the decision tree that it is.

A list is a tree in which the first branch of every split is a leaf. Antecedents are the features of the splits, also
those that join several conditions.

Wang, Zhong, Xin, Takagi, Chen, Chau, Rudin, Seltzer: *TimberTrek: exploring and curating sparse decision trees with
interactive visualization*. IEEE VIS 2022. https://github.com/poloclub/timbertrek
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...data.problem import Problem
from ...models import RuleList

_DIGITS = 5


def as_timbertrek(problem: Problem, models: Sequence[RuleList], objectives: Iterable[float]) -> dict[str, Any]:
    """What TimberTrek reads: ``trie`` of decision paths, ``featureMap`` and ``treeMap``.

    Parameters
    ----------
    problem : Problem
    models : sequence of RuleList
        Those without a rule are left out: a tree of TimberTrek begins with a split.
    objectives : iterable of float
        Of each.

    Returns
    -------
    dict
        Trees are numbered from 1 in the order of the models. A node is ``{"f": [feature, rows, -1], "c": [where it
        holds, where not]}``, a leaf ``{"f": ["+" or "-", rows, of them right]}``, with training weights for rows.

    Raises
    ------
    ValueError
        When no model has a rule.
    """
    root: dict[str, Any] = {"f": "root", "c": []}
    known: dict[tuple[int, ...], dict[str, Any]] = {(): root}
    trees: dict[str, list[Any]] = {}
    used: set[int] = set()
    for number, (model, objective) in enumerate(zip(models, objectives, strict=True), 1):
        if not model.rules:
            continue
        used.update(model.antecedents)
        right = 1 - model.errors / model.weight
        trees[str(number)] = [_tree(model), round(float(objective), _DIGITS), round(float(right), _DIGITS)]
        for length in range(1, len(model) + 1):
            _node(known, model.antecedents[:length])["c"].append({"f": "_", "t": number})
    if not trees:
        raise ValueError("TimberTrek shows trees with a split: no rule list near the optimum has a rule")
    return {"trie": root, "featureMap": {str(j): _feature(problem, j) for j in sorted(used)}, "treeMap": trees}


def _tree(model: RuleList) -> dict[str, Any]:
    positive = model.classes[-1]

    def leaf(rule: Any) -> dict[str, Any]:
        return {"f": ["+" if rule.prediction == positive else "-", rule.captured, rule.correct]}

    node, left = leaf(model.default), model.default.captured
    for rule in reversed(model.rules):
        left += rule.captured
        node = {"f": [str(rule.antecedent), left, -1], "c": [leaf(rule), node]}
    return node


def _node(known: dict[tuple[int, ...], dict[str, Any]], path: tuple[int, ...]) -> dict[str, Any]:
    """The node of a decision path, made where there is none yet; its parent is there."""
    if path not in known:
        known[path] = {"f": str(path[-1]), "c": []}
        known[path[:-1]]["c"].append(known[path])
    return known[path]


def _feature(problem: Problem, antecedent: int) -> list[str]:
    """Name, value and short name; of an antecedent that joins conditions the whole is the name."""
    name = problem.names[antecedent]
    of = None if problem.conditions is None else problem.conditions[antecedent]
    if of is None or len(of) != 1:
        return [name, "", name]
    column = str(of[0].column)
    return [column, name.removeprefix(column).strip(), column]
