"""What there is no more, by its name in Python or on the command line, and what does the same or nearly so."""

from __future__ import annotations

_PROXY = "searches are threads of the one server; for more than it can do, run servers behind a proxy"
_PROOF = "rl.verify and `rulelab verify` check the certificate, independently of the search"
_BY_TOLERANCE = "rl.frontier(problem, by='tolerance', model='rule_set') finds the points, each a rl.FrontPoint"
_BY_GAP = "rl.frontier(problem, by='gap', model='rule_list') finds the points, each a rl.FrontPoint"
_STABILITY = "rl.stability(classifier, X, y) fits any classifier of rulelab to bootstrap samples"
_RANGES = "column_ranges() and gap_ranges() of a complete near-optimal list say it, and `Count all` on the page"

BUILDERS = ("defaults", "holding", "mining", "page", "popcount", "pricing", "slices")
"""Benchmarks that measure parts, for those who work on them."""

GONE: dict[str, str] = {
    "rl.PseudoBooleanProof": _PROOF,
    "rl.export_proof": _PROOF,
    "rulelab export-proof": _PROOF,
    "rl.FairConstrainedRuleListSearch": "rl.ConstrainedRuleListSearch takes `fairness`; rl.search_for makes it",
    "rl.FairFrontierSearch": _BY_TOLERANCE,
    "rl.fair_frontier": _BY_TOLERANCE,
    "rl.FairCell": _BY_TOLERANCE,
    "rl.GapFrontierSearch": _BY_GAP,
    "rl.GapFrontierRuleSetSearch": _BY_GAP,
    "rl.GapPoint": _BY_GAP,
    "rl.StabilitySearch": _STABILITY,
    "rl.RuleSetStability": _STABILITY,
    "rl.rule_set_stability": _STABILITY,
    "rl.RuleSetRanges": _RANGES,
    "rl.rule_set_ranges": _RANGES,
    "rl.near_optimal_rule_sets": "rl.near_optimal takes a RuleSetSearch, or a problem with model='rule_set'",
    "rl.robustness": "rl.solve(search) of a rl.RobustnessSearch, whose robustness is the result",
    "rl.views.ExploreView": "rl.views.AlternativesView shows them, with one to be edited beside",
    "rl.views.StepView": "rl.views.TreeView shows the prefix that was expanded last, with its next rules",
    "rulelab near --ranges": _RANGES,
    "rulelab near --format": "-o FILE.json saves all models, -o FILE.html shows them",
    "rulelab stability --sample-time-limit": "--time-limit is that of each search",
    "rulelab serve --workers": _PROXY,
    "rulelab serve --search-processes": _PROXY,
    "rulelab serve --log-format": "the log has one line of text for each event",
    "rulelab serve --stalls": "/health says the longest time without an answer; py-spy says where a process is",
    **{f"rulelab bench {name}": f"`python -m tests.benchmarks {name}` in a checkout runs it" for name in BUILDERS},
}
"""Names of the package as ``rl.NAME``; commands, and options after their command, as ``rulelab COMMAND --OPTION``."""
