"""All near-optimal rule sets as one HTML file that opens without a network or a server; text from data is escaped."""

from __future__ import annotations

from ...assets import asset
from ...rule_set import NearOptimalRuleSets
from ...shown import percent
from ...snapshot import Snapshot
from ..live.wording import count, counted
from ..widgets.esc import esc
from ..widgets.style import sheet
from .counting import COUNT_CSS, Total, facts, ranges_of, verdict
from .offline import Labels, condition_names, document, pictures, predicting

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
    between = " and " if result.form == "dnf" else " or "
    conditions = condition_names(result.problem)
    names = [between.join(conditions[j] for j in clause) for clause in result.rules["conditions"]]
    said = verdict(total)[1]
    return document(
        f"Good rule sets: {labels.title}",
        f"{counted(result.count, 'models')}{predicting(labels)}",
        f'<section class="box"><p><b>{esc(said[:1].upper() + said[1:], 400)}.</b></p>{_models(result, names)}</section>'
        + pictures(result, "Sets that predict the same for every training row are one model.")
        + f'<section class="box"><h2>Rules</h2>{_rules(result, names)}</section>'
        f'<section class="box">{facts(total, ranges, False, "", "sets")}</section>',
        _SCRIPT,
        _CSS,
    )


def _models(result: NearOptimalRuleSets, names: list[str]) -> str:
    """The best models, a line each."""
    weight = result.problem.total_weight
    above = "above, %" if result.optimum else "above"
    distances = [f"{100 * gap / result.optimum:.3f}" if result.optimum else f"{gap:.10g}" for gap in result.gaps[:MOST]]
    rows = "".join(
        f'<tr><th scope="row">{k + 1}</th><td>{100 * (1 - errors / weight):.2f}</td><td>{len(chosen)}</td>'
        f"<td>{distance}</td><td>{count(int(sets))}</td>"
        f'<td class="text">{esc("; ".join(names[j] for j in chosen) or "no rule", 400)}</td></tr>'
        for k, (chosen, errors, distance, sets) in enumerate(
            zip(result.sets[:MOST], result.errors, distances, result.multiplicity, strict=False)
        )
    )
    more = result.count - MOST
    note = f'<p class="note">and {count(more)} more, which cost more</p>' if more > 0 else ""
    joined = "any of" if result.form == "dnf" else "all of"
    return (
        '<label for="words">Show models with these words in their rules</label><input id="words" type="search">'
        '<p class="note" id="said" role="status"></p><div class="scroll"><table id="models" class="models" '
        'aria-label="Good models" style="--columns: 5"><thead><tr><th scope="col">model</th>'
        f'<th scope="col">accuracy, %</th><th scope="col">rules</th><th scope="col">{above}</th>'
        f'<th scope="col">sets</th><th scope="col">{joined}</th></tr></thead><tbody>{rows}</tbody></table></div>{note}'
    )


def _rules(result: NearOptimalRuleSets, names: list[str]) -> str:
    """In how many sets each rule is, and what the best set with it costs."""
    found = zip(names, result.rules.itertuples(index=False), strict=True)
    shown = [(name, row) for name, row in found if row.sets][:_MOST_RULES]
    rows = "".join(
        f'<tr><th scope="row">{esc(name, 120)}</th><td>{percent(row.share)}</td><td>{row.objective:.10g}</td>'
        f"<td>{'–' if row.without != row.without else f'{row.without:.10g}'}</td><td>{percent(row.most)}</td></tr>"
        for name, row in shown
    )
    more = int((result.rules["sets"] > 0).sum()) - len(shown)
    note = f'<p class="note">and {count(more)} more, which fewer sets have</p>' if more > 0 else ""
    return (
        '<table class="parts" aria-label="Rules"><thead><tr><th scope="col">rule</th><th scope="col">% of sets</th>'
        '<th scope="col">best with it</th><th scope="col">best without</th><th scope="col">covers, % of rows</th>'
        f"</tr></thead><tbody>{rows}</tbody></table>{note}"
    )
