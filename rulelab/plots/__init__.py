"""Static pictures of searches, sweeps and models: HoloViews elements, made of tables.

Each function takes a table (or the object that gives it) and returns elements that compose with ``+`` and ``*`` and
take options through ``.opts``, in Bokeh and in Matplotlib alike::

    rl.plots.extension()  # in a notebook: hv.extension("bokeh", inline=True), which leaves the notebook small
    rl.plots.convergence(classifier) + rl.plots.cuts(classifier)
"""

from .extension import extension
from .fronts import antecedents, front, frontier, gap_frontier, good_models, linked
from .rates import curves, group_rates, rates_by_tolerance, roc, strata
from .searches import ablation, column_pool, convergence, cuts, incumbents, queue, remaining, stability, tree

__all__ = [
    "ablation", "antecedents", "column_pool", "convergence", "curves", "cuts", "extension", "front", "frontier",
    "gap_frontier", "good_models", "group_rates", "incumbents", "linked", "queue", "rates_by_tolerance", "remaining",
    "roc", "stability", "strata", "tree",
]  # fmt: skip
