"""Fronts: the best model at each of many places, such as accuracies or tolerances, each certified or with its bound."""

from .frontier import BY, frontier
from .gap import GapFrontier
from .search import Frontier, FrontPoint
from .tolerance import ToleranceFrontier

__all__ = ["BY", "FrontPoint", "Frontier", "GapFrontier", "ToleranceFrontier", "frontier"]
