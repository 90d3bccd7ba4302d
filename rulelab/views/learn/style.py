"""Style sheets of the walks."""

from __future__ import annotations

from ..widgets.style import BLUE, FAINT, FOCUS, GREEN, LINE, MUTED, ORANGE, TEXT

WALK_CSS = """
:host { display: grid !important; grid-template-columns: minmax(270px, 330px) minmax(0, 1fr); gap: 0 16px; width: 100%;
  min-width: 0 !important; box-sizing: border-box; align-items: start; max-height: none !important;
  --rl-fixed: sticky; }
.rl-guide { position: sticky; top: 8px; max-height: calc(100vh - 64px); overflow: auto !important; }
@media (min-width: 1200px) {
  :host { --rl-status: sticky; --rl-above: 156px;
    --rl-ground: var(--panel-background-color, var(--jp-layout-color0, #fff)); }
}
.scroll-button { display: none !important; }
@media (max-width: 900px) {
  :host { grid-template-columns: minmax(0, 1fr); gap: 12px; --rl-fixed: static;
    --rl-above: calc(46vh + 16px); }
  .rl-guide { top: 0; z-index: 11; max-height: 46vh; overflow: auto !important; box-shadow: 0 6px 10px -6px #0006;
    background: var(--panel-surface-color, var(--jp-layout-color0, #fff)); }
}
"""
"""On a narrow screen what a step says stays above what it speaks of."""
TEXT_CSS = f"""
:host {{ color: {TEXT}; font-size: 15px; line-height: 1.5; }}
h2 {{ font-size: 17px; font-weight: 600; line-height: 1.3; margin: 0 0 8px; }}
h3 {{ font-size: 15px; font-weight: 600; margin: 0 0 4px; }}
p {{ margin: 0 0 10px; overflow-wrap: anywhere; }}
.where, .note {{ color: {MUTED}; font-size: 13px; margin-bottom: 6px; }}
.bar {{ height: 4px; border-radius: 2px; background: {FAINT}; margin: 0 0 10px; }}
.bar span {{ display: block; height: 100%; border-radius: 2px; background: {GREEN}; }}
.do {{ border-left: 4px solid {ORANGE}; padding: 6px 10px; background: {FAINT}; border-radius: 4px; }}
.do.done {{ border-left-color: {GREEN}; }}
.word {{ font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: help;
  text-decoration: underline dotted; text-underline-offset: 3px; }}
.word:focus-visible, summary:focus-visible {{ {FOCUS} }}
details {{ border: 1px solid {LINE}; border-radius: 6px; padding: 6px 10px; margin: 0 0 10px; }}
summary {{ cursor: pointer; }}
details p {{ margin: 8px 0 2px; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-size: 13px; }}
caption {{ text-align: left; color: {MUTED}; padding-bottom: 2px; }}
th, td {{ text-align: right; padding: 3px 6px; border-bottom: 1px solid {LINE}; font-variant-numeric: tabular-nums; }}
th:first-child, td:first-child {{ text-align: left; }}
th {{ font-weight: 500; color: {MUTED}; vertical-align: bottom; }}
li {{ margin-bottom: 8px; }}
.text, .keys td {{ text-align: left; }}
.keys {{ width: auto; }}
kbd {{ border: 1px solid {LINE}; border-radius: 4px; padding: 0 5px; font: 600 12px/1.4 ui-monospace, monospace; }}
"""
LIST_CSS = f"""
:host {{ display: grid !important; grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr)); gap: 12px;
  width: 100%; min-width: 0 !important; max-height: none !important; }}
.rl-offer {{ border: 1px solid {LINE}; border-left: 5px solid {BLUE}; border-radius: 8px; padding: 12px 14px;
  box-sizing: border-box; height: auto !important; }}
.scroll-button {{ display: none !important; }}
"""
