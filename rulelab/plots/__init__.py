"""Static pictures of searches, sweeps and models: HoloViews elements, made of tables.

Each function takes a table (or the object that gives it) and returns elements that compose with ``+`` and ``*`` and
take options through ``.opts``, in Bokeh and in Matplotlib alike::

    import holoviews as hv
    hv.extension("bokeh")
    rl.plots.convergence(classifier.trace_) + rl.plots.cuts(snapshot)
"""

from .models import antecedents, front, frontier, good_models, group_rates
from .searches import ablation, convergence, cuts, incumbents, queue, tree

__all__ = [
    "ablation",
    "antecedents",
    "convergence",
    "cuts",
    "front",
    "frontier",
    "good_models",
    "group_rates",
    "incumbents",
    "queue",
    "tree",
]
