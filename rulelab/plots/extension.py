"""HoloViews in a notebook that stays small: the libraries leave it once the page has them, and a picture stays."""

from __future__ import annotations

import base64
import json
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import holoviews as hv

from ..assets import at_once

_STILL = '<div class="{name}"><img alt="the plot as it was when it was made" src="data:image/png;base64,{png}"></div>'

_REMOTE_STYLES = re.compile(r'https://cdn\.holoviz\.org/[^"]+?\.css[^"]*')
"""Of Panel's layouts, not of the plots in them; HoloViews asks for them from a network whatever it is told."""
LIBRARIES = "libraries"  # those of Panel, among what a page has
_pages: dict[str, set[str]] = {}  # by the connections of pages of a browser


def extension(*backends: str) -> None:
    """Let HoloViews and Panel show themselves in this notebook, as ``hv.extension`` does, without a network.

    Their libraries, some 10 MB, are taken out of the notebook once the page has them. Where Matplotlib is installed,
    each plot of Bokeh leaves a picture of itself beside it, which is seen where no kernel runs.

    Parameters
    ----------
    *backends : str
        "bokeh" or "matplotlib", or both, the first of which draws; by default "bokeh".

    Examples
    --------
    >>> rl.plots.extension()
    >>> rl.plots.cuts(snapshot)
    """
    shell, chosen = notebook_shell(), backends or ("bokeh",)
    still = shell is not None and chosen[0] == "bokeh" and find_spec("matplotlib") is not None
    wanted = (*chosen, "matplotlib") if still and "matplotlib" not in chosen else chosen
    if shell is None:
        hv.extension(*wanted, inline=True, logo=False)
        return
    name = f"rl-picture-{uuid.uuid4().hex}"

    def load() -> None:
        with named_outputs(shell) as outputs:
            hv.extension(*wanted, inline=True, logo=False)
            load_libraries(shell)
            hide = at_once(f"hide({json.dumps(name)})", "hide.js")
            shell.display_pub.publish({"application/javascript": hide})

        def erase() -> None:
            for output in outputs:
                replace_output(shell, output, "")

        after_this_cell(shell, erase)

    def load_again() -> None:
        if LIBRARIES not in parts_of_page(shell):
            load()

    load()
    _show_here(name if still else "", load_again)


def notebook_shell() -> Any:
    """The shell of a Jupyter kernel; None elsewhere."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if hasattr(shell, "kernel") and hasattr(shell.display_pub, "register_hook") else None


def has_browser(shell: Any) -> bool:
    """Whether a page of a browser asks, which names its cell; nbclient and consoles name none."""
    return bool(shell.get_parent().get("metadata"))


def after_this_cell(shell: Any, act: Callable[[], None]) -> None:
    """Do something once, when the cell that runs has run."""

    def once(*_: Any) -> None:
        shell.events.unregister("post_run_cell", once)
        act()

    shell.events.register("post_run_cell", once)


def parts_of_page(shell: Any) -> set[str]:
    """Names of what the page of the browser that asks was given; it loses all of it when it is loaded again."""
    return _pages.setdefault(shell.get_parent().get("header", {}).get("session", ""), set())


def pages_are_known() -> bool:
    """Whether any page was given Panel's libraries from here."""
    return any(_pages.values())


def load_libraries(shell: Any) -> None:
    """Give Panel's libraries, from this machine, to the page of the browser that asks."""
    import panel as pn
    from panel.io.notebook import load_notebook

    if pages_are_known():
        load_notebook(inline=True)
    else:
        pn.extension(inline=True)
    parts_of_page(shell).add(LIBRARIES)


@contextmanager
def named_outputs(shell: Any) -> Iterator[list[str]]:
    """Give a name to each output that has scripts and is published meanwhile; the names, in order.

    Where a browser listens, what Panel asks it stays: it is an output of HTML.
    """
    outputs: list[str] = []
    kinds = {"application/javascript"} if has_browser(shell) else {"application/javascript", "text/html"}

    def name_it(message: Any) -> Any:
        if kinds & set(message["content"].get("data", {})):
            outputs.append(uuid.uuid4().hex)
            message["content"]["transient"] = {"display_id": outputs[-1]}
        return message

    shell.display_pub.register_hook(name_it)
    try:
        yield outputs
    finally:
        shell.display_pub.unregister_hook(name_it)


def replace_output(shell: Any, output: str, html: str) -> None:
    """Put HTML in the place of an output of this name."""
    shell.display_pub.publish({"text/html": html}, transient={"display_id": output}, update=True)


def _show_here(name: str, load_again: Callable[[], None]) -> None:
    """Let plots ask for nothing from elsewhere, and those of Bokeh have a picture in an element of this class."""
    import panel as pn
    from holoviews.core.dimension import LabelledData
    from holoviews.ipython.display_hooks import pprint_display

    def shown(plot: Any) -> Any:
        load_again()
        with pn.config.set(design=pn.theme.Native):  # the one of our views puts 1.5 MB around several plots
            found = pprint_display(plot)
        if not isinstance(found, tuple) or "text/html" not in found[0]:
            return found
        data, metadata = found
        html = _REMOTE_STYLES.sub("data:text/css,", data["text/html"])
        picture = _picture(plot, name) if name and hv.Store.current_backend == "bokeh" else ""
        return data | {"text/html": picture + html}, metadata

    hv.Store.set_display_hook("html+js", LabelledData, shown)


def _picture(plot: Any, name: str) -> str:
    """A plot as Matplotlib draws it; empty for those that change, or that it does not know."""
    if plot.traverse(lambda each: each, [hv.DynamicMap]) or type(plot) not in hv.Store.registry["matplotlib"]:
        return ""
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        drawn, _ = hv.Store.renderers["matplotlib"](plot, fmt="png")
    except Exception:  # noqa: BLE001 with options of one's own anything may fail there; Bokeh shows it all the same
        return ""
    finally:  # a figure that is left open is shown below the cell, empty
        for number in set(plt.get_fignums()) - before:
            plt.close(number)
    return _STILL.format(name=name, png=base64.b64encode(drawn).decode())
