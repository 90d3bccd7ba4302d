"""A file that was uploaded: how it is read and what its columns are for; changed until it is accepted, then used so."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np
import pandas as pd

from ...assets import texts
from ...data.distribution import distribution
from ...data.metrics import MISSING
from ...datasets import Dataset, DatasetError
from ...datasets.guesses import MAX_GROUPS, UNKNOWNS, in_rows, positive_of, unknown_of
from ...datasets.reading import DECIMALS, ENCODINGS, SEPARATORS, THOUSANDS
from ...shown import percent
from ..live.wording import count, counted
from ..widgets.esc import plain
from .data import OnCancel, read

ROLES = texts("roles")  # what a column may be used for, in the words of the page
ROLE_HELP = texts("sheet")["roles"]
FEWEST = 3  # classes that one list may predict; of two one is told from the other
ALL_CLASSES = "all classes, in one list"
ELSEWHERE = texts("sheet")["elsewhere"]
_ONE_OR_EVERY = texts("sheet")["one or every"]
_EVERY = texts("sheet")["every"]
MAX_COLUMNS = 500  # so many columns have a row of their own in the sheet; the others keep the role that was guessed
MAX_PREVIEWED = 40
_BARS = 12
_BARS_OF_ROWS = 10_000  # bars are of every row up to so many, then of every second, third ...: shares look the same
_WITH_BARS = ("number", "yes or no", "category")
_IN_MEMORY_BYTES = 1_000_000
AT_ONCE_CELLS = 300_000  # of a sheet that the page waits for when it is changed
_FORM = {"encoding": dict(zip(ENCODINGS, ENCODINGS, strict=True))} | {
    "separator": SEPARATORS,
    "decimal": DECIMALS,
    "thousands": THOUSANDS,
    "lines above": {str(k): str(k) for k in range(11)},
    "header": {"names of the columns": "yes", "none: it is data": "no"},
}
_EMPTY = "also empty"
_READING = {"lines above": "skip"}  # fields of the form that have another name in `rulelab.datasets.Reading`
_YES = {True: "yes", False: "no"}
_GUESSED = {"sensitive": "group"}  # of the roles that are guessed, those of another name here


class Draft:
    """An uploaded file, changed until it is accepted, then copied; ValueError where it cannot be read."""

    error = ""
    every = False
    unknown = UNKNOWNS[0]
    positive: Any = None
    without_sums = False
    """Whether the last row is left out, as it holds sums."""
    _labelled_target: str | None = None

    def __init__(self, contents: bytes, file_name: str, on_cancel: OnCancel = lambda end: None) -> None:
        # on disk where it is large: it is needed again only to be read in another way
        self._file: Any = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 as long as the draft
        self._file.write(contents)
        self._file_name = file_name
        self._how: dict[str, Any] = {}
        self.chosen: dict[str, str] = {}
        self._take(read(contents, file_name, on_cancel))

    def again(self) -> Draft:
        """The same, to be changed without changing this one."""
        other = copy(self)
        other.roles, other.chosen, other.error = dict(self.roles), dict(self.chosen), ""
        return other

    @property
    def large(self) -> bool:
        """Whether a change takes so long that the page should not wait for it."""
        return self.sheet.frame.size > AT_ONCE_CELLS

    def read_as(self, how: Mapping[str, str], on_cancel: OnCancel = lambda end: None) -> None:
        """Read the file anew; what cannot be read so is said in `error`, and nothing changes."""
        known: dict[str, Any] = {
            _READING.get(name, name): mark
            for name, mark in how.items()
            if name in _FORM and mark in _FORM[name].values()
        }
        if _EMPTY in how:
            marks = [mark.strip() for mark in how[_EMPTY][:400].split(",")]
            known["missing"] = marks if any(marks) else None
        self.error = ""
        try:
            self._file.seek(0)
            found = read(self._file.read(), self._file_name, on_cancel, **{**self._how, **known})
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
            for other, its in self.roles.items():
                if its == role and other != name:
                    self.chosen.pop(other, None)
                    if role == "weight":
                        self.chosen[other] = "feature"
        self.chosen[name] = role
        self._give_roles()
        self._find_labels()

    def choose_positive(self, position: int) -> None:
        """The positive class, by its place among the choices."""
        self.error = ""
        self.every = position >= len(self.classes)
        if not self.every:
            self.positive = self.classes[position]

    def leave_out_sums(self) -> None:
        """Use the table without its last row, where that seems to hold sums."""
        self.error, self.without_sums = "", True
        self._take(self.sheet)

    def count_unknown(self, how: str) -> None:
        """What becomes of the rows whose target says that it is not known."""
        self.error = ""
        self.unknown = how if how in UNKNOWNS else self.unknown

    @property
    def choices(self) -> list[str]:
        """What the positive class may be, with its rows; of several classes, that none is told from the rest."""
        total = sum(self._rows.values())
        classes = [in_rows(plain(label, 60) or "(empty)", n, total) for label, n in self._rows.items()]
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

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns whose values are groups to compare."""
        return self._having("sensitive", "group")

    @property
    def kept(self) -> tuple[str, ...]:
        """Those of them that rules may use, too."""
        return self._having("sensitive")

    @property
    def weight(self) -> str | None:
        """The column that says how much each row counts."""
        return next(iter(self._having("weight")), None)

    @property
    def ignored(self) -> tuple[str, ...]:
        return self._having("ignore")

    def _having(self, *roles: str) -> tuple[str, ...]:
        return tuple(name for name in self._names if self.roles[name] in roles)

    @property
    def name(self) -> str:
        """Of the data set."""
        return str(self.sheet.name)

    @property
    def predicted(self) -> str:
        """What is predicted, in words."""
        if self.every:
            return f"{plain(self.target, 60)}, all {count(self.sheet.frame[self.target].nunique())} classes in one list"
        return f"{plain(self.target, 60)} = {plain(self.positive, 60)}"

    def check(self) -> None:
        """Refuse roles that cannot be; raises ValueError in the words of the page."""
        if self.lacking:
            raise DatasetError(self.lacking)
        if not self.every:
            self.dataset()
            return
        weights = self.labelled()[0].weight
        if weights is not None and not (np.mod(weights.to_numpy(), 1) == 0).all():
            raise DatasetError(
                f"the weights in {plain(self.weight, 60)} are not all whole numbers, as one list of all classes needs"
            )

    def dataset(self) -> Dataset:
        """The data set, which has two classes. Raises DatasetError."""
        if self.every:
            raise DatasetError(ELSEWHERE.format(plain(self.target, 60)))
        return self.sheet.dataset(**self._roles)

    def labelled(self) -> tuple[Dataset, pd.Series]:
        """Of several classes, the columns as conditions are made of them, and the label of each row."""
        labels = self.sheet.frame[self.target].dropna().reset_index(drop=True)
        return self.sheet.dataset(**{**self._roles, "positive": labels.iloc[0], "unknown": "negative"}), labels

    def code(self) -> str:
        """Python that reads the same from the file, with ``rl`` for this package; none of several classes, or without
        its last row."""
        if self.every or self.without_sums:
            return ""
        written = ("encoding", "separator", "decimal", "thousands", "skip", "header", "missing")
        known = {name: getattr(self.sheet.reading, name, None) for name in written}
        how = {name: value for name, value in known.items() if value is not None}
        arguments = ", ".join(f"{name}={value!r}" for name, value in {**self._roles, **how}.items())
        return f"rl.datasets.read({self.sheet.file!r}, {arguments})"

    @property
    def _roles(self) -> dict[str, Any]:
        """The arguments of `rulelab.datasets.read` that are not as ever."""
        kept = set(self.kept) == set(self.sensitive) or list(self.kept)
        chosen = {
            "target": self.target,
            "positive": self.positive,
            "sensitive": list(self.sensitive),
            "keep_sensitive": kept if self.kept else None,
            "weight": self.weight,
            "excluded": list(self.ignored) if self.ignored or self.sheet.identifiers(self.target) else None,
            "drop_missing_target": True if self._without_target else None,
            "unknown": None if self.unknown == UNKNOWNS[0] else self.unknown,
        }
        return {name: value for name, value in chosen.items() if value is not None}

    def state(self) -> dict[str, Any]:
        """All that the form shows: texts of one line, to be shown as text."""
        leaks, bars = self._told_of(self.target)
        sheet, preview, classes = self.sheet, self.sheet.preview(), self.classes
        rows = [
            {
                "name": plain(column.name, 80),
                "type": column.type,
                "missing": count(column.missing),
                "distinct": count(column.distinct),
                "bars": bars.get(column.name, []),
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
            "doubts": [plain(doubt, 300) for doubt in sheet.table_doubts],
            "sums": bool(sheet.sum_row),
            "head": [plain(name, 40) for name in self._names[:MAX_PREVIEWED]],
            "preview": [[plain(cell, 40) for cell in row[:MAX_PREVIEWED]] for row in preview.to_numpy().tolist()],
            "columns": rows,
            "roles": [[name, label] for name, label in ROLES.items()],
            "help": ROLE_HELP,
            "target": plain(self.target or "(choose)", 80),
            "classes": self.choices,
            # without classes none is chosen
            "positive": len(classes) if self.every else classes.index(self.positive) if classes else 0,
            "unknown": self._unknown_form(),
            "remarks": self._remarks(hidden),
            "lacking": self.lacking,
            "error": plain(self.error, 400),
        }

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self.sheet.columns]

    @property
    def left_out(self) -> int:
        """Rows that are not used, as their target is not known."""
        left = self._unknown_labels if self.unknown == UNKNOWNS[0] else []
        return self._without_target + sum(self._rows[label] for label in left)

    @property
    def _unknown_labels(self) -> list[Any]:
        """Those of the target that say that it is not known; where all classes are predicted it is one of them."""
        return [] if self.every else [label for label in unknown_of(self.classes) if label != self.positive]

    @property
    def _without_target(self) -> int:
        return 0 if self.target is None else int(self.sheet.frame[self.target].isna().sum())

    def _take(self, sheet: Any) -> None:
        """Take the table as it was read; what was chosen for columns that it has still holds."""
        if self.without_sums and sheet.sum_row:
            sheet = sheet.without_last()
        self.sheet = sheet
        self._told: dict[tuple[str | None, Any], tuple[dict[str, str], dict[str, list[list[Any]]]]] = {}
        self._give_roles()
        self._find_labels()

    def _give_roles(self) -> None:
        """The roles that were chosen, and for the other columns those that are guessed with this target."""
        target = next((name for name, role in self.chosen.items() if role == "target"), self.sheet.target)
        guessed = self.sheet.roles(None if self.chosen.get(target or "", "target") != "target" else target)
        self.roles = {name: self.chosen.get(name, _GUESSED.get(role, role)) for name, role in guessed.items()}
        for name in [name for name, role in self.roles.items() if role == "weight" and name not in self.chosen]:
            if "weight" in self.chosen.values():
                self.roles[name] = "feature"

    def _find_labels(self) -> None:
        """The classes of the target with their rows; which one is positive is guessed anew for another target."""
        self._rows = {} if self.target is None else self.sheet.labels(self.target)
        self.classes = list(self._rows)
        self.every = self.every and self._may_be_every
        if self._labelled_target != self.target or self.positive not in self.classes:
            unknown = unknown_of(self.classes)
            known = {label: n for label, n in self._rows.items() if label not in unknown}
            self.positive = positive_of(known) if known else None
        self._labelled_target = self.target

    def _told_of(self, target: str | None) -> tuple[dict[str, str], dict[str, list[list[Any]]]]:
        """By column, the evidence that it gives the target away, and its bars."""
        asked = target, None if self.every else self.positive
        if asked not in self._told:
            leaks = {} if target is None else self.sheet.leaks(target, asked[1])
            self._told[asked] = leaks, self._bars(*asked)
        return self._told[asked]

    def _bars(self, target: str | None, positive: Any) -> dict[str, list[list[Any]]]:
        """By column, its bars: height and share of the positive class in %, and what a bar stands for."""
        frame, bars = self.sheet.frame.iloc[:: len(self.sheet.frame) // _BARS_OF_ROWS + 1], {}
        known = target is not None and positive is not None
        hits = np.zeros(len(frame), dtype=bool)
        if known:
            unknown = [label for label in unknown_of(self.classes) if label != positive]
            frame = frame[frame[target].notna() & ~frame[target].isin(unknown)]
            hits = (frame[target] == positive).to_numpy(dtype=bool)
        for column in self.sheet.columns[:MAX_COLUMNS]:
            if column.type in _WITH_BARS:
                values = frame[column.name]
                found = distribution(values, hits, most=_BARS).bars
                if getattr(values.dtype, "ordered", False):
                    places = {str(each): place for place, each in enumerate(values.cat.categories)}
                    found = tuple(sorted(found, key=lambda bar: places.get(bar.label, len(places))))
                said = f" % {plain(positive, 60)}" if known else ""
                bars[column.name] = [
                    [
                        round(100 * bar.height, 1),
                        round(100 * bar.rate, 1),
                        f"{plain(bar.label, 60)}: {percent(bar.rows / len(frame))} % of the rows"
                        + (f", {percent(bar.rate)}{said}" if said and bar.rows else ""),
                    ]
                    for bar in found
                ]
        return bars

    def _unknown_form(self) -> list[Any]:
        """What becomes of rows whose target is not known, as a question: its words, the choices, the one chosen."""
        if not (labels := self._unknown_labels):
            return []
        n = counted(sum(self._rows[label] for label in labels), "rows")
        said = f"{n} where it is {' or '.join(plain(label, 30) for label in labels)}"
        words = ("leave out", f"count as not {plain(self.positive, 30)}")
        return [said, [list(pair) for pair in zip(UNKNOWNS, words, strict=True)], self.unknown]

    def _form(self) -> list[dict[str, Any]]:
        """The choices of how a text file is written."""
        reading = self.sheet.reading
        if reading is None:
            return []
        out = []
        for name, options in _FORM.items():
            value = getattr(reading, _READING.get(name, name))
            chosen = _YES.get(value, str(value)) if isinstance(value, bool) else str(value)
            known = options if chosen in options.values() else {**options, chosen: chosen}
            out.append({"name": name, "options": [[mark, label] for label, mark in known.items()], "chosen": chosen})
        missing = ", ".join(reading.missing or ())
        return [*out, {"name": _EMPTY, "options": [], "chosen": missing}]

    def _remarks(self, hidden: int) -> list[str]:
        """What happens to columns that have no row of their own, and to rows."""
        remarks = [f"{counted(hidden, 'more columns')}, used as guessed."] if hidden else []
        if self.without_sums:
            remarks.append("The last row, which holds sums, is left out.")
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
