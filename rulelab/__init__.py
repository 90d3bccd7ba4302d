"""Certifiably optimal rule lists and rule sets: exact searches to watch, compare and check.

Names are imported when first used, so that ``import rulelab`` compiles nothing and loads no user interface; the stub
beside this file says from where.
"""

from .lazy import attach, homes

__version__ = "0.2.0"
__all__ = ["__version__", *homes(__file__)]
__getattr__, __dir__ = attach(__name__, __file__)
