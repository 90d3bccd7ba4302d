"""Tables of what all rule sets near the optimum have in common, as HTML; all text from data goes through `esc`."""

from __future__ import annotations

from typing import Any

from ...data.gaps import CRITERIA
from ...rule_set import RuleSetRanges
from ...rule_set.ranges.uses import uses_in_words
from ..fronts.points import criterion_name
from ..live.wording import count, counted
from ..widgets.esc import esc
from .count_html import RATES, bar, signed
from .finding_sets import FoundSets

_MOST = 20
_FEW_LEFT_OUT = "Groups of few rows are left out."
_USED_BY = {"all": "every set", "some": "some sets", "none": "no set", "not known": "not known"}
_ABOUT = (
    "<h2>What can be said of all sets without listing them?</h2>"
    "<p>Two searches for each column answer whether every set near the optimum uses it, some do, or none: one for a "
    "set that has to use it, and one for a set without it. So it does not matter how many sets there are, nor whether "
    "they could all be found.</p>"
)


def verdict(known: RuleSetRanges, found: FoundSets) -> tuple[str, str]:
    """How much is proven: a tone and a sentence."""
    what = (
        f"of all rule sets of rules of at most {counted(found.result.max_conditions, 'conditions')} within "
        f"{100 * found.ratio:.4g} % of the optimum"
    )
    return proven(known, what if known.optimum else f"of all rule sets {up_to(known)}")


def up_to(known: RuleSetRanges) -> str:
    """Which objective counts as near the optimum."""
    return f"of an objective of at most {known.threshold:.10g}"


def proven(known: RuleSetRanges, what: str) -> tuple[str, str]:
    """How much is proven of the sets that begin with "of all rule sets": a tone and a sentence."""
    n = len(known.columns)
    open_ = int((known.columns["used_by"] == "not known").sum())
    if open_:
        return "limit", f"{what[3:]}: {open_} of {counted(n, 'columns')} not clear by the limit, or the stop"
    loose = known.columns[["fewest", "most"]].to_numpy() != known.columns[["at_least", "at_most"]].to_numpy()
    also = "" if not loose.any() else ", but for some numbers of conditions, of which limits are given"
    return "proven", f"certified {what}: who uses each of {counted(n, 'columns')}{also}"


def said(columns: RuleSetRanges | None, gaps: RuleSetRanges | None, busy: bool, criterion: str) -> str:
    """Everything that is known."""
    if columns is None:
        begin = "“Find ranges” looks within the distance of “Find good models”."
        return _ABOUT + ("" if busy else f'<p class="empty">{begin}</p>')
    return of_columns(columns) + ("" if gaps is None else of_groups(gaps, criterion))


def of_columns(known: RuleSetRanges) -> str:
    """Who uses each column, and how often."""
    used = known.columns[known.columns["used_by"] != "none"]
    rows = "".join(
        f'<tr><th scope="row">{esc(str(name), 80)}</th><td>{_USED_BY[row.used_by]}</td><td>{uses_in_words(row)}</td>'
        f"<td>{_worth(row.bound, row.objective)}</td><td>{_worth(row.without_bound, row.without)}</td><td></td></tr>"
        for name, row in zip(used.index, used.itertuples(index=False), strict=True)
    )
    idle = [esc(str(name), 80) for name in known.columns.index[known.columns["used_by"] == "none"]]
    note = ""
    if idle:
        others = f" and {count(len(idle) - _MOST)} more" if len(idle) > _MOST else ""
        note = f'<p class="note">No set uses {", ".join(idle[:_MOST])}{others}.</p>'
    return (
        '<h3>Use of each column, over all sets</h3><table aria-label="Use of each column" class="ranges"><thead><tr>'
        '<th scope="col">column</th><th scope="col">used by</th><th scope="col">conditions on it</th>'
        '<th scope="col">best with it</th><th scope="col">best without</th><th scope="col"></th>'
        f'</tr></thead><tbody>{rows}</tbody></table>{note}<p class="note">The optimum is {known.optimum:.10g}; sets up '
        f"to {known.threshold:.10g} count. “Conditions on it”: how many a set has at least and at most, in all its "
        "rules; where the ends are not proven to be met, what was met is said. A search ends when the answer is clear: "
        "the best objective is at least (≥) the first number and, where a set was found, at most (≤) the second. A "
        "rule that changes nothing counts as use.</p>"
    )


def _worth(bound: float, found: float) -> str:
    """The least objective, or between which numbers it is; an infinite bound: there is no such set."""
    if bound == float("inf"):
        return "there is none"
    if bound == found:
        return f"{bound:.10g}"
    least = f"≥ {bound:.6g}"
    return least if found == float("inf") else f"{least}, ≤ {found:.6g}"


def of_groups(known: RuleSetRanges, criterion: str, note: str = _FEW_LEFT_OUT, most: int = _MOST) -> str:
    """The gap by a criterion, and the ranges of at ``most`` so many differences; ``note`` says which groups count."""
    gap: Any = known.gaps.iloc[0]
    least = f"{100 * gap.least:.2f} points"
    if gap.found == gap.least:
        sentence = f"No set near the optimum has a smaller gap in {esc(criterion_name(criterion))} than {least}."
    else:
        met = "" if gap.found != gap.found else f" One with {100 * gap.found:.2f} points was found."
        sentence = f"Every set near the optimum has a gap in {esc(criterion_name(criterion))} of at least {least}.{met}"
    several = len(CRITERIA[criterion]) > 1
    rows = "".join(
        f'<tr><th scope="row">{esc(row.group, 40)} – {esc(row.other, 40)}'
        f"{', ' + RATES[row.rate] if several else ''}</th>"
        f"<td>{signed(row.at_least)} to {signed(row.at_most)}</td><td>{_met(row)}</td>"
        f"<td>{bar((row.at_least + 1) / 2, (row.at_most + 1) / 2)}</td></tr>"
        for row in known.differences.head(most).itertuples(index=False)
    )
    more = len(known.differences) - most
    others = f'<p class="note">and {count(more)} more pairs</p>' if more > 0 else ""
    return (
        f"<h3>Differences between groups, over all sets</h3><p>{sentence}</p>"
        '<table aria-label="Differences between groups" class="ranges"><thead><tr><th scope="col">groups</th>'
        '<th scope="col">difference, points</th><th scope="col">met</th><th scope="col"></th></tr></thead>'
        f'<tbody>{rows}</tbody></table>{others}<p class="note">The rate of the first group less that of the second, on '
        "the training rows; the middle of the bar is no difference. All sets are within the range: this is proven. "
        f"“Met”: sets of both ends were found, or the range of those that were. {note}</p>"
    )


def _met(row: Any) -> str:
    if row.least == row.at_least and row.greatest == row.at_most:
        return "both ends"
    ends = [signed(end) for end in (row.least, row.greatest) if end == end]
    return " to ".join(ends) if ends else "–"
