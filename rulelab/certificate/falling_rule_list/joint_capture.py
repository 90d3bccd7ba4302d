"""Antecedents that no falling list of a smaller cost has, shown by whole-number multipliers.

Let a list fall, its rules be above tau and its else not, T be what the rules capture, and g_u = A p_u - B q_u: it costs
A P - g(T) and R for each rule. Patterns that the antecedents left do not tell apart count as one. Take multipliers
x_uv >= 0 of patterns u with g_u > 0 and v with g_v < 0, those of each v at most -g_v together, and y_ua >= 0 of
patterns u and antecedents a of theirs, those of each a at most R together. If b is the antecedent of a rule, then what
the list saves, g(T) less its rules, is at most

    g(b) - R + the sum over u outside b of the positive part of g_u - min over a of (y_ua + sum of x_uv, v in a not b):

each u of T outside b is captured by a rule of another antecedent a, all v of which are in T; so these v and this rule
pay for u what the multipliers say, and nothing pays twice. Where A P less this is no less than the cost in question, b
is dropped, and the next round is about the antecedents that are left.

A list whose else is above tau, too, costs what the else alone does on everything, at least. Lists with a rule that is
not above tau need not be looked at (Cor 4.5), nor those with a rule that captures all that was left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..certificate import CertificateError
from ..parts import column_sums, parts, select, unique_rows
from .states import FallingStates, in_order

ROUNDS = frozenset({"rounds", "dropped", "pairs", "rules"})  # the arrays of a certificate that drops antecedents
_EXACT = 1 << 53
_PRODUCTS = 1 << 17


class Round(NamedTuple):
    """What is dropped at once, and why."""

    dropped: np.ndarray  # int64: antecedents, by their positions in the states
    pairs: np.ndarray
    """int64, shape (3, n): u, v and x_uv; u and v are places among the merged patterns of a gain, or loss."""
    rules: np.ndarray  # int64, shape (3, k): u, a and y_ua


@dataclass(frozen=True, eq=False)
class Merged:
    """Patterns that the antecedents left do not tell apart, merged; those of a gain, and those of a loss."""

    left: np.ndarray  # bool, shape (n_antecedents,)
    # u_of, v_of (int64, shape (n_patterns,)): the places of the states' patterns; -1 where they have none
    u_of: np.ndarray
    v_of: np.ndarray
    # gain, loss (int64): g_u and -g_v
    gain: np.ndarray
    loss: np.ndarray
    # in_u, in_v (bool): which antecedents hold, of those that are left; the others hold nowhere
    in_u: np.ndarray
    in_v: np.ndarray
    whole: np.ndarray  # int64, shape (n_antecedents,): g(b)


def merged(space: FallingStates, left: np.ndarray) -> Merged:
    """Merge the patterns that these antecedents do not tell apart."""
    gains = space.per_positive * space.positives - space.per_negative * space.negatives
    inside = space.inside & left
    _, first, group = unique_rows(inside)
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, group, gains)
    some = inside[first].any(axis=1)
    sides = [np.flatnonzero(some & (sign * total > 0)) for sign in (1, -1)]
    places = np.full((2, len(first)), -1, dtype=np.int64)
    for place, side in zip(places, sides, strict=True):
        place[side] = np.arange(len(side))
    return Merged(
        left=left,
        u_of=places[0][group],
        v_of=places[1][group],
        gain=total[sides[0]],
        loss=-total[sides[1]],
        in_u=inside[first[sides[0]]],
        in_v=inside[first[sides[1]]],
        whole=column_sums(inside, gains),
    )


def most_saved(
    space: FallingStates, patterns: Merged, pairs: np.ndarray, rules: np.ndarray, antecedents: np.ndarray
) -> np.ndarray:
    """What a list with each of these antecedents saves at most; refuses multipliers that are not allowed."""
    m, n_u = len(patterns.left), len(patterns.gain)
    _require_at_most(pairs, n_u, patterns.loss, "pattern")
    _require_at_most(rules, n_u, np.full(m, space.per_rule, dtype=np.int64), "antecedent")
    if not patterns.in_u[rules[0], rules[1]].all():
        raise CertificateError("a multiplier is for a pattern and an antecedent that does not hold for it")
    most = int(patterns.loss.sum()) + int(patterns.gain.sum()) + space.per_rule
    exact = np.float64 if most < _EXACT else np.int64
    paid = np.zeros((n_u, m), dtype=np.int64)
    np.add.at(paid, (rules[0], rules[1]), rules[2])
    pairs = pairs[:, np.argsort(pairs[0], kind="stable")]
    starts = np.searchsorted(pairs[0], np.arange(n_u + 1))
    in_v = patterns.in_v.astype(exact)
    apart, outside = in_v[:, antecedents], ~patterns.in_u[:, antecedents]
    saved = patterns.whole[antecedents] - space.per_rule
    for u in range(n_u):
        choices = np.flatnonzero(patterns.in_u[u])
        mine, out = slice(starts[u], starts[u + 1]), np.flatnonzero(outside[u])
        v = pairs[1, mine]
        by_choice = in_v[v][:, choices] * pairs[2, mine, None].astype(exact)
        total = paid[u, choices] + by_choice.sum(axis=0).astype(np.int64)
        held = apart[v]
        for part in parts(len(out), by_choice.size, _PRODUCTS):  # larger products are shared out to threads
            shared = (held[:, out[part]].T @ by_choice).astype(np.int64)
            saved[out[part]] += (patterns.gain[u] - (total - shared).min(axis=1)).clip(0)
    return saved


def _require_at_most(multipliers: np.ndarray, n_u: int, most: np.ndarray, what: str) -> None:
    """Refuse multipliers of nothing, negative ones, and those that exceed together what there is to be paid."""
    u, of, x = multipliers
    if (u < 0).any() or (u >= n_u).any() or (of < 0).any() or (of >= len(most)).any():
        raise CertificateError(f"a multiplier is for a pattern, or a {what}, that there is not")
    if (x < 0).any() or (x > most[of]).any():
        raise CertificateError(f"a multiplier is negative, or exceeds what its {what} costs")
    high, low = np.zeros((2, len(most)), dtype=np.int64)
    np.add.at(high, of, x >> 31)
    np.add.at(low, of, x & 0x7FFFFFFF)
    total = [(int(h) << 31) + int(rest) for h, rest in zip(high, low, strict=True)]
    if any(t > a for t, a in zip(total, most.tolist(), strict=True)):
        raise CertificateError(f"multipliers exceed together what their {what} costs")


def eligible(space: FallingStates) -> np.ndarray:
    """The antecedents that hold somewhere, and not everywhere: others capture nothing, or all that is left."""
    held = space.inside.sum(axis=0)
    return (held > 0) & (held < len(space.inside))


def reduced(space: FallingStates, left: np.ndarray) -> FallingStates:
    """The problem with these antecedents alone; patterns that they do not tell apart are merged."""
    _, first, group = unique_rows(space.inside[:, left])
    weights = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(weights[0], group, space.positives)
    np.add.at(weights[1], group, space.negatives)
    inside = select(space.inside, first, np.flatnonzero(left))
    return in_order(space, inside, weights[0], weights[1], space.antecedents[left])


def what_is_left(space: FallingStates, arrays: Mapping[str, np.ndarray], least: int) -> np.ndarray:
    """Which antecedents the rounds leave, bool; CertificateError unless each drops only what no better list has."""
    left = eligible(space)
    everything = space.per_positive * int(space.positives.sum())
    for k, each in enumerate(_rounds(arrays)):
        dropped = each.dropped
        if (dropped < 0).any() or (dropped >= len(left)).any() or not left[dropped].all():
            raise CertificateError(f"round {k} drops an antecedent that is not left")
        costs = everything - most_saved(space, merged(space, left), each.pairs, each.rules, dropped)
        for a, cost in zip(dropped[costs < least], costs[costs < least], strict=True):
            raise CertificateError(
                f"round {k} drops antecedent {space.antecedents[a]}, but its multipliers show only that lists with it "
                f"cost at least {max(0, int(cost))}, and not {least}"
            )
        left = left.copy()
        left[dropped] = False
    return left


def _rounds(arrays: Mapping[str, np.ndarray]) -> list[Round]:
    """The rounds of a certificate."""
    sizes, dropped, pairs, rules = (arrays[name] for name in ("rounds", "dropped", "pairs", "rules"))
    shapes = (sizes, 2, 3), (pairs, 2, 3), (rules, 2, 3), (dropped, 1, len(dropped))
    if any(each.dtype != np.int64 or each.ndim != n or len(each) != rows for each, n, rows in shapes):
        raise CertificateError("'rounds', 'dropped', 'pairs' and 'rules' are not integers of the shapes of multipliers")
    if (sizes < 0).any() or sizes.sum(axis=1).tolist() != [len(dropped), pairs.shape[1], rules.shape[1]]:
        raise CertificateError("the rounds do not say which multipliers are theirs")
    ends = np.cumsum(sizes, axis=1)
    starts = ends - sizes
    return [
        Round(dropped[slice(a[0], b[0])], pairs[:, slice(a[1], b[1])], rules[:, slice(a[2], b[2])])
        for a, b in zip(starts.T, ends.T, strict=True)
    ]


def arrays_of(rounds: Sequence[Round]) -> dict[str, np.ndarray]:
    """The rounds as arrays of a certificate; none where there are no rounds."""
    if not rounds:
        return {}
    return {
        "rounds": np.array(
            [(len(r.dropped), r.pairs.shape[1], r.rules.shape[1]) for r in rounds], dtype=np.int64
        ).T.copy(),
        "dropped": np.concatenate([r.dropped for r in rounds]).astype(np.int64),
        "pairs": np.concatenate([r.pairs for r in rounds], axis=1),
        "rules": np.concatenate([r.rules for r in rounds], axis=1),
    }
