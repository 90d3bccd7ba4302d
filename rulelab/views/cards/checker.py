"""The process that makes a certificate and checks it: reads a pickled search and model, writes lines of JSON.

It imports little, so that it begins at once.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from typing import Any, BinaryIO

from ...certificate import CertificateError, verify

MAX_SECONDS = 900
MAX_BYTES = 4_000_000_000
"""Address space that the check may use, where the system can limit it."""
_NICENESS = 10


def _answer(stream: BinaryIO) -> dict[str, Any]:
    search, model = pickle.load(stream)
    try:
        _say({"doing": "making the certificate"})
        certificate = search.certificate()
        _say({"doing": f"checking the certificate ({certificate.nbytes / 1e6:.1f} MB)"})
        found = verify(search.problem, model, certificate)
    except CertificateError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"the check needs more than {MAX_BYTES / 1e9:g} GB"}
    return {"valid": found.valid, "reason": found.reason, "checked": dict(found.checked), "seconds": found.seconds}


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _limit_resources() -> None:
    """Be polite, and no danger to the memory of the server; where the system has no limits, none are set."""
    if sys.platform != "win32":
        import resource

        os.nice(_NICENESS)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = MAX_BYTES if most == resource.RLIM_INFINITY else min(MAX_BYTES, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))  # should the page have died


if __name__ == "__main__":
    _limit_resources()
    _say(_answer(sys.stdin.buffer))
