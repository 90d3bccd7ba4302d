"""What a run is made of: its files, and what is said of its search and of its rows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StoreError
from ..recording import Recording
from ..results import plain
from ..snapshot import Status
from .kept_table import LARGEST_ROWS, data_hash, packed, training_csv
from .run import storable

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..datasets import Dataset
    from ..multiclass import MultiClassCertificate

DELETED_DAYS = 7
"""For so long a deleted run can be brought back."""
LARGEST_FILE = 64_000_000
LEAST_DIGITS = 4
LARGEST_RECORDING = 20_000_000
"""Bytes; the page opens no larger ones either."""
_FEW_NODES = 2000
MOST_POINTS = 2000
_CURVE = ("step", "work", "seconds", "objective", "errors", "complexity", "lower_bound", "gap")


def files_of(
    recording: Recording, data: Dataset | None, test_rows: np.ndarray | None, model: bytes | None, keep_rows: bool
) -> tuple[dict[str, bytes], list[str]]:
    """The files of a run by kind, with "table" of all rows, which is a file of the data; what is not kept, and why."""
    notes: list[str] = []
    files = {"trace": curve(recording)}
    raw = recording.to_bytes()
    if len(raw) > LARGEST_RECORDING:
        raw = recording.to_bytes(_FEW_NODES)
        notes.append(
            f"Of the tree, the {_FEW_NODES} prefixes with the most descendants are kept: the rest is too large."
        )
    if len(raw) <= LARGEST_RECORDING:
        files["recording"] = raw
    else:
        notes.append(f"No recording is kept: it takes more than {LARGEST_RECORDING // 10**6} MB.")
    best = recording.snapshots[-1].incumbent
    if best is not None:
        files["model"] = model if model is not None else (best.model.to_json() + "\n").encode()
    if data is not None and keep_rows:
        rows, table = training_csv(data, test_rows), packed(data)
        files |= {kind: made for kind, made in (("rows", rows), ("table", table)) if made is not None}
        if rows is None:
            notes.append(f"Of the rows only their hash is kept: they take more than {LARGEST_ROWS // 10**6} MB.")
        elif table is None:
            notes.append("The rows are kept for its proof alone: read again, they are not the same to the last cell.")
    return files, notes


def of_recording(recording: Recording) -> dict[str, Any]:
    """What a run says of its search."""
    last = recording.snapshots[-1]
    best = last.incumbent
    return {
        "family": recording.family,
        "status": "stopped" if last.status is Status.RUNNING else str(last.status),
        "limit": last.limit,
        "objective": None if best is None else float(best.objective),
        "lower_bound": _finite(last.lower_bound),
        "errors": None if best is None else plain(best.errors),
        "complexity": None if best is None else int(best.complexity),
        "n_rules": None if best is None else len(best.model.rules),
        "seconds": _finite(last.seconds),
        "work": int(last.work),
    }


def of_data(recording: Recording, data: Dataset | None, test_rows: np.ndarray | None, name: str) -> dict[str, Any]:
    """What a run says of its rows, and how many of them are right, by weight, where all were trained on."""
    if data is None:
        return {"data": storable(name)[:200]}
    best = recording.snapshots[-1].incumbent
    whole = len(data.y) if data.weight is None else data.weight.sum()
    return {
        "data": storable(str(name or data.name))[:200],
        "data_hash": data_hash(data),
        "rows": len(data.y),
        "target": str(data.target)[:200],
        "accuracy": None if best is None or test_rows is not None else float(1 - best.errors / whole),
    }


def curve(recording: Recording) -> bytes:
    """Objective, lower bound and gap of the kept moments, as CSV."""
    frame = recording.frame.reindex(columns=list(_CURVE)).tail(MOST_POINTS)
    return frame.to_csv(index=False, lineterminator="\n").encode()


def settings_of(recording: Recording) -> dict[str, str]:
    """The parameters of the search in words."""
    known = {key: value for key, value in recording.parameters.items() if value is not None}
    return {key.replace("_", " "): str(value)[:200] for key, value in known.items()}


def _finite(value: float) -> float:
    return float(plain(float(value)) or 0.0)


def proof_bytes(proof: Certificate | MultiClassCertificate) -> bytes:
    """The file of a proof; raises StoreError where it is too large to be kept."""
    stream = io.BytesIO()
    proof.save(stream)
    if stream.tell() > LARGEST_FILE:
        raise StoreError(f"the proof takes {stream.tell()} bytes; at most {LARGEST_FILE} are kept")
    return stream.getvalue()
