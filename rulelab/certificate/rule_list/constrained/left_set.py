"""What the patterns that a prefix leaves allow, in the relaxation: how the checkers of fair rule lists open a set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .space import FairSpace
from .table import largest_sums, one_more_rule


class LeftSet:
    """A set of patterns that prefixes leave, with everything counted.

    Parameters
    ----------
    space : FairSpace
    mask : bool array, shape (n_patterns,)
    key : bytes
        The set, packed.
    value : callable
        Of a packed set: a bound on its relaxed completions by one rule or more; the price of a rule at least.
    """

    def __init__(self, space: FairSpace, mask: np.ndarray, key: bytes, value: Callable[[bytes], int]) -> None:
        self.space, self.mask, self.value = space, mask, value
        captured, total = space.count(mask[None])
        self.captured, self.total = captured[:, 0], total[:, 0]
        left = self.total[:, None] - self.captured
        self.left = left.min(axis=0)
        self.further = one_more_rule(space, (total[:, :, None] - captured), largest_sums(captured))[0]
        inside = space.inside[mask].astype(np.int64)
        self.wrong, self.d = space.wrong[:, mask] @ inside, space.d[:, mask] @ inside
        self.all_wrong, self.all_d = space.wrong[:, mask].sum(axis=1), space.d[:, mask].sum(axis=1)
        size = inside.sum(axis=0)
        self.useful = (size > 0) & (size < mask.sum())
        bound, L = value(key), space.relaxed_rule
        self.least = min(int(self.total.min()), bound)
        right = self.captured.max(axis=0)
        skipped = int(right[right <= L].max(initial=-1))
        self.bound = bound if skipped < 0 else min(bound, self.least + L - skipped)
