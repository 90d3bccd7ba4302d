"""``rulelab fit --keep``: the run in the store, where the page and ``rulelab runs`` find it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .data_options import Report
from .options import add
from .output import CommandError, Read, bad_input, is_data_set, say

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..datasets import Dataset
    from ..models import Model
    from ..recording import Recording
    from ..search import Search
    from ..snapshot import Snapshot


def add_keep(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    text = "keep the run under a name, if one is given, where the page lists it and rulelab runs finds it"
    add(parser, "--keep", nargs="?", const="", metavar="NAME", text=text)
    text = "SQLite file or URL of the database that --keep writes to (default: the one that rulelab doctor names)"
    add(parser, "--store", type=Read, metavar="URL", text=text)


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
    from ..proving import is_quick

    return args.weight is None and args.at_least is None and is_quick(search, snapshot)


def keep(
    args: argparse.Namespace,
    recording: Recording,
    data: Dataset,
    model: Model,
    proof: Certificate | None,
    report: Report = say,
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
    report(f"kept {run.hash[:12]} in {place}{', with its proof' if proof else ''}")


def _settings(args: argparse.Namespace, recording: Recording, data: Dataset) -> dict[str, str]:
    """Names and values of what was set, in the words of the page."""
    from ..families import FAMILIES, NAMING
    from ..families.criteria import in_words
    from ..families.typed import written

    family, values = FAMILIES[recording.family], recording.parameters
    said = {"Model family": family.called, "Data set": data.name}
    said["Sensitive attribute"] = ", ".join(args.sensitive or ()) or "none"
    for each in family.parameters:
        value = values.get(each.name)
        if value is not None:
            named = written(each.kind, value) if each.kind in NAMING else str(value)
            said[each.title] = in_words(value) if each.kind == "criterion" else named
    return {name: text[:200] for name, text in said.items()}
