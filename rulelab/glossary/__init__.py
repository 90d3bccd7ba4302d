"""What every word of rulelab means: a sentence, a formula, and the theorem it rests on.

The page, the command line and notebooks read the same entries; a test sees to it that nothing on the page is without.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from .entries import ProseError, Term, read_files

__all__ = ["TERMS", "ProseError", "Term", "explain", "find", "near"]

_FILES = (
    "searching.md", "rule_list.md", "corels.md", "fair_rule_list.md", "falling_rule_list.md", "rule_set.md",
    "fairness.md", "near_optimal.md", "what_if.md", "data.md", "page.md",
)  # fmt: skip
TERMS = read_files(Path(__file__).parent, _FILES)
"""The entries by name."""


def _plain(name: str) -> str:
    """The name without what writing adds to it: case, hyphens, "always:", and the note behind a control's label."""
    words = re.sub(r"[_\-\u2013]+", " ", name).lower().removeprefix("always: ")
    return " ".join(words.split()).rstrip(" ?:.")


_INDEX: dict[str, Term] = {
    **{_plain(alias): term for term in TERMS.values() for alias in term.aliases},
    **{_plain(name): term for name, term in TERMS.items()},
}


def find(name: str, family: str = "") -> Term | None:
    """The entry of a name, in any way of writing it; None when there is none.

    ``name``: a term, one of its other names, or the name of a parameter. ``family``: such as "rule_set": the meaning
    that the name has for this family, where it has one of its own.
    """
    plain = _plain(name)
    return _INDEX.get(f"{plain} ({_plain(family)})") or _INDEX.get(plain)


def near(name: str) -> list[str]:
    """Terms that may be meant by a name that is none."""
    plain = _plain(name)
    spelt = get_close_matches(plain, _INDEX, 5, 0.7)
    within = [known for known in _INDEX if len(plain) > 2 and plain in known]
    return list(dict.fromkeys(_INDEX[known].name for known in (*spelt, *within)))[:5]


def explain(term: str) -> Term:
    """What a term means, with its formula and its source.

    Parameters
    ----------
    term : str
        Such as "lower bound", "equivalent support", or the name of a parameter.

    Returns
    -------
    Term
        Printed, or shown by a notebook, it is the whole entry.

    Raises
    ------
    ValueError
        For an unknown term; the message names near ones.
    """
    found = find(term) if isinstance(term, str) else None
    if found is None:
        meant = near(term) if isinstance(term, str) else []
        hint = f"did you mean {', '.join(meant)}?" if meant else "rulelab.glossary.TERMS has them all"
        raise ValueError(f"there is no term {term!r} in the glossary; {hint}")
    return found
