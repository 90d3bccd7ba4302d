"""The pinned model cards side by side, with what differs highlighted and other methods beside them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import panel as pn
import param

from ...assets import texts
from ..allowance import ALLOWED
from ..cards import card_file as kept
from ..cards import html as card_html
from ..cards.card import Card
from ..cards.card_file import MAX_UPLOAD_BYTES, parse
from ..cards.differences import LETTERS, incomparable
from ..cards.report import report
from ..cards.view import ModelCard
from ..live.job import Job
from ..live.ticker import Beat, Work
from ..live.wording import counted
from ..notebook import NotebookViewer, one_at_a_time
from ..widgets.browser import Kept
from ..widgets.esc import plain
from ..widgets.fields import WIDE, Complaining, alert, button, column, download, row, select, when_page_ends
from ..widgets.html import Html, LiveText
from ..widgets.style import BAR_CSS, CARD_CSS, CARDS_CSS, CHOICES_CSS, MODEL_CSS, PANEL_CSS, STACK_CSS
from ..widgets.uploader import Uploader
from .table import ModelTable, Others, is_listed, of_method, of_pin

_EMPTY = texts("empty")["cards"]


class CompareView(Complaining, NotebookViewer):
    """Model cards side by side.

    Parameters
    ----------
    kept : Kept, optional
        Where it is on the page already.
    table : ModelTable, optional
        That has kept runs in it; default: one without.

    Attributes
    ----------
    kept : Kept
        Lets the cards survive that the page is loaded again; it has to be shown somewhere on the page.
    """

    against: param.Selector[str] = param.Selector(
        default=LETTERS[0],
        objects=[*LETTERS, "none"],
        label="Differences to",
        doc="The letter of the card that the others are compared with.",
    )
    only = param.Boolean(default=False, label="Only what differs", doc="Of rules, figures, data and parameters.")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    below = param.Parameter(default=None, doc="What stands between the table and the cards.")
    files = param.Parameter(default=None, doc="What else can be saved.")
    points = param.List(default=[], doc="Models of a sweep, as rows of the table.")
    criterion = param.String(default="equal_opportunity", doc="What gaps in the table are measured in.")
    attribute = param.String(default="", doc="Whose groups they compare; empty: those of each card's first attribute.")

    def __init__(self, kept: Kept | None = None, table: ModelTable | None = None, **params: Any) -> None:
        if not (kept is None or isinstance(kept, Kept)):
            raise TypeError(f"kept must be what the page keeps, or None, not {kept!r}; cards are pinned with pin")
        super().__init__(**params)
        self._cards: list[ModelCard] = []
        self._others = Others()
        self._scored = False
        self._beat = Beat(self.refresh)
        self._returning = Work(start=self._beat.start)
        self.table = table or ModelTable(sizing_mode="stretch_width", margin=0)
        self.on_choose: Callable[[str], Any] = lambda key: None
        self.on_tick: Callable[[str], Any] = lambda key: None
        self.table.on_page = self._asked
        self.kept = kept or Kept(width=0, height=0, margin=0)
        self.kept.param.watch(self._bring_back, "found")
        self.kept.param.watch(self._not_kept, "problem")
        self._build()
        when_page_ends(self.close)
        self._arrange()
        if self.kept.found:
            self._read_kept(self.kept.found)

    @property
    def cards(self) -> tuple[ModelCard, ...]:
        """The pinned cards, in order."""
        return tuple(self._cards)

    @property
    def base(self) -> ModelCard | None:
        """The card that the others are compared with; None: they are not."""
        known = {shown.letter: shown for shown in self._cards} if len(self._cards) > 1 else {}
        return known.get(self.against)

    def pin(self, card: Card) -> str:
        """Add a card and return its letter; ValueError when there is no place left."""
        (letter,) = self._take([card])
        return letter

    def letter_of(self, card: Card) -> str:
        """The letter of the card that says the same, with rows or without as this one; empty: there is none."""
        for shown in self._cards:
            if (shown.card.rows is None) == (card.rows is None) and shown.card.says_the_same(card):
                return shown.letter
        return ""

    @one_at_a_time
    def _take(self, cards: Sequence[Card]) -> list[str]:
        """Pin cards together, and return their letters."""
        n = len(self._cards)
        if n + len(cards) > len(LETTERS):
            raise ValueError(f"{n} models are pinned already, of at most {len(LETTERS)}; remove one in the tab Compare")
        for card, letter in zip(cards, LETTERS[n:], strict=False):
            self._cards.append(self._made(card))
            self._cards[-1].letter = letter
        self._arrange()
        self._keep()
        return list(LETTERS[n : n + len(cards)])  # others may have come back meanwhile, behind them

    def _made(self, card: Card) -> ModelCard:
        shown = ModelCard(card, on_remove=lambda: self.remove(shown))
        shown.param.watch(lambda *_: self._keep(), ["intended_use", "limits", "called"])
        shown.param.watch(lambda *_: self._arrange(), "called")
        shown.param.watch(self._has_scores, "scored")
        return shown

    def _has_scores(self, *_: Any) -> None:
        """Scores of a card are there; those of others may come at the same time."""
        self._scored = True
        self._beat.start()

    @one_at_a_time
    def remove(self, shown: ModelCard) -> None:
        """Take a card away."""
        shown.close()
        base = self.base
        self._cards.remove(shown)
        for letter, each in zip(LETTERS, self._cards, strict=False):
            each.letter = letter
        self._others.forget(self._cards)
        self.complain("")
        if self.against != "none":
            self.against = base.letter if base in self._cards else LETTERS[0]
        self._arrange()
        self._keep()

    def take(self, contents: bytes, file_name: str) -> None:
        """Pin the model of an uploaded file; a file that cannot be used is complained about."""
        self._file.doing = ""
        try:
            self.pin(parse(contents, file_name))
        except ValueError as error:
            self.complain(str(error))
        else:
            self.complain("")

    @one_at_a_time
    def fit_baselines(self, *_: Any) -> None:
        """Fit other methods on the split of every pinned card whose data are known."""
        self._others.fit(self._cards)
        self.refresh()
        self._beat.start()

    def close(self) -> None:
        """End all that is under way."""
        for shown in self._cards:
            shown.close()
        self._others.forget()
        self._returning.cancel()
        self._beat.stop()

    def refresh(self) -> bool:
        """Show how far the other methods are, and cards that come back; True while there is something to wait for."""
        if self._scored:
            self._scored = False
            self._arrange()
            return True
        returning = self._returning.refresh()
        busy = self._others.standing
        n, phase = len(self._others.fitted), ""
        if returning:
            phase = self._returning.standing.capitalize()
        elif busy:
            phase = f"For comparison: {busy}"
        elif n:
            phase = f"{counted(n, 'other methods')} fitted on the same rows: they stand in the table"
        self._status.param.update(tone="busy" if returning or busy else "idle", phase=phase)
        if self._others.error:
            self.complain(f"the other methods could not be fitted: {self._others.error}")
        self._tell()
        return bool(busy) or returning

    @param.depends("points", "criterion", "attribute", watch=True)
    def _tell(self) -> None:
        """The rows of the table besides the kept runs."""
        pins = [of_pin(shown, self.criterion, self.attribute) for shown in self._cards]
        others = [of_method(name, *found) for name, found in self._others.fitted]
        rows = [*pins, *(each for each in others if not is_listed(each, self.points)), *self.points]
        self.table.measured = self.criterion, self.attribute
        by = [*{self.attribute or name for shown in self._cards for name in list(shown.scores.groups)[:1]}]
        self.table.gap = f"Gap by {plain(by[0], 24)} %" if len(by) == 1 else "Gap %"
        if rows != self.table.more:
            self.table.more = rows

    def _asked(self, what: str, key: str) -> None:
        """What was pressed in the table; a key that is none is ignored."""
        if what == "remove":
            for shown in [shown for shown in self._cards if shown.letter == key]:
                self.remove(shown)
        elif key in (one["key"] for one in self.points):
            (self.on_tick if what == "pin" else self.on_choose)(key)

    def comparisons(self) -> list[str]:
        """HTML tables of the pinned models and the other methods, one per split of data."""
        return self._others.tables(self._cards)

    def as_report(self) -> io.StringIO:
        """All cards as one HTML file."""
        pinned = self._cards
        return io.StringIO(
            report(
                [replace(shown.card, name=shown.title) for shown in pinned],
                [shown.scores for shown in pinned],
                [shown.verdict for shown in pinned],
                self.comparisons(),
                base=None if self.base is None else pinned.index(self.base),
                only=self.only,
                withstood=[shown.robustness for shown in pinned],
            )
        )

    async def _reported(self) -> io.StringIO:
        """The same, made in a thread of its own: it fits other methods."""
        return await asyncio.to_thread(self.as_report)

    @param.depends("against", "only", watch=True)
    def _arrange(self) -> None:
        """Give every card its place, its name among the others, and what it is compared with."""
        own = [shown.card for shown in self._cards]
        scores = [shown.scores for shown in self._cards]
        base = None if self.base is None else self._cards.index(self.base)
        with pn.io.hold():
            for shown, place in zip(self._cards, card_html.places(own, scores, base, self.only), strict=True):
                shown.take(place)
            objects = [shown.__panel__() for shown in self._cards]
            if self._grid.objects != objects:
                self._grid.objects = objects
            self._grid.visible = self._terms.visible = self._report.visible = bool(self._cards)
            self._empty.visible = not self._cards
            several = self._among.visible = len(self._cards) > 1
            self._advice.object = f'<p class="note">{incomparable(own)}</p>' if several else ""
            self._offer_files()
            self._fit.visible = any(shown.card.rows is not None for shown in self._cards)
        self._offer()
        self.refresh()

    def _unfold(self, *_: Any) -> None:
        self._files.visible = not self._files.visible

    def _offer_files(self, *_: Any) -> None:
        """There is a button as long as there is something to save."""
        self._export.visible = bool(self._cards) or (self.files is not None and self.files.visible)

    def _offer(self) -> None:
        """Which cards the others can be compared with; those that are to come back are waited for."""
        if len(self._cards) < 2 or self._returning.busy:
            return
        if self.against not in ("none", *LETTERS[: len(self._cards)]):
            self.complain(f"there is no card {self.against} to compare with; the others are compared with A")
            self.against = LETTERS[0]
        offered = {f"{shown.letter} {plain(shown.title, 60)}": shown.letter for shown in self._cards}
        self._against.options = {**offered, "none": "none"}

    def _keep(self) -> None:
        """Let the browser keep the cards, once it has said what it kept before."""
        if self.kept.found is None or self._returning.busy:
            return
        with self.complaining():
            self.kept.kept = kept.written([shown.card for shown in self._cards])

    def _bring_back(self, event: param.parameterized.Event) -> None:
        """The browser says what it kept: at once when the page is there, and never again."""
        if event.old is not None:
            return
        if event.new:
            self._read_kept(event.new)
        else:
            self._keep()

    def _read_kept(self, text: str) -> None:
        self._returning.begin(lambda progress: kept.read(text, progress.report), self._put_back)

    def _put_back(self, job: Job) -> None:
        cards, complaints = job.result or ([], [f"the pinned models cannot be brought back: {job.error}"])
        places = len(LETTERS) - len(self._cards)
        self._take(cards[:places])
        if lost := [card.name or card.title for card in cards[places:]]:
            complaints.append(f"there is no place to bring back {', '.join(lost)}: at most {len(LETTERS)} are pinned")
        if complaints:
            self.complain("; ".join(complaints))
        self._keep()

    def _not_kept(self, event: param.parameterized.Event) -> None:
        if event.new:
            self.complain(f"the browser does not keep the pinned models ({event.new}); save those you need as JSON")

    def _build(self) -> None:
        self._file = Uploader(
            self.take, label="Upload saved model (JSON)", accept=".json", most=MAX_UPLOAD_BYTES, width=250
        )
        self._fit = button("Fit baselines", self.fit_baselines, 120, 38, small=False)
        self._report = download("Report (HTML)", "model_cards.html", self._reported, width=140, height=38)
        self._files = pn.Row(
            self._report, *filter(None, [self.files]), visible=False, stylesheets=[BAR_CSS], margin=(8, 0, 0, 0)
        )
        self._export = button("Export all", self._unfold, 100, 38, small=False)
        if self.files is not None:
            self.files.param.watch(self._offer_files, "visible")
        self._alert = alert(margin=(8, 0, 0, 0))
        self._status = LiveText(caption="Comparison", sizing_mode="stretch_width", margin=(8, 0))
        self._empty = Html(_EMPTY, stylesheets=[CARD_CSS], **WIDE)
        self._grid = column(sheets=[CARDS_CSS], classes="rl-pinned", margin=(10, 0))
        self._against = select(self.param.against, 300, description=None)
        # of Panel's boxes to tick only those of a group have names for screen readers
        only = pn.widgets.CheckBoxGroup(options={self.param.only.label: True}, stylesheets=[CHOICES_CSS], align="end")
        only.value = [True] * self.only
        only.param.watch(lambda event: self.param.update(only=bool(event.new)), "value")
        self.param.watch(lambda event: only.param.update(value=[True] * event.new), "only")
        self._among = row(self._against, only, visible=False)
        self._advice = Html("", stylesheets=[CARD_CSS], **WIDE)
        self._terms = Html(card_html.terms(), stylesheets=[MODEL_CSS], visible=False, **WIDE)
        self._layout = column(
            row(*([self._file] if ALLOWED.uploads else []), self._fit, self._export),
            self._files,
            self._alert,
            self._status,
            column(self.table, sheets=[PANEL_CSS]),
            *filter(None, [self.below]),
            self._empty,
            self._among,
            self._advice,
            self._grid,
            self._terms,
            sheets=[STACK_CSS],
        )
