"""What an enumeration of near-optimal rule lists found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ...models import RuleList
from ...near_models import NearModels


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimal(NearModels):
    """The near-optimal models, best first. A model stands for all lists that predict alike on the training patterns.

    Attributes
    ----------
    problem : Problem
    regularization : float
    optimum, threshold : float
        The least objective, and the largest that counts as near-optimal.
    lists : tuple of tuple of int
        For each model the antecedents of its cheapest list, in order.
    objectives : float array
        Of these lists, ascending.
    errors : int or float array
        Training errors of these lists.
    multiplicity : int array
        Near-optimal lists that are this model.
    count : int
        Models found.
    n_lists : int
        Near-optimal lists found; 2^62 stands for that many or more.
    complete : bool
        Whether everything up to the threshold was found; otherwise the numbers are of what was found.
    truncated : str or None
        Why not: "limit", "time" or "memory"; "stopped" when the enumeration was left early.
    covered : float
        All lists with a smaller objective were found.
    antecedents : DataFrame
        The antecedents that occur, by index: ``name``, ``models`` (whose shown list has it), ``lists`` (that have it),
        ``share`` of all near-optimal lists, ``objective`` (the least of a list that has it), ``aliases`` (indices of
        antecedents that hold for the same training rows, and could take its place).
    by_gap : DataFrame
        Histogram of objective - optimum: ``gap_from``, ``gap_to``, ``models``, ``lists``, ``complete``.
    work : int
        Prefixes expanded, by the search for the optimum and by the enumeration.
    """

    regularization: float
    lists: tuple[tuple[int, ...], ...]
    n_lists: int
    antecedents: pd.DataFrame

    @property
    def _forms(self) -> str:
        return f"{self.n_lists} lists"

    @cached_property
    def models(self) -> tuple[RuleList, ...]:
        """The models, best first, each as its cheapest list; built when first asked for."""
        return tuple(RuleList.from_problem(self.problem, antecedents) for antecedents in self.lists)

    def frame(self) -> pd.DataFrame:
        """One row per model: rules, errors, objective, gap, multiplicity, the names of the rules' antecedents."""
        names = self.problem.names
        return pd.DataFrame(
            {
                "rules": [len(antecedents) for antecedents in self.lists],
                "errors": self.errors,
                "objective": self.objectives,
                "gap": self.gaps,
                "lists": self.multiplicity,
                "antecedents": [tuple(names[j] for j in antecedents) for antecedents in self.lists],
            }
        )
