"""Terms of data: conditions and antecedents, how rows are counted, and what models are trained and tested on."""

from __future__ import annotations

from .term import Term

TERMS = (
    Term(
        "condition",
        "A question to one column that a row answers with yes or no, such as age > 30 or colour = red.",
        "Conditions are made of the training rows: of numbers by thresholds, of categories by their values.",
        see=("thresholds", "antecedent"),
        aliases=("conditions", "binarizing"),
    ),
    Term(
        "antecedent",
        "What stands behind the if of a rule: one condition, or several that must all hold.",
        "Lists choose among those that are mined: all that hold on enough rows, and on few enough.",
        see=("min support", "max conditions"),
        aliases=("antecedents", "rule"),
    ),
    Term(
        "pattern",
        "Rows that no condition tells apart; they are counted together.",
        "The search works on patterns with their numbers of positives and negatives, which changes nothing.",
        see=("equivalent points",),
        aliases=("patterns",),
    ),
    Term(
        "thresholds",
        "Into how many groups of equal size a numeric column is cut; each cut gives a condition.",
        "5: cuts at the 20, 40, 60 and 80 % quantiles. More cuts: finer rules, and a harder search.",
        aliases=("quantiles", "quantile groups per number", "sweep quantiles", "quantile groups"),
        see=("condition",),
    ),
    Term(
        "negations",
        "Whether there are conditions with ≠ too, such as colour ≠ red.",
        aliases=("negate categories",),
        see=("condition",),
    ),
    Term(
        "monotone",
        "Columns of which more can only help a positive prediction (increasing), or only hinder it (decreasing).",
        "No condition on such a column points the other way: where age is increasing, rules may ask for age > 30, not "
        "for age ≤ 30. Then a row never turns from positive to negative because it is older, whatever else it holds. "
        "What is proven is proven among the rule sets of such conditions. Of a rule list it is asked rule by rule: "
        "rules for the positive class may ask for age > 30, rules for the negative class for age ≤ 30, and not the "
        "other way round. What is proven is proven among these lists, all of which are monotone.",
        aliases=("monotone columns", "directions"),
        see=("condition", "rule set"),
    ),
    Term(
        "max categories",
        "Of a column with more categories only the most frequent ones get conditions.",
        see=("condition",),
    ),
    Term(
        "max conditions",
        "The most conditions that a rule of a list joins by and.",
        "Their number grows fast: 70 conditions make 2 415 pairs and 54 740 triples.",
        "Σ_{d=1..D} (number of conditions choose d)",
        see=("antecedent", "max conditions (rule set)"),
        aliases=("conditions per rule", "sweep conditions"),
    ),
    Term(
        "min support",
        "The least share of the rows that an antecedent holds on; rarer ones are not used.",
        formula="rows on which it holds ≥ s · n",
        see=("antecedent", "max support", "support"),
        aliases=("least support",),
    ),
    Term(
        "max support",
        "The largest share of the rows that an antecedent holds on; more common ones say little and are not used.",
        see=("antecedent", "min support"),
        aliases=("largest support",),
    ),
    Term(
        "by class",
        "Supports are counted within a class: an antecedent stays that holds on enough of the positives or of the "
        "negatives.",
        see=("min support",),
    ),
    Term(
        "max antecedents",
        "The most antecedents; where there would be more, rules have fewer conditions.",
        see=("antecedent", "max conditions"),
    ),
    Term("data set", "The table that a model is trained on.", aliases=("data", "sweep data", "data set to sweep")),
    Term(
        "upload",
        "A CSV or Parquet file of your own, of up to 100 MB; it is read by this server and kept nowhere.",
        "The first line names the columns. One column is predicted, the others may be used by rules.",
        see=("target", "positive class"),
        aliases=("file", "upload csv or parquet"),
    ),
    Term(
        "target",
        "The column that is predicted.",
        aliases=("target column", "label"),
        see=("positive class",),
    ),
    Term(
        "positive class",
        "The value of the target that counts as positive; every other value is negative.",
        aliases=("positive", "positives"),
        see=("target",),
    ),
    Term(
        "test share",
        "The share of the rows, drawn by class, that is kept out of training to see how well the model does on new "
        "rows.",
        "0: all rows train. What is proven holds on the training rows.",
        see=("test accuracy",),
        aliases=("test rows",),
    ),
    Term(
        "training rows",
        "The rows that conditions, rules and proofs are made of.",
        aliases=("rows", "training", "rows, %"),
    ),
    Term(
        "training errors",
        "Training rows that the model predicts wrongly.",
        see=("objective",),
        aliases=("errors", "training rows wrong", "wrong"),
    ),
    Term(
        "accuracy",
        "The share of rows that is predicted rightly.",
        formula="accuracy = 1 − errors / rows",
        aliases=("training accuracy", "accuracy (%)"),
    ),
    Term(
        "test accuracy",
        "Accuracy on rows that were kept out of training, with the 95 % interval.",
        see=("test share", "interval"),
        aliases=("test",),
    ),
    Term(
        "captured",
        "Training rows that the rule decides: its conditions hold, and no rule before it applies.",
        see=("support",),
    ),
    Term("correct", "Of the rows that the rule captures, those of the class that it predicts.", see=("captured",)),
    Term(
        "probability",
        "Of the training rows that the rule captures, the share of the positive class.",
        "Of softly falling lists: the least share so far, so that it falls.",
        "α = positives captured / rows captured",
        see=("captured", "strata of risk"),
        aliases=("p(positive)", "p(1)", "positive proportion"),
    ),
    Term("covered: positive", "Positives on which the rule holds, whether or not others hold too."),
    Term(
        "covered: negative",
        "Negatives on which the rule holds: each counts in the Hamming loss.",
        see=("hamming loss",),
    ),
    Term("rejected: positive", "Positives on which the clause does not hold."),
    Term("rejected: negative", "Negatives on which the clause does not hold."),
    Term("alone: positive", "Positives that this rule decides and no other one does: lost without it."),
    Term("alone: negative", "Negatives that this rule decides and no other one does: won without it."),
    Term("rules", "How many rules the model has, not counting the default."),
    Term(
        "must not use",
        "Columns, conditions or antecedents that no rule may use: they are left out before the search.",
        "What is proven is proven of the models without them.",
        see=("must use", "antecedent"),
        aliases=("left out",),
    ),
)
