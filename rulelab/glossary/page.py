"""Terms of the page: buttons, plots, cards, and the sweeps of the tab Fronts."""

from __future__ import annotations

from .term import CORELS, FALLING, OWN, Term

TERMS = (
    Term(
        "model family",
        "What kind of model is searched: a rule list, a falling rule list, or a rule set.",
        see=("rule list", "falling rule list", "rule set"),
        aliases=("family", "families", "sweep families", "method (fronts)"),
    ),
    Term(
        "controls",
        "Run searches until the proof, Pause holds, Step does one unit of work, Stop ends, Reset forgets.",
        "Run goes on after a pause or a limit. The search can be watched at any speed, from one step in a quarter of "
        "a second to as fast as it can. The key P is for an audience: see presenter mode.",
        see=("run", "step", "stop", "reset", "speed", "presenter mode"),
    ),
    Term(
        "presenter mode",
        "The key P puts the settings away and makes type larger; once more, or Escape, brings them back.",
        "Then Space runs and pauses, the right arrow is a step, or the next moment while looking back, the left arrow "
        "the moment before, 1 to 6 are speeds, R replays, 0 resets. What is typed into a field is no command.",
        see=("controls", "moment"),
    ),
    Term("run", "Starts the search, or goes on after a pause or a limit; after the end it begins anew."),
    Term("pause", "Holds the search; nothing is lost."),
    Term("step", "Does one unit of work and pauses again.", see=("work",)),
    Term("stop", "Ends the search and keeps what it has proven."),
    Term(
        "moment",
        "Looks back: everything is shown as it was at this moment of the run.",
        "Replay goes through the moments from the first on, also after the end; Run and Step go on from the present. "
        "Of a long run fewer moments are kept, but each one that brought a better model.",
        see=("run", "step", "recording"),
        aliases=("replay", "hold", "replay pace"),
    ),
    Term(
        "recording",
        "A run as a file: its curves, its tree and its models at any moment, to be looked at without the data.",
        "The button beside the best model saves it; under Runs it is opened again, and "
        "rulelab.views.Replay shows it in a notebook. It holds no rows, so that nothing can be verified or looked into "
        "with it. Of a tree of more than 60 000 prefixes the largest parts are kept.",
        see=("moment", "runs"),
        aliases=("open recording",),
    ),
    Term(
        "runs",
        "The runs of this visit, each with its figures and what it was set to that others were not.",
        "Its curves lie pale beneath those of the present run, with its number at their ends, as long as both look for "
        "the same kind of model on the same rows. 12 are kept; the oldest one that is not pinned makes room.",
        see=("ablation", "primal-dual integral"),
        aliases=("earlier runs", "pale line"),
    ),
    Term(
        "ablation",
        "What each bound is worth: the search once as it is set, and once more without each bound in use.",
        "A bound only saves work: whatever is left out, the proven objective is the same, and the page says so if it "
        "were not. Nodes and time stand beside how many times those of the full run they are.",
        source=f"section 6, {CORELS}",
        see=("bounds", "runs"),
    ),
    Term(
        "primal-dual integral",
        "The area between objective and lower bound over the work done: the smaller, the sooner the search knew.",
        formula="Σ gap / first objective · work until the next look",
        see=("gap", "work"),
        aliases=("primal dual integral", "integral"),
    ),
    Term("reset", "Forgets the run; the next one uses the settings as they are then."),
    Term(
        "speed",
        "How much work is done between two looks; a tick is a quarter of a second.",
        "Speeding up doubles the work from tick to tick, so that the beginning can be watched and the end comes soon.",
        see=("work",),
    ),
    Term(
        "plot against",
        "What the live plots have on their horizontal axis: seconds, or units of work.",
        "Work does not depend on the machine. Log work shows the first steps of a long search as well as the last.",
        see=("work",),
        aliases=("axis", "log work"),
    ),
    Term("pin model", "Keeps the best model as a card in the tab Compare.", see=("model card",), aliases=("pin",)),
    Term(
        "saved model",
        "A model that rulelab or this page has saved as JSON; what it says of itself is shown and not checked.",
        see=("model card",),
        aliases=("upload saved model (json)",),
    ),
    Term("model (json)", "Saves the best model; rulelab and this page read it again."),
    Term("rules (text)", "Saves the rules as plain text."),
    Term("trace (csv)", "Saves the course of the search: objective, bound and counts at every look."),
    Term(
        "convergence",
        "The objective falls as better models are found, the lower bound rises; where they meet, the proof is done.",
        "The area between is the gap.",
        see=("objective", "lower bound", "gap"),
        aliases=("objective and lower bound",),
    ),
    Term(
        "queue by prefix length",
        "How many prefixes wait to be expanded, by the number of their rules. Empty: nothing is left to look at.",
        "It grows while prefixes are made faster than bounds cut them, and collapses when a better list or a better "
        "bound cuts many at once.",
        see=("queued", "prefix"),
    ),
    Term(
        "prefixes cut",
        "How many prefixes each bound has cut. Each counts once, for the first bound that cuts it.",
        "A cut takes all longer lists along that begin with the prefix. Those named always cannot be switched off.",
        see=("bounds", "possible lists"),
        aliases=("prefixes cut, by bound", "prefixes cut by bound", "pruned", "cut"),
    ),
    Term(
        "search tree",
        "The prefixes that a search has stored: a row for each length, each below the prefix that it continues.",
        "Widths are by descendants, how many prefixes are stored below, or by bound: the children of a prefix share "
        "its width, and those whose bounds are near the best list have the larger parts. Colours say what became of a "
        "prefix; rules that a bound cut at once are never stored. Hatched: what is left out, or too narrow to see. "
        "As pixels all of them are in the picture, each pixel in the colour of the prefix at its middle.",
        formula="width = (descendants + 1) / prefixes stored",
        see=("prefix", "expanded", "queued", "prefixes cut"),
        aliases=("width by",),
    ),
    Term(
        "errors of the incumbents",
        "Every best model so far, by its number of rules (or its complexity) and its training errors.",
        "For lists two straight lines join: below the upper one a list is better than the best known; below the lower "
        "one it is proven that there is none. What lies between is still open.",
        "errors = n · (R − λ · rules) for R = objective and R = lower bound",
        see=("incumbent", "gap"),
        aliases=("still open", "nothing below", "better than the best"),
    ),
    Term(
        "this step",
        "The prefix that was expanded last, and what became of each rule that could come next: a bar each.",
        "A bar adds up to the bound of the prefix with that rule: loss so far, price of the rules, inevitable loss, "
        "and what further bounds add. The line is the best list; what reaches it cannot become better, and is cut. "
        "Others are cut before it: some other list is at least as good, or no list that goes on so is allowed.",
        see=("bound of a prefix", "loss so far", "inevitable loss", "what further bounds add", "prefixes cut"),
        aliases=("step view", "next rule"),
    ),
    Term(
        "bound of a prefix",
        "No list that starts with the prefix costs less.",
        "Once it reaches the objective of the best list, nothing that starts with the prefix needs to be looked at.",
        "loss so far + price of the rules + inevitable loss + what further bounds add",
        see=("prefix", "hierarchical", "lower bound"),
        aliases=("bound",),
    ),
    Term(
        "loss so far",
        "What the rules of a prefix get wrong; it stays wrong however the list goes on.",
        "Of falling lists with the weight of a missed positive.",
        see=("prefix", "price of the rules"),
    ),
    Term(
        "price of the rules",
        "What the rules of a prefix cost, whatever they capture.",
        formula="λ · rules",
        see=("regularization",),
    ),
    Term(
        "inevitable loss",
        "What any list loses on the rows that a prefix leaves: rows that no condition tells apart and that differ in "
        "label.",
        formula="Σ over patterns left of min(positives, negatives) / n",
        source=f"Thm 20, {CORELS}",
        see=("equivalent points",),
    ),
    Term(
        "what further bounds add",
        "How much higher the other bounds put what a list that starts with a prefix costs at least.",
        "Such as the price of one more rule. Where they cut the prefix, they reach the best list.",
        see=("lookahead", "one more rule", "bounds"),
    ),
    Term(
        "strata of risk",
        "Each rule of a falling list as a bar: as wide as its share of the people, as high as its probability.",
        "The whiskers are 95 % intervals; bars above the threshold are predicted positive.",
        source=f"after the strata of {FALLING}",
        see=("probability", "threshold", "interval"),
    ),
    Term(
        "antecedents considered per position",
        "How many antecedents the Monte-Carlo search could choose from at each position of its lists.",
        "The bounds leave fewer the longer the list is.",
        source=f"section 6, {FALLING}",
        see=("monte carlo",),
    ),
    Term(
        "least reduced cost of all rules",
        "How much the best new rule would still improve the linear programme; at 0 no rule does, and the bound holds.",
        see=("reduced cost", "column generation"),
    ),
    Term(
        "rules and pricing effort",
        "Rules found, rules in use, and conjunctions looked at to find them, over time.",
        see=("rules in the pool", "pricing nodes"),
        aliases=("in master", "in the master"),
    ),
    Term(
        "model card",
        "A model with all that is known of it: rules, proof, accuracies, groups, data and settings.",
        "Differences to the other cards are marked.",
        aliases=("cards", "compare", "differs"),
    ),
    Term(
        "differences",
        "Cards are compared line by line with the one that is chosen; what only one of them has is marked.",
        see=("model card",),
        aliases=("differences to", "only what differs"),
    ),
    Term(
        "error bars",
        "One standard error below and above a mean over the folds.",
        formula="s / √k for k folds of standard deviation s",
        see=("folds",),
    ),
    Term("intended use", "What the model is for, in the words of whoever answers for it."),
    Term("limits of the model", "What the model must not be used for, and what it does not know.", aliases=("limits",)),
    Term(
        "baselines",
        "Other methods on the same rows and conditions, to compare with; they prove nothing.",
        see=("accuracy",),
        aliases=("compare with", "sweep baselines", "fit baselines", "method (compare)"),
    ),
    Term("cart", "A decision tree grown greedily, as in scikit-learn; it proves nothing.", see=("baselines",)),
    Term("random forest", "The vote of many random trees: accurate, and too large to read.", see=("baselines",)),
    Term("logistic regression", "A weighted sum of the conditions; no rules.", see=("baselines",)),
    Term("adaboost", "A weighted vote of small trees.", see=("baselines",)),
    Term(
        "exponentiated gradient",
        "A mix of models made fair by reweighting the rows again and again, as in Fairlearn.",
        source="Agarwal, Beygelzimer, Dudík, Langford and Wallach, ICML 2018",
        see=("baselines", "fairness"),
    ),
    Term(
        "threshold optimizer",
        "Another threshold for each group makes a model fair afterwards, as in Fairlearn.",
        source="Hardt, Price and Srebro, NeurIPS 2016",
        see=("baselines", "fairness"),
    ),
    Term("compas score", "The score that courts were given, cut in two.", see=("baselines",)),
    Term(
        "sweep",
        "Fits models over a grid of settings and folds, to see what accuracy costs in complexity or in fairness.",
        see=("front", "folds"),
        aliases=("run sweep",),
    ),
    Term(
        "front",
        "The points that no other one beats in both measures: less complexity or gap, and more accuracy.",
        formula="p is on the front when no q has x_q ≤ x_p and y_q ≥ y_p, one of them strictly",
        see=("sweep",),
        aliases=("on the front of", "fronts", "pareto front"),
    ),
    Term(
        "accuracy and complexity",
        "Accuracy against rules and conditions; filled points are on the front of their family.",
        see=("front",),
        aliases=("accuracy against complexity",),
    ),
    Term(
        "accuracy and gap",
        "Accuracy against the largest difference between groups of people.",
        see=("front", "gap between groups"),
        aliases=("accuracy against gap", "accuracy and fairness"),
    ),
    Term(
        "folds",
        "The rows are cut into so many parts of equal size; each part is tested once, trained on the others.",
        "Points are means over the folds, ± one standard error.",
        aliases=("sweep folds",),
    ),
    Term(
        "time limit per fit",
        "Seconds of search for each model of a sweep.",
        aliases=("sweep time limit", "seconds per fit"),
    ),
    Term(
        "count on",
        "Whether figures count test rows or training rows.",
        aliases=("on", "part", "accuracy and gaps on"),
    ),
    Term(
        "gap over folds",
        "How one gap is made of the folds: from the counts of all folds together, or as the mean of the folds' gaps.",
        "The mean of gaps is too large on average, as each fold takes its largest difference.",
        source=OWN,
        see=("gap between groups",),
        aliases=("measure",),
    ),
    Term("point", "One setting of a sweep, with its means over the folds.", see=("sweep",)),
    Term("model of", "Which model of the point is shown: that of a fold, or one of all rows."),
    Term("fairness criterion", "The gap that the picture shows.", see=("gap between groups",)),
    Term(
        "model in another language",
        "The model as an SQL expression, a Python function without imports, or a RuleSetModel of PMML 4.4.",
        "Columns are called as in training, and a missing cell is NULL, None or a missing value. NaN is a number to "
        "databases: store NULL instead.",
        aliases=("export", "sql", "pmml"),
    ),
)
