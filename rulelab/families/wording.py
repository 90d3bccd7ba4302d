"""Words that families say of their models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from ..parameters import NAMING, Parameter
from ..shown import digits, plain
from . import criteria, typed

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
EXACT = 15
"""Larger powers of ten are given as such."""
AIM = "the fewest errors"  # what models are searched for where nothing else is said
MEGABYTE = 1_000_000
_LONGEST = 60  # characters of a value in words
_WIDE = Context(prec=400)  # digits of any float
_LEAST = Decimal("1e-10")  # a gap below this is that of the arithmetic


def count(n: int | float, noun: str) -> str:
    """The number with its noun, in the plural where it needs one."""
    return f"{digits(n, 10)} {noun}{'' if n == 1 else 's'}"


def restricted(problem: Any) -> str:
    """What rules must not use and where they must point, behind what they are made of; may be empty."""
    from ..data.directions import in_words

    listed, ways = ", ".join(problem.left_out), in_words(problem.directions)
    return (f" without {listed}" if listed else "") + (f", all conditions {ways}" if ways else "")


def demanded(parameters: Mapping[str, Any]) -> str:
    """What a list or a set has to do by the user's demands, such as "begin with a and use b, c"; may be empty."""
    from ..data.directions import NAME, in_words

    first, must, most = (parameters.get(name) for name in ("first_rule", "must_use", "max_uses"))
    ways = in_words(tuple((parameters.get(NAME) or {}).items()))
    must = [must] if isinstance(must, str) else must
    said = [
        f"begin with {first}" if first else "",
        f"use {', '.join(must)}" if must else "",
        *(f"have at most {count(k, 'condition')} on {column}" for column, k in (most or {}).items()),
        f"stay {ways} rule by rule" if ways else "",
    ]
    return " and ".join(filter(None, said))


def claimed(parameters: Mapping[str, Any]) -> str:
    """What the models that a proof speaks of do: what is `demanded`, and of lists the most rules; may be empty."""
    asked, most = demanded(parameters), parameters.get("max_length")
    return " and ".join(filter(None, (asked, "" if most is None else f"have at most {count(most, 'rule')}")))


def softly(parameters: Mapping[str, Any]) -> str:
    """What stands before the name of lists that may rise at a price; empty of all others."""
    return "" if parameters.get("violation_penalty") is None else "softly "


def shown(parameter: Parameter, value: Any) -> str:
    """A value of a parameter as it is typed."""
    if parameter.kind in NAMING:
        return typed.written(parameter.kind, value)
    if value is None:
        return ""
    return f"{value / MEGABYTE:.12g}" if parameter.kind == "size" else f"{value:.12g}"


def in_words(parameter: Parameter, value: Any) -> str:
    """A value of a parameter as it is read, not as it is typed."""
    if value is None:
        return "none" if parameter.kind == "criterion" else parameter.none
    if parameter.kind == "criterion":
        return criteria.in_words(value)
    if parameter.kind == "switch":
        return "yes" if value else "no"
    if parameter.choices:
        said = dict(zip(parameter.choices, parameter.said, strict=True)) if parameter.said else {}
        return said.get(value, plain(value, _LONGEST).replace("_", " "))
    as_typed = parameter.kind in NAMING or isinstance(value, int | float)
    return plain(shown(parameter, value) if as_typed else value, _LONGEST) or parameter.none


def clause(parameter: Parameter, value: Any) -> tuple[str, str, str]:
    """A parameter with its value in a sentence: before it, the value in few words, and after it, of one in singular."""
    before, after = (parameter.clause or f"{re.split('[:(]', parameter.title)[0].strip().lower()} {{}}").split("{}")
    said = in_words(parameter, value)
    if value == 1:
        after = re.sub(r"^( \w+)s\b", r"\1", after)
    return before, said.partition(":")[0] if parameter.choices and value is not None else said, after


def many(n: int | float) -> str:
    """A number with a space between the thousands, or from 10^15 on a power of ten, rounded down."""
    if n < 10**EXACT:
        return f"{n:,}".replace(",", " ")
    return power(len(str(int(n))) - 1)


def of_rows(weight: float, rows: int | None = None) -> str:
    """The rows that a loss is a share of, or their weight where that is another number, or not whole."""
    counted = isinstance(weight, int) and rows in (None, weight)
    return f"{weight} rows" if counted else f"a weight of {digits(weight, 10)}"


def at_most(bound: float) -> str:
    """A bound that still holds as it is written: rounded up to four decimals, or to two digits where it is small."""
    exact = Decimal(bound)
    if exact <= 0 or not exact.is_finite():
        return f"{max(bound, 0.0):g}"
    digits = max(4, 1 - exact.adjusted())
    up = exact.quantize(Decimal(1).scaleb(-digits), ROUND_CEILING)
    if up == up.to_integral_value():
        return f"{up:.0f}"
    return f"{up:f}" if digits <= 7 else f"{up:.1e}"


def at_least(bound: float, digits: int = 4) -> str:
    """A lower bound that still holds as it is written: rounded down."""
    exact = Decimal(repr(float(bound)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR):f}" if exact.is_finite() else f"{bound:g}"


def adding_up(objective: float, bound: float, family: str = "rule_list", digits: int = 4) -> tuple[str, str, str]:
    """Objective, lower bound and gap as they stand together: the gap is their difference, and holds as it is written.

    The objective is to the nearest, the bound so far down that the gap is none too small; where it would be below 0,
    the objective is rounded up in two more digits. A small gap has two digits; beside one of the arithmetic both are
    the same.
    """
    exact, proven = Decimal(repr(round(float(objective), 12))), Decimal(repr(float(bound)))
    gap, unit = exact - proven, Decimal(1).scaleb(-digits)
    small = gap < _LEAST
    if not small:
        unit = max(min(unit, Decimal(1).scaleb(gap.adjusted() - 1)), _LEAST)
    found = exact.quantize(unit, context=_WIDE)
    low = found if small else min(proven, found - gap).quantize(unit, ROUND_FLOOR, _WIDE)
    if low < 0:
        unit /= 100
        found, low = exact.quantize(unit, ROUND_CEILING, _WIDE), proven.quantize(unit, ROUND_FLOOR, _WIDE)
    texts = [f"{found:f}", f"{low:f}", at_most(objective - bound) if small else f"{found - low:f}"]
    if family == "rule_set":  # rows, or their weight
        texts = [text.rstrip("0").removesuffix(".") if "." in text else text for text in texts]
    return texts[0], texts[1], texts[2]


def power(exponent: int) -> str:
    """A power of ten."""
    return f"10{str(exponent).translate(_RAISED)}"
