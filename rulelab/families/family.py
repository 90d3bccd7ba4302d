"""A family of models: what it is called, its parameters, and how its searches and models are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..parameters import BINARIZING, MEMORY, MINING, MUST_NOT_USE, Parameter

if TYPE_CHECKING:
    from ..models import Model
    from ..stepping import Search


@dataclass(frozen=True)
class Family:
    """A family of models; nothing is imported before one of its functions is called, so that commands start at once."""

    name: str  # as in `rulelab.stepping.Search.family` and in saved models
    noun: str  # such as "rule list"
    unit: str  # of its objective
    mined: bool
    """Whether its rules are mined antecedents; otherwise the search makes conjunctions of the conditions itself."""
    own: tuple[Parameter, ...]  # the parameters of its search, without ``memory_limit``
    models: str  # the class of its models in `rulelab.models`
    objective: Callable[..., str]
    """Says what the objective of a model is made of, given the parameters and, where it is known, how many rows there
    are, which their weight need not be."""
    rehearsal: Callable[[], Search]  # a small search with the kernels of the family
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # the grid of a sweep for which none is given
    path: str | None = None  # the parameter along which a sweep can start each search from the model before
    falling: bool = True  # whether that path goes from the largest value to the smallest
    title: str = ""  # what forms call it; empty: its noun
    model: str = ""  # as `rulelab.search` calls it; empty: its name
    shaping: tuple[Parameter, ...] = ()  # its own parameters that the problem depends on
    meaningless: tuple[str, ...] = ()
    """Parameters of the preparation that keep their defaults, as they mean nothing here."""
    of_models: tuple[str, ...] = ()  # its own parameters that a model is made with
    threads: bool = False
    """Whether its search takes ``n_jobs``: which is none of its parameters, as no optimum depends on it."""

    @property
    def called(self) -> str:
        """What to call it, where several records are offered."""
        return self.title or self.noun

    @property
    def plural(self) -> str:
        """Several of what it is called."""
        return self.called.replace(self.noun, f"{self.noun}s")

    @property
    def needs_groups(self) -> bool:
        """Whether it asks how apart groups of people are, in a rate of its own."""
        return any(each.kind == "measure" for each in self.own)

    @property
    def aims(self) -> list[Parameter]:
        """Those of its own parameters that say what is to be least, in place of the errors."""
        kind = "measure" if self.needs_groups else "choice"
        return [each for each in self.own if each.named and each.kind == kind]

    @property
    def preparation(self) -> tuple[Parameter, ...]:
        """The parameters that the problem depends on, besides the rows."""
        return (*BINARIZING, *(MINING if self.mined else ()), MUST_NOT_USE, *self.shaping)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters, each name once: those of the search, of its preparation, and the memory limit."""
        return (*self.own, *self.preparation, MEMORY)

    @property
    def defaults(self) -> dict[str, Any]:
        """The default of each parameter."""
        return {each.name: each.default for each in self.parameters}

    def without_rules(
        self, classes: list[Any], positives: Any, negatives: Any, parameters: Mapping[str, Any]
    ) -> tuple[Model, float]:
        """The model that has no rule, from labels and the weights of both classes, and its objective."""
        make: Any = getattr(import_module("rulelab.models"), self.models)
        weights: Any = ([negatives, positives],) if self.models == "MultiClassRuleList" else (positives, negatives)
        model: Any = make.without_rules(classes, *weights, *(parameters[name] for name in self.of_models))
        return model, float(model.objective(regularization=parameters["regularization"]))
