"""What the server writes about itself: one line per event, and no text of users as it came."""

from __future__ import annotations

import io
import json
import logging
import os
import queue
import sys
import threading
import time
from logging.handlers import QueueHandler
from typing import Any, TextIO

_MOST_WAITING = 2000
_END_SECONDS = 2.0
_LEFT_OUT = "%d events were left out here: nobody has read the log for a while"
FIELDS = "fields"
"""The attribute of a record with what is known beside its message, as a dict of plain values."""
_MOST_CHARACTERS = 20_000
_LIBRARIES = ("panel", "bokeh", "tornado")


class Writing(QueueHandler):
    """Hands each event to a thread that writes it, so that a log that nobody reads holds up neither pages nor searches.

    Those that find no room any more are left out, and counted.
    """

    def __init__(self, stream: TextIO, most: int = _MOST_WAITING) -> None:
        self._events: queue.Queue[str] = queue.Queue(most)
        super().__init__(self._events)
        self._stream, self._left_out = stream, 0
        threading.Thread(target=self._write, name="rulelab log", daemon=True).start()

    def prepare(self, record: logging.LogRecord) -> str:
        """What waits: a text, as what a record refers to may change."""
        return self.format(record)

    def enqueue(self, text: Any) -> None:
        try:
            self._events.put_nowait(text)
        except queue.Full:
            self._left_out += 1

    def flush(self) -> None:
        """Wait until all is written, but not for ever."""
        with self._events.all_tasks_done:
            self._events.all_tasks_done.wait_for(lambda: not self._events.unfinished_tasks, _END_SECONDS)

    def _write(self) -> None:
        told = 0
        while True:
            text, left_out = self._events.get(), self._left_out - told
            if left_out and self._events.empty():
                told += left_out
                said = logging.LogRecord(__name__, logging.WARNING, __file__, 0, _LEFT_OUT, (left_out,), None)
                text += f"\n{self.format(said)}"
            put(f"{text}\n", self._stream)
            self._events.task_done()


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


def plain_lines(text: str) -> str:
    """Text without control characters, each line after the first one marked, so that none can pose as an event."""
    lines = text[:_MOST_CHARACTERS].split("\n")
    return "\n    | ".join("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)


class TextFormatter(logging.Formatter):
    """Time, level, place and message on one line; what went wrong below it, each line marked."""

    def format(self, record: logging.LogRecord) -> str:
        fields = getattr(record, FIELDS, {})
        known = "".join(f" {name}={json.dumps(value)}" for name, value in fields.items())
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{record.msecs:03.0f}Z"
        line = f"{stamp} {record.levelname.lower()} {record.name}: {_message(record)}{known}"
        parts = [plain_lines(line.replace("\n", "\\n"))]
        if record.exc_info:
            parts.append(plain_lines("\n" + self.formatException(record.exc_info)).lstrip("\n"))
        return "\n".join(parts)


def begin(stream: TextIO | None = None) -> logging.Handler:
    """Write the events of this process, of libraries, and of threads that fail, to stderr by default; the handler."""
    handler = Writing(stream or sys.stderr)
    handler.setFormatter(TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    take_over()
    logging.getLogger("rulelab").setLevel(logging.INFO)
    logging.captureWarnings(True)
    threading.excepthook = _of_a_thread
    return handler


def take_over() -> None:
    """Have the libraries write in this way, too, where it was begun.

    Panel brings a handler of its own when it is imported, which writes what strangers send as it came.
    """
    if not any(isinstance(handler, Writing) for handler in logging.getLogger().handlers):
        return
    for name in _LIBRARIES:
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
        library.setLevel(logging.WARNING)


def _of_a_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        found = (args.exc_type, args.exc_value, args.exc_traceback)
        logging.getLogger("rulelab").error("a thread failed", exc_info=found)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001 a message that does not fit its arguments is still an event
        return str(record.msg)
