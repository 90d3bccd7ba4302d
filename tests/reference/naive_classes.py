"""Lists of several classes by enumeration in exact numbers, and every way to change one of their proofs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np


def objective_of(A, y, weight, penalty, rules) -> Fraction:
    """Errors / n + penalty * rules, row by row; each rule, and the default, predicts its most frequent class."""
    captured: dict[int, dict[Any, int]] = {}
    for row, label, heavy in zip(A.tolist(), y.tolist(), weight, strict=True):
        place = next((k for k, j in enumerate(rules) if row[j]), len(rules))
        of = captured.setdefault(place, {})
        of[label] = of.get(label, 0) + int(heavy)
    errors = sum(sum(of.values()) - max(of.values()) for of in captured.values())
    return Fraction(errors, sum(map(int, weight))) + penalty * len(rules)


def best_list(A: np.ndarray, y: np.ndarray, weight: Sequence[int], penalty: Fraction, longest: int | None) -> Fraction:
    """The least objective of any list of at most so many rules."""
    most = A.shape[1] if longest is None else min(longest, A.shape[1])
    orders = (order for k in range(most + 1) for order in permutations(range(A.shape[1]), k))
    return min(objective_of(A, y, weight, penalty, order) for order in orders)


def changed(rng: np.random.Generator, proof: Any) -> Iterator[tuple[str, Any]]:
    """Names of changes, and the proof with each of them."""
    values, sets = list(proof.values), proof.sets
    place = int(rng.integers(len(values)))
    for name, by in (("a value raised", 1), ("a value lowered", -1), ("a value doubled", values[place] or 1)):
        yield name, replace(proof, values=tuple(v + by * (k == place) for k, v in enumerate(values)))
    yield "all values raised", replace(proof, values=tuple(v + 1 for v in values))
    kept = np.arange(len(values)) != place
    yield "a set less", replace(proof, sets=sets[kept], values=tuple(np.array(values, dtype=object)[kept].tolist()))
    flipped = sets.copy()
    flipped[place, int(rng.integers(sets.shape[1]))] ^= True
    yield "another set", replace(proof, sets=flipped)
    yield "values in another order", replace(proof, values=tuple(reversed(values)))
    for times in (0.5, 0.999, 1.001, 2.0):
        yield f"the regularization times {times}", replace(proof, regularization=proof.regularization * times)
    yield "other data", replace(proof, fingerprint=proof.fingerprint[::-1])
