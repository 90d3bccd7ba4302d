"""Tables of a count of near-optimal lists, as HTML; all text from data goes through `esc`."""

from __future__ import annotations

from ...data.gaps import CRITERIA
from ..live.wording import count
from ..widgets.esc import esc
from .counting import Ranges, Total
from .html import TABLE_CSS

_MOST = 20
_RATES = {
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "selection_rate": "selection rate",
    "accuracy": "accuracy",
}
_ABOUT = (
    "<h2>How many lists are there, all told?</h2>"
    "<p>Where there are too many to list, they are counted: lists of any length, exactly, and what is true of every "
    "one of them, such as the least and the greatest gap between two groups, is proven without looking at each.</p>"
)

_BEGIN = "“Count all lists” counts within the distance of what “Find good models” has found: press that first."

COUNT_CSS = (
    TABLE_CSS
    + """
h3 { font-size: 14px; margin: 16px 0 4px; }
table { max-width: 720px; }
thead th:first-child { text-align: left; }
"""
)


def said(total: Total | None, ranges: Ranges | None, busy: bool, criterion: str) -> str:
    """Everything that is known."""
    if total is None:
        return _ABOUT + (f'<p class="empty">{_BEGIN}</p>' if not busy else "")
    if not total.result.complete:
        return _ABOUT + (
            '<p class="empty">What is true of all lists is known when all are counted: choose a longer time limit, '
            "or a smaller distance.</p>"
        )
    parts = [_by_rules(total)]
    if ranges is None:
        parts.append('<p class="note">Ranges over all lists: ' + ("being found</p>" if busy else "not found</p>"))
    else:
        parts.append(_columns(ranges))
        parts.append(_gaps(ranges, criterion))
    return "".join(parts)


def _by_rules(total: Total) -> str:
    rows = "".join(
        f'<tr><th scope="row">{row.rules}</th><td>{count(row.lists)}</td><td>{100 * row.share:.3g}</td>'
        f"<td>{row.objective:.6f}</td><td></td></tr>"
        for row in total.result.by_rules.itertuples(index=False)
    )
    return (
        '<h3>Lists by number of rules</h3><table aria-label="Lists by number of rules"><thead><tr>'
        '<th scope="col">rules</th><th scope="col">lists</th><th scope="col">% of lists</th>'
        f'<th scope="col">least objective</th><th scope="col"></th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _columns(ranges: Ranges) -> str:
    used = ranges.columns[ranges.columns["most"] > 0]
    rows = "".join(
        f'<tr><th scope="row">{esc(str(name), 80)}</th><td>{100 * least:.1f} to {100 * most:.1f}</td>'
        f"<td>{_bar(least, most)}</td></tr>"
        for name, least, most in used.head(_MOST).itertuples()
    )
    more = len(used) - _MOST
    note = f'<p class="note">and {count(more)} more columns</p>' if more > 0 else ""
    idle = [esc(str(name), 80) for name in ranges.columns.index[len(used) :]]
    if idle:
        others = f" and {count(len(idle) - _MOST)} more" if len(idle) > _MOST else ""
        note += f'<p class="note">No list uses {", ".join(idle[:_MOST])}{others}.</p>'
    return (
        '<h3>Use of each column, over all lists</h3><table aria-label="Use of each column"><thead><tr>'
        '<th scope="col">column</th><th scope="col">decides, % of rows</th><th scope="col"></th></tr></thead>'
        f'<tbody>{rows}</tbody></table>{note}<p class="note">The share of the training rows that rules with a '
        "condition on the column decide: certainly no list is outside these ranges, and at each end there is one. "
        "From 0: some list does without the column.</p>"
    )


def _gaps(ranges: Ranges, criterion: str) -> str:
    if ranges.gaps is None:
        return ""
    if ranges.gaps.empty:
        return '<p class="note">No two groups have enough rows to be compared.</p>'
    several = len(CRITERIA[criterion]) > 1
    rows = "".join(
        f'<tr><th scope="row">{esc(row.group, 40)} – {esc(row.other, 40)}'
        f"{', ' + _RATES[row.rate] if several else ''}</th><td>{100 * row.least:+.1f} to {100 * row.greatest:+.1f}</td>"
        f"<td>{_bar((row.least + 1) / 2, (row.greatest + 1) / 2)}</td></tr>"
        for row in ranges.gaps.head(_MOST).itertuples(index=False)
    )
    more = len(ranges.gaps) - _MOST
    note = f'<p class="note">and {count(more)} more pairs</p>' if more > 0 else ""
    return (
        '<h3>Differences between groups, over all lists</h3><table aria-label="Differences between groups"><thead><tr>'
        '<th scope="col">groups</th><th scope="col">difference, points</th><th scope="col"></th></tr></thead>'
        f'<tbody>{rows}</tbody></table>{note}<p class="note">The rate of the first group less that of the second, on '
        "the training rows; the middle of the bar is no difference. Every list is within the range, and at each end "
        "there is one.</p>"
    )


def _bar(low: float, high: float) -> str:
    width = max(100 * (high - low), 1)
    return f'<span class="bar"><span style="left:{min(100 * low, 99):.1f}%;width:{width:.1f}%"></span></span>'
