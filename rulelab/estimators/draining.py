"""A search drained by `fit`: its trace, and what is said when it ends without a proof."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ..families.wording import at_most
from ..models import Model, Provenance
from ..snapshot import Snapshot, Status
from ..stepping import Search

_TRACE_ROWS = 10_000
_NOTHING = 1e-9
COUNTS = ("queued", "created", "expanded")
_Method = TypeVar("_Method", bound=Callable[..., Any])


@dataclass(frozen=True)
class Fit:
    """One model of two classes, as the search left it."""

    model: Model
    objective: float
    lower_bound: float
    gap: float
    status: Status
    trace: pd.DataFrame
    nothing_found: str | None = None
    search: Search | None = None

    @classmethod
    def settled(cls, model: Any, objective: float, why: str) -> Self:
        """A model that is optimal because there is no other."""
        row = {"seconds": 0.0, "work": 0, "objective": objective, "lower_bound": objective, "gap": 0.0}
        row |= {"errors": model.errors, "complexity": 0, **dict.fromkeys(COUNTS, 0)}
        model = model.proven(Provenance.of_no_other(objective))
        return cls(model, objective, objective, 0.0, Status.OPTIMAL, pd.DataFrame([row]), why)

    @classmethod
    def found(cls, snapshot: Snapshot, trace: pd.DataFrame, search: Search) -> Self:
        """What a search has found in the end."""
        best = snapshot.incumbent
        assert best is not None
        return cls(
            model=best.model.proven(Provenance.of(snapshot, search.problem)),
            objective=best.objective,
            lower_bound=snapshot.lower_bound,
            gap=snapshot.gap,
            status=Status.LIMIT if snapshot.status is Status.RUNNING else snapshot.status,
            trace=trace,
            search=search,
        )


def drained(
    search: Search, time_limit: float | None, gap: float, ends: Callable[[Snapshot], bool], verbose: bool = False
) -> tuple[Snapshot, pd.DataFrame]:
    """The last state of a search, and all states as a table, nan for what a model has before there is one.

    ``ends``: is asked of each state whether the search ends with it, as after Ctrl-C.
    """
    trace: list[dict[str, Any]] = []
    for snapshot in search.steps(time_limit=time_limit, gap=gap, verbose=verbose):
        trace.append(_row(snapshot))
        if len(trace) > _TRACE_ROWS:
            del trace[1::2]
        if ends(snapshot):
            break
    return snapshot, pd.DataFrame(trace)


def check_found(snapshot: Snapshot, what: str, constraint: Any, time_limit: float | None) -> None:
    """Refuse the end of a search that has no model: ValueError, or KeyboardInterrupt where the user came first."""
    if snapshot.status is Status.INFEASIBLE:
        raise ValueError(f"{what} cannot meet its constraints on these rows: no model meets {constraint!r}; loosen it")
    if snapshot.incumbent is not None:
        return
    if snapshot.status is Status.RUNNING:
        raise KeyboardInterrupt
    limit = f"the time limit of {time_limit:g} s" if snapshot.limit == "time" else f"the {snapshot.limit} limit"
    raise ValueError(
        f"{limit} was reached before {what} was found to meet {constraint!r}: loosen it, or raise the limit"
    )


def warn_of_open(snapshot: Snapshot, stacklevel: int) -> None:
    """Tell the proven gap of a search that ended before its proof."""
    best = snapshot.incumbent
    assert best is not None
    if snapshot.status is Status.OPTIMAL or snapshot.limit == "iterations":  # a method that proves nothing was chosen
        return
    if snapshot.limit == "exactness" and snapshot.gap <= _NOTHING * max(1.0, abs(best.objective)):
        return  # of rounding
    found = f"the objective {best.objective:.6g} is proven to be within {at_most(snapshot.gap)} of the optimum"
    if snapshot.limit == "exactness":
        text = f"proven optimal within {at_most(snapshot.gap)}"
    elif snapshot.status is Status.RUNNING:
        text = f"interrupted before a proof: {found}"
    else:
        text = f"the {snapshot.limit} limit was reached before a proof: {found}"
    warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)


def _row(snapshot: Snapshot) -> dict[str, Any]:
    best = snapshot.incumbent
    return {
        "seconds": snapshot.seconds,
        "work": snapshot.work,
        "objective": math.nan if best is None else best.objective,
        "lower_bound": snapshot.lower_bound,
        "gap": math.nan if best is None else snapshot.gap,
        "errors": math.nan if best is None else best.errors,
        "complexity": math.nan if best is None else best.complexity,
        "log10_remaining": snapshot.log10_remaining,
        **{name: snapshot.counts[name] for name in COUNTS if name in snapshot.counts},
    }


try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks

    DEEPER = 1
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """There are no callbacks to support."""

    def _with_callbacks(method: Any) -> Any:  # type: ignore[no-redef]
        """There is nothing to tear down."""
        return method

    DEEPER = 0
"""Calls that ``with_callbacks`` puts between `fit` and who called it, for warnings to name his line."""


def with_callbacks(method: _Method) -> _Method:
    """A method that tears its callbacks down, of its own type: scikit-learn has no types, and `fit` gives Self."""
    made: _Method = _with_callbacks(method)
    return made


class Told:
    """What the callbacks of an estimator are told of its fit; nothing where it has none.

    ``estimator``: its ``models_`` are those of the state that is told, for callbacks that ask for a fitted estimator.
    """

    def __init__(self, estimator: Any, X: Any, y: np.ndarray, sample_weight: Any) -> None:
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._estimator, self._given = estimator, {"X": X, "y": y, "metadata": metadata}
        self._at: Any = None
        if getattr(estimator, "_skl_callbacks", None):
            self._at = estimator._init_callback_context(max_subtasks=None)
            self._at.call_on_fit_task_begin(estimator=estimator, **self._given)

    @contextmanager
    def search(self, name: str) -> Iterator[None]:
        """A search of several, until the block ends."""
        if (above := self._at) is None:
            yield
            return
        self._at = above.subcontext(task_name=name, max_subtasks=None)
        self._at.call_on_fit_task_begin(estimator=self._estimator, **self._given)
        yield
        self._at.call_on_fit_task_end(estimator=self._estimator, **self._given)
        self._at = above

    def state(self, snapshot: Snapshot) -> bool:
        """Tell a state; whether the search is to end with it."""
        if self._at is None:
            return False
        task = self._at.subcontext(task_name="state")
        task.call_on_fit_task_begin(estimator=self._estimator, **self._given)
        whole, best = self._at.parent is None, snapshot.incumbent  # of several classes other models are still to come
        fitted = {"models_": (best.model,)} if whole and best is not None else None
        ends = task.call_on_fit_task_end(estimator=self._estimator, reconstruction_attributes=fitted, **self._given)
        return bool(ends)

    def ending(self, interrupted: Sequence[Any]) -> Callable[[Snapshot], bool]:
        """What is asked of each state: whether the search ends with it, told to or by Ctrl-C."""
        return lambda snapshot: self.state(snapshot) or bool(interrupted)

    def end(self) -> None:
        """The fit has ended."""
        if self._at is not None:
            self._at.call_on_fit_task_end(estimator=self._estimator, reconstruction_attributes={}, **self._given)
