"""Runs without each of the bounds, or with one more of the paper's each time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pandas as pd

from ...ablation import ALIKE, STEPS, Variant, contradiction, nodes_of, of_the_paper, variants
from ...families.wording import at_most
from ...snapshot import Snapshot, Status
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
    """What an ablation has run and will run; ``added``: the paper's bounds are added one by one, none is left out."""

    def __init__(self, first: SearchSession, added: bool = False, guess: str = "") -> None:
        self.first = _of_the_paper(first) if added else first
        self.added, self._guess = added, guess
        self._variants: tuple[Variant, ...] = ()
        self._at = 0
        self._ended: list[tuple[str, Snapshot]] = []

    @property
    def begun(self) -> bool:
        """Whether a run has ended with something to show."""
        return bool(self._ended)

    @property
    def name(self) -> str:
        """What the present session goes without, in words."""
        return self._variants[self._at].name if self._variants else "as set"

    @property
    def place(self) -> str:
        """Which of how many it is."""
        of = f" of {len(self._variants)}" if self._variants else ""
        return f"{self._at + 1}{of}, {self.name}"

    def next(self, session: SearchSession) -> SearchSession | None:
        """The session after one that has ended; None: that was the last one. ValueError: nothing can be left out."""
        if session.snapshot is None:
            return None
        assert session.prepared is not None
        if not self._variants:
            self._variants = variants(session.prepared.search, self.added)
        self._ended.append((self.name, session.snapshot))
        if self._at + 1 == len(self._variants) or session.state is State.STOPPED:
            return None
        self._at += 1
        made, first = self._variants[self._at], self.first.prepared
        assert first is not None
        limits = Limits(seconds=self.first.limits.seconds)
        return SearchSession(
            lambda report: replace(first, search=made.of(first.search)), limits, FULL_SPEED, look=self.first.look
        )

    @property
    def wrong(self) -> str:
        """What is wrong with the proofs so far; empty: nothing."""
        return contradiction(self._ended)

    def frame(self) -> pd.DataFrame:
        """A row per run that has ended: variant and how it ended, nodes, nodes_factor: how many times the first's."""
        open_ = {name: f" (gap {at_most(last.gap)})" for name, last in self._ended if last.status is not Status.OPTIMAL}
        rows = [(name + open_.get(name, ""), nodes_of(each)) for name, each in self._ended]
        frame = pd.DataFrame(rows, columns=["variant", "nodes"])
        first = rows[0][1] if rows else 0
        return frame.assign(nodes_factor=frame["nodes"] / first if first else float("nan"))

    @property
    def said(self) -> str:
        """How it went."""
        proven = sum(each.status == "optimal" for _, each in self._ended)
        of = len(self._variants)
        ran = f"Ablation: {len(self._ended)} of {of} runs" if len(self._ended) < of else f"Ablation: all {of} runs"
        same = f"; {proven} proofs, all of the same objective" if proven > 1 and not self.wrong else ""
        end = self._answer if self.added else f"×: times the run as set; {ALIKE}."
        return f"{ran} have ended{same}. {end}"

    @property
    def _answer(self) -> str:
        """Which of the paper's bounds has saved most, and whether that was expected; empty before all have run."""
        first, *others = (snapshot for _, snapshot in self._ended)
        if len(others) < len(GUESSES):
            return ""
        all_proven = all(each.status is Status.OPTIMAL for _, each in self._ended)
        costs = [float(nodes_of(each)) if all_proven else each.gap for each in (*others, first)]
        saved = dict(zip(GUESSES, (before - after for before, after in pairwise(costs)), strict=True))
        most = max(saved, key=lambda name: saved[name])
        of = f"{saved[most]:.0f} prefixes" if all_proven else f"{saved[most]:.4f} of a gap of {costs[0]:.4f}"
        told = f"“{most}” has saved most here, {of}."
        if not self._guess:
            return told
        return f"{'Right' if most == self._guess else f'Not “{self._guess}”'}: {told}"
