"""What names and labels say: which class is the positive one, what a column is for; guesses that can be changed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..files import load_tables

WORDS = {
    name: frozenset((*found.get("words", "").split(), *found.get("phrases", ())))
    for name, found in load_tables(Path(__file__).with_name("words.toml")).items()
}
"""By the names of their tables."""
UNKNOWNS = ("leave out", "negative")
"""What becomes of rows whose target says that it is not known: see `unknown_of`."""
MAX_GROUPS = 12
"""Most values of a column of numbers that is taken for sensitive by its name."""
_NEGATION = re.compile(r"(not|non|no|never|without|un|kein\w*|nicht|ohne|pas|sans|sin|sem|bez|nie|не)[\s_-]*")
_TARGET_WORDS = re.compile(
    r"default|churn|surviv|fraud|outcome|target|label|recid|attrit|readmi|died|death|mortality|diagnos|approv|admitted"
    r"|class$|betrug|kündig|ausfall"
)
FEWEST_IDENTIFIED = 20
"""Of more rows, a column of whole numbers none of which comes twice may number them."""
_IDENTIFIER = re.compile(r"(^|[_ .-])(id|key|uuid|index|nr|no|number)$|Id$|ID$|^id", re.ASCII)


def folded(label: Any) -> str:
    """A label without capitals and outer spaces; numbers as they are written shortest."""
    return f"{label:g}" if isinstance(label, float) else str(label).strip().casefold()


def positive_of(rows: Mapping[Any, int]) -> Any:
    """The label, of those with their rows in order, that is taken for the positive class.

    A word for yes, in the usual languages; of two labels the other one of a word for no, or the one that is an event
    (such as fraud); else the rarer one, and of numbers that are equally rare the larger one.
    """
    labels = list(rows)
    words = [folded(label) for label in labels]

    def only(which: Sequence[bool]) -> Any:
        return labels[which.index(True)] if sum(which) == 1 else None

    found = only([word in WORDS["yes"] for word in words])
    if len(words) == 2 and found is None:
        if "".join(words) in WORDS["pairs"] or "".join(reversed(words)) in WORDS["pairs"]:
            return labels[0 if "".join(words) in WORDS["pairs"] else 1]
        no = [
            w in WORDS["no"] or bool(_negates(w, o)) or (w, o) == ("-1", "1")
            for w, o in zip(words, words[::-1], strict=True)
        ]
        found = only([not each for each in no])
    if found is None:
        found = only([any(part in WORDS["events"] for part in re.split(r"[\W_]+", word)) for word in words])
    if found is not None:
        return found
    numbers = all(isinstance(label, int | float) for label in labels)
    return min(reversed(labels) if numbers else labels, key=lambda label: rows[label])


def _negates(word: str, other: str) -> bool:
    """Whether a label is another one with a word for no before it, or a sentence that begins with such a word."""
    match = _NEGATION.match(word)
    return match is not None and (word[match.end() :] == other or word[match.end() - 1 : match.end()] in " _-")


def unknown_of(labels: Sequence[Any]) -> list[Any]:
    """The labels by which a target says that the class is not known, where it has two others."""
    found = list(filter(is_unknown, labels))
    return found if len(labels) - len(found) >= 2 else []


def is_unknown(label: Any) -> bool:
    """Whether a label is a word for that the class is not known."""
    return isinstance(label, str) and folded(label) in WORDS["unknown"]


def in_rows(label: Any, rows: int, total: int) -> str:
    """A class with its share, as in "Ja (510, 17 %)"."""
    percent = 100 * rows / total if total else 0.0
    return f"{label} ({rows}, {percent:.{0 if percent >= 10 else 1 if percent >= 1 else 2}f} %)"


def closest(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"``, x being the known word nearest to the given one, or a full stop if none is near."""
    by_fold = {k.strip().casefold(): k for k in known}
    match = difflib.get_close_matches(word.strip().casefold(), by_fold, n=1, cutoff=0.6)
    return f"; did you mean {quote(by_fold[match[0]])}?" if match else "."


def quote(value: object, limit: int = 60) -> str:
    """The value as it would be written in Python, on one line and cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 4] + "..." + text[-1]


def listing(values: Sequence[object], limit: int = 8) -> str:
    """The values quoted, the first `limit` of them."""
    shown = ", ".join(quote(v) for v in values[:limit])
    return shown + (f" and {len(values) - limit} more" if len(values) > limit else "")


def in_which_rows(mask: np.ndarray, limit: int = 5) -> str:
    """Where the mask is set, in words: "row 3", "rows 3, 5 and 12 more"; rows count from 1."""
    rows = np.flatnonzero(mask) + 1
    text = ("row " if len(rows) == 1 else "rows ") + ", ".join(str(r) for r in rows[:limit])
    return text + (f" and {len(rows) - limit} more" if len(rows) > limit else "")


def is_protected(name: str) -> bool:
    """Whether the name of a column is that of an attribute that people must not be told apart by."""
    return not (WORDS["protected"] | WORDS["age"]).isdisjoint(_words(name))


def is_sensitive(name: str, distinct: int, is_text: bool) -> bool:
    """Whether a column is taken for groups of people to compare, and for no feature; an age in years is one."""
    words = _words(name)
    known = WORDS["protected"] | WORDS["age"] if is_text else WORDS["protected"]
    protected = not known.isdisjoint(words)
    return protected and distinct >= 2 and (is_text or distinct <= MAX_GROUPS)


def is_weight(name: str) -> bool:
    """Whether a column is called as those that say how much a row counts."""
    return name.strip().casefold() in WORDS["weights"]


def is_identifier(name: str) -> bool:
    """Whether a column is called as those that number the rows."""
    return _IDENTIFIER.search(name) is not None


def target_hint(name: str) -> int:
    """How much the name of a column is that of a target: 2, wholly; 1, by a word in it; 0, not at all."""
    whole = name.strip().casefold()
    return 2 if whole in WORDS["targets"] else int(_TARGET_WORDS.search(whole) is not None)


def _words(name: str) -> list[str]:
    parted = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", " ", name.strip())
    return re.split(r"[\W\d_]+", parted.casefold())
