"""How a session stands, in words and figures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..search import Snapshot, Status
from .session import SearchSession, State

NONE = "\u2013"
"""What is shown where there is no number yet."""
_THIN = "\u202f"
_NAMES = {"rule_list": "rule list", "falling_rule_list": "falling rule list", "rule_set": "rule set"}
_LIMITS = {"time": "time", "gap": "gap", "work": "work", "memory": "memory"}
_ENGINE_PHASES = {
    "reducing": "searching: reducing the problem",
    "incumbent": "searching: beam search for a first list",
    "searching": "searching: branch and bound",
}


@dataclass(frozen=True)
class Standing:
    """What the status line says.

    Attributes
    ----------
    tone : str
        ``idle``, ``busy``, ``paused``, ``proven``, ``limit`` or ``failed``.
    phase : str
    figures : list of (str, str)
        Names and values.
    """

    tone: str
    phase: str
    figures: list[tuple[str, str]]


def standing(session: SearchSession) -> Standing:
    """Describe a session."""
    tone, phase = _phase(session)
    waiting = session.waiting
    if waiting and session.state.busy:
        phase += f" (sharing the processors, {waiting} in line)"
    return Standing(tone, phase, [] if session.snapshot is None else figures(session.snapshot))


def figures(snapshot: Snapshot) -> list[tuple[str, str]]:
    """The numbers that are always watched, with their names."""
    best = snapshot.incumbent
    return [
        ("objective", NONE if best is None else objective(best.objective)),
        ("lower bound", objective(snapshot.lower_bound)),
        ("gap", gap(snapshot)),
        ("nodes", count(snapshot.counts.get("created", 0))),
        ("expanded", count(snapshot.counts.get("expanded", 0))),
        ("queue", count(snapshot.counts.get("queued", sum(snapshot.queue_by_length)))),
        ("log10 remaining", remaining(snapshot)),
        ("search time", f"{snapshot.seconds:.1f} s"),
    ]


def _phase(session: SearchSession) -> tuple[str, str]:
    state, snapshot = session.state, session.snapshot
    if state is State.IDLE:
        return "idle", "ready: press Run, or Step"
    if state is State.PREPARING:
        return "busy", session.doing or "preparing"
    if state is State.COMPILING:
        return "busy", "compiling the search: once per machine, some seconds"
    if state is State.FAILED:
        return "failed", "failed: the message says why"
    if state is State.PAUSED:
        return "paused", "paused"
    if snapshot is None:
        return "limit", "stopped before the search began"
    if state is State.RUNNING:
        return "busy", _ENGINE_PHASES.get(snapshot.phase, "searching")
    kind = _NAMES.get(session.search.family, "model") if session.search else "model"
    if snapshot.status is Status.OPTIMAL:
        return "proven", f"certified optimal: no {kind} over these antecedents has a smaller objective"
    if snapshot.status is Status.INFEASIBLE:
        return "proven", f"certified infeasible: no {kind} meets the constraints"
    why = "stopped" if state is State.STOPPED else _LIMITS.get(snapshot.limit or "", "search")
    return "limit", f"limit reached ({why}): proven to be within {gap(snapshot)} of the optimum"


def objective(value: float) -> str:
    return f"{value:.4f}"


def gap(snapshot: Snapshot) -> str:
    if not math.isfinite(snapshot.gap):
        return NONE
    return "0" if snapshot.status is Status.OPTIMAL else f"{max(snapshot.gap, 0.0):.4f}"


def remaining(snapshot: Snapshot) -> str:
    """log10 of the evaluations that are left at most."""
    if snapshot.status is Status.OPTIMAL:
        return "none left"
    return NONE if not math.isfinite(snapshot.log10_remaining) else f"{snapshot.log10_remaining:.1f}"


def count(value: int | float) -> str:
    """A count with thin spaces between the thousands; a weight with up to six digits."""
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.6g}"
    return f"{int(value):,}".replace(",", _THIN)
