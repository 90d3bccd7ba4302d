"""Random lists of a complete count, to be seen beside the best ones; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ...data.metrics import FEW
from ...rule_list import NearOptimalCount
from ...rule_list.near_optimal.traits import traits_of
from ..live.job import Progress
from ..live.wording import count, counted
from .counting import Total
from .finding import Found

SIZE = 2000
"""So many lists are drawn; where there are no more, all are taken."""
_AT_ONCE = 100


@dataclass(frozen=True, eq=False)
class Sample:
    """Near-optimal lists of which each is as likely to be here as any other.

    Attributes
    ----------
    found : Found
    lists : tuple of tuple of int
        Antecedents, in order.
    frame : DataFrame
        One row per list: ``rules``, and ``accuracy`` and ``above`` (the optimum) in per cent.
    n_lists : int
        Of which they are drawn.
    """

    found: Found
    lists: tuple[tuple[int, ...], ...]
    frame: pd.DataFrame
    n_lists: int
    _gaps: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether these are all lists, once each."""
        return self.n_lists <= SIZE and len(self.lists) == self.n_lists

    @property
    def words(self) -> str:
        """What they are."""
        if self.whole:
            return f"all {counted(self.n_lists, 'lists')}"
        return f"{count(len(self.lists))} of all {counted(self.n_lists, 'lists')}, drawn at random"

    def gaps(self, attribute: str, criterion: str) -> np.ndarray:
        """The gap between the groups of an attribute for each list, in per cent."""
        asked = (attribute, criterion)
        if asked not in self._gaps:
            traits = traits_of(self.found.result.problem, self.lists, self.found.masses(attribute))
            self._gaps[asked] = 100 * traits.gaps(criterion, FEW)
        return self._gaps[asked]


def draw(found: Found, total: Total, progress: Progress, size: int = SIZE) -> Sample:
    """Draw lists from a complete count; a cancelled drawing gives those that were drawn by then.

    Parameters
    ----------
    found : Found
    total : Total
        A complete count within the same distance.
    progress : Progress
    size : int
        Lists to draw.
    """
    result = total.result
    assert isinstance(result, NearOptimalCount)
    if result.n_lists <= size:
        frame = result.top(max(1, result.n_lists))
    else:
        parts = []
        for k in range(-(-size // _AT_ONCE)):
            parts.append(result.sample(min(_AT_ONCE, size - k * _AT_ONCE), random_state=k))
            progress.doing = f"drawing random lists: {count((k + 1) * _AT_ONCE)}"
            if progress.cancelled:
                break
        frame = pd.concat(parts, ignore_index=True)
    shown = pd.DataFrame(
        {
            "rules": frame["rules"],
            "accuracy": 100 * (1 - frame["errors"] / result.problem.total_weight),
            "above": 100 * frame["gap"] / result.optimum if result.optimum else 0.0,
        }
    )
    return Sample(found, tuple(map(tuple, frame["list"])), shown, result.n_lists)
