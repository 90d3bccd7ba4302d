"""Terms of falling rule lists, hard and soft, with the bounds of both searches."""

from __future__ import annotations

from .term import FALLING, OWN, Term

_OF = " (falling rule list)"

TERMS = (
    Term(
        "falling rule list",
        "A rule list whose probability of the positive class falls from rule to rule: the highest risk comes first.",
        formula="α₁ ≥ α₂ ≥ … ≥ α_else,  α_j = positives / rows that rule j captures",
        source=f"section 2, {FALLING}",
        see=("falling rule list objective", "softly falling"),
        aliases=("best falling rule list so far", "best fair falling rule list so far", "optimal falling rule list"),
    ),
    Term(
        "falling rule list objective",
        "False alarms, missed positives that weigh w, and a price for each rule, as a share of the rows.",
        "A rule predicts positive when its proportion is above τ = 1 / (1 + w).",
        "L(d) = (1/n) [ Σ_{α_j > τ} q_j + w Σ_{α_j ≤ τ} p_j + min(w p̃, q̃) ] + C |d|,  softly falling + C₁ Σ rises",
        f"Program 2.9, softly falling Program 5.1, {FALLING}",
        ("positive weight", "regularization", "violation penalty"),
    ),
    Term(
        "positive weight",
        "What a missed positive costs, where a false alarm costs 1.",
        "3: it is worth three false alarms to find one positive more. The list then predicts positive above 1 / (1 + "
        "w), so that plain accuracy falls as w rises.",
        "w in L(d);  τ = 1 / (1 + w)",
        f"section 2, {FALLING}",
        ("falling rule list objective", "threshold"),
        ("weight of a missed positive",),
    ),
    Term(
        "threshold",
        "The probability above which a rule of a falling list predicts the positive class.",
        formula="τ = 1 / (1 + w)",
        source=f"section 2, {FALLING}",
        see=("positive weight",),
        aliases=("below threshold",),
    ),
    Term(
        "softly falling",
        "A falling list that may rise, at a price; its probabilities are lowered to their running minimum afterwards.",
        formula="L̃(d) = L(d) + C₁ Σ_j max(0, α_j − min_{k<j} α_k)",
        source=f"Program 5.1, {FALLING}",
        see=("violation penalty", "falling rule list"),
        aliases=("soft", "own"),
    ),
    Term(
        "violation penalty",
        "What a rise by 1 costs in a softly falling list.",
        "None: the list has to fall.",
        "C₁ in L̃(d)",
        f"Program 5.1, {FALLING}",
        ("softly falling",),
        ("price of a rise", "c1"),
    ),
    Term(
        "method",
        "How falling lists are searched: exactly, with a proof, or by Monte-Carlo as in the paper, which proves "
        "nothing beyond the plain bound.",
        see=("monte carlo", "certificate"),
        aliases=("exact",),
    ),
    Term(
        "monte carlo",
        "Makes lists at random, promising antecedents more often than others, and keeps the best one.",
        "The exact search begins with some such lists.",
        "antecedents drawn ∝ λ·α + (1 − λ)·p / p̃",
        f"Algorithms FRL and softFRL, appendices A and B, {FALLING}",
        ("curiosity", "iterations"),
    ),
    Term(
        "iterations",
        "How many lists are made at random.",
        "The exact search takes the best of them to begin with; 0: it begins with the default alone. Monte-Carlo ends "
        "when all are made.",
        see=("monte carlo",),
        aliases=("monte-carlo lists", "lists", "lists made", "of"),
    ),
    Term(
        "few rules",
        "Each further rule of a fair falling list costs: what so many rules can gain is at most what those gain that "
        "capture most of what can be gained.",
        "",
        "max over r ≥ 1 of  min(gain(S), Σ of the r largest gain(S ∧ a)) − r C",
        OWN,
        ("relaxation", "regularization"),
    ),
    Term(
        "antecedents considered",
        "How many antecedents could come next, added up over all lists made at random.",
        see=("monte carlo", "antecedents considered per position"),
    ),
    Term(
        "feasible prefix",
        "A prefix is dropped when the rest has a larger proportion of positives than its last rule: no list from it "
        "falls.",
        formula="α̃ ≤ α_last,  as p̃ (p_last + q_last) ≤ p_last (p̃ + q̃)",
        source=f"Prop 4.2, {FALLING}",
        see=("rising proportion",),
        aliases=("infeasible prefix",),
    ),
    Term(
        "necessary condition",
        "Rules at or below the threshold are not tried: some optimal list has none.",
        formula="α_j > τ for every rule",
        source=f"Cor 4.5, {FALLING}",
        see=("threshold",),
    ),
    Term(
        "prefix bound",
        "Whatever a further rule captures has at most the proportion of the last one, which bounds what it can gain.",
        formula="L(list from e) ≥ L(e) + min{ (1/n)(1/α_last − 1) p̃ + C, (w/n) p̃, (1/n) q̃ }",
        source=f"Thm 4.6, softly falling Thm 5.2, {FALLING}",
        see=("density cap",),
    ),
    Term(
        "equivalent points" + _OF,
        "Rows that no condition tells apart cost at least as much as their cheaper label.",
        formula="loss in S ≥ Σ over patterns u of min(w p_u, q_u) / n",
        source=f"{OWN}; as Thm 20 of the CORELS paper",
        see=("equivalent points", "density cap"),
    ),
    Term(
        "density cap",
        "The prefix bound and the equivalent points bound at once, for every density of positives between.",
        "A further rule captures at most the proportion a, so that it must take rows poor in positives along with the "
        "rich ones.",
        "G(T) ≤ (w − ℓ(1 − a)) p_t − (1 − ℓ a) q_t,  ℓ = (1 − (w+1) t) / (a − t),  the least over t ≤ τ",
        OWN,
        ("prefix bound", "equivalent points (falling rule list)"),
    ),
    Term(
        "too little to gain",
        "One more rule costs more than it could gain, even if it captured all positives left and nothing else.",
        formula="L(e) + C − (w/n) p̃ ≥ R_best",
        source=OWN,
        see=("prefix bound",),
    ),
    Term(
        "eligible cap",
        "The largest proportion among the antecedents that may really come next takes the place of the last rule's.",
        formula="a = max α_b over the antecedents b that may follow",
        source=OWN,
        see=("density cap",),
    ),
    Term(
        "dominance" + _OF,
        "Of the prefixes that capture the same rows, one is dropped when another has no more rules and ends no lower.",
        "Of softly falling lists: when another costs no more and its least proportion is not smaller.",
        "captured(d) = captured(D), |d| ≤ |D|, α_last(d) ≥ α_last(D):  drop D",
        OWN,
        ("equivalent support",),
    ),
    Term(
        "violations",
        "A softly falling list pays for the rise to any further rule above the threshold, which bounds how high it is.",
        formula="C₁ (c − α_min) + loss(c) < R_best − L̃(e)",
        source=f"{OWN}; sharpens Thm 5.2, {FALLING}",
        see=("softly falling",),
    ),
    Term(
        "exceptions",
        "Once a softly falling list has a proportion below the threshold, all further rules above it pay for rises.",
        "Only few can follow, and what they gain is bounded by what few antecedents have in what is left.",
        "C₁ (c − α + (k − 1) (τ − α_min)) < gain of k rules up to c,  α ≤ α_min < τ < c",
        OWN,
        ("violations",),
    ),
    Term(
        "joint capture",
        "A rule captures, with the rows worth having, others that it has in common with them.",
        "The loss of these is put down to the rows worth having, each of which pays the least that its antecedents ask "
        "for: antecedents are dropped with which what is left to gain is too little for a better list.",
        "G(T) − k R ≤ Σ_u max(0, g_u − min over a of (y_ua + Σ_{v in a} x_uv)),  Σ_u x_uv ≤ −g_v,  Σ_u y_ua ≤ R",
        OWN,
        ("equivalent points (falling rule list)",),
    ),
    Term(
        "captures nothing or all",
        "The rule captures nothing that is left, or all of it, which the default does for nothing.",
    ),
    Term(
        "rising proportion",
        "The rule's proportion is above that of the rule before: the list would not fall.",
        formula="α_j > α_{j−1}",
        source=f"section 2, {FALLING}",
        see=("feasible prefix",),
        aliases=("monotonicity",),
    ),
    Term(
        "hierarchical" + _OF,
        "The prefix and the price of one more rule alone cost as much as the best list.",
        formula="L(e) + C ≥ L_best",
        source=f"as Thm 1 of the CORELS paper; {OWN}",
        see=("hierarchical",),
    ),
)
