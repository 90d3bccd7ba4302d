"""What a process of its own finds out of a card's model, in minutes: the check of its proof, or its robustness."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...certificate import CertificateError
from ...report import Withstood
from ...rule_list import RuleListSearch
from ..live.apart import NotDoneError, apart
from ..live.job import Job, Pool, Progress
from ..live.ticker import Work
from ..live.wording import grouped
from ..widgets import icons
from ..widgets.html import LiveText, Press
from . import checker
from .card import BROWSER, FILE, KEPT, Card
from .checker import Verdict

CHECKS = Pool(max(1, (os.cpu_count() or 2) - 1))  # the line in front of the processes that check
AGAIN = "Try again"
_FAILED = "an error of the program, which the log of the server has, kept it from an answer; press “Try again”"


def refusal(card: Card) -> str:
    """Why there is nothing to check; empty when there is."""
    if card.recheck is not None:
        return ""
    if card.search is None and not (card.proof is not None and card.proof.proven):
        return "there is no certificate: no search has proven this model optimal"
    if card.origin == BROWSER:
        return "the search that found this model is gone since the page was loaded again; run it, and pin its model"
    if card.origin == FILE:
        return "the file holds a model and no certificate; pin the model from its search, or use rulelab verify"
    if card.origin == KEPT or card.search is None:
        return "no proof is kept of this model; Run, in the tab Search, searches again: what it proves can be checked"
    if not hasattr(card.search, "certificate"):
        return "searches of this family make no certificates"
    return ""


def fragile(card: Card) -> str:
    """Why the robustness of a card's model is not known; empty when it can be found."""
    if not isinstance(card.search, RuleListSearch):
        return "it is known of rule lists that a search on this page has proven, without further constraints"
    if not card.search.problem.integral:
        return "rows have weights that are not whole numbers"
    return ""


def check(card: Card, progress: Progress) -> Verdict:
    """Make the certificate and check it, or check the one that is kept; ValueError when there is none, or no answer."""
    if reason := refusal(card):
        raise CertificateError(reason)
    if card.recheck is None:
        return _asked(checker.checked, "making the certificate and checking it", card, progress)
    progress.report("checking the proof that is kept")
    said = card.recheck(progress.on_cancel)
    progress.report("")  # ends it where it was cancelled
    how, _, rest = said.partition(": ")
    if how not in ("valid", "not valid"):
        raise CertificateError(said)
    return Verdict(how == "valid", rest, {}, 0.0)


def robustness(card: Card, progress: Progress) -> Withstood:
    """Find how many rows may change; raises ValueError as `check` does."""
    if reason := fragile(card):
        raise CertificateError(reason)
    return _asked(checker.withstood, "comparing the lists near the optimum", card, progress)


def _asked(work: Callable[..., Any], doing: str, card: Card, progress: Progress) -> Any:
    """What a process of its own answers."""
    progress.report(doing)
    try:
        return apart(work, card.search, card.model, on_cancel=progress.on_cancel)
    except NotDoneError:
        progress.report("")  # ends it where it was cancelled
        raise CertificateError(f"the check ended without an answer; it may take {checker.MAX_SECONDS} s") from None
    except MemoryError:
        raise CertificateError(f"the check needs more than {checker.MAX_BYTES / 1e9:g} GB") from None


@dataclass(frozen=True)
class Task:
    """Something to be found out of a card."""

    label: str  # of its button
    icon: str
    doing: str  # what the line begins with while it is done, and where there is no answer
    without: str
    refusal: Callable[[Card], str]  # why there is nothing to do; empty when there is
    run: Callable[[Card, Progress], Verdict | Withstood]


VERIFY = Task("Check the proof", icons.CHECK, "Checking", "not checked", refusal, check)
ROBUSTNESS = Task("Robustness", icons.SHIELD, "Robustness", "its robustness is not known", fragile, robustness)


class Check(Work):
    """A task in another process, started and cancelled by one button; ``card`` gives the card when it is pressed."""

    def __init__(self, card: Callable[[], Card], *, task: Task = VERIFY, width: int = 150) -> None:
        super().__init__(self._say_busy, CHECKS, what="another check")
        self._card, self.task = card, task
        self._ended: Job | None = None  # the last one
        look = {"label": task.label, "icon": task.icon, "primary": True, "width": width, "height": 34, "margin": 0}
        self.button = Press(self.press, **look)
        # hidden until there is something to tell
        self.line = LiveText(caption="Check of the model", sizing_mode="stretch_width", margin=(8, 0, 0, 0))

    @property
    def verdict(self) -> str:
        """What the check said; empty before it is done."""
        job = self._ended
        if job is None:
            return ""
        said = _FAILED if job.failed else job.error
        return grouped(str(job.result)) if job.result is not None else f"{self.task.without}: {said}"

    def press(self, *_: Any) -> None:
        """Begin; again while it runs: cancel."""
        if self.busy:
            self.cancel()
            return
        card, self._ended = self._card(), None
        if reason := self.task.refusal(card):
            self.line.param.update(tone="limit", phase=_sentence(f"{self.task.without}: {reason}."))
            return
        self.begin(partial(self.task.run, card), self._take)
        self.refresh()

    def forget(self) -> None:
        """Be as before the first check: the card is another one."""
        super().forget()
        self._ended = None
        self.line.phase = ""
        self._name_button(busy=False)

    def _say_busy(self, doing: str) -> None:
        self.line.param.update(tone="busy", phase=f"{self.task.doing}: {doing}")
        self._name_button(busy=True)

    def _take(self, job: Job) -> None:
        self._ended, tone = job, "limit" if job.result is None else job.result.tone
        self.line.param.update(tone=tone, phase=_sentence(self.verdict))
        self._name_button(busy=False)

    def _name_button(self, busy: bool) -> None:
        again = not busy and self._ended is not None and self._ended.failed
        label = "Cancel" if busy else AGAIN if again else self.task.label
        self.button.param.update(label=label, icon=icons.STOP if busy else self.task.icon)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
