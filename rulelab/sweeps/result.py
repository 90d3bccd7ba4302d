"""One fit of a sweep: what is asked of its method, what was found, and how it predicts both parts of the rows."""

from __future__ import annotations

import abc
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import SweepError
from ..data.metrics import Confusion, confusion, group_confusions
from ..models import Model, parse_model
from .plan import Fold, Part, Plan

FAILED = "failed"
PARTS = ("train", "test")
_BOUNDS = ("objective", "lower_bound")


@dataclass(frozen=True)
class Scores:
    """Confusion counts on some rows, in all and by group."""

    whole: Confusion
    groups: Mapping[str, Confusion] = field(default_factory=dict)

    @classmethod
    def of(cls, part: Part | None, predicted: np.ndarray | None) -> Scores | None:
        if part is None or predicted is None or not len(predicted):
            return None
        rows = part.y, predicted
        groups = {} if part.groups is None else group_confusions(*rows, part.groups, part.weight, part.heads)
        return cls(confusion(*rows, part.weight, part.heads), groups)

    def to_dict(self) -> dict[str, Any]:
        return {"whole": self.whole.numbers, "groups": {name: c.numbers for name, c in self.groups.items()}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scores:
        groups = {name: Confusion.of(counts) for name, counts in data["groups"].items()}
        return cls(Confusion.of(data["whole"]), groups)

    def few(self, compared: Sequence[str]) -> bool:
        """Whether one of the compared groups has too few positives or negatives to say much."""
        counted = [self.groups[name] for name in compared if name in self.groups]
        return len(counted) < len(compared) or any(c.few for c in counted)


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

    @classmethod
    def by(cls, found: Model, fold: Fold, status: str, seconds: float, **more: Any) -> Fitted:
        """What a model of rules predicts in a fold, and how large it is."""
        own: dict[str, Any] = {part: found.predicts_positive(getattr(fold, part).X) for part in PARTS}
        own |= {"rules": len(found.rules), "conditions": found.n_conditions}
        return cls(status=status, seconds=seconds, **own, **more)


@dataclass(frozen=True)
class Result:
    """One configuration on one fold."""

    point: int  # index of the configuration within the sweep; equal on all folds
    # key: names the method, all settings of the fit, and the versions it was computed with; see `results_file.make_key`
    key: str
    family: str  # the family, or the name of the baseline
    baseline: bool
    parameters: Mapping[str, Any]  # those that the grid names, as plain values
    fold: int
    status: str  # "optimal", "limit", "infeasible"; "fitted" for a baseline; "failed" when the fit raised an error
    objective: float | None
    lower_bound: float | None
    # rules, conditions: None where the papers count none
    rules: int | None
    conditions: int | None
    # train, test: None where there is no model, or no such rows. With resampling the training rows are the resampled
    # ones.
    train: Scores | None
    test: Scores | None
    seconds: float  # wall clock of the fit
    model: Mapping[str, Any] | None  # as ``Model.to_dict`` gives it; None for baselines
    message: str  # which limit was met, why there was nothing to search, or what failed
    limits: Mapping[str, Any]  # time_limit and gap of the fit

    @property
    def complexity(self) -> int | None:
        """Rules and conditions."""
        return None if self.rules is None or self.conditions is None else self.rules + self.conditions

    @property
    def gap(self) -> float | None:
        return None if self.objective is None or self.lower_bound is None else self.objective - self.lower_bound

    def load(self) -> Model:
        """The model.

        Raises
        ------
        ValueError
            When there is none: the result of a baseline, of a failed fit, or of constraints that cannot be met.
        """
        if self.model is None:
            raise SweepError(f"{self.family}, fold {self.fold} ({self.status}) has no model to show")
        return parse_model(json.dumps(self.model))

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON; numbers that are infinite or nan as text."""
        data = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "point"}
        infinite = (name for name in _BOUNDS if data[name] is not None and not math.isfinite(data[name]))
        data |= {name: repr(float(data[name])) for name in infinite}
        return data | {part: None if data[part] is None else data[part].to_dict() for part in PARTS}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], point: int) -> Result:
        """The inverse of `to_dict`; raises KeyError, TypeError or ValueError for other entries."""
        scores = {part: None if data[part] is None else Scores.from_dict(data[part]) for part in PARTS}
        bounds = {name: float(data[name]) if isinstance(data[name], str) else data[name] for name in _BOUNDS}
        return cls(**{**data, **scores, **bounds, "point": point})


@dataclass(frozen=True)
class Job:
    """One fit to do."""

    point: int
    key: str
    method: str
    baseline: bool
    parameters: Mapping[str, Any]
    plain: Mapping[str, Any]
    fold: int

    def failed(self, message: str, limits: Mapping[str, Any]) -> Result:
        """The result of a fit that came to nothing."""
        return self.result(Fitted(FAILED, None, None, 0.0, message=message), None, None, limits)

    def result(self, fitted: Fitted, train: Part | None, test: Part | None, limits: Mapping[str, Any]) -> Result:
        """What came of a fit, with its scores on the rows of both parts."""
        return Result(
            point=self.point,
            key=self.key,
            family=self.method,
            baseline=self.baseline,
            parameters=self.plain,
            fold=self.fold,
            limits=limits,
            train=Scores.of(train, fitted.train),
            test=Scores.of(test, fitted.test),
            **{each.name: getattr(fitted, each.name) for each in fields(fitted) if each.name not in PARTS},
        )


@dataclass(frozen=True)
class Progress:
    """How far a sweep is."""

    # done, total: fits; those read from the results file are done
    done: int
    total: int
    failed: int  # fits that ended with an error; they count as done
    resumed: int  # fits that were read from the results file
    seconds: float  # since the start, or what it took
    # seconds_left: by what the same configurations took on other folds; None before anything is known, 0 at the end
    seconds_left: float | None
    state: str  # "running", "done", "cancelled" or "failed": `Sweep.wait` says why


@dataclass(frozen=True)
class SweepSnapshot:
    """A sweep at one moment: a table that nobody else writes to, and the progress."""

    frame: pd.DataFrame
    progress: Progress


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
        """Fit on training rows, from the model before on the path; predict both parts. Stopped, ValueError."""
