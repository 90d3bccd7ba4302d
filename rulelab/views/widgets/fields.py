"""The fields, buttons and lines that views are made of, in the look that they share."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from .esc import esc, plain
from .html import LiveText
from .style import BAR_CSS, BUTTON_CSS, SELECT_CSS, SMALL_CSS

WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}  # of what takes the width that there is


def column(*items: Any, sheets: Sequence[Any] = (), classes: str = "", **more: Any) -> pn.Column:
    """Parts under each other, with style sheets and the names of CSS classes."""
    return pn.Column(*items, stylesheets=[*sheets], css_classes=classes.split(), **{**WIDE, **more})


def row(*items: Any, sheets: Sequence[Any] = (BAR_CSS,), classes: str = "", **more: Any) -> pn.Row:
    """Parts side by side."""
    return pn.Row(*items, stylesheets=[*sheets], css_classes=classes.split(), **{**WIDE, **more})


def select(parameter: param.Parameter, width: int | None = None, **more: Any) -> pn.widgets.Select:
    """A list to choose the value of a parameter from."""
    return pn.widgets.Select.from_param(parameter, **{"width": width, "stylesheets": [SELECT_CSS], "margin": 0, **more})


def button(
    label: str, act: Callable[..., Any] | None, width: int | None, height: int = 34, small: bool = True, **more: Any
) -> pn.widgets.Button:
    """A button; ``small`` where many stand side by side."""
    sheets = [BUTTON_CSS, SMALL_CSS] if small else [BUTTON_CSS]
    look = {"width": width, "height": height, "stylesheets": sheets, "margin": 0, **more}
    return pn.widgets.Button(label=label, on_click=act, **look)


def mark(part: pn.viewable.Viewable, name: str, on: bool) -> None:
    """Let a part have a CSS class, or not have it."""
    others = [each for each in part.css_classes if each != name]
    if on is (others == part.css_classes):
        part.css_classes = [*others, name] if on else others


def alert(caption: str = "Error", **more: Any) -> LiveText:
    """A line for what goes wrong, hidden while nothing does; ``caption``: its name for screen readers."""
    return LiveText(role="alert", caption=caption, **{**WIDE, **more})


class LayoutViewer(Viewer):
    """A view that is shown as the `_layout` that it has built."""

    _layout: Any

    def __panel__(self) -> Any:
        return self._layout


class Complaining:
    """A view with a line for what goes wrong."""

    _alert: LiveText

    def complain(self, message: str) -> None:
        """Show an error; an empty text takes it away."""
        self._alert.phase = plain(message, 600)

    @contextmanager
    def complaining(self) -> Iterator[None]:
        """Show the ValueError that is raised meanwhile."""
        try:
            yield
        except ValueError as error:
            self.complain(str(error))


class Pinning(Complaining, param.Parameterized):
    """A view whose model can be kept to compare."""

    on_pin = param.Callable(
        default=None, doc="Takes the card of the model that is kept to compare, and gives its letter; None: no button."
    )

    def hand_on(self, card: Callable[[], Any]) -> str:
        """Hand a card to `on_pin`; its letter, empty where there is none."""
        with self.complaining():
            return "" if self.on_pin is None else self.on_pin(card())
        return ""


def when_page_ends(close: Callable[[], Any]) -> None:
    """Have something closed with the page that is being made; in a notebook there is none."""
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        pn.state.on_session_destroyed(lambda _: close())


Content = io.StringIO | io.BytesIO


def download(
    label: str,
    file: str,
    callback: Callable[[], Content | Awaitable[Content]],
    width: int = 118,
    height: int = 34,
    small: bool = False,
) -> pn.widgets.FileDownload:
    """A button that saves a file, made when it is pressed, by a coroutine function where that takes long."""
    sheets = [BUTTON_CSS, SMALL_CSS] if small else [BUTTON_CSS]
    look: dict[str, Any] = {"width": width, "height": height, "stylesheets": sheets, "margin": 0, "color": "default"}
    return pn.widgets.FileDownload(callback=callback, filename=file, label=label, embed=False, auto=True, **look)


KEEP = "Keep to compare"  # what stands on the button
_WIDEST = "M"  # of the letters of cards


def pinned_note(letter: str = "") -> str:
    """The note, as HTML; without a letter its place alone, so that nothing moves when it comes."""
    hidden = "" if letter else ' aria-hidden="true" style="visibility: hidden"'
    return f'<p class="note"{hidden}>pinned as {esc(letter or _WIDEST)} in the tab Compare</p>'
