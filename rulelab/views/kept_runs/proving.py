"""The proof of a kept run, checked in a process of its own by what the command line checks with; nothing of Panel."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ... import datasets
from ...store import Run, Store, StoreError
from ...store.kept_table import PARQUET, training_csv
from ..cards.card import Card, Recheck
from ..cards.card_file import parse
from ..cards.rows import Split
from ..widgets.esc import plain
from .keeper import Keeper, error_of

MOST_SECONDS = 300
"""Of a check, and of a proof that is made to be kept."""


@dataclass(frozen=True)
class Evidence:
    """What a check needs."""

    run: Run
    model: bytes
    proof: bytes
    # as CSV, or as Parquet where types get lost in a text; None: they are those of the data set that the run names
    rows: bytes | None


def evidence(store: Store, which: str) -> Evidence:
    """What is kept of a run; StoreError when it has no proof, or its rows are not kept."""
    run = store.run(which)
    if run.proof is None:
        raise StoreError("no proof is kept of this run")
    rows = _with_types(store, run) or (store.file(run, "rows") if "rows" in run.files else None)
    if rows is None and not (run.data_hash and run.data in datasets.names()):
        only = ", only their hash" if run.data_hash else ""
        raise StoreError(
            f"the rows of this run are not kept{only}: export it, and check its proof on the file with rulelab verify"
        )
    if rows is None and (split := Split.read(run.split)) is not None:
        try:
            dealt = split.rows()
        except ValueError as error:
            raise StoreError(f"the rows that the proof is of are not found again: {error}") from error
        rows = None if dealt.test is None else training_csv(dealt.data, dealt.test)
        if rows is None and dealt.test is not None:
            raise StoreError(f"the training rows of {run.data} are too many to be checked here; use rulelab verify")
    return Evidence(run, store.file(run, "model"), store.file(run, "proof"), rows)


def recheck(keeper: Keeper, hash: str, on_cancel: Callable[[Callable[[], Any]], Any]) -> str:
    """What the check of a run's kept proof says."""
    task = keeper.do(lambda store: evidence(store, hash))
    if error := error_of(task):
        raise StoreError(error)
    return check(task.result(), on_cancel)


def proof_of(keeper: Keeper, card: Card) -> Recheck | None:
    """What checks the kept proof of a run over the same rows that found what the card says; None: there is none."""
    if card.proof is None or card.rows is None or card.rows.split is None:
        return None
    try:
        for run in keeper.store.runs():
            alike = (run.objective, Split.read(run.split)) == (card.proof.objective, card.rows.split)
            if alike and run.proof and parse(keeper.store.file(run, "model"), run.data).says_the_same(card):
                return partial(recheck, keeper, run.hash)
    except ValueError:  # what is damaged proves nothing
        pass
    return None


def _with_types(store: Store, run: Run) -> bytes | None:
    """The training rows of a run whose rows are kept as Parquet, as such; None: they are kept otherwise."""
    try:
        table = store.table(run.data_hash)
    except StoreError:
        return None
    if table.how:
        return None
    frame, split, out = pd.read_parquet(io.BytesIO(table.rows)), Split.read(run.split), io.BytesIO()
    test = None if split is None else split.rows().test
    (frame if test is None else frame.drop(index=frame.index[test])).to_parquet(out, index=False)
    return out.getvalue()


def check(given: Evidence, on_cancel: Callable[[Callable[[], Any]], Any] = lambda end: None) -> str:
    """What the check says, in one line; ``on_cancel`` is told what ends it before its time."""
    with tempfile.TemporaryDirectory(prefix="rulelab-check-") as name:
        folder = Path(name)
        (folder / "model.json").write_bytes(given.model)
        (folder / "proof.npz").write_bytes(given.proof)
        data = [given.run.data]
        if given.rows is not None:
            ending = "parquet" if given.rows.startswith(PARQUET) else "csv"
            file = f"{re.sub(r'[^a-zA-Z0-9_]', '_', given.run.data)[:40] or 'rows'}.{ending}"
            (folder / file).write_bytes(given.rows)
            data = [file, *_sensitive(given.run)]
        here = str(Path(__file__).parents[3])
        process = subprocess.Popen(
            [sys.executable, "-m", "rulelab", "verify", data[0], "model.json", "proof.npz", *data[1:]],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([here, *filter(None, sys.path)])},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        on_cancel(process.kill)
        try:
            out, err = process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return f"the check was not done after {MOST_SECONDS} s"
        finally:
            process.kill()
            process.wait()
    lines = out.decode("utf-8", "replace").splitlines()
    if lines and process.returncode == 1:
        return plain(f"{lines[0]} (on the rows as they are read again)", 400)
    if lines and process.returncode == 0:
        return plain("; ".join([lines[0], *(line for line in lines if line.startswith("checked: "))]), 400)
    said = err.decode("utf-8", "replace").strip().splitlines()
    return plain(f"the proof cannot be checked: {said[-1] if said else 'the check ended without an answer'}", 400)


def _sensitive(run: Run) -> list[str]:
    """The option that names the groups, where the search compared some."""
    named = run.settings.get("Sensitive attribute", "none")
    return [] if named == "none" else [part for name in named.split(", ") for part in ("--sensitive", name)]
