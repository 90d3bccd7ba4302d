"""The state of the Monte-Carlo search as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.bit_words import bit_planes, entries, turned
from ...kernels.by_reference import by_reference
from ..costs import Data

# positions in State.numbers
ITERATION, LENGTH, COST, CONSIDERED, CHOSEN, SAMPLED, STRIDE = range(7)
N_NUMBERS = 7

# positions in State.pruned, with the names that snapshots show
BY_NOTHING, BY_THRESHOLD, BY_MONOTONICITY, BY_FEASIBILITY, BY_BOUND = range(5)
PRUNED_NAMES = ("captures nothing", "below threshold", "monotonicity", "infeasible prefix", "prefix bound")

SAMPLES, SAMPLE_LENGTH = 64, 24


@by_reference
class Rules(NamedTuple):
    """What stays constant: whether the list may rise, costs in units of the objective, and how lists are drawn.

    ``per_positive`` is w / n and ``per_negative`` is 1 / n, n the total weight.
    """

    total_positive: int
    total_negative: int
    soft: bool
    unit: float
    per_positive: float
    per_negative: float
    per_rule: float
    penalty: float
    curiosity: float
    termination: float


@by_reference
class Planes(NamedTuple):
    """What counting reads: ``by_word``, shape (n_words, m), and the bit planes of positives and of negatives."""

    by_word: np.ndarray
    positive_word: np.ndarray
    positive_digit: np.ndarray
    positive_mask: np.ndarray
    negative_word: np.ndarray
    negative_digit: np.ndarray
    negative_mask: np.ndarray


@by_reference
class State(NamedTuple):
    """The state of the search."""

    random: np.ndarray  # uint64, shape (1,): state of the generator (splitmix64)
    # numbers, pruned (int64): counters, see above
    numbers: np.ndarray
    pruned: np.ndarray
    best: np.ndarray  # float64, shape (1,): the least objective so far
    # best_path, path (int32, shape (m,)): the best list, of ``numbers[LENGTH]`` rules, and that under construction
    best_path: np.ndarray
    path: np.ndarray
    # root_positive, root_negative, positive, negative (int64, shape (m,)): what each antecedent captures of all
    # patterns (from the first iteration on), and of what the prefix leaves
    root_positive: np.ndarray
    root_negative: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    weight: np.ndarray  # float64, shape (m,): curiosity of each candidate
    left: np.ndarray  # uint64, shape (n_words,): the patterns that the prefix leaves
    # considered, lists (int64, shape (m + 1,)): candidates in all at each position, and how many lists got there
    considered: np.ndarray
    lists: np.ndarray
    sample: np.ndarray
    """int32, shape (SAMPLES, SAMPLE_LENGTH): candidates at each position of some lists, -1 beyond the end."""
    sample_iteration: np.ndarray  # int64, shape (SAMPLES,)


def new_planes(data: Data) -> Planes:
    """The same data as bit planes."""
    positive, negative = (entries(bit_planes(weights)) for weights in (data.positives, data.negatives))
    return Planes(turned(data.columns), *positive, *negative)


def new_state(data: Data, seed: int, best: float) -> State:
    """A search that has not begun; ``best`` is the objective of the else alone."""
    m, words = data.columns.shape
    numbers = np.zeros(N_NUMBERS, dtype=np.int64)
    numbers[STRIDE] = 1
    return State(
        random=np.array([seed], dtype=np.uint64),
        numbers=numbers,
        pruned=np.zeros(len(PRUNED_NAMES), dtype=np.int64),
        best=np.array([best]),
        best_path=np.zeros(m, dtype=np.int32),
        path=np.zeros(m, dtype=np.int32),
        root_positive=np.zeros(m, dtype=np.int64),
        root_negative=np.zeros(m, dtype=np.int64),
        positive=np.zeros(m, dtype=np.int64),
        negative=np.zeros(m, dtype=np.int64),
        weight=np.zeros(m),
        left=np.zeros(words, dtype=np.uint64),
        considered=np.zeros(m + 1, dtype=np.int64),
        lists=np.zeros(m + 1, dtype=np.int64),
        sample=np.full((SAMPLES, SAMPLE_LENGTH), -1, dtype=np.int32),
        sample_iteration=np.zeros(SAMPLES, dtype=np.int64),
    )
