"""The search tree to look around in, with the sum that a prefix's bound is and what becomes of each next rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import param

from ...arguments import is_whole, short
from ...families import FAMILIES
from ...prefixes import PrefixSearch, reason
from ...recording import Recording
from ..live.wording import in_signs
from ..notebook import NotebookViewer
from ..search.plots.base import PlotBox
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, Explained, term_classes, word
from ..widgets.fields import WIDE, column
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, SELECT_CSS, STACK_CSS, sheet
from .children_plot import TERMS, ChildrenPlot
from .frames import TreeFrame, recorded_frame, tree_frame
from .icicle import bound_name
from .tree_plot import HEIGHT, TreePlot

OFFERED = 40  # prefixes in the list of prefixes, the largest ones
_LONGEST = 90
_WHY = 66  # least height of the sentence, so that what follows does not move
LAST, _LAST = "looked at last", "last"  # and expanded then, or cut
_TO_BEST = "on the way to the best list"  # what is looked at of a recording, where nothing else is asked for
_BEST_ENDS = "The list that ends here is the best one; cut is what would go on from it."


class TreePane(NotebookViewer):
    """A tree as an icicle, one prefix of it in a sentence, and the rules that could come next after that."""

    # the antecedents of the prefix that is looked at; None: the one that was expanded last. Set by a tap on the tree or
    # on a next rule, or in the list of prefixes
    prefix = param.ClassSelector(class_=(list, tuple), default=None, allow_None=True, doc="None: expanded last.")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    large = param.Boolean(default=False, doc="Whether the text in the picture is large enough for a projector.")

    def __init__(
        self,
        unit: str,  # of the objective
        height: int = HEIGHT,  # of the picture, in pixels
        name_of_files: Callable[[], str] = lambda: "rulelab",  # gives the beginning of the names of saved files
        **params: Any,
    ) -> None:
        # the tree, and the rules that could come next
        self.plot, self.bars = TreePlot(self._tapped, height), ChildrenPlot(unit, self.look)
        self._name_of_files = name_of_files
        super().__init__(**params)
        self._build()
        self._restyle()
        self.draw(TreeFrame())

    def _picture(self) -> str:
        return self.plot.as_svg()

    def look(self, antecedent: str) -> None:
        """Look at the prefix that is seen with one more rule."""
        self.prefix = [*self.drawn.seen.path, antecedent]

    def path(self, node: int) -> list[str]:
        """The antecedents of a prefix of the tree, by its number."""
        names = []
        while self._parents.get(node, -1) >= 0:
            names.append(self._antecedents[node])
            node = self._parents[node]
        return names[::-1]

    def draw(self, frame: TreeFrame) -> None:
        """Show a tree."""
        self.drawn, nodes = frame, frame.tree["node"].tolist()
        self._parents: dict[int, int] = dict(zip(nodes, frame.tree["parent"].tolist(), strict=True))
        self._antecedents: dict[int, str] = dict(zip(nodes, frame.tree["antecedent"].tolist(), strict=True))
        with pn.io.hold():
            self.plot.draw(frame)
            self.plot.blank = not nodes
            self.bars.draw(frame.seen)
            self.box.refresh()
            self.bars_box.refresh()
            self._offer()
            self.said.object = sentence(frame) if nodes else ""
            self._below.visible = bool(nodes)
            self._next.visible = not (frame.recorded and frame.seen.children.empty)
        pn.io.push_notebook(self.box.pane, self.bars_box.pane)

    @param.depends("dark", "large", watch=True)
    def _restyle(self) -> None:
        for plot in (self.plot, self.bars):
            plot.use_dark(self.dark)
            plot.use_size(self.large)

    def _tapped(self, node: int) -> None:
        self.prefix = self.path(node)

    def _chosen(self, event: Any) -> None:
        self.prefix = None if event.new == _LAST else list(event.new)

    def _offer(self) -> None:
        """Let the list of prefixes name the largest ones, in the order of the tree, and the one looked at."""
        drawn = {tuple(self.path(node)) for node in self.plot.largest(OFFERED)}
        if self.prefix is not None:
            drawn.add(tuple(self.prefix))
        options: dict[str, tuple[str, ...] | str] = {_TO_BEST if self.drawn.recorded else LAST: _LAST}
        for path in sorted(drawn):
            name = ", then ".join(plain(in_signs(each), _LONGEST) for each in path) or "no rule yet"
            name = name if len(name) <= _LONGEST else "…" + name[1 - _LONGEST :]
            options[name if name not in options else f"{name} ({len(options)})"] = path
        value = _LAST if self.prefix is None else tuple(self.prefix)
        if options != self._prefix.options or value != self._prefix.value:
            self._prefix.param.update(options=options, value=value)

    def _build(self) -> None:
        self._prefix = pn.widgets.Select(
            label="Prefix",
            options={LAST: _LAST},
            css_classes=term_classes("prefix"),
            stylesheets=[SELECT_CSS],
            sizing_mode="stretch_width",
            margin=(8, 0, 10, 0),
        )
        self._prefix.param.watch(self._chosen, "value")
        self.box = PlotBox(self.plot, self._name_of_files)
        self.bars_box = PlotBox(self.bars, self._name_of_files)
        self.said = Html("", stylesheets=[CARD_CSS, WORD_CSS], min_height=_WHY, **WIDE)
        first, bars = (column(*each, sheets=[STACK_CSS]) for each in ((self.said, self._prefix), self.bars_box.items))
        self._next = column(bars)
        below = column(first, self._next, sheets=[sheet("side_by_side.css")])
        self._below = column(below, visible=False)  # the sheet of what is in it would show it always
        self._layout = column(*self.box.items, self._below, sheets=[STACK_CSS])


class TreeView(TreePane):
    """The prefixes that a search has stored, as an icicle: a row per length, each below the prefix that it continues.

    One prefix is explained below it: what its bound is the sum of, why it is open or cut, and, a bar for each, what
    becomes of the rules that could come next.

    Parameters
    ----------
    search : PrefixSearch or Recording
        A search for a rule list or an exact one for a falling rule list, or the recording of one. A recording that was
        read from a file has no data: of its prefixes rules, cost, bound and fate are known, not the rows.
    max_nodes : int
        Those on the path to the best list are shown, then those with the most descendants; the others stand together
        by what has become of them.

    Attributes
    ----------
    prefix : list of str or None
        The one that is explained; None: the one that was expanded last.
    step : int or None
        Of a recording: the step whose tree is shown; None: the last one.

    Examples
    --------
    In a notebook::

        search = rl.CorelsSearch(problem, regularization=0.01)
        search.advance(50)
        view = rl.views.TreeView(search)
        view

    and later, with ``search.advance(50)`` in another cell, the view follows; elsewhere than in a notebook it does by
    ``view.refresh()``.
    """

    step = param.Integer(default=None, allow_None=True, doc="Of a recording: the step that is shown; None: the last.")

    def __init__(
        self,
        search: PrefixSearch | Recording,
        max_nodes: int = 2000,
        prefix: Sequence[str] | None = None,
        **params: Any,
    ) -> None:
        if not isinstance(search, (PrefixSearch, Recording)):
            raise TypeError(
                f"search must be one that stores prefixes, as a RuleListSearch, or a Recording, not {short(search)}"
            )
        if not is_whole(max_nodes, 1):
            raise ValueError(f"max_nodes must be a positive integer, not {max_nodes!r}")
        self._searched, self._most = search, int(max_nodes)
        super().__init__(FAMILIES[search.family].unit, **params)
        self._layout.append(Explained())
        self._kept: Any = None
        self.prefix = prefix
        if prefix is None:
            self.refresh()

    @param.depends("step", "prefix", watch=True)
    def refresh(self) -> None:
        """Show the tree as it is now; to be called after more steps of the search."""
        searched = self._searched
        try:
            if isinstance(searched, PrefixSearch):
                frame = tree_frame(searched, self._most, prefix=self.prefix)
            else:
                frame = recorded_frame(searched, self.step, self._most, self.prefix)
        except ValueError:
            with param.parameterized.discard_events(self):
                self.prefix = self._kept
            raise
        self._kept, self._shown_at = self.prefix, self._at
        self.draw(frame)

    @property
    def _at(self) -> int | None:
        now = self._searched.snapshot if isinstance(self._searched, PrefixSearch) else None
        return None if now is None else now.step

    def keep_still(self) -> None:
        """Follow a search that a cell of the notebook went on with, and let the notebook hold what is shown."""
        if self._at != self._shown_at:
            self.refresh()
        super().keep_still()


def sentence(frame: TreeFrame) -> str:
    """HTML of the prefix that is looked at: what its bound is the sum of, and what has become of it for that."""
    seen, tree = frame.seen, frame.tree
    rules = ", ".join(f"{'else if' if k else 'if'} {esc(in_signs(name))}" for k, name in enumerate(seen.path))
    head = f"<b>{rules or 'No rule yet'}</b>{f', {LAST}' if seen.last else ''}"
    own, root = seen.own, tree.iloc[0]
    fate, cut_by = (root["state"], root["cut_by"]) if own is None else (own["fate"], own["cut_by"])
    if own is None:
        said = f"it loses nothing and has no price; its bound is {root['bound']:.4f}."
        why = reason(fate, cut_by, frame.kind, root["bound"], frame.objective) if fate == "cut" else ""
    else:
        terms = [f"{word(words)} {own[name]:.4f}" for name, words in TERMS.items() if own[name] or name != "further"]
        said = f"{' + '.join(terms)} = {word('bound', 'bound of a prefix')} {own['bound']:.4f}."
        why = own["reason"]
    name, why = bound_name(cut_by), esc(why, 800)
    if name:
        why = why.replace(esc(name), word(name, cut_by, frame.kind), 1)
    if fate == "cut" and own is not None and seen.path == frame.best:
        said = f"{said} {_BEST_ENDS}"
    if frame.recorded and seen.children.empty:
        why = f"{why} {esc(seen.said)}"
    return f'<p class="why">{head}: {said} <span class="reason">{why}</span></p>'
