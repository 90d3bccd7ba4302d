"""Rows that were counted: what rules can tell apart, and how many rows there are of each kind."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import TableError, is_whole
from ..data.antecedents import Antecedents
from ..data.conditions import Condition, attach_conditions, unique_names
from ..data.metrics import group_labels
from ..data.problem import Problem
from ..datasets import Dataset
from ..lazy import require_pyarrow

COUNT, HEADS, TEST = "rulelab rows", "rulelab heads", "rulelab test"
_KEY = b"rulelab.tables.counts"
_VERSION, _KNOWN = 2, (1, 2)


@dataclass(frozen=True, eq=False)
class PatternCounts:
    """Kinds of rows and their numbers; no row of anybody."""

    features: pd.DataFrame
    """DataFrame, shape (n_kinds, n_columns): for each column that has conditions a value that stands for all that the
    conditions do not tell apart."""
    label: pd.Series  # 1 for the positive class
    rows: pd.Series
    """How many rows there are of each kind, or what they weigh; a weight that no double holds is the sum of several
    entries of the same kind."""
    sensitive: pd.DataFrame | None  # DataFrame or None: the groups of people
    conditions: tuple[Condition, ...]
    target: str
    positive: Any
    negative: Any
    # name, engine: where they were counted, and by what
    name: str = "table"
    engine: str = ""
    seconds: float = 0.0
    without_target: int = 0  # rows that have no label, or one that says it is not known; they are not counted
    rare: int = 0  # rows of kinds that were left out because they are rare, see `without_rare`
    heads: pd.Series | None = None  # where rows are weighted, how many there are of each kind; None: as many as `rows`
    test: pd.Series | None = None  # which kinds are kept out of training; None: there is no split
    split: str = ""  # how it was made, in words

    def __repr__(self) -> str:
        kinds = f"in {len(self)} kinds, {len(self.conditions)} conditions"
        return f"PatternCounts({self.n_rows} rows of {self.name!r} {kinds})"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_rows(self) -> int:
        """The rows that were counted; those of whole weights as often as they count."""
        counted = self.rows if self.heads is None or self.rows.dtype.kind == "i" else self.heads
        return int(counted.sum())

    @property
    def training(self) -> PatternCounts:
        """What is not kept out of training."""
        return self if self.test is None else self._some(~self.test, test=None)

    @property
    def held_out(self) -> PatternCounts | None:
        """What is kept out of training; None where there is no split."""
        return None if self.test is None else self._some(self.test, test=None)

    @property
    def positions(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the kinds for training and of those that are kept out."""
        test = np.zeros(len(self), dtype=bool) if self.test is None else self.test.to_numpy()
        return np.flatnonzero(~test), np.flatnonzero(test)

    def only(self, kept: np.ndarray) -> PatternCounts:
        """The kinds that a Boolean array of shape (n_kinds,) says, as one part."""
        return self._some(kept, test=None)

    def _some(self, kept: pd.Series | np.ndarray, **more: Any) -> PatternCounts:
        """Some kinds, in this order where ``kept`` are their positions."""
        names = ("features", "label", "rows", "sensitive", "heads", "test")
        found = {
            name: values.iloc[np.asarray(kept)].reset_index(drop=True)
            for name in names
            if (values := getattr(self, name)) is not None
        }
        return replace(self, **{**found, **more})

    @property
    def frame(self) -> pd.DataFrame:
        """The conditions of each kind: DataFrame of bool, shape (n_kinds, n_conditions), that carries them along."""
        named = zip(unique_names(map(str, self.conditions)), self.conditions, strict=True)
        held = {name: condition.evaluate(self.features[condition.column]) for name, condition in named}
        frame = pd.DataFrame(held, index=self.features.index)
        attach_conditions(frame, self.conditions)
        return frame

    def weighted_patterns(self) -> tuple[pd.DataFrame, pd.Series]:
        """`frame` and `rows`, of which antecedents are mined; raises TableError where some are kept out of training."""
        if self.test is not None:
            raise TableError("some of these rows are kept out of training; take the counts' training part")
        return self.frame, self.rows

    def problem(self, antecedents: Antecedents) -> Problem:
        """The problem of antecedents mined from these counts, with their groups and as many rows as were counted."""
        _, rows = self.weighted_patterns()
        return as_rows(Problem.from_antecedents(antecedents, self.label, rows, self.sensitive), self)

    def dataset(self) -> Dataset:
        """A data set with a row for each kind, which counts as often as there are rows of it."""
        notes = [
            f"{self.n_rows} rows counted by {self.engine} in {self.seconds:.1f} s, in {len(self)} kinds",
            self.split,
        ]
        if self.without_target:
            notes.append(f"{self.without_target} rows have no {self.target}, or an unknown one, and are left out")
        if self.rare:
            notes.append(f"{self.rare} rows of rare kinds are left out")
        return Dataset(
            X=self.features,
            y=self.label,
            sensitive=self.sensitive,
            name=self.name,
            target=self.target,
            positive=self.positive,
            negative=self.negative,
            notes="; ".join(filter(None, notes)),
            weight=self.rows,
            heads=self.rows if self.heads is None else self.heads,
        )

    def split_at_random(self, share: float, seed: int = 0) -> PatternCounts:
        """With this share of the rows kept out of training, drawn one by one; TableError where rows are weighted."""
        if self.heads is not None:
            raise TableError("rows that are weighted cannot be drawn of their counts; count with a split by a key")
        if not 0 < share < 1:
            raise TableError(f"the share of the test rows must be above 0 and below 1, not {share!r}")
        drawn = np.random.default_rng(seed).binomial(self.rows.to_numpy(), share)
        parts = self.rows.to_numpy() - drawn, drawn
        training, test = map(np.flatnonzero, parts)
        if not len(training) or not len(test):
            raise TableError(f"a share of {share:g} leaves no row on one side; take another one")
        return self._some(
            np.concatenate([training, test]),
            rows=pd.Series(np.concatenate([n[n > 0] for n in parts]), name=COUNT),
            test=pd.Series(np.repeat([False, True], [len(training), len(test)]), name=TEST),
            split=f"{100 * share:g} % of the rows are kept out for the test, at random",
        )

    def without_rare(self, least: int) -> PatternCounts:
        """Without the kinds that fewer than ``least`` rows are of, whatever their label; `rare` says how many rows.

        A kind is what features and groups of people tell apart. What is left says nothing of fewer people than that.
        """
        if not is_whole(least, 1):
            raise TableError(f"the least number of rows must be a whole number of at least 1, not {least!r}")
        people = [] if self.sensitive is None else [self.sensitive.add_prefix("rulelab group ")]
        keys = pd.concat([self.features, *people, *([] if self.test is None else [self.test.rename(TEST)])], axis=1)
        kind = keys.groupby(list(keys.columns), dropna=False, sort=False).ngroup()
        heads = self.rows if self.heads is None else self.heads
        kept = heads.groupby(kind).transform("sum") >= least
        if not kept.any():
            raise TableError(f"every kind has fewer than {least} rows; use fewer conditions, or a smaller number")
        return self._some(kept, rare=self.rare + int(heads[~kept].sum()))

    def save(self, path: str | Path) -> None:
        """Write a Parquet file, which `rulelab.tables.load` reads."""
        require_pyarrow("writing counts", TableError)
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns: dict[str, Any] = {f"feature {name}": self.features[name] for name in self.features.columns}
        if self.sensitive is not None:
            columns |= {f"group {name}": self.sensitive[name].astype(object) for name in self.sensitive.columns}
        columns |= {name: v for name, v in ((HEADS, self.heads), (TEST, self.test)) if v is not None}
        table = pa.table({**columns, "label": self.label, COUNT: self.rows})
        said = {
            "version": _VERSION,
            "conditions": [c.to_dict() for c in self.conditions],
            **{name: getattr(self, name) for name in ("target", "positive", "negative", "name", "engine", "seconds")},
            **{name: getattr(self, name) for name in ("without_target", "rare", "split")},
        }
        pq.write_table(table.replace_schema_metadata({_KEY: json.dumps(said).encode()}), path)


def as_rows(problem: Problem, counts: PatternCounts) -> Problem:
    """The problem of counts with as many rows as were counted, for itself and for its groups."""
    groups = problem.groups
    if groups is not None:
        known = (None, None) if counts.heads is None else _heads(counts, groups.names)
        groups = replace(groups, rows=known[0], squares=known[1])
    return replace(problem, n_rows=counts.n_rows, row_pattern=None, groups=groups)


def _heads(counts: PatternCounts, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Positive and negative rows of each group, and their squared weights as if all of a kind weighed the same."""
    assert counts.heads is not None
    group = pd.Series(group_labels(counts.sensitive, len(counts))).map(str)
    squares = counts.rows.astype(float) ** 2 / counts.heads.clip(lower=1)

    def by_class(number: pd.Series) -> np.ndarray:
        sums = (number.where(counts.label == side, 0).groupby(group).sum() for side in (1, 0))
        return np.stack([each.reindex(names, fill_value=0).to_numpy() for each in sums])

    rows, squared = by_class(counts.heads), by_class(squares)
    return rows.astype(np.int64), squared.astype(np.float64)


def load_counts(path: str | Path) -> PatternCounts:
    """Read counts that were saved; raises TableError, and OSError where the file cannot be read."""
    require_pyarrow("reading counts", TableError)
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = Path(path).name
    try:
        table = pq.read_table(path)
        said = json.loads((table.schema.metadata or {})[_KEY])
        if said.pop("version") not in _KNOWN:
            raise TableError(f"{name} was written by another version of rulelab")
        conditions = tuple(map(Condition.from_dict, said.pop("conditions")))
        columns = {column: table[column].to_pandas() for column in table.column_names}
        for column in (c for c in columns if c.startswith("feature ") and table.schema.field(c).type == pa.int64()):
            columns[column] = table[column].to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
        rows, label = columns.pop(COUNT), columns.pop("label")
        heads, test = columns.pop(HEADS, None), columns.pop(TEST, None)
        _check(rows, label, heads, test)
        return PatternCounts(
            features=pd.DataFrame(_starting(columns, "feature ")),
            label=label.rename(said["target"]),
            rows=rows,
            sensitive=pd.DataFrame(groups) if (groups := _starting(columns, "group ")) else None,
            conditions=conditions,
            heads=heads,
            test=test,
            **said,
        )
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(f"{name} holds no counts of rulelab, or is damaged") from error


def _check(rows: pd.Series, label: pd.Series, heads: pd.Series | None, test: pd.Series | None) -> None:
    numbers = rows.dtype == np.int64 or (rows.dtype == np.float64 and heads is not None and np.isfinite(rows).all())
    if not numbers or label.dtype != np.int64 or (rows <= 0).any() or not label.isin([0, 1]).all():
        raise TableError("the counts must be numbers above 0, whole unless rows are weighted, and the labels 0 or 1")
    if heads is not None and (heads.dtype != np.int64 or (heads < 0).any()):
        raise TableError("the numbers of rows must be whole and at least 0")
    if test is not None and test.dtype != np.bool_:
        raise TableError("what is kept out of training must be said by true and false")


def _starting(columns: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): values for name, values in columns.items() if name.startswith(prefix)}
