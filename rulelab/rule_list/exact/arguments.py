"""What a search for rule lists accepts."""

from __future__ import annotations

from typing import Any

from ...arguments import is_whole, require
from ...data.problem import Problem
from .. import beam as beams
from ..bounds import RuleListBounds
from ..costs import require_regularization
from . import state
from .parallel.threads import check_jobs

POLICIES = {
    "lower_bound": state.LOWER_BOUND_FIRST,
    "objective": state.OBJECTIVE,
    "curiosity": state.CURIOSITY,
    "breadth_first": state.BREADTH_FIRST,
    "depth_first": state.DEPTH_FIRST,
    "random": state.RANDOM_ORDER,
}


def check(
    problem: Any,
    regularization: Any,
    policy: Any,
    bounds: Any,
    max_length: Any,
    memory_limit: Any,
    random_state: Any,
    beam_width: Any,
    n_jobs: Any = None,
) -> None:
    """Refuse what cannot be searched with. Raises ValueError."""
    require(
        ("problem", problem, isinstance(problem, Problem), "a rulelab.Problem"),
        ("policy", policy, isinstance(policy, str) and policy in POLICIES, f"one of {', '.join(POLICIES)}"),
        ("bounds", bounds, bounds is None or isinstance(bounds, RuleListBounds), "a RuleListBounds or None"),
        ("max_length", max_length, max_length is None or is_whole(max_length, 0), "an integer >= 0 or None"),
        ("memory_limit", memory_limit, memory_limit is None or is_whole(memory_limit, 1), "bytes > 0 or None"),
        ("random_state", random_state, random_state is None or is_whole(random_state, 0), "an integer or None"),
        ("beam_width", beam_width, is_whole(beam_width, 0), "an integer >= 0"),
    )
    check_jobs(n_jobs)
    require_regularization(problem, regularization)
    widest = beams.widest(problem, 0.5 / regularization)
    require(("beam_width", beam_width, beam_width <= widest, f"at most {widest} for this problem"))
