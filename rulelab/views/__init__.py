"""What is shown, in notebooks and on the page; names are imported when first used."""

from __future__ import annotations

import importlib
from typing import Any

from ..extras import missing

_HOMES = {
    "CompareView": "compare.view",
    "ExploreView": "explore.view",
    "FrontView": "fronts.view",
    "ModelCard": "cards.view",
    "Replay": "search.replay",
    "SearchView": "search.view",
    "StepView": "prefixes.step_view",
    "TreeView": "prefixes.tree_view",
    "Walk": "learn.walk",
    "WhatIfView": "what_if.view",
    "keep_runs": "kept_runs.keeping",
    "serve": "serving.server",
}

__all__ = [
    "CompareView",
    "ExploreView",
    "FrontView",
    "ModelCard",
    "Replay",
    "SearchView",
    "StepView",
    "TreeView",
    "Walk",
    "WhatIfView",
    "keep_runs",
    "serve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    except ModuleNotFoundError as error:
        raise missing(error, f"rl.views.{name}") from None


def __dir__() -> list[str]:
    return sorted(__all__)
