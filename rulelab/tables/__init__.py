"""Tables of any size, counted where they lie: what rules can tell apart, and how many rows there are of each kind."""

from ..arguments import TableError
from .counting import count
from .opening import open_table as open  # noqa: A004 - as in `gzip.open`
from .pattern_counts import PatternCounts, as_rows
from .pattern_counts import load_counts as load
from .split import Split
from .table import Table

__all__ = ["PatternCounts", "Split", "Table", "TableError", "as_rows", "count", "load", "open"]
