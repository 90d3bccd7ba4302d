"""The style sheet of model cards, for the page and for the report."""

from __future__ import annotations

from ..widgets.style import BLUE, CARD_CSS, FAINT, FOCUS, GREEN, LINE, MUTED, ORANGE, TEXT, UNSEEN

MARK = "#E69F00"
"""Where cards differ: the amber of Okabe and Ito, always with a word or a line beside it."""

_DOT = f"color-mix(in srgb, {BLUE} 72%, {TEXT})"

ON_TWO_LINES = """
  .ranks{of} {{ grid-template-columns: repeat(4, minmax(0, 1fr)) !important; }}
  .ranks{of} tr > :first-child {{ grid-column: 1 / -1; border-bottom: 0; }}
  .ranks{of} thead tr > :first-child {{ display: none; }}
  .ranks{of} td:not(:first-child) {{ padding-top: 0; }}
"""
"""Of rules side by side where the numbers have no room beside the words: they stand under them."""

MODEL_CSS = f"""{CARD_CSS}
h2 {{ overflow-wrap: anywhere; }}
.aside {{ {UNSEEN} }}
h3 {{ font-size: 13px; font-weight: 600; margin: 10px 0 2px; }}
.letter {{ display: inline-block; min-width: 1.5em; text-align: center; border-radius: 4px; color: #fff;
  background: {BLUE}; }}
.state {{ border-left: 4px solid {MARK}; padding: 4px 8px; overflow-wrap: anywhere;
  background: color-mix(in srgb, {MARK} 10%, transparent); }}
.state.proven {{ border-color: {GREEN}; background: color-mix(in srgb, {GREEN} 12%, transparent); }}
.differs {{ background: color-mix(in srgb, {MARK} 16%, transparent) !important;
  box-shadow: inset 3px 0 0 {MARK}; }}
.badge {{ font-size: 11px; font-weight: 400; border: 1px solid {MARK}; border-radius: 8px; padding: 0 6px;
  white-space: nowrap; }}
summary {{ font-weight: 600; font-size: 13px; cursor: pointer; margin: 10px 0 4px; }}
.facts, .groups {{ border-collapse: collapse; width: 100%; }}
.facts th, .facts td, .groups th, .groups td {{ padding: 3px 6px; border-bottom: 1px solid {LINE}; text-align: left;
  vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }}
.facts th[scope=row] {{ color: {MUTED}; }}
.facts .num, .groups .num {{ text-align: right; font-variant-numeric: tabular-nums; }}
.facts:not(.methods) {{ table-layout: fixed; }}
.facts:not(.methods) th[scope=row] {{ width: 42%; }}
.figures .num {{ font-size: 15px; }}
.lines {{ display: grid; grid-template: subgrid / minmax(0, 1.25fr) repeat(2, minmax(0, 1fr));
  grid-row: 1 / -1; grid-column: 1; min-width: 0; }}
.rows, .line[role=row] {{ display: contents; }}
.line:not([role=row]) {{ grid-column: 1 / -1; min-width: 0; }}
.line > span {{ padding: 4px 6px; border-bottom: 1px solid {LINE}; overflow-wrap: anywhere; min-width: 0; }}
.line.wide > :nth-child(2) {{ grid-column: 2 / -1; }}
.line > [role=rowheader], .heads > span {{ color: {MUTED}; font-size: 13px; }}
.heads > span {{ font-size: 12px; padding-bottom: 1px; }}
.line.differs {{ box-shadow: none; }}
.line.differs > span {{ background: color-mix(in srgb, {MARK} 14%, transparent); }}
.line.differs > :first-child {{ box-shadow: inset 3px 0 0 {MARK}; }}
.ranks {{ grid-template-columns: minmax(0, 1fr) repeat(4, auto) !important; }}
.ranks > *, .ranks tr, .ranks td[colspan] {{ grid-column: 1 / -1; }}
.ranks .box, .ranks table, .ranks thead, .ranks tbody {{ display: contents; container-type: normal; }}
.ranks tr {{ display: grid; grid-template-columns: subgrid; }}
.quiet, .quiet .value, .quiet > td, .quiet b {{ color: {MUTED}; }}
.quiet b, .quiet .label {{ font-weight: 400 !important; }}
.ends {{ display: block; font-size: 11px; font-variant-numeric: tabular-nums; }}
.dots {{ display: block; position: relative; height: 13px; margin: 1px 4px 0; cursor: help;
  background: linear-gradient({LINE}, {LINE}) 0 6px / 100% 1px no-repeat; }}
.dots i {{ position: absolute; }}
.dots .reach {{ top: 5px; height: 3px; min-width: 1px; border-radius: 2px;
  background: color-mix(in srgb, {_DOT} 55%, transparent); }}
.dots .at {{ top: 2px; width: 9px; height: 9px; margin-left: -4.5px; border-radius: 50%; box-sizing: border-box;
  background: {_DOT}; border: 1.5px solid {_DOT}; }}
.dots .hollow {{ background: var(--ground, var(--panel-surface-color, #fff)); }}
.dots .base {{ top: 0; height: 13px; border-left: 2px dotted {TEXT}; margin-left: -1px; }}
.quiet .at, .quiet .reach {{ opacity: 0.6; }}
.value {{ font-size: 15px; font-variant-numeric: tabular-nums; }}
.unit {{ color: {MUTED}; font-size: 12px; }}
.line .range {{ display: block; white-space: normal; }}
.delta, .same {{ font-size: 12px; font-variant-numeric: tabular-nums; margin-left: 6px; white-space: nowrap; }}
.delta {{ font-weight: 600; border: 1px solid {LINE}; border-radius: 8px; padding: 0 5px; }}
.same {{ color: {MUTED}; }}
.spread .delta, .spread .same {{ display: block; width: fit-content; margin: 2px 0 0 auto; }}
.bar {{ display: flex; height: 12px; margin: 3px 0 4px; border-radius: 2px; overflow: hidden; }}
.bar i {{ min-width: 1px; flex-basis: 0; }}
.outcomes span {{ display: block; font-size: 12px; white-space: nowrap; font-variant-numeric: tabular-nums; }}
.outcomes i {{ display: inline-block; width: 9px; height: 9px; margin-right: 4px; border-radius: 2px; }}
.outcomes b {{ font-weight: 600; }}
.o0 {{ background: {BLUE}; }}
.o1 {{ background: repeating-linear-gradient(45deg, {BLUE} 0 2px, transparent 2px 4px);
  box-shadow: inset 0 0 0 1px {BLUE}; }}
.o2 {{ background: repeating-linear-gradient(-45deg, {ORANGE} 0 2px, transparent 2px 4px);
  box-shadow: inset 0 0 0 1px {ORANGE}; }}
.o3 {{ background: {MUTED}; }}
.warning {{ background: color-mix(in srgb, {ORANGE} 14%, transparent); border-color: {ORANGE}; }}
.groups .few {{ color: {MUTED}; font-style: italic; }}
dl {{ display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 14px; font-size: 13px;
  margin: 6px 0; }}
dt {{ font-weight: 600; }}
dd {{ margin: 0; max-width: 90ch; }}
.charts {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 260px), 1fr)); gap: 4px 20px; }}
.charts svg {{ width: 100%; max-width: 520px; height: auto; }}
svg text {{ fill: {TEXT}; font-size: 11px; }}
svg .title {{ font-weight: 600; font-size: 12px; }}
svg .tick {{ text-anchor: middle; fill: {MUTED}; font-size: 10px; }}
svg .end {{ text-anchor: end; }}
svg .grid {{ stroke: {LINE}; }}
svg .interval {{ stroke: {_DOT}; stroke-width: 1.5; }}
svg .filled {{ fill: {_DOT}; }}
svg .hollow {{ fill: var(--ground, var(--panel-surface-color, #fff)); stroke: {_DOT}; stroke-width: 1.5; }}
.groups {{ margin: 4px 0 8px; table-layout: fixed; }}
.groups thead th:first-child {{ width: 22%; }}
.groups thead th:nth-child(2) {{ width: 12%; }}
.groups th.num, .groups td.num {{ padding-left: 3px; padding-right: 3px; overflow-wrap: normal; }}
.groups thead th, .methods thead th {{ font-size: 12px; color: {MUTED}; font-weight: 500; vertical-align: bottom; }}
.range {{ color: {MUTED}; font-size: 11px; white-space: nowrap; }}
.groups .range {{ display: block; white-space: normal; overflow-wrap: anywhere; }}
.spread {{ background: {FAINT}; }}
.methods thead th {{ overflow-wrap: normal; }}
.methods th[scope=row] {{ min-width: 130px; }}
.points {{ min-width: 660px; }}
.points td {{ white-space: nowrap; }}
.methods caption {{ text-align: left; color: {MUTED}; font-size: 13px; padding: 6px; }}
.text {{ overflow-wrap: anywhere; }}
@container (max-width: 860px) {{ {ON_TWO_LINES.format(of=".of2")} }}
@container (max-width: 1290px) {{ {ON_TWO_LINES.format(of=".of3")} }}
{ON_TWO_LINES.format(of=".many")}
@container (max-width: 400px) {{
  .groups tr {{ display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); }}
  .groups tr > :first-child {{ grid-column: 1 / -1; border-bottom: 0; padding-bottom: 0; }}
  .groups thead tr > :nth-child(n) {{ width: auto; }}
}}
@container (max-width: 330px) {{ .groups tr {{ grid-template-columns: repeat(3, minmax(0, 1fr)); }} }}
"""

LINES_CSS = """
:host { display: grid !important; grid-template: subgrid / minmax(0, 1fr); }
:host > div { display: contents; }
"""
"""A pane whose lines are rows of the grid around it."""

_TEXT_AREA = f"""
:host, .bk-input-group {{ height: auto !important; }}
textarea.bk-input {{ field-sizing: content; height: auto !important; resize: vertical; max-height: none !important; }}
textarea.bk-input:focus-visible {{ {FOCUS} }}
"""
NOTE_CSS = f"""{_TEXT_AREA}
textarea.bk-input {{ min-height: 4.6em; }}
"""
"""A text of people, that is shown whole."""

NAME_CSS = f"""{_TEXT_AREA}
textarea.bk-input {{ font-size: 15px; font-weight: 600; color: {TEXT}; padding: 2px 6px; min-height: 0;
  resize: none !important; }}
textarea.bk-input:not(:hover, :focus) {{ border-color: transparent; background: transparent; }}
textarea.bk-input::placeholder {{ color: {TEXT}; opacity: 1; }}
label {{ {UNSEEN} }}
"""
"""A heading that can be written over."""
