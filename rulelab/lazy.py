"""Packages whose names are imported when first used; and what does the same as names that there are no more."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PROXY = "searches are threads of the one server; for more than it can do, run servers behind a proxy"
_PROOF = "rl.verify and `rulelab verify` check the certificate, independently of the search"
_BY_TOLERANCE = "rl.frontier(problem, by='tolerance', model='rule_set') finds the points, each a rl.FrontPoint"
_BY_GAP = "rl.frontier(problem, by='gap', model='rule_list') finds the points, each a rl.FrontPoint"
_STABILITY = "rl.stability(classifier, X, y) fits any classifier of rulelab to bootstrap samples"
_RANGES = "column_ranges() and gap_ranges() of a complete near-optimal list say it, and `Count all` on the page"

BUILDERS = ("defaults", "holding", "mining", "popcount")
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
    "rulelab bench page": "`rulelab bench class` measures what pages cost a server",
    "rulelab bench pricing": "`rulelab bench rule-set` measures whole searches, their pricing with them",
    "rulelab bench slices": "how soon a search stops at a limit or at Ctrl-C is tested for every search",
    **{
        f"rulelab bench {name}": "`rulelab papers` makes the figures of the papers"
        for name in ("ablation", "compas-paper", "fairness", "falling-roc", "fronts", "rule-set-tables")
    },
    **{f"rulelab bench {name}": f"`python tests/benchmarks {name}` in a checkout runs it" for name in BUILDERS},
}
"""Names of the package as ``rl.NAME``; commands, and options after their command, as ``rulelab COMMAND --OPTION``."""


def homes(file: str) -> dict[str, str | None]:
    """The public names of a package, and the module that defines each; None for a module of its own.

    ``file``: the ``__init__.py``, with a stub beside it that imports every name.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {name.name: node.module for node in imported for name in node.names}


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package. ``package``, ``file``: its ``__name__`` and ``__file__``."""
    known = homes(file)

    def load(name: str) -> Any:
        full = f"{package}.{name}".replace("rulelab", "rl", 1)
        if name not in known:
            instead = GONE.get(full)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{f': {instead}' if instead else ''}")
        home = known[name]
        try:
            module = importlib.import_module(f"{package}.{home or name}")
        except ModuleNotFoundError as error:
            raise importlib.import_module("rulelab.extras").missing(error, full) from None
        value = module if home is None else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted({*vars(sys.modules[package]), *known})
