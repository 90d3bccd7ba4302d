"""What is known of each data set, in registry.toml: size, target, sensitive attributes, origin, checksum."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Record:
    """One data set.

    Attributes
    ----------
    name, target, description, source, notes : str
        As in `Dataset`.
    rows, columns, positives : int
        Number of rows, of columns with the target, and of rows of the positive class.
    positive : str or int
        Label of the positive class.
    sensitive : tuple of str
        Sensitive attributes.
    excluded : tuple of str
        Columns that are no features: ``Dataset.extra``.
    set_aside : tuple of str
        Sensitive attributes that are no features unless asked for.
    sha256 : str or None
        SHA-256 of the normalised CSV, not compressed; None for what a dependency ships, and where a file is known by
        its rows, columns and positives alone.
    url : str or None
        Where the source's own file can be fetched; None for what is not a file of its own.
    by_hand : bool
        Whether nothing but a person can fetch it, who accepts its licence there.
    packaged : bool
        Whether the normalised file is part of this package.
    """

    name: str
    rows: int
    columns: int
    positives: int
    target: str
    positive: str | int
    description: str
    source: str
    sensitive: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    notes: str = ""
    sha256: str | None = None
    url: str | None = None
    by_hand: bool = False
    packaged: bool = False

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


def _read() -> dict[str, Record]:
    known: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for fields in known.values():
        fields |= {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return {name: Record(name, **fields) for name, fields in known.items()}


RECORDS: dict[str, Record] = _read()
