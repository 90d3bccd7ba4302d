"""A run from a file: a session that is over, with a history and a tree, but without the engine.

A kept run may have its rows again.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from ...models import MultiClassRuleList
from ...recording import Recording
from ...report.known import training_classes
from ...snapshot import Snapshot
from .history import History
from .prepared import Prepared
from .session import SearchSession
from .state import FULL_SPEED, Limits, State


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
        self.conditions = self.parameters.get("max_conditions")
        classes = () if model is None or isinstance(model, MultiClassRuleList) else training_classes(model)
        self.accounted = bool(antecedents) and len(classes) == 2 and not self.fair
        """Whether enough is known to say how many models there were."""
        if self.accounted:
            self.problem.negatives, self.problem.positives = map(np.array, classes)


def _number(card: Any, fact: str) -> int | None:
    """A number among the facts of a card."""
    told = "" if card is None else "".join(filter(str.isdigit, card.data.get(fact, "")))
    return int(told) if told else None


class RecordedSession(SearchSession):
    """A session to look at, with the card of the model at its end; ValueError when nothing was recorded."""

    recorded: ClassVar[bool] = True
    resumable = False

    def __init__(self, recording: Recording, name: str, look: str, card: Any = None) -> None:
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

    def run(self) -> None:
        """Nothing: it has ended."""

    step = pause = stop = run

    def recording(self) -> Recording:
        return self.prepared.search.recording  # type: ignore[union-attr]
