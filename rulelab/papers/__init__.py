"""The figures and tables of the papers, made again: what `rulelab papers` prints, and the page it writes."""

from .figure import Figure, Made
from .page import figures, write
