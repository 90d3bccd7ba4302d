"""Fronts: the best model at each of many places, such as accuracies or tolerances, each certified or with its bound."""

from .frontier import BY, GapFrontier, ToleranceFrontier, frontier
from .search import Frontier, FrontPoint

__all__ = ["BY", "FrontPoint", "Frontier", "GapFrontier", "ToleranceFrontier", "frontier"]
