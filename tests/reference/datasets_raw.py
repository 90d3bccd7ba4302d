"""Made-up files of a few rows in the formats of the sources of the data sets, and what is to become of them."""

import dataclasses
import gzip
import hashlib
import io
import zipfile
from pathlib import Path

from rulelab.datasets.normalise import RECORDS, Record

FOLDER = Path(__file__).with_name("raw")
"""A file, or a folder of what is in an archive, for each source, and the table that is made of it."""
_ARCHIVES = {"bank_full": "bank", "bank_marketing": "bank"}
"""Of the data sets that come from one archive."""


def small_record(name: str, csv: bytes, url: str) -> Record:
    """The record of a data set as if it consisted of that CSV and were found there."""
    return dataclasses.replace(RECORDS[name], url=url, sha256=hashlib.sha256(csv).hexdigest())


def zipped(**members: bytes) -> bytes:
    """A zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def _packed(folder: Path) -> bytes:
    """The archive of a folder, in which folders whose names say so are archives again."""
    inner = [path for path in folder.iterdir() if path.suffix == ".zip"]
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not set(inner) & set(path.parents)]
    members = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    return zipped(**members, **{path.name: _packed(path) for path in inner})


def _raw(name: str) -> bytes:
    folder = FOLDER / _ARCHIVES.get(name, name)
    if folder.is_dir():
        return _packed(folder)
    content = folder.with_suffix(".raw").read_bytes()
    return gzip.compress(content) if name == "musk" else content


NORMALISED = {path.stem: (_raw(path.stem), path.read_bytes().decode()) for path in sorted(FOLDER.glob("*.csv"))}
COMPAS_RAW = NORMALISED["compas"][0]
BUPA = (FOLDER / "liver" / "bupa.data").read_bytes()
LIVER = (FOLDER / "liver.csv").read_bytes()
NOT_SHARED = {"german", "pima", "ilpd", "heloc"}
"""Of which no file is beside the project."""
