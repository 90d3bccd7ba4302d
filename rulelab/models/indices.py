"""Antecedents that a model is made of, given by their index or by their name."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

from ..data.naming import unknown
from .errors import ModelError


def indices(antecedents: Iterable[int | str], names: Sequence[str]) -> list[int]:
    """The index of each antecedent.

    Parameters
    ----------
    antecedents : iterable of int or str
    names : sequence of str
        Of a problem's antecedents.

    Raises
    ------
    ModelError
        When there is no such antecedent; for a name the message has the nearest ones.
    """
    if isinstance(antecedents, str):
        raise ModelError(f"antecedents are a sequence of indices or names, not the text {antecedents!r}")
    return [_index(each, names) for each in antecedents]


def _index(antecedent: int | str, names: Sequence[str]) -> int:
    if isinstance(antecedent, str):
        if antecedent in names:
            return names.index(antecedent)
        raise ModelError(str(unknown(antecedent, names, "the model", "is called")))
    try:
        j = operator.index(antecedent)
    except TypeError:
        raise ModelError(f"an antecedent is an index or a name, not {antecedent!r:.60}") from None
    if not 0 <= j < len(names):
        raise ModelError(f"there is no antecedent {j}; the problem has {len(names)}")
    return j
