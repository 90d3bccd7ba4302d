"""Opening a recording on the page: read beside the page, from a file that may come from anywhere."""

from __future__ import annotations

from collections.abc import Callable

from ...recording import Recording
from ..live.job import Job
from ..widgets.esc import plain
from ..widgets.uploader import Uploader

LARGEST_FILE = 20_000_000
LARGEST_TEXT = 64_000_000
"""That a file may unpack to; the recording of a million prefixes unpacks to three million bytes."""
_LIMIT = "A file that the button Recording, beside the best model, has saved; at most 20 MB"


class Opener:
    """A button that takes a recording.

    Parameters
    ----------
    opened : callable
        Takes a recording and its name; raises ValueError where there is nothing to see.
    start_beat : callable
        Sees to it that `tick` is called as long as `busy`.

    Attributes
    ----------
    field : Uploader
    """

    def __init__(self, opened: Callable[[Recording, str], None], start_beat: Callable[[], None]) -> None:
        self._opened, self._start_beat = opened, start_beat
        self._job: Job | None = None
        self._name = ""
        self.field = Uploader(
            self._received,
            label="Open recording",
            accept=".rulelab",
            limit=_LIMIT,
            most=LARGEST_FILE,
            sizing_mode="stretch_width",
            margin=(8, 0),
        )

    @property
    def busy(self) -> bool:
        """Whether a file is being read."""
        return self._job is not None

    def tick(self) -> None:
        """Show what has been read, or say why it cannot be shown."""
        job = self._job
        if job is None or job.busy:
            return
        self._job, said = None, job.error or ""
        if not said:
            try:
                self._opened(job.result, self._name)
            except ValueError as error:
                said = str(error)
        self.field.param.update(doing="", said=plain(said, 400))

    def _received(self, contents: bytes, name: str) -> None:
        self._name = name
        self._job = Job(lambda progress: Recording.from_bytes(contents, name, LARGEST_TEXT))
        self._start_beat()
