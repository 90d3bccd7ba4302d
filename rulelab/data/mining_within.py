"""Mining that answers: where conjunctions are too many to be searched, those of fewer conditions are taken."""

from __future__ import annotations

from typing import Any

from ..arguments import Text
from .antecedents import Antecedents, TooManyAntecedents
from .mining import mine_antecedents

_BYTES_PER_PACKED = 64  # that a search takes for a byte of packed antecedents; measured: 46 to 60 (Adult)


def mine_within(
    B: Any,
    max_conditions: int = 2,
    min_support: float = 0.01,
    max_support: float = 0.99,
    y: Any = None,
    max_antecedents: int | None = None,
    sample_weight: Any = None,
    memory_limit: int | None = None,
    verbose: bool = False,
) -> tuple[Antecedents, str]:
    """Mine antecedents, of fewer conditions where those of ``max_conditions`` are too many.

    Parameters
    ----------
    B, max_conditions, min_support, max_support, y, sample_weight, verbose
        See `mine_antecedents`.
    max_antecedents : int, optional
        None: any number of them. Single conditions are taken however many they are.
    memory_limit : int, optional
        Bytes that the search may take, with the arrays that it makes of the antecedents before it begins.

    Returns
    -------
    antecedents : Antecedents
    note : str
        What was left out, and what to do about it; empty when nothing was.

    Raises
    ------
    NothingFound, ValueError
        See `mine_antecedents`.
    """
    arguments: dict[str, Any] = {"y": y, "sample_weight": sample_weight, "verbose": verbose}
    most, name = max_antecedents, "max_antecedents"
    if memory_limit is not None:
        affordable = max(1, memory_limit // (_BYTES_PER_PACKED * (len(B) // 8 + 1)))
        if most is None or affordable < most:
            most, name = affordable, "memory_limit"
    for conditions in range(max_conditions, 1, -1):
        try:
            found = mine_antecedents(B, conditions, min_support, max_support, max_antecedents=most, **arguments)
        except TooManyAntecedents:
            continue
        return found, _note(conditions, max_conditions, most, name)
    found = mine_antecedents(B, min(max_conditions, 1), min_support, max_support, **arguments)
    return found, _note(1, max_conditions, most, name)


def _note(taken: int, wanted: int, most: int | None, name: str) -> str:
    if taken >= wanted:
        return ""
    return Text(
        f"rules have at most {taken} condition{'s' if taken > 1 else ''}, not {wanted}: there are more than {most} "
        f"conjunctions of up to {taken + 1}, which {{{name}}} does not allow; raise it or {{min_support}}, or lower "
        "{thresholds}"
    )
