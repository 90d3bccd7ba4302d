"""All near-optimal rule sets as one HTML file that opens without a network or a server; text from data is escaped."""

from __future__ import annotations

from markupsafe import Markup

from ...assets import asset
from ...rule_set import NearOptimalRuleSets
from ...snapshot import Snapshot
from ..cards.templates import filled
from ..live.wording import counted
from ..widgets.style import sheet
from .counting import COUNT_CSS, Total, facts, ranges_of, verdict
from .offline import Labels, document, pictures, predicting, rule_names

MOST = 2000
"""So many models are in the table, the best ones."""
_MOST_RULES = 40
_SCRIPT = asset("offline_sets.js")
_CSS = COUNT_CSS.replace(":host", "main") + sheet("offline_sets.css")


def explorer_of_sets(result: NearOptimalRuleSets, snapshot: Snapshot, labels: Labels) -> str:
    """The file: how many sets are within what, the models to search through, their rules, and what all have in common.

    Parameters
    ----------
    result : NearOptimalRuleSets
        With at least one model.
    snapshot : Snapshot
        The last one of the enumeration.
    labels : Labels
    """
    total = Total(result, snapshot, result.threshold / result.optimum - 1 if result.optimum else 0.0)
    ranges = ranges_of(None, total, "", "") if result.complete else None
    names = rule_names(result)
    chosen = ([names[j] for j in each] for each in result.sets[:MOST])
    main = filled(
        "sets.html",
        result=result,
        said=verdict(total)[1],
        best=list(zip(chosen, result.errors, result.gaps, result.multiplicity, strict=False)),
        rules=list(result.rules.assign(name=names)[result.rules["sets"] > 0].itertuples()),
        pictures=Markup(pictures(result, "Sets that predict the same for every training row are one model.")),
        facts=Markup(facts(total, ranges, False, "", "sets")),
        MOST_RULES=_MOST_RULES,
    )
    about = f"{counted(result.count, 'models')}{predicting(labels)}"
    return document(f"Good rule sets: {labels.title}", about, main, _SCRIPT, _CSS)
