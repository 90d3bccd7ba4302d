"""The button that finds something out of a model, such as whether its proof holds, and the line that tells of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn

from ..live.job import Job
from ..live.ticker import Beat
from ..widgets import icons
from ..widgets.html import LiveText
from ..widgets.style import BUTTON_CSS
from .card import Card
from .verifying import CHECKS, VERIFY, Task

AGAIN = "Try again"
_FAILED = "an error of the program, which the log of the server has, kept it from an answer; press “Try again”"


class Check:
    """The independent check of a card, or another task in another process, started and cancelled by one button.

    `card` gives the card when the button is pressed. `stylesheets`: of the button, besides that of all buttons. `task`:
    what is done. `width`: of the button; 0: as wide as its name.
    """

    def __init__(self, card: Callable[[], Card], *stylesheets: str, task: Task = VERIFY, width: int = 0) -> None:
        self._card, self.task = card, task
        self._width = width or (150 if task is VERIFY else 104)
        self._job: Job | None = None
        self._beat = Beat(self.refresh)
        self.button = pn.widgets.Button(
            label=task.label,
            icon=task.icon,
            on_click=self.press,
            color="primary",
            stylesheets=[BUTTON_CSS, *stylesheets],
            margin=0,
            height=34,
            width=self._width,
        )
        # hidden until there is something to tell
        self.line = LiveText(caption="Check of the model", sizing_mode="stretch_width", margin=(8, 0, 0, 0))

    @property
    def busy(self) -> bool:
        """Whether the check is under way."""
        return self._job is not None and self._job.busy

    @property
    def verdict(self) -> str:
        """What the check said; empty before it is done."""
        job = self._job
        if job is None or job.busy:
            return ""
        said = _FAILED if job.failed else job.error
        return str(job.result) if job.result is not None else f"{self.task.without}: {said}"

    @property
    def standing(self) -> str:
        """What is being done, and for how long; empty before the first check."""
        return "" if self._job is None else self._job.standing

    def press(self, *_: Any) -> None:
        """Begin; again while it runs: cancel."""
        if self.busy:
            self.cancel()
            return
        card = self._card()
        if reason := self.task.refusal(card):
            self._job = None
            without = "No check" if self.task is VERIFY else "Its robustness is not known"
            self.line.param.update(tone="limit", phase=f"{without}: {reason}.")
            return
        self._job = Job(partial(self.task.run, card), CHECKS)
        self.refresh()
        self._beat.start()

    def cancel(self) -> None:
        """End the check that is under way."""
        if self._job is not None:
            self._job.cancel()

    def forget(self) -> None:
        """Be as before the first check: the card is another one."""
        self.close()
        self._job = None
        self.line.phase = ""
        self._name_button(busy=False)

    def close(self) -> None:
        """End the check; nothing is shown any more."""
        self.cancel()
        self._beat.stop()

    def refresh(self) -> bool:
        """Show how the check goes; True while it does."""
        job = self._job
        if job is None:
            return False
        busy = job.busy
        if busy:
            self.line.param.update(tone="busy", phase=f"{self.task.doing}: {job.standing}")
        else:
            tone = "limit" if job.result is None else job.result.tone
            verdict = self.verdict
            self.line.param.update(tone=tone, phase=verdict[:1].upper() + verdict[1:])
        self._name_button(busy)
        return busy

    def _name_button(self, busy: bool) -> None:
        again = not busy and self._job is not None and self._job.failed
        label = "Cancel" if busy else AGAIN if again else self.task.label
        if self.button.label != label:
            width = max(self._width, 104) if again else self._width
            self.button.param.update(label=label, icon=icons.STOP if busy else self.task.icon, width=width)
