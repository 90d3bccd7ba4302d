"""Sweeps: families of models over grids of parameters, cross-validated, and their Pareto fronts."""

from ..arguments import SweepError, SweepWarning
from .baselines import BASELINES
from .families import FAMILIES
from .frames import front, mean_and_error, non_dominated
from .result import Progress, Result, Scores, SweepSnapshot
from .running import Sweep
from .start import sweep
