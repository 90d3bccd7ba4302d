"""The settings of a search on the page: data, antecedents, search, limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from .. import datasets
from ..rule_list import BOUNDS, POLICIES
from .data import MAX_UPLOAD_BYTES, Upload
from .esc import plain
from .recipe import Recipe
from .session import Limits, SearchSession
from .style import CARD_CSS

UPLOADED = "uploaded file"
FIRST = "tic_tac_toe"
_TO_URL = (
    "data", "quantiles", "negations", "max_conditions", "min_support", "max_support",
    "regularization", "policy", "beam", "bounds", "time_limit", "memory_limit",
)


class Setup(Viewer):
    """Everything that is chosen before a run, and the form to choose it with."""

    data = param.Selector(default=FIRST, objects=[FIRST], label="Data set")
    target = param.Selector(default=None, objects=[None], label="Target column")
    positive = param.Selector(default=None, objects=[None], label="Positive class")
    quantiles = param.Integer(default=10, label="Quantile groups per number")
    negations = param.Boolean(default=True, label="Negate categories")
    max_conditions = param.Selector(default=2, objects=[1, 2, 3], label="Conditions per rule, at most")
    min_support = param.Number(default=0.01, label="Least support (fraction)")
    max_support = param.Number(default=0.99, label="Largest support (fraction)")
    regularization = param.Number(default=0.01, label="Regularization (cost of a rule)")
    policy = param.Selector(default="lower_bound", objects=list(POLICIES), label="Order of the queue")
    beam = param.Boolean(default=False, label="Start with a beam search")
    bounds = param.ListSelector(default=list(BOUNDS), objects=list(BOUNDS), label="Bounds in use")
    time_limit = param.Number(default=60.0, label="Time limit (s)")
    memory_limit = param.Number(default=1000.0, label="Memory limit (MB)")
    upload = param.ClassSelector(default=None, class_=Upload, allow_None=True)

    def __init__(self, report_error: Callable[[str], None] = lambda message: None, **params: Any) -> None:
        self._report_error = report_error
        available = datasets.names()
        super().__init__(**params)
