"""HiGHS, the solver of linear programs, as all engines use it: silent, and on one thread."""

from __future__ import annotations

from typing import Any

import highspy

_let_go = getattr(highspy.Highs, "resetThreadScheduler", highspy.Highs.resetGlobalScheduler)  # older ones: the latter


class LinearSolver(highspy.Highs):
    """A solver with options of HiGHS that prints nothing, also not its name when it is made."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        for name, value in ({"output_flag": False} | options).items():
            self.setOptionValue(name, value)

    def run(self) -> highspy.HighsStatus:
        """Solve, beside other models in the same thread.

        All models that a thread solves share the threads that the first of them has asked for, and HiGHS refuses those
        that ask for another number. So this one takes what there is, and leaves nothing behind for the next one.
        """
        self.setOptionValue("threads", 1)
        status = super().run()
        if status == highspy.HighsStatus.kError:
            self.setOptionValue("threads", 0)
            return super().run()
        _let_go(True)
        return status

    def enableCallbacks(self) -> None:  # noqa: N802 - what HiGHS, while it is made, calls before it says its name
        """Be silent before there is a way to speak."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()
