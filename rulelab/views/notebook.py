"""Views in a notebook: they load what they need by themselves, and leave a still picture for when the kernel is gone.

What only the page at hand needs (the libraries, and the document of the view) is taken out of the notebook once the
browser has it, or the cell has run where no browser asks (nbclient), so that a saved notebook stays small. In its place
stands, as HTML without scripts, what was shown last; the page that shows the live view hides it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from string import Template
from typing import Any

import panel as pn
import panel_material_ui  # noqa: F401 the design of every view, which follows the page's light and dark
from panel.io.notebook import EXEC_MIME

from ..assets import asset, at_once
from ..plots.extension import (
    LIBRARIES,
    after_this_cell,
    has_browser,
    load_libraries,
    named_outputs,
    notebook_shell,
    pages_are_known,
    parts_of_page,
    replace_output,
)
from .widgets.esc import esc
from .widgets.fields import LayoutViewer
from .widgets.html import LiveText

_alone = threading.RLock()
_MOST_SHOWN = 8
_MOST_HTML = 300_000
_SCRIPT = re.compile(r'(.*?)<script type="application/javascript">(.*)</script>\s*', re.DOTALL)
_DOCUMENTS = re.compile(r"docs_json = (\{.*\});$", re.MULTILINE)
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_LONG = 100_000  # from so many characters on a text is handed over once, for all views


def one_at_a_time(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let nothing else change a document meanwhile.

    Notebooks hand over what a browser says in another thread than the beats, and Panel, which reads it there, forgets
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


_shown: weakref.WeakSet[NotebookViewer] = weakref.WeakSet()


@dataclass
class Display:
    """A place in a notebook where a view is shown."""

    output: str  # the name of the output that holds what was shown last
    ref: str  # the document of the view
    script: str  # what shows the document, until the browser has it


class NotebookViewer(LayoutViewer):
    """A view that needs no ``pn.extension()`` in a notebook, and that can be seen there when its kernel is gone."""

    def __init__(self, **params: Any) -> None:
        self._displays: list[Display] = []
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
            for display in self._displays:
                _replace(display.output, self._html(display))

    def _html(self, display: Display) -> str:
        still = Template(asset("notebook_still.html")).substitute(
            ref=display.ref, name=esc(type(self).__name__), what=self._last_still
        )
        return still + display.script

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        shell = notebook_shell()
        libraries = [] if shell is None else _load(shell)
        shown = self._create_view()
        found = shown._repr_mimebundle_(include, exclude)
        if shell is None or pn.config.comms != "default" or not isinstance(found, tuple):
            return found
        data, metadata = found
        ref, parts = metadata.get(EXEC_MIME, {}).get("id"), _SCRIPT.fullmatch(data.get("text/html", ""))
        if ref not in shown._comms or parts is None:
            return found
        script, texts = _shared(parts[2])
        libraries += _hand_over(shell, texts)
        keep = at_once(
            f"take_view({json.dumps(ref)}, {_pack(script)}, {json.dumps(list(texts))})", "hide.js", "notebook.js"
        )
        display = Display(uuid.uuid4().hex, ref, f'<script type="application/javascript">{keep}</script>')
        self._displays = [*self._displays[1 - _MOST_SHOWN :], display]
        self._last_still = self.still()
        shell.display_pub.publish({"text/html": self._html(display)}, transient={"display_id": display.output})
        self._listen(shown._comms[ref][1], libraries, display)
        if not has_browser(shell):
            after_this_cell(shell, partial(self._take_out, libraries, display))
        if not _shown:
            shell.events.register("post_run_cell", keep_stills)
        _shown.add(self)
        show = at_once(f"show({json.dumps(ref)}, 100)", "notebook_show.js")
        show = f'<script type="application/javascript">{show}</script>'
        return data | {"text/html": parts[1] + show}, metadata

    def _listen(self, client: Any, libraries: list[str], display: Display) -> None:
        """Take out what the browser has when it speaks for the first time; keep what is shown after each event."""
        opened, told = client._on_open, client._on_msg

        def on_open(message: Any) -> None:
            if opened:
                opened(message)
            self._take_out(libraries, display)

        @one_at_a_time
        def on_msg(message: Any) -> None:
            told(message)
            self.keep_still()

        client._on_open, client._on_msg = on_open, on_msg

    def _take_out(self, libraries: list[str], display: Display) -> None:
        """Leave in the notebook what is shown now alone."""
        for library in libraries:
            _replace(library, "")
        display.script = ""
        self._last_still = self.still()
        _replace(display.output, self._html(display))


def _load(shell: Any) -> list[str]:
    """Load Panel's libraries where nobody did, from this machine; the outputs that hold them."""
    if pn.extension._loaded and not pages_are_known():
        parts_of_page(shell).add(LIBRARIES)  # by a line of the user's
    if LIBRARIES in parts_of_page(shell):
        return []
    with named_outputs(shell) as outputs:
        load_libraries(shell)
    return outputs


def _shared(script: str) -> tuple[str, dict[str, str]]:
    """A script, with long texts that other views have, too, by name; and those texts."""
    texts: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        if len(match[0]) < _LONG:
            return match[0]
        name = hashlib.sha256(match[0].encode()).hexdigest()
        texts[name] = match[0]
        return f"window.rulelabParts[{json.dumps(name)}]"

    return _DOCUMENTS.sub(lambda found: f"docs_json = {_TEXT.sub(named, found[1])};", script), texts


def _hand_over(shell: Any, texts: dict[str, str]) -> list[str]:
    """Give the page of the browser those texts that it does not have; the outputs that hold them."""
    outputs, known = [], parts_of_page(shell)
    for name, text in texts.items():
        if name not in known:
            outputs.append(uuid.uuid4().hex)
            script = at_once(f"take_part({json.dumps(name)}, {_pack(text)})", "notebook.js")
            shell.display_pub.publish({"application/javascript": script}, transient={"display_id": outputs[-1]})
            known.add(name)
    return outputs


def _pack(text: str) -> str:
    return json.dumps(base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode())


def _replace(output: str, html: str) -> None:
    shell = notebook_shell()
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
