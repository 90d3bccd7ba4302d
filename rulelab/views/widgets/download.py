"""The button that saves something as a file."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable

import panel as pn

from .style import BUTTON_CSS, SMALL_CSS

Content = io.StringIO | io.BytesIO


def download(
    label: str,
    file: str,
    callback: Callable[[], Content | Awaitable[Content]],
    width: int = 118,
    height: int = 34,
    small: bool = False,
) -> pn.widgets.FileDownload:
    """A button that saves a file, which is made when it is pressed.

    Parameters
    ----------
    label : str
    file : str
        Its name.
    callback : callable
        Gives what is in it; a coroutine function where that takes long.
    width, height : int
        In pixels.
    small : bool
        Whether many stand side by side.
    """
    return pn.widgets.FileDownload(
        callback=callback,
        filename=file,
        label=label,
        embed=False,
        auto=True,
        color="default",
        stylesheets=[BUTTON_CSS, SMALL_CSS] if small else [BUTTON_CSS],
        margin=0,
        width=width,
        height=height,
    )
