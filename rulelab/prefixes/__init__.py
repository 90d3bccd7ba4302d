"""Looking into a best-first search over prefixes: its tree as a table, and why the children of a prefix were cut."""

from .nodes import Nodes
from .replay import WORTHLESS, Children, Places, Replay, path_to
from .scale import Scale
from .search import PrefixSearch, reason

__all__ = ["WORTHLESS", "Children", "Nodes", "Places", "PrefixSearch", "Replay", "Scale", "path_to", "reason"]
