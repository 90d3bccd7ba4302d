"""The process that checks a certificate or the robustness of a list: reads a pickled task, writes lines of JSON.

It imports little, so that it begins at once.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from ...certificate import CertificateError, verify
from ...data.problem_arguments import ProblemError
from ...models import Model
from ...multiclass import MultiClassCertificate
from ..live.apart import limit_resources

MAX_SECONDS = 900
ROBUSTNESS_SECONDS = 20
"""That a list's robustness is searched for; what is proven by then is said."""
MAX_BYTES = 4_000_000_000
"""Address space that the check may use, where the system can limit it."""


def _answer(stream: BinaryIO) -> dict[str, Any]:
    task, search, model = pickle.load(stream)
    try:
        return _TASKS[task](search, model)
    except (CertificateError, ProblemError) as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"the check needs more than {MAX_BYTES / 1e9:g} GB"}


def _verify(search: Any, model: Model) -> dict[str, Any]:
    _say({"doing": "making the certificate"})
    certificate = search.certificate()
    _say({"doing": f"checking the certificate ({certificate.nbytes / 1e6:.1f} MB)"})
    several = isinstance(certificate, MultiClassCertificate)
    found = certificate.check(search.problem, model) if several else verify(search.problem, model, certificate)
    return {"valid": found.valid, "reason": found.reason, "checked": dict(found.checked), "seconds": found.seconds}


def _robustness(search: Any, model: Model) -> dict[str, Any]:
    from ...rule_list import RobustnessSearch
    from ...search import solve

    asked = RobustnessSearch(search, memory_limit=MAX_BYTES // 4)
    if not asked.compiled:
        _say({"doing": "compiling"})
    _say({"doing": "comparing the lists near the optimum"})
    solve(asked, time_limit=ROBUSTNESS_SECONDS)
    known = asked.robustness
    if known is None:
        return {"error": "the list is not known to be optimal"}
    return {
        "rows": int(search.problem.total_weight),
        "withstands": {each.change: each.withstands for each in known.changes},
        "breaks": {each.change: each.breaks for each in known.changes},
        "ties": known.ties,
    }


_TASKS: dict[str, Callable[[Any, Model], dict[str, Any]]] = {"verify": _verify, "robustness": _robustness}


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    limit_resources(MAX_BYTES, MAX_SECONDS)  # also should the page have died
    _say(_answer(sys.stdin.buffer))
