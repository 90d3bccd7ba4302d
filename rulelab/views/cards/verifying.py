"""The independent check of a card's model, in a process of its own: it can take minutes, and can be cancelled."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...certificate import CertificateError
from ..live.job import Progress
from ..live.pool import Pool
from ..live.wording import count
from . import checker
from .card import BROWSER, KEPT, Card

CHECKS = Pool(max(1, (os.cpu_count() or 2) - 1))
"""The line in front of the processes that check."""


@dataclass(frozen=True)
class Verdict:
    """What the check says.

    Attributes
    ----------
    valid : bool
    reason : str
    checked : dict of str to int
        Counts of what was checked.
    seconds : float
        Of the check alone.
    """

    valid: bool
    reason: str
    checked: dict[str, int]
    seconds: float

    def __str__(self) -> str:
        counted = ", ".join(f"{count(n)} {what.replace('_', ' ')}" for what, n in self.checked.items())
        checked = f"; checked {counted} in {self.seconds:.1f} s" if counted else ""
        return f"{'valid' if self.valid else 'not valid'}: {self.reason}{checked}"


def refusal(card: Card) -> str:
    """Why there is nothing to check; empty when there is."""
    if card.origin == BROWSER:
        return "the search that found this model is gone since the page was loaded again; run it, and pin its model"
    if card.origin == KEPT:
        return (
            "the search of this kept run is gone; its proof, if one is kept, is in the zip archive, for rulelab verify"
        )
    if card.origin:
        return "the file holds a model and no certificate; pin the model from its search, or use rulelab verify"
    if card.search is None and card.proof is not None and card.proof.proven:
        return 'the search that proved this model was not kept; choose "all rows" under the plot to search again'
    if card.search is None:
        return "there is no certificate: the search had not proven this model optimal when it was pinned"
    if not hasattr(card.search, "certificate"):
        return "searches of this family make no certificates"
    return ""


def check(card: Card, progress: Progress) -> Verdict:
    """Make the certificate and check it.

    Raises
    ------
    ValueError
        When there is no certificate, or the check was cancelled or took too long.
    """
    if reason := refusal(card):
        raise CertificateError(reason)
    progress.report("starting the check")
    process = subprocess.Popen(
        [sys.executable, "-m", checker.__name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])},
    )
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(checker.MAX_SECONDS, end)
    timer.start()
    progress.on_cancel(process.kill)
    try:
        answer = _converse(process, card, progress)
    finally:
        timer.cancel()
        process.kill()
        process.wait()
    if answer is None or "error" in answer:
        progress.report("")
        if late.is_set():
            raise CertificateError(f"the check was not done after {checker.MAX_SECONDS} s")
        raise CertificateError("the check ended without an answer" if answer is None else answer["error"])
    return Verdict(**answer)


def _converse(process: Any, card: Card, progress: Progress) -> dict[str, Any] | None:
    """Hand the search over and follow what the process says; None when it ends without an answer."""
    try:
        with process.stdin as stream:
            pickle.dump((card.search, card.model), stream, protocol=pickle.HIGHEST_PROTOCOL)
    except BrokenPipeError:
        return None
    for line in process.stdout:
        said = json.loads(line)
        if "doing" not in said:
            return said
        progress.report(said["doing"])
    return None
