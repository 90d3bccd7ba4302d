"""Views in marimo, which asks a view for ``_display_`` and shows what that returns.

marimo leaves style sheets to the network, and shows no output above 8 MB, which the scripts of the widgets would be.
"""

from __future__ import annotations

import base64
import gzip
from functools import lru_cache
from typing import Any

import panel as pn
from bokeh.models import InlineStyleSheet
from bokeh.models.ui import UIElement
from panel.io.notebook import patch_inline_stylesheets

from .one_at_a_time import one_at_a_time
from .widgets.esc import esc

_LONG = 100_000
"""From so many characters on a script is packed."""
_UNPACK = """const bytes = Uint8Array.from(atob("{packed}"), (each) => each.charCodeAt(0))
const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
const script = new Blob([await new Response(opened).text()], {{ type: "text/javascript" }})
export default (await import(URL.createObjectURL(script))).default
"""


@lru_cache(maxsize=4)
def _packed(script: str) -> str:
    return _UNPACK.format(packed=base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode())


def _once(sheet: Any, sheets: dict[str, InlineStyleSheet]) -> Any:
    """A style sheet, the same for the same text."""
    text = sheet.css if isinstance(sheet, InlineStyleSheet) else sheet
    return sheets.setdefault(text, InlineStyleSheet(css=text)) if isinstance(text, str) else sheet


class _Inline(pn.Column):
    """A column whose document holds all that it needs, each style sheet once."""

    @one_at_a_time
    def _on_msg(self, *arguments: Any) -> None:
        super()._on_msg(*arguments)

    def get_root(self, *arguments: Any, **named: Any) -> Any:
        root = super().get_root(*arguments, **named)
        for outer in {root, self._models[root.ref["id"]][0]}:
            outer.min_width = 0  # Panel adds up what stands in a row, which wraps
        sheets: dict[str, InlineStyleSheet] = {}
        model: Any
        for model in root.select({"type": UIElement}):
            patch_inline_stylesheets(model)
            model.stylesheets = [_once(sheet, sheets) for sheet in model.stylesheets]
            if getattr(model, "bundle", None) and len(model.esm) > _LONG:
                model.esm = _packed(model.esm)
        return root


def shown_in_marimo(shown: Any, still: str) -> Any:
    """What marimo shows, without asking the network for anything.

    Parameters
    ----------
    shown : panel.viewable.Viewable
        The view.
    still : str
        The same as HTML without scripts, for where marimo cannot show what Panel draws.

    Returns
    -------
    marimo.Html
        Live where this marimo knows this Panel; else why not, above what would have been seen.
    """
    import marimo

    config: Any = pn.config
    before, config.inline = config.inline, True
    try:
        return marimo.ui.panel(_Inline(shown, sizing_mode="stretch_width", margin=0))
    except (ImportError, TypeError, ValueError, AttributeError) as error:
        config.inline = before
        return marimo.Html(
            f"<p><b>marimo {esc(marimo.__version__)} does not show what Panel {esc(pn.__version__)} draws</b> "
            f'({esc(str(error))}): <code>pip install "panel&lt;1.10" "bokeh&lt;3.10"</code> brings those it knows. '
            f"Until then, this is how the view stands:</p>{still}"
        )
