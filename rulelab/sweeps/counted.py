"""Sweeps over rows that were counted where they lie: the counts say which of them are for the test."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..tables import PatternCounts
from .errors import SweepError
from .plan import Plan, check_numbers, compared_groups, digest_of, groups_of


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
    """The plan of a sweep over counts: one fold, of the rows that they keep out of training.

    Raises
    ------
    SweepError
        Without a split, with folds or resampling, which take rows, or when a class is on one side alone.
    """
    check_numbers(2, random_state, time_limit, gap)
    if counts.test is None:
        raise SweepError(
            f"the counts of {counts.name} keep no rows for the test; count with rl.tables.Split, or call "
            "counts.split_at_random(share)"
        )
    if cv is not None:
        raise SweepError(
            f"cv is {cv!r}, but counted rows cannot be dealt to folds any more; leave it out: the test rows are those "
            f"that the counts keep out ({counts.split})"
        )
    if resample is not None:
        raise SweepError(f"resample is {resample!r}, but counted rows are not drawn again; leave it out")
    y, test = counts.label.to_numpy() == 1, counts.test.to_numpy()
    for side, words in ((~test, "training rows"), (test, "rows kept out for the test")):
        if not y[side].any() or y[side].all():
            only = counts.positive if y[side].any() else counts.negative
            raise SweepError(f"all {words} of {counts.name} are {only!r}; take another split")
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive or ())
    groups = groups_of(counts.dataset(), names) if names else None
    heads = (counts.rows if counts.heads is None else counts.heads).to_numpy()
    chosen = compared_groups(groups, y, compared, heads)
    people = None if counts.sensitive is None or not names else counts.sensitive[names]
    return Plan(
        X=counts.features.reset_index(drop=True),
        y=y,
        groups=groups,
        compared=chosen,
        score=None,
        fold_of=np.where(test, 0, -1),
        resample=None,
        random_state=random_state,
        time_limit=time_limit,
        gap=gap,
        identity={
            "dataset": counts.name,
            "data": digest_of(counts.features, y, groups),
            "cv": counts.split,
            "random_state": random_state,
            "resample": None,
            "sensitive": names,
            "groups": list(chosen),
            "rows": _digest_of_counts(counts),
        },
        counts=replace(counts, sensitive=people),
    )


def _digest_of_counts(counts: PatternCounts) -> str:
    """Of the sides, the numbers of rows, and the conditions: what equal kinds can differ in."""
    digest = hashlib.sha256("\x1f".join(repr(c.to_dict()) for c in counts.conditions).encode("utf-8", "surrogatepass"))
    for values in (counts.test, counts.rows, counts.heads):
        if values is not None:
            digest.update(np.ascontiguousarray(values.to_numpy()).tobytes())
    return digest.hexdigest()
