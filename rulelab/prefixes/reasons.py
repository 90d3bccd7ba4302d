"""Why a prefix waits, was expanded or is cut: in a sentence, with the bound, its figures and its theorem."""

from __future__ import annotations

from .. import glossary

_NEAR = 1e-9
"""Costs that differ by less are one cost, written with other roundings."""
_DIGITS = range(4, 11)


def reason(
    state: str, cut_by: str, family: str, bound: float, best: float | None = None, bounding: bool | None = None
) -> str:
    """Why a prefix is "open", was "expanded", or is "cut" by a bound of a family's search.

    Parameters
    ----------
    state, cut_by : str
        As in ``search.tree()``.
    family : str
        Whose bounds they are.
    bound : float
        On every list that goes on from the prefix, in units of the objective.
    best : float, optional
        The objective of the best list; None: there is none.
    bounding : bool, optional
        Whether what cuts says that no list that goes on costs less than the best one; None: that is not known.
    """
    ours, other = _apart(bound, best)
    if best is None:
        figures = f"Its bound is {ours}, and no list is known yet"
        return f"{figures}: {_WITHOUT_A_LIST[state]}." if state != "cut" else _cut(cut_by, family, f"{figures}.")
    reaches = bound >= best - _NEAR
    if state == "open":
        if reaches:
            return f"It waits in the queue, but its bound, {ours}, has reached the best list, {other}: nothing follows."
        return f"Its bound, {ours}, is below the best list, {other}: it waits in the queue."
    if state == "expanded":
        then = "was below the best list of that time; now that is" if reaches else "is below the best list,"
        return f"Its bound, {ours}, {then} {other}: what could follow it has been looked at."
    if bounding is None:
        return _cut(cut_by, family, f"Its bound is {ours}, the best list costs {other}.")
    if not bounding:
        return _cut(cut_by, family, f"Not for its bound, which is {ours}; the best list costs {other}.")
    if reaches:
        return _cut(cut_by, family, f"Its bound, {ours}, reaches the best list, {other}.")
    return _cut(
        cut_by,
        family,
        f"It was stored with a bound of {ours}; this one, looked at later, reaches the best list, {other}.",
    )


_WITHOUT_A_LIST = {"open": "it waits in the queue", "expanded": "what could follow it has been looked at"}


def _cut(cut_by: str, family: str, figures: str) -> str:
    name, term = cut_by.removeprefix("always: ").replace("_", " "), glossary.find(cut_by, family)
    said = "" if term is None else f" {term.sentence} ({term.source})" if term.source else f" {term.sentence}"
    return f'Cut by "{name}". {figures}{said}'


def _apart(bound: float, best: float | None) -> tuple[str, str]:
    """Both with so many digits that they differ, where they do."""
    if best is None:
        return f"{bound:.4f}", ""
    for digits in _DIGITS:
        texts = f"{bound:.{digits}f}", f"{best:.{digits}f}"
        if texts[0] != texts[1] or abs(bound - best) < _NEAR:
            break
    return texts
