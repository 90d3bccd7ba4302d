"""What all near-optimal rule sets have in common as one HTML file that opens without a network; text is escaped."""

from __future__ import annotations

from dataclasses import replace

from ...data.gaps import CONSTRAINED, CRITERIA
from ...rule_set import RuleSetRanges
from ..live.wording import counted
from ..widgets.esc import esc
from . import ranges_html
from .count_html import COUNT_CSS
from .offline import document, predicting
from .packing import Labels

MOST = 1000
"""So many differences between groups are in a table, of each criterion."""
_NAMES = {CONSTRAINED.get(name, name): name for name in CRITERIA}


def page_of_ranges(known: RuleSetRanges, conditions: int, labels: Labels) -> str:
    """The file: who uses each column and how often, and the ranges of the gaps that were asked for.

    Parameters
    ----------
    known : RuleSetRanges
        With ``graded`` columns.
    conditions : int
        Most conditions of a rule.
    labels : Labels
    """
    over = f"of all rule sets of rules of at most {counted(conditions, 'conditions')}, {ranges_html.up_to(known)}"
    said = ranges_html.proven(known, over)[1]
    parts = [f"<p><b>{esc(said[:1].upper() + said[1:], 400)}.</b></p>{ranges_html.of_columns(known)}"]
    for criterion in known.gaps.index:
        name = _NAMES[criterion]
        rates = known.differences["rate"].isin(CRITERIA[name])
        part = replace(known, gaps=known.gaps.loc[[criterion]], differences=known.differences[rates])
        parts.append(ranges_html.of_groups(part, name, "All groups are compared.", MOST))
    return document(
        f"All good rule sets: {labels.title}",
        f"{counted(len(known.columns), 'columns')}{predicting(labels)}",
        "".join(f'<section class="box">{part}</section>' for part in parts),
        "",
        COUNT_CSS.replace(":host", "main"),
    )
