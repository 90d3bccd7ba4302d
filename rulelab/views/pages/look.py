"""How the page looks around its tabs: light or dark, before anything is drawn as afterwards, and its headings."""

from __future__ import annotations

import functools
from typing import Any

import panel as pn
import param
from panel_material_ui.base import _env

from ...assets import asset

SPOKEN = {
    "components": {
        "MuiTypography": {
            "defaultProps": {"variantMapping": {"h3": "h1", "h5": "div"}},
            "styleOverrides": {
                "h3": {
                    "marginRight": "10px !important",
                    "@media (max-width: 430px)": {"fontSize": "17px !important", "margin": "0 8px 0 -8px !important"},
                    "@media (max-width: 345px)": {"fontSize": "0 !important", "margin": "0 !important"},
                }
            },
        },
        "MuiToolbar": {"styleOverrides": {"root": {"@media (max-height: 760px)": {"minHeight": "46px !important"}}}},
        "MuiIconButton": {
            "styleOverrides": {"root": {"&.Mui-focusVisible": {"outline": "3px solid", "outlineOffset": "-4px"}}}
        },
        "MuiLinearProgress": {"defaultProps": {"aria-hidden": True}},
    }
}
"""The page's title is its first heading, and the room below the bar is none; nor is the bar that is never shown. On the
low screen of a projector the bar is narrow."""


class Look(param.Parameterized):
    """Light or dark: as the user's system is, unless the user has chosen something else."""

    COOKIE = "rulelab-dark"
    """Says whether the user's system is dark, so that the page is so from the beginning."""

    theme: param.Selector[str | None] = param.Selector(
        default=None, objects=[None, "default", "dark"], doc="What was chosen; None: nothing but the system's."
    )
    dark = param.Boolean(default=False, doc="What is shown.")
    system = param.Boolean(default=False, doc="Whether the user's system is dark.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.dark = self.system

    @param.depends("theme", "system", watch=True)
    def _show(self) -> None:
        self.dark = self.system if self.theme is None else self.theme == "dark"

    @param.depends("dark", watch=True)
    def _choose(self) -> None:
        self.theme = None if self.dark == self.system else "dark" if self.dark else "default"

    def follow_system(self) -> None:
        """Hear from the browser how the system is, shortly before or after the page is loaded."""
        browser = pn.state.browser_info
        if browser is not None:
            self.system = bool(browser.dark_mode)
            browser.param.watch(lambda event: self.param.update(system=bool(event.new)), "dark_mode")


@functools.cache
def template() -> Any:
    """The page's HTML, with a background that is right before anything is drawn."""
    return _env.from_string(asset("page.html"))
