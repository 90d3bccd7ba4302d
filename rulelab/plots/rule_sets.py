"""Pictures of rule sets: what column generation has gathered, and which rules return on resampled rows."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import pandas as pd

from .styling import BLUE, GREEN, GREY, ORANGE, require_columns, styled

_MOST_RULES = 15
_NAME = 46


def column_pool(frame: pd.DataFrame) -> Any:
    """The rules that column generation has gathered: the rows each covers, and its reduced cost.

    Parameters
    ----------
    frame : DataFrame
        What ``search.pool()`` of a rule set search gives: ``rule``, ``complexity``, ``rows``, ``reduced_cost``, ``use``
        and ``chosen``.

    Returns
    -------
    Overlay
        Of points: rules of the best set, rules of the linear programme's solution, and others. Rules without a reduced
        cost are left out.
    """
    names = ["rule", "complexity", "rows", "reduced_cost", "use", "chosen"]
    frame = require_columns(frame, names, "the frame of `search.pool()`").dropna(subset=["reduced_cost"])
    chosen, used = frame["chosen"].astype(bool), frame["use"] > 0
    kdim, vdim = hv.Dimension("rows", label="rows covered"), hv.Dimension("reduced_cost", label="reduced cost")
    parts = []
    for which, label, color, size in (
        (~chosen & ~used, "waiting", GREY, 4),
        (~chosen & used, "in the linear programme", BLUE, 8),
        (chosen, "in the best set", ORANGE, 10),
    ):
        if which.any():
            columns = {name: frame.loc[which, name] for name in names[:4]}
            dots = hv.Points(pd.DataFrame(columns), [kdim, vdim], ["rule", "complexity"], label=label)
            parts.append(styled(dots, color=color, size=size, tools=["hover"]))
    return hv.Overlay(parts or [hv.Points([], [kdim, vdim])]).relabel("Rules gathered by column generation")


def stability(frame: pd.DataFrame) -> Any:
    """How often the rules of a model return on resampled rows.

    Parameters
    ----------
    frame : DataFrame
        The ``rules`` of `rulelab.stability`: ``rule``, ``in_reference`` and ``share``.

    Returns
    -------
    Bars
        Those that return most, the first one on top; green ones are in the model of the whole table.
    """
    frame = require_columns(frame, ["rule", "in_reference", "share"], "the rules of `rulelab.stability`")
    shown = frame.head(_MOST_RULES)[::-1]
    rules = [_short(rule, k) for k, rule in enumerate(shown["rule"])]
    colors = [GREEN if own else GREY for own in shown["in_reference"]]
    kdim, vdim = hv.Dimension("rule"), hv.Dimension("share", label="returns in samples (%)")
    rows = (rules, 100 * shown["share"].to_numpy(dtype=float), colors)
    bars = hv.Bars(rows, kdim, [vdim, "color"], label="Rules that return")
    return styled(bars, color=hv.dim("color"), invert_axes=True, ylim=(0, 100))


def _short(rule: Any, place: int) -> str:
    """The rule, cut where it is too long for an axis; zero-width spaces keep two that are cut alike apart."""
    text = str(rule)
    return text if len(text) <= _NAME else text[: _NAME - 1] + "…" + "\u200b" * place
