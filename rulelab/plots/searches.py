"""Pictures of a search: its bounds, its queue, what cut its prefixes, its tree, its incumbents, rules, ablation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import holoviews as hv
import numpy as np
import pandas as pd

from ..arguments import short
from ..recording import Recording
from ..recording.recording import trace_row
from ..snapshot import Snapshot
from ..stepping import Search
from .styling import BLUE, CYCLE, GREEN, GREY, LENGTHS, ORANGE, require_columns, styled

TRACE = (
    "a trace: `trace_` of an estimator, the frame of a recording, or the CSV that the page saves; or the estimator, "
    "the recording, a search or its snapshots"
)
_LENGTH = "queued of length "
_AXES = {"work": "work", "seconds": "search time (s)"}
_STATES = {"open": CYCLE[5], "expanded": BLUE, "cut": GREY}


def convergence(trace: Any, x: str = "work") -> Any:
    """Objective and lower bound, and the gap between them.

    Parameters
    ----------
    trace : fitted classifier, Recording, snapshots, Search or DataFrame
        A search tells its present state only. Tables have columns ``work`` and ``seconds``, ``objective`` and
        ``lower_bound``.
    x : str
        "work" or "seconds".

    Returns
    -------
    Overlay
        Of an area and two curves.
    """
    trace = _trace_of(trace, x, "objective", "lower_bound")
    known = trace.astype({"objective": float, "lower_bound": float})
    both = known.dropna(subset=["objective"])
    label = hv.Dimension(x, label=_AXES[x])
    value = hv.Dimension("value", label="objective and bound")  # no label of a curve: Matplotlib takes it for data
    steps = [np.repeat(both[name].to_numpy(), 2) for name in ("objective", "lower_bound")]
    across = np.repeat(both[x].to_numpy(), 2)
    area = hv.Area((across[1:], steps[1][:-1], steps[0][:-1]), label, [value, hv.Dimension("objective")], label="gap")
    found = _steps(both, x, "objective", value, ORANGE, "objective")
    proven = _steps(known, x, "lower_bound", value, BLUE, "lower bound")
    return (styled(area, color=GREY, fill_alpha=0.18) * found * proven).relabel("Objective and lower bound")


def queue(trace: Any, x: str = "work") -> Any:
    """Waiting prefixes by their length; where the trace does not tell the lengths, all together.

    Parameters
    ----------
    trace, x
        As of `convergence`, with columns ``queued of length k`` (as the page saves it), or ``queued``.

    Returns
    -------
    Overlay
        Of stacked areas, or of one curve.
    """
    trace = _trace_of(trace, x)
    lengths = sorted(int(name.removeprefix(_LENGTH)) for name in map(str, trace.columns) if name.startswith(_LENGTH))
    label, value = hv.Dimension(x, label=_AXES[x]), hv.Dimension("prefixes", label="prefixes in the queue")
    if not lengths:
        whole = require_columns(trace, ["queued"], TRACE)
        curve = hv.Curve((whole[x], whole["queued"].astype(float)), label, value, label="all lengths")
        return hv.Overlay([styled(curve, color=BLUE, line_width=2)]).relabel("Queue by prefix length")
    below, areas = np.zeros(len(trace)), []
    for length in lengths:
        above = below + trace[f"{_LENGTH}{length}"].fillna(0).to_numpy(dtype=float)
        area = hv.Area((trace[x], below, above), label, [value, hv.Dimension("up to")], label=f"length {length}")
        color = LENGTHS[min(max(length - 1, 0), 7)]
        areas.append(styled(area, color=color, fill_alpha=0.85, show_legend=True))
        below = above
    return styled(hv.Overlay(areas).relabel("Queue by prefix length"), legend_position="right")


def remaining(trace: Any, x: str = "work") -> Any:
    """How much of the search space may still hold a better model, as a power of ten.

    Parameters
    ----------
    trace, x
        As of `convergence`, with a column ``log10_remaining``.

    Returns
    -------
    Overlay
        Of the bound by lengths (Prop 9 of the CORELS paper), down to 0, where no model is left, without a point where
        the search does not count what remains; and of the finer one by prefixes (Thm 7), which `CorelsSearch` counts.
    """
    trace = _trace_of(trace, x, "log10_remaining")
    value, curves = hv.Dimension("remaining", label="remaining models, log10"), []
    for name, label, color in (("log10_remaining", "by length", GREEN), ("log10_remaining_fine", "by prefix", BLUE)):
        if name in trace:
            known = trace[np.isfinite(trace[name].astype(float))]
            curves.append(_steps(known, x, name, value, color, label))
    return hv.Overlay(curves).relabel("Remaining search space")


def cuts(snapshot: Any) -> Any:
    """How many prefixes each bound has cut.

    Parameters
    ----------
    snapshot : Snapshot, Search, fitted classifier, Recording, snapshots, or mapping of str to int

    Returns
    -------
    Bars
        The most effective one first.
    """
    states = _snapshots_of(snapshot)
    if states is None and not isinstance(snapshot, Mapping):
        raise TypeError(f"snapshot must be a search, its snapshots or their numbers by bound, not {short(snapshot)}")
    pruned = dict(snapshot) if states is None else states[-1].pruned if states else {}
    rows = sorted(((name.replace("_", " "), int(n)) for name, n in pruned.items() if n), key=lambda row: -row[1])
    bars = hv.Bars(rows, "bound", hv.Dimension("cut", label="prefixes cut"), label="Prefixes cut, by bound")
    return styled(bars, color=BLUE, invert_axes=True)


def incumbents(trace: Any, x: str = "work") -> Any:
    """Errors of the best model over time, a step for each better one.

    Parameters
    ----------
    trace, x
        As of `convergence`, with a column ``errors``.

    Returns
    -------
    Curve
    """
    trace = _trace_of(trace, x, "errors")
    known = trace.dropna(subset=["errors"])
    return _steps(known, x, "errors", hv.Dimension("errors"), ORANGE, "Errors of the incumbents")


def tree(frame: Any) -> Any:
    """The search tree as an icicle: a row per prefix length, each prefix under the one that it continues.

    Parameters
    ----------
    frame : DataFrame, or search, recording or classifier
        What ``search.tree()`` gives: ``node``, ``parent``, ``label``, ``length``, ``bound``, ``state``, ``cut_by``
        and ``descendants``, each prefix after its parent.

    Returns
    -------
    Overlay
        Of rectangles, a colour per state; widths say how many prefixes are stored below.
    """
    names = ["node", "parent", "label", "length", "bound", "state", "cut_by", "descendants"]
    frame = require_columns(frame, names, "the search of a list, or the frame of `search.tree()`", "tree")
    left, right = _side_by_side(frame)
    places = frame.assign(x0=left, x1=right, y0=-frame["length"] - 0.95, y1=-frame["length"] * 1.0)
    parts = []
    for state, color in _STATES.items():
        some = places[places["state"] == state]
        if len(some):
            values = [hv.Dimension(name) for name in ("label", "bound", "cut_by")]
            columns = ["x0", "y0", "x1", "y1", "label", "bound", "cut_by"]
            boxes = hv.Rectangles(some[columns].astype({"label": str, "cut_by": str}), vdims=values, label=state)
            parts.append(styled(boxes, color=color, line_color="white", tools=["hover"]))
    return styled(hv.Overlay(parts).relabel("Search tree"), xaxis=None, yaxis=None, legend_position="bottom")


def ablation(frame: pd.DataFrame) -> Any:
    """How many more prefixes a search stores without each of its bounds.

    Parameters
    ----------
    frame : DataFrame
        That of `rulelab.Ablation`, with columns ``variant`` and ``nodes_factor``.

    Returns
    -------
    Bars
        As a multiple of the search with everything.
    """
    frame = require_columns(frame, ["variant", "nodes_factor"], "the frame of `rulelab.Ablation`")
    rows = [(str(name), float(times)) for name, times in zip(frame["variant"], frame["nodes_factor"], strict=True)]
    value = hv.Dimension("times", label="prefixes stored, as a multiple of all bounds together")
    return styled(hv.Bars(rows, hv.Dimension("variant"), value, label="Ablation"), color=BLUE, invert_axes=True)


def _steps(frame: pd.DataFrame, x: str, y: str, value: Any, color: str, label: str) -> Any:
    """A column of a trace as a curve in steps."""
    curve = hv.Curve((frame[x], frame[y].astype(float)), hv.Dimension(x, label=_AXES[x]), value, label=label)
    return styled(curve, color=color, line_width=2, interpolation="steps-post")


def _side_by_side(frame: pd.DataFrame) -> tuple[list[float], list[float]]:
    """Left and right ends of the prefixes: inside their parent, by how many prefixes are stored below, and they."""
    left: dict[int, float] = {}
    right: dict[int, float] = {}
    free: dict[int, float] = {}
    below: dict[int, int] = {}
    for node, parent, n in zip(*(frame[name].tolist() for name in ("node", "parent", "descendants")), strict=True):
        start, end = 0.0, 1.0
        if parent in left:
            start = free[parent]
            end = free[parent] = min(start + (right[parent] - left[parent]) * (n + 1) / below[parent], right[parent])
        left[node], right[node], free[node], below[node] = start, end, start, max(n, 1)
    return list(left.values()), list(right.values())


def _snapshots_of(source: Any) -> list[Snapshot] | None:
    """The states of what is drawn, as many as are known; None for what has none."""
    if hasattr(type(source), "search_"):
        source = source.search_
    if isinstance(source, Search):
        source = source.snapshot or []
    if isinstance(source, Recording):
        source = source.snapshots
    states = [source] if isinstance(source, Snapshot) else source
    known = isinstance(states, list | tuple) and all(isinstance(each, Snapshot) for each in states)
    return list(states) if known else None


def _trace_of(source: Any, x: str, *names: str) -> pd.DataFrame:
    """The table of what is drawn against one of `_AXES`, with columns of these names; TypeError or ValueError."""
    if x not in _AXES:
        raise ValueError(f"x must be one of {', '.join(_AXES)}, not {x!r}")
    trace = getattr(source, "trace_", None)
    states = _snapshots_of(source) if trace is None else None
    found = pd.DataFrame([trace_row(each) for each in states]) if states else source if trace is None else trace
    return require_columns(found, [x, *names], TRACE)


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
    frame = require_columns(frame, names, "the frame of `search.pool()`", "pool").dropna(subset=["reduced_cost"])
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
