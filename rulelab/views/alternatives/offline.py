"""Near-optimal lists for the browser, packed, and as one HTML file without a network or a server; data are escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from ... import __version__
from ...assets import at_once, texts
from ...data.problem import Problem
from ...rule_list import NearOptimal
from ...rule_list.near_optimal.prefix_graph import PrefixGraph
from ...rule_list.near_optimal.state import MOST_LISTS
from ...rule_set import NearOptimalRuleSets
from ..cards.rule_tables import plain_words
from ..live.wording import count, counted, filled, today
from ..widgets.esc import plain
from ..widgets.style import sheet

MOST_EDGES = 400_000  # where there are more, the browser gets the best lists only: about two megabytes
_NAME, _LABEL, _ALSO = 200, 40, 3

TERMS = tuple(texts("builder").items())  # what the builder's words mean
_MOST = 40
_START = 'builder(document.getElementById("builder"), JSON.parse(document.getElementById("lists").textContent))'
_PAGE_CSS = sheet("offline.css")


@dataclass(frozen=True)
class Labels:
    """What things are called."""

    title: str  # the data
    target: str  # what is predicted; empty: not known
    negative: str
    positive: str


def condition_names(problem: Problem) -> list[str]:
    """The antecedents in the words of cards."""
    known = problem.conditions
    return [plain_words(None if known is None else known[j], name) for j, name in enumerate(problem.names)]


def rule_names(result: NearOptimalRuleSets) -> list[str]:
    """The rules of sets in the words of cards."""
    between, conditions = " and " if result.form == "dnf" else " or ", condition_names(result.problem)
    return [between.join(conditions[j] for j in clause) for clause in result.rules["conditions"]]


def packed(result: NearOptimal, graph: PrefixGraph, labels: Labels) -> dict[str, Any]:
    """What the builder takes, as plain types; the graph is of the same enumeration."""
    same = {int(j): aliases for j, aliases in result.antecedents["aliases"].items() if aliases}
    names = condition_names(graph.problem)
    rules, rule = np.unique(graph.rule, return_inverse=True)
    whole = graph.left.dtype.kind == "i" and int(graph.left.max(initial=0)) < 1 << 31
    arrays = [np.diff(graph.first), graph.model, np.diff(graph.to, prepend=0), rule, graph.positive]
    parts = [_octets(array, np.dtype("<i4")) for array in arrays]
    parts += [_octets(row, np.dtype("<i4")) if whole else row.astype("<f8").tobytes() for row in graph.left]
    return {
        "packed": base64.b64encode(zlib.compress(b"".join(parts), 6)).decode("ascii"),
        "nodes": len(graph.model),
        "edges": len(graph.to),
        "whole": whole,
        "models": int(graph.model.max(initial=-1)) + 1,
        "rules": rules.tolist(),
        "names": [plain(names[j], _NAME) for j in rules.tolist()],
        "aliases": [_also(same.get(j, ()), names) for j in rules.tolist()],
        "labels": [plain(labels.negative, _LABEL), plain(labels.positive, _LABEL)],
        "total": float(graph.problem.total_weight),
        "regularization": float(graph.regularization),
        "optimum": graph.optimum,
        "threshold": graph.threshold,
        "guarantee": guarantee(graph, bool(same), result.threshold if result.complete else None),
        "terms": TERMS,
    }


def guarantee(graph: PrefixGraph, twins: bool, further: float | None = None) -> list[str]:
    """What is certain of the lists, in sentences; ``further``: up to which objective more were found than these.

    ``twins``: whether some antecedents hold for the same training rows.
    """
    least, most = f"{graph.optimum:.5f}", _between(graph.threshold, graph.beyond)
    n = "at least 2^62 lists" if graph.n_lists >= MOST_LISTS else counted(graph.n_lists, "lists")
    if not graph.n_lists:
        return ["The enumeration ended before it found a list: nothing is known of how many there are."]
    every = f"Each of these {n}" if graph.n_lists > 1 else "This one list"
    said = [f"{every} costs at most {most}; the least that any list costs is {least}."]
    among = counted(graph.problem.n_antecedents, "antecedents")
    length = "" if graph.max_length is None else f" with at most {counted(graph.max_length, 'rules')}"
    kind = "every rule decides some training row, and predicts the majority of those that it decides"
    same = "; antecedents that hold for the same training rows count as one" if twins else ""
    if graph.complete:
        said.append(f"These are all such lists over these {among}{length}: {kind}{same}.")
    else:
        said.append(
            f"The enumeration ended early: of the lists over these {among}{length} all that cost less than "
            f"{graph.covered:.5f} are here, and of those that cost more some are missing ({kind}{same})."
        )
    if further is not None and further > graph.threshold * (1 + 1e-9):
        said.append(f"Lists that cost more, up to {further:.5f}, were found too, but are too many to choose from here.")
    if not graph.exact:
        said.append("Weights were rounded: a list that costs nearly as much as the bound may be missing, or be here.")
    return said


def _between(low: float, high: float) -> str:
    """The shortest number from ``low`` to below ``high``, between which no list is: a bound that is true as written."""
    for digits in range(4, 16):
        value = math.ceil(low * 10**digits - 1e-6) / 10**digits
        if low <= value * (1 + 1e-15) and value < high:
            return f"{value:.{digits}f}"
    return repr(low)


def _also(same: tuple[int, ...], names: list[str]) -> str:
    more = f" and {count(len(same) - _ALSO)} more" if len(same) > _ALSO else ""
    return plain("; ".join(names[j] for j in same[:_ALSO]), _NAME) + more


def _octets(array: np.ndarray, dtype: np.dtype) -> bytes:
    """The lowest byte of every number, then the next ones: what is alike stands together, and compresses well."""
    numbers = np.ascontiguousarray(array, dtype=dtype)
    return numbers.view(np.uint8).reshape(-1, dtype.itemsize).T.tobytes()


def explorer(result: NearOptimal, graph: PrefixGraph, labels: Labels) -> str:
    """The file: how many lists are within what, the builder, all models as dots, what each antecedent decides."""
    data = json.dumps(packed(result, graph, labels), allow_nan=False).replace("<", "\\u003c")
    script = f'"use strict"\n;{at_once(_START, "dom.js", "prefix_graph.js", "builder.js")}'
    table, names = graph.reliance(), condition_names(graph.problem)
    return document(
        "lists.html",
        f"Good rule lists: {labels.title}",
        result,
        labels,
        script,
        sheet("builder.css"),
        data=Markup(f'<script type="application/json" id="lists">{data}</script>'),
        early=not result.complete,
        rows=list(table.assign(name=[names[j] for j in table.index]).itertuples()),
        MOST=_MOST,
    )


def document(
    template: str,
    title: str,
    result: NearOptimal | NearOptimalRuleSets,
    labels: Labels,
    script: str,
    css: str,
    data: str = "",
    **values: Any,
) -> str:
    """A page that may load nothing, and run this one script; ``data``: scripts that hold data."""
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    page = filled(
        template,
        policy=Markup(f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"),
        css=Markup(f"{_PAGE_CSS}{css}"),
        script=Markup(script),
        data=data,
        title=title,
        models=counted(result.count, "models"),
        target=labels.target,
        version=__version__,
        date=today(),
        result=result,
        **values,
    )
    return f"{page}\n"
