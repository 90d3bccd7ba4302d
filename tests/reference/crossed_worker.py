"""Cases judged in a process of its own, so that one that never ends can be reported and ended."""

import multiprocessing
import sys
from pathlib import Path
from typing import Any, Self

FOLDER = str(Path(__file__).resolve().parent)
ESTIMATORS = "estimators"
ENDLESS = "endless"
TO_COMPILE = 240.0


class Worker:
    """Judges cases one after another; a new process takes over after one that had to be ended.

    Parameters
    ----------
    alarm : float
        Seconds that a case may take; the first of a family, which may have to compile, has some minutes more.
    """

    def __init__(self, alarm: float = 60.0) -> None:
        self.alarm = alarm
        self.known: set[str] = set()
        self.process: Any = None
        self.connection: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def outcome(self, family: str, seed: int, mutate: bool = False) -> Any:
        """The `crossed.Outcome` of a case; a case that does not end twice, or ends the process, is a finding.

        What took too long may have been compiling on a busy machine: then it is asked again, with time to compile.
        """
        first = self.ask(family, seed, mutate, self.alarm if family in self.known else self.alarm + TO_COMPILE)
        return self.ask(family, seed, mutate, self.alarm + TO_COMPILE) if first.status == ENDLESS else first

    def ask(self, family: str, seed: int, mutate: bool, allowed: float) -> Any:
        from crossed import Outcome

        if self.process is None:
            self.start()
        self.connection.send((family, seed, mutate))
        try:
            if self.connection.poll(allowed):
                self.known.add(family)
                return self.connection.recv()
            text, status = f"did not end within {allowed:g} s", ENDLESS
        except (EOFError, ConnectionResetError):
            text, status = "ended the process", "crash"
        self.close()
        return Outcome([text], [], status)

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other,), daemon=True)
        self.process.start()
        other.close()


def serve(connection: Any) -> None:
    """Judge whatever is asked for, until the other side is gone."""
    if FOLDER not in sys.path:
        sys.path.insert(0, FOLDER)
    while True:
        try:
            arguments = connection.recv()
        except EOFError:
            return
        connection.send(judged(*arguments))


def judged(family: str, seed: int, mutate: bool) -> Any:
    """The outcome of a case, in this process."""
    from crossed import Outcome, outcome
    from crossed_cases import case_of
    from crossed_estimators import outcome_of_fit

    try:
        return outcome_of_fit(seed) if family == ESTIMATORS else outcome(case_of(family, seed), mutate)
    except Exception as error:  # noqa: BLE001 - a case that cannot be judged is a finding, too
        return Outcome([f"{type(error).__name__}: {error}"], [], "broken")


def described(family: str, seed: int) -> str:
    """A case in a line."""
    from crossed_cases import case_of
    from crossed_estimators import fit_of

    if family != ESTIMATORS:
        return str(case_of(family, seed))
    case, balanced = fit_of(seed)
    return f"classifier of {case.family}, {case}{', balanced' if balanced else ''}"
