"""What cuts prefixes in the search for fair rule lists, each with its reason and a switch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields


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
