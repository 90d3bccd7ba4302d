"""Every bound of the exact falling rule list searches, written once, with its theorem.

Notation: a prefix leaves the set S of patterns uncaptured, with P positives and N negatives; tau is the threshold. A
rule, or the else, that captures p positives and q negatives costs ``min(A p, B q)``, with A = ``per_positive`` and
B = ``per_negative``, and is *above* when A p > B q. "Thm", "Prop" and "Cor" refer to Chen and Rudin, "An optimization
approach to learning falling rule lists", AISTATS 2018.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields

import numpy as np

from ..kernels.bit_words import at_most
from ..kernels.jit import inlined, inner

_ROUNDING = 2.0**-48
_CLOSEST = 1e-6
_BELOW = 1 - 1e-12
_ERROR = 2.0**-40  # of a sum of costs
_RISE = 2.0**-50  # the error of a difference of two proportions
_LARGEST = 2.0**60
INTERVALS = 40
_LOWEST = 24  # intervals of the least proportion
FEW = 8  # rules, whose gains are bounded together
_ROUNDS, _SMALLER = 100, 0.9999  # of the cap, while it gets smaller


@dataclass(frozen=True)
class FallingBounds:
    """Which bounds an exact falling rule list search uses; all by default, and none of them changes the optimum.

    Each switch has a counter in `Snapshot.pruned` of the same name, with spaces; a prefix is counted once, by the first
    bound that cuts it. Of equivalent points, prefix bound and density cap that is the first in this order that alone
    suffices; the density cap implies the other two, and so cuts their share when they are off.

    What cannot be switched off is counted under names that start with "always: ". "captures nothing or all": of what is
    left; "rising proportion": the list would not fall; "hierarchical": the prefix and one more rule alone cost as much
    as the incumbent; "new incumbent": the same for the lower bound of a queued prefix, by the bounds in use, when a
    better list has been found; "length limit": ``max_length`` allows no further rule. The Monte-Carlo search for the
    first list does not look at the switches: it moves no bound.

    Attributes
    ----------
    feasible_prefix : bool
        A prefix is dropped when the rest has a larger proportion of positives than its last rule: no list that starts
        with it falls (Prop 4.2). Falling lists only.
    necessary_condition : bool
        Rules at or below the threshold are not tried: some optimal list has none (Cor 4.5). Falling lists only.
    prefix_bound : bool
        Whatever a further rule captures has at most the proportion of the last one (Thm 4.6); of softly falling lists,
        at most the proportion that the penalty allows (Thm 5.2), which takes ``violations`` too.
    equivalent_points : bool
        Every pattern costs at least ``min(A p, B q)``.
    density_cap : bool
        The two before at once, for every threshold between 0 and tau, see `further_loss`.
    eligible_cap : bool
        Once the antecedents are counted, the largest proportion of those that may come next takes the place of the
        last rule's, in the prefix bound and the density cap; a prefix that none may follow is dropped. Of softly
        falling lists: the proportions of those that may come next take the place of the least one in ``violations``.
    dominance : bool
        Of the prefixes that capture the same set, one is dropped when another has no more rules and a last proportion
        that is not smaller; of softly falling lists, when another costs no more and its least proportion is not
        smaller.
    violations : bool
        A softly falling list pays for the rise to whatever further rule is above the threshold, which bounds the
        proportions that further rules can have.
    exceptions : bool
        Once a softly falling list has a proportion below the threshold, every further rule above it pays for a rise:
        few rules can, which bounds what they gain (see `smallest_exception`).
    joint_capture : bool
        A rule captures, with the patterns worth having, others that it has in common with them: antecedents that no
        better list has are dropped, see `rulelab.falling_rule_list.joint_capture`. Falling lists only, and those that
        take some thousand prefixes.
    """

    feasible_prefix: bool = True
    necessary_condition: bool = True
    prefix_bound: bool = True
    equivalent_points: bool = True
    density_cap: bool = True
    eligible_cap: bool = True
    dominance: bool = True
    violations: bool = True
    exceptions: bool = True
    joint_capture: bool = True

    def to_dict(self) -> dict[str, bool]:
        return asdict(self)


BOUNDS = tuple(field.name for field in fields(FallingBounds))


@inner
def further_loss(arrays, rules, positives, negatives, left, cap):
    """Lower bound on the loss in S of all completions whose further rules above tau capture proportions <= ``cap``.

    Let T be what those rules capture: the loss is A P - (A p(T) - B q(T)), and p(T) <= a |T| with a = ``cap``. For any
    l >= 0 the gain A p(T) - B q(T) is at most the sum over T of A p_u - B q_u - l (p_u - a (p_u + q_u)), so at most the
    sum of its positive parts over S. For a threshold t < a, t <= tau, and l = (B - (A + B) t) / (a - t) these are the
    patterns of proportion above t, which gives

        gain <= A p_t - B q_t - l (p_t - a (p_t + q_t)),    p_t, q_t: what S has in patterns of proportion above t.

    t = tau is the equivalent points bound (l = 0), t = 0 the one of Thm 4.6. The bound on the gain is convex in l, and
    least where the patterns above t have together the proportion a. Rounding is subtracted: of the arithmetic, and of
    weights, by which p(T) can exceed a |T| by ``rules.misplaced``.

    ``positives``, ``negatives`` (int64 array, shape (n_head,)): weight of S in the words up to each, from `sum_head`.
    ``left`` (int): p. ``cap`` (float).
    """
    a = rules.per_positive
    b = rules.per_negative
    if cap * (a + b) < b * _BELOW and (rules.prefix_bound or rules.density_cap):  # no rule may be above tau
        return a * left
    least = 0
    n = positives.size
    above = arrays.above
    if rules.equivalent_points:
        least = a * left
        if above:
            least -= a * positives[above - 1] - b * negatives[above - 1]
    if n == 0:
        return least
    if rules.density_cap:
        low = max(above - 1, 0)
        high = n - 1
        while low < high:  # the first word up to which the proportion is at most a
            middle = (low + high) >> 1
            if positives[middle] <= cap * (positives[middle] + negatives[middle]):
                high = middle
            else:
                low = middle + 1
        if positives[low] <= cap * (positives[low] + negatives[low]):
            least = max(least, _loss_at(rules, left, positives[low], negatives[low], arrays.upper[low], cap))
            low -= 1
        if low >= 0 and low >= above - 1:
            least = max(least, _loss_at(rules, left, positives[low], negatives[low], arrays.lower[low], cap))
    elif rules.prefix_bound:
        least = max(least, _loss_at(rules, left, positives[n - 1], negatives[n - 1], 0.0, cap))
    return least


@inlined
def least_share(rules, p, q):
    """The least proportion of what captures p and q on the grid: its positives, and those and its negatives."""
    p = max(p - rules.misplaced, 0)
    return p, p + q + rules.misplaced


@inlined
def largest_share(rules, p, q):
    """The largest proportion of what captures p and q on the grid."""
    p += rules.misplaced
    return p, p + max(q - rules.misplaced, 0)


@inlined
def is_above(rules, p, q):
    """Whether a proportion is above the threshold, or may be."""
    return rules.per_positive * (p + rules.misplaced) > rules.per_negative * max(q - rules.misplaced, 0)


@inlined
def _loss_at(rules, left, p, q, t, cap):
    """The bound for one threshold, rounded up to an integer after the rounding error is subtracted; 0 for t ~ cap."""
    if t > cap - _CLOSEST:
        return 0
    a, b = rules.per_positive, rules.per_negative
    price = max(0.0, b - (a + b) * t) / (cap - t)
    gain = np.float64(a) * p - np.float64(b) * q - price * (p - cap * (p + q))
    error = np.float64(a) * left + np.float64(b) * q + price * (p + cap * (p + q)) * (1 + 1 / (cap - t))
    if t > 0:
        error += (np.float64(a) + b + price) * left / t  # patterns of proportion t, whose terms are 0 but for rounding
    return math.ceil(np.float64(a) * left - gain - error * _ROUNDING - price * rules.misplaced)


@inner
def violation(rules, p, n, lowest_p, lowest_n):
    """Cost of a proportion p / n after a least one, rounded down; 0 unless it rises."""
    if at_most(p, n, lowest_p, lowest_n):
        return np.int64(0)
    return cost_of_rise(rules, p / n - lowest_p / lowest_n)


@inlined
def cost_of_rise(rules, rise):
    """C1 times the difference of two proportions, rounded down to an integer, and to one that cannot overflow."""
    return np.int64(min(_LARGEST, max(0.0, rules.penalty * (rise - _RISE))))


@inlined
def least_rise(rules, proportion, lowest):
    """Cost of the rise from a least proportion to the threshold, or to a larger one; rounded down, 0 if switched off.

    A completion that beats stopping has a further rule, or the else, above tau: otherwise the pieces of what is left
    cost as much as the whole, and one of them rises at least as far as the whole.
    """
    if not rules.violations:
        return np.int64(0)
    tau = rules.per_negative / (rules.per_positive + rules.per_negative)
    return cost_of_rise(rules, max(proportion, tau) - lowest)


@inner
def further_cost(arrays, rules, positives, negatives, left, lowest, rise, least_cap, cap, budget):
    """Lower bound on loss and violations in S of completions of a softly falling prefix that stay below ``budget``.

    Let c be the largest proportion of the further pieces above tau, and m = ``lowest`` at least the least proportion
    before any that may rise. Such a piece pays at least C1 (c - m), so completions within the budget have
    C1 (c - m) + loss < budget, which bounds c, which bounds the loss (`further_loss`), and so on. Pieces that cannot
    rise have at most the proportion ``least_cap``.

    Returns ``cost`` (int): at least the budget where there is no such completion. ``cap`` (float).

    Parameters
    ----------
    lowest : float
    rise : int
        Lower bound on the violations, whatever c is.
    least_cap : float
    cap : float
        No completion within the budget has a larger c; 1 at first.
    budget : int
    """
    cap = max(cap, least_cap)
    loss = further_loss(arrays, rules, positives, negatives, left, cap)
    if rules.violations and rules.penalty > 0:
        for _ in range(_ROUNDS):
            if loss + rise >= budget:
                break
            allowed = max(least_cap, (lowest + (budget - loss) / rules.penalty) * (1 + _RISE) + _RISE)
            if allowed > _SMALLER * cap:
                break
            cap = allowed
            loss = max(loss, further_loss(arrays, rules, positives, negatives, left, cap))
    return loss + rise, cap


@inner
def loss_curve(arrays, rules, positives, negatives, left, cap, losses):
    """`further_loss` for caps that part what is between tau and ``cap`` into equal intervals; returns their length."""
    tau = rules.per_negative / (rules.per_positive + rules.per_negative)
    step = (cap - tau) / losses.size
    for i in range(losses.size):
        losses[i] = further_loss(arrays, rules, positives, negatives, left, tau + (i + 1) * step + _RISE)
    return step


@inner
def smallest_lowest(rules, losses, step, budget):
    """Prefixes with a smaller least proportion than this have no completion within the budget; 0 if switched off.

    A further piece of proportion c > tau after a least one of m costs C1 (c - m), and the loss in S is at least that
    for the cap c (`further_cost`). Where it must stay below the budget, m > c - (budget - loss) / C1 for some c: the
    least of these is taken, over the intervals of c of a `loss_curve`.
    """
    if not rules.violations or rules.penalty <= 0:
        return 0.0
    tau = rules.per_negative / (rules.per_positive + rules.per_negative)
    least = 1.0
    for i in range(losses.size):
        least = min(least, tau + i * step - (budget - losses[i]) / rules.penalty)
    return least * (1 - _RISE) - _RISE


@inner
def smallest_exception(rules, store, step, left, size, captured, least_size, lowest, budget):
    """Prefixes with a least proportion below tau and below this have no completion within the budget.

    Let k >= 1 further pieces be above tau, c the largest of their proportions, m < tau the least one when they begin
    and m' <= m before the last of them. Each pays for its rise, the last at least C1 (tau - m') and the others at least
    C1 (tau - m); the one of proportion c pays C1 (c - tau) more: together C1 (c - m' + (k - 1) (tau - m)). What they
    gain is at most

    - what the loss for the cap c leaves, and the sum of the k largest gains of an antecedent, that is of the positive
      parts of A p_u - B q_u over its patterns in S; for k = 1 also p (A - B (1 - c) / c), p being the positives that
      the antecedent has in S;
    - (A + B) (c - tau) / (c - m') times the excess p - m' n of all that is captured until the last of them ends: no
      piece of it has a smaller proportion than m', and a piece of proportion x <= c gains (A + B) (x - tau) n.
      It holds all that the last antecedent has in S, so that its excess is at most that of the antecedent and the
      positive parts of the other patterns; those of proportion x <= tau add at most p (1 - m' / tau).

    Where the else is one of them, that excess is the one of S; if the proportion of S is below tau, m' is at most it.
    All is taken for intervals of m', and of c as in `loss_curve`.

    Returns ``least`` (float) and ``looked`` (int): intervals and antecedents that were looked at.

    Parameters
    ----------
    store : Store
        Its ``losses`` from `loss_curve`, ``largest`` from `largest_gains`; of each antecedent in S the positives in
        ``counts``, the gain and what m' is multiplied with in ``gains``.
    step : float
        From `loss_curve`.
    left, size : int
        Positives and weight of S.
    captured : int
        Positives of S that are captured already, at or below tau, and left out in the losses; 0 at first.
    least_size : float
        The least that m' is multiplied with: of the rule that captured them, or of all antecedents.
    lowest : float
        The least proportion of the prefix.
    budget : int
    """
    losses, largest, positives, gains, sizes = (
        store.losses,
        store.largest,
        store.counts[0],
        store.gains[0],
        store.gains[1],
    )
    a, b, penalty = np.float64(rules.per_positive), np.float64(rules.per_negative), rules.penalty
    tau, density = b / (a + b), left / size
    below = 1.0 if density >= tau else density * (1 + _ERROR)  # m', where the else is above tau
    everything = a * left
    need = everything - budget - everything * _ERROR - 2 * largest.size * (1 + penalty * _RISE)
    smallest = min(lowest * (1 + _ERROR), tau)
    width = smallest / _LOWEST
    best = -np.inf  # of what a gain leaves of its cost, but for what m' pays back
    for k in range(losses.size):
        best = max(best, a * (left - captured) - losses[k] - penalty * (tau + k * step))
    looked = losses.size
    first = min(max((need - best) / penalty / width * (1 - _ERROR), 0.0), _LOWEST) if width > 0 else 0.0
    for i in range(int(first), _LOWEST):
        low, high = i * width, (i + 1) * width
        if low >= smallest:
            break
        looked += losses.size
        for k in range(losses.size):
            c, cap = tau + k * step, tau + (k + 1) * step + _RISE
            gain, paid = a * (left - captured) - losses[k], penalty * (c - high)
            if gain - paid <= need:
                continue
            factor = (a + b) * (cap - tau) / (cap - high)
            most_excess = left - low * least_size + size * _ERROR
            if low < below:
                last = min(high, below)
                whole = (a + b) * (cap - tau) / (cap - last) * (left - low * size + size * _ERROR)
                if min(gain, whole) - penalty * (c - last) > need:
                    return low * (1 - _RISE) - _RISE, looked
            goal = need + paid
            if gain <= goal or factor * most_excess <= goal:
                continue
            least, slope = goal / factor - left - size * _ERROR, a - b * (1 - cap) / cap
            if largest[0] > goal:
                looked += gains.size
                for j in range(gains.size):
                    if gains[j] > goal and slope * positives[j] > goal and -low * sizes[j] > least:
                        return low * (1 - _RISE) - _RISE, looked
            some = min(gain, factor * most_excess)
            for n in range(1, largest.size + 1):
                now = some if n == largest.size else min(some, np.float64(largest[n]))
                if now > goal:
                    smallest = min(smallest, max(low, tau - (now - goal) / (penalty * n)))
                if now >= some:
                    break
    return smallest * (1 - _RISE) - _RISE, looked


@inlined
def largest_gains(gains, largest):
    """Sums of the largest gains, of one, of two, and so on; ``largest`` gets them."""
    for i in range(largest.size):
        largest[i] = 0.0
    for j in range(gains.size):
        gain = gains[j]
        for i in range(largest.size):
            if gain > largest[i]:
                gain, largest[i] = largest[i], gain
    for i in range(1, largest.size):
        largest[i] += largest[i - 1]


@dataclass(frozen=True)
class FairFallingBounds:
    """Which bounds a search for fair falling rule lists uses; all by default, and none of them changes the optimum.

    In some fair list of least loss every rule predicts the positive class and the else the negative one, or there is no
    rule: as without constraints (Cor 4.5), rules at or below the threshold at the end can go, since the else, then the
    mixture of what they and it captured, is at or below the threshold and no prediction changes. So the rates of groups
    depend on the captured patterns alone. Each switch has a counter in `Snapshot.pruned` of the same name, with spaces.

    What cannot be switched off is counted under names that start with "always: ". "captures nothing or all": of what is
    left; "necessary condition": a rule at or below the threshold; "rising proportion": the list would not fall;
    "new incumbent": a queued prefix whose lower bound is no longer below the best loss; "too little to gain": one more
    rule would not pay if it captured all positives that are left and nothing else; "length limit".

    Attributes
    ----------
    feasible_prefix : bool
        A prefix is dropped when the rest has a larger proportion of positives than its last rule: no list that starts
        with it falls (Prop 4.2).
    relaxation : bool
        What further rules gain is bounded with multiples of the rates' differences, and of what the proportion of
        the last rule allows, added to each pattern; the multiples are chosen anew for every prefix.
    few_rules : bool
        The same, by the antecedents that capture most of what can be gained: each further rule costs.
    eligible_cap : bool
        Once the antecedents are counted, the largest proportion of those that may come next takes the place of the
        last rule's in the relaxation, without which it cuts nothing.
    dominance : bool
        Of the prefixes that capture the same set, one is dropped when another has no more rules and a last proportion
        that is not smaller.
    reach : bool
        A prefix is dropped when capturing no patterns of what is left makes the rates alike.
    """

    feasible_prefix: bool = True
    relaxation: bool = True
    few_rules: bool = True
    eligible_cap: bool = True
    dominance: bool = True
    reach: bool = True

    def to_dict(self) -> dict[str, bool]:
        return asdict(self)
