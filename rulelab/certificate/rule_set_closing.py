"""Whether some set of given rules costs less than a model: an exact branch and bound on dual values."""

from __future__ import annotations

import numpy as np

from .certificate import CertificateError

MOST_CELLS = 20_000_000_000
"""Most cells of columns and patterns that are looked at, some ten seconds of work."""


class Closing:
    """Search for a set of columns of total cost at most ``slack`` above the dual bound.

    With dual values t, a price p per unit of complexity, and reduced costs rho >= 0 of the columns, a set costs exactly

        sum t - p C  +  p (C - its complexity) + sum of its rho
                     +  sum of t over patterns, once for each time more than one that they are covered
                     +  sum of (limit - t) over the patterns that it does not cover, limit being their cost,

    and all these terms but the first are at least 0. A set that costs less than the model keeps their sum within the
    slack; while columns are added one by one, the sum so far only grows.

    Parameters
    ----------
    covered : bool array, shape (n_columns, n_patterns)
    complexity, reduced : int64 array, shape (n_columns,)
    dual, limit : int64 array, shape (n_patterns,)
    price, slack, max_complexity : int
    """

    def __init__(
        self,
        covered: np.ndarray,
        complexity: np.ndarray,
        reduced: np.ndarray,
        dual: np.ndarray,
        limit: np.ndarray,
        price: int,
        slack: int,
        max_complexity: int,
    ) -> None:
        order = np.lexsort((complexity, reduced))
        signatures, kind = np.unique(covered[order], axis=1, return_inverse=True)
        self.covered = signatures
        self.complexity, self.reduced = complexity[order], reduced[order]
        self.dual, self.missed = (_sums(kind.ravel(), values, signatures.shape[1]) for values in (dual, limit - dual))
        self.price, self.slack, self.max_complexity = price, slack, max_complexity
        self.nodes = self._cells = 0

    def finds_better(self) -> bool:
        """Whether there is a set within the slack.

        Raises
        ------
        CertificateError
            When that takes more than `MOST_CELLS`.
        """
        nothing = np.zeros(self.covered.shape[1], dtype=bool)
        return self._extend(nothing, 0, 0, np.arange(len(self.complexity)))

    def _extend(self, once: np.ndarray, spent: int, used: int, columns: np.ndarray) -> bool:
        """Whether a set within the slack has the chosen columns and some of the given ones."""
        self.nodes += 1
        self._cells += len(columns) * self.covered.shape[1]
        if self._cells > MOST_CELLS:
            raise CertificateError(
                f"the closing step was given up after {self.nodes} sets of rules: the dual values prove too little"
            )
        overlap = self.covered[columns][:, once] @ self.dual[once]
        extra = self.reduced[columns] + overlap
        fits = (spent + extra <= self.slack) & (used + self.complexity[columns] <= self.max_complexity)
        columns, extra = columns[fits], extra[fits]
        if spent + self.missed[~once].sum() + self.price * (self.max_complexity - used) <= self.slack:
            return True
        reachable = once | self.covered[columns].any(axis=0)
        unused = max(0, self.max_complexity - used - int(self.complexity[columns].sum()))
        if spent + self.missed[~reachable].sum() + self.price * unused > self.slack:
            return False
        for k, column in enumerate(columns):
            more = self._extend(
                once | self.covered[column],
                spent + int(extra[k]),
                used + int(self.complexity[column]),
                columns[k + 1 :],
            )
            if more:
                return True
        return False


def _sums(kind: np.ndarray, values: np.ndarray, n_kinds: int) -> np.ndarray:
    out = np.zeros(n_kinds, dtype=np.int64)
    np.add.at(out, kind, values)
    return out
