"""What is proven of many models at once: of those near an optimum, of a front, and of a list whose rows may change."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from typing import Any

from ..arguments import Text
from ..assets import texts
from ..families import FAMILIES, least_gap
from ..families.wording import at_least, count, many, restricted
from ..frontiers import Frontier, GapFrontier
from ..rule_list import FrontierSearch, RobustnessSearch
from ..rule_list.near_optimal.state import MOST_LISTS
from ..shown import Shown, digits, printable
from ..snapshot import Snapshot, Status
from .report import why_ended

_ROUNDED = "within the rounding of the weights"
_STAYS = {
    "relabelled": ("label", "labels", "wrong"),
    "removed": ("row", "rows", "removed"),
    "added": ("row like a training row", "rows like training rows", "added"),
}
_UNFINISHED = {limit: (Text(said), shown) for limit, (said, shown) in texts("not all models").items()}
"""Why not all models near the optimum are found, for terminals and for the page."""


def _down(share: float, figures: int) -> str:
    """A share in per cent that still holds as it is written: rounded down."""
    return f"{Context(figures, ROUND_FLOOR).create_decimal(repr(100 * share)).normalize():f} %"


class Verdict(Shown, abc.ABC):
    """What is proven, as one sentence, and what is to be said beside it."""

    @property
    @abc.abstractmethod
    def proven(self) -> bool:
        """Whether all is that was asked for, or all but what the rounding of weights leaves open."""

    @property
    @abc.abstractmethod
    def headline(self) -> str:
        """The sentence, as the page shows it."""

    @abc.abstractmethod
    def to_text(self, title: Callable[[str], str] = str) -> str:
        """The same for terminals, with the work; ``title`` gives what arguments are called there."""

    @property
    def tone(self) -> str:
        """Of the line that says it on the page."""
        return "proven" if self.proven else "limit"

    def __str__(self) -> str:
        return self.headline

    def _facts(self) -> list[tuple[str, str]]:
        return [("", self.headline)]


@dataclass(frozen=True, eq=False, repr=False)
class Near(Verdict):
    """What is known of the models near an optimum, which are found or only counted."""

    result: Any
    snapshot: Snapshot  # the state that it is of
    ended: str = ""  # why it ended where no limit did
    ratio: float | None = None
    """Of the optimum, which is how far others were looked for; None: as far as the threshold is."""
    longest: int | None = None  # the most rules of a list that were asked for
    work: str = ""  # beside the seconds; may be empty

    @property
    def proven(self) -> bool:
        return bool(self.result.complete)

    @property
    def models(self) -> int | None:
        """Models that are found; None: they are only counted."""
        return getattr(self.result, "count", None)

    @property
    def forms(self) -> int:
        """Lists or sets, of which a model may be several."""
        return int(self.result.n_sets if self._sets else self.result.n_lists)

    @property
    def _forms(self) -> str:
        """As how many lists or sets the models are found; where there are more lists, they are not counted."""
        beyond = not self._sets and self.forms >= MOST_LISTS
        return f"{'at least ' * beyond}{count(self.forms, self._noun)}"

    @property
    def covered(self) -> float | None:
        """How far all are found; None: nobody knows."""
        covered = getattr(self.result, "covered", None)
        return covered if covered == covered else None

    @property
    def headline(self) -> str:
        """How many models have what objective."""
        models = self.models
        if not self._begun:
            return self._nothing(str)
        if models is None:
            return self.counted
        what, order = count(models, "model"), "" if self._sets else ", as their order may differ"
        what += f" ({self._forms}{order})" if self.forms > models or self._sets else ""
        over = f", over {self._of_rules}" if self._sets else ""
        if self._exact:
            have = "has" if models == 1 else "have"
            near = self._near.replace("of an", "an", 1) if not self.result.optimum else f"an objective {self._near}"
            return f"certified complete{over}: {what} {have} {near}"
        if self.proven:
            return f"complete {_ROUNDED}: {what} {self._near}"
        if self._sets and self.covered is None:
            return f"not complete ({self._why}): {what}; which other sets are near the optimum is not known"
        known = ""
        if reach := self._reach:
            each = f"set within {reach}" if self._sets else f"list closer than {reach} to the optimum"
            known = f"; every {each} is among them"
        return f"not complete ({self._why}): {what}{known}{over}"

    @property
    def counted(self) -> str:
        """How many lists or sets there are."""
        if not self._sets:
            length = "any length" if self.longest is None else f"at most {count(self.longest, 'rule')}"
            lists = count(self.forms, "rule list")
            if not self.proven:
                return f"not complete ({self._why}): at least {lists} are {self._near}"
            sure = "certified" if self._exact else _ROUNDED
            return f"{sure}: exactly {lists} of {length} {'is' if self.forms == 1 else 'are'} {self._near}"
        sets = f"{count(self.forms, 'rule set')} of {self._of_rules}"
        if self.proven:
            return f"certified: exactly {sets} {'is' if self.forms == 1 else 'are'} {self._near}"
        known = ""
        if self.covered is not None:
            reach = f"within {self._reach or '0 %'}" if self.result.optimum else f"of at most {self.covered:.10g}"
            known = f"; every one {reach} is among them"
        return f"not complete: at least {sets} are {self._near}{known}"

    def to_text(self, title: Callable[[str], str] = str) -> str:
        work = ", ".join(filter(None, (f"{self.snapshot.seconds:.2f} s", self.work)))
        best, up_to = self._figure(self.result.optimum), self._figure(self.result.threshold)
        aside, why = restricted(self.result.problem), self._ended(title)
        if not self._begun:
            return "\n".join([self._nothing(title), *self._so_far, *self._less_to_ask(title), work])
        if self.models is None:
            found = f"from the optimum {best} up to {up_to}"
            if self.proven:
                sure = "certified count" if self._exact else f"count {_ROUNDED}"
                return f"{sure}: {count(self.forms, 'list')} {found}\n{work}"
            less = self._less_to_ask(title)
            return "\n".join([f"not complete ({why}): at least {count(self.forms, 'list')} {found}", *less, work])
        found = f"{count(self.models, 'model')} ({self._forms}) from the optimum {best}"
        over = f"over {self._of_rules}{aside}" if self._sets else ""
        if self.proven:
            sure = "certified complete" if self._exact else f"complete {_ROUNDED}"
            return f"{sure}{f', {over}' if over else aside}: {found} up to {up_to}\n{work}"
        if not self._sets:
            covered = self.result.covered
            certain = (
                f"complete for less than {at_least(covered - self.result.optimum, 7)} above the optimum: every list "
                f"below {at_least(covered, 7)} is found, of those up to {up_to} that were looked for"
            )
        elif self.covered is None:
            certain = f"it is not known which other sets there are, {over}"
        else:
            certain = f"every set of at most {digits(self.covered, 7)} is found, of those up to {up_to}, {over}"
        return "\n".join([f"not complete ({why}): {found}", certain, *self._less_to_ask(title), work])

    @property
    def _sets(self) -> bool:
        return hasattr(self.result, "n_sets")

    @property
    def _noun(self) -> str:
        return "set" if self._sets else "list"

    @property
    def _begun(self) -> bool:
        """Whether the optimum is proven, so that others are known to be near it."""
        return self.snapshot.phase not in ("optimum", *(("preparing",) if self.models is None else ()))

    def _nothing(self, title: Callable[[str], str]) -> str:
        bound = digits(self.snapshot.lower_bound, 7) if self._sets else at_least(self.snapshot.lower_bound, 7)
        best = f"the best {self._noun} has the objective {self._figure(self.result.optimum)}"
        return f"nothing is certified ({self._ended(title)}): {best}, and no rule {self._noun} is below {bound}"

    @property
    def _exact(self) -> bool:
        """Whether nothing is left open by the rounding of weights."""
        return self.proven and (self._sets or self.snapshot.limit is None)

    @property
    def _of_rules(self) -> str:
        return f"rules of at most {count(self.result.max_conditions, 'condition')}"

    @property
    def _near(self) -> str:
        if not self.result.optimum:  # there is no per cent of nothing
            return f"of an objective of at most {self.result.threshold:.10g}"
        near = (
            _down(self.result.threshold / self.result.optimum - 1, 4)
            if self.ratio is None
            else f"{100 * self.ratio:.4g} %"
        )
        return f"within {near} of the optimum"

    @property
    def _reach(self) -> str:
        """How far above the optimum all are found; empty: nobody knows."""
        reach = self.covered / self.result.optimum - 1 if self.covered is not None and self.result.optimum else 0.0
        return _down(reach, 3) if reach > 0 else ""

    @property
    def _why(self) -> str:
        return _UNFINISHED.get(self.result.truncated or "", ("", "it was stopped"))[1]

    def _ended(self, title: Callable[[str], str]) -> str:
        limit = self.snapshot.limit or ""
        why = _UNFINISHED[limit][0] if limit in _UNFINISHED else why_ended(self.snapshot) or self.ended
        return why.titled(title) if isinstance(why, Text) else why

    def _figure(self, objective: float) -> str:
        return digits(objective, 7) if self._sets else f"{objective:.7f}"

    @property
    def _so_far(self) -> list[str]:
        best = self.snapshot.incumbent
        if self._sets or best is None:
            return []
        rules = "; ".join(printable(" ".join(rule.name.split())) for rule in best.model.rules)  # type: ignore[union-attr]
        return [f"the best list so far: {rules or 'no rules'}"]

    def _less_to_ask(self, title: Callable[[str], str]) -> list[str]:
        """What would make the question smaller, where a limit ended the search for lists."""
        best, limit = self.snapshot.incumbent, self.snapshot.limit
        if self._sets or limit not in ("time", "memory") or best is None:
            return []
        rules, price = max(1, len(best.model.rules)), title("regularization")  # type: ignore[union-attr, arg-type]
        less = f"a larger {price} asks for less"
        if self.longest is None or self.longest > rules:
            less = f"{title('max_length')} {rules} asks for less (short lists alone), as does a larger {price}"
        return [f"{less}; or raise {title(f'{limit}_limit')}"]


@dataclass(frozen=True, repr=False)
class Front(Verdict):
    """What is proven of the points of a front."""

    claim: str  # what is true where all points are proven
    ended: str  # why it ended before that; empty where it did not
    certified: bool  # whether all are proven
    closed: int  # how many points are proven
    points: int  # of how many
    done: str  # what such a point is called
    work: str
    rounded: bool = False  # whether all are proven but for the rounding of weights
    aside: str = ""  # what rules must not use, where ``claim`` does not say it
    beside: tuple[str, ...] = ()  # what is to be said beside it

    @property
    def proven(self) -> bool:
        return self.certified or self.rounded

    @property
    def headline(self) -> str:
        if self.certified:
            return f"certified{self.aside}: {self.claim}"
        if self.rounded:
            return f"optimal {_ROUNDED}: {self.claim}"
        return f"not certified ({self.ended}): {self.closed} of {count(self.points, 'point')} {self.done}"

    def to_text(self, title: Callable[[str], str] = str) -> str:
        return "\n".join([self.headline, *self.beside, self.work])


def rule_list_front(search: FrontierSearch, snapshot: Snapshot, ended: str = "") -> Front:
    """Of the least errors for each number of rules."""
    points, fewer = search.frontier, "makes fewer errors"
    rounded = snapshot.limit == "exactness"
    claim = f"no rule list {fewer} than the column says" if rounded else f"no rule list of so many rules {fewer}"
    return Front(
        claim=claim,
        aside="" if rounded else restricted(search.problem),
        ended=why_ended(snapshot) or ended,
        rounded=rounded,
        closed=sum(point.proven for point in points),
        points=search.max_length + 1,
        certified=snapshot.status is Status.OPTIMAL,
        done="proven",
        work=f"{snapshot.seconds:.2f} s, {search.work} prefixes expanded",
    )


def front(search: Frontier | GapFrontier, snapshot: Snapshot, ended: str = "", beside: tuple[str, ...] = ()) -> Front:
    """Of the best models at many places, or of the least gaps; ``beside``: what is to be said beside it."""
    points, gaps = search.points, search.kind == "gap_frontier"
    noun, units = FAMILIES[search.family].noun, f"{snapshot.seconds:.2f} s, {count(search.work, 'unit')} of work"
    closed = sum(point.status != "open" for point in points)
    if gaps:
        of, claim = least_gap.limits(search.parameters), f"at each accuracy no {noun} has a smaller gap"
        claim += of + restricted(search.problem)
    else:
        sets, most = search.family == "rule_set", search.parameters.get("max_conditions")
        among = "" if most is None else f" of at most {count(most, 'condition')}"
        among += restricted(search.problem) + (" that meets the tolerance" if "tolerance" in search.axes else "")
        claim = f"no {'set of rules' if sets else noun}{among} has {'less loss' if sets else 'a smaller objective'}"
    return Front(
        claim=claim,
        ended=why_ended(snapshot) or ended,
        closed=closed,
        points=len(points),
        certified=closed == len(points),
        done="proven" if gaps else "closed",
        beside=beside,
        work=units,
    )


@dataclass(frozen=True, repr=False)
class Withstood(Verdict):
    """How many rows may change before another list wins."""

    rows: int  # of the training data
    # withstands, breaks: for wrong labels, removed rows and added rows: how many it stands whichever they are, and so
    # many chosen ones after which another list is known to win, or None
    withstands: Mapping[str, int]
    breaks: Mapping[str, int | None]
    ties: int | None  # other lists that are as good already
    labels: str = ""  # what is known of wrong labels alone; empty: the list is not proven optimal yet
    ended: str = ""  # why it ended before its proof; empty where it is proven
    seconds: float = 0.0

    @classmethod
    def of(cls, search: RobustnessSearch, snapshot: Snapshot, ended: str = "") -> Withstood:
        """What a search has proven of its list."""
        known, rows = search.robustness, int(search.problem.total_weight)
        changes = () if known is None else known.changes
        return cls(
            rows=rows,
            withstands={each.change: each.withstands for each in changes},
            breaks={each.change: each.breaks for each in changes},
            ties=None if known is None else known.ties,
            labels="" if known is None else known.relabelled.sentence(rows),
            ended="" if snapshot.status is Status.OPTIMAL else why_ended(snapshot) or ended,
            seconds=snapshot.seconds,
        )

    @property
    def proven(self) -> bool:
        return bool(self.withstands) and all(self.breaks[change] == n + 1 for change, n in self.withstands.items())

    @property
    def tone(self) -> str:
        return "proven" if self.withstands else "limit"  # what is said of each change is proven

    @property
    def headline(self) -> str:
        if not self.withstands:
            return "the list is not proven optimal yet, and nothing of what it withstands"
        tied = f"other lists that predict otherwise and are as good already: {many(self.ties)}" if self.ties else ""
        return "; ".join(filter(None, (self._stays, self._wins, tied)))

    def to_text(self, title: Callable[[str], str] = str) -> str:
        work = f"{self.seconds:.2f} s"
        if not self.labels:
            return f"nothing is certified ({self.ended}): the best list is not proven optimal yet\n{work}"
        sure = f"proven so far ({self.ended})" if self.ended else "certified"
        ties = [f"{count(self.ties, 'other list')} that predict otherwise are as good already"] if self.ties else []
        return "\n".join([f"{sure}: {self.labels}", *ties, work])

    @property
    def _stays(self) -> str:
        of = f" of {many(self.rows)}"
        said = []
        for change, n in self.withstands.items():
            if n:
                one, several, done = _STAYS[change]
                noun = several if of or n > 1 else one
                said.append(f"any {'one' if n == 1 else many(n)}{of} {noun} {'is' if n == 1 else 'are'} {done}")
                of = ""
        if said:
            return f"it stays optimal if {_joined(said)}"
        return "a single row can decide" if self.proven else "nothing is proven of what it withstands"

    @property
    def _wins(self) -> str:
        known = [f"{many(n)} {_STAYS[change][-1]}" for change, n in self.breaks.items() if n is not None]
        wins = f"another list wins with {_joined(known)} that are chosen for it" if known else ""
        if self.proven or not any(self.withstands.values()):
            return wins
        return "; ".join(filter(None, (wins, "that is proven, and it may stand more")))


def _joined(parts: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
