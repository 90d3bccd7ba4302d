"""Tables of good models and of their antecedents, as HTML; all text from data goes through `esc`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...shown import percent
from ..live.wording import count
from ..widgets.esc import esc
from ..widgets.style import sheet
from .good import Good

_MOST = 15

_EMPTY = (
    "<h2>How many other models would do as well?</h2>"
    "<p>The optimum is one model. Often thousands of others are nearly as good: with other conditions, fewer rules, or "
    "a smaller gap between groups of people. Here all of them are found, with proof that none is missing, to be "
    "compared and chosen from.</p>"
    '<p class="empty">The data and settings are those of the tab Search, family “Rule list” or “Rule set”.{}</p>'
)
UNPACKING = (
    '<p class="empty" role="status">Sending the lists to the browser, which counts what each choice leaves ...</p>'
)


def empty(able: bool) -> str:
    """What stands where nothing was found yet."""
    return _EMPTY.format(" Press “Find good models”." if able else "")


def hindrance(text: str) -> str:
    """Why nothing can be looked for, beside the button that cannot be pressed."""
    return f'<p class="note" role="status">{esc(text, 600)}</p>' if text else ""


def antecedents(found: Good) -> str:
    """What each antecedent means to all good models: in how many it is, and how much it decides."""
    relied, of_lists = found.reliance, found.shares
    n = found.result.count
    rows = ""
    for j, name, models, least, most in relied.head(_MOST).itertuples():
        share = of_lists["share"].get(j, np.nan)
        reach = f"left:{100 * least:.1f}%;width:{100 * (most - least):.1f}%"
        bar = f'<span class="bar"><span style="{reach}"></span></span>'
        rows += (
            f'<tr><th scope="row">{esc(name, 80)}</th><td>{count(models)} of {count(n)}</td>'
            f"<td>{percent(share)}</td><td>{percent(least)} to {percent(most)}</td><td>{bar}</td></tr>"
        )
    if found.ways == "lists":
        verb = "decides"
        meaning = (
            "“Decides” goes from the good model that relies least on the antecedent to the one that relies most on it, "
            "each as its cheapest list. From 0: one can do without."
        )
    else:
        verb, meaning = "covers", "From 0: some near-optimal set does without the rule."
    more = len(relied) - _MOST
    note = f'<p class="note">and {count(more)} more, in the table to save</p>' if more > 0 else ""
    named = f"{found.part.capitalize()}s of the good models"
    return (
        f'<table aria-label="{named}" class="parts"><thead><tr><th scope="col">{found.part}</th>'
        f'<th scope="col">models</th><th scope="col">% of {found.ways}</th><th scope="col">{verb}, % of rows</th>'
        f'<th scope="col"></th></tr></thead><tbody>{rows}</tbody></table>{note}<p class="note">{meaning}</p>'
    )


def models(found: Good, kept: Sequence[int], gaps: np.ndarray | None, chosen: int | None) -> str:
    """The best of the models that are left, a line each."""
    frame = found.frame
    head = '<th scope="col">gap, %</th>' if gaps is not None else ""
    rows = ""
    for k in kept[:_MOST]:
        row = frame.iloc[k]
        gap = "" if gaps is None else f"<td>{'–' if np.isnan(gaps[k]) else percent(gaps[k] / 100)}</td>"
        rules = "; ".join(row["antecedents"]) or "no rule"
        mark = ' class="chosen"' if k == chosen else ""
        rows += (
            f'<tr{mark}><th scope="row">{k + 1}</th><td>{row["accuracy"]:.2f}</td><td>{row["rules"]}</td>{gap}'
            f"<td>{row['above']:.3f}</td><td>{count(int(row['lists']))}</td>"
            f'<td class="text">{esc(rules, 300)}</td></tr>'
        )
    return (
        f'<table aria-label="Good models" class="models" style="--columns: {5 + (gaps is not None)}"><thead><tr>'
        '<th scope="col">model</th><th scope="col">accuracy, %</th>'
        f'<th scope="col">rules</th>{head}<th scope="col">above, %</th><th scope="col">{found.ways}</th>'
        f'<th scope="col">{found.joined}</th></tr></thead><tbody>{rows}</tbody></table>'
    )


TABLE_CSS = sheet("models.css")
