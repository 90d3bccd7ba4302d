"""Pictures of many good models: how good they are, and which antecedents they have."""

from __future__ import annotations

from typing import Any

import holoviews as hv

from ..rule_list import NearOptimal
from .styling import LENGTHS, MODEL, styled

_MOST_MODELS, _MOST_ANTECEDENTS = 150, 20


def good_models(result: NearOptimal) -> Any:
    """Near-optimal models: accuracy against the number of rules, coloured by how far above the optimum they are.

    Parameters
    ----------
    result : NearOptimal

    Returns
    -------
    Points
    """
    frame = result.frame()
    accuracy = 100 * (1 - frame["errors"].to_numpy(dtype=float) / result.problem.total_weight)
    value = hv.Dimension("above", label="objective above the optimum")
    points = hv.Points(
        (frame["rules"].to_numpy(), accuracy, frame["gap"].to_numpy(), range(1, len(frame) + 1)),
        [hv.Dimension("rules"), hv.Dimension("accuracy", label="accuracy (%)")],
        [value, hv.Dimension(MODEL)],
        label="Good models",
    )
    lengths = sorted({int(n) for n in frame["rules"]})
    return styled(points, color="above", cmap=list(LENGTHS), size=7, xticks=lengths, padding=0.1)


def antecedents(result: NearOptimal) -> Any:
    """Which antecedents near-optimal models have, and at which place.

    Parameters
    ----------
    result : NearOptimal

    Returns
    -------
    HeatMap
        A column per model, the best ones; a line per antecedent, those of most models.
    """
    uses: dict[int, int] = {}
    models = result.lists[:_MOST_MODELS]
    for antecedents_of in models:
        for j in antecedents_of:
            uses[j] = uses.get(j, 0) + 1
    shown = sorted(uses, key=lambda j: (-uses[j], j))[:_MOST_ANTECEDENTS]
    cells = [
        (k + 1, result.problem.names[j], place + 1)
        for k, chosen in enumerate(models)
        for place, j in enumerate(chosen)
        if j in shown
    ]
    heat = hv.HeatMap(cells, [MODEL, "antecedent"], hv.Dimension("rule", label="place in the list"))
    return styled(heat.relabel("Antecedents of the models"), cmap=list(LENGTHS))
