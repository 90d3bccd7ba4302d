"""What searches, checks and models give, which nobody makes: imported when it is first used."""

from .lazy import attach, homes

__all__ = list(homes(__file__))
__getattr__, __dir__ = attach(__name__, __file__)
