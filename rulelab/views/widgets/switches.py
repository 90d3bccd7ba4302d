"""Several check boxes that belong together, with a name for all of them."""

from __future__ import annotations

from typing import Any

import panel as pn


class Switches(pn.widgets.CheckBoxGroup):
    """As Panel's, but a named group for screen readers."""

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        attributes = {"role": "group", "aria-label": str(self.label or "")}
        return {**super()._get_properties(doc), "html_attributes": attributes}
