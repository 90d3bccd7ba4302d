"""Terms of fairness: criteria with the formula of their gap, rates of groups, and how they are shown."""

from __future__ import annotations

from .term import FAIR, HARDT, OWN, Term

_PAIRS = "over all pairs of groups g, h"

TERMS = (
    Term(
        "fairness",
        "A constraint: a rate may differ between groups of people by at most a tolerance.",
        "It holds on the training rows; on others the rates may differ by more, and for small groups by chance.",
        source=f"section 3, {FAIR}",
        see=("equal opportunity", "equalized odds", "demographic parity", "accuracy parity", "tolerance"),
        aliases=("set fairness", "fairness constraint", "criterion", "criteria", "none"),
    ),
    Term(
        "equal opportunity",
        "Positives are missed equally often in all groups.",
        formula=f"max | FNR_g − FNR_h | ≤ ε {_PAIRS},  FNR = missed positives / positives",
        source=f"{HARDT}; as a constraint section 3.1, {FAIR}",
        see=("false negative rate", "gap between groups"),
        aliases=("equal opportunity: missed positives", "tpr gap"),
    ),
    Term(
        "equalized odds",
        "Positives are missed, and negatives taken for positive, equally often in all groups.",
        "With the Hamming loss the second rate counts the rules that cover a negative.",
        f"max | FNR_g − FNR_h | ≤ ε and max | FPR_g − FPR_h | ≤ ε₂ {_PAIRS}",
        f"{HARDT}; as a constraint section 3.2, with the proxy of Thm 5, {FAIR}",
        ("equal opportunity", "false positive rate parity"),
        ("equalized odds: both errors",),
    ),
    Term(
        "demographic parity",
        "The same share of every group is predicted positive, whatever its members are.",
        formula=f"max | P(ŷ=1 | g) − P(ŷ=1 | h) | ≤ ε {_PAIRS}",
        source=f"as a constraint the end of section 3.2, {FAIR}",
        see=("selection rate",),
        aliases=("demographic parity: predicted positive",),
    ),
    Term(
        "false positive rate parity",
        "Negatives are taken for positive equally often in all groups.",
        formula=f"max | FPR_g − FPR_h | ≤ ε {_PAIRS},  FPR = false alarms / negatives",
        source=f"as a constraint the end of section 3.2, {FAIR}",
        see=("false positive rate",),
        aliases=("predictive equality", "false positive rate parity: false alarms"),
    ),
    Term(
        "accuracy parity",
        "All groups are predicted with the same accuracy.",
        "A set without rules need not meet it.",
        f"max | accuracy_g − accuracy_h | ≤ ε {_PAIRS}",
        f"as a constraint the end of section 3.2, {FAIR}",
        ("accuracy",),
        ("accuracy parity: all errors",),
    ),
    Term(
        "predictive parity",
        "Of those predicted positive the same part is positive in every group.",
        "For rule lists only: the rate is no linear function of the errors. The lists are searched by ranges of the "
        "least rate of a group, each with linear constraints, and those that break the criterion itself are refused "
        "one by one. The proof has these ranges, too, from 0 to 1. A group of whom nobody is predicted positive has "
        "no such rate and is not compared.",
        f"max | precision_g − precision_h | ≤ ε {_PAIRS},  precision = right positives / predicted positive",
        OWN,
        ("gap between groups", "rule list"),
        ("predictive parity: right positives",),
    ),
    Term(
        "gap between groups",
        "The largest difference of a rate between any two groups.",
        "With few rows in a group it is mostly chance: look at the intervals.",
        "max over g, h of | rate_g − rate_h |",
        see=("fairness", "interval"),
        aliases=(
            *("gap in missed positives", "gap in false alarms", "gap in predicted positive", "gap in accuracy"),
            *("gap (%)", "largest difference", "sweep gap"),
        ),
    ),
    Term(
        "least gap",
        "The smallest gap between groups that any list, or set, of some accuracy has.",
        "Proven, it is the sentence that a lender or a court asks for: none that is as accurate treats the groups more "
        "alike. Between models of that gap the one that costs least is chosen.",
        "min of max over g, h of | rate_g − rate_h |  s.t.  accuracy ≥ a",
        OWN,
        ("gap between groups", "fairness"),
        aliases=(
            *("rule list of least gap so far", "rule set of least gap so far", "rule list of least gap"),
            *("a rule list of least gap", "a rule set of least gap", "gap measured in", "gap criterion"),
        ),
    ),
    Term(
        "min accuracy",
        "The least share of the rows, by weight, that a model has to get right.",
        "Of all that do, the one of the least gap between groups is looked for.",
        see=("least gap",),
        aliases=("accuracy, at least", "accuracies, at least", "gap grid"),
    ),
    Term(
        "tolerance",
        "The largest difference ε between two groups that is allowed.",
        formula="| rate_g − rate_h | ≤ ε",
        source=f"sections 3.1 and 3.2, {FAIR}",
        see=("fairness",),
        aliases=("negatives tolerance", "largest difference (ε)", "set tolerances", "allowed"),
    ),
    Term(
        "min group size",
        "Groups with fewer rows of the class that a rate counts are left out of the constraint.",
        "Of few rows a rate says little, and one small group would decide what the model may be.",
        see=("fairness", "interval"),
        aliases=("least group size", "set group size", "least rows of a group"),
    ),
    Term(
        "sensitive attribute",
        "The column whose values are the groups of people that are compared.",
        see=("fairness", "group rates"),
        aliases=("sensitive", "sweep sensitive", "groups"),
    ),
    Term(
        "group rates",
        "Rates of each group, without the constraint and with it, with 95 % intervals.",
        see=("interval", "gap between groups"),
        aliases=("rates of the groups", "rates per group", "before", "after"),
    ),
    Term(
        "as counted",
        "The gap as the constraint counts it: with the Hamming loss a negative counts for every rule that covers it.",
        source=f"Thm 5, {FAIR}",
        see=("hamming loss",),
    ),
    Term(
        "false negative rate",
        "The share of the positives that is missed.",
        formula="FNR = missed positives / positives = 1 − TPR",
        see=("true positive rate",),
        aliases=("missed positives", "fnr"),
    ),
    Term(
        "true positive rate",
        "The share of the positives that is found; also called recall.",
        formula="TPR = positives predicted positive / positives",
        aliases=("tpr", "recall", "true positive rate (%)"),
    ),
    Term(
        "false positive rate",
        "The share of the negatives that is taken for positive.",
        formula="FPR = negatives predicted positive / negatives",
        aliases=("fpr", "false alarms", "false positive rate (%)"),
    ),
    Term(
        "true negative rate",
        "The share of the negatives that passes.",
        formula="TNR = negatives predicted negative / negatives = 1 − FPR",
        see=("false positive rate",),
        aliases=("tnr",),
    ),
    Term(
        "precision",
        "The share of those predicted positive that are positive.",
        formula="right positives / predicted positive",
        see=("true positive rate",),
    ),
    Term("base rate", "The share of a group that is positive.", formula="P(y = 1 | g)", see=("selection rate",)),
    Term(
        "selection rate",
        "The share of a group that is predicted positive.",
        formula="P(ŷ = 1 | g)",
        aliases=("selected", "predicted positive"),
    ),
    Term(
        "interval",
        "Where the rate lies with 95 % confidence, given how many rows it was counted on (Wilson's score interval).",
        "Of weighted rows n is their effective number, (Σw)² / Σw²: a common factor of the weights changes nothing.",
        formula="(p̂ + z²/2n ± z √(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n),  z = 1.96",
        source="Wilson, Journal of the American Statistical Association 22 (1927)",
        aliases=("95 % intervals", "confidence interval"),
    ),
)
