"""Models as JSON: a header with a schema version, plain types, and a reader that says what is wrong and where."""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import dataclass, fields
from typing import Any

from ..arguments import ModelError
from ..data.conditions import Condition
from ..files import load_json

FORMAT = "rulelab model"
SCHEMA_VERSION = 1
LARGEST_TEXT = 1 << 22
"""Most characters or bytes of a model in JSON."""
MOST_LISTS = 1 << 17
"""Most lists and objects in it."""

Scalar = str | int | float | bool | None
PROVENANCE = "provenance"
_STATUSES = ("optimal", "limit")


@dataclass(frozen=True)
class Provenance:
    """What was proven of a model when its search was left, which is saved with it."""

    status: str  # "optimal", or "limit": a better model may exist
    # objective, lower_bound: of the model, and of all models of its search
    objective: float
    lower_bound: float
    # data: SHA-256 of the training problem, which `rulelab.Certificate.fingerprint` names, too; None where there was
    # nothing to search
    data: str | None
    version: str  # of the rulelab that found it

    @classmethod
    def of_no_other(cls, objective: float) -> Provenance:
        """Of a model that is optimal because there is no other."""
        from .. import __version__

        return cls("optimal", float(objective), float(objective), None, __version__)

    @classmethod
    def of(cls, snapshot: Any, problem: Any) -> Provenance:
        """Of the best model of a search's snapshot, by the problem that was searched.

        Parameters
        ----------
        snapshot : Snapshot
        problem : Problem or MultiClassProblem
        """
        from .. import __version__

        status = "optimal" if str(snapshot.status) == "optimal" else "limit"
        objective, bound = float(snapshot.incumbent.objective), max(0.0, float(snapshot.lower_bound))
        return cls(status, objective, bound, problem.fingerprint, __version__)


def read_provenance(data: dict[str, Any]) -> Provenance | None:
    """What a saved model says of its proof; None where it says nothing, as older ones. Raises ModelError."""
    if PROVENANCE not in data:
        return None
    entry, names = read(data, PROVENANCE, dict), [each.name for each in fields(Provenance)]
    if unknown := [name for name in entry if name not in names]:
        raise ModelError(
            f"'{PROVENANCE}' of the saved model has the unknown entry {_short(unknown[0])}; known are "
            f"{', '.join(names)}"
        )
    status, version = (read(entry, name, str, PROVENANCE) for name in ("status", "version"))
    objective, bound = (float(read(entry, name, (int, float), PROVENANCE)) for name in ("objective", "lower_bound"))
    fingerprint = read(entry, "data", (str, type(None)), PROVENANCE)
    if status not in _STATUSES:
        raise ModelError(f"'{PROVENANCE}.status' of the saved model must be optimal or limit, not {_short(status)}")
    if bound > objective:
        raise ModelError(f"'{PROVENANCE}.lower_bound' of the saved model is {bound}, above its objective {objective}")
    if fingerprint is not None and not re.fullmatch("[0-9a-f]{64}", fingerprint):
        raise ModelError(f"'{PROVENANCE}.data' of the saved model must be a SHA-256 in hexadecimal digits")
    return Provenance(status, objective, bound, fingerprint, version)


def header(family: str) -> dict[str, Any]:
    """The first entries of every saved model."""
    return {"format": FORMAT, "schema_version": SCHEMA_VERSION, "family": family}


def check_header(data: Any) -> str:
    """The family of a saved model. Raises ModelError when this is no saved model, or one of a newer schema."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelError(f"this is no saved model: the entry 'format' is not {FORMAT!r}")
    version = read(data, "schema_version", int)
    if not 1 <= version <= SCHEMA_VERSION:
        raise ModelError(
            f"the model has schema version {version}, but this version of rulelab reads 1 to {SCHEMA_VERSION}; "
            "upgrade rulelab to read it"
        )
    return read(data, "family", str)


def dump(data: dict[str, Any]) -> str:
    text = json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    if len(text.encode(errors="replace")) > LARGEST_TEXT:
        raise ModelError(f"the model takes more than {LARGEST_TEXT} bytes as JSON, which nobody could read again")
    return text


def parse(text: str | bytes) -> Any:
    """JSON without the extensions NaN and Infinity, of limited size, every key of an object once."""
    if not isinstance(text, str | bytes | bytearray):
        raise ModelError(f"a saved model is text, not {type(text).__name__}")
    try:
        return load_json(text, LARGEST_TEXT, MOST_LISTS)
    except UnicodeDecodeError as error:
        raise ModelError(f"the model is not UTF-8 text: {error}") from None
    except ValueError as error:  # malformed, or a number of too many digits
        raise ModelError(f"the model is not valid JSON: {error}") from None


def plain(value: Any, what: str) -> Scalar:
    """A label or a value as a plain JSON type (NumPy scalars are converted)."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if not isinstance(value, Scalar) or (isinstance(value, float) and not math.isfinite(value)):
        raise ModelError(f"{what} is {value!r}, which JSON cannot hold; use text, numbers or Booleans")
    return value


def read(data: dict[str, Any], key: str, kind: type | tuple[type, ...], where: str = "") -> Any:
    """The entry ``key`` of ``data``, which must be of the given kind (a Boolean is no integer here)."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    path = f"{where}.{key}" if where else key
    if key not in data:
        raise ModelError(f"the saved model has no entry {path!r}")
    value = data[key]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        expected = " or ".join("null" if k is type(None) else _JSON_NAMES[k] for k in kinds)
        raise ModelError(f"{path!r} of the saved model must be {expected}, not {_short(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelError(f"{path!r} of the saved model must be finite, not {value}")
    return value


def read_items(data: dict[str, Any], key: str, where: str = "") -> list[tuple[str, dict[str, Any]]]:
    """The objects of the list ``key``, each with its place for error messages."""
    path = f"{where}.{key}" if where else key
    items = [(f"{path}[{i}]", item) for i, item in enumerate(read(data, key, list, where))]
    for place, item in items:
        if not isinstance(item, dict):
            raise ModelError(f"{place!r} of the saved model must be an object, not {_short(item)}")
    return items


def read_classes(data: dict[str, Any], most: int | None = 2) -> tuple[Any, ...]:
    """The labels of a model: the negative and the positive one, or the only one; with ``most=None`` any number."""
    labels = read(data, "classes", list)
    scalars = all(isinstance(c, str | int) or (isinstance(c, float) and math.isfinite(c)) for c in labels)
    if not scalars or not 1 <= len(set(labels)) == len(labels) or (most is not None and len(labels) > most):
        allowed = "different labels" if most is None else "one label or two different ones"
        raise ModelError(f"'classes' of the saved model must be {allowed}")
    return tuple(labels)


def read_count(data: dict[str, Any], key: str, where: str) -> int | float:
    """A number that is not negative."""
    value = read(data, key, (int, float), where)
    if value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0):
        raise ModelError(f"'{where}.{key}' of the saved model is {value}; it cannot be negative")
    if value > sys.float_info.max:
        raise ModelError(f"'{where}.{key}' of the saved model has more than 308 digits; it is too large")
    return value


def read_width(data: dict[str, Any]) -> int:
    """How many antecedents a model was trained on."""
    width: int = read(data, "n_antecedents", int)
    if width < 0:
        raise ModelError(f"'n_antecedents' of the saved model is {width}; it cannot be negative")
    return width


def conditions_to_list(conditions: tuple[Condition, ...] | None) -> list[dict[str, Any]] | None:
    if conditions is None:
        return None
    return [{**c.to_dict(), "value": plain(c.value, f"the value of the condition {str(c)!r}")} for c in conditions]


def read_conditions(data: dict[str, Any], where: str) -> tuple[Condition, ...] | None:
    if read(data, "conditions", (list, type(None)), where) is None:
        return None
    out = []
    for place, item in read_items(data, "conditions", where):
        read(item, "column", str, place)
        read(item, "operator", str, place)
        read(item, "value", (str, int, float, bool, type(None)), place)
        try:
            out.append(Condition.from_dict(item))
        except ValueError as error:
            raise ModelError(f"{place!r} of the saved model is no condition: {error}") from None
    return tuple(out)


_JSON_NAMES = {str: "text", int: "an integer", float: "a number", bool: "a Boolean", list: "a list", dict: "an object"}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
