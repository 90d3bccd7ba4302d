"""From a source's own file to the normalised table that is cached.

The normalised form is a CSV: UTF-8, comma, line feed, no index, numbers as Python writes them, an empty cell for a
missing value, the target last. Its SHA-256 is in the registry, or the number of its rows, columns and positives, so
that whatever a source delivers is either turned into that file or refused.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .reading import parse_csv


def _columns(header: str) -> list[str]:
    return header.split(",")


COMPAS = _columns(
    "sex,age,age_cat,race,juv_fel_count,juv_misd_count,juv_other_count,priors_count,c_charge_degree,"
    "days_b_screening_arrest,decile_score,score_text,is_recid,two_year_recid"
)
ADULT = _columns(
    "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,"
    "capital_gain,capital_loss,hours_per_week,native_country,income"
)
BANK_FLOATS = _columns("emp.var.rate,cons.price.idx,cons.conf.idx,euribor3m,nr.employed")
DEFAULT = _columns(
    "LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE,PAY_0,PAY_2,PAY_3,PAY_4,PAY_5,PAY_6,"
    "BILL_AMT1,BILL_AMT2,BILL_AMT3,BILL_AMT4,BILL_AMT5,BILL_AMT6,"
    "PAY_AMT1,PAY_AMT2,PAY_AMT3,PAY_AMT4,PAY_AMT5,PAY_AMT6,default_next_month"
)
BANKNOTE = _columns("variance,skewness,curtosis,entropy,class")
HEART = _columns("age,sex,cp,trestbps,chol,fbs,restecg,thalach,exang,oldpeak,slope,ca,thal,disease")
IONOSPHERE = [f"a{i:02d}" for i in range(1, 35)]
LIVER = _columns("mcv,alkphos,sgpt,sgot,gammagt,drinks,selector")
TRANSFUSION = _columns("recency_months,frequency,monetary_cc,time_months,donated")
MAGIC = _columns("fLength,fWidth,fSize,fConc,fConc1,fAsym,fM3Long,fM3Trans,fAlpha,fDist,class")
MUSHROOM = _columns(
    "class,cap_shape,cap_surface,cap_color,bruises,odor,gill_attachment,gill_spacing,gill_size,gill_color,"
    "stalk_shape,stalk_root,stalk_surface_above_ring,stalk_surface_below_ring,stalk_color_above_ring,"
    "stalk_color_below_ring,veil_type,veil_color,ring_number,ring_type,spore_print_color,population,habitat"
)
GERMAN = _columns(
    "checking_status,duration,credit_history,purpose,amount,savings,employed_since,installment_rate,personal_status,"
    "other_debtors,residence_since,property,age,other_installments,housing,existing_credits,job,liable_for,telephone,"
    "foreign_worker,risk"
)
PIMA = _columns("pregnancies,glucose,blood_pressure,skin_thickness,insulin,bmi,pedigree,age,diabetes")
ILPD = _columns(
    "age,sex,total_bilirubin,direct_bilirubin,alkaline_phosphatase,alanine_aminotransferase,"
    "aspartate_aminotransferase,total_proteins,albumin,albumin_globulin_ratio,liver_patient"
)
MUSK = [f"f{i}" for i in range(1, 167)]
SEXES = {1: "male", 0: "female"}


def to_csv(frame: pd.DataFrame) -> bytes:
    """The table in the normalised form."""
    return frame.to_csv(index=False, lineterminator="\n").encode("utf-8")


def compas(raw: bytes) -> pd.DataFrame:
    """ProPublica's compas-scores-two-years.csv without names, birth dates and case numbers.

    Two columns occur twice in the source (decile_score, priors_count), with the same values; the first is taken.
    """
    frame = _table(raw, usecols=COMPAS)[COMPAS]
    return frame.astype({"days_b_screening_arrest": float})


def adult(raw: bytes) -> pd.DataFrame:
    """adult.data followed by adult.test, whose first line is no data and whose labels end with a full stop."""
    parts = []
    for name in ("adult.data", "adult.test"):
        text = _member(raw, name)
        if text.startswith(b"|"):
            text = text.partition(b"\n")[2]
        parts.append(_table(text, names=ADULT, skipinitialspace=True))
    frame = pd.concat(parts, ignore_index=True)
    frame["income"] = frame["income"].str.rstrip(".")
    return frame


def bank_full(raw: bytes) -> pd.DataFrame:
    """bank-full.csv of bank.zip, which is inside the source's archive."""
    return _table(_member(raw, "bank.zip", "bank-full.csv"), sep=";")


def bank_marketing(raw: bytes) -> pd.DataFrame:
    """bank-additional-full.csv of bank-additional.zip, which is inside the source's archive."""
    frame = _table(_member(raw, "bank-additional.zip", "bank-additional-full.csv"), sep=";")
    return frame.astype(dict.fromkeys(BANK_FLOATS, float))


def default(raw: bytes) -> pd.DataFrame:
    """The CSV of the credit card clients: an identifier, 23 features in a fixed order, the target."""
    frame = _table(raw)
    if frame.shape[1] != len(DEFAULT) + 1:
        raise ValueError(f"expected {len(DEFAULT) + 1} columns, found {frame.shape[1]}")
    frame = frame.iloc[:, 1:].set_axis(DEFAULT, axis=1)
    amounts = [c for c in DEFAULT if c.startswith(("LIMIT", "BILL", "PAY_AMT"))]
    frame = frame.astype({c: float if c in amounts else np.int64 for c in DEFAULT})
    frame["SEX"] = frame["SEX"].map({1: "male", 2: "female"})
    return frame


def banknote(raw: bytes) -> pd.DataFrame:
    """data_banknote_authentication.txt."""
    frame = _table(_member(raw, "data_banknote_authentication.txt"), names=BANKNOTE)
    return frame.astype(dict.fromkeys(BANKNOTE[:-1], float))


def heart(raw: bytes) -> pd.DataFrame:
    """processed.cleveland.data without the rows where ca is missing; disease: any degree of it."""
    frame = _table(_member(raw, "processed.cleveland.data"), names=HEART, na_values=["?"]).dropna(subset=["ca"])
    frame = frame.astype(float)
    frame["sex"] = frame["sex"].map(SEXES)
    frame["disease"] = (frame["disease"] > 0).astype(np.int64)
    return frame


def ionosphere(raw: bytes) -> pd.DataFrame:
    """ionosphere.data; the first two of the 34 columns are whole numbers."""
    frame = _table(_member(raw, "ionosphere.data"), names=[*IONOSPHERE, "class"])
    return frame.astype(dict.fromkeys(IONOSPHERE[:2], np.int64) | dict.fromkeys(IONOSPHERE[2:], float))


def liver(raw: bytes) -> pd.DataFrame:
    """bupa.data; the target is made of the number of drinks, the last column only marks a train-test split."""
    frame = _table(_member(raw, "bupa.data"), names=LIVER)
    target = (frame["drinks"] > 2).astype(np.int64)
    return frame[LIVER[:5]].astype(np.int64).assign(drinks_gt_2=target)


def transfusion(raw: bytes) -> pd.DataFrame:
    """transfusion.data, whose header is long and whose numbers are padded with blanks."""
    frame = _table(_member(raw, "transfusion.data"))
    return frame.set_axis(TRANSFUSION, axis=1).astype(np.int64)


def magic(raw: bytes) -> pd.DataFrame:
    """magic04.data."""
    return _table(_member(raw, "magic04.data"), names=MAGIC).astype(dict.fromkeys(MAGIC[:-1], float))


def mushroom(raw: bytes) -> pd.DataFrame:
    """agaricus-lepiota.data with the class moved to the end."""
    frame = _table(_member(raw, "agaricus-lepiota.data"), names=MUSHROOM, dtype=str)
    return frame[[*MUSHROOM[1:], "class"]]


def musk(raw: bytes) -> pd.DataFrame:
    """clean2 (musk, version 2) without the names of molecules and conformations."""
    header = raw.partition(b"\n")[0]
    frame = _table(raw, sep="\t" if b"\t" in header else ",")
    target = frame[frame.columns[-1]].astype(float).astype(np.int64)
    return pd.concat([frame[MUSK].astype(float), target.rename("target")], axis=1)


def german(raw: bytes) -> pd.DataFrame:
    """german.data with its codes; the sex is that of the code of the personal status."""
    frame = _table(_member(raw, "german.data"), names=GERMAN, sep=" ")
    frame.insert(9, "sex", frame["personal_status"].map(dict.fromkeys(("A92", "A95"), "female")).fillna("male"))
    return frame.assign(risk=frame.pop("risk").map({1: "good", 2: "bad"}))


def pima(raw: bytes) -> pd.DataFrame:
    """pima-indians-diabetes.data.csv, which has no header."""
    frame = _table(raw, names=PIMA)
    decimals = ("bmi", "pedigree")
    return frame.astype({name: float if name in decimals else np.int64 for name in PIMA})


def ilpd(raw: bytes) -> pd.DataFrame:
    """Indian Liver Patient Dataset (ILPD).csv, without a header, or one that has a header; 2 is no liver patient."""
    text = _member(raw, "Indian Liver Patient Dataset (ILPD).csv")
    frame = _table(text.partition(b"\n")[2] if text[:3].lower() == b"age" else text, names=ILPD)
    frame["sex"] = frame["sex"].str.lower()
    return frame.assign(liver_patient=frame.pop("liver_patient").map({1: 1, 2: 0, 0: 0}))


def heloc(raw: bytes) -> pd.DataFrame:
    """heloc_dataset_v1.csv with the target moved to the end."""
    frame = _table(raw)
    return frame.assign(RiskPerformance=frame.pop("RiskPerformance"))


def _table(
    raw: bytes, names: Sequence[str] | None = None, na_values: Sequence[str] = (), **options: Any
) -> pd.DataFrame:
    """Read delimited text; a header is there unless names are given; an empty cell is missing, ``NA`` is a text."""
    return parse_csv(
        io.StringIO(raw.decode("utf-8")),
        header=0 if names is None else None,
        names=names,
        keep_default_na=False,
        na_values=["", *na_values],
        **options,
    )


def _member(raw: bytes, *names: str) -> bytes:
    """The file of that name in a zip archive, wherever it lies in it; several names: archives inside archives.

    Bytes that are no archive are taken to be the wanted file itself.
    """
    for name in names:
        if not raw.startswith(b"PK"):
            return raw
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            found = [m for m in archive.namelist() if m.rpartition("/")[2] == name]
            if not found:
                raise ValueError(f"the archive has no file {name}")
            raw = archive.read(min(found, key=len))
    return raw


NORMALISERS: dict[str, Callable[[bytes], pd.DataFrame]] = {
    f.__name__: f
    for f in (
        compas,
        adult,
        bank_full,
        bank_marketing,
        default,
        banknote,
        heart,
        ionosphere,
        liver,
        transfusion,
        magic,
        mushroom,
        musk,
        german,
        pima,
        ilpd,
        heloc,
    )
}
