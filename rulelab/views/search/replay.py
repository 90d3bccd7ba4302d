"""A recorded run alone: its curves, its tree and its models at any moment, without the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ...recording import Recording
from ..live.recorded import RecordedSession
from .families import look_of_recorded
from .view import SearchView


class Replay(SearchView):
    """A run from a file, to be played and looked at; no search and no data are needed.

    Parameters
    ----------
    file : str, Path or Recording
        What `rulelab.Recording.save`, ``rulelab fit --record`` or the page has written.

    Attributes
    ----------
    recording : Recording

    Raises
    ------
    RecordingError
        When the file is no recording, or damaged.
    ValueError
        When nothing was recorded.

    Examples
    --------
    In a notebook::

        rl.views.Replay("run.rulelab")
    """

    _alone: ClassVar[bool] = True

    def __init__(self, file: str | Path | Recording, **params: Any) -> None:
        self.recording = file if isinstance(file, Recording) else Recording.load(file)
        name = "recording" if isinstance(file, Recording) else Path(file).name
        look = look_of_recorded(self.recording)
        super().__init__(new_session=lambda: RecordedSession(self.recording, name, look), **params)
        self._controls.hide("speed")
        self._opener.field.visible = False

    def run(self, *_: Any) -> None:
        """Nothing: there is no search."""

    step = stop = reset = ablate = run
