"""The style sheet of model cards, for the page and for the report."""

from __future__ import annotations

from ..widgets.style import BLUE, CARD_CSS, FAINT, GREEN, LINE, MUTED

MARK = "#E69F00"
"""Where cards differ: the amber of Okabe and Ito, always with a word or a line beside it."""

MODEL_CSS = f"""{CARD_CSS}
h2 {{ overflow-wrap: anywhere; }}
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
.groups {{ margin: 4px 0 8px; }}
.groups th.num, .groups td.num {{ padding-left: 3px; padding-right: 3px; overflow-wrap: normal; }}
.groups thead th, .methods thead th {{ font-size: 12px; color: {MUTED}; font-weight: 500; vertical-align: bottom; }}
.range {{ color: {MUTED}; font-size: 11px; white-space: nowrap; }}
.groups .range {{ display: block; }}
.more {{ margin-top: 8px; }}
.spread {{ background: {FAINT}; }}
.methods thead th {{ overflow-wrap: normal; }}
.points {{ min-width: 660px; }}
.points td {{ white-space: nowrap; }}
.methods caption {{ text-align: left; color: {MUTED}; font-size: 13px; padding: 6px; }}
.text {{ overflow-wrap: anywhere; }}
@container (max-width: 400px) {{
  .groups tr {{ display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); }}
  .groups tr > :first-child {{ grid-column: 1 / -1; border-bottom: 0; padding-bottom: 0; }}
}}
"""
