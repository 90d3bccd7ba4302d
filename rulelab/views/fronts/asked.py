"""What all models of a sweep have to obey, as it is typed on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...families import DEMANDS, MONOTONE, MUST_NOT_USE
from ...questions import ASKING, Question, allows
from ...sweeps import FAMILIES, SweepError
from ..forms.names import value_of
from .points import LABELS

ASKED = {f"sweep_{each.name}": each for each in (*DEMANDS[:1], MUST_NOT_USE, *DEMANDS[1:], MONOTONE)}
"""The parameters, by the names of the texts."""
ABOUT = (
    "Held by every model of the sweep. Of falling rule lists, of the least gap and of rule lists of predictive parity "
    "nothing can be asked but what must not be used; of rule sets no first rule. Conditions are made anew in each "
    "fold: one that has to be used and is not there leaves this fold without a model. The other methods know none of "
    "it."
)


def values_of(texts: Mapping[str, str], grids: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The values of the texts that are not empty, by parameter.

    Raises
    ------
    ValueError
        For what cannot be read, or asked of a family; in the words of the page.
    """
    known = [each for name, each in ASKED.items() if texts[name].strip()]
    found = {each.name: value_of(each, texts[f"sweep_{each.name}"]) for each in known}
    for each in known:
        for name, grid in grids.items():
            family = FAMILIES[name].family
            out = f"take “{LABELS[name]}” out of the families"
            if each not in family.parameters:
                raise SweepError(
                    f"{each.title}: that cannot be asked of a {family.called}; leave this field empty, or {out}"
                )
            fair = [Question.of(family.model or name, {"fairness": one}) for one in grid.get("fairness", ())]
            if not all(allows(question, each.name) for question in fair if each.name in ASKING):
                raise SweepError(
                    f"{each.title}: that and predictive parity cannot be asked of a {family.called} together; "
                    f"leave this field empty, choose another constraint, or {out}"
                )
    return found
