"""How things show themselves: named figures, as a line in a terminal and as a table in a notebook, light or dark."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

CELL = "text-align:left;padding:1px 14px 1px 0"
RIGHT = "text-align:right;padding:1px 14px 1px 0"
"""Styles of cells; no colours, so that they are those of the page. Some notebooks style no tables at all."""

BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
"""Of pictures and views: the colour-blind safe palette of Okabe and Ito; lines have 3 : 1 on their background."""
LENGTHS = ("#2c5f9e", "#3f7f9f", "#4f9d95", "#74b57f", "#a6c86a", "#d9d35f", "#f0c04c", "#ef9a3d")
"""Prefix lengths 1 to 8 and more: one light-to-dark order that survives colour blindness."""

Fact = tuple[str, Any]
SHORT = 200  # characters of a text from data, where nothing else is said
_CONTROL = dict.fromkeys(
    (*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), " "
)
_MOST_CHARACTERS = 300
_MOST_DECIMALS = 12
_MOST_PLACES = 30  # behind the decimal point of a weight: what is smaller than that reads as 0


class Shown:
    """Says what it is by a title and figures; those that are None or empty are left out."""

    def _title(self) -> str:
        return type(self).__name__

    def _facts(self) -> Iterable[Fact]:
        """Names and figures, the most telling first."""
        return ()

    def _below(self) -> str:
        """HTML that stands under the figures in a notebook."""
        return ""

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {text}".lstrip() for name, text in _told(self._facts()))
        return f"<{_short(self._title())}{': ' if said else ''}{said}>"

    def _repr_html_(self) -> str:
        rows = _told(self._facts())
        return f"<div><b>{escaped(_short(self._title()))}</b>{as_table((), rows) if rows else ''}{self._below()}</div>"


def as_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = (), caption: str = "") -> str:
    """A table of texts, which are escaped; the columns of these positions are aligned to the right."""
    to_the_right = set(right)
    styles = [RIGHT if k in to_the_right else CELL for k in range(100)]

    def line(cells: Sequence[str], tag: str) -> str:
        return "".join(f'<{tag} style="{styles[k]}">{escaped(cell)}</{tag}>' for k, cell in enumerate(cells))

    head = f"<thead><tr>{line(heads, 'th')}</tr></thead>" if heads else ""
    title = f'<caption style="{CELL}">{escaped(caption)}</caption>' if caption else ""
    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table>{title}{head}<tbody>{body}</tbody></table>"


def rows_below(frame: Any, most: int = 8, columns: int = 12) -> str:
    """The first rows and columns of a DataFrame."""
    part = frame.iloc[:most, :columns]
    cut = frame.shape[1] > columns
    heads = [_short(str(name)) for name in part.columns] + ["…"] * cut
    cells = [[_short(figure(cell)) for cell in row] for row in part.to_numpy(dtype=object).tolist()]
    rows = [[*row, *["…"] * cut] for row in cells] + [["…"] * len(heads)] * (len(frame) > most)
    right = [k for k, name in enumerate(part.columns) if part.dtypes.iloc[k].kind in "iuf"]
    return as_table(heads, rows, right)


def printable(text: str) -> str:
    """Line breaks, control and direction characters written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def plain(text: Any, limit: int = SHORT) -> str:
    """One line of at most ``limit`` characters, without control and direction marks."""
    line = str(text).translate(_CONTROL)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def escaped(text: str) -> str:
    """A text as HTML, on one line."""
    return html.escape(printable(text))


def figure(value: Any) -> str:
    """A number, a sequence or a text as it stands in a line."""
    if isinstance(value, float):
        return f"{value:.7g}" if math.isfinite(value) else "none" if math.isnan(value) else str(value)
    if isinstance(value, tuple | list):
        return ", ".join(map(figure, value))
    return str(value)


def digits(value: float, most: int = 6) -> str:
    """A count or a weight without an exponent: so many digits, or all that stand before the decimal point."""
    if not math.isfinite(value) or value == int(value):
        return str(int(value) if math.isfinite(value) else value)
    places = min(max(most - 1 - math.floor(math.log10(abs(value))), 0), _MOST_PLACES)
    return f"{value:.{places}f}".rstrip("0").rstrip(".") if places else f"{value:.0f}"


def share(value: float, decimals: int = 2, whole: int = 1) -> str:
    """A share of the whole, with two digits at least near 0, and more near the end: only the whole reads as such."""
    if value < 0:
        return f"-{share(-value, decimals, whole)}"
    ends = [(value, 10 ** (1 - decimals)), (whole - value, 10**-decimals)]
    digits = max([decimals, *(1 - math.floor(math.log10(end)) for end, near in ends if 0 < end < near)])
    if digits > _MOST_DECIMALS and value < whole / 2:
        return f"{value:.2g}"
    figures, dot, rounded = f"{value:.{min(digits, _MOST_DECIMALS)}f}".partition(".")
    return f"{figures}{dot}{rounded[:decimals]}{rounded[decimals:].rstrip('0')}".removesuffix(".")


def percent(value: float, decimals: int = 1) -> str:
    """As `share`, in percent, without the sign: ``0.17`` of 0.00174."""
    return share(100 * value, decimals, whole=100)


def signed(points: float) -> str:
    """A difference of shares in percent points, with its sign; a dash where it is not known."""
    return "\u2013" if math.isnan(points) else f"{'+' if points > 0 else ''}{percent(points)}".replace("-", "\u2212")


def difference(own: str, other: str) -> str:
    """That of two numbers as they are shown, so that the three add up: with the digits of both, and its sign."""
    first, second = (Decimal("".join(text.split())) for text in (own, other))
    return f"{first - second:{'+' if first != second else ''}f}".replace("-", "\u2212")


def with_interval(value: float, low: float, high: float) -> str:
    """A share with its interval, in percent, where that is known."""
    return percent(value) + ("" if math.isnan(low) else f" ({percent(low)}–{percent(high)})")


def _told(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    return [(_short(name), _short(figure(value))) for name, value in facts if value is not None and value != ()]


def _short(text: str) -> str:
    """One line, no longer than one reads."""
    line = printable(text)
    return line if len(line) <= _MOST_CHARACTERS else f"{line[: _MOST_CHARACTERS - 1]}…"
