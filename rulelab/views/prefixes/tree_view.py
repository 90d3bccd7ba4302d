"""The search tree to look around in: a picture, and below it all that is known of the prefix that is tapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn
import param

from ...arguments import is_whole, short
from ...prefixes import PrefixSearch, Scale, reason
from ...recording import Recording
from ..live.wording import count, in_signs
from ..notebook import NotebookViewer
from ..search.plot_box import PlotBox
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, Explained, term_classes, word
from ..widgets.html import Html
from ..widgets.press import Press
from ..widgets.style import BAR_CSS, CARD_CSS, SELECT_CSS, STACK_CSS, sheet
from .fate_colors import fate_of
from .frames import TreeFrame, recorded_frame, tree_frame
from .icicle import WIDTHS
from .tree_plot import HEIGHT, PIXELS, TreePlot

_TAP = '<p class="empty">Tap a prefix, or choose one below the picture, to see why it is open or cut.</p>'
_GONE = '<p class="empty">The prefix that was chosen is not among the largest ones any more.</p>'
_NONE = -1
COLUMNS, _OFFERED = 480, 40
"""Pixels of a row of a picture of all prefixes, and how many of them the list offers."""
_LONGEST = 90
_CSS = sheet("tree.css")
_ONE_LINE_CSS = "@media (min-width: 600px) { :host { flex-wrap: nowrap; } }"
_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}


class TreePane(NotebookViewer):
    """A tree as an icicle: a row per length, each prefix below the one that it continues; one can be looked at.

    Parameters
    ----------
    offered : int, optional
        Prefixes in the list of prefixes, the largest ones; None: all that are drawn.
    height : int
        Of the picture, in pixels.
    name_of_files : callable
        Gives the beginning of the names of saved files.
    look_into : callable, optional
        Takes the antecedents of a prefix, to show what becomes of each rule that could come next; None: no button.

    Attributes
    ----------
    node : int or None
        The number of the prefix that is looked at, as in ``search.tree()``; set by a tap or in the list of prefixes.
    width : str
        What widths mean: "descendants", how many prefixes are stored below, or "bound": the children of a prefix share
        its width, the larger parts for those whose bounds are near the objective of the best list; or "all as pixels":
        however many there are, each pixel is the prefix at its middle.
    box : PlotBox
        The picture.
    """

    node: param.Integer[int | None] = param.Integer(
        default=None, allow_None=True, label="Prefix", doc="The prefix that is looked at."
    )
    width: param.Selector[str] = param.Selector(default=WIDTHS[0], objects=[*WIDTHS, PIXELS], label="Width by")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    large = param.Boolean(default=False, doc="Whether the text in the picture is large enough for a projector.")

    def __init__(
        self,
        offered: int | None = None,
        height: int = HEIGHT,
        name_of_files: Callable[[], str] = lambda: "rulelab",
        look_into: Callable[[list[str]], None] | None = None,
        **params: Any,
    ):
        self._plot = TreePlot(on_tap=self._take, height=height)
        self._offered, self._name_of_files, self._look_into = offered, name_of_files, look_into
        super().__init__(**params)
        self._build()
        self._restyle()
        self.draw(TreeFrame())

    def __panel__(self) -> Any:
        return self._layout

    def _picture(self) -> str:
        return self._plot.as_svg()

    @property
    def columns(self) -> int:
        """Of the picture of all prefixes; 0 where that is not wanted."""
        return COLUMNS if self.width == PIXELS else 0

    def draw(self, frame: TreeFrame) -> None:
        """Show a tree."""
        self._frame, self._tree = frame, frame.tree
        self._at = {node: k for k, node in enumerate(self._tree["node"].tolist())}
        self._parents: list[int] = self._tree["parent"].tolist()
        self._redraw()

    @param.depends("width", watch=True)
    def _redraw(self) -> None:
        with pn.io.hold():
            frame, pixels = self._frame, self._frame.pixels if self.columns else None
            width = WIDTHS[0] if self.columns else self.width  # until the pixels have come
            self._plot.show_tree(self._tree, width, frame.objective, frame.empty, frame.said, pixels, frame.cuts)
            self._box.refresh()
            self._show_node()

    @param.depends("node", watch=True)
    def _show_node(self) -> None:
        node = self.node if self.node in self._at else None
        with pn.io.hold():
            self._plot.choose(self.node)
            self._offer()
            self._prefix.value = _NONE if node is None else node
            able = node is not None and self._frame.scale is not None
            if self._next.able is not able:
                self._next.able = able
            text = self._details(node) if node is not None else _TAP if self.node is None else _GONE
            if not len(self._tree):
                text = ""
            if text != self._said.object:
                self._said.object = text
        if pn.state.curdoc is None or pn.state.curdoc.session_context is None:
            pn.io.push_notebook(self._box.pane)

    @param.depends("dark", "large", watch=True)
    def _restyle(self) -> None:
        self._plot.use_dark(self.dark)
        self._plot.use_size(self.large)

    def _take(self, node: int | None) -> None:
        self.node = node

    def _offer(self) -> None:
        """Let the list of prefixes name those that are drawn, in the order of the tree, and the one looked at."""
        drawn = set(self._plot.nodes if self._offered is None else self._plot.largest(self._offered))
        if not drawn:  # where there are pixels
            largest = self._tree.sort_values("descendants", ascending=False, kind="stable")
            drawn = set(largest["node"].tolist()[: self._offered or _OFFERED])
        if self.node is not None and self.node in self._at:
            drawn.add(self.node)
        named = sorted((self._path(node), node) for node in drawn)
        antecedents = self._tree["antecedent"].tolist()
        options = {"none": _NONE}
        for path, node in named:
            rules = [plain(in_signs(antecedents[self._at[each]]), _LONGEST) for each in path[1:]]
            name = ", then ".join(rules) or "no rule yet"
            name = name if len(name) <= _LONGEST else "…" + name[1 - _LONGEST :]
            options[name if name not in options else f"{name} ({node})"] = node
        if options != self._prefix.options:
            self._prefix.param.update(options=options, value=self.node if self.node in drawn else _NONE)

    def _press(self) -> None:
        if self._look_into is not None and self.node is not None and self.node in self._at:
            antecedents = self._tree["antecedent"].tolist()
            self._look_into([antecedents[self._at[each]] for each in self._path(self.node)[1:]])

    def _path(self, node: int) -> tuple[int, ...]:
        """The nodes from the empty prefix to this one."""
        path = []
        while node >= 0:
            path.append(node)
            node = self._parents[self._at[node]]
        return tuple(reversed(path))

    def _details(self, node: int) -> str:
        """HTML of all that is known of a prefix."""
        rows = self._tree.iloc[[self._at[each] for each in self._path(node)]]
        last, names = rows.iloc[-1], rows["antecedent"].tolist()[1:]
        fate = fate_of(last["state"], last["cut_by"])
        kind, scale = self._frame.kind, self._frame.scale
        captured = [] if scale is None else _captured(scale, names)
        terms = _terms(scale, names, float(last["cost"]), float(last["bound"]))
        said = ""
        if captured:
            wrong = count(sum(each[1] for each in captured[:-1]))
            decided = count(sum(each[0] for each in captured[:-1]))
            said = f'<p class="sum">{decided} rows captured, {wrong} of them wrong; {count(captured[-1][0])} left.</p>'
        bound, cut_by = float(last["bound"]), last["cut_by"]
        bounding = None if scale is None else cut_by in scale.bounding
        why = reason(last["state"], cut_by, kind, bound, self._frame.objective, bounding)
        return (
            f"<h2>{_rules_of(len(names))}: {word(fate, last['cut_by'] or last['state'], kind)}</h2>"
            f'<div class="sides"><div>{_list(names, rows["label"].tolist()[1:], captured)}{said}</div>'
            f"<div>{_bound(terms, bound, self._frame.objective)}</div></div>"
            f'<p class="why">{esc(why, 600)}{self._instead(node) if cut_by and not bounding else ""}</p>'
        )

    def _instead(self, node: int) -> str:
        """HTML of the drawn prefix that captures the same rows for less and was kept, where there is one."""
        scale, tree = self._frame.scale, self._tree
        if scale is None:
            return ""
        known = {name: k for k, name in enumerate(scale.problem.names)}
        left: dict[int, np.ndarray] = {}
        for each, above, name in zip(tree["node"].tolist(), self._parents, tree["antecedent"].tolist(), strict=True):
            left[each] = left[above] & ~scale.weights.columns[known[name]] if above >= 0 else scale.weights.everything
        costs = dict(zip(tree["node"].tolist(), tree["cost"].tolist(), strict=True))
        kept = tree["node"][tree["state"] != "cut"].tolist()
        same = [each for each in kept if costs[each] <= costs[node] and np.array_equal(left[each], left[node])]
        if not same:
            return ""
        names = tree["antecedent"].tolist()
        best = min(same, key=lambda each: (costs[each], each))
        rules = ", then ".join(in_signs(names[self._at[each]]) for each in self._path(best)[1:])
        return f" The same rows are captured, at {costs[best]:.4f} instead of {costs[node]:.4f}, by: {esc(rules, 400)}."

    def _build(self) -> None:
        pick: dict[str, Any] = {"stylesheets": [SELECT_CSS]}
        self._prefix = pn.widgets.Select(
            label="Prefix", options={"none": _NONE}, css_classes=term_classes("prefix"), max_width=430, **_WIDE, **pick
        )
        self._prefix.param.watch(lambda event: self._take(None if event.new == _NONE else event.new), "value")
        width = pn.widgets.Select.from_param(
            self.param.width, css_classes=term_classes("search tree"), width=124, margin=0, **pick
        )
        self._box = PlotBox(self._plot, self._plot.picture, self._name_of_files)
        self._said = Html(_TAP, stylesheets=[CARD_CSS, WORD_CSS, _CSS], **_WIDE)
        self._next = Press(
            self._press,
            label="Next rules",
            able=False,
            visible=self._look_into is not None,
            margin=0,
            height=36,
            width=90,
        )
        bar = pn.Row(self._prefix, width, self._next, stylesheets=[BAR_CSS, _ONE_LINE_CSS], **_WIDE)
        self._layout = pn.Column(*self._box.items, bar, self._said, stylesheets=[STACK_CSS], **_WIDE)


class TreeView(TreePane):
    """The prefixes that a search has stored, as an icicle: a row per length, each below the prefix that it continues.

    Parameters
    ----------
    search : PrefixSearch or Recording
        A search for a rule list or an exact one for a falling rule list, or the recording of one. A recording that was
        read from a file has no data: of its prefixes rules, cost, bound and fate are known, not the rows.
    max_nodes : int
        Those on the path to the best list are shown, then those with the most descendants; the others are counted in
        hatched blocks.

    Attributes
    ----------
    node, width
        See `TreePane`.
    step : int or None
        Of a recording: the step whose tree is shown; None: the last one.

    Examples
    --------
    In a notebook::

        search = rl.CorelsSearch(problem, regularization=0.01)
        search.advance(50)
        view = rl.views.TreeView(search)
        view

    and later, with ``search.advance(50)``, ``view.refresh()``.
    """

    step = param.Integer(default=None, allow_None=True, doc="Of a recording: the step that is shown; None: the last.")

    def __init__(self, search: PrefixSearch | Recording, max_nodes: int = 2000, **params: Any) -> None:
        if not isinstance(search, (PrefixSearch, Recording)):
            raise TypeError(
                f"search must be one that stores prefixes, as a RuleListSearch, or a Recording, not {short(search)}"
            )
        if not is_whole(max_nodes, 1):
            raise ValueError(f"max_nodes must be a positive integer, not {max_nodes!r}")
        self._searched, self._most = search, int(max_nodes)
        super().__init__(**params)
        self._layout.append(Explained())
        self.refresh()

    @param.depends("step", "width", watch=True)
    def refresh(self) -> None:
        """Show the tree as it is now; to be called after more steps of the search."""
        searched = self._searched
        if isinstance(searched, PrefixSearch):
            self.draw(tree_frame(searched, self._most, columns=self.columns))
        else:
            self.draw(recorded_frame(searched, self.step, self._most, self.columns))


def _captured(scale: Scale, names: list[str]) -> list[tuple[float, float]]:
    """The weight of the rows that each rule captures, and of those of them that are wrong; last, of those left."""
    weights, known = scale.weights, {name: k for k, name in enumerate(scale.problem.names)}
    left, found = weights.everything, []
    for name in names:
        column = weights.columns[known[name]]
        pair = weights.of_set(left & column)
        found.append((sum(pair) * scale.row, min(pair) * scale.row))
        left = left & ~column
    pair = weights.of_set(left)
    return [*found, (sum(pair) * scale.row, min(pair) * scale.row)]


def _terms(scale: Scale | None, names: list[str], cost: float, bound: float) -> dict[str, float]:
    """What adds up to the bound."""
    if scale is None:
        return {"loss so far and price of the rules": cost, "what further bounds add": max(0.0, bound - cost)}
    known, left = {name: k for k, name in enumerate(scale.problem.names)}, scale.weights.everything
    for name in names:
        left = left & ~scale.weights.columns[known[name]]
    price = scale.price(len(names))
    inevitable = min(float(scale.inevitable.of_set(left)[0] * scale.costs.unit), max(0.0, bound - cost))
    return {
        "loss so far": max(0.0, cost - price),
        "price of the rules": price,
        "inevitable loss": inevitable,
        "what further bounds add": max(0.0, bound - cost - inevitable),
    }


def _rules_of(n: int) -> str:
    return "The empty prefix" if n == 0 else "A prefix of 1 rule" if n == 1 else f"A prefix of {n} rules"


def _list(names: list[str], labels: list[Any], captured: list[tuple[float, float]]) -> str:
    """A table of the rules, with the rows of each where they are known."""
    lines = [
        (f'<span class="kw">{"else if" if k else "if"}</span> {esc(in_signs(name))}', esc(label, 40))
        for k, (name, label) in enumerate(zip(names, labels, strict=True))
    ]
    lines.append(('<span class="kw">and what may follow</span>', ""))
    numbers = [f'<td class="num">{count(rows)}</td><td class="num">{count(wrong)}</td>' for rows, wrong in captured]
    if captured:
        numbers[-1] = f'<td class="num">{count(captured[-1][0])}</td><td></td>'
    body = "".join(
        f'<tr><td>{rule}</td><td class="label">{label}</td>{more}</tr>'
        for (rule, label), more in zip(lines, numbers or [""] * len(lines), strict=True)
    )
    heads = '<th class="num">captured</th><th class="num">wrong</th>' if captured else ""
    head = f'<thead><tr><th>rule</th><th class="label">label</th>{heads}</tr></thead>'
    return f'<div class="box"><table class="rules">{head}<tbody>{body}</tbody></table></div>'


def _bound(terms: dict[str, float], bound: float, objective: float | None) -> str:
    """A table of the terms of the bound, and the best list to compare with."""
    lines = [(word(name), value, "") for name, value in terms.items()]
    lines.append((word("bound", "lower bound"), bound, ' class="sum"'))
    if objective is not None:
        lines.append((word("best list", "incumbent"), objective, ""))
    body = "".join(f'<tr{look}><td>{name}</td><td class="num">{value:.4f}</td></tr>' for name, value, look in lines)
    return f'<table class="rules"><thead><tr><th>its bound</th><th></th></tr></thead><tbody>{body}</tbody></table>'
