"""Families that the page knows nothing of but their record."""

from __future__ import annotations

from ....families import Family
from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import Curves
from ..plots.incumbents import IncumbentsPlot
from .family import Drawing, Look, Shown


def shown(family: Family) -> Shown:
    """Objective and bound, and the models found."""
    look = Look(
        heading=f"Best {family.noun} so far",
        looks_for=(
            f"The search looks for the {family.noun} of least objective. The best one found so far appears here and "
            "changes as the search improves it."
        ),
        columns={},
        plots=(Drawing(BoundsPlot, BoundsPlot), Drawing(IncumbentsPlot, _incumbents, "Models")),
        unit="units of work",
        no_tree="The page does not know the tree of this kind of search.",
    )
    return Shown(look_of=lambda parameters: family.name, looks={family.name: look})


def _incumbents(_curves: Curves) -> Plot:
    return IncumbentsPlot("complexity of the model")
