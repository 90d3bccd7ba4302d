"""Recordings of searches: their snapshots and trees at any moment, in one file, looked at without the engine."""

from .course import Course
from .files import RecordingError
from .recording import Recording, primal_dual_integral

__all__ = ["Course", "Recording", "RecordingError", "primal_dual_integral"]
