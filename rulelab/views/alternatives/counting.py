"""All near-optimal lists or sets counted, what is certain of all of them, and that in tables; nothing of Panel."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ...data.gaps import CRITERIA
from ...data.groups import Groups
from ...data.metrics import FEW, Confusion
from ...rule_list import NearOptimalCount, NearOptimalCounter
from ...rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch
from ...shown import percent
from ...snapshot import Snapshot
from ..allowance import take_memory
from ..live.job import Progress, run
from ..live.wording import count, counted
from ..widgets.esc import esc
from ..widgets.style import sheet
from .finding import MEMORY_BYTES
from .finding_sets import FoundSets, said_of_sets
from .good import Good

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

MOST_SETS = 300_000
"""So many models of rule sets are found to be counted, at most: they are listed, beyond those that are shown."""
_OTHERWISE = (10, 4, 2)
"""One in so many, at most, predicts otherwise than most of them: rows are counted by that."""


@dataclass(frozen=True, eq=False)
class Total:
    """A count as it stands.

    Attributes
    ----------
    result : NearOptimalCount or NearOptimalRuleSets
    snapshot : Snapshot
        The last one of the count, or of the enumeration of sets.
    ratio : float
        What has an objective of at most the optimum's * (1 + ratio) is counted.
    """

    result: NearOptimalCount | NearOptimalRuleSets
    snapshot: Snapshot
    ratio: float

    @property
    def of_sets(self) -> bool:
        """Whether sets are counted; otherwise lists."""
        return isinstance(self.result, NearOptimalRuleSets)

    @property
    def number(self) -> int:
        """Lists or sets; at least so many where the count is not complete."""
        return self.result.n_sets if isinstance(self.result, NearOptimalRuleSets) else self.result.n_lists

    @property
    def by_rules(self) -> pd.DataFrame:
        """By number of rules: ``rules``, ``lists`` or, of sets, ``models``, ``share``, the least ``objective``."""
        if not isinstance(self.result, NearOptimalRuleSets):
            return self.result.by_rules
        frame = self.result.frame().groupby("rules").agg(models=("errors", "size"), objective=("objective", "min"))
        frame.insert(1, "share", frame["models"] / frame["models"].sum())
        return frame.reset_index()


@dataclass(frozen=True, eq=False)
class Ranges:
    """What is certain of all lists, or sets.

    Attributes
    ----------
    columns : DataFrame
        See `NearOptimalCount.column_ranges` and `NearOptimalRuleSets.column_ranges`.
    gaps : DataFrame or None
        See their ``gap_ranges``; pairs with a group of few rows are left out. None without groups.
    people : DataFrame
        ``above`` and ``most``, shares of all that predict otherwise than most of them, and ``rows``, the share of the
        training weight of which that many do.
    """

    columns: pd.DataFrame
    gaps: pd.DataFrame | None
    people: pd.DataFrame


def count_all(found: Good, seconds: float, progress: Progress) -> Total:
    """Count all within the distance of what was found; a cancelled count gives what is certain by then.

    Sets are counted already where all of them were found, and where there are too many rules for more.
    """
    if isinstance(found, FoundSets) and (found.result.complete or found.result.truncated == "columns"):
        return Total(found.result, found.snapshot, found.ratio)
    take_memory()
    search: Any = found.prepared.search
    memory = search.memory_limit or MEMORY_BYTES
    counter: NearOptimalCounter | NearOptimalRuleSetSearch
    if isinstance(found, FoundSets):
        counter = NearOptimalRuleSetSearch(search, ratio=found.ratio, limit=MOST_SETS, memory_limit=memory)
        snapshot = run(counter, seconds, progress, said_of_sets, "the enumeration")
    else:
        counter = NearOptimalCounter(search, ratio=found.ratio, memory_limit=memory)
        snapshot = run(counter, seconds, progress, _counted, "the count")
    return Total(counter.result(), snapshot, found.ratio)


def _counted(snapshot: Any) -> str:
    return f"at least {counted(snapshot.n_lists, 'lists')}, {count(snapshot.states)} sets of rows"


def ranges_of(found: Good | None, total: Total, attribute: str, criterion: str) -> Ranges:
    """The ranges over all of a complete count; those between groups need what was found, with its data."""
    gaps = None
    if attribute and found is not None:
        groups = found.masses(attribute)
        problem = replace(total.result.problem, groups=groups)
        gaps = _with_enough(replace(total.result, problem=problem).gap_ranges(criterion), groups)
    return Ranges(total.result.column_ranges(), gaps, _people(total))


def _people(total: Total) -> pd.DataFrame:
    """See `Ranges.people`."""
    result = total.result
    if isinstance(result, NearOptimalRuleSets):
        patterns = result.patterns()
        positive = patterns["sets"].tolist()
    else:
        patterns = result.disagreement()
        positive = patterns["lists"].tolist()
    weight = (patterns["positives"] + patterns["negatives"]).to_numpy(dtype=np.float64)
    ends = [0, *(total.number // k for k in _OTHERWISE)]  # in whole numbers: one of very many is not none
    place = [bisect_left(ends, min(n, total.number - n)) for n in positive]
    rows = np.bincount(place, weight / weight.sum(), minlength=len(ends))
    most = [0.0, *(1 / k for k in _OTHERWISE)]
    return pd.DataFrame({"above": [0.0, *most[:-1]], "most": most, "rows": rows})


def have_enough(groups: Groups, rate: str) -> list[bool]:
    """Whether each group has enough rows of the kind that a rate counts."""
    return [Confusion(p, 0, n, 0).rows_of(rate) >= FEW for p, n in groups.by_class.T]


def _with_enough(gaps: pd.DataFrame, groups: Groups) -> pd.DataFrame:
    """The pairs whose groups both have enough rows of the kind that a rate counts."""
    known = {rate: dict(zip(groups.names, have_enough(groups, rate), strict=True)) for rate in set(gaps["rate"])}
    enough = [known[row.rate][row.group] and known[row.rate][row.other] for row in gaps.itertuples(index=False)]
    return gaps[np.array(enough, dtype=bool)].reset_index(drop=True)


def verdict(total: Total) -> tuple[str, str]:
    """How many there are: a tone and a sentence."""
    result = total.result
    within = f"within {100 * total.ratio:.4g} % of the optimum"
    if not result.optimum:  # there is no per cent of nothing
        within = f"of an objective of at most {result.threshold:.10g}"
    if isinstance(result, NearOptimalRuleSets):
        sets = (
            f"{counted(result.n_sets, 'rule sets')} of rules of at most {counted(result.max_conditions, 'conditions')}"
        )
        if result.complete:
            return "proven", f"certified: exactly {sets} {'is' if result.n_sets == 1 else 'are'} {within}"
        known = ""
        if result.covered == result.covered:
            of = f"within {100 * max(result.covered / result.optimum - 1, 0):.3g} %" if result.optimum else ""
            known = f"; every one {of or f'of at most {result.covered:.10g}'} is among them"
        return "limit", f"not complete: at least {sets} are {within}{known}"
    if result.complete:
        rounding = "" if total.snapshot.limit is None else ", but for the rounding of the weights"
        return (
            "proven",
            f"certified{rounding}: exactly {counted(result.n_lists, 'rule lists')} of any length are {within}",
        )
    why = {"memory": "the memory limit", "time": "the time limit"}.get(result.truncated or "", "it was stopped")
    return "limit", f"not complete ({why}): at least {counted(result.n_lists, 'rule lists')} are {within}"


def facts(total: Total | None, ranges: Ranges | None, busy: bool, criterion: str, ways: str = "lists") -> str:
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
    """
    if total is None:
        begin = (
            f"“Count all {ways}” counts within the distance of the good models, whether or not all of them are here."
        )
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
        parts.append(_agreement(ranges, ways))
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


def _agreement(ranges: Ranges, ways: str) -> str:
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
