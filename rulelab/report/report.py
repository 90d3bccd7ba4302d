"""What a search has found and proven, as data; status line, command line, cards and notebooks say it from here."""

from __future__ import annotations

from dataclasses import dataclass

from ..families import EVERY_FAMILY, least_gap
from ..families.account import Account, account
from ..families.wording import adding_up, claimed, count, restricted, softly
from ..snapshot import Snapshot, Status
from ..stepping import Search


@dataclass(frozen=True)
class Claim:
    """What a search proves, in words."""

    noun: str  # what its models are called, such as "rule list"
    among: str  # which of them it is about, such as " among the lists that use sex"; empty: all
    aside: str
    """What rules must not use, and where conditions must point, where ``among`` does not say it; may be empty."""
    optimal: str  # what is true when it ends with a model
    infeasible: str  # what is true when it ends without one, and what to do

    @classmethod
    def of(cls, search: Search, attribute: str = "", exact: bool = False) -> Claim:
        """Of a search; with ``exact`` it says over how many antecedents, which a recorded search does not know."""
        parameters, aside = search.parameters, restricted(search.problem)
        is_fair = parameters.get("fairness") is not None or getattr(search, "fair", False)  # of a recorded search
        asked, fair = claimed(parameters), "fair " * is_fair
        noun = EVERY_FAMILY[search.family].called if search.family in EVERY_FAMILY else "model"
        noun = softly(parameters) + noun
        short = noun.split(" of ")[0].split()[-1]
        m = search.problem.n_antecedents
        if search.kind == "least_gap":
            claim = least_gap.claim(parameters, m, attribute) + aside
            return cls(noun, "", "", claim, f"there is no {least_gap.meant(parameters, m)}; ask for less")
        if search.family == "rule_set":
            most = parameters.get("max_conditions")
            among = ("" if most is None else f" for rules of at most {count(most, 'condition')}") + aside
            among += f", of those that {asked}" if asked else ""
            aside, such, over = "", "such ", _over(m, "condition", exact)
        else:
            among = f" among the {short}s that {asked}" if asked else ""
            such, over = "such " if asked else "", f"{_over(m, 'antecedent', exact)}{aside}"
        optimal = f"no {such}{fair}{noun} over {over} has a smaller objective"
        if asked:
            meets = " and meet the fairness constraint" if fair else ""
            return cls(noun, among, aside, optimal, f"no {short} can {asked}{meets}; ask for less")
        complexity = parameters.get("max_complexity")
        which = noun if complexity is None else f"{noun} of complexity at most {complexity:g}"
        infeasible = f"no {which} meets the fairness constraint; allow a larger difference between the groups"
        return cls(noun, among, aside, optimal, _first(among, infeasible))

    @property
    def whole(self) -> str:
        """What is true of an optimal model, as one sentence."""
        return _first(self.among, self.optimal)


def _first(among: str, sentence: str) -> str:
    return f"{among.lstrip(' ,')}, {sentence}" if among else sentence


def _over(antecedents: int, noun: str, exact: bool) -> str:
    return f"these {count(antecedents, noun) if exact else noun + 's'}"


_DIGITS = 7  # of objectives and bounds where one reads them to the end
_WHY = {
    "exactness": "limit reached (weights of too many digits)",
    "columns": "limit reached (too many rules for the proof)",
}
"""Limits that are not called by their name."""
_ADDED_UP = ("created", "expanded", "stored", "queued")  # counts in the place of which an account has those that add up


@dataclass(frozen=True)
class Report:
    """What is known at one moment of a search; its figures hold as they are written, and add up."""

    status: str  # "optimal", "infeasible", "limit" or "running"
    ended: str  # why it ended before its proof, such as "time limit reached"; may be empty
    claim: Claim  # what is proven at its end, and of which models
    # gap, bound: how much better another model may be at most, and what no model is below; empty: nothing is known
    gap: str
    bound: str
    open: str  # what is proven before its end; empty where it has ended
    work: str  # how long it took, and how much of what was done
    account: Account | None = None
    """What the objective of the best model is made of, how many models there were, and what ruled out the others."""

    @property
    def headline(self) -> str:
        """What is proven, as one sentence."""
        claim = self.claim
        if self.status == Status.OPTIMAL:
            return f"certified optimal{claim.among}: {claim.optimal}"
        if self.status == Status.INFEASIBLE:
            return f"certified infeasible: {claim.infeasible}"
        return f"{self.ended}: {self.open}" if self.ended else self.open

    def to_text(self) -> str:
        """The same for terminals, with the objective and the work."""
        claim, found = self.claim, self.account
        if found is None:
            return self.headline
        more = "\n".join(filter(None, (found.search_space, found.ruled_out, self.work)))
        if self.status == Status.OPTIMAL:
            return f"certified optimal{claim.among}{claim.aside}: objective {found.equation}\n{more}"
        if self.ended == _WHY["exactness"]:
            return f"optimal within {self.gap}: objective {found.equation}\n{more}"
        return (
            f"not certified ({self.ended or 'still running'}): objective {found.equation}\n"
            f"no {claim.noun} is below {self.bound}: the gap is {self.gap}\n{more}"
        )


def report(search: Search, snapshot: Snapshot, ended: str = "", attribute: str = "", whole: bool = False) -> Report:
    """What a search has found and proven so far; ``whole``: with an account, which takes longer.

    ``ended``: why it ended where no limit did, such as "stopped". ``attribute``: what groups are told apart by.
    """
    claim = Claim.of(search, attribute)
    best, digits = snapshot.incumbent, _DIGITS if whole else 4
    told = None if best is None else adding_up(best.objective, snapshot.lower_bound, search.family, digits)
    gap = "" if told is None else told[2]
    done = [f"{n} {what}" for what, n in snapshot.counts.items() if n and not (whole and what in _ADDED_UP)]
    return Report(
        status=snapshot.status,
        ended=why_ended(snapshot) or ended,
        claim=claim,
        gap=gap,
        bound="" if told is None else told[1],
        open=_open(search, snapshot, claim, gap),
        work=", ".join([f"search time {snapshot.seconds:.2f} s", *done]),
        account=account(search, snapshot, _DIGITS) if whole and snapshot.incumbent is not None else None,
    )


def why_ended(snapshot: Snapshot) -> str:
    """Which limit ended a search; empty where none did."""
    limit = snapshot.limit
    return "" if limit is None else _WHY.get(limit, f"{limit} limit reached")


def distance(gap: str) -> str:
    """What is proven of a model that may be so far from the optimum."""
    return f"proven to be within {gap} of the optimum"


def _open(search: Search, snapshot: Snapshot, claim: Claim, gap: str) -> str:
    if snapshot.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return ""
    if snapshot.limit == "exactness":
        return f"optimal within {gap}{claim.among}"
    if snapshot.detail.get("gap_is_proven"):
        return "the least gap is proven; whether this is the best model of it is open"
    if snapshot.incumbent is None:
        return f"no {claim.noun} that meets the constraint is found yet; loosen it, or give the search more time"
    if snapshot.phase == "sampling":
        return f"sampling proves nothing beyond the bound; the optimum may be up to {gap} lower"
    if search.kind == "least_gap":
        if not snapshot.lower_bound > 0:
            return "nothing is excluded yet, not even that there is no gap at all"
        return least_gap.bound(search.parameters, search.problem.n_antecedents, snapshot.lower_bound)
    return f"{distance(gap)}{claim.among}"
