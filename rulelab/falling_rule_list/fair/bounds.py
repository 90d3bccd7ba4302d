"""What cuts prefixes in the search for fair falling rule lists, each with its reason and a switch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields


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


FAIR_FALLING_BOUNDS = tuple(field.name for field in fields(FairFallingBounds))
