"""Results of searches as strict JSON: a header that names the kind and the version, and plain types only."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import files

FORMAT = "rulelab result"
SCHEMA_VERSION = 1


def written(kind: str, content: Mapping[str, Any], path: str | Path | None) -> str:
    """The content as JSON text after a header, also written to ``path`` when one is given.

    ``kind``: what it is the result of, such as "near_optimal". ``content``: see `plain`. Raises TypeError when a value
    has no plain form.
    """
    document = {"format": FORMAT, "schema_version": SCHEMA_VERSION, "kind": kind, **plain(content)}
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    if path is not None:
        files.write(path, text)
    return text


def in_numbers(problem: Any) -> dict[str, Any]:
    """What a saved result says of its problem, of two classes or of several."""
    return {
        "fingerprint": problem.fingerprint,
        "rows": problem.n_rows,
        "weight": problem.total_weight,
        "positive_weight": problem.total_positive,
        "antecedents": problem.n_antecedents,
        "classes": problem.classes,
        "left_out": list(problem.left_out),
        "monotone": dict(problem.directions),
    }


def plain(value: Any) -> Any:
    """A value as JSON has them, None for what is no finite number; raises TypeError when it has no plain form.

    A dataclass is an object with the name of its class, a function its name.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(entry) for entry in value]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        entries = {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"type": type(value).__name__, **entries}
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    raise TypeError(f"a result cannot hold {value!r}: JSON has no {type(value).__name__}")
