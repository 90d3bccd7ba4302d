"""The buttons under a card that save its model: as it is, and written in other languages."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ...models import Model, ModelError, MultiClassRuleList
from ..widgets.download import download
from ..widgets.explained import term_classes
from ..widgets.style import BAR_CSS, SELECT_CSS

AnyModel = Model | MultiClassRuleList
Written = Callable[[AnyModel, str], str]

FORMS: dict[str, tuple[str, Written]] = {
    "SQL (DuckDB)": (".sql", lambda model, _: model.to_sql("duckdb")),
    "SQL (PostgreSQL)": (".sql", lambda model, _: model.to_sql("postgresql")),
    "SQL (SQLite)": (".sql", lambda model, _: model.to_sql("sqlite")),
    "Python function": (".py", lambda model, _: model.to_python()),
    "PMML": (".pmml", lambda model, target: model.to_pmml(target or "prediction")),
}
"""Languages with the ending of a file, and what writes a model of a target in them."""


class Exports(Viewer):
    """Saves a model in one of several languages.

    Parameters
    ----------
    model : callable
        Gives the model, with the labels of the data, and the name of what it predicts.
    complain : callable
        Takes why the model cannot be written; empty: it can.
    """

    form: param.Selector[str] = param.Selector(
        default="SQL (DuckDB)", objects=list(FORMS), label="Model in another language"
    )

    def __init__(
        self, model: Callable[[], tuple[AnyModel, str]], complain: Callable[[str], None], **params: Any
    ) -> None:
        super().__init__(**params)
        self._model, self._complain = model, complain
        choice = pn.widgets.Select.from_param(
            self.param.form,
            width=190,
            stylesheets=[SELECT_CSS],
            css_classes=term_classes("model in another language"),
            margin=0,
        )
        self._save = download("Save", "", self.text, width=90, height=38)
        self._save.align = "end"
        self._layout = pn.Row(choice, self._save, stylesheets=[BAR_CSS], margin=(8, 0, 0, 0))
        self._choose()

    def __panel__(self) -> Any:
        return self._layout

    def text(self) -> io.StringIO:
        """The model in the chosen language.

        Raises
        ------
        ModelError
            When it cannot be written in it.
        """
        return io.StringIO(FORMS[self.form][1](*self._model()))

    @param.depends("form", watch=True)
    def _choose(self) -> None:
        """Name the file, and say so where the model cannot be written."""
        self._save.filename = f"model{FORMS[self.form][0]}"
        why = ""
        try:
            self.text()
        except ModelError as error:
            why = f"No {self.form}: {error}"
        self._save.disabled = bool(why)
        self._complain(why)
