"""All rules above a threshold, one for each set of patterns they cover."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from ..features import Features, Rule
from .bitset_search import BitsetSearch
from .exact import check

_ROOM = 1024
_RULE_BYTES = 400


@dataclass(frozen=True, eq=False)
class Enumeration:
    """What an enumeration has found."""

    rules: tuple[Rule, ...]  # for each covered set one of the rules of fewest conditions that cover it
    sums: np.ndarray  # int64, shape (len(rules),)
    nodes: int  # conjunctions opened
    complete: bool  # all such sets are there
    overflow: bool  # the search ended because there are more of them than the limit


class Enumerator:
    """An enumeration that can be continued: advance it in slices, pickle it in between; the result is the same.

    Parameters
    ----------
    features : Features
    weight : int64 array, shape (n_patterns,)
        As for `rulelab.rule_set.pricing.exact.Pricer`.
    threshold : int64 array, shape (D + 1,), non-decreasing
        Rules of s conditions whose sum of weight is at least ``threshold[s]`` are wanted.
    max_conditions : int, optional
        D; None for no limit.
    limit : int
        Most covered sets.

    Notes
    -----
    Two rules that cover the same patterns are the same column of every master problem but for their complexity, also
    under fairness constraints, so the shorter one is enough. Sets are compared over all patterns, those of weight 0
    included: a pattern with dual value 0 has its say in the integer program. No rule is left out for its weights.
    """

    def __init__(
        self, features: Features, weight: np.ndarray, threshold: np.ndarray, max_conditions: int | None, limit: int
    ) -> None:
        weight, threshold = check(features, weight, threshold, max_conditions)
        self._features = features
        self._weight = weight
        self._limit = int(limit)
        self._search = BitsetSearch(features, weight, threshold - 1, threshold, room=_ROOM)
        self._found: dict[bytes, list[Rule]] = {}
        self._n_found = 0
        self._overflow = False

    @property
    def done(self) -> bool:
        return self._overflow or self._search.done

    @property
    def nodes(self) -> int:
        return self._search.nodes

    @property
    def nbytes(self) -> int:
        """Bytes of the search and, about, of the rules found."""
        return self._search.nbytes + _RULE_BYTES * self._n_found

    def advance(self, max_nodes: int, max_batches: int | None = None) -> bool:
        """Search at most so many nodes more, for so many batches of rules; returns whether the enumeration is done."""
        last, batches = self.nodes + max_nodes, 0
        while not self.done and batches != max_batches:
            batches += 1
            self._search.advance(last - self.nodes)
            for rule, _ in self._search.emitted():
                self._enter(rule)
            self._overflow = self._n_found > self._limit
            if not self._search.full:
                break
        return self.done

    def result(self) -> Enumeration:
        """What has been found so far."""
        rules = tuple(sorted(rule for known in self._found.values() for rule in known))
        sums = self._features.sums(rules, self._weight)
        return Enumeration(rules, sums, self.nodes, self.done and not self._overflow, self._overflow)

    def _enter(self, rule: Rule) -> None:
        """Keep the rule unless a rule that is not longer covers the same patterns; a digest finds the candidates."""
        cover = self._features.covers([rule])[0]
        known = self._found.setdefault(hashlib.blake2b(cover.tobytes(), digest_size=16).digest(), [])
        for k, other in enumerate(known):
            if np.array_equal(self._features.covers([other])[0], cover):
                known[k] = min(other, rule, key=lambda r: (len(r), r))
                return
        known.append(rule)
        self._n_found += 1
