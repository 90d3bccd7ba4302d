"""How a session stands, in words and figures, and HTML of templates, in which all text is escaped."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from ... import shown
from ...arguments import Text
from ...assets import FOLDER, texts
from ...families import EVERY, EVERY_FAMILY, MEMORY, TIME, Family
from ...families.typed import SIGNS
from ...families.wording import adding_up, at_least
from ...report import Known, report
from ...shown import difference, digits, share, signed
from ...snapshot import Snapshot, Status
from ..widgets.esc import esc, plain
from .session import SearchSession
from .state import State

NONE = "\u2013"
"""What is shown where there is no number yet."""
EARLIER = "With the earlier settings: "  # what was found, where something else is asked now
_NOTHING_YET = [(name, NONE) for name in ("objective", "lower bound", "gap")]
"""Figures that keep their place before there are any."""
_THIN = "\u202f"
_OPERATOR = re.compile(f" ({'|'.join(SIGNS)}) ")
_ENGINE_PHASES = texts("phases")
_STANDING = {
    State.IDLE: ("idle", "ready: press Run, or Step"),
    State.COMPILING: ("busy", "compiling the search: once per machine, up to a minute"),
    State.FAILED: ("failed", "failed: the message says why"),
    State.PAUSED: ("paused", "paused"),
}
_BEST_OF_ALL = "searching: the best model of all, to begin with"
_FIRST = texts("first phases")


@dataclass(frozen=True)
class Standing:
    """What the status line says."""

    tone: str  # ``idle``, ``busy``, ``paused``, ``proven``, ``limit`` or ``failed``
    phase: str
    figures: list[tuple[str, str]]  # names and values


def standing(session: SearchSession) -> Standing:
    """Describe a session."""
    tone, phase = _phase(session)
    if tone == "proven" and session.prepared is not None and (fewer := session.prepared.fewer):
        phase += f"; {fewer.partition(':')[0]}"
    best = None if session.snapshot is None else session.snapshot.incumbent
    if tone == "proven" and best is not None and (same := Known(best.model).sameness):
        tone, phase = "idle", f"{same}; {phase}"
    waiting = session.waiting
    if waiting and session.state.busy:
        phase += f" (sharing the processors, {waiting} in line)"
    family = "rule_list" if session.search is None else session.search.family
    return Standing(tone, phase, _NOTHING_YET if session.snapshot is None else figures(session.snapshot, family))


def figures(snapshot: Snapshot, family: str = "rule_list") -> list[tuple[str, str]]:
    """The numbers that are always watched, with their names."""
    best, impossible = snapshot.incumbent, snapshot.status is Status.INFEASIBLE
    found, gap, low = NONE, NONE, snapshot.lower_bound
    bound = NONE if impossible else objective(float(at_least(low)), family)
    if best is not None:
        found, bound, gap = together(
            best.objective, best.objective if snapshot.status is Status.OPTIMAL else low, family
        )
    return [
        ("objective", found),
        ("lower bound", bound),
        ("gap", gap),
        *_FIGURES.get(family, _list_figures)(snapshot),
        ("search time", duration(snapshot.seconds)),
    ]


def _list_figures(snapshot: Snapshot) -> list[tuple[str, str]]:
    first, counts = snapshot.sought_first, snapshot.counts
    queued = counts.get("queued", sum(snapshot.queue_by_length))
    made: tuple[int, ...] = (snapshot.made, sum(snapshot.pruned.values()), counts.get("expanded", 0), queued)
    if first and (first["running"] or first["suffices"]):  # all that was done was done to find the best list of all
        parts = [first.get(name, 0) for name in ("cut", "expanded", "queued")]
        made = (sum(parts), *parts)
    named = zip(("made", "cut", "expanded", "queue"), made, strict=True)
    return [(name, count(n)) for name, n in named]


def _falling_figures(snapshot: Snapshot) -> list[tuple[str, str]]:
    if "lists" not in snapshot.counts:
        return _list_figures(snapshot)
    return [
        ("lists made", count(snapshot.counts["lists"])),
        ("of", count(snapshot.detail["iterations"])),
        ("antecedents considered", count(snapshot.counts["created"])),
    ]


def _set_figures(snapshot: Snapshot) -> list[tuple[str, str]]:
    counts, value = snapshot.counts, snapshot.detail.get("master_value", math.inf)
    return [
        ("LP value", f"{value:.2f}" if math.isfinite(value) else NONE),
        ("rules in the pool", count(counts.get("columns", 0))),
        ("pricing nodes", count(counts.get("pricing_nodes", 0))),
        ("rules in the proof", count(counts.get("closing_columns", 0))),
    ]


_FIGURES: dict[str, Callable[[Snapshot], list[tuple[str, str]]]] = {
    "rule_list": _list_figures,
    "falling_rule_list": _falling_figures,
    "rule_set": _set_figures,
}


def _phase(session: SearchSession) -> tuple[str, str]:
    state, snapshot = session.state, session.snapshot
    if state is State.PREPARING:
        return "busy", session.doing or "preparing"
    if state in _STANDING:
        return _STANDING[state]
    if snapshot is None:
        return ("busy", "searching") if state is State.RUNNING else ("limit", "stopped before the search began")
    assert session.search is not None
    search, family = session.search, session.search.family
    if state is State.RUNNING:
        first = {"incumbent": _FIRST.get(family, "searching: a first model")}
        doing = {**_ENGINE_PHASES, **first}.get(snapshot.phase, "searching")
        return "busy", _BEST_OF_ALL if snapshot.sought_first.get("running") else doing
    found = report(search, snapshot, ended="stopped" if state is State.STOPPED else "")
    proven = snapshot.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return "proven" if proven else "limit", plain(grouped(found.headline), 600)


def family_name(family: str) -> str:
    """What to call a model of this family."""
    return EVERY_FAMILY[family].called if family in EVERY_FAMILY else "model"


def objective(value: float, family: str = "rule_list") -> str:
    """A share of the rows for lists; for rule sets a number of rows."""
    return count(round(float(value), 4)) if family == "rule_set" else f"{value:.4f}"


def together(found: float, bound: float, family: str = "rule_list") -> tuple[str, ...]:
    """Objective, lower bound and gap: as all say them, with thin spaces between the thousands."""
    return tuple(map(_thin, adding_up(found, bound, family)))


def duration(seconds: float) -> str:
    """Seconds, with as many digits as tell short searches apart."""
    return f"{seconds:.2f} s" if seconds < 9.995 else f"{seconds:.1f} s"


def titled(text: str, family: Family) -> str:
    """A text of the library with parameters as the form of this family calls them, and criteria by their names."""
    titles = {each.name: f"“{each.title}”" for each in (*family.parameters, TIME, MEMORY)}
    titles |= {record.class_name: record.short for record in EVERY.values()}
    return text.titled(lambda name: titles.get(name, name)) if isinstance(text, Text) else text


def in_signs(name: str) -> str:
    """The name of an antecedent with its conditions as the page writes them: ``age <= 36`` as ``age ≤ 36``."""
    return _OPERATOR.sub(lambda found: f" {SIGNS[found[1]]} ", name)


def count(value: int | float) -> str:
    """A count, or a weight in its `digits`, with thin spaces between the thousands."""
    return _thin(digits(value))


def _thin(number: str) -> str:
    return re.sub(r"\d+", lambda whole: f"{int(whole[0]):,}".replace(",", _THIN), number, count=1)


def grouped(sentence: str) -> str:
    """A sentence of the library with its counts as `count` writes them."""
    joined = re.sub(r"(?<=\d) (?=\d{3}\b)", _THIN, sentence)
    return re.sub(r"(?<![\w.])\d{4,}(?![.]\d|\w)", lambda found: count(int(found[0])), joined)


def counted(n: int, name: str) -> str:
    """A count of things whose name is given in the plural."""
    return f"{count(n)} {name.removesuffix('s') if n == 1 else name}"


_LONGEST = 600


def filled(template: str, **values: Any) -> str:
    """The HTML of a template among the assets with these values; what is HTML already is given as `Markup`."""
    return _environment().get_template(template).render(values)


def today() -> str:
    """The date, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def percent(value: float) -> str:
    """A share in percent, without the sign."""
    return NONE if math.isnan(value) else shown.percent(value)


def breakable(text: Any, limit: int) -> Markup:
    """Text with places where a narrow column may break it."""
    return Markup(esc(text, limit).replace("_", "_<wbr>"))


@cache
def _environment() -> jinja2.Environment:
    def plainly(value: Any) -> Any:
        return value if isinstance(value, Markup) else plain(value, _LONGEST)

    made = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FileSystemLoader(FOLDER),
        finalize=plainly,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "signed": signed, "count": count, "share": share, "difference": difference}
    made.filters["cut"] = lambda text, limit: Markup(esc(text, limit))
    made.filters["breakable"] = breakable
    made.globals["NONE"] = NONE
    return made
