"""The walks, in the order in which they are offered."""

from __future__ import annotations

from ..plan import Plan
from . import branch_and_bound, column_generation, equal_rows, fairness, falling_lists

PLANS: dict[str, Plan] = {
    room.PLAN.name: room.PLAN for room in (branch_and_bound, equal_rows, falling_lists, column_generation, fairness)
}
