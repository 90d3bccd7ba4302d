"""What rulelab raises besides `rulelab.ParameterError`: imported when it is first used."""

from .lazy import attach, homes

__all__ = list(homes(__file__))
__getattr__, __dir__ = attach(__name__, __file__)
