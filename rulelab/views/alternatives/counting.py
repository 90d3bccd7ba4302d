"""All near-optimal lists or sets counted, and what is certain of them: on the page, in tables and in a file."""

from __future__ import annotations

import io
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import param
from markupsafe import Markup

from ...assets import asset
from ...data.gaps import CRITERIA
from ...data.groups import Groups
from ...data.metrics import FEW, Confusion
from ...report import Near
from ...rule_list import NearOptimalCount, NearOptimalCounter, NearOptimalCountProgress
from ...rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch
from ...snapshot import Snapshot
from ..allowance import take_memory
from ..cards.templates import filled
from ..live.job import POOL, Job, Progress, run
from ..live.ticker import Work, Working
from ..live.wording import count, counted, duration, grouped
from ..widgets.buttons import Press, download
from ..widgets.esc import plain
from ..widgets.fields import WIDE, LayoutViewer, alert, row
from ..widgets.html import Html, LiveText
from ..widgets.style import CARD_CSS, PANEL_CSS, sheet
from .good import MEMORY_BYTES, Good, found_so_far
from .offline import Labels, document, rule_names
from .parts import spaced

_MOST = 20
COUNT_CSS = sheet("models.css", "counts.css")

MOST_LINES, _MOST_RULES = 2000, 40
"""So many models, the best ones, and rules are in the file of sets."""
_SCRIPT = asset("offline_sets.js")
_CSS = COUNT_CSS.replace(":host", "main") + sheet("offline_sets.css")
MOST_SETS = 300_000
"""So many models of rule sets are found to be counted, at most: they are listed, beyond those that are shown."""
_OTHERWISE = (10, 4, 2)
"""One in so many, at most, predicts otherwise than most of them: rows are counted by that."""


@dataclass(frozen=True, eq=False)
class Ranges:
    """What is certain of all lists, or sets."""

    columns: pd.DataFrame  # see `NearOptimalCount.column_ranges` and `NearOptimalRuleSets.column_ranges`
    # see their ``gap_ranges``; pairs with a group of few rows are left out. None without groups
    gaps: pd.DataFrame | None
    # ``above`` and ``most``, shares of all that predict otherwise than most of them, and ``rows``, the share of the
    # training weight of which that many do
    people: pd.DataFrame


def count_all(found: Good, seconds: float, progress: Progress) -> Near:
    """Count all within the distance of what was found; a cancelled count gives what is certain by then."""
    # sets are counted already where all of them were found, and where there are too many rules for more
    if found.graph is None and (found.result.complete or found.result.truncated == "columns"):
        return Near(found.result, found.snapshot, ratio=found.ratio)
    take_memory()
    search: Any = found.prepared.search
    memory = search.memory_limit or MEMORY_BYTES
    counter: NearOptimalCounter | NearOptimalRuleSetSearch
    if found.graph is None:
        counter = NearOptimalRuleSetSearch(search, ratio=found.ratio, limit=MOST_SETS, memory_limit=memory)
        snapshot = run(counter, seconds, progress, found_so_far, "the enumeration")
    else:
        counter = NearOptimalCounter(search, ratio=found.ratio, memory_limit=memory)
        snapshot = run(counter, seconds, progress, _counted, "the count")
    longest = search.parameters.get("max_length")
    return Near(counter.result(), snapshot, ratio=found.ratio, longest=longest)


def _counted(snapshot: Any) -> str:
    return f"at least {counted(snapshot.n_lists, 'lists')}, {count(snapshot.states)} sets of rows"


def ranges_of(found: Good | None, total: Near, attribute: str, criterion: str) -> Ranges:
    """The ranges over all of a complete count; those between groups need what was found, with its data."""
    gaps = None
    if attribute and found is not None:
        groups = found.prepared.masses(attribute)
        problem = replace(total.result.problem, groups=groups)
        gaps = _with_enough(replace(total.result, problem=problem).gap_ranges(criterion), groups)
    return Ranges(total.result.column_ranges(), gaps, _people(total))


def _people(total: Near) -> pd.DataFrame:
    result = total.result
    if isinstance(result, NearOptimalRuleSets):
        patterns = result.patterns()
        positive = patterns["sets"].tolist()
    else:
        patterns = result.disagreement()
        positive = patterns["lists"].tolist()
    weight = (patterns["positives"] + patterns["negatives"]).to_numpy(dtype=np.float64)
    ends = [0, *(total.forms // k for k in _OTHERWISE)]  # in whole numbers: one of very many is not none
    place = [bisect_left(ends, min(n, total.forms - n)) for n in positive]
    rows = np.bincount(place, weight / weight.sum(), minlength=len(ends))
    most = [0.0, *(1 / k for k in _OTHERWISE)]
    return pd.DataFrame({"above": [0.0, *most[:-1]], "most": most, "rows": rows})


def _with_enough(gaps: pd.DataFrame, groups: Groups) -> pd.DataFrame:
    """The pairs whose groups both have enough rows of the kind that a rate counts."""
    rows = {name: Confusion(p, 0, n, 0) for name, (p, n) in zip(groups.names, groups.by_class.T, strict=True)}
    enough = [
        min(rows[row.group].rows_of(row.rate), rows[row.other].rows_of(row.rate)) >= FEW
        for row in gaps.itertuples(index=False)
    ]
    return gaps[np.array(enough, dtype=bool)].reset_index(drop=True)


def by_rules(total: Near) -> pd.DataFrame:
    """By number of rules: ``rules``, ``lists`` or, of sets, ``models``, ``share``, the least ``objective``."""
    if not isinstance(total.result, NearOptimalRuleSets):
        return total.result.by_rules
    frame = total.result.frame().groupby("rules").agg(models=("errors", "size"), objective=("objective", "min"))
    frame.insert(1, "share", frame["models"] / frame["models"].sum())
    return frame.reset_index()


def facts(total: Near | None, ranges: Ranges | None, busy: bool, criterion: str, ways: str) -> str:
    """All that is known, or ``busy`` being found, of all "lists" or "sets"; ``criterion``: of gaps. HTML."""
    more: dict[str, Any] = {"used": (), "idle": (), "pairs": None, "several": False, "counted": ()}
    if total is not None and total.proven:
        more["counted"] = list(by_rules(total).itertuples(index=False))
    if ranges is not None:
        used = ranges.columns["most"] > 0
        more["used"], more["idle"] = list(ranges.columns[used].itertuples()), list(ranges.columns.index[~used])
        if ranges.gaps is not None:
            pairs = list(ranges.gaps.itertuples(index=False))
            more |= {"pairs": pairs, "several": len(CRITERIA[criterion]) > 1}
    return filled("counts.html", total=total, ranges=ranges, busy=busy, ways=ways, MOST=_MOST, **more)


def explorer_of_sets(result: NearOptimalRuleSets, snapshot: Snapshot, labels: Labels) -> str:
    """The file: how many sets are within what, models to search through, their rules, and what all have in common."""
    total = Near(result, snapshot, ratio=result.threshold / result.optimum - 1 if result.optimum else 0.0)
    ranges = ranges_of(None, total, "", "") if result.complete else None
    names = rule_names(result)
    chosen = ([names[j] for j in each] for each in result.sets[:MOST_LINES])
    return document(
        "sets.html",
        f"Good rule sets: {labels.title}",
        result,
        labels,
        _SCRIPT,
        _CSS,
        early=False,
        said=grouped(total.counted),
        best=list(zip(chosen, result.errors, result.gaps, result.multiplicity, strict=False)),
        rules=list(result.rules.assign(name=names)[result.rules["sets"] > 0].itertuples()),
        facts=Markup(facts(total, ranges, False, "", "sets")),
        MOST_RULES=_MOST_RULES,
    )


class CountView(Working, LayoutViewer):
    """Counts all lists, or sets, within the distance of what was found, whether or not they could be listed there."""

    groups = param.Tuple(
        default=("", "equal_opportunity"), doc="The attribute, empty: none, and the criterion of gaps."
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.seconds = 60.0  # time limit of what is begun from now on
        self.total: Near | None = None  # the count as it stands
        self.ranges: Ranges | None = None  # what is certain of all lists, once it is known
        self._found: Good | None = None
        self._work = Work(lambda doing: self._show(), POOL)
        self._start = Press(self.count_or_stop, width=150, height=34, margin=0)
        self._save = download("Lists by cost (CSV)", "lists_by_cost.csv", self.lists_csv, width=150, small=True)
        self._status = LiveText(caption="Count of all", **WIDE)
        self._alert = alert("Error of the count")
        self._text = Html("", stylesheets=[CARD_CSS, PANEL_CSS, COUNT_CSS], **WIDE)
        self._layout = spaced(row(self._start, self._save), self._alert, self._status, self._text)

    def begin(self, found: Good) -> None:
        """Forget what is known: something else has been found."""
        self._work.forget()
        self._found = found
        self._alert.phase = ""
        self.total = self.ranges = None
        self._show()

    def count_or_stop(self) -> None:
        (self._work.cancel if self._work.busy else self.count)()

    def count(self) -> None:
        assert self._found is not None
        self.total = self.ranges = None
        self._begin(partial(count_all, self._found, self.seconds))

    def lists_csv(self) -> io.StringIO:
        assert self.total is not None
        assert isinstance(self.total.result, NearOptimalCount)
        return io.StringIO(self.total.result.by_objective.to_csv(index=False))

    def _begin(self, work: Callable[[Any], Any]) -> None:
        self._alert.phase = ""
        self._work.begin(work, self._take)
        self._show()

    def _take(self, job: Job) -> None:
        """Keep what was found, and go on with what is found out of it."""
        result = job.result
        self._alert.phase = "" if result is not None else plain(job.error or "nothing was found out", 600)
        if isinstance(result, Near):
            self.total = result
            self._find_ranges()
        elif result is not None:
            self.ranges = result
        self._show()

    @param.depends("groups", watch=True)
    def _find_ranges(self) -> None:
        """Find what is certain of all that a complete count counts."""
        found, total, groups = self._found, self.total, self.groups
        if found is not None and total is not None and total.proven:
            self._begin(lambda progress: ranges_of(found, total, *groups))

    def _show(self) -> None:
        found, total, busy = self._found, self.total, self._work.busy
        ways = "lists" if found is None else found.ways
        with pn.io.hold():
            self._start.label = "Stop counting" if busy else f"Count all {ways}"
            listed = total is not None and total.proven and isinstance(total.result, NearOptimalCount)
            self._save.visible = listed
            if total is not None:
                seconds = duration(total.snapshot.seconds)
                figures = [["search time", seconds]]
                if isinstance(total.snapshot, NearOptimalCountProgress):
                    figures = [["counting time", seconds], ["sets of rows", count(total.snapshot.states)]]
                self._status.param.update(tone=total.tone, phase=grouped(total.counted), figures=figures)
            else:
                phase = f"Counting all {ways}: {self._work.standing}" if busy else ""
                self._status.param.update(tone="busy" if busy else "idle", phase=phase, figures=[])
            self._text.object = facts(total, self.ranges, busy, self.groups[1], ways)
