"""The settings of a search on the page: data, model family with settings of its own, limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ...limits import MEMORY_LIMIT, TIME_LIMIT
from ..forms.address import Part
from ..forms.data_settings import DataSettings
from ..forms.fields import card, column, field, pair
from ..live.recipe import Recipe
from ..live.session import Limits, SearchSession
from .families import FAMILIES, Family


class LimitSettings(param.Parameterized):
    """When a search ends without a proof."""

    time_limit = param.Number(default=TIME_LIMIT, bounds=(0, None), label="Time limit (s)")
    memory_limit = param.Number(default=MEMORY_LIMIT / 1e6, bounds=(1, 1e6), label="Memory limit (MB)")


class Setup(Viewer):
    """Everything that is chosen before a run, and the form to choose it with.

    Attributes
    ----------
    table : DataSettings
    of_family : dict of str to Parameterized
        The settings of each family.
    limits : LimitSettings
    parts : tuple of Part
        All settings that the address of the page holds.
    data_card, more : viewable
        The two parts of the form, for a page that lays them out itself.
    """

    family: param.Selector[str] = param.Selector(
        default="rule_list",
        objects={family.label: name for name, family in FAMILIES.items()},
        label="Model family",
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.table = DataSettings()
        self.of_family: dict[str, Any] = {name: family.settings() for name, family in FAMILIES.items()}
        self.limits = LimitSettings()
        self.parts = (
            Part(self, ["family"], steps=["family"]),
            Part(self.table, ["data", "test_share", "sensitive"], steps=["data"]),
            *(
                Part(self.of_family[name], family.shared, lambda name=name: self.family == name)  # type: ignore[misc]
                for name, family in FAMILIES.items()
            ),
            Part(self.limits, ["time_limit", "memory_limit"]),
        )
        self._build()

    def __panel__(self) -> Any:
        return pn.Column(self.data_card, self.more, sizing_mode="stretch_width", margin=0)

    @property
    def settings(self) -> Any:
        """The settings of the chosen family."""
        return self.of_family[self.family]

    def choose(self, **values: Any) -> None:
        """Set the family, and then whatever else by its name; raises ValueError for what is not possible."""
        for owner in (self, self.table, self.limits):
            self._take(owner, values)
        self.settings.param.update(**values)

    def on_change(self, changed: Callable[..., None]) -> None:
        """Call this whenever a setting has changed."""
        for part in (*self.parts, Part(self.table, ["uploaded"])):
            part.owner.param.watch(changed, list(part.names))

    def recipe(self) -> Recipe:
        """The present settings, frozen."""
        sensitive = self._chosen.compared(self.settings, self.table)
        return self._chosen.recipe(
            self.settings,
            load=self.table.loader(),
            load_code=self.table.code(),
            sensitive=sensitive[0] if sensitive else None,
            test_share=self.table.test_share,
            weighted=self.table.weighted,
            memory_megabytes=self.limits.memory_limit,
        )

    @property
    def look(self) -> str:
        """How the chosen search is shown, see `rulelab.views.search.families.LOOKS`."""
        return self.recipe().look

    def new_session(self) -> SearchSession:
        """A session that will run the present settings."""
        recipe = self.recipe()
        return SearchSession(recipe, Limits(seconds=self.limits.time_limit), look=recipe.look)

    @property
    def _chosen(self) -> Family:
        return FAMILIES[self.family]

    @staticmethod
    def _take(owner: param.Parameterized, values: dict[str, Any]) -> None:
        """Set those of the values that the owner has, and take them out."""
        for name in [name for name in values if name in owner.param]:
            owner.param.update(**{name: values.pop(name)})

    @param.depends("family", watch=True)
    def _show_family(self) -> None:
        """Show the form of the family, made when it is first shown; what the one before has too stays as it is."""
        name, settings, before = self.family, self.settings, self.of_family[self._shown]
        common = set(self._chosen.shared) & set(FAMILIES[self._shown].shared)
        settings.param.update(**{each: getattr(before, each) for each in common})
        if name not in self._forms:
            of_search, of_conditions = self._chosen.fields(settings, self.table)
            self._forms[name] = column(*of_search), column(*of_conditions)
            self._search.append(self._forms[name][0])
            self._conditions.append(self._forms[name][1])
        for each, forms in self._forms.items():
            for form in forms:
                form.visible = each == name
        self._conditions.title = "Antecedents" if self._chosen.mined else "Conditions"
        self._shown = name

    def _build(self) -> None:
        self.data_card = card("Model and data", field(self, "family", pn.widgets.Select), *self.table.fields)
        self.data_card.css_classes = [*self.data_card.css_classes, "rl-data"]
        self._search, self._conditions = card("Search"), card("Conditions")
        limits = pair(
            field(self.limits, "time_limit", pn.widgets.FloatInput, step=10),
            field(self.limits, "memory_limit", pn.widgets.FloatInput, step=100),
        )
        self.more = column(self._search, self._conditions, card("Limits", limits), css_classes=["rl-more"])
        self._forms: dict[str, tuple[pn.Column, pn.Column]] = {}
        self._shown = self.family
        self._show_family()
