"""What a browser test does with a page."""

import re
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from patience import PATIENCE

from rulelab.views.live.job import THREAD_NAME

CHECK, KEEP = "Check the proof", "Keep to compare"
"""Names of buttons; the last one is that of the fronts."""


def script(name: str, **parts: str) -> str:
    """A script for the browser, with parts in place of their names in capitals."""
    text = (Path(__file__).parent / "scripts" / f"{name}.js").read_text(encoding="utf-8")
    for part, value in parts.items():
        text = text.replace(part, value)
    return text


def workers() -> list[threading.Thread]:
    """The threads that search."""
    return [thread for thread in threading.enumerate() if thread.name == THREAD_NAME]


def answers(address: str) -> bool:
    """Whether something is served there."""
    try:
        with urllib.request.urlopen(address):
            return True
    except OSError:
        return False


@dataclass
class Visit:
    """One open page, with all that it has asked for and complained about."""

    page: Any
    base: str
    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.console.append(str(error)))
        self.page.on("dialog", self.dismiss)

    def open(self, query: str = "?tab=Search") -> Self:
        self.page.goto(self.base + query)
        self.button("Run").wait_for()
        self.page.wait_for_function("Bokeh.documents.length > 0 && Bokeh.documents[0].is_idle")
        return self

    @property
    def focused(self) -> str:
        """What stands on the part that has the keyboard."""
        return self.page.evaluate(script("focused", WHAT="e?.textContent?.trim() ?? ''"))

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def check(self) -> Any:
        """The button of a certificate, or of a card, that checks its proof."""
        return self.button(CHECK)

    @property
    def keep(self) -> Any:
        """The button that pins the model of a search, or of the editor, as a card."""
        return self.button(KEEP)

    def run(self, until: str = "certified optimal") -> None:
        """Press Run, and wait until the status line says so."""
        self.button("Run").click()
        self.until_status(until)

    def reset(self) -> None:
        """Forget the run."""
        self.more().button("Reset").click()
        self.until_status("ready")

    def pin(self) -> None:
        """Keep the model as the first card."""
        self.keep.click()
        self.page.get_by_text("pinned as A").wait_for()

    def export(self, name: str) -> Any:
        """What an entry of the menu of exports saves: the download."""
        entry = self.page.get_by_role("link", name=name).or_(self.button(name)).filter(visible=True)
        if not entry.count():
            self.button("Export").click()
        with self.page.expect_download() as saved:
            entry.first.click()
        return saved.value

    def field(self, label: str, **options: Any) -> Any:
        """A field of the settings, which are opened for it."""
        settings = self.button("Settings")
        if settings.get_attribute("aria-expanded") == "false":
            settings.click()
        self.page.get_by_label("Model family").wait_for()
        return self.page.get_by_label(label, **options).filter(visible=True)

    def details(self) -> None:
        """Open the card of what is seldom asked for."""
        self.field("Model family").wait_for()
        self.button("Demands and details").click()

    def more(self) -> Self:
        """With what stands behind "More": stop, reset, speed, the axis of the plots."""
        if not self.button("Reset").filter(visible=True).count():
            self.button("More").filter(visible=True).first.click()
            self.button("Reset").filter(visible=True).first.wait_for()
        return self

    @property
    def status(self) -> str:
        return " ".join(self.page.get_by_role("status", name="Status").inner_text().split())

    @property
    def counts(self) -> str:
        """The figures of how the answer was found."""
        shown = self.page.get_by_role("group", name="Counts").inner_text().replace("\u202f", "")  # in thousands
        return " ".join(shown.split())

    @property
    def expanded(self) -> int:
        """The number of expanded prefixes that is shown."""
        words = self.counts.split()
        return int(words[words.index("expanded") + 1])

    def each(self, what: str, given: Any = None) -> list[Any]:
        """What a function in JavaScript says of each element of the page, shadow roots too; null: nothing."""
        return self.page.evaluate(script("each", WHAT=what), given)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while True:
            with suppress(IndexError, TypeError):  # what is not there as yet has no place
                if condition():
                    return
            assert time.monotonic() < end, f"waited in vain; the status line says: {self.status}"
            self.page.wait_for_timeout(50)

    def until_status(self, text: str) -> None:
        self.until(lambda: text in self.status)

    def until_all_are_found(self) -> None:
        """Wait until all good models are known, asking for more: what fits in a limit depends on who else computes."""
        complete, more = self.page.get_by_text(re.compile("^certified complete")), self.button("Find more")

        def found() -> bool:
            if more.is_visible():
                more.click()
            return complete.is_visible()

        self.until(found)

    def until_all_are_named(self, *roles: str) -> None:
        """Wait until all controls that are seen have names."""
        for role in roles:
            controls = self.page.get_by_role(role).filter(visible=True)
            named = controls.and_(self.page.get_by_role(role, name=re.compile(r"\w")))
            self.until(lambda every=controls, those=named: every.count() == those.count() > 0)

    def foreign(self) -> list[str]:
        """Addresses on other machines that were asked for."""
        own = (self.base, self.base.replace("http:", "ws:"), "data:", "blob:", "about:")
        return [url for url in self.requests if not url.startswith(own)]

    def too_wide(self) -> list[str]:
        """Classes of the elements that reach beyond the right edge of the window."""
        return self.page.evaluate(script("too_wide"))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.console.append(message.text)

    def dismiss(self, dialog: Any) -> None:
        """Close a dialog, which a page of the software never opens, and remember it."""
        self.dialogs.append(dialog.message)
        dialog.dismiss()
