"""A beam search that finds a good list for every number of rules before the proofs begin. It moves no bound."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import inner, kernel
from .. import beam as beams
from ..counting import count


@kernel
def advance_beam(arrays, rules, beam, curve, max_work):
    """Expand at most ``max_work`` prefixes of the beam, which lowers the errors of the curve; whether it has ended."""
    numbers = beam.numbers
    for _ in range(max_work):
        if numbers[beams.NEXT_PARENT] == numbers[beams.N_PARENTS]:
            if numbers[beams.LEVEL] + 2 >= curve.errors.size:
                return True
            beams._next_level(arrays, rules, beam)
            if numbers[beams.N_PARENTS] == 0:
                return True
        _expand_beam(arrays, beam, curve, numbers[beams.NEXT_PARENT])
        numbers[beams.NEXT_PARENT] += 1
        numbers[beams.WORK] += 1
    return False


@inner
def _expand_beam(arrays, beam, curve, parent):
    numbers = beam.numbers
    positive, negative = beam.counts[0], beam.counts[1]
    weight_positive, weight_negative = count(arrays, beam.sets[parent], positive, negative)
    largest_positive, largest_negative = np.int64(0), np.int64(0)
    for a in range(positive.size):
        largest_positive = max(largest_positive, positive[a])
        largest_negative = max(largest_negative, negative[a])
    length = numbers[beams.LEVEL] + 1
    cost = beam.cost[parent]
    for a in range(positive.size):
        if positive[a] == 0 and negative[a] == 0:
            continue
        left_positive, left_negative = weight_positive - positive[a], weight_negative - negative[a]
        child_cost = cost + min(positive[a], negative[a])
        stopped = child_cost + min(left_positive, left_negative)
        if stopped < curve.errors[length]:
            for i in range(length - 1):
                curve.paths[length, i] = beam.paths[parent, i]
            curve.paths[length, length - 1] = a
            curve.errors[length] = stopped
            curve.lengths[length] = length
            curve.found_at[length] = numbers[beams.WORK]
        extended = child_cost + max(0, min(left_positive - largest_positive, left_negative - largest_negative))
        if child_cost < curve.errors[curve.errors.size - 1]:
            beams._offer(beam, extended + stopped, parent * positive.size + a)
