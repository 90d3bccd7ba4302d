"""What the server writes about itself: one line per event, and no text of users as it came."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from typing import TextIO

from .writing import Writing

FIELDS = "fields"
"""The attribute of a record with what is known beside its message, as a dict of plain values."""

_MOST_CHARACTERS = 20_000
_LIBRARIES = ("panel", "bokeh", "tornado")


def plain_lines(text: str, indent: str = "    | ") -> str:
    """Text without control characters, each line after the first one marked, so that none can pose as an event."""
    lines = text[:_MOST_CHARACTERS].split("\n")
    return f"\n{indent}".join("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)


class TextFormatter(logging.Formatter):
    """Time, level, place and message on one line; what went wrong below it, each line marked."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as text."""
        fields = getattr(record, FIELDS, {})
        known = "".join(f" {name}={json.dumps(value)}" for name, value in fields.items())
        line = f"{_stamp(record)} {record.levelname.lower()} {record.name}: {_message(record)}{known}"
        parts = [plain_lines(line.replace("\n", "\\n"))]
        if record.exc_info:
            parts.append(plain_lines("\n" + self.formatException(record.exc_info)).lstrip("\n"))
        return "\n".join(parts)


def begin(stream: TextIO | None = None) -> logging.Handler:
    """Write the events of this process, of the libraries below it, and of threads that fail.

    `stream`: by default stderr. Gives the handler that stands in the place of those of the libraries.
    """
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


def _stamp(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{record.msecs:03.0f}Z"
