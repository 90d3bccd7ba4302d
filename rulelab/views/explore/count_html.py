"""Tables of a count of near-optimal lists or sets, as HTML; all text from data goes through `esc`."""

from __future__ import annotations

from ...data.gaps import CRITERIA
from ...shown import percent
from ..live.wording import count
from ..widgets.esc import esc
from ..widgets.style import sheet
from .counting import Ranges, Total

_MOST = 20
RATES = {
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "selection_rate": "selection rate",
    "accuracy": "accuracy",
}
_ABOUT = {
    "lists": "<h2>How many lists are there, all told?</h2>"
    "<p>Where there are too many to list, they are counted: lists of any length, exactly, and what is true of every "
    "one of them, such as the least and the greatest gap between two groups, is proven without looking at each.</p>",
    "sets": "<h2>What is true of all sets?</h2>"
    "<p>How many there are, how far two groups can be apart, how much each column is used, and for how many people the "
    "answer depends on which of the sets is taken.</p>",
}

COUNT_CSS = sheet("models.css", "counts.css")


def said(
    total: Total | None, ranges: Ranges | None, busy: bool, criterion: str, ways: str = "lists", found: bool = False
) -> str:
    """Everything that is known.

    Parameters
    ----------
    total : Total or None
    ranges : Ranges or None
    busy : bool
        Whether more is being found.
    criterion : str
        Of the ranges between groups; unused without them.
    ways : str
        "lists" or "sets".
    found : bool
        Whether there are good models, within whose distance all can be counted.
    """
    if total is None:
        begin = f"“Count all {ways}” counts within the distance of what “Find good models” has found"
        begin += ", whether or not it has found all." if found else ": press that first."
        return _ABOUT[ways] + (f'<p class="empty">{begin}</p>' if not busy else "")
    if not total.result.complete:
        return _ABOUT[ways] + (
            f'<p class="empty">What is true of all {ways} is known when all are counted: choose a longer time limit, '
            "or a smaller distance.</p>"
        )
    parts = [_by_rules(total)]
    if ranges is None:
        parts.append(f'<p class="note">Ranges over all {ways}: ' + ("being found</p>" if busy else "not found</p>"))
    else:
        parts.append(_people(ranges, ways))
        parts.append(_columns(ranges, ways))
        parts.append(_gaps(ranges, criterion, ways))
    return "".join(parts)


def _by_rules(total: Total) -> str:
    what = "models" if total.of_sets else "lists"
    rows = "".join(
        f'<tr><th scope="row">{row.rules}</th><td>{count(getattr(row, what))}</td><td>{100 * row.share:.3g}</td>'
        f"<td>{_worth(row.objective, total)}</td><td></td></tr>"
        for row in total.by_rules.itertuples(index=False)
    )
    name = f"{what.capitalize()} by number of rules"
    note = (
        '<p class="note">Sets that predict the same are one model, which has the rules of its cheapest set. In every '
        "set each rule covers some row that no other rule covers.</p>"
        if total.of_sets
        else ""
    )
    return (
        f'<h3>{name}</h3><table aria-label="{name}"><thead><tr>'
        f'<th scope="col">rules</th><th scope="col">{what}</th><th scope="col">% of {what}</th>'
        f'<th scope="col">least objective</th><th scope="col"></th></tr></thead><tbody>{rows}</tbody></table>{note}'
    )


def _worth(value: float, total: Total) -> str:
    return f"{value:.10g}" if total.of_sets else f"{value:.6f}"


def _people(ranges: Ranges, ways: str) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_otherwise(row.above, row.most)}</th><td>{percent(row.rows)}</td>'
        f"<td>{bar(0, row.rows) if row.rows else ''}</td></tr>"
        for row in ranges.people.itertuples(index=False)
    )
    name = f"How far the {ways} agree"
    return (
        f'<h3>{name}</h3><table aria-label="{name}"><thead><tr><th scope="col">{ways} that predict otherwise than '
        'most</th><th scope="col">% of rows</th><th scope="col"></th></tr></thead>'
        f'<tbody>{rows}</tbody></table><p class="note">Training rows by how many of all {ways} predict otherwise than '
        f"most of them. In the rows after the first line the answer depends on which of the good {ways} is taken.</p>"
    )


def _otherwise(above: float, most: float) -> str:
    if not most:
        return "none: all agree"
    return f"some, at most {percent(most, 0)} %" if not above else f"{percent(above, 0)} to {percent(most, 0)} %"


def _columns(ranges: Ranges, ways: str) -> str:
    used = ranges.columns[ranges.columns["most"] > 0]
    rows = "".join(
        f'<tr><th scope="row">{esc(str(name), 80)}</th><td>{percent(least)} to {percent(most)}</td>'
        f"<td>{bar(least, most)}</td></tr>"
        for name, least, most in used.head(_MOST).itertuples()
    )
    more = len(used) - _MOST
    note = f'<p class="note">and {count(more)} more columns</p>' if more > 0 else ""
    idle = [esc(str(name), 80) for name in ranges.columns.index[len(used) :]]
    if idle:
        others = f" and {count(len(idle) - _MOST)} more" if len(idle) > _MOST else ""
        one = "list" if ways == "lists" else "model, as its cheapest set,"
        note += f'<p class="note">No {one} uses {", ".join(idle[:_MOST])}{others}.</p>'
    if ways == "lists":
        verb, of = "decide", "certainly no list is outside these ranges, and at each end there is one"
        over, without = "lists", "some list does without the column"
    else:
        verb, of = "cover", "of all models, each as its cheapest set, none is outside these ranges"
        over, without = "models", "one of them does without the column"
    return (
        f'<h3>Use of each column, over all {over}</h3><table aria-label="Use of each column"><thead><tr>'
        f'<th scope="col">column</th><th scope="col">{verb}s, % of rows</th><th scope="col"></th></tr></thead>'
        f'<tbody>{rows}</tbody></table>{note}<p class="note">The share of the training rows that rules with a '
        f"condition on the column {verb}: {of}. From 0: {without}.</p>"
    )


def _gaps(ranges: Ranges, criterion: str, ways: str) -> str:
    if ranges.gaps is None:
        return ""
    if ranges.gaps.empty:
        return '<p class="note">No two groups have enough rows to be compared.</p>'
    several = len(CRITERIA[criterion]) > 1
    rows = "".join(
        f'<tr><th scope="row">{esc(row.group, 40)} – {esc(row.other, 40)}'
        f"{', ' + RATES[row.rate] if several else ''}</th><td>{signed(row.least)} to {signed(row.greatest)}</td>"
        f"<td>{bar((row.least + 1) / 2, (row.greatest + 1) / 2)}</td></tr>"
        for row in ranges.gaps.head(_MOST).itertuples(index=False)
    )
    more = len(ranges.gaps) - _MOST
    note = f'<p class="note">and {count(more)} more pairs</p>' if more > 0 else ""
    return (
        f"<h3>Differences between groups, over all {ways}</h3>"
        '<table aria-label="Differences between groups"><thead><tr>'
        '<th scope="col">groups</th><th scope="col">difference, points</th><th scope="col"></th></tr></thead>'
        f'<tbody>{rows}</tbody></table>{note}<p class="note">The rate of the first group less that of the second, on '
        f"the training rows; the middle of the bar is no difference. All {ways} are within the range, and at each end "
        "there is one.</p>"
    )


def signed(share: float) -> str:
    """A difference in points."""
    return ("\u2212" if share < 0 else "+") + percent(abs(share))


def bar(low: float, high: float) -> str:
    """A part of a line from 0 to 1."""
    width = max(100 * (high - low), 1)
    return f'<span class="bar"><span style="left:{min(100 * low, 99):.1f}%;width:{width:.1f}%"></span></span>'
