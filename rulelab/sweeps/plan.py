"""What all fits of a sweep share: the rows, or their counts, folds, groups of people, the limits of one fit."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from ..arguments import SweepError, SweepParameterError, is_least, is_whole
from ..data.metrics import FEW, group_labels
from ..datasets import Dataset
from ..tables import PatternCounts

BALANCE = "balance"
_COMPAS_POSITIVE = ("Medium", "High")


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows, with labels as bool and groups, if any; of counted rows, which have ``counts``, one of each kind."""

    X: pd.DataFrame
    y: np.ndarray
    groups: np.ndarray | None
    rows: np.ndarray
    counts: PatternCounts | None = None

    @property
    def weight(self) -> np.ndarray | None:
        """How much each row counts; None: all alike."""
        return None if self.counts is None else self.counts.rows.to_numpy()

    @property
    def heads(self) -> np.ndarray | None:
        """How many rows there are of each kind; None: one."""
        counts = self.counts
        return None if counts is None else (counts.rows if counts.heads is None else counts.heads).to_numpy()

    def total(self, positive: bool) -> int | float:
        """How much the rows of a class count."""
        of = self.y if positive else ~self.y
        return int(of.sum()) if self.weight is None else self.weight[of].sum().item()


@dataclass(eq=False)
class Fold:
    """The training and the test rows of one fold, and the latest thing of each kind that was made of them."""

    index: int
    train: Part
    test: Part
    compared: tuple[str, ...] = ()
    _made: dict[str, tuple[Any, Any]] = field(default_factory=dict, repr=False)

    def cached(self, kind: str, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` returns; not made again while the same key is asked for."""
        if kind not in self._made or self._made[kind][0] != key:
            self._made.pop(kind, None)
            self._made[kind] = (key, make())
        return self._made[kind][1]


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything a worker needs besides the parameters of a fit."""

    X: pd.DataFrame  # DataFrame, shape (n_rows, n_features)
    y: np.ndarray  # bool array, shape (n_rows,)
    groups: np.ndarray | None  # object array of labels, shape (n_rows,), or None
    compared: tuple[str, ...]  # the groups that gaps compare and that fairness constraints are about
    score: np.ndarray | None
    """Bool array, shape (n_rows,), or None: prediction of the COMPAS score, where the data set has one."""
    fold_of: np.ndarray  # int array, shape (n_rows,): the fold that tests each row; -1 for rows that none does
    resample: str | None
    """Or "balance": the training rows of the rarer class are drawn again until both classes have as many."""
    random_state: int
    # time_limit, gap: of one fit; see `rulelab.steps`
    time_limit: float | None
    gap: float
    identity: dict[str, Any]  # what results must have in common with this plan to be of use for it; see `ResultsFile`
    counts: PatternCounts | None = None  # where rows were counted; a row above is a kind of rows then
    token: str = field(default_factory=lambda: os.urandom(8).hex())

    @property
    def n_folds(self) -> int:
        return max(1, int(self.fold_of.max()) + 1)

    @property
    def limits(self) -> dict[str, Any]:
        """The limits of each fit, as results have them."""
        return {"time_limit": self.time_limit, "gap": self.gap}

    @property
    def tested(self) -> bool:
        """Whether any rows are kept out of training."""
        return bool((self.fold_of >= 0).any())

    @property
    def split(self) -> str:
        """How rows are dealt to training and test, in words."""
        test = int((self.fold_of >= 0).sum())
        if not test:
            return "no rows are kept out for the test"
        if self.counts is not None:
            return self.counts.split
        if test == len(self.y):
            return f"{self.n_folds} folds, seed {self.random_state}"
        return f"{test} of {len(self.y)} rows are kept out for the test, at random"

    def fold(self, index: int) -> Fold:
        """The rows of one fold, resampled as asked; the same whenever it is called."""
        test = np.flatnonzero(self.fold_of == index)
        train = np.flatnonzero(self.fold_of != index)
        if self.resample == BALANCE:
            train = _balanced(train, self.y, np.random.default_rng([self.random_state, index]))
        return Fold(index, self._part(train), self._part(test), self.compared)

    def _part(self, rows: np.ndarray) -> Part:
        groups = None if self.groups is None else self.groups[rows]
        counts = None if self.counts is None else self.counts.only(np.isin(np.arange(len(self.y)), rows))
        return Part(self.X.iloc[rows].reset_index(drop=True), self.y[rows], groups, rows, counts)


def make_plan(
    dataset: Dataset,
    cv: int | StratifiedShuffleSplit,
    sensitive: str | Sequence[str] | None,
    resample: str | None,
    random_state: int,
    time_limit: float | None,
    gap: float,
    compared: Sequence[str] | None = None,
) -> Plan:
    """Check the arguments of a sweep that do not depend on the family, and deal rows to folds; raises SweepError."""
    if dataset.weight is not None:
        raise SweepError(
            f"a sweep counts every row alike, but the rows of {dataset.name} have weights; "
            "give that column another role, or none"
        )
    y = dataset.y.to_numpy() == 1
    fold_of = _dealt(y, cv, random_state, time_limit, gap)
    if resample not in (None, BALANCE):
        raise SweepParameterError("resample", resample, f"None or {BALANCE!r}")
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive or ())
    groups = groups_of(dataset, names) if names else None
    chosen = compared_groups(groups, y, compared)
    asked = {"resample": resample, "random_state": random_state, "time_limit": time_limit, "gap": gap}
    dealt = str(cv) if isinstance(cv, StratifiedShuffleSplit) else cv
    score = None
    if dataset.extra is not None and "score_text" in dataset.extra:
        score = dataset.extra["score_text"].isin(_COMPAS_POSITIVE).to_numpy(dtype=bool)
    more = fold_of.astype("<i8").tobytes(), dataset.X.dtypes, *([] if score is None else [score.tobytes()])
    known = dataset.name, dealt, names, _digest(*more)  # what equal values can differ in
    return _plan(known, dataset.X, y, groups=groups, compared=chosen, fold_of=fold_of, score=score, **asked)


def _plan(known: tuple[str, Any, list[str], str], X: pd.DataFrame, y: np.ndarray, **given: Any) -> Plan:
    """The plan, with what tells its rows and folds from others: the name, how they are dealt, attributes, a digest."""
    (name, dealt, attributes, rows), groups = known, given["groups"]
    values = pd.util.hash_pandas_object(X, index=False).to_numpy().astype("<u8").tobytes()
    identity = {
        "dataset": name,
        "data": _digest(X.columns, values, y.tobytes(), *([] if groups is None else [groups.tolist()])),
        "cv": dealt,
        "random_state": given["random_state"],
        "resample": given["resample"],
        "sensitive": attributes,
        "groups": list(given["compared"]),
        "rows": rows,
    }
    return Plan(X=X.reset_index(drop=True), y=y, identity=identity, **given)


def _dealt(y: np.ndarray, cv: Any, random_state: Any, time_limit: Any, gap: Any) -> np.ndarray:
    """The fold that tests each row, -1 where one split has it for training; raises SweepError."""
    smallest = min(int(y.sum()), int((~y).sum()))
    fold_of = np.full(len(y), -1, dtype=np.int64)
    whole, split = is_whole(cv, 0) and cv == 0, isinstance(cv, StratifiedShuffleSplit)
    n_folds = 2 if whole or split else cv
    check_numbers(n_folds, random_state, time_limit, gap)
    if whole:
        if not smallest:
            raise SweepError("all rows are of one class; a sweep needs rows of both")
        return fold_of
    if split and (cv.get_n_splits() != 1 or cv.random_state is None):
        raise SweepParameterError("cv", cv, "one split, n_splits=1, with a random_state that can make it again")
    splitter = cv if split else StratifiedKFold(cv, shuffle=True, random_state=random_state)
    if n_folds > smallest:
        raise SweepError(f"cv is {cv}, but the rarer class has only {smallest} rows; every fold needs one of them")
    for index, (_, test) in enumerate(splitter.split(np.zeros((len(y), 1)), y)):
        fold_of[test] = index
    if any(np.unique(y[fold_of == side]).size < 2 for side in np.unique(fold_of)):
        raise SweepError(f"the rarer class has only {smallest} rows; training and test rows both need one of them")
    return fold_of


def compared_groups(
    groups: np.ndarray | None, y: np.ndarray, asked: Sequence[str] | None, rows: np.ndarray | None = None
) -> tuple[str, ...]:
    """The groups asked for, else those with enough rows of both classes, else all; ``rows`` says how many each is."""
    if groups is None:
        if asked:
            raise SweepError("groups were named, but no sensitive attribute; give sensitive=... too")
        return ()
    names = sorted(set(groups.tolist()))
    if asked is not None:
        chosen = [str(name) for name in asked]
        unknown = [name for name in chosen if name not in names]
        if unknown or len(set(chosen)) < 2:
            what = f"{unknown[0]!r} is none of them" if unknown else "name at least two to compare"
            raise SweepError(f"the groups are {', '.join(map(repr, names[:20]))}; {what}")
        return tuple(dict.fromkeys(chosen))
    rows = np.ones(len(y), dtype=np.int64) if rows is None else rows
    sizes = {name: [rows[side & (groups == name)].sum() for side in (y, ~y)] for name in names}
    enough = [name for name in names if min(sizes[name]) >= FEW]
    return tuple(enough if len(enough) > 1 else names)


def check_numbers(cv: Any, random_state: Any, time_limit: Any, gap: Any) -> None:
    """Refuse numbers that are none; raises SweepError."""
    if not is_whole(cv, 2):
        raise SweepParameterError("cv", cv, "a whole number of folds, at least 2, or 0 to keep no rows out")
    if not is_whole(random_state, 0):
        raise SweepParameterError("random_state", random_state, "a whole number, so that the folds can be made again")
    if time_limit is not None and not is_least(time_limit, 0):
        raise SweepParameterError("time_limit", time_limit, "seconds >= 0 for one fit, or None")
    if not is_least(gap, 0):
        raise SweepParameterError("gap", gap, "a number >= 0")


def groups_of(dataset: Dataset, names: list[str]) -> np.ndarray:
    """The group of each row by these attributes; raises SweepError."""
    known = [] if dataset.sensitive is None else list(dataset.sensitive.columns)
    unknown = [name for name in names if name not in known]
    if unknown:
        those = f"those of {dataset.name} are {', '.join(map(repr, known))}" if known else f"{dataset.name} has none"
        raise SweepError(f"there is no sensitive attribute {unknown[0]!r}; {those}")
    assert dataset.sensitive is not None
    try:
        return group_labels(dataset.sensitive[names], len(dataset.y))
    except ValueError as error:
        raise SweepError(f"{' and '.join(names)}: {error}") from None


def _balanced(rows: np.ndarray, y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    positives, negatives = rows[y[rows]], rows[~y[rows]]
    rarer = positives if len(positives) < len(negatives) else negatives
    again = random.choice(rarer, size=abs(len(positives) - len(negatives)), replace=True)
    return np.concatenate([rows, np.sort(again)])


def _digest(*parts: bytes | Iterable[Any]) -> str:
    """A hash of bytes and of texts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else "\x1f".join(map(str, part)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def counted_plan(
    counts: PatternCounts,
    cv: int | None,
    sensitive: str | Sequence[str] | None,
    resample: str | None,
    random_state: int,
    time_limit: float | None,
    gap: float,
    compared: Sequence[str] | None = None,
) -> Plan:
    """The plan of a sweep over counts: one fold, of the rows that they keep out of training; raises SweepError."""
    check_numbers(2, random_state, time_limit, gap)
    whole = is_whole(cv, 0) and cv == 0
    if counts.test is None and not whole:
        raise SweepError(
            f"the counts of {counts.name} keep no rows for the test; count with rl.tables.Split, or call "
            "counts.split_at_random(share), or let cv be 0: no rows for the test"
        )
    if cv is not None and not whole:
        raise SweepError(
            f"cv is {cv!r}, but counted rows cannot be dealt to folds any more; leave it out: the test rows are those "
            f"that the counts keep out ({counts.split})"
        )
    if resample is not None:
        raise SweepError(f"resample is {resample!r}, but counted rows are not drawn again; leave it out")
    y = counts.label.to_numpy() == 1
    if whole:
        counts = replace(counts, test=None, split="")
    test = np.zeros(len(y), dtype=bool) if counts.test is None else counts.test.to_numpy()
    for side, words in ((~test, "training rows"), *([] if whole else [(test, "rows kept out for the test")])):
        if not y[side].any() or y[side].all():
            only = counts.positive if y[side].any() else counts.negative
            raise SweepError(f"all {words} of {counts.name} are {only!r}; take another split")
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive or ())
    groups = groups_of(counts.dataset(), names) if names else None
    heads = (counts.rows if counts.heads is None else counts.heads).to_numpy()
    chosen = compared_groups(groups, y, compared, heads)
    people = None if counts.sensitive is None or not names else counts.sensitive[names]
    asked = {"resample": None, "random_state": random_state, "time_limit": time_limit, "gap": gap}
    dealt = {"fold_of": np.where(test, 0, -1), "score": None, "counts": replace(counts, sensitive=people)}
    columns = [each for each in (counts.test, counts.rows, counts.heads) if each is not None]
    more = (repr(each.to_dict()) for each in counts.conditions), *(each.to_numpy().tobytes() for each in columns)
    known = counts.name, counts.split, names, _digest(*more)  # what equal kinds can differ in
    return _plan(known, counts.features, y, groups=groups, compared=chosen, **asked, **dealt)
