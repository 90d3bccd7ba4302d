"""Terms of many good models: the lists near the optimum, and what they have in common."""

from __future__ import annotations

from .term import OWN, Term

TERMS = (
    Term(
        "near-optimal",
        "A list is near-optimal when its objective is at most so much above the optimum.",
        "All of them are found, best first, and that none is missing is proven: a prefix is left out only where no "
        "list that begins with it can be near. The optimum alone does not say whether another list is as good.",
        "R(d) ≤ (1 + x) R(d*)",
        OWN,
        ("objective", "lower bound", "good models by distance"),
        ("above the optimum, at most", "distance", "good models", "optimum"),
    ),
    Term(
        "near-optimal model",
        "All near-optimal lists that predict the same for every training row are one model.",
        "Orders that make no difference and rules that change nothing are counted as lists, and the model is shown by "
        "the cheapest of them.",
        see=("near-optimal",),
        aliases=("good model", "models, at most", "most"),
    ),
    Term(
        "count of near-optimal lists",
        "How many lists are near-optimal, exactly, without listing them.",
        "Prefixes that leave the same rows uncaptured have the same completions: these are counted once for each such "
        "set of rows. Before the count is complete, it is a number that there are at least.",
        see=("near-optimal", "near-optimal model"),
        aliases=("count of all", "count all lists", "count all sets"),
    ),
    Term(
        "sets of rows",
        "How many different sets of rows the prefixes of near-optimal lists leave uncaptured.",
        "The lists are counted over these sets; there are far fewer of them than lists.",
        source=OWN,
        see=("count of near-optimal lists",),
    ),
    Term("counting time", "Seconds that the count of the near-optimal lists has taken.", see=("time limit",)),
    Term(
        "range over all lists",
        "The least and the greatest value that any near-optimal list has, proven for all of them without listing them.",
        "What adds up along a list has a least and a greatest sum over the sets of rows that lists pass through; at "
        "each end there is a list.",
        source=OWN,
        see=("count of near-optimal lists", "gap between groups"),
        aliases=("use of each column", "difference, points", "differences between groups"),
    ),
    Term(
        "range over all rule sets",
        "What is proven of every near-optimal rule set without listing them: who uses a column, how often, which gaps.",
        "A column is used by every set where the best set without it is not near the optimum, and by none where the "
        "best one that has to use it is not. The least and the greatest difference between two groups are optima, too.",
        source=OWN,
        see=("near-optimal rule sets", "range over all lists", "gap between groups"),
        aliases=("ranges", "find ranges", "used by", "conditions on it", "best with it", "best without"),
    ),
    Term(
        "time limit of the enumeration",
        "For the optimum and the lists near it together; what is found is complete up to a distance that is said.",
        see=("near-optimal", "time limit"),
    ),
    Term(
        "good models by distance",
        "How many models, and how many lists, are at most so far above the optimum.",
        "A steep curve says that the data do not decide between many models.",
        see=("near-optimal", "near-optimal model"),
    ),
    Term(
        "models by accuracy",
        "Every good model as a dot: its accuracy on the training rows against the gap between groups, or its rules.",
        "Without groups the dots of one number of rules are shifted a little, so that they do not lie on each other.",
        see=("near-optimal model", "gap between groups"),
    ),
    Term(
        "antecedents of the models",
        "A column per model, a line per antecedent; the colour says at which place of the list its rule stands.",
        "What occurs together stands together: models that share most antecedents, and antecedents that most models "
        "have both or neither of (clusters by average linkage of Jaccard's distance).",
        see=("antecedent", "near-optimal model"),
    ),
    Term(
        "diverse four",
        "The four models that differ most in what they predict: the best one, then each time the farthest from those.",
        "Farthest means that the least share of training rows that both predict otherwise is the largest.",
        see=("near-optimal model",),
    ),
    Term(
        "decides",
        "Which share of the training rows an antecedent's rule decides, from the model that relies least on it to the "
        "one that relies most.",
        "A range, as no single model says how important an antecedent is. From 0: some good model does without.",
        see=("near-optimal model", "antecedent"),
        aliases=("decides, % of rows", "% of lists"),
    ),
    Term(
        "near-optimal rule sets",
        "All rule sets whose objective is at most so much above the optimum, over rules of a bounded size.",
        "A set costs at least the linear bound and the reduced costs of its rules, so that only rules within the "
        "distance can be in it: these are enumerated, then their sets. A rule that covers only rows of others is not "
        "counted, and rules that cover the same rows count as one.",
        "bound + Σ reduced costs ≤ (1 + x) optimum",
        OWN,
        ("near-optimal", "near-optimal model", "reduced cost"),
        ("% of sets", "covers, % of rows"),
    ),
    Term(
        "robustness of the optimum",
        "How many rows may change before another list over the same antecedents is better than the optimal one.",
        "Labels may be wrong, rows be removed, or rows be added that are like training rows. All lists near enough are "
        "compared, with any labels, so that the number is exact, and a list that wins with one row more is shown; at a "
        "limit it is a proven lower bound. Where another list is as good already, a single row decides.",
        "2 j ≤ n (R(d) − R(d*))",
        OWN,
        ("near-optimal", "certificate"),
        ("robustness", "stability radius", "wrong labels"),
    ),
    Term(
        "groups by",
        "The sensitive attribute whose groups the gap compares; groups with fewer than 30 rows of a kind are left out.",
        see=("gap between groups", "sensitive attribute"),
        aliases=("attribute", "gap between groups in"),
    ),
    Term(
        "with the antecedent",
        "Shows only models whose list has this antecedent, or one that looks at this column.",
        see=("antecedent",),
        aliases=(
            "uses",
            "without the antecedent",
            "without",
            "with the rule",
            "without the rule",
            "using the column",
            "column",
            "rules, at most",
        ),
    ),
    Term(
        "in order of",
        "Which good models stand first in the table and in the choice: those that cost least, are right most often, "
        "have the fewest rules, or treat the groups most alike.",
        see=("near-optimal model", "gap between groups"),
        aliases=("order",),
    ),
    Term(
        "how far the lists agree",
        "For which share of the training rows all near-optimal lists, or sets, predict the same, and for which not.",
        "All of them are counted, not only the models that are shown. Where they disagree, what is decided about a "
        "person depends on which of the good models was taken.",
        see=("near-optimal", "near-optimal model"),
        aliases=("how far the sets agree",),
    ),
)
