"""What to search: from a data set to a search, in one frozen description that a worker can carry out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..antecedents import Antecedents, mine_antecedents
from ..binarize import Binarizer
from ..datasets import Dataset
from ..problem import Problem
from ..rule_list import BOUNDS, RuleListBounds, RuleListSearch
from ..search import solve
from .session import Prepared
from .words import count

MAX_CELLS = 10_000_000
"""Largest table on the page, in rows x columns."""
MAX_BITS = 4_000_000_000
"""Largest set of antecedents on the page, in rows x antecedents (packed: 500 MB)."""


@dataclass(frozen=True)
class Recipe:
    """A data set and all that is done with it.

    Attributes
    ----------
    load : callable
        Gives the Dataset.
    quantiles : int
        Groups of each numeric column.
    negations : bool
        Whether categories are negated too.
    max_conditions : int
    min_support, max_support : float
        Fractions of the rows.
    regularization : float
    policy : str
    beam : bool
        Whether a beam search finds a first list.
    bounds : tuple of str
        Those that are used; see `rulelab.rule_list.BOUNDS`.
    memory_megabytes : float
    """

    load: Callable[[], Dataset]
    quantiles: int = 10
    negations: bool = True
    max_conditions: int = 2
    min_support: float = 0.01
    max_support: float = 0.99
    regularization: float = 0.01
    policy: str = "lower_bound"
    beam: bool = True
    bounds: tuple[str, ...] = BOUNDS
    memory_megabytes: float = 1000.0

    def __call__(self, report: Callable[[str], None]) -> Prepared:
        """Load, binarize, mine and set up the search; raises ValueError with a message for the user."""
        report("reading the data")
        data = self.load()
        _refuse_large(data)
        report(f"binarizing {count(data.X.shape[1])} columns")
        binarizer = Binarizer(thresholds=self.quantiles, negations=self.negations)
        features = binarizer.fit_transform(data.X)
        report(f"mining antecedents of up to {self.max_conditions} of {count(features.shape[1])} conditions")
        antecedents = mine_antecedents(
            features,
            max_conditions=self.max_conditions,
            min_support=self.min_support,
            max_support=self.max_support,
            max_antecedents=MAX_BITS // len(features),
        )
        report("merging equal rows")
        search = RuleListSearch(
            Problem.from_antecedents(antecedents, data.y),
            regularization=self.regularization,
            policy=self.policy,
            bounds=RuleListBounds(**{name: name in self.bounds for name in BOUNDS}),
            memory_limit=_bytes(self.memory_megabytes),
            beam_width=500 if self.beam else 0,
        )
        if not search.compiled:
            report("compiling the search: once per machine, some seconds")
            _compile(self.beam)
        return Prepared(
            search,
            labels=(data.negative, data.positive),
            target=str(data.target),
            name=data.name,
            notes=(_about(data), *_mined(antecedents, search), *_left_out(binarizer)),
        )


def _compile(beam: bool) -> None:
    """Let a tiny search go through all kernels, so that the clock of the real one counts no compilation."""
    tiny = Problem.from_counts([[0, 1], [1, 0], [1, 1], [0, 0]], [9, 0, 1, 2], [0, 9, 2, 1])
    solve(RuleListSearch(tiny, regularization=0.01, beam_width=2 if beam else 0))


def _refuse_large(data: Dataset) -> None:
    rows, columns = data.X.shape
    if rows * columns > MAX_CELLS:
        raise ValueError(
            f"{data.name} has {count(rows * columns)} cells ({count(rows)} rows x {count(columns)} columns), more than "
            f"the {count(MAX_CELLS)} that the page takes; use the library, which has no limit"
        )


def _bytes(megabytes: float) -> int:
    if not 1 <= megabytes < 1e9:
        raise ValueError(f"the memory limit must be at least 1 MB, not {megabytes:g}")
    return int(megabytes * 1e6)


def _about(data: Dataset) -> str:
    rows, columns = data.X.shape
    positive = int(data.y.sum())
    return (
        f"{count(rows)} rows, {count(columns)} columns; {data.target} is {data.positive} "
        f"in {count(positive)} ({100 * positive / rows:.0f} %)"
    )


def _mined(antecedents: Antecedents, search: RuleListSearch) -> tuple[str, str]:
    reasons = ", ".join(f"{count(n)} {reason}" for reason, n in antecedents.dropped.items() if n)
    dropped = sum(antecedents.dropped.values())
    problem = search.problem
    return (
        f"{count(len(antecedents))} antecedents mined from {count(len(antecedents.features))} conditions, "
        + (f"{count(dropped)} dropped: {reasons}" if dropped else "none dropped"),
        f"{count(problem.n_rows)} rows merged into {count(problem.n_patterns)} patterns",
    )


def _left_out(binarizer: Binarizer) -> tuple[str, ...]:
    left_out = binarizer.dropped_
    if not left_out:
        return ()
    shown = "; ".join(f"{what}: {why}" for what, why in left_out[:3])
    return (f"{count(len(left_out))} not binarized: {shown}" + ("; …" if len(left_out) > 3 else ""),)
