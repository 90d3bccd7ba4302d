"""Draws the rooms of the package on their floors; ``python tests/architecture.py`` writes the figure anew."""

import ast
import textwrap
from html import escape
from pathlib import Path

from places import ROOT
from structure import PACKAGE, dotted, internal, modules

FIGURE = ROOT / "notebooks" / "architecture.svg"
_SMALL = (
    "arguments", "as_json", "dates", "engines", "errors", "files", "lazy", "linear_solver", "parameters", "progress",
    "rehearsal", "remaining", "results", "sharing", "shown", "warming",
)  # fmt: skip
"""Single files beside the rooms, which are drawn as one."""
_SMALL_NAME = "single files"
_WIDTH, _PAD, _LINE = 1200, 12, 17
_TEXT, _CODE = "font: 13px sans-serif", "font: bold 14px monospace"


def top(module: str) -> str | None:
    """The room that a module is drawn in; none for the ways in, which only lead on."""
    first = module.split(".")[0]
    if first in ("", "__main__"):
        return None
    return _SMALL_NAME if first in _SMALL else first


def uses() -> dict[str, set[str]]:
    """For each room the rooms that it imports from; single files are at everybody's hand."""
    found: dict[str, set[str]] = {}
    for path in modules():
        room = top(".".join(dotted(path)[1:]))
        if room is None or room == _SMALL_NAME:
            continue
        others = {top(name) for name in internal(path)}
        found.setdefault(room, set()).update(each for each in others if each not in (None, room, _SMALL_NAME))
    return found


def floors(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The rooms by the longest way down, the ground floor last."""
    height: dict[str, int] = {}

    def of(room: str) -> int:
        if room not in height:
            height[room] = 1 + max((of(each) for each in arrows[room]), default=-1)
        return height[room]

    highest = max(of(room) for room in arrows)
    return [sorted(room for room in arrows if height[room] == k) for k in range(highest, -1, -1)]


def sentence(path: Path) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def rooms_inside(room: str) -> list[tuple[str, str]]:
    """The rooms within a room, and what they are."""
    inside = sorted((PACKAGE / room).glob("*/__init__.py")) if (PACKAGE / room).is_dir() else []
    return [(path.parent.name, sentence(path)) for path in inside]


def lines_of(room: str, width: int) -> list[tuple[str, str]]:
    """What stands in the box of a room: styles and texts."""
    letters = max(12, (width - 2 * _PAD) // 7)
    if room == _SMALL_NAME:
        told = [(name, sentence(PACKAGE / f"{name}.py")) for name in sorted(_SMALL)]
        lines = [(_CODE, room)]
    else:
        path = PACKAGE / room / "__init__.py"
        told_first = sentence(path if path.exists() else PACKAGE / f"{room}.py")
        lines = [(_CODE, room), *((_TEXT, text) for text in textwrap.wrap(told_first, letters))]
        told = rooms_inside(room)
    for name, text in told:
        lines += [(_TEXT, part) for part in textwrap.wrap(f"{name}: {text}", letters, subsequent_indent="\u2003")]
    return lines


def draw() -> str:
    """The figure as SVG."""
    boxes, y = [], 16
    for floor in [*floors(uses()), [_SMALL_NAME]]:
        width = (_WIDTH - 16 * (len(floor) + 1)) // len(floor)
        texts = [lines_of(room, width) for room in floor]
        height = 2 * _PAD + _LINE * max(map(len, texts))
        for k, lines in enumerate(texts):
            x = 16 + k * (width + 16)
            boxes.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
            for n, (style, text) in enumerate(lines):
                at = f'x="{x + _PAD}" y="{y + _PAD + 13 + n * _LINE}"'
                boxes.append(f'<text {at} style="{style}">{escape(text)}</text>')
        y += height + 16
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img" fill="#1a1a1a">'
    title = "<title>The rooms of rulelab: each uses only those below it</title>"
    style = "<style>rect { fill: #eef4fa; stroke: #0072b2 }</style>"
    ground = f'<rect width="{_WIDTH}" height="{y}" style="fill: #ffffff; stroke: none"/>'
    return "\n".join([head, title, style, ground, *boxes, "</svg>", ""])


if __name__ == "__main__":
    FIGURE.write_text(draw(), encoding="utf-8")
