"""Recordings as files: JSON text with packed arrays, compressed; read without running or trusting anything in it."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import is_number
from ..as_json import plain
from ..data.directions import NAME as DIRECTED
from ..data.directions import Directions, as_directions
from ..data.naming import as_names
from ..files import load_json
from ..models import Model, ModelError, MultiClassRuleList, parse_any_model
from ..prefixes import Nodes
from ..snapshot import Incumbent, Snapshot, Status
from .course import NOT_YET, Look

FORMAT = "rulelab recording"
_LEFT_OUT = "left_out"  # an entry where there are some, as the directions
VERSION = 1
LARGEST_FILE = 1 << 26
LARGEST_TEXT = 1 << 28
MOST_LISTS = 200_000
MOST_DOUBLINGS = 10
"""Of steps upwards in a tree: no list has 1024 rules."""
_FLOATS = ("seconds", "lower_bound", "log10_remaining")
_WHOLE = ("step", "work", "memory_bytes")
_ARRAYS = {"parent": "<i4", "antecedent": "<i4", "cost": "<f8", "bound": "<f8", "fate": "u1", "known": "i1"}


class RecordingError(ValueError):
    """The file is no recording that can be read; the message says why."""


@dataclass(frozen=True)
class Content:
    """What a file holds. ``left_out``: what rules must not use. ``directions``: where conditions must point."""

    family: str
    parameters: dict[str, Any]
    snapshots: list[Snapshot]
    looks: list[Look]
    tree: Nodes | None
    left_out: tuple[str, ...] = ()
    directions: Directions = ()


def packed(content: Content) -> bytes:
    """The bytes of a file."""
    found = {id(best.model): best.model for each in content.snapshots if (best := each.incumbent) is not None}
    models, tree = {key: place for place, key in enumerate(found)}, content.tree
    document = {
        "format": FORMAT,
        "version": VERSION,
        "family": content.family,
        "parameters": content.parameters,
        **({_LEFT_OUT: list(content.left_out)} if content.left_out else {}),
        **({DIRECTED: dict(content.directions)} if content.directions else {}),
        "models": [json.loads(model.to_json()) for model in found.values()],
        "snapshots": [_snapshot(each, models) for each in content.snapshots],
        "tree": None
        if tree is None
        else {
            **{name: _packed(getattr(tree, name), kind) for name, kind in _ARRAYS.items()},
            "names": list(tree.names),
            "classes": plain(list(tree.classes)),
            "cuts": list(tree.cuts),
            "incumbent": list(tree.incumbent),
            "sizes": _packed([len(nodes) for nodes, _ in content.looks], "<i4"),
            "nodes": _packed(np.concatenate([np.zeros(0, int), *(n for n, _ in content.looks)]), "<i4"),
            "fates": _packed(np.concatenate([np.zeros(0, int), *(f for _, f in content.looks)]), "u1"),
        },
    }
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    return gzip.compress(text, 6, mtime=0)


def unpacked(raw: bytes, name: str, largest_text: int = LARGEST_TEXT) -> Content:
    """What the bytes of a file hold; ``name`` is what it is called where it is refused with a RecordingError."""
    if len(raw) > LARGEST_FILE:
        raise RecordingError(f"{name}: larger than {LARGEST_FILE >> 20} MB; no recording is")
    try:
        unpacker = zlib.decompressobj(wbits=31)
        text = unpacker.decompress(raw, largest_text)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise RecordingError("it is cut short, or larger than any recording")
        return _content(load_json(text, largest_text, MOST_LISTS))
    except (zlib.error, UnicodeDecodeError, json.JSONDecodeError):
        raise RecordingError(f"{name} is no recording of rulelab, or damaged") from None
    except (ModelError, KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise RecordingError(f"{name} is no recording that can be read: {what}") from None


def _snapshot(each: Snapshot, models: Mapping[int, int]) -> dict[str, Any]:
    best = each.incumbent
    return {
        **{name: getattr(each, name) for name in _WHOLE},
        **{name: plain(float(getattr(each, name))) for name in _FLOATS},
        "status": str(each.status),
        "phase": each.phase,
        "limit": each.limit,
        "counts": plain(each.counts),
        "pruned": plain(each.pruned),
        "queue": list(each.queue_by_length),
        "detail": {name: plain(value) for name, value in each.detail.items() if is_number(value)},
        "best": None
        if best is None
        else plain([models[id(best.model)], best.objective, best.errors, best.complexity, *best.found_at]),
    }


def _content(data: Any) -> Content:
    if data["format"] != FORMAT:
        raise RecordingError("it is another kind of file")
    if data["version"] != VERSION:
        raise RecordingError(f"its version is {data['version']!r}; this rulelab reads version {VERSION}")
    if data["family"] not in (known := (*Model.families, MultiClassRuleList.family)):
        raise RecordingError(f"its family is {data['family']!r}; known are {', '.join(known)}")
    models = [parse_any_model(json.dumps(each)) for each in data["models"]]
    snapshots = [_read_snapshot(each, models) for each in data["snapshots"]]
    tree, looks = (None, []) if data["tree"] is None else _read_tree(data["tree"], len(snapshots))
    left_out, directions = as_names(data.get(_LEFT_OUT), _LEFT_OUT), as_directions(data.get(DIRECTED))
    return Content(data["family"], dict(data["parameters"]), snapshots, looks, tree, left_out, directions)


def _read_snapshot(data: Any, models: list[Any]) -> Snapshot:
    best = data["best"]
    incumbent = None
    if best is not None:
        which, objective, errors, complexity, seconds, work = best
        found_at = (float(seconds), int(work))
        incumbent = Incumbent(models[_index(which, len(models))], float(objective), errors, int(complexity), found_at)
    figures: dict[str, Any] = {name: int(data[name]) for name in _WHOLE}
    figures.update({name: math.inf if data[name] is None else float(data[name]) for name in _FLOATS})
    return Snapshot(
        **figures,
        status=Status(data["status"]),
        incumbent=incumbent,
        counts={str(name): int(value) for name, value in data["counts"].items()},
        pruned={str(name): int(value) for name, value in data["pruned"].items()},
        queue_by_length=tuple(int(value) for value in data["queue"]),
        phase=str(data["phase"]),
        limit=None if data["limit"] is None else str(data["limit"]),
        detail={str(name): _number(value) for name, value in data.get("detail", {}).items()},
    )


def _read_tree(data: Any, looks: int) -> tuple[Nodes, list[Look]]:
    arrays = {name: _unpacked(data[name], kind) for name, kind in _ARRAYS.items()}
    n = len(arrays["parent"])
    names, cuts = tuple(map(str, data["names"])), tuple(map(str, data["cuts"]))
    sizes, nodes = _unpacked(data["sizes"], "<i4"), _unpacked(data["nodes"], "<i4")
    fates = _unpacked(data["fates"], "u1")
    parent, antecedent = arrays["parent"].astype(np.int64), arrays["antecedent"].astype(np.int64)
    sound = (
        all(len(array) == n for array in arrays.values())
        and len(sizes) == looks
        and (sizes >= 0).all()
        and sizes.sum(dtype=np.int64) == len(nodes) == len(fates)
        and _inside(parent, -1, n)
        and _rooted(parent)
        and _inside(antecedent, -1, len(names))
        and _inside(nodes, 0, n)
        and _inside(arrays["known"], -1, 2)
        and ((fates < len(cuts) + 2) | (fates == NOT_YET)).all()
        and (arrays["fate"] < len(cuts) + 2).all()
        and np.isfinite(arrays["cost"]).all()
        and np.isfinite(arrays["bound"]).all()
        and len(data["classes"]) == 2
    )
    if not sound:
        raise RecordingError("the arrays of its tree do not fit together")
    classes, incumbent = tuple(data["classes"]), tuple(_index(each, len(names)) for each in data["incumbent"])
    given = arrays | {"parent": parent, "antecedent": antecedent}
    tree = Nodes(**given, cuts=cuts, names=names, classes=classes, incumbent=incumbent, scale=None)
    ends = np.cumsum(sizes)
    return tree, [(nodes[a:b], fates[a:b]) for a, b in zip(ends - sizes, ends, strict=True)]


def _rooted(parent: np.ndarray) -> bool:
    """Whether every node stands below one that has no parent, and none is deeper than any list is long."""
    above = np.append(parent, -1)
    for _ in range(MOST_DOUBLINGS):
        above = above[above]
    return bool((above < 0).all())


def _inside(values: np.ndarray, first: int, end: int) -> bool:
    return not len(values) or (int(values.min()) >= first and int(values.max()) < end)


def _index(value: Any, end: int) -> int:
    if not isinstance(value, int) or not 0 <= value < end:
        raise RecordingError(f"it names entry {value!r} of {end}")
    return value


def _number(value: Any) -> float:
    if not is_number(value):
        raise RecordingError(f"it has {value!r} where a number belongs")
    return value


def _packed(values: Any, kind: str) -> str:
    return base64.b64encode(np.asarray(values).astype(kind).tobytes()).decode("ascii")


def _unpacked(text: Any, kind: str) -> np.ndarray:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError):
        raise RecordingError("one of its arrays is damaged") from None
    if len(raw) % np.dtype(kind).itemsize:
        raise RecordingError("one of its arrays is cut short")
    return np.frombuffer(raw, dtype=kind)
