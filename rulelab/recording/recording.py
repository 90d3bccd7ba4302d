"""The course of a search, kept while it runs and looked at afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import ParameterError, is_whole, short
from ..as_json import plain
from ..data.directions import Directions
from ..files import write
from ..prefixes import Nodes, PrefixSearch
from ..shown import Fact, Shown
from ..snapshot import Snapshot, Status
from ..stepping import Search
from . import files
from .course import NOT_YET, Course, only

MAX_SNAPSHOTS = 2000
MAX_NODES = 60_000


def primal_dual_integral(snapshots: Sequence[Snapshot], over: str = "seconds") -> float:
    """The area between objective and lower bound of a run; see `Recording.primal_dual_integral`."""
    if over not in ("seconds", "work"):
        raise ParameterError("over", over, "'seconds' or 'work'")
    known = [each for each in snapshots if each.incumbent is not None]
    if not known:
        return 0.0
    assert known[0].incumbent is not None
    at = np.array([getattr(each, over) for each in known], dtype=float)
    gap = np.array([each.gap for each in known]) / (known[0].incumbent.objective or 1.0)
    return float((gap[:-1] * np.diff(at)).sum())


class Recording(Shown):
    """Snapshots of a search, and the tree of its prefixes at each of them.

    Parameters
    ----------
    search : Search
        Is advanced by `steps`, or by somebody else who calls `observe` after each step. Trees are kept of searches that
        have a `tree`.
    max_snapshots : int
        When there are more, every second one is left out, but for the first, the last, and those with a better model.

    Attributes
    ----------
    family : str
    parameters : dict
        Of the search.
    left_out : tuple of str
        What its rules must not use.
    directions : tuple of (str, str)
        Where its conditions must point, by column.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]], [0, 1, 1, 0])
    >>> recording = rl.Recording(rl.RuleListSearch(problem, 0.1))
    >>> for snapshot in recording.steps(time_limit=10):
    ...     pass
    >>> recording.save("run.rulelab")
    >>> len(rl.Recording.load("run.rulelab").snapshots) == len(recording.snapshots)
    True
    """

    def __init__(self, search: Search, max_snapshots: int = MAX_SNAPSHOTS) -> None:
        if not isinstance(search, Search):
            raise TypeError(f"search must be a rulelab search, such as a RuleListSearch, not {short(search)}")
        if not is_whole(max_snapshots, 4):
            raise ParameterError("max_snapshots", max_snapshots, "an integer of at least 4")
        self.family = search.family
        self.parameters = plain(search.parameters)
        self.left_out: tuple[str, ...] = getattr(search.problem, "left_out", ())
        self.directions: Directions = getattr(search.problem, "directions", ())
        self._search: Search | None = search
        self._most = max_snapshots
        self._kept: list[Snapshot] = []
        self._course = Course()
        self._tree: Nodes | None = None

    def _facts(self) -> Iterator[Fact]:
        yield "of", f"a {self.family.replace('_', ' ')}"
        yield "states kept", len(self._kept)
        if self._kept:
            yield from (fact for fact in self._kept[-1]._facts() if fact[0] != "cut")

    def _below(self) -> str:
        return self._kept[-1]._below() if self._kept else ""

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a file written by `save`; no search is needed to look at it.

        Parameters
        ----------
        path : str or Path

        Raises
        ------
        RecordingError
            When the file is no recording, damaged, too large, or of a newer version.
        OSError
            When it cannot be read.
        """
        with Path(path).open("rb") as stream:
            return cls.from_bytes(stream.read(files.LARGEST_FILE + 1), Path(path).name)

    @classmethod
    def from_bytes(cls, raw: bytes, name: str = "the file", largest_text: int = files.LARGEST_TEXT) -> Recording:
        """What `to_bytes` has made, or a file holds.

        Parameters
        ----------
        raw : bytes
        name : str
            What it is called where it is refused.
        largest_text : int
            Most bytes that it may unpack to.

        Raises
        ------
        RecordingError
            As `load`.
        """
        content = files.unpacked(raw, name, largest_text)
        recording = cls.__new__(cls)
        recording.family, recording.parameters = content.family, content.parameters
        recording.left_out, recording.directions = content.left_out, content.directions
        recording._search, recording._most = None, MAX_SNAPSHOTS
        recording._kept, recording._tree = content.snapshots, content.tree
        recording._course = Course(content.looks, recording._steps)
        return recording

    @classmethod
    def of(
        cls, search: Search, snapshots: Sequence[Snapshot], course: Course, max_snapshots: int = MAX_SNAPSHOTS
    ) -> Recording:
        """A recording made afterwards, of snapshots that were kept elsewhere.

        Parameters
        ----------
        search : Search
        snapshots : sequence of Snapshot
            Of its steps, in their order.
        course : Course
            What became of its prefixes, and when.
        max_snapshots : int
            See `Recording`.
        """
        recording = cls(search, max_snapshots)
        recording._kept, recording._course = list(snapshots), course
        recording._thin_out()
        return recording

    def save(self, path: str | Path, max_nodes: int = MAX_NODES) -> None:
        """Write the recording to one file.

        Parameters
        ----------
        path : str or Path
        max_nodes : int
            Prefixes that are kept of the tree: those with the most descendants.
        """
        write(path, self.to_bytes(max_nodes))

    def to_bytes(self, max_nodes: int = MAX_NODES) -> bytes:
        """What `save` writes.

        Parameters
        ----------
        max_nodes : int
            Prefixes of the tree that are kept at most.
        """
        tree, looks = self._whole(), self._course.along(self._steps)
        if tree is not None:
            kept = tree.largest(max_nodes)
            tree, looks = tree.some(kept), only(looks, kept)
        asked = self.left_out, self.directions
        return files.packed(files.Content(self.family, self.parameters, self._kept, looks, tree, *asked))

    def steps(self, **limits: Any) -> Iterator[Snapshot]:
        """Advance the search as `Search.steps` does, and keep what it yields.

        Parameters
        ----------
        **limits
            Of `rulelab.steps`: ``work_per_step``, ``time_limit``, ``gap``, ``work_limit``, ``verbose``.
        """
        if self._search is None:
            raise ValueError("a recording that was read from a file has no search to go on with")
        for snapshot in self._search.steps(**limits):
            self.observe(snapshot)
            yield snapshot

    def observe(self, snapshot: Snapshot) -> None:
        """Keep a snapshot that the search has just given, and what became of its prefixes since the one before.

        Looking at them takes about a fiftieth of the time at most: where there are very many, not at every snapshot.

        Parameters
        ----------
        snapshot : Snapshot
        """
        if self._search is None:
            raise ValueError("a recording that was read from a file cannot be added to")
        self._kept.append(snapshot)
        self._course.look(self._search, snapshot)
        self._thin_out()

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """The snapshots that are kept, in their order."""
        return tuple(self._kept)

    @property
    def frame(self) -> pd.DataFrame:
        """A row per snapshot: time, work, objective, bound, counts, pruned per bound, queue by length."""
        return pd.DataFrame([trace_row(each) for each in self._kept])

    def primal_dual_integral(self, over: str = "seconds") -> float:
        """The area between objective and lower bound: the smaller, the sooner the search knew.

        Parameters
        ----------
        over : str
            "seconds" or "work".

        Returns
        -------
        float
            The gap, as a share of the first objective, summed over the axis; from the first model on.

        Raises
        ------
        ValueError
            When ``over`` is neither.
        """
        return primal_dual_integral(self._kept, over)

    def tree_at(self, step: int, max_nodes: int = 2000) -> pd.DataFrame:
        """The tree as it was at a step, or at the last one kept before it; see `rulelab.prefixes.PrefixSearch.tree`.

        Costs, bounds and parents are those at the end of the recording.

        Parameters
        ----------
        step : int
            Number of a snapshot, as in `Snapshot.step`.
        max_nodes : int
            As of that one.

        Raises
        ------
        ValueError
            When nothing was kept until then, or the search has no tree.
        """
        return self.prefixes_at(step).frame(max_nodes)

    def prefixes_at(self, step: int) -> Nodes:
        """All stored prefixes as arrays, as they were at a step; see `tree_at`.

        Parameters
        ----------
        step : int
            Number of a snapshot, as in `Snapshot.step`.
        """
        looks = [k for k, each in enumerate(self._kept) if each.step <= step] if is_whole(step, 0) else []
        if not looks:
            steps = f"from {self._kept[0].step}" if self._kept else "at all"
            raise ValueError(f"step: nothing is kept of step {step!r}; there are steps {steps}")
        tree = self._whole()
        if tree is None:
            raise ValueError("this search has no tree: it does not store prefixes, or it had not begun")
        fate = self._course.fates(self._kept[looks[-1]].step, len(tree))
        return tree.at(fate, np.flatnonzero(fate != NOT_YET))

    @property
    def _steps(self) -> list[int]:
        return [each.step for each in self._kept]

    def _whole(self) -> Nodes | None:
        """The tree as it is now, or was at the end."""
        if isinstance(self._search, PrefixSearch):
            self._tree = self._search.prefixes()
        return self._tree

    def _thin_out(self) -> None:
        """Where there are too many snapshots, leave out every second one that brought nothing new, again and again."""
        before = 0
        while self._most < len(self._kept) != before:
            before, k, found = len(self._kept), 1, None
            while k < len(self._kept) - 1:
                here = self._kept[k]
                objective = None if here.incumbent is None else here.incumbent.objective
                if objective == found and here.status is Status.RUNNING:
                    del self._kept[k]
                found = objective
                k += 1


def trace_row(snapshot: Snapshot) -> dict[str, object]:
    """Time, work, objective, bound, counts, pruned per bound, queue by length; None where there is no model yet."""
    return {
        **{name: getattr(snapshot, name) for name in ("step", "work", "seconds")},
        "status": str(snapshot.status),
        "phase": snapshot.phase,
        **{name: getattr(snapshot.incumbent, name, None) for name in ("objective", "errors", "complexity")},
        **{name: getattr(snapshot, name) for name in ("lower_bound", "gap", "log10_remaining")},
        **{name: value for name, value in snapshot.detail.items() if name.startswith("log10_")},
        "memory_bytes": snapshot.memory_bytes,
        **snapshot.counts,
        **{f"pruned {name}": count for name, count in snapshot.pruned.items()},
        **{f"queued of length {length}": count for length, count in enumerate(snapshot.queue_by_length)},
    }
