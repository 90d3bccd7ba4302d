"""Penalties of many digits: a simpler fraction that puts all costs into the same order."""

from __future__ import annotations

from fractions import Fraction

_ENOUGH = 1 << 24
"""Of a denominator: the fraction is near enough for bounds, and leaves room for the costs it is multiplied with."""
_SMALL, _ROOM = 1 << 20, 1 << 50


def order_preserving(penalty: Fraction, most: int, largest_loss: int, largest_denominator: int) -> Fraction | None:
    """A fraction of small denominator that compares any two costs ``loss + penalty * size`` as the penalty does.

    Losses are whole numbers of at most ``largest_loss``, sizes of at most ``most``. Two costs differ by
    ``a + penalty * b`` with ``|b| <= most``, whose sign depends only on which fractions of denominators up to ``most``
    lie below the penalty, and whether it is one of them. Any number between the same two neighbours of its Farey
    sequence serves. Where it can be, the fraction is not larger than the penalty, so that bounds on costs stay bounds.

    Parameters
    ----------
    penalty : Fraction
        >= 0.
    most, largest_loss : int
    largest_denominator : int

    Returns
    -------
    Fraction or None
        The penalty itself when it has such a denominator; None when no fraction of such a denominator serves.
    """
    if penalty > largest_loss:
        return Fraction(largest_loss + 1)
    if penalty.denominator <= largest_denominator:
        return penalty
    if largest_denominator < 2 * max(1, most):
        return None
    below, above = neighbours(penalty, min(largest_denominator, max(_ENOUGH, 2 * most)))
    return below if below > neighbours(penalty, max(1, most))[0] else above


def of_few_digits(weight: Fraction, total: int) -> Fraction:
    """The nearest fraction to a weight above 0 whose numerator or denominator leaves room for losses of a total."""
    largest = max(_SMALL, min(_SMALL << 10, _ROOM // total))
    if weight >= 1:
        return weight.limit_denominator(largest)
    return 1 / (1 / weight).limit_denominator(largest)


def neighbours(x: Fraction, largest_denominator: int) -> tuple[Fraction, Fraction]:
    """The fractions of at most this denominator next to ``x`` >= 0, which is none of them (the Farey sequence)."""
    a, b = x.numerator // x.denominator, 1
    c, d = a + 1, 1
    while True:
        under, over = x.numerator * b - a * x.denominator, c * x.denominator - x.numerator * d
        k = min((under - 1) // over, (largest_denominator - b) // d)
        a, b = a + k * c, b + k * d
        under = x.numerator * b - a * x.denominator
        j = min((over - 1) // under, (largest_denominator - d) // b)
        c, d = c + j * a, d + j * b
        if not k and not j:
            return Fraction(a, b), Fraction(c, d)
