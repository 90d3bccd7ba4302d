"""What is shown, in notebooks and on the page; names are imported when first used, from where the stub says."""

from ..lazy import attach, homes

__all__ = list(homes(__file__))
__getattr__, __dir__ = attach(__name__, __file__)
