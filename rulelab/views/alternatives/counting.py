"""All near-optimal lists or sets counted, and what is certain of them, in tables and in a file; nothing of Panel."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from ...assets import asset
from ...data.gaps import CRITERIA
from ...data.groups import Groups
from ...data.metrics import FEW, Confusion
from ...report import Near
from ...rule_list import NearOptimalCount, NearOptimalCounter
from ...rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch
from ...snapshot import Snapshot
from ..allowance import take_memory
from ..cards.templates import filled
from ..live.job import Progress, run
from ..live.wording import count, counted, grouped
from ..widgets.style import sheet
from .good import MEMORY_BYTES, FoundSets, Good, said_of_sets
from .offline import Labels, document, rule_names

_MOST = 20
RATES = {
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "selection_rate": "selection rate",
    "accuracy": "accuracy",
}
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
class Total:
    """A count as it stands."""

    result: NearOptimalCount | NearOptimalRuleSets
    snapshot: Snapshot  # the last one of the count, or of the enumeration of sets
    ratio: float  # what has an objective of at most the optimum's * (1 + ratio) is counted
    longest: int | None = None  # the most rules of a list that were asked for

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
    """What is certain of all lists, or sets."""

    columns: pd.DataFrame  # see `NearOptimalCount.column_ranges` and `NearOptimalRuleSets.column_ranges`
    # see their ``gap_ranges``; pairs with a group of few rows are left out. None without groups
    gaps: pd.DataFrame | None
    # ``above`` and ``most``, shares of all that predict otherwise than most of them, and ``rows``, the share of the
    # training weight of which that many do
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
    return Total(counter.result(), snapshot, found.ratio, search.parameters.get("max_length"))


def _counted(snapshot: Any) -> str:
    return f"at least {counted(snapshot.n_lists, 'lists')}, {count(snapshot.states)} sets of rows"


def ranges_of(found: Good | None, total: Total, attribute: str, criterion: str) -> Ranges:
    """The ranges over all of a complete count; those between groups need what was found, with its data."""
    gaps = None
    if attribute and found is not None:
        groups = found.prepared.masses(attribute)
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


def _with_enough(gaps: pd.DataFrame, groups: Groups) -> pd.DataFrame:
    """The pairs whose groups both have enough rows of the kind that a rate counts."""
    rows = {name: Confusion(p, 0, n, 0) for name, (p, n) in zip(groups.names, groups.by_class.T, strict=True)}
    enough = [
        min(rows[row.group].rows_of(row.rate), rows[row.other].rows_of(row.rate)) >= FEW
        for row in gaps.itertuples(index=False)
    ]
    return gaps[np.array(enough, dtype=bool)].reset_index(drop=True)


def verdict(total: Total) -> tuple[str, str]:
    """How many there are: a tone and a sentence."""
    known = Near(total.result, total.snapshot, ratio=total.ratio, longest=total.longest)
    return known.tone, grouped(known.counted)


def facts(total: Total | None, ranges: Ranges | None, busy: bool, criterion: str, ways: str) -> str:
    """Everything that is known; HTML.

    `busy`: whether more is being found. `criterion`: of the ranges between groups; unused without them. `ways`: "lists"
    or "sets".
    """
    more: dict[str, Any] = {"used": (), "idle": (), "pairs": None, "several": False}
    if ranges is not None:
        used = ranges.columns["most"] > 0
        more["used"], more["idle"] = list(ranges.columns[used].itertuples()), list(ranges.columns.index[~used])
        if ranges.gaps is not None:
            pairs = list(ranges.gaps.itertuples(index=False))
            more |= {"pairs": pairs, "several": len(CRITERIA[criterion]) > 1}
    return filled("counts.html", total=total, ranges=ranges, busy=busy, ways=ways, MOST=_MOST, RATES=RATES, **more)


def explorer_of_sets(result: NearOptimalRuleSets, snapshot: Snapshot, labels: Labels) -> str:
    """The file: how many sets are within what, the models to search through, their rules, and what all have in common.

    `result`: with at least one model. `snapshot`: the last one of the enumeration.
    """
    total = Total(result, snapshot, result.threshold / result.optimum - 1 if result.optimum else 0.0)
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
        said=verdict(total)[1],
        best=list(zip(chosen, result.errors, result.gaps, result.multiplicity, strict=False)),
        rules=list(result.rules.assign(name=names)[result.rules["sets"] > 0].itertuples()),
        facts=Markup(facts(total, ranges, False, "", "sets")),
        MOST_RULES=_MOST_RULES,
    )
