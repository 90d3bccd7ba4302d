"""A run from a file: a session that is over, with a history and a tree, but without the engine.

A kept run may have its rows again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from ...models import MultiClassRuleList
from ...recording import Recording
from ...report.known import training_classes
from ...snapshot import Snapshot
from ..allowance import take_memory
from ..widgets.esc import plain
from .job import Job
from .prepared import Prepared, Source
from .session import SearchSession
from .state import FULL_SPEED, History, Limits, State, relabelled

_UNKNOWN = "the rows of this run are not known here any more"
_OTHERS = "the rows are others than those of this run, or conditions are made of them in another way"
_LACKING = "No Edit, no One person and no Alternatives: {}. Run searches anew."


class RecordedSearch:
    """What is known of the search that was recorded: its family, its parameters, and how much its rows weigh."""

    compiled = True

    def __init__(self, recording: Recording, card: Any = None) -> None:
        self.recording, self.family = recording, recording.family
        self.parameters = {**recording.parameters, "fairness": None}  # the criterion has become a text
        self.fair = recording.parameters.get("fairness") is not None  # whether it met a criterion of fairness
        self.kind = "least_gap" if "criterion" in recording.parameters else ""
        model = next((each.incumbent.model for each in recording.snapshots if each.incumbent is not None), None)
        weight = 0.0 if model is None else model.weight
        rows, antecedents = (_number(card, name) for name in ("training rows", "antecedents"))
        among = antecedents or "the conditions of its search"  # how many they were may not be known
        asked = {"left_out": recording.left_out, "directions": recording.directions, "row_pattern": None}
        self.problem: Any = SimpleNamespace(
            total_weight=weight, total_positive=weight, n_antecedents=among, n_rows=rows, **asked
        )
        self.conditions, self.violation_penalty = map(self.parameters.get, ("max_conditions", "violation_penalty"))
        classes = () if model is None or isinstance(model, MultiClassRuleList) else training_classes(model)
        self.accounted = bool(antecedents) and len(classes) == 2 and not self.fair  # whether models can be counted
        if self.accounted:
            self.problem.negatives, self.problem.positives = map(np.array, classes)


def _number(card: Any, fact: str) -> int | None:
    """A number among the facts of a card."""
    told = "" if card is None else "".join(filter(str.isdigit, card.data.get(fact, "")))
    return int(told) if told else None


class RecordedSession(SearchSession):
    """A session to look at, with the card of the model at its end; ValueError when nothing was recorded.

    `source` makes a search of the rows again, beside the page.
    """

    recorded: ClassVar[bool] = True
    resumable = False

    def __init__(
        self, recording: Recording, name: str, look: str, card: Any = None, source: Source | None = None
    ) -> None:
        self.card, self.called = card, f"Recording {name}" if card is None else f"Kept run, {name}"
        if not recording.snapshots:
            raise ValueError(f"{name} holds no moment of a search")
        search: Any = RecordedSearch(recording, card)
        if card is None:
            prepared = Prepared(search, name=name, notes=(f"Recording: {name}. It holds no rows.",))
        else:
            labels = None if isinstance(card.model, MultiClassRuleList) else (*card.named.classes,)
            kept: dict[str, Any] = {"classes": card.classes}
            if card.rows is not None:
                kept = {"data": card.rows.weighted, "test_rows": card.rows.test}
            prepared = Prepared(search, labels, card.target, name, fewer=card.fewer, **kept)
        super().__init__(lambda report: prepared, Limits(), FULL_SPEED, look=look)
        self.history = History(max(2, len(recording.snapshots)))
        for snapshot in recording.snapshots:
            self.history.append(snapshot)
        self.snapshot: Snapshot = recording.snapshots[-1]
        self.prepared = prepared
        self.state = State.ENDED
        self._again = None
        if card is not None and source is not None:
            self._again = Job(lambda progress: self._made(source, progress.report))

    @property
    def workshop(self) -> tuple[Prepared, Snapshot] | str | None:
        if self._again is not None:
            error = self._again.error
            return _LACKING.format(plain(error, 300).rstrip(".")) if error else self._again.result
        return "" if self.card is None else _LACKING.format(_UNKNOWN)

    def _made(self, source: Source, report: Callable[[str], None]) -> tuple[Prepared, Snapshot]:
        """A search of the same rows, and the end in its labels; ValueError where they are not the same."""
        take_memory()
        prepared = source(report)
        problem, proof = prepared.search.problem, self.card.model.provenance
        if proof is not None and proof.data not in (None, problem.fingerprint):
            raise ValueError(_OTHERS)
        (end,) = relabelled([self.snapshot], None if prepared.labels is None else problem.classes)
        return replace(prepared, card=self.card), end

    def close(self) -> None:
        super().close()
        if self._again is not None:
            self._again.cancel()

    def run(self) -> None:
        """Nothing: it has ended."""

    step = pause = stop = run

    def recording(self) -> Recording:
        return self.prepared.search.recording  # type: ignore[union-attr]
