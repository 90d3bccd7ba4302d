"""The runs of a session of the page: of each what it was set to, what it came to, and its curves, thinned out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....families import MEMORY, NAMING, TIME, Parameter, record_of
from ....families.criteria import in_words
from ....families.typed import written
from ....recording import primal_dual_integral
from ....snapshot import Snapshot
from ...forms.controls import shown
from ...live.history import Mark
from ...live.prepared import Prepared
from ...live.session import SearchSession
from ...live.wording import standing
from ...widgets.esc import plain
from ..plots.base import Columns
from ..plots.curves import AXES, curve_columns, tree_begins

MOST_RUNS = 12
MOST_POINTS = 160
"""Of a pale curve."""
_CURVES = ("objective", "lower_bound")


@dataclass(eq=False)
class PastRun:
    """A run that may be over."""

    number: int  # from 1, in the order in which runs began
    # runs of equal keys look for the same kind of model on the same rows, so that their curves compare
    key: tuple[Any, ...]
    settings: Mapping[str, str]  # all of them in words
    family: str
    snapshot: Snapshot  # its last state
    said: str = ""  # how it stands, in words
    integral: float = 0.0  # primal-dual integral over work
    # points of objective and lower bound, and where they are on each axis
    curves: Columns = field(default_factory=dict)
    variant: str = ""  # in an ablation: what it went without
    basis: PastRun | None = None

    @property
    def name(self) -> str:
        """What it is called where one points at its curve."""
        return " · ".join(filter(None, (f"Run {self.number}", self.variant, self.said)))


class Runs:
    """What is kept of the last `MOST_RUNS` runs."""

    def __init__(self) -> None:
        self._kept: deque[PastRun] = deque(maxlen=MOST_RUNS)
        self.present: PastRun | None = None  # the run of the session that is on the page
        self._began = 0
        self._seen: tuple[Any, ...] = ()
        self._resting: SearchSession | None = None

    def __iter__(self) -> Iterator[PastRun]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def follow(self, session: SearchSession, rests: bool, variant: str = "", basis: PastRun | None = None) -> bool:
        """Keep the present run as it stands, where it is over or ``rests``; whether anything has changed.

        `rests`: whether it will not go on: it is reset, or replaced by another one. How it ends then does not count.
        `variant`: in an ablation: what it goes without. `basis`: in an ablation: the run with everything.
        """
        snapshot, prepared, over = session.snapshot, session.prepared, session.state.over or rests
        if snapshot is None or prepared is None or not over or session is self._resting:
            return False
        if (session, snapshot, session.state) == self._seen:
            return False
        self._resting = session if rests else None
        self._seen = (session, snapshot, session.state)
        run = self.present
        if run is None:
            self._began += 1
            settings, key = settings_in_words(session), key_of(session.look, prepared)
            run = PastRun(self._began, key, settings, prepared.search.family, snapshot, variant=variant, basis=basis)
            self.present = run
            self._kept.append(run)
        snapshots, _, _ = session.history.since(Mark())
        run.snapshot = snapshot
        run.said = standing(session).phase.split(": no ")[0] if session.state.over else "reset before its end"
        run.integral = primal_dual_integral(snapshots, "work")
        run.curves = thinned(snapshots)
        return True

    def leave(self, run: PastRun | None = None) -> None:
        """Another run comes to be the present one: one that was kept before, or a new one."""
        self.present, self._seen, self._resting = run, (), None

    def beneath(self, look: str, prepared: Prepared | None) -> list[PastRun]:
        """Those whose curves lie beneath those of the present search; while it is not made, the last run tells."""
        last = self._kept[-1].key if self._kept else ()
        key = last if prepared is None and last[:1] == (kind_of(look),) else key_of(look, prepared)
        return [run for run in self._kept if run is not self.present and run.key == key]


def kind_of(look: str) -> str:
    """What a kind of search has in common with one for fair models."""
    return look.removeprefix("fair_")


def key_of(look: str, prepared: Prepared | None) -> tuple[Any, ...]:
    """What runs have in common whose curves compare: the kind of search, and the rows."""
    if prepared is None:
        return ()
    problem = prepared.search.problem
    rows = float(problem.total_weight), float(problem.total_positive or 0)
    return (kind_of(look), prepared.name, prepared.target, *rows)


def thinned(snapshots: Sequence[Snapshot], most: int = MOST_POINTS) -> Columns:
    """The points of a run's curves where one of them moves; of many that are alike only some, but always both ends."""
    columns = curve_columns(snapshots, {}, tree_begins(snapshots))
    pairs = list(zip(*(columns[name] for name in _CURVES), strict=True))
    moved = [k for k, pair in enumerate(pairs) if not k or repr(pair) != repr(pairs[k - 1])]
    found = [k for k in moved if not k or repr(pairs[k][0]) != repr(pairs[k - 1][0])]
    stride = max(1, -(-len(moved) // max(1, most - len(found))))
    kept = sorted({*moved[::stride], *found[-most:], *([len(pairs) - 1] if pairs else [])})
    return {name: [columns[name][k] for k in kept] for name in (*AXES.values(), *_CURVES)}


DATA, FAMILY, BOUNDS = "Data set", "Model family", "Bounds in use"


def settings_in_words(session: SearchSession) -> dict[str, str]:
    """Names and values of all settings of a run whose search is made."""
    prepared = session.prepared
    assert prepared is not None
    search, recipe = prepared.search, prepared.recipe
    values: dict[str, Any] = {**getattr(recipe, "parameters", {}), **search.parameters}
    record = record_of(search.kind, search.family)
    said = {FAMILY: record.called}
    if prepared.data is not None:
        said[DATA] = plain(prepared.name, 60)
        said["Test share"] = f"{getattr(recipe, 'test_share', 0):g}"
        said["Sensitive attribute"] = plain(getattr(recipe, "sensitive", None) or "none", 60)
    if "bounds" in values:
        said[BOUNDS] = _bounds(values["bounds"])
    own = (each for each in record.parameters if each.name in values)
    said |= {each.title: value_in_words(each, values[each.name]) for each in own}
    if not session.recorded:
        said[TIME.title] = value_in_words(TIME, session.limits.seconds)
    return said


def value_in_words(parameter: Parameter, value: Any) -> str:
    """A value of a parameter as the form shows it."""
    if value is None:
        return "none" if parameter.kind == "criterion" else parameter.none
    if parameter.kind == "criterion":
        return in_words(value)
    if parameter.kind == "switch":
        return "yes" if value else "no"
    if parameter.choices:
        said = dict(zip(parameter.choices, parameter.said, strict=True)) if parameter.said else {}
        return said.get(value, plain(value, 60).replace("_", " "))
    if parameter.kind in NAMING:
        return plain(written(parameter.kind, value), 60) or parameter.none
    return shown(parameter, value) if isinstance(value, int | float) or parameter is MEMORY else plain(value, 60)


def differing(settings: list[Mapping[str, str]]) -> list[dict[str, str]]:
    """Of several runs' settings those that are not the same in all that have them."""
    names = dict.fromkeys(name for one in settings for name in one)
    apart = [name for name in names if len({one[name] for one in settings if name in one}) > 1]
    return [{name: one[name] for name in apart if name in one} for one in settings]


def _bounds(bounds: Any) -> str:
    if bounds is None:
        return "all"
    switches = bounds if isinstance(bounds, Mapping) else vars(bounds)
    left_out = [name.replace("_", " ") for name, used in switches.items() if not used]
    return "all" if not left_out else f"without {', '.join(left_out)}"
