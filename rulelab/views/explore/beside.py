"""What is found out of all good models beside the page, by groups of people where one likes, and can be stopped."""

from __future__ import annotations

import abc
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ...data.gaps import CRITERIA
from ..fronts.points import criterion_words
from ..live.job import Job
from ..live.pool import POOL
from ..live.ticker import Beat
from ..widgets import icons
from ..widgets.esc import plain
from ..widgets.explained import term_classes
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.style import BAR_CSS, CARD_CSS, PANEL_CSS, VIEW_CSS
from . import count_html
from .good import Good
from .good_models import ANY, BUTTON, LISTED, WIDE


class Beside(Viewer):
    """Two buttons, two choices, a status line and a text.

    Attributes
    ----------
    seconds : float
        Time limit of what is begun from now on.
    """

    attribute: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Groups by")
    criterion: param.Selector[str] = param.Selector(
        default="equal_opportunity",
        objects={criterion_words(name): name for name in CRITERIA},
        label="Gap between groups in",
    )

    caption = ""
    """What the status line speaks of."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._found: Good | None = None
        self.seconds = 60.0
        self._job: Job | None = None
        self._filling = False
        self._beat = Beat(self.refresh)

    def __panel__(self) -> Any:
        return self._layout

    @property
    def busy(self) -> bool:
        """Whether something is being found out."""
        return self._job is not None and self._job.busy

    def begin(self, found: Good) -> None:
        """Forget what is known: something else has been found."""
        self.stop()
        self._job, self._found = None, found
        self._alert.phase = ""
        self._filling = True
        options = {"(none)": ANY, **{name: name for name in found.attributes}}
        self.param.attribute.objects = options
        self._attribute.options = options
        if self.attribute not in options.values():
            self.attribute = ANY
        self._filling = False

    def stop(self, *_: Any) -> None:
        """End what is under way and keep what is certain."""
        if self._job is not None:
            self._job.cancel()

    def close(self) -> None:
        """End what is under way."""
        self.stop()
        self._beat.stop()

    def refresh(self) -> bool:
        """Show what is new; True while more may come."""
        job = self._job
        if job is None:
            return False
        if not job.busy:
            self._job = None
            self._alert.phase = "" if job.result is not None else plain(job.error or "nothing was found out", 600)
            self._take(job.result)
        self._show()
        return self._job is not None

    @abc.abstractmethod
    def _take(self, result: Any) -> None:
        """Keep what a job has found; None: nothing."""

    @abc.abstractmethod
    def _show(self) -> None:
        """Show what is known."""

    def _work(self, work: Any) -> None:
        self.stop()
        self._alert.phase = ""
        self._job = Job(work, POOL)
        self._show()
        self._beat.start()

    def _build(self, start: pn.widgets.Button, stop: str, *exports: Any) -> None:
        select = pn.widgets.Select.from_param
        self._start = start
        self._stop = pn.widgets.Button(
            label=stop, icon=icons.STOP, on_click=self.stop, disabled=True, width=150, **BUTTON
        )
        self._attribute = select(
            self.param.attribute, width=170, css_classes=term_classes("sensitive attribute"), **LISTED
        )
        self._criterion = select(
            self.param.criterion, width=330, disabled=True, css_classes=term_classes("gap between groups"), **LISTED
        )
        self._status = LiveText(caption=self.caption, css_classes=["rl-row"], **WIDE)
        self._alert = LiveText(role="alert", caption="Error", css_classes=["rl-row"], **WIDE)
        self._text = Html("", stylesheets=[CARD_CSS, PANEL_CSS, count_html.COUNT_CSS], css_classes=["rl-row"], **WIDE)
        self._layout = pn.Column(
            pn.Row(
                self._start, self._stop, self._attribute, self._criterion, *exports,
                stylesheets=[BAR_CSS], css_classes=["rl-row"], **WIDE,
            ),
            self._alert,
            self._status,
            self._text,
            stylesheets=[VIEW_CSS],
            css_classes=["rl-row"],
            **WIDE,
        )  # fmt: skip
