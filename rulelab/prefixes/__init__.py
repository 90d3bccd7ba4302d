"""Looking into a best-first search over prefixes: its tree as a table, and why the children of a prefix were cut."""

from .nodes import Nodes, Scale
from .replay import WORTHLESS, Children, Places, children, path_to
from .search import Best, PrefixSearch, reason

__all__ = ["WORTHLESS", "Best", "Children", "Nodes", "Places", "PrefixSearch", "Scale", "children", "path_to", "reason"]
