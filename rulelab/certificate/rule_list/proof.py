"""Makes the proof that a rule list is optimal: the smallest table that the checker's own bounds need.

The table starts with the set of all patterns and the model's cost. Whatever the checker would look up is added, largest
sets first, so that each set is met once with the largest value that any set before it requires. A search only has to
name the optimal list: its bounds, its order and what it stored leave no trace in the proof.
"""

from __future__ import annotations

import numpy as np

from ...data.problem import Problem
from ...models import RuleList
from ..certificate import Certificate, CertificateError, certificate_of
from ..outcome import cost_to_prove, for_bound
from ..parts import parts
from .checker import recompute
from .children import Opened, Wanted, opened
from .hints import KnownSets, Lemmas, Separation
from .states import States, states

_AT_ONCE = 256  # sets that are opened together, where there are so many
_AGAIN = 1.2  # the lemmas that are not taken yet are put together again once these are so many times too many

TRIED_ANYWAY, CLOSED_BY_EACH = 500, 3
"""For so many sets multipliers are adapted in any case; to be gone on with, that has to close so many rules of each."""


def prove_rule_list(
    problem: Problem,
    model: RuleList,
    regularization: float,
    known: KnownSets | None = None,
    lower_bound: float | None = None,
) -> Certificate:
    """Prove that no rule list, of any length, has a smaller objective.

    ``model``: an optimal list, from any solver. ``regularization``: cost of one rule, 0 < regularization < 1.
    ``known``: sets whose costs are known, which can make the proof much smaller; those that are used are proven, too.
    ``lower_bound``: prove instead that no list has an objective below this; whether the model is optimal is left open.
    Time and size grow with the sets that a search with a known optimum has to expand. Raises CertificateError when the
    model does not fit the problem, or a better list exists.
    """
    costs, _, value, _ = recompute(problem, model, regularization)
    space = states(problem, costs)
    value = cost_to_prove(for_bound(lower_bound), value, costs.unit, costs.overestimate)
    root = max(0, value - space.per_error * space.constant)
    separation = Separation.of(space, known)
    try:
        table = _Table(space, root, Lemmas.of(space, known), separation)
        table.close()
    except _NotProven:
        try:
            table = _Table(space, root, Lemmas.of(space, None), separation)
            table.close()
        except _NotProven:
            if lower_bound is not None:
                raise CertificateError(f"a list with an objective below {lower_bound:.10g} exists") from None
            raise CertificateError("the model is not optimal for this regularization: a better list exists") from None
    arrays: dict[str, np.ndarray] = {
        "sets": _rows(list(table.values), space.n_bytes),
        "values": np.fromiter(table.values.values(), dtype=np.int64, count=len(table.values)),
    }
    if table.taken:
        lemmas = {bytes(table.lemmas.sets[k]) for k in table.taken}
        arrays["lemmas"] = np.array([k for k, packed in enumerate(table.values) if packed in lemmas], dtype=np.int64)
    if len(separation) and table.separates:
        arrays.update(separation.arrays)
    parameters = {"regularization": float(regularization) + 0.0, **for_bound(lower_bound)}
    return certificate_of(problem, model.family, parameters, arrays)


def _rows(packed: list[bytes], n_bytes: int) -> np.ndarray:
    """Packed sets as the rows of a uint8 array."""
    out = np.empty((len(packed), n_bytes), dtype=np.uint8)
    for part in parts(len(packed), n_bytes):
        out[part] = np.frombuffer(b"".join(packed[part]), dtype=np.uint8).reshape(part.stop - part.start, n_bytes)
    return out


class _NotProven(Exception):  # noqa: N818 - caught below
    """Some set costs less than it was said to."""


class _Table:
    """A table that is closed set by set, the largest ones first; ``taken``: the lemmas that it needs, in order."""

    def __init__(self, space: States, root: int, lemmas: Lemmas, separation: Separation) -> None:
        self.space, self.lemmas, self.separation = space, lemmas, separation
        self.separates = False
        self.values: dict[bytes, int] = {}
        self.taken: dict[int, None] = {}
        self._waiting: dict[int, dict[bytes, int]] = {len(space.weights): {bytes(space.everything[0]): root}}
        self._at_hand, self._others = lemmas.among(np.zeros(0, dtype=np.int64)), lemmas
        self._position = np.arange(len(lemmas))
        self._adapts, self._tried, self._closed = len(separation) > 0, 0, 0

    def close(self) -> None:
        """Add what the sets of the table need until they need no more; raises _NotProven."""
        while batch := self._next():
            self.values.update(batch)
            sets = _rows(list(batch), self.space.n_bytes)
            values = np.fromiter(batch.values(), dtype=np.int64, count=len(batch))
            for part in self.space.chunks(len(sets), len(self._at_hand)):
                self._open(sets[part], values[part])

    def _next(self) -> dict[bytes, int]:
        """The sets of the next sizes, until they are some; one that another of them leaves may come again."""
        batch: dict[bytes, int] = {}
        while self._waiting and len(batch) < _AT_ONCE:
            batch.update(self._waiting.pop(max(self._waiting)))
        return batch

    def _open(self, sets: np.ndarray, values: np.ndarray) -> None:
        """Require what some sets need.

        A lemma has to be proven, too: one more is taken only where those that are taken already do not suffice.
        """
        rows = np.flatnonzero(self.separation.least(sets) < values)
        self.separates |= len(rows) < len(sets)
        sets, values = sets[rows], values[rows]
        rules = opened(self.space, sets, values, self._at_hand, self.separation)
        self.separates |= rules.separated
        if len(rules.exceeded):
            raise _NotProven
        each = Wanted.after(self.space, sets, rules)
        wanted, group = each.once()
        keys = list(map(bytes, wanted.sets))
        sizes = np.bitwise_count(wanted.sets).sum(axis=1, dtype=np.int64).tolist()
        rows = np.flatnonzero(
            [self._known(*each) < least for *each, least in zip(keys, sizes, wanted.required.tolist(), strict=True)]
        )
        rows = rows[wanted.take(rows).unproven(self.space, self._at_hand)]
        left = wanted.take(rows)
        by_lemma = self._others.proving(left.sets, left.required, left.below)
        self._take(self._position[np.unique(by_lemma[by_lemma >= 0])].tolist())
        open_ = np.isin(group, rows[by_lemma < 0])
        for row in self._not_adapted(sets, rules, np.flatnonzero(open_)).tolist():
            self._require(keys[group[row]], sizes[group[row]], int(each.required[row]))

    def _not_adapted(self, sets: np.ndarray, rules: Opened, rows: np.ndarray) -> np.ndarray:
        """The rules of which pairs with multipliers for the set do not show either that enough is left."""
        if not self._adapts or not len(rows):
            return rows
        owners, owner = np.unique(rules.parent[rows], return_inverse=True)
        still = self.separation.after(sets[owners], owner, rules.antecedent[rows]) < rules.required[rows]
        self.separates |= not still.all()
        self._tried += len(owners)
        self._closed += len(rows) - int(still.sum())
        self._adapts = self._tried < TRIED_ANYWAY or self._closed > CLOSED_BY_EACH * self._tried
        return rows[still]

    def _take(self, positions: list[int]) -> None:
        fresh = [k for k in positions if k not in self.taken]
        if not fresh:
            return
        lemmas = self.lemmas
        self.taken.update(dict.fromkeys(fresh))
        self._at_hand = lemmas.among(np.array(list(self.taken)))
        if len(self._others) > _AGAIN * (len(lemmas) - len(self.taken)):
            self._position = np.setdiff1d(self._position, np.array(list(self.taken)))
            self._others = lemmas.among(self._position)
        for k in fresh:
            self._require(bytes(lemmas.sets[k]), int(np.bitwise_count(lemmas.sets[k]).sum()), int(lemmas.values[k]))

    def _known(self, packed: bytes, size: int) -> int:
        return max(self.values.get(packed, -1), self._waiting.get(size, {}).get(packed, -1))

    def _require(self, packed: bytes, size: int, value: int) -> None:
        if self._known(packed, size) < value:
            self._waiting.setdefault(size, {})[packed] = value
