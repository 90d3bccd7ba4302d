"""What is asked of a problem, as far as it decides which engine answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

NEUTRAL: Mapping[str, Any] = {"method": "exact", "policy": "lower_bound", "iterations": 3000}
"""Values that ask for nothing; of all other parameters that is None."""
DEMANDS = ("must_use", "first_rule", "max_uses", "monotone")
"""What a model may have to use or obey; what is empty asks for nothing, too."""


@dataclass(frozen=True)
class Question:
    """What is asked of a problem; the names are those of the parameters of searches.

    Attributes
    ----------
    model : {"rule_list", "falling_rule_list", "rule_set"}
    several : bool
        Whether the problem has more than two classes.
    criterion : str or class, optional
        The gap between groups that is to be least, in place of the errors.
    fairness : Criterion, optional
        What the model has to meet.
    must_use, first_rule, max_uses, monotone : optional
        What the model has to use, and to obey.
    max_length : int, optional
    violation_penalty : float, optional
        Falling lists may rise at this price.
    method : {"exact", "monte_carlo"}
        Whether a proof is asked for.
    """

    model: str = "rule_list"
    several: bool = False
    criterion: Any = None
    fairness: Any = None
    must_use: Any = None
    first_rule: Any = None
    max_uses: Any = None
    monotone: Any = None
    max_length: Any = None
    violation_penalty: Any = None
    method: Any = "exact"

    @classmethod
    def of(cls, model: str, parameters: Mapping[str, Any], several: bool = False) -> Question:
        """The question of these parameters; those that decide no engine are not looked at."""
        return cls(model, several, **{name: value for name, value in parameters.items() if name in ASKING})

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked for, by parameter."""
        values = {name: getattr(self, name) for name in ASKING}
        return {name: value for name, value in values.items() if not asks_nothing(name, value)}


ASKING = tuple(each.name for each in fields(Question) if each.name not in ("model", "several"))
"""The parameters that decide which engine answers."""


def asks_nothing(name: str, value: Any) -> bool:
    """Whether a search that does not know this parameter does what its value asks for."""
    if name == "bounds" and is_dataclass(value) and not isinstance(value, type):
        return bool(value == type(value)())  # all are used
    if name in DEMANDS and isinstance(value, str | list | tuple | Mapping) and not value:
        return True
    usual = NEUTRAL.get(name)
    return value is None or (type(value) is type(usual) and value == usual)
