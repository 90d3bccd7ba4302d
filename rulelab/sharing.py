"""Objects that several threads use at once while one of them hands them to another process."""

from __future__ import annotations

from typing import Any


class Shared:
    """Is pickled as it stood at one moment, although other threads fill in what it keeps once it is asked for.

    Nothing that is kept is changed afterwards, and copying a dictionary is one step that no other thread comes between.
    """

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()
