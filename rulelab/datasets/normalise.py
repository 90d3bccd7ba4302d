"""What is known of each data set, and its table: embedded, or the normalised one that is made of a source's own file.

The normalised form is a CSV: UTF-8, comma, line feed, no index, numbers as Python writes them, an empty cell for a
missing value, the target last. Its SHA-256 is in the registry, or the number of its rows, columns and positives, so
that whatever a source delivers is either turned into that file or refused.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..files import load_tables
from .reading import parse_csv


@dataclass(frozen=True)
class Record:
    """One data set; the names are those of `Dataset`."""

    name: str
    rows: int
    columns: int  # with the target
    positives: int  # how many rows are of the positive class
    target: str
    positive: str | int
    description: str
    source: str
    sensitive: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()  # columns that are no features: ``Dataset.extra``
    set_aside: tuple[str, ...] = ()  # sensitive attributes that are no features unless asked for
    notes: str = ""
    sha256: str | None = None
    """Of the normalised CSV, not compressed; None for what a dependency ships, and where a file is known by its rows,
    columns and positives alone."""
    url: str | None = None  # where the source's own file can be fetched; None for what is not a file of its own
    header: tuple[str, ...] = ()  # the columns of the source's own file, in its order
    by_hand: bool = False  # whether nothing but a person can fetch it, who accepts its licence there
    packaged: bool = False  # whether the normalised file is part of this package

    @property
    def embedded(self) -> bool:
        return self.url is None or self.packaged

    @property
    def features(self) -> int:
        return self.columns - 1 - len(self.excluded) - len(self.set_aside)

    @property
    def kept(self) -> tuple[str, ...]:
        """Sensitive attributes that are features unless asked otherwise."""
        return tuple(c for c in self.sensitive if c not in self.set_aside)

    @property
    def file(self) -> str:
        return f"{self.name}.csv.gz"


RECORDS: dict[str, Record] = {
    name: Record(name, **fields) for name, fields in load_tables(Path(__file__).with_name("registry.toml")).items()
}

BANK_FLOATS = dict.fromkeys(("emp.var.rate", "cons.price.idx", "cons.conf.idx", "euribor3m", "nr.employed"), float)
IONOSPHERE = [f"a{i:02d}" for i in range(1, 35)]
MUSK = [f"f{i}" for i in range(1, 167)]
SEXES = {1: "male", 0: "female"}
DIABETES_COLUMNS = {
    "bp": "blood_pressure", "s1": "total_cholesterol", "s2": "ldl", "s3": "hdl", "s4": "cholesterol_hdl_ratio",
    "s5": "log_triglycerides", "s6": "blood_sugar",
}  # fmt: skip
SQUARES = tuple(f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _header(name: str) -> list[str]:
    """The columns of a source's own file, in its order."""
    return list(RECORDS[name].header)


def to_csv(frame: pd.DataFrame) -> bytes:
    """The table in the normalised form."""
    return frame.to_csv(index=False, lineterminator="\n").encode("utf-8")


def compas(raw: bytes) -> pd.DataFrame:
    """ProPublica's compas-scores-two-years.csv without names, birth dates and case numbers.

    Two columns occur twice in the source (decile_score, priors_count), with the same values; the first is taken.
    """
    header = _header("compas")
    frame = _table(raw, usecols=header)[header]
    return frame.astype({"days_b_screening_arrest": float})


def adult(raw: bytes) -> pd.DataFrame:
    """adult.data followed by adult.test, whose first line is no data and whose labels end with a full stop."""
    parts = []
    for name in ("adult.data", "adult.test"):
        text = _member(raw, name)
        if text.startswith(b"|"):
            text = text.partition(b"\n")[2]
        parts.append(_table(text, names=_header("adult"), skipinitialspace=True))
    frame = pd.concat(parts, ignore_index=True)
    frame["income"] = frame["income"].str.rstrip(".")
    return frame


def default(raw: bytes) -> pd.DataFrame:
    """The CSV of the credit card clients: an identifier, 23 features in a fixed order, the target."""
    frame, header = _table(raw), _header("default")
    if frame.shape[1] != len(header) + 1:
        raise ValueError(f"expected {len(header) + 1} columns, found {frame.shape[1]}")
    frame = frame.iloc[:, 1:].set_axis(header, axis=1)
    amounts = [c for c in header if c.startswith(("LIMIT", "BILL", "PAY_AMT"))]
    frame = frame.astype({c: float if c in amounts else np.int64 for c in header})
    frame["SEX"] = frame["SEX"].map({1: "male", 2: "female"})
    return frame


def heart(raw: bytes) -> pd.DataFrame:
    """processed.cleveland.data without the rows where ca is missing; disease: any degree of it."""
    frame = _table(_member(raw, "processed.cleveland.data"), names=_header("heart"), na_values=["?"])
    frame = frame.dropna(subset=["ca"]).astype(float)
    frame["sex"] = frame["sex"].map(SEXES)
    frame["disease"] = (frame["disease"] > 0).astype(np.int64)
    return frame


def liver(raw: bytes) -> pd.DataFrame:
    """bupa.data; the target is made of the number of drinks, the last column only marks a train-test split."""
    header = _header("liver")
    frame = _table(_member(raw, "bupa.data"), names=header)
    target = (frame["drinks"] > 2).astype(np.int64)
    return frame[header[:5]].astype(np.int64).assign(drinks_gt_2=target)


def musk(raw: bytes) -> pd.DataFrame:
    """clean2 (musk, version 2) without the names of molecules and conformations."""
    header = raw.partition(b"\n")[0]
    frame = _table(raw, sep="\t" if b"\t" in header else ",")
    target = frame[frame.columns[-1]].astype(float).astype(np.int64)
    return pd.concat([frame[MUSK].astype(float), target.rename("target")], axis=1)


def german(raw: bytes) -> pd.DataFrame:
    """german.data with its codes; the sex is that of the code of the personal status."""
    frame = _table(_member(raw, "german.data"), names=_header("german"), sep=" ")
    frame.insert(9, "sex", frame["personal_status"].map(dict.fromkeys(("A92", "A95"), "female")).fillna("male"))
    return frame.assign(risk=frame.pop("risk").map({1: "good", 2: "bad"}))


def ilpd(raw: bytes) -> pd.DataFrame:
    """Indian Liver Patient Dataset (ILPD).csv, without a header, or one that has a header; 2 is no liver patient."""
    text = _member(raw, "Indian Liver Patient Dataset (ILPD).csv")
    frame = _table(text.partition(b"\n")[2] if text[:3].lower() == b"age" else text, names=_header("ilpd"))
    frame["sex"] = frame["sex"].str.lower()
    return frame.assign(liver_patient=frame.pop("liver_patient").map({1: 1, 2: 0, 0: 0}))


def heloc(raw: bytes) -> pd.DataFrame:
    """heloc_dataset_v1.csv with the target moved to the end."""
    return _last("RiskPerformance", _table(raw))


def _table(
    raw: bytes, names: Sequence[str] | None = None, na_values: Sequence[str] = (), **options: Any
) -> pd.DataFrame:
    """Read delimited text; a header is there unless names are given; an empty cell is missing, ``NA`` is a text."""
    how = {"header": 0 if names is None else None, "names": names, "na_values": ["", *na_values]} | options
    return parse_csv(io.StringIO(raw.decode("utf-8")), keep_default_na=False, **how)


def _last(target: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The table with its target at the end."""
    return frame.assign(**{target: frame.pop(target)})


def _member(raw: bytes, *names: str) -> bytes:
    """The file of that name, wherever it lies in a zip archive, or in one inside another; or the bytes themselves."""
    for name in names:
        if not raw.startswith(b"PK"):
            return raw
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            found = [m for m in archive.namelist() if m.rpartition("/")[2] == name]
            if not found:
                raise ValueError(f"the archive has no file {name}")
            raw = archive.read(min(found, key=len))
    return raw


def _plain(
    *members: str, names: Sequence[str] | None = None, kinds: Mapping[str, type] | None = None, **options: Any
) -> Callable[[bytes], pd.DataFrame]:
    """What reads a file in archives that is a table as it is, but for names and types of columns."""
    return lambda raw: _table(_member(raw, *members), names, **options).astype(dict(kinds or {}))


_BANKNOTE, _MAGIC, _TRANSFUSION, _PIMA = map(_header, ("banknote", "magic", "transfusion", "pima"))
_IONOSPHERE_KINDS = {name: np.int64 if name in IONOSPHERE[:2] else float for name in IONOSPHERE}
_OWN = (compas, adult, default, heart, liver, musk, german, ilpd, heloc)
NORMALISERS: dict[str, Callable[[bytes], pd.DataFrame]] = {each.__name__: each for each in _OWN} | {
    "bank_full": _plain("bank.zip", "bank-full.csv", sep=";"),
    "bank_marketing": _plain("bank-additional.zip", "bank-additional-full.csv", kinds=BANK_FLOATS, sep=";"),
    "banknote": _plain("data_banknote_authentication.txt", names=_BANKNOTE, kinds=dict.fromkeys(_BANKNOTE[:-1], float)),
    "ionosphere": _plain("ionosphere.data", names=[*IONOSPHERE, "class"], kinds=_IONOSPHERE_KINDS),
    "magic": _plain("magic04.data", names=_MAGIC, kinds=dict.fromkeys(_MAGIC[:-1], float)),
    "transfusion": _plain(
        "transfusion.data", names=_TRANSFUSION, kinds=dict.fromkeys(_TRANSFUSION, np.int64), header=0
    ),
    "pima": _plain(names=_PIMA, kinds={n: float if n in ("bmi", "pedigree") else np.int64 for n in _PIMA}),
    "mushroom": lambda raw: _last("class", _plain("agaricus-lepiota.data", names=_header("mushroom"), dtype=str)(raw)),
}


# what needs neither a file nor a network ------------------------------------------------------------------------------
def breast_cancer() -> pd.DataFrame:
    """Wisconsin diagnostic breast cancer, 569 x 30 measurements and ``diagnosis`` (malignant, benign)."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    frame = bunch.data.copy()
    frame["diagnosis"] = bunch.target_names[bunch.target.to_numpy()].astype(str)
    return frame


def diabetes() -> pd.DataFrame:
    """Diabetes, 442 x 10 baseline variables and ``high_progression``: above the third quartile (1) or not (0)."""
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes(as_frame=True, scaled=False)
    frame = bunch.data.rename(columns=DIABETES_COLUMNS)
    frame["age"] = frame["age"].astype(np.int64)
    frame["sex"] = frame["sex"].map({1.0: "group 1", 2.0: "group 2"})
    frame["high_progression"] = (bunch.target > bunch.target.quantile(0.75)).astype(np.int64)
    return frame


def tic_tac_toe() -> pd.DataFrame:
    """Every final board of tic-tac-toe with x to move first, 958 x 9 squares and ``class`` (positive: x has won)."""
    boards: dict[str, bool] = {}
    positions = {"b" * 9}
    for move in range(9):
        player = "xo"[move % 2]
        reached = {p[:i] + player + p[i + 1 :] for p in positions for i in range(9) if p[i] == "b"}
        won = {p for p in reached if any(all(p[i] == player for i in line) for line in LINES)}
        boards.update((p, player == "x") for p in won)
        positions = reached - won
    boards.update((p, False) for p in positions)
    ordered = sorted(boards, key=lambda p: (not boards[p], p.translate(str.maketrans("xob", "012"))))
    frame = pd.DataFrame([list(p) for p in ordered], columns=list(SQUARES))
    frame["class"] = ["positive" if boards[p] else "negative" for p in ordered]
    return frame


LOADERS: dict[str, Callable[[], pd.DataFrame]] = {
    "breast_cancer": breast_cancer,
    "diabetes": diabetes,
    "tic_tac_toe": tic_tac_toe,
    "compas": lambda: _table(gzip.decompress(Path(__file__).with_name("compas.csv.gz").read_bytes())),
}
