"""The log is written by a thread of its own, so that one whom nobody reads holds up neither pages nor searches."""

from __future__ import annotations

import io
import logging
import os
import threading
from collections import deque
from typing import TextIO

_MOST_WAITING = 2000
_END_SECONDS = 2.0
_LEFT_OUT = "%d events were left out here: nobody has read the log for a while"


class Writing(logging.Handler):
    """Hands each event to a thread that writes it; those that find no room any more are left out, and counted."""

    def __init__(self, stream: TextIO, most: int = _MOST_WAITING) -> None:
        super().__init__()
        self._stream, self._most = stream, most
        self._waiting: deque[str] = deque()
        self._left_out, self._busy = 0, False
        self._changed = threading.Condition()
        threading.Thread(target=self._write, name="rulelab log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        try:
            text = self.format(record)
        except Exception:  # noqa: BLE001 as all handlers do
            self.handleError(record)
            return
        with self._changed:
            if len(self._waiting) >= self._most:
                self._left_out += 1
                return
            self._waiting.append(text)
            self._changed.notify_all()

    def flush(self) -> None:
        """Wait until all is written, but not for ever."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting and not self._busy, _END_SECONDS)

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                self._busy = True
                texts = [*self._waiting]
                self._waiting.clear()
                left_out, self._left_out = self._left_out, 0
            if left_out:
                said = logging.LogRecord(__name__, logging.WARNING, __file__, 0, _LEFT_OUT, (left_out,), None)
                texts.append(self.format(said))
            put("".join(f"{text}\n" for text in texts), self._stream)
            with self._changed:
                self._busy = False
                self._changed.notify_all()


def put(text: str, stream: TextIO) -> None:
    """Write at once, past buffers whose lock nobody could take when the process ends while this waits."""
    try:
        number = stream.fileno()
    except (AttributeError, OSError, io.UnsupportedOperation):
        stream.write(text)
        return
    left = memoryview(text.encode("utf-8", "backslashreplace"))
    while left:
        try:
            left = left[os.write(number, left) :]
        except OSError:
            return  # nobody can read it any more
