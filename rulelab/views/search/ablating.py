"""Runs without each of the bounds, or with one more of the paper's each time."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pandas as pd

from ...ablation import ALIKE, AS_SET, STEPS, Ablation, Outcome, of_the_paper
from ...families.wording import at_most
from ...snapshot import Status
from ..live.prepared import Prepared
from ..live.session import SearchSession
from ..live.state import FULL_SPEED, Limits, State

MOST_SECONDS = 5.0
"""Of a run of the paper's search, which without its strongest bounds needs hours."""
GUESSES = tuple(STEPS)[1:]


def _of_the_paper(first: SearchSession) -> SearchSession:
    """A session of the paper's search for the same list as one that has not begun."""

    def prepare(report: Any) -> Prepared:
        prepared = first.source(report)
        return replace(prepared, search=of_the_paper(prepared.search))

    seconds = min(first.limits.seconds or MOST_SECONDS, MOST_SECONDS)
    return SearchSession(prepare, Limits(seconds=seconds), FULL_SPEED, look=first.look)


class Ablating:
    """An ablation whose runs are sessions; ``added``: the paper's bounds are added one by one, none is left out."""

    def __init__(self, first: SearchSession, added: bool = False, guess: str = "") -> None:
        self.first = _of_the_paper(first) if added else first
        self.added, self._guess = added, guess
        self.done: Ablation | None = None  # what has ended with something to show

    @property
    def place(self) -> str:
        """Which run the present one is, of how many, and what it goes without."""
        if self.done is None:
            return f"1, {AS_SET}"
        at, variants = len(self.done.outcomes), self.done.variants
        return f"{at + 1} of {len(variants)}, {variants[at].name}"

    def next(self, session: SearchSession) -> SearchSession | None:
        """The session after one that has ended; None: that was the last one. ValueError: nothing can be left out."""
        first, last = self.first.prepared, session.snapshot
        if first is None or last is None or session.state is State.FAILED:
            return None
        if self.done is None:
            self.done = Ablation(first.search, self.added)
        variants, outcomes = self.done.variants, self.done.outcomes
        outcomes.append(Outcome(variants[len(outcomes)], last, math.nan))
        if len(outcomes) == len(variants) or session.state is State.STOPPED:
            return None
        made, limits = variants[len(outcomes)], Limits(seconds=self.first.limits.seconds)
        return SearchSession(
            lambda report: replace(first, search=made.of(first.search)), limits, FULL_SPEED, look=self.first.look
        )

    def frame(self) -> pd.DataFrame:
        """That of the ablation; variants that were not proven say their gap."""
        assert self.done is not None
        frame = self.done.frame
        told = zip(frame["variant"], frame["status"], frame["gap"], strict=True)
        names = [name if status == Status.OPTIMAL else f"{name} (gap {at_most(gap)})" for name, status, gap in told]
        return frame.assign(variant=names)

    @property
    def said(self) -> str:
        """How it went."""
        assert self.done is not None
        ended, of = self.done.outcomes, len(self.done.variants)
        proven = sum(each.snapshot.status is Status.OPTIMAL for each in ended)
        ran = f"Ablation: {len(ended)} of {of} runs" if len(ended) < of else f"Ablation: all {of} runs"
        same = f"; {proven} proofs, all of the same objective" if proven > 1 and not self.done.contradiction else ""
        end = f"×: times the run as set; {ALIKE}."
        if self.added:
            end = self._answer(self.done.frame) if len(ended) == of else ""
        return f"{ran} have ended{same}. {end}"

    def _answer(self, frame: pd.DataFrame) -> str:
        """Which of the paper's bounds has saved most, and whether that was expected."""
        all_proven = bool((frame["status"] == Status.OPTIMAL).all())
        first, *others = frame["nodes" if all_proven else "gap"].astype(float)
        saved = dict(zip(GUESSES, (before - after for before, after in pairwise([*others, first])), strict=True))
        most = max(saved, key=lambda name: saved[name])
        of = f"{saved[most]:.0f} prefixes" if all_proven else f"{saved[most]:.4f} of a gap of {others[0]:.4f}"
        told = f"“{most}” has saved most here, {of}."
        if not self._guess:
            return told
        return f"{'Right' if most == self._guess else f'Not “{self._guess}”'}: {told}"
