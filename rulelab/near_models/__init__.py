"""What enumerations of models near the optimum share, of any family: their arguments, their steps and their result."""

from .enumeration import NearEnumeration, NearProgress, check_distance
from .found import NearModels, at_least_one

__all__ = ["NearEnumeration", "NearModels", "NearProgress", "at_least_one", "check_distance"]
