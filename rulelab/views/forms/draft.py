"""A file that was uploaded and is not used yet: how it is read and what its columns are for, until it is accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from tempfile import SpooledTemporaryFile
from typing import Any

from ...data.metrics import MISSING
from ...datasets import DatasetError
from ...datasets.reading import DECIMALS, ENCODINGS, SEPARATORS, THOUSANDS
from ...datasets.sheet import MAX_GROUPS
from ..live.wording import count, counted
from ..widgets.esc import plain
from .all_classes import ALL_CLASSES, FEWEST, AllClasses
from .data import Labelled, read

ROLES = {
    "feature": "feature",
    "sensitive": "sensitive, and a feature",
    "group": "sensitive, no feature",
    "weight": "weight of the row",
    "target": "target",
    "ignore": "ignore",
}
"""What a column may be used for, in the words of the page."""
ROLE_HELP = (
    "target: what is predicted. feature: rules may use it. sensitive: its values are groups of people to compare. "
    "weight: how much a row counts. ignore: not used."
)
_ONE_OR_EVERY = (
    "The target has several classes: one, the positive class, is told from the rest, or all are predicted by one list."
)
_EVERY = (
    "One list predicts all classes, and their errors are counted together. Groups, fairness, cards and the other tabs "
    "are of two classes."
)
MAX_COLUMNS = 500
"""So many columns have a row of their own in the sheet; the others keep the role that was guessed."""
MAX_PREVIEWED = 40
_IN_MEMORY_BYTES = 1_000_000
_AT_ONCE_CELLS = 300_000
_FORM = {"encoding": dict(zip(ENCODINGS, ENCODINGS, strict=True))} | {
    "separator": SEPARATORS,
    "decimal": DECIMALS,
    "thousands": THOUSANDS,
}


class _Aside:
    """The contents of a file, on disk where they are large: they are needed again only to be read in another way."""

    def __init__(self, contents: bytes) -> None:
        self._file: Any = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 as long as the draft
        self._file.write(contents)
        self._size = len(contents)

    def get(self) -> bytes:
        self._file.seek(0)
        return self._file.read(self._size)


class Draft:
    """An uploaded file before it is accepted.

    Parameters
    ----------
    contents : bytes
    file_name : str
    on_cancel : callable
        See `rulelab.views.live.apart.apart`.

    Raises
    ------
    ValueError
        When the file cannot be read; in the words of the page.
    """

    def __init__(
        self,
        contents: bytes,
        file_name: str,
        on_cancel: Callable[[Callable[[], Any]], Any] = lambda end: None,
    ) -> None:
        self._contents, self._file_name = _Aside(contents), file_name
        self._how: dict[str, str] = {}
        self.chosen: dict[str, str] = {}
        self.error = ""
        self.every = False
        self._take(read(contents, file_name, on_cancel))

    def again(self) -> Draft:
        """The same, to be changed without changing this one."""
        other = copy(self)
        other.roles, other.chosen, other.error = dict(self.roles), dict(self.chosen), ""
        return other

    @property
    def large(self) -> bool:
        """Whether a change takes so long that the page should not wait for it."""
        return self.sheet.frame.size > _AT_ONCE_CELLS

    def read_as(self, how: Mapping[str, str], on_cancel: Callable[[Callable[[], Any]], Any] = lambda end: None) -> None:
        """Read the file anew; what cannot be read so is said in `error`, and nothing changes."""
        known = {name: mark for name, mark in how.items() if name in _FORM and mark in _FORM[name].values()}
        self.error = ""
        try:
            found = read(self._contents.get(), self._file_name, on_cancel, **{**self._how, **known})
        except ValueError as error:
            self.error = str(error)
            return
        self._how |= known
        self._take(found)

    def give(self, name: str, role: str) -> None:
        """Use a column for something else; there is one target and one weight."""
        if role not in ROLES:
            return
        self.error = ""
        if role in ("target", "weight"):
            self.chosen |= {other: "feature" for other, its in self.roles.items() if its == role and other != name}
        self.chosen[name] = role
        self.roles |= self.chosen
        self._find_labels()

    def choose_positive(self, position: int) -> None:
        """The positive class, by its place among the choices."""
        self.error = ""
        self.every = position >= len(self.classes)
        if not self.every:
            self.positive = self.classes[position]

    @property
    def choices(self) -> list[str]:
        """What the positive class may be; of several classes, that none is told from the rest."""
        classes = [plain(label, 60) or "(empty)" for label in self.classes]
        return [*classes, ALL_CLASSES] if self._may_be_every else classes

    @property
    def _may_be_every(self) -> bool:
        """Whether all classes can be predicted by one list."""
        return len(self.classes) >= FEWEST

    @property
    def target(self) -> str | None:
        return next((name for name, role in self.roles.items() if role == "target"), None)

    @property
    def lacking(self) -> str:
        """Why it cannot be accepted yet; empty when it can."""
        if self.target is None:
            return "Choose the target: the column that is to be predicted."
        if not self.classes:
            n = self.sheet.frame[self.target].nunique()
            return f"The target has {counted(n, 'different values')}, too many for classes; choose another column."
        if len(self.classes) == 1:
            return "The target has one value only; choose another column."
        if not any(role in ("feature", "sensitive") for role in self.roles.values()):
            return "No column is a feature; rules need at least one."
        return ""

    def accepted(self) -> Labelled:
        """The table with its roles.

        Raises
        ------
        ValueError
            When it cannot be used so; in the words of the page.
        """
        if self.lacking:
            raise DatasetError(self.lacking)

        def having(*roles: str) -> tuple[str, ...]:
            return tuple(name for name in self._names if self.roles[name] in roles)

        assert self.target is not None
        labelled = self._labelled(
            self.sheet,
            self.target,
            self.positive,
            having("sensitive", "group"),
            having("sensitive"),
            next(iter(having("weight")), None),
            having("ignore"),
            self._without_target > 0,
        )
        labelled.check()
        return labelled

    def _labelled(self, *roles: Any) -> Labelled:
        return (AllClasses if self.every else Labelled)(*roles)

    def state(self) -> dict[str, Any]:
        """All that the form shows: texts of one line, to be shown as text."""
        leaks = {} if self.target is None else self._leaks(self.target)
        sheet, preview = self.sheet, self.sheet.preview()
        rows = [
            {
                "name": plain(column.name, 80),
                "type": column.type,
                "missing": count(column.missing),
                "distinct": count(column.distinct),
                "role": self.roles[column.name],
                "leak": plain(leaks.get(column.name, ""), 200),
                "notes": plain("; ".join(filter(None, [column.reason, *column.doubts])), 300),
            }
            for column in sheet.columns[:MAX_COLUMNS]
        ]
        hidden, width = len(sheet.columns) - len(rows), counted(len(sheet.columns), "columns")
        return {
            "title": f"{plain(sheet.file, 80)}: {counted(len(sheet.frame), 'rows')}, {width}",
            "how": "Guessed from the whole file. Where the rows below look wrong, correct it here.",
            "form": self._form(),
            "doubts": [plain(doubt, 300) for doubt in (() if sheet.reading is None else sheet.reading.doubts)],
            "head": [plain(name, 40) for name in self._names[:MAX_PREVIEWED]],
            "preview": [[plain(cell, 40) for cell in row[:MAX_PREVIEWED]] for row in preview.to_numpy().tolist()],
            "columns": rows,
            "roles": [[name, label] for name, label in ROLES.items()],
            "help": ROLE_HELP,
            "classes": self.choices,
            "positive": self._place_of_positive,
            "remarks": self._remarks(hidden),
            "lacking": self.lacking,
            "error": plain(self.error, 400),
        }

    @property
    def _place_of_positive(self) -> int:
        if self.every:
            return len(self.classes)
        return self.classes.index(self.positive) if self.positive in self.classes else 0

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self.sheet.columns]

    @property
    def _without_target(self) -> int:
        return 0 if self.target is None else int(self.sheet.frame[self.target].isna().sum())

    def _take(self, sheet: Any) -> None:
        """Take the table as it was read; what was chosen for columns that it has still holds."""
        guessed = {column.name: column.role for column in sheet.columns}
        self.sheet, self.roles = sheet, guessed | {n: self.chosen[n] for n in guessed if n in self.chosen}
        self._known_leaks: dict[str, dict[str, str]] = {}
        self._find_labels()

    def _find_labels(self) -> None:
        """The classes of the target; the larger one of two is positive, the first of several."""
        self.classes = [] if self.target is None else self.sheet.labels(self.target)
        self.every = self.every and self._may_be_every
        if getattr(self, "positive", None) not in self.classes:
            self.positive = self.classes[-1] if self.classes else None

    def _leaks(self, target: str) -> dict[str, str]:
        if target not in self._known_leaks:
            self._known_leaks[target] = self.sheet.leaks(target)
        return self._known_leaks[target]

    def _form(self) -> list[dict[str, Any]]:
        """The choices of how a text file is written."""
        reading = self.sheet.reading
        if reading is None:
            return []
        out = []
        for name, options in _FORM.items():
            chosen = str(getattr(reading, name))
            known = options if chosen in options.values() else {**options, chosen: chosen}
            out.append({"name": name, "options": [[mark, label] for label, mark in known.items()], "chosen": chosen})
        return out

    def _remarks(self, hidden: int) -> list[str]:
        """What happens to columns that have no row of their own, and to rows."""
        remarks = [f"{counted(hidden, 'more columns')}, used as guessed."] if hidden else []
        if self._may_be_every:
            remarks.append(_EVERY if self.every else _ONE_OR_EVERY)
        if self._without_target:
            remarks.append(f"{counted(self._without_target, 'rows')} without a target will be left out.")
        for name in (name for name, role in self.roles.items() if role in ("sensitive", "group")):
            values, what = self.sheet.frame[name], plain(name, 60)
            if values.nunique() > MAX_GROUPS:
                remarks.append(f"{what}: {count(values.nunique())} groups are too many to compare; better ignore it.")
            if missing := int(values.isna().sum()):
                remarks.append(f"{what}: {counted(missing, 'rows')} without a value are the group {MISSING}.")
        return remarks
