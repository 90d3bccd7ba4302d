"""What is found out of a search that has ended, called in a process of its own: it imports little, to begin at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...certificate import verify
from ...models import Model
from ...multiclass import MultiClassCertificate
from ...report import Withstood
from ..live.apart import limit_resources
from ..live.wording import count

MAX_SECONDS = 900
ROBUSTNESS_SECONDS = 20  # that a list's robustness is searched for; what is proven by then is said
MAX_BYTES = 4_000_000_000  # address space that the check may use, where the system can limit it


@dataclass(frozen=True)
class Verdict:
    """What the check says."""

    valid: bool
    reason: str
    checked: dict[str, int]  # counts of what was checked
    seconds: float  # of the check alone

    @property
    def tone(self) -> str:
        """Of the line that says it."""
        return "proven" if self.valid else "failed"

    def __str__(self) -> str:
        counted = ", ".join(f"{count(n)} {what.replace('_', ' ')}" for what, n in self.checked.items())
        took = f"{self.seconds:.1f} s" if self.seconds >= 0.1 else "less than 0.1 s"
        checked = f"; checked {counted} in {took}" if counted else ""
        return f"{'valid' if self.valid else 'not valid'}: {self.reason}{checked}"


def checked(search: Any, model: Model) -> Verdict:
    """The independent check of the certificate that a search makes."""
    limit_resources(MAX_BYTES, MAX_SECONDS)
    certificate = search.certificate()
    several = isinstance(certificate, MultiClassCertificate)
    found = certificate.check(search.problem, model) if several else verify(search.problem, model, certificate)
    return Verdict(found.valid, found.reason, dict(found.checked), found.seconds)


def withstood(search: Any, model: Model) -> Withstood:
    """How many rows may change before another list than the optimum wins."""
    from ...rule_list import RobustnessSearch
    from ...stepping import solve

    limit_resources(MAX_BYTES, MAX_SECONDS)
    asked = RobustnessSearch(search, memory_limit=MAX_BYTES // 4)
    return Withstood.of(asked, solve(asked, time_limit=ROBUSTNESS_SECONDS))
