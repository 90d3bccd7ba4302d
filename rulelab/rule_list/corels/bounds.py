"""The bounds of the CORELS papers, each written once, on the whole weights of prefixes.

"Thm", "Lemma", "Cor" and "Prop" refer to Angelino, Larus-Stone, Alabi, Seltzer and Rudin, "Learning certifiably optimal
rule lists for categorical data", JMLR 18 (2018); "early draft" to its first version. Costs are integers: one unit of
weight that is wrong costs ``per_error``, one rule ``per_rule``, and ``cost`` is b(prefix) in these units.

Why all of them together still leave an optimum. Take an optimal list of fewest rules. The support bounds and dominance
reject no rule of it, and whether they reject a rule depends on the captured set alone. So the search is for a cheapest
path over captured sets; the memos keep a cheapest prefix of each. Of the cheapest last steps into a set take the one
of largest index: were it dropped by the commuting bound after the kept prefix, the swapped order would end in a
step of larger index and cost the same. All other bounds cut only what is proven not to beat the incumbent.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from ...kernels.jit import inlined


@dataclass(frozen=True)
class CorelsBounds:
    """Which bounds a `CorelsSearch` uses; all by default, and none of them changes the optimum.

    Attributes
    ----------
    hierarchical : bool
        No list costs less than a prefix that it starts with (Thm 1).
    equivalent_points : bool
        Rows that satisfy the same antecedents and have different labels are not all right (Thm 20).
    lookahead : bool
        A prefix to which one more rule cannot pay is not extended (Lemma 2).
    a_priori_length : bool
        No optimal list has more than 1 / (2 regularization) rules (Cor 5).
    incumbent_length : bool
        No better list has as many rules as the incumbent's objective pays for (Thm 4).
    prefix_length : bool
        The same for what a prefix has left to spend (Thm 6). It generalizes the lookahead, and so cuts only where
        that is off.
    support : bool
        Each rule captures more weight than a rule costs (Thm 10).
    accurate_support : bool
        Each rule gets right more weight than a rule costs (Thm 11).
    excessive_support : bool
        Each rule leaves more weight uncaptured than a rule costs (Thm 21).
    rejection_propagation : bool
        What one of these three bounds rejects after some antecedents it rejects after more of them, in any order
        (Thm 12, Props 13, 14 and 22): such a rule is not counted again.
    dominance : bool
        An antecedent whose rows another one of the prefix has captured does not follow (early draft).
    commuting : bool
        Two adjacent rules that capture disjoint rows are tried in one order (early draft).
    permutation : bool
        Of the prefixes that order the same antecedents only a cheapest is extended (Cor 16).
    equivalent_support : bool
        Of the prefixes that capture the same rows only a cheapest is extended (Thm 15).
    similar_support : bool
        A prefix is not extended when what it captures is so like what another one captures, of which no extension
        beats the incumbent, that none of its own can (Thm 18).
    """

    hierarchical: bool = True
    equivalent_points: bool = True
    lookahead: bool = True
    a_priori_length: bool = True
    incumbent_length: bool = True
    prefix_length: bool = True
    support: bool = True
    accurate_support: bool = True
    excessive_support: bool = True
    rejection_propagation: bool = True
    dominance: bool = True
    commuting: bool = True
    permutation: bool = True
    equivalent_support: bool = True
    similar_support: bool = True

    @classmethod
    def published(cls) -> CorelsBounds:
        """The bounds of the implementation that the JMLR paper measures (section 5)."""
        used = {"hierarchical", "equivalent_points", "lookahead", "support", "accurate_support", "permutation"}
        return cls(**{name: name in used for name in CORELS_BOUNDS})

    def to_dict(self) -> dict[str, bool]:
        return asdict(self)


CORELS_BOUNDS = tuple(field.name for field in fields(CorelsBounds))
"""The names of the bounds; the counter of each in `Snapshot.pruned` has this name."""

LIMITING = CORELS_BOUNDS[:6]
"""The bounds that limit the cost or length of prefixes: without any of them, all orders of antecedents are visited."""


@inlined
def hierarchical(cost, best):
    """No list that starts with the prefix is better than the incumbent (Thm 1)."""
    return cost >= best


@inlined
def equivalent_points(cost, points, per_error, best):
    """Nor is it when ``points``, the minority weight of the patterns not captured, is wrong in any list (Thm 20)."""
    return cost + per_error * points >= best


@inlined
def lookahead(cost, per_rule, best):
    """No longer list that starts with the prefix is better than the incumbent (Lemma 2)."""
    return cost + per_rule >= best


@inlined
def a_priori_length(length, per_error, per_rule, total):
    """No optimal list has ``length`` rules: the default rule alone costs at most half (Cor 5)."""
    return length > per_error * total // (2 * per_rule)


@inlined
def incumbent_length(length, per_rule, best):
    """No list of ``length`` rules is better than the incumbent (Thm 4).

    Better means strictly better, which covers the theorem's case of an incumbent without errors.
    """
    return length > (best - 1) // per_rule


@inlined
def prefix_length(length, extended, cost, per_rule, best):
    """No list of ``extended`` rules that starts with the prefix is better than the incumbent (Thm 6)."""
    return extended > length + (best - 1 - cost) // per_rule


@inlined
def support(captured, per_error, per_rule):
    """The rule does not pay: without it at most the weight it captures is wrong (Thm 10)."""
    return per_error * captured <= per_rule


@inlined
def accurate_support(right, per_error, per_rule):
    """The rule does not pay: without it at most the weight it gets right is wrong (Thm 11)."""
    return per_error * right <= per_rule


@inlined
def excessive_support(left, per_error, per_rule):
    """The rule leaves so little that the list may as well end before it, with its label as the default (Thm 21)."""
    return per_error * left <= per_rule


@inlined
def similar_support(cost, similar_cost, apart, per_error):
    """No list that starts with the prefix is better than the incumbent, as none that starts with a similar one is.

    Let D be the prefix, d the similar one, t the rules that follow, and ``apart`` the weight that D captures and d does
    not. The list dt gets right what Dt does except, at most, for that weight, so R(Dt) >= R(dt) + b(D) - b(d) - apart.
    Thm 18 subtracts the weight that only d captures, too; but its cost in dt is part of b(d), and in Dt not negative.
    """
    return cost - similar_cost >= per_error * apart
