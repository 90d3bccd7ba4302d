"""A kept run: what is said of it, checked when it is made and whenever it is read, and what it is made of."""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..arguments import StoreError, is_number
from ..as_json import plain
from ..certificate import Certificate, MultiClassCertificate
from ..datasets import Dataset
from ..files import load_json
from ..recording import Recording
from ..snapshot import Status
from .kept_table import LARGEST_ROWS, data_hash, packed, training_csv

FORMAT = "rulelab run"
STATUSES = ("optimal", "infeasible", "limit", "stopped")
KINDS = ("recording", "model", "trace", "rows", "proof")
"""Of its files. The proof stands for itself, so that the hash of the run does not cover it."""
LARGEST_ABOUT = 100_000
LEAST_DIGITS = 4
"""Of a hash that is only begun."""
MOST_CHARACTERS = 80
"""Of a name."""
_ADDED = ("n_rules", "accuracy", "training_accuracy", "test_accuracy", "gaps")
"""What older runs do not have: where it is not known, their hashes stay what they were."""
_MOST_SETTINGS = 100
_LONGEST = 4000


@dataclass(frozen=True)
class Run:
    """A run as it was when it ended."""

    family: str  # of models, such as "rule_list"
    data: str  # name of the data
    status: str  # "optimal", "infeasible", "limit", or "stopped" by hand
    objective: float | None  # of the best model; None: none was found
    lower_bound: float
    seconds: float  # of search
    work: int  # units of work
    made: str  # when it ended: ISO 8601, UTC
    version: str  # of rulelab
    data_hash: str = ""  # SHA-256 of the rows; empty: not known
    rows: int = 0  # how many there were, those kept out for a test too; 0: not known
    target: str = ""  # what is predicted
    settings: Mapping[str, str] = field(default_factory=dict)  # names and values, in words
    query: str | None = None  # the address that gives the form of the page these settings
    limit: str | None = None  # which limit
    errors: int | float | None = None  # training errors of the best model
    # complexity, n_rules: of the best model; ``n_rules`` is not known of older runs
    complexity: int | None = None
    n_rules: int | None = None
    # accuracy: of the best model on all rows, by weight, from 0 to 1; None where some were kept out for a test, too
    accuracy: float | None = None
    # training_accuracy: the same on the rows that it was trained on, where some were kept out for a test
    training_accuracy: float | None = None
    test_accuracy: float | None = None  # on those that were kept out, where the model can be asked
    # gaps: between groups of people, on the rows that were kept out, or else on all, by what they are in and whose they
    # are, such as "equal_opportunity by sex", from 0 to 1; None where there are no groups, or it is not known
    gaps: Mapping[str, float] | None = None
    # files: SHA-256 of the recording, the model, the curve and the rows, as far as there are such
    files: Mapping[str, str] = field(default_factory=dict)
    # split: how rows of a data set with a name were kept out of training; see `rulelab.views.cards.rows.Split`
    split: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()  # what was not kept, and why
    name: str = ""  # what people call it; it may change
    proof: str | None = None  # SHA-256 of the certificate's file

    def __post_init__(self) -> None:
        wrong = next(_wrong(self), None)
        if wrong is not None:
            raise StoreError(f"a run cannot have {wrong}")

    @property
    def gap(self) -> float:
        """What the objective is above the lower bound; infinite without a model."""
        return math.inf if self.objective is None else max(0.0, self.objective - self.lower_bound)

    @property
    def about(self) -> str:
        """All that the hash covers, as JSON."""
        content = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("name", "proof")}
        content = {key: value for key, value in content.items() if key not in _ADDED or value is not None}
        content = {"format": FORMAT, **content, "settings": dict(self.settings), "files": dict(self.files)}
        content["split"] = None if self.split is None else dict(self.split)
        return json.dumps(content, allow_nan=False, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @cached_property
    def hash(self) -> str:
        """SHA-256 of `about`: what a link to the run holds."""
        return digest(self.about.encode())


def digest(content: bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def now() -> str:
    """ISO 8601, UTC, to the millisecond, so that texts sort as times do."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def read(about: Any, hash: Any, name: Any = "", proof: Any = None) -> Run:
    """The run of a text that may come from anywhere; StoreError when it is none, or not the one that the hash names."""
    which = f"the run {str(hash)[:12]!r}"
    if not isinstance(about, str) or len(about) > LARGEST_ABOUT:
        raise StoreError(f"{which} is damaged: what is known of it is no text, or too long")
    if digest(about.encode("utf-8", "surrogatepass")) != hash:
        raise StoreError(f"{which} is damaged: it is not what its hash says")
    try:
        content = load_json(about, LARGEST_ABOUT, 2000)
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise ValueError("it is something else")
        content["notes"] = tuple(content["notes"])
        run = Run(**content)
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"{which} cannot be read: {error}") from None
    if run.hash != hash:
        raise StoreError(f"{which} cannot be read: it is not written as rulelab writes")
    return replace(run, name=named(name), proof=proof if proof is None or _is_hash(proof) else None)


def check_digits(which: Any) -> None:
    """Raise StoreError unless it can be a hash, or the first digits of one."""
    if not isinstance(which, str) or not re.fullmatch(rf"[0-9a-f]{{{LEAST_DIGITS},64}}", which):
        raise StoreError(f"{which!r:.40} is no hash: {LEAST_DIGITS} to 64 digits and letters a to f")


def named(name: Any) -> str:
    """A name as it is kept: one line, not too long."""
    return " ".join(storable(name).split())[:MOST_CHARACTERS] if isinstance(name, str) else ""


def storable(text: str) -> str:
    """A text as every database takes it: without NUL, and without halves of characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _wrong(run: Run) -> Any:
    texts = (run.family, run.data, run.version, run.made, run.data_hash, run.target, run.name)
    if not all(_is_text(text) for text in texts):
        yield f"texts such as {texts!r:.200}"
        return
    for what, text in (("the query", run.query), ("the limit", run.limit)):
        if text is not None and not _is_text(text):
            yield f"{what} {text!r:.80}"
    if run.status not in STATUSES:
        yield f"the status {run.status!r:.80}; known are {', '.join(STATUSES)}"
    try:
        datetime.datetime.fromisoformat(run.made)
    except ValueError:
        yield f"the time {run.made!r:.80}"
    gaps = {} if run.gaps is None else run.gaps
    if not isinstance(gaps, Mapping) or len(gaps) > _MOST_SETTINGS or not all(map(_is_text, gaps)):
        yield f"the gaps {run.gaps!r:.200}"
        return
    shares = (run.accuracy, run.training_accuracy, run.test_accuracy, *gaps.values())
    known = (x for x in (run.objective, run.errors, *shares) if x is not None)
    finite = (run.lower_bound, run.seconds, *known)
    if not all(is_number(x) and math.isfinite(x) for x in finite):
        yield f"the figures {finite!r:.200}"
        return
    whole = (run.work, run.rows, *(x for x in (run.complexity, run.n_rules) if x is not None))
    if not all(type(x) is int and x >= 0 for x in whole):
        yield f"the counts {whole!r:.200}"
    for right in shares:
        if right is not None and not 0 <= right <= 1:
            yield f"the accuracy, or gap, {right}"
    if run.status == "optimal" and run.lower_bound != run.objective:
        yield f"the status optimal, with the objective {run.objective} and the lower bound {run.lower_bound}"
    elif run.objective is not None and run.lower_bound > run.objective:
        yield f"the lower bound {run.lower_bound}, which is above the objective {run.objective}"
    settings = run.settings if isinstance(run.settings, Mapping) else {None: None}
    if len(settings) > _MOST_SETTINGS or not all(map(_is_text, (*settings, *settings.values()))):
        yield "settings that are not names and texts"
    kinds = set(KINDS) - {"proof"}
    if not isinstance(run.files, Mapping) or not (set(run.files) <= kinds and all(map(_is_hash, run.files.values()))):
        yield f"the files {run.files!r:.200}"
    if not all(_is_text(note) for note in run.notes):
        yield "notes that are no texts"
    if run.split is not None and not isinstance(run.split, Mapping):
        yield f"the split {run.split!r:.80}"


def _is_text(text: Any) -> bool:
    return isinstance(text, str) and len(text) <= _LONGEST


def _is_hash(text: Any) -> bool:
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")


DELETED_DAYS = 7
"""For so long a deleted run can be brought back."""
LARGEST_FILE = 64_000_000
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


def said_of(
    recording: Recording, data: Dataset | None, test_rows: np.ndarray | None, name: str, settings: Any
) -> dict[str, Any]:
    """What a run says of its search and of its rows, and how many of these are right."""
    last = recording.snapshots[-1]
    best = last.incumbent
    if settings is None:
        known = {key.replace("_", " "): value for key, value in recording.parameters.items() if value is not None}
        settings = {key: str(value)[:200] for key, value in known.items()}
    said = {
        "family": recording.family,
        "data": storable(str(name or ("" if data is None else data.name)))[:200],
        "settings": {str(key): str(value) for key, value in settings.items()},
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
    if data is None:
        return said
    trained = np.ones(len(data.y), dtype=bool)
    if test_rows is not None:
        trained[test_rows] = False
    whole = trained.sum() if data.weight is None else data.weight[trained].sum()
    right = None if best is None else float(1 - best.errors / whole)
    of_rows = {"data_hash": data_hash(data), "rows": len(data.y), "target": str(data.target)[:200]}
    if test_rows is None:
        return {**said, **of_rows, "accuracy": right}
    tested = None if best is None else _right(best.model, data, test_rows)
    return {**said, **of_rows, "training_accuracy": right, "test_accuracy": tested}


def _right(model: Any, data: Dataset, rows: np.ndarray) -> float | None:
    """The share of some rows, by weight, that a model predicts right; None where it knows no columns."""
    try:
        right = (model.predict(data.X.iloc[rows]) == model.classes[-1]) == (data.y.iloc[rows].to_numpy() == 1)
        return float(np.average(right, weights=None if data.weight is None else data.weight.iloc[rows]))
    except (ValueError, ZeroDivisionError):
        return None


def curve(recording: Recording) -> bytes:
    """Objective, lower bound and gap of the kept moments, as CSV."""
    frame = recording.frame.reindex(columns=list(_CURVE)).tail(MOST_POINTS)
    return frame.to_csv(index=False, lineterminator="\n").encode()


def _finite(value: float) -> float:
    return float(plain(float(value)) or 0.0)


def proof_bytes(proof: Certificate | MultiClassCertificate) -> bytes:
    """The file of a proof; raises StoreError where it is too large to be kept."""
    stream = io.BytesIO()
    proof.save(stream)
    if stream.tell() > LARGEST_FILE:
        raise StoreError(f"the proof takes {stream.tell()} bytes; at most {LARGEST_FILE} are kept")
    return stream.getvalue()
