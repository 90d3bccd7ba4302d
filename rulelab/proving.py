"""What searches share that end with the proof that their list is the best, and those whose list has to be fair."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from functools import wraps
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from .certificate import Certificate, CertificateError
from .certificate.parts import within
from .data.fairness import Criterion, compared, emptied_rates, groups_of, left_out, true_gaps
from .snapshot import Incumbent, Snapshot, Status, bound_shown, standing
from .stepping import Search

_MOST_STORED, _MOST_STORED_SOFTLY = 5_000, 500


def is_quick(search: Any, last: Snapshot) -> bool:
    """Whether its proof takes some seconds at most, by how many prefixes are stored: soft ones take longer."""
    softly = getattr(search, "violation_penalty", None) is not None
    return last.counts.get("stored", 0) <= (_MOST_STORED_SOFTLY if softly else _MOST_STORED)


def prove(search: Any, time_limit: float | None = None, bound_only: bool = False) -> Any:
    """The certificate of a search, as its method ``certificate`` makes it, within a time.

    Parameters
    ----------
    search : Search
        One that makes certificates, which has ended with status OPTIMAL.
    time_limit : float, optional
        Wall-clock seconds, looked at between the parts of the proof.
    bound_only : bool
        Of a search that has not ended: prove its lower bound.

    Returns
    -------
    Certificate or MultiClassCertificate

    Raises
    ------
    CertificateError
        When there is none.
    TimeoutError
        At the time limit; another call begins anew.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, [0, 1, 1, 0] * 5)
    >>> search = rl.RuleListSearch(problem, regularization=0.1)
    >>> best = rl.solve(search, time_limit=10).incumbent.model
    >>> bool(rl.verify(problem, best, rl.prove(search, time_limit=10)))
    True
    """
    if not hasattr(search, "certificate"):
        raise CertificateError(f"{type(search).__name__} makes no certificates")
    with within(time_limit, "the proof"):
        return search.certificate(bound_only=True) if bound_only else search.certificate()


C = TypeVar("C")


def kept_for_its_model(make: Callable[..., C]) -> Callable[..., C]:
    """Let a method make the certificate of an optimum once; it is kept as long as the search, and not pickled."""
    known: weakref.WeakKeyDictionary[Search, tuple[Any, C]] = weakref.WeakKeyDictionary()

    @wraps(make)
    def certificate(self: Search, *asked: Any, **options: Any) -> C:
        if asked or options or not self.work:
            return make(self, *asked, **options)
        last = self._snapshot()
        if last.status is not Status.OPTIMAL or last.incumbent is None:
            return make(self)
        model, proof = known.get(self, (None, None))
        if proof is None or model != last.incumbent.model:
            proof = make(self)
            known[self] = last.incumbent.model, proof
        return proof

    return certificate


class Proving(Search):
    """A search that goes through phases, the last of which is "certified"."""

    _phase: str

    @property
    def certified(self) -> bool:
        """Whether the search has ended with a proof that its list is optimal."""
        return self._phase == "certified"

    @kept_for_its_model
    def certificate(self, bound_only: bool = False) -> Certificate:
        """The proof that no list of those that are looked for is better, for `rulelab.verify`, to save and to hand on.

        It is made anew from the list, so that an independent check can follow it; that of a search that has ended is
        kept.

        Parameters
        ----------
        bound_only : bool
            Of a search that has not ended: prove its lower bound. `rulelab.verify` answers with the state "bound".

        Returns
        -------
        Certificate

        Raises
        ------
        CertificateError
            When the search has not ended with its proof (with ``bound_only``: when it has no list yet, or no bound
            above 0), and where there is a proof of neither.
        """
        return self._other_proof(bound_only) or self._certificate(self._to_prove(bound_only))

    def _certificate(self, bound: float | None) -> Certificate:
        """Make the certificate of the optimum, or with ``bound`` that none is below that."""
        raise NotImplementedError

    proves_bounds = True
    """Whether ``certificate(bound_only=True)`` proves the bound of a search that has not ended."""

    def _other_proof(self, bound_only: bool) -> Certificate | None:
        """The certificate of another search, where that has proven what there is to prove."""
        return None

    def _to_prove(self, bound_only: bool) -> float | None:
        """The bound that a certificate is for; None: it is for the optimum. Raises CertificateError."""
        if self._phase == "preparing" and not bound_only:  # there is nothing yet to take a snapshot of
            self._require_proof()
        snapshot = self._snapshot()
        if snapshot.incumbent is None and snapshot.status is not Status.RUNNING:
            raise CertificateError("there is no model to be proven optimal: the search has found none that obeys")
        if self.certified:
            return None
        if not bound_only:
            self._require_proof()
        if snapshot.incumbent is None:
            raise CertificateError("a certificate names a model, and the search has found none yet")
        if not snapshot.lower_bound > 0:
            raise CertificateError("the search has proven no bound above 0 yet")
        return snapshot.lower_bound

    def _require_proof(self) -> None:
        if not self.certified:
            raise CertificateError("the search has not proven its list optimal yet; let it finish first")


def asked_of(criterion: Criterion, min_group_size: int) -> dict[str, float]:
    """What a certificate says of a criterion."""
    tolerances = {f"{rate.name}_tolerance": float(rate.tolerance) for rate in criterion.rates()}
    return {"min_group_size": float(min_group_size), **tolerances}


class FairSearch(Proving):
    """A search for a list that meets a criterion over the problem's groups, where one is given."""

    fairness: Any
    min_group_size: int
    _out_of_memory: bool

    @property
    def left_out(self) -> str:
        """Which groups are too small for the fairness constraint, in words; empty when none is."""
        if self.fairness is None:
            return ""
        return left_out(self._criterion, groups_of(self.problem, self._criterion), self.min_group_size)

    @property
    def _criterion(self) -> Criterion:
        assert isinstance(self.fairness, Criterion)
        return self.fairness

    def _asked(self) -> dict[str, float]:
        """What a certificate says of the constraints."""
        return asked_of(self._criterion, self.min_group_size)

    def _pairs(self) -> list[tuple[str, int, int]]:
        """The rates, in the order of their names, with each pair of groups: those of a certificate's multipliers."""
        among = compared(self._criterion, groups_of(self.problem, self._criterion), self.min_group_size)
        by_name = {rate.name: of for rate, of in zip(self._criterion.rates(), among, strict=True)}
        return [(name, g, h) for name in sorted(by_name) for g, h in combinations(by_name[name], 2)]

    def _standing(self, exact: bool, incumbent: Incumbent | None, bound: float) -> dict[str, Any]:
        """What its snapshots have in common; ``exact``: whether costs tell lists apart, ``bound``: what is proven."""
        status, limit = standing(self.certified, exact, "memory" if self._out_of_memory else None)
        if self._phase == "infeasible":
            status = Status.INFEASIBLE
        bound = bound_shown(math.inf if incumbent is None else incumbent.objective, bound, status)
        left = 0.0 if self._phase in ("certified", "infeasible") else math.inf
        known = {"status": status, "incumbent": incumbent, "lower_bound": bound, "log10_remaining": left}
        return {**self._figures, **known, "phase": self._phase, "limit": limit}

    def _told_of(self, predicted: np.ndarray) -> dict[str, Any]:
        """What to tell of the groups' rates when these patterns are predicted positive."""
        given = self._criterion, groups_of(self.problem, self._criterion), predicted, self.min_group_size
        return {"true_gaps": true_gaps(*given), "emptied": emptied_rates(*given)}
