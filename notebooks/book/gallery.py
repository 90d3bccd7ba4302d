"""The gallery: each picture of `rulelab.plots` with the lines that make it, which are run to make it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

START = """
import numpy as np, pandas as pd
import rulelab as rl

data = rl.datasets.load("diabetes")
conditions = rl.Binarizer(thresholds=2).fit_transform(data.X)
antecedents = rl.mine_antecedents(conditions, max_conditions=1)
groups = np.where(data.X["age"] >= 50, "50 or older", "under 50")
problem = rl.Problem.from_antecedents(antecedents, data.y, groups=groups)
"""

EXAMPLES: dict[str, tuple[str, str]] = {
    "convergence": (
        "The objective of the best list and the proven lower bound; where they meet, the list is certified.",
        """
search = rl.RuleListSearch(problem, 0.01, beam_width=0)
recording = rl.Recording(search)
snapshots = list(recording.steps(work_per_step=1))
rl.plots.convergence(recording.frame)
""",
    ),
    "queue": ("Prefixes that wait, by their length.", "rl.plots.queue(recording.frame)"),
    "remaining": ("How much of the search space is left, as a power of ten.", "rl.plots.remaining(recording.frame)"),
    "cuts": ("How many prefixes each bound has cut.", "rl.plots.cuts(snapshots[-1])"),
    "incumbents": ("Errors of the best list at each moment.", "rl.plots.incumbents(recording.frame)"),
    "tree": ("The tree of prefixes: each below the one that it continues.", "rl.plots.tree(search.tree(300))"),
    "ablation": (
        "What each bound is worth: the search again, without it.",
        """
ablation = rl.Ablation(rl.RuleListSearch(problem, 0.02, beam_width=0))
for _ in ablation.steps():
    pass
rl.plots.ablation(ablation.frame)
""",
    ),
    "frontier": (
        "The least errors for each number of rules.",
        """
frontier = rl.FrontierSearch(problem, max_length=4)
rl.solve(frontier)
rl.plots.frontier(frontier.frame)
""",
    ),
    "front": (
        "Accuracy on test rows and complexity, over a grid of parameters.",
        """
sweep = rl.sweep(data, "rule_list", grid={"regularization": [0.08, 0.04, 0.02], "max_conditions": [1]}, cv=3)
sweep.wait()
rl.plots.front(sweep)
""",
    ),
    "good_models": (
        "All models near the optimum.",
        """
search = rl.RuleListSearch(problem, 0.01)
rl.solve(search)
near = rl.near_optimal(search, within=0.01)
rl.plots.good_models(near)
""",
    ),
    "antecedents": ("Which antecedents these models have, and at which place.", "rl.plots.antecedents(near)"),
    "linked": (
        "The same models on test and on training rows: where Bokeh draws, those selected in one stand out in both.",
        'rl.plots.linked(rl.plots.front(sweep), rl.plots.front(sweep, on="train"))',
    ),
    "strata": (
        "The groups of risk of a falling rule list, with their intervals.",
        """
end = rl.solve(rl.FallingRuleListSearch(problem, 0.004, positive_weight=7))
model = end.incumbent.model
rl.plots.strata(model.strata(), threshold=model.threshold)
""",
    ),
    "roc": (
        "Falling rule lists of several weights of a missed positive.",
        """
positive = data.y == 1
rates = []
for w in (1, 2, 3, 5, 8):
    found = rl.solve(rl.FallingRuleListSearch(problem, 0.004, positive_weight=w)).incumbent.model
    predicted = found.predict(conditions) == 1
    rates.append((predicted[~positive].mean(), predicted[positive].mean()))
rl.plots.roc(pd.DataFrame(rates, columns=["false_positive_rate", "true_positive_rate"]))
""",
    ),
    "group_rates": (
        "A rate in each group of people, with its interval.",
        """
from rulelab.data.metrics import group_rates

best = near.models[0]
rl.plots.group_rates(group_rates(positive, best.predict(conditions) == 1, groups))
""",
    ),
    "rates_by_tolerance": (
        "A rate in each group of people, against the difference between groups that is allowed.",
        """
rows = []
for allowed in (0.01, 0.05, 0.1, 0.2):
    search = rl.search(problem, regularization=0.01, max_length=3, fairness=rl.EqualOpportunity(allowed))
    fair = rl.solve(search).incumbent.model
    rates = group_rates(positive, fair.predict(conditions) == 1, groups)["true_positive_rate"]
    rows += [(allowed, group, "train", rate) for group, rate in rates.items()]
rl.plots.rates_by_tolerance(pd.DataFrame(rows, columns=["tolerance", "group", "rows", "true_positive_rate"]))
""",
    ),
    "curves": (
        "One column of a table over another, a curve for each value of a third: rules by price, of several lengths.",
        """
rows = []
for longest in (1, 2, 3):
    for price in (0.005, 0.01, 0.02, 0.04, 0.08):
        best = rl.solve(rl.search(problem, regularization=price, max_length=longest)).incumbent
        rows += [(price, best.errors, f"at most {longest}")]
rl.plots.curves(pd.DataFrame(rows, columns=["regularization", "errors", "rules"]), "regularization", "errors", "rules")
""",
    ),
    "gap_frontier": (
        "The least gap between groups that any list of some accuracy has.",
        """
front = rl.frontier(problem, "gap", accuracies=[0.777, 0.787, 0.797, 0.807], max_length=3)
rl.solve(front)
rl.plots.gap_frontier(front.frame)
""",
    ),
    "column_pool": (
        "The rules that column generation has gathered for a rule set.",
        """
sets = rl.RuleSetSearch(problem, max_complexity=8, max_conditions=2)
rl.solve(sets)
rl.plots.column_pool(sets.pool())
""",
    ),
    "stability": (
        "Which rules of a model return on resampled rows.",
        """
sets = rl.RuleSetClassifier(max_complexity=8, max_conditions=2)
rl.plots.stability(rl.stability(sets, data.X, data.y, n_samples=8).rules)
""",
    ),
}


def write_gallery(folder: Path) -> None:
    """Run the examples, and write the page with their pictures."""
    import holoviews as hv

    import rulelab as rl

    assert set(EXAMPLES) == set(rl.plots.__all__) - {"extension"}, "every plot has its picture"
    hv.extension("matplotlib")
    folder.mkdir()
    known: dict[str, Any] = {}
    exec(START, known)
    lines = ["# Gallery of plots", "", "Pictures of `rulelab.plots`: functions of tables that give HoloViews elements."]
    lines += [
        "They are put together with `+` and `*`, take options by `.opts`, and are drawn by Bokeh, or by Matplotlib"
    ]
    lines += ['for paper: `hv.extension("matplotlib")`, then `hv.save(picture, "picture.pdf")`. All begin with', ""]
    lines += ["```python", START.strip(), "```", ""]
    for name, (text, code) in EXAMPLES.items():
        *before, last = code.strip().splitlines()
        exec("\n".join(before), known)
        picture = eval(last, known)
        hv.save(picture, folder / f"{name}.svg", backend="matplotlib")
        lines += [f"## {name.replace('_', ' ')}", "", text, "", ":::{container} beside", f"![{text}]({name}.svg)", ""]
        lines += ["```python", code.strip(), "```", ":::", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
