"""scikit-learn's callbacks, from 1.9 on: each search of a fit is a task, and so is each state, which may end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from ..snapshot import Snapshot

_Method = TypeVar("_Method", bound=Callable[..., Any])

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

    Parameters
    ----------
    estimator : CertifiedClassifier
        Its ``models_`` are those of the state that is told, for callbacks that ask for a fitted estimator.
    X, y : as given to ``fit``
    sample_weight : array or None
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
