"""Views in a notebook: they load what they need by themselves, and leave a still picture for when the kernel is gone.

What only the page at hand needs (the libraries, and the document of the view) is taken out of the notebook once the
browser has it, so that a saved notebook stays small. In its place stands, as HTML without scripts, what was shown last;
the page that shows the live view hides it.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import panel as pn
from panel.io.notebook import EXEC_MIME
from panel.viewable import Viewer

from ..plots.extension import named_outputs, notebook_shell, replace_output
from .widgets.esc import esc
from .widgets.live_text import LiveText

_MOST_SHOWN = 8
_MOST_HTML = 300_000
_SCRIPT = re.compile(r'(.*?)<script type="application/javascript">(.*)</script>\s*', re.DOTALL)
_KEEP = """(() => {{
  (window.rulelabViews ??= {{}})[{ref}] = function () {{ {script} }}
  const style = document.createElement("style")
  style.textContent = ".rl-still-" + {ref} + " {{ display: none }}"
  document.head.append(style)
}})()"""
_SHOW = """<script type="application/javascript">(function show(tries) {{
  const view = (window.rulelabViews || {{}})[{ref}]
  if (view) {{ view() }} else if (tries) {{ setTimeout(show, 100, tries - 1) }}
}})(50)</script>"""
_STILL = """<div class="rl-still-{ref}"><div class="rl-still"><style>
.rl-still {{ border-left: 3px solid #8884; padding: 2px 14px; }}
.rl-still table {{ border-collapse: collapse; margin: 6px 0; }}
.rl-still td, .rl-still th {{ text-align: left; padding: 2px 10px 2px 0; }}
.rl-still h2 {{ font-size: 1.05em; margin: 10px 0 4px; }}
.rl-still table, .rl-still [role=row] {{ font-size: 13px; font-variant-numeric: tabular-nums; }}
.rl-still [role=rowheader] {{ display: inline-block; min-width: 16em; opacity: .75; }}
.rl-still [role=cell], .rl-still [role=columnheader] {{ margin-right: 16px; }}
.rl-still svg {{ display: block; margin: 6px 0; }}
.rl-still button, .rl-still select, .rl-still input, .rl-still .empty, .rl-still [role=note] {{ display: none; }}
.rl-still .gone {{ opacity: .75; }}
</style><p class="gone">kernel gone: run the cell. This is what {name} showed last.</p>
{what}</div></div>"""
_shown: weakref.WeakSet[NotebookViewer] = weakref.WeakSet()
_alone = threading.RLock()


def one_at_a_time(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let nothing else change a document meanwhile.

    JupyterLab hands over what a browser says in another thread than the beats, and Panel, which reads it there, forgets
    what a beat changes at that moment. A server changes each document in its loop alone, where nothing has to wait.
    """

    @wraps(method)
    def alone(*arguments: Any, **named: Any) -> Any:
        document = pn.state.curdoc
        if document is not None and document.session_context is not None:
            return method(*arguments, **named)
        with _alone:
            return method(*arguments, **named)

    return alone


class NotebookViewer(Viewer):
    """A view that needs no ``pn.extension()`` in a notebook, and that can be seen there when its kernel is gone."""

    def __init__(self, **params: Any) -> None:
        self._displays: list[tuple[str, str]] = []  # of each place in the notebook the output and the document
        self._last_still = ""
        super().__init__(**params)

    def still(self) -> str:
        """What is shown now, as HTML without scripts: the texts, and a picture where the view has one."""
        parts = [self._picture(), *_texts(self._create_view())]
        html = "\n".join(part for part in parts if part)
        return html if len(html) <= _MOST_HTML else f"<p>{len(html)} characters are too many to be kept.</p>"

    def _picture(self) -> str:
        """A picture as HTML; empty where texts say all."""
        return ""

    def keep_still(self) -> None:
        """Let the notebook, where it shows this view, hold what is shown now."""
        if not self._displays:
            return
        still = self.still()
        if still != self._last_still:
            self._last_still = still
            for output, ref in self._displays:
                self._put(output, ref)

    def _put(self, output: str, ref: str) -> None:
        html = _STILL.format(ref=ref, name=esc(type(self).__name__), what=self._last_still)
        _replace(output, html)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        shell = _shell()
        libraries = [] if shell is None else _load(shell)
        shown = self._create_view()
        found = shown._repr_mimebundle_(include, exclude)
        if shell is None or pn.config.comms != "default" or not isinstance(found, tuple):
            return found
        data, metadata = found
        ref, parts = metadata.get(EXEC_MIME, {}).get("id"), _SCRIPT.fullmatch(data.get("text/html", ""))
        if ref not in shown._comms or parts is None:
            return found
        output = uuid.uuid4().hex
        script = _KEEP.format(ref=json.dumps(ref), script=parts[2])
        shell.display_pub.publish({"application/javascript": script}, transient={"display_id": output})
        self._listen(shown._comms[ref][1], libraries, output, ref)
        if not _shown:
            shell.events.register("post_run_cell", keep_stills)
        _shown.add(self)
        return data | {"text/html": parts[1] + _SHOW.format(ref=json.dumps(ref))}, metadata

    def _listen(self, client: Any, libraries: list[str], output: str, ref: str) -> None:
        """Take out what the browser has when it speaks for the first time; keep what is shown after each event."""
        opened, told = client._on_open, client._on_msg

        def on_open(message: Any) -> None:
            if opened:
                opened(message)
            for library in libraries:
                _replace(library, "")
            self._displays = [*self._displays[1 - _MOST_SHOWN :], (output, ref)]
            self._last_still = self.still()
            self._put(output, ref)

        @one_at_a_time
        def on_msg(message: Any) -> None:
            told(message)
            self.keep_still()

        client._on_open, client._on_msg = on_open, on_msg


def _shell() -> Any:
    return notebook_shell()


def _load(shell: Any) -> list[str]:
    """Load Panel's libraries where nobody did, from this machine; the outputs that hold them."""
    if pn.extension._loaded:
        return []
    with named_outputs(shell) as outputs:
        pn.extension(inline=True)
    return outputs


def _replace(output: str, html: str) -> None:
    shell = _shell()
    if shell is not None:
        replace_output(shell, output, html)


def keep_stills(*_: Any) -> None:
    """Let the notebook hold what each view shows now; nothing outside of notebooks."""
    for view in list(_shown):
        view.keep_still()


def _texts(shown: Any) -> Iterator[str]:
    """The texts of what is visible, from above to below."""
    if not getattr(shown, "visible", True):
        return
    if isinstance(shown, LiveText):
        if shown.phase:
            figures = ", ".join(f"{esc(name)} {esc(value)}" for name, value in shown.figures)
            yield f"<p><b>{esc(shown.phase, 600)}</b> {figures}</p>"
    elif isinstance(shown, pn.pane.HTML):
        if isinstance(shown.object, str):
            yield shown.object
    elif isinstance(shown, pn.layout.base.ListLike | pn.layout.base.NamedListLike):
        for part in shown:
            yield from _texts(part)
