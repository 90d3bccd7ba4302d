"""Rules of a random forest, to begin column generation with."""

from __future__ import annotations

import numpy as np

from ...kernels import bits
from ..features import Features
from ..pool import Clause
from ..program import Program

_DEPTH = 4


def forest_rules(program: Program, features: Features, n_trees: int, max_conditions: int, seed: int) -> list[Clause]:
    """The paths to leaves where what the rules should cover prevails, in the trees of a random forest.

    A step to the side where a condition fails is a condition only if the features have its opposite; otherwise it is
    left out of the rule.

    Parameters
    ----------
    program : Program
    features : Features
    n_trees : int
    max_conditions : int
        Trees are no deeper than this, and not deeper than 4.
    seed : int
    """
    from sklearn.ensemble import RandomForestClassifier

    mass = np.zeros((2, program.n_patterns))
    np.add.at(mass, ((program.leave > 0).astype(int)[program.kind], program.pattern), program.mass)
    X = bits.unpack(features.words, features.n_used)
    seen = [np.flatnonzero(side > 0) for side in mass]
    forest = RandomForestClassifier(n_trees, max_depth=min(_DEPTH, max_conditions), random_state=seed)
    rows = np.concatenate(seen)
    labels = np.repeat([0, 1], [len(side) for side in seen])
    forest.fit(X[rows], labels, sample_weight=np.concatenate([mass[k][seen[k]] for k in (0, 1)]))
    index = {words.tobytes(): int(j) for words, j in zip(features.columns, features.used, strict=True)}
    everywhere = bits.pack(np.ones((1, features.n_patterns), dtype=bool))[0]
    opposite = [index.get((words ^ everywhere).tobytes()) for words in features.columns]
    found: dict[Clause, None] = {}
    for tree in forest.estimators_:
        nodes = tree.tree_
        stack: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        while stack:
            node, path = stack.pop()
            if nodes.children_left[node] < 0:
                if path and nodes.value[node, 0].argmax() == 1:
                    found[tuple(sorted(path))] = None
                continue
            j = int(nodes.feature[node])
            fails = opposite[j]
            stack.append((int(nodes.children_left[node]), path if fails is None else path | {fails}))
            stack.append((int(nodes.children_right[node]), path | {int(features.used[j])}))
    return list(found)
