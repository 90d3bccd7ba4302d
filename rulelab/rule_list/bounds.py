"""Every bound of the rule list search, written once, with its theorem.

Notation: a prefix leaves the set T of patterns uncaptured, with net weights W+(T) and W-(T); within T, antecedent ``b``
has net weights W+_b and W-_b. One unit of wrong weight costs ``per_error``, one rule ``per_rule``. "Thm" refers to
Angelino, Larus-Stone, Alabi, Seltzer and Rudin, "Learning certifiably optimal rule lists for categorical data",
JMLR 18 (2018).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from ..kernels.jit import fused, inner

LARGEST_TAIL = 12
"""Completions of more rules than this are bounded by their rules alone."""


@dataclass(frozen=True)
class RuleListBounds:
    """Which bounds a rule list search uses; all by default, and none of them changes the optimum.

    Each switch has a counter in `Snapshot.pruned`, named below in quotes; a prefix is counted once, by the first bound
    that cuts it, in the order lookahead, deletion, separation, equivalent support, core; those that count further
    rules, pair lookahead, one more rule and grid, come before equivalent support by the counts of the parent, after the
    known cores by the prefix's own, and before a core is learnt. Where a bound implies another one, as all those that
    count further rules imply the lookahead, it cuts that one's share when that one is off.

    What cannot be switched off is counted under names that start with "always: ". "captures nothing": the rule captures
    no net weight of what is left; "hierarchical": the prefix alone costs as much as the incumbent (Thm 1); "new
    incumbent": the same for the lower bound of a queued prefix, by the bounds in use, when a better list has been
    found; "length limit": ``max_length`` allows no further rule. The equivalent points bound (Thm 20) is part of the
    exact reduction to net weights, which also merges equal antecedents (``Snapshot.detail["dropped"]``). The first beam
    search does not look at the switches: it moves no bound.

    Attributes
    ----------
    accurate_support : bool
        "accurate support": a rule must get right more weight than a rule costs (Thm 11, on net weights). The reduction
        drops the antecedents that do not even alone ("too little support" in ``Snapshot.detail["dropped"]``).
    lookahead : bool
        "lookahead": a prefix to which one more rule can no longer pay is not extended (Lemma 2).
    equivalent_support : bool
        "equivalent support": of the prefixes that capture the same patterns only the cheapest is extended (Thm 15,
        which covers the permutation bound, Cor 16).
    one_more_rule : bool
        "one more rule": the patterns of the label that the default rule does not predict must be captured by further
        rules, and r rules capture at most the sum of the r largest net weights; r >= 2 with ``pair_lookahead``.
    pair_lookahead : bool
        "pair lookahead": a prefix that the cost of two more rules brings to the incumbent's is finished inside its
        parent, with the best single further rule, and never stored. So are those that ``one_more_rule`` cuts.
    grid : bool
        "grid": one of ``k`` rules must capture at least a k-th of what they capture together, and do the damage that
        this antecedent does, as far as other rules cannot shield it.
    deletion : bool
        "deletion": a prefix that is better without one of its rules, whatever follows, is dropped, when it is made or
        when it is expanded.
    cores : bool
        "core": small sets of patterns whose least cost was proven cut every uncaptured set that (nearly) contains them.
        Only long searches learn them.
    separation : bool
        "separation": of two patterns of different labels one is wrong, or a rule tells them apart; what that costs at
        least is bounded by multipliers of such pairs, anew for each prefix that is expanded, and for what each of its
        rules would leave. Only long searches look for them.
    """

    accurate_support: bool = True
    lookahead: bool = True
    equivalent_support: bool = True
    one_more_rule: bool = True
    pair_lookahead: bool = True
    grid: bool = True
    deletion: bool = True
    cores: bool = True
    separation: bool = True

    def to_dict(self) -> dict[str, bool]:
        return asdict(self)


BOUNDS = tuple(field.name for field in fields(RuleListBounds))


@fused
def pays_for_a_rule(weight_right, per_error, per_rule):
    """Accurate support (Thm 11) on net weights.

    Dropping a rule that gets net weight ``weight_right`` right saves ``per_rule`` and makes at most that weight wrong,
    so some optimal list has no rule for which this is false. It holds in the context of any prefix and, since net
    weights only shrink as more is captured, an antecedent that fails keeps failing.
    """
    return per_error * weight_right > per_rule


@inner
def largest_sums(values, out):
    """``out[r]``: the sum of the ``r`` largest values, for r = 0 .. out.size - 1."""
    k = out.size - 1
    for r in range(k + 1):
        out[r] = 0
    if k == 0:
        return
    for i in range(values.size):
        v = values[i]
        if v > out[k]:
            j = k
            while j > 1 and out[j - 1] < v:
                out[j] = out[j - 1]
                j -= 1
            out[j] = v
    for r in range(1, k + 1):
        out[r] += out[r - 1]


@fused
def one_more_rule(weight_positive, weight_negative, sums_positive, sums_negative, fewest, per_error, per_rule):
    """Lower bound on the further cost of all completions by at least ``fewest`` rules.

    If the default rule predicts d, all patterns of the other label s that no further rule captures are wrong, and r
    rules capture at most the sum of the r largest W^s_b: error >= W^s(T) - that sum. The bound is the least, over both
    labels and all r >= fewest, of r rules and that error.
    """
    last = sums_positive.size - 1
    best = (max(last, fewest - 1) + 1) * per_rule
    for r in range(fewest, last + 1):
        missed = min(weight_positive - sums_positive[r], weight_negative - sums_negative[r])
        best = min(best, r * per_rule + per_error * max(missed, 0))
    return best


@inner
def single_rule(captured_s, captured_d, lost_d, weight_s):
    """Least error of finishing with one rule that predicts s and a default that predicts d, from the parent's counts.

    If the parent's set S loses d-weight ``lost_d`` to its child T, an antecedent has W^s_b(T) <= W^s_b(S) and
    W^d_b(T) >= W^d_b(S) - lost_d; the error is W^d_b(T) + W^s(T) - W^s_b(T).
    """
    least = weight_s
    for b in range(captured_s.size):
        least = min(least, max(captured_d[b] - lost_d, 0) + max(weight_s - captured_s[b], 0))
    return least


@inner
def grid(weight_s, weight_d, captured_s, captured_d, sums_s, sums_d, fewest, per_error, per_rule, budget):
    """Lower bound on the further cost of completions whose default rule predicts d, by at least ``fewest`` rules.

    Let ``ks`` >= 1 further rules predict s and ``kd`` predict d. Let b be the antecedent of largest W^s_b among the
    s-rules. Together they capture at most min(ks W^s_b, sum of the ks largest) of the s-weight, and the d-weight in b
    is wrong except for what earlier d-rules shield, at most the sum of the kd largest W^d. The least over b, ks and kd
    is a bound. Completions of ``budget`` or more in rules alone are not looked at: the result is at most ``budget``.
    """
    last = sums_s.size - 1
    best = budget
    for ks in range(1, last + 1):
        if max(ks, fewest) * per_rule >= best:
            break
        missed = per_error * max(weight_s - sums_s[ks], 0)
        if ks * per_rule + missed >= best:
            continue
        for kd in range(max(fewest - ks, 0), last + 1 - ks):
            rules = (ks + kd) * per_rule
            if rules + missed >= best:
                break
            least = weight_s + weight_d
            top, shield = sums_s[ks], sums_d[kd]
            for b in range(captured_s.size):
                wrong = max(weight_s - min(ks * captured_s[b], top), 0) + max(captured_d[b] - shield, 0)
                least = min(least, wrong)
            best = min(best, rules + per_error * least)
    return min(best, (last + 1) * per_rule)


@fused
def better_without(lost, gained, per_error, per_rule):
    """Whether a list is strictly better without one of its rules, whatever follows the prefix.

    Take rule i out of a prefix. What it captured falls to later rules, or to X, the part that no later rule of the
    prefix captures. The list gets at most ``lost`` more net weight wrong: what rule i had right and now falls to a rule
    of the other label or to X. It gets at least ``gained`` right again: what rule i had wrong and now falls to a rule
    of the other label. The rule's own cost is saved. Strict, so that of two equally good lists one always survives.
    """
    return per_error * lost < per_rule + per_error * gained


@dataclass(frozen=True)
class FairRuleListBounds:
    """Which bounds a search for fair rule lists uses; all by default, and none of them changes the optimum.

    Bounds that exchange or drop rules of a list without constraints (support, deletion, dominance by the captured set
    alone) are not valid here: the cheaper list may be unfair. What follows is valid. Each switch has a counter in
    `Snapshot.pruned`, named below in quotes; "always: threshold" counts prefixes that cost too much themselves.

    Attributes
    ----------
    completions : bool
        "completions": the least relaxed cost of completing a prefix, proven by a search over the sets that are left.
        The relaxed cost adds multiples of the rates' differences to the cost, and is never more than the cost of a fair
        list.
    one_more_rule : bool
        "one more rule": the same, estimated by the largest weights that further rules can capture.
    weak_rule : bool
        "weak rule": a list with a rule that gets little right costs at least what the best list without it costs in the
        relaxation, and the difference.
    same_set : bool
        "same set": of two prefixes that capture the same patterns, the one that costs no less and can only be
        completed to a fair list where the other one can.
    reach : bool
        "reach": no labels of what is left make the rates alike.
    """

    completions: bool = True
    one_more_rule: bool = True
    weak_rule: bool = True
    same_set: bool = True
    reach: bool = True

    def to_dict(self) -> dict[str, bool]:
        return asdict(self)


FAIR_BOUNDS = tuple(field.name for field in fields(FairRuleListBounds))
