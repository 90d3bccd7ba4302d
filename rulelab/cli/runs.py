"""``rulelab runs``: the kept runs, listed, shown, exported, imported and deleted; ``rulelab fit --keep`` keeps one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..certificate import Certificate
from ..datasets import Dataset
from ..families import FAMILIES, NAMING
from ..families.criteria import in_words
from ..families.typed import written
from ..families.wording import adding_up
from ..models import Model, ModelError
from ..proving import is_quick
from ..recording import Recording
from ..shown import digits
from ..snapshot import Snapshot
from ..stepping import Search
from .output import CommandError, bad_input, is_data_set, one_line, reading, say, table, tell, writing

if TYPE_CHECKING:  # it needs a package of the page
    from ..store import Run, Store

DIGITS = 12
"""Of a hash that is shown."""


def listed(args: argparse.Namespace) -> None:
    """Say which runs there are."""
    with _opened(args) as store:
        runs = store.runs(" ".join(args.words), args.most, args.deleted)
        if args.json:
            print(json.dumps([_entry(run) for run in runs], ensure_ascii=False, indent=2))
            return
        head = ("run", "ended", "name", "data", "family", "status", "objective", "gap", "proof")
        rows = [
            (
                run.hash[:DIGITS],
                run.made[:16].replace("T", " "),
                one_line(run.name) or "-",
                one_line(run.data) or "-",
                one_line(run.family).replace("_", " "),
                run.status,
                "-" if run.objective is None else digits(run.objective, 7),
                "-" if run.objective is None else adding_up(run.objective, run.lower_bound, run.family)[2],
                "yes" if run.proof else "-",
            )
            for run in runs
        ]
        print(table(head, rows, right=(6, 7)))
        what = "deleted run" if args.deleted else "run"
        print(f"\n{len(rows)} {what}{'s' * (len(rows) != 1)} in {store.place}; times are UTC")
        for said in store.damaged():
            say(one_line(said))


def shown(args: argparse.Namespace) -> None:
    """Say all that is known of one run, and its model."""
    with _opened(args) as store:
        run = store.run(args.which)
        if args.json:
            print(json.dumps(_entry(run), ensure_ascii=False, indent=2))
            return
        kept = [*run.files, *(["proof"] if run.proof else [])]
        facts = {
            "run": run.hash,
            "name": run.name,
            "ended": f"{run.made} with rulelab {run.version}",
            "data": f"{run.data}, {run.rows} rows, SHA-256 {run.data_hash}" if run.data_hash else run.data,
            "target": run.target,
            "family": run.family.replace("_", " "),
            "status": run.status + (f" ({run.limit})" if run.limit else ""),
            "objective": "" if run.objective is None else repr(run.objective),
            "lower bound": repr(run.lower_bound),
            "gap": "" if run.objective is None else repr(run.gap),
            "errors": "" if run.errors is None else digits(run.errors),
            "search": f"{run.seconds:.2f} s, {run.work} units of work",
            "kept": ", ".join(kept),
            **run.settings,
        }
        rows = [(one_line(name), one_line(str(text))) for name, text in facts.items() if text]
        print(table(("", ""), rows, right=()).lstrip("\n"))
        for note in run.notes:
            print(f"\n{one_line(note)}")
        if "model" in run.files:
            try:
                print("", store.model(run).to_text(run.target or None), sep="\n")
            except ModelError as error:
                raise CommandError(f"the model of this run cannot be read: {error}", 1) from error


def exported(args: argparse.Namespace) -> None:
    """Write runs to a zip archive."""
    path = args.output
    with _opened(args) as store:
        which = args.which or [run.hash for run in store.runs(most=1 << 30)]
        if not which:
            raise CommandError(f"there are no runs in {store.place}", 1)
        with writing(path):
            content = store.export(path, which)
    say(f"saved {path}: {len(which)} runs, {len(content)} bytes")


def imported(args: argparse.Namespace) -> None:
    """Keep the runs of an archive."""
    with _opened(args) as store:
        for name in args.file:
            with reading(name):
                new = store.take(Path(name))
            for run in new:
                print(run.hash)
            say(f"{name}: {len(new)} runs are new in {store.place}")


def deleted(args: argparse.Namespace) -> None:
    """Put runs away, or bring them back."""
    from ..store import DELETED_DAYS

    with _opened(args) as store:
        for which in [store.run(each) for each in args.which]:
            if args.undo:
                store.restore(which)
            else:
                store.delete(which, forever=args.forever)
            print(which.hash)
    if not args.undo and not args.forever:
        say(f"for {DELETED_DAYS} days rulelab runs delete --undo brings them back")


@contextmanager
def _opened(args: argparse.Namespace) -> Iterator[Store]:
    """The store; what goes wrong with it ends the command."""
    from .. import store as kept

    with bad_input(), kept.open(args.store) as store:
        yield store


def _entry(run: Run) -> dict[str, Any]:
    return {"hash": run.hash, "name": run.name, "proof": run.proof, **json.loads(run.about)}


def check_keep(args: argparse.Namespace) -> None:
    """Open the store before time is spent on what is to be kept there."""
    if args.keep is None:
        if args.store is not None:
            raise CommandError("--store says where --keep keeps the run: add --keep")
        return
    from .. import store as stores

    with bad_input():
        stores.open(args.store).close()


def is_provable(args: argparse.Namespace, search: Search, snapshot: Snapshot) -> bool:
    """Whether there may be a proof that is made in a moment, as ``--proof`` would."""
    return args.weight is None and args.at_least is None and is_quick(search, snapshot)


def keep(
    args: argparse.Namespace, recording: Recording, data: Dataset, model: Model, proof: Certificate | None
) -> None:
    """Put the run into the store, with its rows where they are few and have no name."""
    from .. import store as stores

    try:
        with stores.open(args.store) as store:
            run = store.save(
                recording,
                data=data,
                settings=_settings(args, recording, data),
                keep_rows=not is_data_set(args.data),
                model=f"{model.to_json()}\n".encode(),
                name=args.keep,
                proof=proof,
            )
            place = store.place
    except stores.StoreError as error:
        raise CommandError(f"the run is not kept: {error}", 1) from error
    tell(args, f"kept {run.hash[:12]} in {place}{', with its proof' if proof else ''}")


def _settings(args: argparse.Namespace, recording: Recording, data: Dataset) -> dict[str, str]:
    """Names and values of what was set, in the words of the page."""
    family, values = FAMILIES[recording.family], recording.parameters
    said = {"Model family": family.called, "Data set": data.name}
    said["Sensitive attribute"] = ", ".join(args.sensitive or ()) or "none"
    for each in family.parameters:
        value = values.get(each.name)
        if value is not None:
            named = written(each.kind, value) if each.kind in NAMING else str(value)
            said[each.title] = in_words(value) if each.kind == "criterion" else named
    return {name: text[:200] for name, text in said.items()}
