"""Searches for one question each, which `rulelab.search` makes, and the bounds of searches; imported when used."""

from .lazy import attach, homes

__all__ = list(homes(__file__))
__getattr__, __dir__ = attach(__name__, __file__)
