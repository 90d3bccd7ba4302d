"""The settings of a search on the page: data, model family with settings of its own, limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

import param

from ...assets import texts
from ...families import EVERY_FAMILY, MEMORY, OF_SEVERAL, Family
from ..forms.address import Part, read, write
from ..forms.controls import WIDE as IN_CARD
from ..forms.controls import Number, card, note
from ..forms.data_settings import TEST_SHARE, DataSettings
from ..forms.family_settings import (
    LIMITS,
    Sentence,
    bounds_of,
    chosen,
    fields_of,
    is_fair,
    limit_settings,
    names_of,
    sentence_of,
    settings_of,
    shown_parameters,
)
from ..live.recipe import PageRecipe, compares_groups
from ..live.session import SearchSession
from ..live.state import Limits, State
from ..widgets.esc import esc, plain
from ..widgets.explained import term_classes
from ..widgets.field_cards import Field, FieldCard, FieldCards
from ..widgets.fields import WIDE, LayoutViewer, column, select
from .controls import NO_GROUPS
from .families import SHOWN, look_for

MAX_MESSAGE = 300  # characters of what is said at a field
_OF_CLASSES = texts("several classes")


class Setup(LayoutViewer):
    """Everything that is chosen before a run, and the form to choose it with: `data_card`, and `more`."""

    family: param.Selector[str] = param.Selector(
        default="rule_list",
        objects={family.called.capitalize(): name for name, family in EVERY_FAMILY.items()},
        label="Model family",
    )
    refusal = param.String(default="", doc="What is wrong with the fields that count; empty when nothing is.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.table = DataSettings()
        # the settings of each family
        self.of_family = {name: settings_of(family, *SHOWN[name].switches) for name, family in EVERY_FAMILY.items()}
        self.limits = limit_settings()
        # all settings that the address of the page holds
        self.parts = (
            Part(self, ["family"], steps=["family"]),
            Part(self.table, ["data", "test_share", "sensitive"], steps=["data"]),
            *(
                Part(settings, names_of(settings), partial(self._is_chosen, name), SHOWN[name].formerly)
                for name, settings in self.of_family.items()
            ),
            Part(self.limits, names_of(self.limits)),
        )
        self._shown, self._of_two = self.family, "rule_list"
        self.sentence = Sentence(sizing_mode="stretch_width", margin=0)  # the question, which opens the form
        self._build()
        self.table.param.watch(self._suit_data, "data")
        self.table.param.watch(self._look_for_wrong, "sensitive")
        self.param.watch(self._offer_families, "family")
        for owner in (self.table, *self.of_family.values(), self.limits):
            owner.param.watch(self._look_for_wrong, "wrong")
        self.table.param.watch(self._show_complaint, "pending")
        self.on_change(self._refuse_nothing)
        self.on_change(self._say)
        self._say()

    @property
    def settings(self) -> Any:
        """The settings of the chosen family."""
        return self.of_family[self.family]

    def choose(self, **values: Any) -> None:
        """Set the family, and then whatever else by its name; raises ValueError for what is not possible."""
        for owner in (self, self.table, self.limits):
            for name in [name for name in values if name in owner.param]:
                owner.param.update(**{name: values.pop(name)})
        self.settings.param.update(**values)

    def on_change(self, changed: Callable[..., None]) -> None:
        """Call this whenever a setting has changed."""
        for part in self.parts:
            part.owner.param.watch(changed, list(part.names))

    def show_refused(self, session: SearchSession) -> None:
        """Say at its field what a run found wrong with a value, until something is changed."""
        about, error = session.about, plain(session.error or "", MAX_MESSAGE)
        if session.state is not State.FAILED or not about:
            self._refuse_nothing()
        elif about in self.settings.param:
            self.settings.refused = {about: error}
            self.sentence.open = True

    def recipe(self) -> PageRecipe:
        """The present settings, frozen."""
        parameters = chosen(self.settings, self._chosen)
        several = self.table.several
        return PageRecipe(
            self._chosen,
            {**parameters, MEMORY.name: self.limits.memory_limit},
            self.table.loader(),
            load_code=self.table.code(),
            test_share=self.table.test_share,
            sensitive=self.table.sensitive if compares_groups(parameters) else None,
            more=SHOWN[self.family].more(self.settings, is_fair(self.settings))
            if bounds_of(self.settings, self._chosen)
            else {},
            weighted=self.table.weighted,
            counted=self.table.counted,
            left_out_rows=self.table.left_out,
            labelled=None if several is None else several.labelled,
        )

    @property
    def look(self) -> str:
        """How the chosen search is shown, see `rulelab.views.search.families.LOOKS`."""
        return look_for(self.family, chosen(self.settings, self._chosen))

    def new_session(self) -> SearchSession:
        """A session that will run the present settings."""
        return SearchSession(self.recipe(), Limits(seconds=self.limits.time_limit), look=self.look, query=self.query)

    @property
    def query(self) -> str:
        """The present settings, as the address of the page says them."""
        return urlencode({name: text for name, text in write(*self.parts).items() if text is not None})

    def go_back_to(self, query: str) -> str:
        """Set everything as a session's query says; returns what is not possible any more."""
        return "; ".join(read(query, *self.parts, reset=True))

    @property
    def _chosen(self) -> Family:
        return EVERY_FAMILY[self.family]

    @param.depends("family", watch=True)
    def _show_family(self) -> None:
        """Show the form of the family, made when it is first shown; what the one before has too stays as it is."""
        self._family.options = self.param.family.names
        name, settings, before = self.family, self.settings, self.of_family[self._shown]
        common = set(shown_parameters(self._chosen)) & set(shown_parameters(EVERY_FAMILY[self._shown]))
        settings.param.update(**{each.name: getattr(before, each.name) for each in common})
        if name not in self._fields:
            self._fields[name] = fields_of(settings, self._chosen, self.table)
        own, conditions, _, rare = self.more.content
        own.fields, conditions.fields, rare.fields = self._fields[name]
        conditions.title = "Antecedents" if self._chosen.mined else "Conditions"
        self.more.refresh()
        self._shown = name

    def _suit_data(self, *_: Any) -> None:
        """Choose a family that can have these data, where the chosen one cannot."""
        if self._suits(self.family):
            self._offer_families()
        else:
            self.family = self._of_two if self.table.several is None else next(iter(OF_SEVERAL))
        self._look_for_wrong()

    def _offer_families(self, *_: Any) -> None:
        """Offer the families that can have these data, and say why others are not there."""
        if self.family not in OF_SEVERAL:
            self._of_two = self.family
        every = self.param.family.names.items()
        self._family.options = {said: name for said, name in every if name == self.family or self._suits(name)}
        several = self.table.several
        self._why.visible = several is not None
        if several is not None:
            self._why.object = note(_OF_CLASSES["alone"].format(esc(several.target, 60))).object

    def _suits(self, name: str) -> bool:
        """Whether models of this family are of the classes that these data have."""
        return (name in OF_SEVERAL) is (self.table.several is not None)

    @param.depends("family", watch=True)
    def _look_for_wrong(self, *_: Any) -> None:
        found = [each for owner in (self.table, self.settings, self.limits) for each in owner.wrong.values()]
        unsuited = [_OF_CLASSES["none" if self.family in OF_SEVERAL else "not of two"]]
        lacking = [NO_GROUPS] if self._chosen.needs_groups and self.table.sensitive is None else []
        self.refusal = "\n".join([*([] if self._suits(self.family) else unsuited), *found, *lacking])
        self.sentence.open |= bool(found)

    def _show_complaint(self, *_: Any) -> None:
        """Open the settings where they say what is wrong with a file."""
        self.sentence.open |= not self.table.pending and bool(self.table.complaint)

    def _say(self, *_: Any) -> None:
        """Say what is asked, in the words of the form."""
        said = sentence_of(self._chosen, self.settings, self.table, self.limits)
        self.sentence.parts = [list(part) for part in said]

    def _refuse_nothing(self, *_: Any) -> None:
        for settings in self.of_family.values():
            if settings.refused:
                settings.refused = {}

    def _is_chosen(self, name: str) -> bool:
        return self.family == name

    def _build(self) -> None:
        self._family = select(self.param.family, css_classes=term_classes("family"), **IN_CARD)
        self._why = note("")
        self._why.visible = False
        self.data_card = card("Model and data", self._family, self._why, *self.table.fields)
        self.data_card.css_classes = [*self.data_card.css_classes, "rl-data", "rl-two"]
        self._fields: dict[str, tuple[list[Field], ...]] = {}
        limits: list[Field] = [Number(self.table, TEST_SHARE), *(Number(self.limits, each) for each in LIMITS)]
        cards = (
            FieldCard("Objective and search"),
            FieldCard("Conditions"),
            FieldCard("Test and limits", limits),
            FieldCard("Demands and details", open=False),
        )
        self.more = FieldCards(cards, css_classes=["rl-more"], **WIDE)
        self._layout = column(self.data_card, self.more, classes="rl-drawer", visible=False)
        self.sentence.link(self._layout, open="visible")
        self._show_family()
        self._offer_families()
