"""Runs as one zip archive, to be sent to somebody; what is read of one is checked to the last byte."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence

from ..arguments import StoreError
from ..assets import texts
from ..certificate import Certificate, CertificateError
from ..files import load_json
from ..models import ModelError, parse_any_model
from ..recording import Recording, RecordingError
from .kept_table import unpacked as unpacked_table
from .run import KINDS, LARGEST_ABOUT, Run, digest, named, read

LARGEST_BUNDLE = 64_000_000
"""Bytes of an archive, and of what is in it."""
_MOST_MEMBERS = 6000
_ABOUT = "run.json"
_FILES = texts("files of a run")
_NOTE = texts("files")["note"]


def packed(runs: Sequence[tuple[Run, Mapping[str, bytes]]]) -> bytes:
    """The archive; raises StoreError where it is too large to be read again."""
    total = sum(len(content) for _, files in runs for content in files.values())
    if total > LARGEST_BUNDLE:
        raise StoreError(
            f"these runs take {total // 10**6} MB together; one archive holds {LARGEST_BUNDLE // 10**6} MB: take fewer"
        )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, "README.txt", _NOTE.encode())
        for run, files in runs:
            entry = {"name": run.name, "about": run.about}
            _write(archive, f"{run.hash}/{_ABOUT}", json.dumps(entry, ensure_ascii=False, indent=1).encode())
            for kind, content in files.items():
                _write(archive, f"{run.hash}/{_FILES[kind]}", content)
    return stream.getvalue()


def unpacked(content: bytes) -> list[tuple[Run, dict[str, bytes]]]:
    """The runs of an archive, in their order; StoreError when it is none, or something is not what its hash says."""
    if len(content) > LARGEST_BUNDLE:
        raise StoreError(f"this archive is larger than {LARGEST_BUNDLE // 10**6} MB, more than is read")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"this is no archive of runs, or it is damaged: {str(error)[:200]}") from None


def _read(archive: zipfile.ZipFile) -> list[tuple[Run, dict[str, bytes]]]:
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise StoreError(f"this archive has {len(members)} members; at most {_MOST_MEMBERS} are read")
    if sum(member.file_size for member in members) > LARGEST_BUNDLE:
        raise StoreError(f"this archive unpacks to more than {LARGEST_BUNDLE // 10**6} MB, more than is read")
    sizes = {member.filename: member.file_size for member in members}
    if len(sizes) < len(members):
        raise StoreError("this archive has two members of one name")
    runs = [
        _run(archive, name.split("/")[0], sizes) for name in sizes if re.fullmatch(rf"[0-9a-f]{{64}}/{_ABOUT}", name)
    ]
    if not runs:
        raise StoreError("this archive holds no run of rulelab")
    return runs


def _run(archive: zipfile.ZipFile, hash: str, sizes: Mapping[str, int]) -> tuple[Run, dict[str, bytes]]:
    name = f"{hash}/{_ABOUT}"
    entry = load_json(archive.read(name) if sizes[name] <= 3 * LARGEST_ABOUT else b"", 3 * LARGEST_ABOUT, 10)
    if not isinstance(entry, dict):
        raise StoreError(f"{name} is something else than a run")
    run = read(entry.get("about"), hash, entry.get("name"))
    files: dict[str, bytes] = {}
    for kind in KINDS:
        member, wanted = f"{hash}/{_FILES[kind]}", run.files.get(kind)
        if member not in sizes:
            if wanted is not None:
                raise StoreError(f"the archive lacks {member}")
            continue
        if wanted is None and kind != "proof":
            continue
        files[kind] = archive.read(member)
        if wanted is not None and digest(files[kind]) != wanted:
            raise StoreError(f"{member} is not what its hash says")
    if (member := f"{hash}/{_FILES['table']}") in sizes:
        files["table"] = archive.read(member)
        unpacked_table(files["table"], run.data_hash)
    _check(run, files)
    return read(run.about, hash, named(entry.get("name")), digest(files["proof"]) if "proof" in files else None), files


def _check(run: Run, files: Mapping[str, bytes]) -> None:
    """What a file of each kind has to be."""
    which = f"run {run.hash[:12]}"
    try:
        if "model" in files:
            parse_any_model(files["model"])
        if "recording" in files:
            Recording.from_bytes(files["recording"], "the recording", LARGEST_BUNDLE)
        if "proof" in files:
            Certificate.load(io.BytesIO(files["proof"]))
    except (ModelError, RecordingError, CertificateError) as error:
        raise StoreError(f"{which} cannot be used: {error}") from None


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # of no time: equal runs, equal bytes
