"""A call in a process of its own: it holds up no page, takes no more memory than it may, and leaves none behind.

Run as a module, this is the process. It imports what the function needs, and nothing of the page.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

MAX_BYTES = 3_000_000_000
"""Address space of the process, where the system can limit it."""
MAX_SECONDS = 300
"""Processor time of the process, where the system can limit it."""
NICENESS = 5
"""Of work beside the page, which goes first; with more, what somebody waits for starves beside the work of others."""
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_NUM_THREADS": "1"}
"""Every further one reserves address space."""


class NotDoneError(ValueError):
    """The process ended without an answer."""


def apart(
    work: Callable[..., Any],
    *arguments: Any,
    on_cancel: Callable[[Callable[[], Any]], Any] = lambda kill: None,
    most: int | None = None,
) -> Any:
    """What ``work(*arguments)`` gives, or raises, in another process.

    `work`: found by its module and name; that module should import little. `*arguments` are pickled, as the result is.
    `on_cancel` is given what ends the process at once; see `Progress.on_cancel`. `most`: bytes that the process may
    take beside those of its modules and of the arguments. NotDoneError when who cancelled it, or the system, ended the
    process. MemoryError when it needed more than `MAX_BYTES`, or ``most``.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,  # Ctrl-C is for the process that waits
        env=os.environ | _ONE_THREAD | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        on_cancel(process.kill)
        feeding = threading.Thread(target=_feed, args=(process.stdin, (work, arguments, most)), daemon=True)
        feeding.start()
        answer = pickle.load(process.stdout)
        feeding.join()
    except (EOFError, pickle.UnpicklingError):
        raise NotDoneError("it was ended before it was done") from None
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _feed(stream: IO[bytes], call: Any) -> None:
    try:
        with stream:
            pickle.dump(call, stream, protocol=pickle.HIGHEST_PROTOCOL)
    except OSError:
        return  # the process has ended, as the one that waits is about to see


def limit_resources(most_bytes: int = MAX_BYTES, seconds: int = MAX_SECONDS) -> None:
    """Be polite, and no danger to the memory of the server; where the system has no limits, none are set."""
    if sys.platform == "win32":
        return
    import resource

    os.nice(max(0, NICENESS - os.nice(0)))  # of a thread that gives way, its processes have that from the start
    _limit(resource.RLIMIT_AS, most_bytes)
    _limit(resource.RLIMIT_CPU, seconds)


def _limit(what: int, most: int) -> None:
    import resource

    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _keep_to(most: int) -> None:
    """Take no more than so much beside what there is; on Linux, which says how much that is."""
    if sys.platform.startswith("linux"):
        import resource

        status = Path("/proc/self/status").read_text(encoding="ascii")
        held = next(1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:"))
        _limit(resource.RLIMIT_DATA, held + most)


def _answer(stream: IO[bytes]) -> Any:
    try:
        work, arguments, most = pickle.load(stream)
        if most is not None:
            _keep_to(most)
        return work(*arguments)
    except Exception as error:  # noqa: BLE001 raised where it was called from
        return error


def main() -> None:
    """Read a call, do it, and write what came of it."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what the function prints is no answer
    limit_resources()
    pickle.dump(_answer(sys.stdin.buffer), out, protocol=pickle.HIGHEST_PROTOCOL)
    out.flush()


if __name__ == "__main__":
    main()
