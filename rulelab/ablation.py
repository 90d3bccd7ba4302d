"""What the bounds of a search are worth: each left out once, or added one after the other to the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import pandas as pd

from .arguments import short
from .recording import primal_dual_integral
from .rule_list import CorelsBounds, CorelsSearch, RuleListSearch
from .shown import Fact, Shown, rows_below
from .snapshot import Snapshot, Status
from .stepping import Search

AS_SET = "as set"
ALIKE = "× 1 says that the other bounds cut the same, not that a bound is worth nothing"
SAME_WITHIN = 1e-9  # of an objective: every way to cut has to end with the same
STEPS: dict[str, tuple[str, ...]] = {
    "errors so far": ("hierarchical",),
    "lookahead": ("lookahead",),
    "number of rules": ("a_priori_length", "incumbent_length", "prefix_length"),
    "support": ("support", "accurate_support", "excessive_support", "rejection_propagation"),
    "equal rows": ("equivalent_points",),
    "symmetry": ("dominance", "commuting", "permutation", "equivalent_support", "similar_support"),
}
"""The bounds of `rulelab.engines.CorelsBounds` in the order in which the papers come to them."""
_STARTS = {"beam_width": "the first beam search", "iterations": "the first random lists"}
"""Parameters of searches with bounds, which 0 leaves out as well."""


@dataclass(frozen=True)
class Variant:
    """A way to run a search: "as set", "without lookahead" or "+ lookahead", and the arguments that are other ones."""

    name: str
    changed: Mapping[str, Any]

    def of(self, search: Search) -> Search:
        """The search from its beginning, run this way."""
        return type(search)(search.problem, **{**search.parameters, **self.changed})


@dataclass(frozen=True)
class Outcome:
    """How a variant ended; ``integral``: see `rulelab.Recording.primal_dual_integral`, over work."""

    variant: Variant
    snapshot: Snapshot
    integral: float


def variants(search: Search, added: bool = False) -> tuple[Variant, ...]:
    """The search as it is, then without each of the bounds that it uses, and without what it begins with.

    Or, ``added``, with the first of `STEPS` alone, then with one more each time. Raises ValueError when there are none.
    """
    bounds = getattr(search, "bounds", None)
    if added:
        if not isinstance(bounds, CorelsBounds):
            raise ValueError("bounds are added one by one to the search of the paper: give a CorelsSearch")
        parts = list(STEPS.items())
        later = [sum((part for _, part in parts[k:]), ()) for k in range(1, len(parts))]
        names = [f"{'+ ' if k else ''}{name}" for k, (name, _) in enumerate(parts)]
        return (
            Variant(AS_SET, {}),
            *(Variant(name, {"bounds": _less(bounds, *off)}) for name, off in zip(names, later, strict=False)),
        )
    if not is_dataclass(bounds):
        raise ValueError("this kind of search has no bounds that could be left out one by one")
    used = [each.name for each in fields(bounds) if getattr(bounds, each.name) is True]
    without = [Variant(f"without {name.replace('_', ' ')}", {"bounds": _less(bounds, name)}) for name in used]
    starts = [Variant(f"without {what}", {name: 0}) for name, what in _STARTS.items() if search.parameters.get(name)]
    if not without + starts:
        raise ValueError("all bounds of this search are left out already")
    return (Variant(AS_SET, {}), *without, *starts)


def of_the_paper(search: Search) -> CorelsSearch:
    """The search of the CORELS paper for the same list. Raises ValueError when that one cannot look for it."""
    if not isinstance(search, RuleListSearch) or search.max_length is not None:
        raise ValueError("the search of the paper is for rule lists of two classes, and has no most number of rules")
    given: dict[str, Any] = {
        name: getattr(search, name) for name in ("regularization", "policy", "memory_limit", "random_state")
    }
    return CorelsSearch(search.problem, **given)


def contradiction(outcomes: Iterable[tuple[str, Snapshot]]) -> str:
    """Which of several searches for the same optimum prove different ones, in words: empty as long as all is well."""
    proven = [
        (name, each.incumbent.objective)
        for name, each in outcomes
        if each.status is Status.OPTIMAL and each.incumbent is not None
    ]
    for name, objective in proven[1:]:
        first, expected = proven[0]
        if abs(objective - expected) > SAME_WITHIN * max(1.0, abs(expected)):
            return (
                f"the search {first} proves {expected!r} optimal, {name} {objective!r}: no bound may change the "
                "optimum, so this is a defect of rulelab; please report it"
            )
    return ""


class Ablation(Shown):
    """A search run again without each of its bounds, one after the other.

    Parameters
    ----------
    search : Search
        One with bounds, such as a `rulelab.RuleListSearch`. It is not advanced: its problem and parameters are taken.
    added : bool
        Of a `rulelab.CorelsSearch`: begin with the errors of the prefix as the only bound, and add the others in the
        order in which the papers come to them; the run with all of them is the first.

    Attributes
    ----------
    added : bool
    variants : tuple of Variant
    outcomes : list of Outcome
        Of the variants that have been run.

    Raises
    ------
    TypeError
        When ``search`` is no search.
    ValueError
        When it has no bounds to leave out or to add.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]], [0, 1, 1, 0])
    >>> ablation = rl.Ablation(rl.CorelsSearch(problem, 0.1))
    >>> statuses = {str(outcome.snapshot.status) for outcome in ablation.steps(time_limit=10)}
    >>> statuses, len(ablation.frame) > 1
    ({'optimal'}, True)
    """

    def __init__(self, search: Search, added: bool = False) -> None:
        if not isinstance(search, Search):
            raise TypeError(f"search must be a rulelab search, such as a RuleListSearch, not {short(search)}")
        self._search = search
        self.added = added
        self.variants = variants(search, added)
        self.outcomes: list[Outcome] = []

    def _facts(self) -> Iterator[Fact]:
        yield "of", type(self._search).__name__
        yield "variants run", f"{len(self.outcomes)} of {len(self.variants)}"
        yield "contradiction", self.contradiction or None

    def _below(self) -> str:
        return rows_below(self.frame, most=20) if self.outcomes else ""

    def steps(self, **limits: Any) -> Iterator[Outcome]:
        """Run each variant that has not been run yet; each has the limits of `rulelab.steps` to itself.

        Parameters
        ----------
        **limits
            Of `rulelab.steps`: ``work_per_step``, ``time_limit``, ``gap``, ``work_limit``, ``verbose``.
        """
        for variant in self.variants[len(self.outcomes) :]:
            seen = list(variant.of(self._search).steps(**limits))
            self.outcomes.append(Outcome(variant, seen[-1], primal_dual_integral(seen, "work")))
            yield self.outcomes[-1]

    @property
    def contradiction(self) -> str:
        """What is wrong with the proofs of the variants taken together; empty: nothing, as it has to be."""
        return contradiction((each.variant.name, each.snapshot) for each in self.outcomes)

    @property
    def frame(self) -> pd.DataFrame:
        """A row per variant that was run.

        Returns
        -------
        DataFrame
            variant, status, limit, objective, lower_bound, gap, work, nodes, seconds, primal_dual_integral (over work),
            and nodes_factor and seconds_factor: how many times those of the first row.
        """
        frame = pd.DataFrame([_row(each) for each in self.outcomes], columns=_COLUMNS)
        for name in ("nodes", "seconds") if len(frame) else ():
            first = float(frame[name].iat[0])
            frame[f"{name}_factor"] = frame[name] / first if first else float("nan")
        return frame


_COLUMNS = (
    "variant", "status", "limit", "objective", "lower_bound", "gap", "work", "nodes", "seconds",
    "primal_dual_integral", "nodes_factor", "seconds_factor",
)  # fmt: skip


def _row(each: Outcome) -> dict[str, Any]:
    now = each.snapshot
    return {
        "variant": each.variant.name,
        "status": str(now.status),
        "limit": now.limit,
        "objective": float("nan") if now.incumbent is None else now.incumbent.objective,
        **{name: getattr(now, name) for name in ("lower_bound", "gap", "work", "seconds")},
        "nodes": nodes_of(now),
        "primal_dual_integral": each.integral,
    }


def nodes_of(snapshot: Snapshot) -> int:
    """What a search has made: prefixes, which are cut, expanded or queued, or nodes of pricing."""
    return snapshot.made if "created" in snapshot.counts else int(snapshot.counts.get("pricing_nodes", 0))


def _less(bounds: Any, *names: str) -> Any:
    """The bounds without some of them."""
    return replace(bounds, **dict.fromkeys(names, False))
