"""All near-optimal lists as one HTML file that opens without a network or a server; all text from data is escaped."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json

from ... import __version__
from ...assets import at_once
from ...rule_list import NearOptimal
from ...rule_list.near_optimal.prefix_graph import PrefixGraph
from ...rule_set import NearOptimalRuleSets
from ...shown import percent
from ..live.wording import count, counted
from ..widgets.esc import esc
from ..widgets.style import sheet
from . import svg
from .packing import Labels, condition_names, packed

_MOST = 40
_START = 'builder(document.getElementById("builder"), JSON.parse(document.getElementById("lists").textContent))'
_PAGE_CSS = sheet("offline.css")


def explorer(result: NearOptimal, graph: PrefixGraph, labels: Labels) -> str:
    """The file: how many lists are within what, the builder, all models as dots, what each antecedent decides.

    Parameters
    ----------
    result : NearOptimal
        With at least one model.
    graph : PrefixGraph
        Of the same enumeration.
    labels : Labels
    """
    data = json.dumps(packed(result, graph, labels), allow_nan=False).replace("<", "\\u003c")
    script = f'"use strict"\n;{at_once(_START, "dom.js", "prefix_graph.js", "builder.js")}'
    found = "" if result.complete else ' <p class="note">The enumeration ended early: these are the best ones.</p>'
    return document(
        f"Good rule lists: {labels.title}",
        f"{counted(result.count, 'models')}{predicting(labels)}",
        '<section class="box"><h2>Build a list, rule by rule</h2><div id="builder">'
        "<noscript>The builder needs JavaScript.</noscript></div></section>"
        + pictures(result, "Solid: models, which predict differently. Dashed: lists, whose order may differ.", found)
        + f'<section class="box"><h2>Antecedents</h2>{_relied(graph)}</section>',
        script,
        sheet("builder.css"),
        f'<script type="application/json" id="lists">{data}</script>',
    )


def document(title: str, about: str, main: str, script: str, css: str = "", data: str = "") -> str:
    """A page that may load nothing, and run this one script.

    Parameters
    ----------
    title : str
        Not escaped yet.
    about : str
        What is in it, as HTML.
    main : str
        As HTML.
    script, css : str
    data : str
        Scripts that hold data.
    """
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"
    made = f"made by rulelab {esc(__version__)} on {datetime.datetime.now(datetime.UTC).date().isoformat()}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{esc(title, 100)}</title><style>{_PAGE_CSS}{svg.SVG_CSS}{css}</style></head>"
        f'<body><h1>{esc(title, 100)}</h1><p class="note">{about}; {made}. This file asks nothing of a network.</p>'
        f"<main>{main}</main>{data}<script>{script}</script></body></html>\n"
    )


def predicting(labels: Labels) -> str:
    """What the models predict, where that is known."""
    return f", predicting {esc(labels.target, 80)}" if labels.target else ""


def pictures(result: NearOptimal | NearOptimalRuleSets, note: str, more: str = "") -> str:
    """How many models are within what, and what each is worth."""
    return (
        f'<div class="pair"><section class="box"><h2>Good models by distance</h2>{svg.within(result)}'
        f'<p class="note">{note}</p>{more}</section>'
        f'<section class="box"><h2>Models by accuracy</h2>{svg.dots(result)}'
        '<p class="note">Accuracy (%) on the training rows; a larger dot is more models, the ring the optimum.</p>'
        "</section></div>"
    )


def _relied(graph: PrefixGraph) -> str:
    """How much each antecedent decides, from the list that relies least on it to the one that relies most."""
    table, names = graph.reliance(), condition_names(graph.problem)
    rows = "".join(
        f'<tr><th scope="row">{esc(names[j])}</th><td>{percent(row.lists)}</td>'
        f"<td>{percent(row.least)} to {percent(row.most)}</td>"
        f'<td><span class="range"><span style="left:{percent(row.least)}%;width:{100 * (row.most - row.least):.1f}%">'
        "</span></span></td></tr>"
        for j, row in zip(table.index.tolist(), table.head(_MOST).itertuples(index=False), strict=False)
    )
    more = len(table) - _MOST
    note = f'<p class="note">and {count(more)} more, which fewer lists have</p>' if more > 0 else ""
    return (
        '<table class="relied" aria-label="Antecedents"><thead><tr><th scope="col">antecedent</th>'
        '<th scope="col">% of lists</th><th scope="col">decides, % of rows</th><th scope="col"></th></tr></thead>'
        f'<tbody>{rows}</tbody></table>{note}<p class="note">“Decides” goes from the list that relies least on the '
        "antecedent to the one that relies most on it. From 0: some list does without.</p>"
    )
