"""What a sweep asks of a method: its parameters, and a fit on the training rows of a fold."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .plan import Fold, Plan


@dataclass(frozen=True, eq=False)
class Fitted:
    """What came of one fit."""

    status: str  # "optimal", "limit" or "infeasible", as the search says; "fitted" for a baseline
    # train, test (bool array or None): which rows of each part are given the positive label; None where there is no
    # model
    train: np.ndarray | None
    test: np.ndarray | None
    seconds: float  # of the fit, without making conditions and antecedents
    objective: float | None = None
    lower_bound: float | None = None
    # rules, conditions: counted as in the papers, the default rule not included; None where they say nothing
    rules: int | None = None
    conditions: int | None = None
    model: dict[str, Any] | None = None  # as ``Model.to_dict`` gives it
    message: str = ""  # why there was nothing to search, or what limit was met


class Stopped(Exception):  # noqa: N818 - it ends a fit that nobody waits for
    """The sweep was cancelled during the fit."""


class Method(abc.ABC):
    """A way to make classifiers."""

    name: str
    title: str  # of a baseline: what it is called
    baseline: bool = False
    defaults: Mapping[str, Any]  # every parameter that a grid may name, with its default value
    grid: Mapping[str, Sequence[Any]]  # the grid when none is given
    packages: tuple[str, ...] = ()  # distributions, besides this one, whose version matters to the results
    path: str | None = None
    """The parameter along which a fit can start from the one before, with ``falling`` saying from which end."""
    falling: bool = True
    of_counts: bool = True
    """Whether rows that are counted, with their numbers as weights, give the same model as the rows themselves."""

    @property
    def installed(self) -> bool:
        """Whether the package is there that it needs beyond those that this one needs."""
        return True

    @abc.abstractmethod
    def check(self, parameters: Mapping[str, Any], plan: Plan) -> None:
        """Refuse parameters that no data could make usable; raises ValueError."""

    def settings(self, parameters: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
        """All that a result depends on besides the rows: all of `defaults`, and what the method leaves at a default."""
        return dict(parameters)

    @abc.abstractmethod
    def fit(
        self,
        fold: Fold,
        parameters: Mapping[str, Any],
        plan: Plan,
        warm_start: dict[str, Any] | None,
        stopped: Callable[[], bool],
        /,
    ) -> Fitted:
        """Fit on the training rows and predict both parts.

        ``parameters``: all of `defaults`. ``warm_start``: the model of the configuration before on the path.
        ``stopped``: whether the sweep was cancelled. Raises Stopped. Raises ValueError when the parameters do not suit
        these rows.
        """
