"""A class of searches, and what it answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..arguments import ParameterError, arguments_of
from .question import NEUTRAL, Question, asks_nothing

UNUSED = ("n_jobs", "random_state", "memory_limit", "labels", "min_group_size")
"""What no optimum depends on where a search does not know it: it does without."""


@dataclass(frozen=True)
class Engine:
    """A class of searches, which is imported when it is needed.

    Attributes
    ----------
    name : str
        Of the class.
    model : str
        The family of its models.
    knows : tuple of str
        What may be asked of it, of the parameters of a `Question`.
    needs : tuple of str
        What of that it must be asked.
    where : str
        When it is this one that answers, such as "where a list has to be fair".
    of_values : bool
        Whether the criteria that it knows are those of predictive values; otherwise all others are.
    several : bool
        Whether its problems have several classes; otherwise two.
    room : str
        The module that has it; empty: that of its family.
    """

    name: str
    model: str
    knows: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    where: str = ""
    of_values: bool = False
    several: bool = False
    room: str = ""

    def accepts(self, question: Question) -> ParameterError | None:
        """None where it answers this question of a model of its family, otherwise why not."""
        asked = question.asked
        if (self.model, self.several) != (question.model, question.several):
            return ParameterError("model", question.model, f"{self.model!r} for a {self.name}")
        for name, value in asked.items():
            if name not in self.knows:
                return self._only(name, value)
        for name in self.needs:
            if name not in asked:
                return ParameterError(name, getattr(question, name), f"given {self._where}")
        linear = getattr(question.fairness, "linear", None)  # what is no criterion is refused by the class
        if linear is not None and linear == self.of_values:
            wanted = "predictive parity" if self.of_values else "a criterion other than predictive parity"
            return ParameterError("fairness", question.fairness, f"{wanted} {self._where}")
        return None

    @property
    def made(self) -> type:
        """The class."""
        found: type = getattr(import_module(self.room or f"rulelab.{self.model}"), self.name)
        return found

    @property
    def takes(self) -> Collection[str]:
        """The parameters of its searches."""
        return arguments_of(self.made)

    def search(self, problem: Any, parameters: Mapping[str, Any]) -> Any:
        """A search of the problem.

        Raises
        ------
        ParameterError
            When it does not know a parameter that asks for something, or refuses a value.
        TypeError
            When no search has such a parameter.
        """
        taken, given = self.takes, dict(parameters)
        for name, value in parameters.items():
            if name not in taken:
                if not (name in UNUSED or asks_nothing(name, value)):
                    if name in (*NEUTRAL, "bounds", *self.knows):
                        raise self._only(name, value)
                    raise TypeError(f"{self.name} has no option {name!r}; known are {', '.join(taken)}")
                del given[name]
        return self.made(problem, **given)

    def _only(self, name: str, value: Any) -> ParameterError:
        return ParameterError(name, value, f"{NEUTRAL.get(name)!r} {self._where}")

    @property
    def _where(self) -> str:
        return self.where or f"for a {self.name}"
