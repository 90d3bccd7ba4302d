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
    """What came of one fit.

    Attributes
    ----------
    status : str
        "optimal", "limit" or "infeasible", as the search says; "fitted" for a baseline.
    train, test : bool array or None
        Which rows of each part are given the positive label; None where there is no model.
    seconds : float
        Of the fit, without making conditions and antecedents.
    objective, lower_bound : float or None
    rules, conditions : int or None
        Counted as in the papers, the default rule not included; None where they say nothing.
    model : dict or None
        As ``Model.to_dict`` gives it.
    message : str
        Why there was nothing to search, or what limit was met.
    """

    status: str
    train: np.ndarray | None
    test: np.ndarray | None
    seconds: float
    objective: float | None = None
    lower_bound: float | None = None
    rules: int | None = None
    conditions: int | None = None
    model: dict[str, Any] | None = None
    message: str = ""


class Stopped(Exception):  # noqa: N818 - it ends a fit that nobody waits for
    """The sweep was cancelled during the fit."""


class Method(abc.ABC):
    """A way to make classifiers.

    Attributes
    ----------
    name : str
    baseline : bool
    defaults : dict
        Every parameter that a grid may name, with its default value.
    grid : dict
        The grid when none is given.
    packages : tuple of str
        Distributions, besides this one, whose version matters to the results.
    of_counts : bool
        Whether rows that are counted, with their numbers as weights, give the same model as the rows themselves.
    path : str or None
        The parameter along which a fit can start from the one before, with ``falling`` saying from which end.
    """

    name: str
    baseline: bool = False
    defaults: Mapping[str, Any]
    grid: Mapping[str, Sequence[Any]]
    packages: tuple[str, ...] = ()
    path: str | None = None
    falling: bool = True
    of_counts: bool = True

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

        Parameters
        ----------
        fold : Fold
        parameters : mapping
            All of `defaults`.
        plan : Plan
        warm_start : dict or None
            The model of the configuration before on the path.
        stopped : callable
            Whether the sweep was cancelled.

        Raises
        ------
        Stopped
        ValueError
            When the parameters do not suit these rows.
        """
