"""What is known of each data set, in registry.toml: size, target, sensitive attributes, origin, checksum."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..files import load_tables


@dataclass(frozen=True)
class Record:
    """One data set; the names are those of `Dataset`."""

    name: str
    rows: int
    columns: int  # with the target
    positives: int  # how many rows are of the positive class
    target: str
    positive: str | int
    description: str
    source: str
    sensitive: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()  # columns that are no features: ``Dataset.extra``
    set_aside: tuple[str, ...] = ()  # sensitive attributes that are no features unless asked for
    notes: str = ""
    sha256: str | None = None
    """Of the normalised CSV, not compressed; None for what a dependency ships, and where a file is known by its rows,
    columns and positives alone."""
    url: str | None = None  # where the source's own file can be fetched; None for what is not a file of its own
    header: tuple[str, ...] = ()  # the columns of the source's own file, in its order
    by_hand: bool = False  # whether nothing but a person can fetch it, who accepts its licence there
    packaged: bool = False  # whether the normalised file is part of this package

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


RECORDS: dict[str, Record] = {
    name: Record(name, **fields) for name, fields in load_tables(Path(__file__).with_suffix(".toml")).items()
}
