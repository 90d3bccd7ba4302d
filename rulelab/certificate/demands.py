"""What a model must use, and what it must not use too often, as arrays of a certificate, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..data.naming import users
from ..data.problem import Problem
from .certificate import CertificateError

DEMANDS = "demands"  # the array that only certificates with demands have: for each, which antecedents meet it
USES, MOST = "uses", "most_uses"
"""Arrays of those with limits: how often each antecedent uses what is limited, and how often a model may."""
LARGEST = 1 << 60
_MOST = 62


class Asked(NamedTuple):
    """What a model must use, and what it must not use too often."""

    meets: np.ndarray  # bool, shape (n_demands, n_antecedents): for each demand which antecedents meet it
    uses: np.ndarray  # int64, shape (n_limits, n_antecedents): how often each antecedent uses what is limited
    most: np.ndarray  # int64, shape (n_limits,): how often a model may use it


def names_of(arrays: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Which of the arrays say what is demanded: both of the limits, where there is one of them."""
    return (DEMANDS, *((USES, MOST) if {USES, MOST} & set(arrays) else ()))


def read_asked(arrays: Mapping[str, np.ndarray], m: int) -> Asked:
    """The demands on models of m antecedents; raises CertificateError."""
    meets = arrays[DEMANDS]
    uses: np.ndarray = arrays.get(USES, np.zeros((0, m), dtype=np.uint8))
    most: np.ndarray = arrays.get(MOST, np.zeros(0, dtype=np.int64))
    for name, array in ((DEMANDS, meets), (USES, uses)):
        if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != m or len(array) > _MOST:
            raise CertificateError(f"'{name}' must be rows of numbers, one for each of {m} antecedents")
    if (meets > 1).any():
        raise CertificateError(f"'{DEMANDS}' must be rows of 0 and 1")
    if most.dtype != np.int64 or most.shape != uses.shape[:1] or (most < 0).any() or (most > LARGEST).any():
        raise CertificateError(f"'{MOST}' must be a number for each row of '{USES}'")
    return Asked(meets.astype(bool), uses.astype(np.int64), most)


def asked_in_words(problem: Problem, asked: Asked) -> Iterator[str]:
    """What each demand and limit is called: the column, condition or antecedent that stands for its antecedents."""
    joined = [c for some in problem.conditions or () for c in some]
    known = dict.fromkeys([*(c.column for c in joined), *map(str, joined), *problem.names])
    for row in asked.meets:
        fitting = (name for name in known if (users(name, problem.names, problem.conditions) == row).all())
        some = " or ".join(problem.names[j] for j in np.flatnonzero(row))
        yield f"uses {next(fitting, some)}"
    columns = dict.fromkeys(c.column for c in joined)
    counts = {name: [sum(c.column == name for c in some) for some in problem.conditions or ()] for name in columns}
    for row, most in zip(asked.uses.tolist(), asked.most.tolist(), strict=True):
        among = " or ".join(f"{k} x {problem.names[j]}" for j, k in enumerate(row) if k) or "nothing"
        column = next((name for name, count in counts.items() if count == row), None)
        yield f"has at most {counted(most, 'condition')} on {column}" if column else f"has at most {most} of {among}"


def counted(n: int, noun: str) -> str:
    """A number and a noun."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
