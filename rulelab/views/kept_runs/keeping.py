"""The store of this process in the hands of one thread: what its pages keep there, and the proofs of what is kept."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ... import datasets
from ...certificate import Certificate
from ...certificate.parts import within
from ...data.gaps import MEASURED
from ...families import OFFERED, TIME, record_of
from ...families.wording import in_words
from ...multiclass import MultiClassCertificate
from ...proving import is_quick
from ...store import KeptTable, Run, Store, StoreError
from ...store.kept_table import PARQUET, training_csv
from ..alternatives.game import BOARDS
from ..cards.card import Card, Recheck
from ..cards.card_file import parse
from ..cards.differences import differing
from ..cards.rows import KEPT_ROWS, Split
from ..cards.scores import of_card
from ..forms.data import OnCancel
from ..live.job import THREAD_NAME, Job, Pool, Progress, lower_priority
from ..live.prepared import Prepared
from ..live.recipe import load_code
from ..live.session import SearchSession
from ..live.state import State
from ..live.wording import family_name
from ..search.best import proof_of as proof_made
from ..search.best import unproven
from ..widgets.esc import plain

MOST_SECONDS = 300
"""Of a check, and of a proof that is made to be kept."""
DATA, FAMILY, FAIRNESS, GROUPS = "Data set", "Model family", "Fairness", "Sensitive attribute"
_UNASKED = ("none", "all")
PROOFS = Pool(1)
"""The line of what takes long to be made before it is kept."""
_LOG = logging.getLogger(__name__)
_SAID = (ValueError, OSError, MemoryError)


class Keeper:
    """A store and the thread that has it in hand."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, f"{THREAD_NAME} store", lower_priority)

    def do(self, work: Callable[[Store], Any]) -> Future[Any]:
        """Let something be done with the store; returns at once."""
        try:
            return self._thread.submit(self._done, work)
        except RuntimeError:  # it is shut down
            out: Future[Any] = Future()
            out.set_exception(ValueError("the store is closed"))
            return out

    def do_after(self, make: Callable[[], Any], work: Callable[[Store, Any], Any]) -> Future[Any]:
        """Let something be made beside the store, which others use meanwhile, and then be done with it."""
        out: Future[Any] = Future()

        def beside(_progress: Progress) -> None:
            try:
                made = make()
                out.set_result(self.do(lambda store: work(store, made)).result())
            except Exception as error:  # noqa: BLE001 who waits is told
                out.set_exception(error)

        Job(beside, PROOFS)
        return out

    def close(self) -> None:
        """Do what is in the line, and let go of the store."""
        self._thread.shutdown()
        self.store.close()

    def _done(self, work: Callable[[Store], Any]) -> Any:
        try:
            return work(self.store)
        except _SAID:
            raise
        except Exception:
            _LOG.exception("the store: an unexpected error")
            raise


def error_of(task: Future[Any]) -> str:
    """Why something that is done has no result, in words; empty where it has one."""
    error = task.exception()
    if error is None:
        return ""
    if isinstance(error, _SAID):
        return str(error) or "not enough memory"
    return "it stopped on an unexpected error; the log of the server has the details"


_KEEPERS: list[Keeper] = []


def keeper() -> Keeper | None:
    """What has it in hand; None: nothing is kept."""
    return _KEEPERS[-1] if _KEEPERS else None


def keep_runs(store: Store | None) -> None:
    """Let the pages of this process keep runs, pinned models and the boards of rooms in a store.

    Parameters
    ----------
    store : Store or None
        It is used by a thread of its own, and closed when another one takes its place; None: nothing is kept.

    Examples
    --------
    >>> rl.views.keep_runs(rl.store.open("runs.sqlite"))
    >>> rl.views.serve()
    """
    BOARDS.lasting = KEPT_ROWS.find = KEPT_ROWS.proof = KEPT_ROWS.tried = None
    while _KEEPERS:
        _KEEPERS.pop().close()
    if store is not None:
        _KEEPERS.append(Keeper(store))
        BOARDS.lasting = _KEEPERS[-1].do
        KEPT_ROWS.find = lambda key: store.table(key).dataset()
        KEPT_ROWS.proof = partial(proof_of, _KEEPERS[-1])
        KEPT_ROWS.tried = partial(tried, _KEEPERS[-1])


def is_worth_keeping(session: SearchSession) -> bool:
    """Whether a session is over, was searched here and not as a trial, and came to anything."""
    ended = session.state in (State.ENDED, State.STOPPED)
    known = session.snapshot is not None and session.prepared is not None
    return ended and known and not (session.recorded or session.trial)


def settings_in_words(session: SearchSession) -> dict[str, str]:
    """Names and values of all settings of a run whose search is made."""
    prepared = session.prepared
    assert prepared is not None
    search, recipe = prepared.search, prepared.recipe
    values: dict[str, Any] = {**getattr(recipe, "parameters", {}), **search.parameters}
    record = record_of(search.kind, search.family)
    said = {FAMILY: record.called}
    if prepared.data is not None:
        said[DATA] = plain(prepared.name, 60)
        said["Test share"] = f"{getattr(recipe, 'test_share', 0):g}"
        said[GROUPS] = plain(getattr(recipe, "sensitive", None) or "none", 60)
    if "bounds" in values:
        said["Bounds in use"] = _bounds(values["bounds"])
    own = (each for each in record.parameters if each.name in values)
    said |= {each.title: in_words(each, values[each.name]) for each in own}
    if not session.recorded:
        said[TIME.title] = in_words(TIME, session.limits.seconds)
    return said


def _bounds(bounds: Any) -> str:
    if bounds is None:
        return "all"
    switches = bounds if isinstance(bounds, Mapping) else vars(bounds)
    left_out = [name.replace("_", " ") for name, used in switches.items() if not used]
    return "all" if not left_out else f"without {', '.join(left_out)}"


def save(session: SearchSession, card: Card | None, before: Future[Run] | None) -> Callable[[Store], Run]:
    """What saves a session with the card of its model, in the place of what was kept of it ``before``."""
    prepared, query = session.prepared, session.query
    assert prepared is not None
    settings = settings_in_words(session)
    recipe, data = prepared.recipe, prepared.data
    named = data is not None and getattr(recipe, "load_code", "") == load_code(data.name)
    split = card.rows.split if card is not None and card.rows is not None else None

    def work(store: Store) -> Run:
        earlier = None if before is None or before.exception() else before.result()
        return store.save(
            session.recording(),
            data=data,
            test_rows=prepared.test_rows,
            settings=settings,
            query=query,
            model=None if card is None else card.to_json().encode(),
            split=None if split is None else asdict(split),
            keep_rows=not named,
            data_name=prepared.name,
            instead_of=None if earlier is None else earlier.hash,
            gaps=_gaps(card),
        )

    return work


def _gaps(card: Card | None) -> dict[str, float] | None:
    """The gaps between the groups of a card, see `rulelab.store.run.Run`."""
    if card is None or card.rows is None:
        return None
    try:
        scores = of_card(card, lambda doing: None)
    except ValueError:  # the run is kept all the same
        return None
    every = ((criterion, name, scores.gap(criterion, name)) for name in scores.compared for criterion in MEASURED)
    known = {f"{criterion} by {name}": gap.value for criterion, name, gap in every if gap and gap.value == gap.value}
    return known or None


def is_provable(session: SearchSession) -> bool:
    """Whether there is a proof that is made in a moment."""
    last, search, prepared = session.snapshot, session.search, session.prepared
    return last is not None and prepared is not None and not unproven(prepared, last) and is_quick(search, last)


def prove(prepared: Prepared, card: Card) -> Certificate | MultiClassCertificate:
    """The proof of a search that was kept, for the labels of the kept model."""
    with within(MOST_SECONDS, "the proof"):
        return proof_made(prepared, card.named.classes)


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


def recheck(keeper: Keeper, hash: str, on_cancel: OnCancel) -> str:
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


def table_of(store: Store, run: Run) -> KeptTable | None:
    """The rows of a run whose data have no name, where they are kept."""
    try:
        return store.table(run.data_hash)
    except StoreError:
        return None


def _with_types(store: Store, run: Run) -> bytes | None:
    """The training rows of a run whose rows are kept as Parquet, as such; None: they are kept otherwise."""
    table = table_of(store, run)
    if table is None or table.how:
        return None
    frame, split, out = pd.read_parquet(io.BytesIO(table.rows)), Split.read(run.split), io.BytesIO()
    test = None if split is None else split.rows().test
    (frame if test is None else frame.drop(index=frame.index[test])).to_parquet(out, index=False)
    return out.getvalue()


def check(given: Evidence, on_cancel: OnCancel = lambda end: None) -> str:
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
    named = run.settings.get(GROUPS, "none")
    return [] if named == "none" else [part for name in named.split(", ") for part in ("--sensitive", name)]


def tried(keeper: Keeper, card: Card) -> list[tuple[int, Run, str, dict[str, str]]]:
    """The kept runs of a card's data and target: how many were alike, the latest, its title, what was asked for."""
    known = {0} if card.rows is None else {0, len(card.rows.data.y)}
    of = card.data.get("data set"), card.target
    named = keeper.store.runs(str(of[0] or ""), 1 << 30)  # all of them: they are counted
    groups = alike([run for run in named if (run.data, run.target) == of and known <= {0, run.rows}])
    apart = told_apart([run for run, *_ in groups])
    return [(len(group), group[0], title(group[0]), apart[group[0].hash]) for group in groups]


def title(run: Run) -> str:
    """What a run is called: its name, or what was searched for."""
    return plain(run.name or f"{called(run)} of {run.data or 'unnamed data'}", 80)


def called(run: Run) -> str:
    """What its models are called."""
    said = run.settings.get(FAMILY)
    return said if said in {each.called for each in OFFERED.values()} else family_name(run.family)


def alike(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs by what they asked for and came to, each time the latest first: who repeats a run has one row of it."""
    groups: dict[Any, list[Run]] = {}
    for run in runs:
        asked = run.data_hash, run.family, run.name, json.dumps(dict(run.settings), sort_keys=True)
        groups.setdefault((asked, run.status, run.objective, run.lower_bound), []).append(run)
    return list(groups.values())


def told_apart(runs: Sequence[Run]) -> dict[str, dict[str, str]]:
    """By the hash of each run its fairness, and what tells it from others of its family and data, as far as asked."""
    akin: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        akin.setdefault((called(run), run.data), []).append(run)
    apart: dict[str, dict[str, str]] = {}
    for group in akin.values():
        for run, own in zip(group, differing([each.settings for each in group]), strict=True):
            told = {FAIRNESS: run.settings.get(FAIRNESS, "none"), **own}
            apart[run.hash] = {name: text for name, text in told.items() if text not in _UNASKED}
    return apart
