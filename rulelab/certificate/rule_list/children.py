"""Bounds on what follows once a set of patterns is uncaptured, computed from the set alone, many sets at once.

Sets are packed; weights are floats of a type in which all sums that matter are exact, costs int64 (see `States`).
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from ...kernels.bits import WORD, group_equal_rows
from .hints import Lemmas, Separation
from .states import States

LONGEST = 12  # completions of more rules than this are bounded by their rules alone


class Opened(NamedTuple):
    """The rules that the bounds on what they capture, pairs and lemmas do not close, for a chunk of sets."""

    exceeded: np.ndarray  # int64: positions of the sets whose value the default rule alone undercuts
    parent: np.ndarray  # int64: positions of the sets that a rule may bring below their value ...
    antecedent: np.ndarray  # int64: ... by this antecedent, among those of the states, ...
    required: np.ndarray  # int64: ... unless whatever follows costs at least so much.
    several: np.ndarray  # bool: whether more than one rule that follows is not ruled out
    separated: bool  # whether pairs closed some


def opened(
    space: States,
    sets: np.ndarray,
    values: np.ndarray,
    lemmas: Lemmas | None = None,
    separation: Separation | None = None,
) -> Opened:
    """The first rules that may bring packed sets below their values, as far as what rules capture tells.

    Of the optimal lists with fewest rules one is enough, so rules that do not pay are left out. Its first rules of one
    label capture the same together in any order; the one that captures the largest weight W^s of their label s comes
    first here. What follows the first rule a, up to a rule of the other label, therefore has W^s_b <= W^s_a.
    """
    positive, negative, all_positive, all_negative = space.net_weights(sets)
    exceeded = np.flatnonzero(values > space.cost_of(np.minimum(all_positive, all_negative))[:, 0])
    pays = np.maximum(positive, negative) > space.per_rule // space.per_error
    lighter = np.minimum(positive, negative)
    may = pays & (lighter < space.weight_for(values - space.per_rule)[:, None])
    separated = separation is not None and separation.close(may, sets, values, lighter)
    if lemmas is not None:
        lemmas.close(may, sets, values, lighter)
    some = np.flatnonzero(may.any(axis=1))
    positive, negative, pays = positive[some], negative[some], pays[some]
    row, a = np.nonzero(may[some])
    parent = some[row]
    required = values[parent] - space.per_rule - space.cost_of(lighter[parent, a])
    captured = positive[row, a], negative[row, a]
    rest = all_positive[parent, 0] - captured[0], all_negative[parent, 0] - captured[1]
    # what antecedents capture of a set bounds what they capture of its children
    sums = _largest_sums(positive, space.total)[:, row], _largest_sums(negative, space.total)[:, row]
    reach = largest_gains(positive, negative, pays)[row, a], largest_gains(negative, positive, pays)[row, a]
    short = np.minimum(*rest) < space.weight_for(required)
    several = required > (LONGEST + 1) * space.per_rule
    for s, d in ((0, 1), (1, 0)):
        majority = captured[s] >= captured[d]
        wrong = np.minimum(rest[s] - np.minimum(captured[s], reach[s]), rest[d] - reach[d])
        short |= majority & (np.maximum(wrong, 0) < space.weight_for(required - space.per_rule))
        for r in range(2, _useful_rules(space, required) + 1):
            same = times_at_most(r, captured[s], sums[s][r])
            wrong = np.minimum(rest[s] - np.maximum(same, sums[s][r - 1]), rest[d] - sums[d][r])
            several |= majority & (np.maximum(wrong, 0) < space.weight_for(required - r * space.per_rule))
    i = np.flatnonzero(short | several)
    return Opened(exceeded, parent[i], a[i], required[i], several[i], separated)


def largest_gains(weight: np.ndarray, damage: np.ndarray, pays: np.ndarray) -> np.ndarray:
    """What one more rule for some label can gain at most after each first rule a.

    ``max over b of W_b - max(0, D_b - D_a)``, W the weight of the label and D that of the other one: of the damage of b
    no more than that of a is done already.
    """
    order = np.argsort(damage, axis=1)
    x = np.take_along_axis(damage, order, axis=1)
    y = np.where(np.take_along_axis(pays, order, axis=1), np.take_along_axis(weight, order, axis=1), 0)
    largest = np.maximum.accumulate(y, axis=1)
    beyond = np.maximum.accumulate((y - x)[:, ::-1], axis=1)[:, ::-1] + x
    out = np.empty_like(largest)
    np.put_along_axis(out, order, np.maximum(largest, beyond), axis=1)
    return out


def completions_below(space: States, sets: np.ndarray, required: np.ndarray, several: np.ndarray) -> np.ndarray:
    """Where the bound h does not show that every completion from a packed set costs what is required, by parts."""
    below = np.zeros(len(sets), dtype=bool)
    for part in space.chunks(len(sets)):
        below[part] = completions_of_part_below(space, sets[part], required[part], several[part])
    return below


def completions_of_part_below(space: States, sets: np.ndarray, required: np.ndarray, several: np.ndarray) -> np.ndarray:
    """Where the bound h does not show that every completion from a set costs what is required.

    No rule and one rule are tried exactly, and completions of more rules, where they are not ruled out before
    (``several``), are bounded by what they can capture and by the damage they do.
    """
    positive, negative, all_positive, all_negative = space.net_weights(sets)
    wrong = np.minimum(all_positive, all_negative)[:, 0]
    below = wrong < space.weight_for(required)
    wrong = np.minimum(positive, negative)
    wrong += np.minimum(all_positive - positive, all_negative - negative)
    below |= wrong.min(axis=1) < space.weight_for(required - space.per_rule)
    rows = np.flatnonzero(several & ~below)
    below[rows] = _several_below(
        space, (positive[rows], all_positive[rows, 0]), (negative[rows], all_negative[rows, 0]), required[rows]
    )
    return below


def _several_below(
    space: States,
    positive: tuple[np.ndarray, np.ndarray],
    negative: tuple[np.ndarray, np.ndarray],
    required: np.ndarray,
) -> np.ndarray:
    """Where completions of two or more rules may cost less than required.

    After `_rules_below` they are bounded by their damage: let the default predict d and follow ``ks`` >= 1 rules for
    the other label s and ``kd`` for d, and b be the antecedent of an s-rule with the largest weight W^s_b in the set.
    The s-rules capture at most ``ks * W^s_b`` and at most the sum of the ks largest W^s. The d-weight in b is wrong
    except for what d-rules before it take away, at most the sum of the kd largest W^d.
    """
    sums = _largest_sums(positive[0], space.total), _largest_sums(negative[0], space.total)
    below = _rules_below(space, (positive[1], negative[1]), sums, required)
    rows = np.flatnonzero(below & (required <= (LONGEST + 1) * space.per_rule))
    below[rows] = False
    longest = _useful_rules(space, required)
    p, n = (*positive, sums[0]), (*negative, sums[1])
    for (weight_s, all_s, sum_s), (weight_d, _, sum_d) in ((p, n), (n, p)):
        for ks in range(1, longest + 1):
            for kd in range(max(0, 2 - ks), longest + 1 - ks):
                rows = rows[~below[rows]]
                allowed = space.weight_for(required[rows] - (ks + kd) * space.per_rule)
                possible = all_s[rows] - sum_s[ks, rows] < allowed
                i = rows[possible]
                if len(i) == 0:
                    break
                captured = times_at_most(ks, weight_s[i], sum_s[ks, i, None])
                damage = np.maximum(weight_d[i] - sum_d[kd, i, None], 0)
                wrong = np.maximum(all_s[i, None] - captured, 0) + damage
                below[i] = wrong.min(axis=1) < allowed[possible]
    return below


def _rules_below(
    space: States, left: tuple[np.ndarray, np.ndarray], sums: tuple[np.ndarray, np.ndarray], required: np.ndarray
) -> np.ndarray:
    """Where completions of two or more rules may cost less than required, as far as what they can capture tells.

    All weight of the label that the default rule does not predict must be captured, and r rules capture at most the sum
    of the r largest weights. More rules than `LONGEST` are bounded by their number.
    """
    below = required > (LONGEST + 1) * space.per_rule
    for r in range(2, _useful_rules(space, required) + 1):
        wrong = np.minimum(left[0] - sums[0][r], left[1] - sums[1][r])
        below |= np.maximum(wrong, 0) < space.weight_for(required - r * space.per_rule)
    return below


def _useful_rules(space: States, required: np.ndarray) -> int:
    """Most rules that cost less than required, up to `LONGEST`."""
    return min(LONGEST, (int(required.max(initial=1)) - 1) // space.per_rule)


def times_at_most(r: int, weight: np.ndarray, most: np.ndarray) -> np.ndarray:
    """``min(r * weight, most)`` where the product may not fit into integers."""
    if weight.dtype.kind == "i":
        weight = np.minimum(weight, -(-most // r))
    return np.minimum(r * weight, most)


def _largest_sums(weights: np.ndarray, total: int) -> np.ndarray:
    """``out[r, i]``: the sum of the r largest entries of row i, or, where that does not fit, more than all weight."""
    k = min(LONGEST, weights.shape[1])
    largest = -np.sort(np.partition(-weights, k - 1, axis=1)[:, :k] if k else -weights, axis=1)
    out = np.zeros((LONGEST + 1, len(weights)), dtype=weights.dtype)
    out[1 : k + 1] = largest.T
    if weights.dtype.kind == "f":
        return out.cumsum(axis=0, dtype=weights.dtype)
    for r in range(1, LONGEST + 1):  # sums of integers that would not fit
        out[r] = np.minimum(out[r - 1] + out[r], total + 1)
    return out


_FEW = 256  # lemmas that are tried before the bounds on completions, which take as long


class Wanted(NamedTuple):
    """Packed sets with what has to be shown of them."""

    sets: np.ndarray  # uint8, shape (n, n_bytes)
    required: np.ndarray  # int64, shape (n,): what each set has to cost
    several: np.ndarray  # bool, shape (n,): whether completions of more than one rule have to be looked at, too
    below: np.ndarray  # int64, shape (n,): only lemmas of fewer patterns than this may be used

    @classmethod
    def after(cls, space: States, sets: np.ndarray, rules: Opened) -> Self:
        """What rules leave of packed sets; one for each rule."""
        sizes = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
        left = sets[rules.parent] & space.outside[rules.antecedent]
        return cls(left, rules.required, rules.several, sizes[rules.parent])

    def take(self, rows: np.ndarray) -> Self:
        return type(self)(*(column[rows] for column in self))

    def once(self) -> tuple[Self, np.ndarray]:
        """Each set once, with the most that is asked of it, and which of them each of these sets is."""
        words = np.zeros((len(self.sets), -(-self.sets.shape[1] * 8 // WORD) * 8), dtype=np.uint8)
        words[:, : self.sets.shape[1]] = self.sets
        group, first = group_equal_rows(words.view(np.uint64))
        strictest = self.take(first)
        np.maximum.at(strictest.required, group, self.required)
        np.maximum.at(strictest.several, group, self.several)
        np.minimum.at(strictest.below, group, self.below)
        return strictest, group

    def unproven(self, space: States, lemmas: Lemmas) -> np.ndarray:
        """Positions of the sets of which no lemma or bound on completions shows that they cost enough."""
        rows = np.arange(len(self.sets))
        for start, stop in ((0, _FEW), (_FEW, None)):
            left = self.take(rows)
            rows = rows[lemmas.proving(left.sets, left.required, left.below, start, stop) < 0]
            if start == 0:
                left = self.take(rows)
                rows = rows[completions_below(space, left.sets, left.required, left.several)]
        return rows
