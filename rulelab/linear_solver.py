"""HiGHS, the solver of linear programs, as all engines use it: silent, and on one thread."""

from __future__ import annotations

from typing import Any

import highspy


class LinearSolver(highspy.Highs):
    """A solver that prints nothing, also not its name when it is made.

    Parameters
    ----------
    **options : bool, int, float or str
        Options of HiGHS.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        for name, value in ({"output_flag": False, "threads": 1} | options).items():
            self.setOptionValue(name, value)

    def enableCallbacks(self) -> None:  # noqa: N802 - what HiGHS, while it is made, calls before it says its name
        """Be silent before there is a way to speak."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()
