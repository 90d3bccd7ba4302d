"""A finished count: the states that near-optimal lists pass through, and the tables of their lists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..costs import Costs
from .state import Passing, Tables
from .tables import States, begun, passing
from .walking import Walk


@dataclass(frozen=True, eq=False)
class Counted:
    """The states and their completions, and what their numbers stand for.

    Attributes
    ----------
    states : States
    ended : Tables
        The completions of each state.
    costs : Costs
    representatives, groups, slots : int array
        See `rulelab.rule_list.near_optimal.base.NearSearch`.
    """

    states: States
    ended: Tables
    costs: Costs
    representatives: np.ndarray
    groups: np.ndarray
    slots: np.ndarray

    @cached_property
    def passing(self) -> Passing:
        """The lists through each rule of each state."""
        return passing(self.states, begun(self.states, self.ended), self.ended)

    @cached_property
    def walk(self) -> Walk:
        return Walk(self.states, self.ended)
