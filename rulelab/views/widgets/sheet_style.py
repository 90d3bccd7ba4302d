"""Style sheets of uploading: the button with what it takes, and the sheet that is accepted before data are used."""

from __future__ import annotations

from .style import BLUE, FAINT, LINE, MUTED, ORANGE, TEXT

_SURFACE = "var(--panel-background-color, var(--jp-layout-color0, #fff))"
_BUTTON = f"""
button {{ font: inherit; font-weight: 500; color: {TEXT}; background: transparent; border: 1px solid {LINE};
  border-radius: 4px; padding: 6px 12px; min-height: 36px; cursor: pointer; }}
button:hover:enabled {{ background: {FAINT}; }}
button:disabled {{ opacity: 0.55; cursor: default; }}
button:focus-visible, select:focus-visible, input:focus-visible {{ outline: 3px solid {BLUE}; outline-offset: 1px; }}
"""

UPLOADER_CSS = f"""
:host {{ width: 100%; box-sizing: border-box; color: {TEXT}; font-size: 14px; }}
{_BUTTON}
.hidden {{ position: absolute; width: 1px; height: 1px; opacity: 0; pointer-events: none; }}
.uploader {{ position: relative; }}
.choose {{ width: 100%; }}
p {{ margin: 4px 0 0; font-size: 13px; overflow-wrap: anywhere; }}
.limit {{ color: {MUTED}; }}
.progress {{ display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-top: 6px; font-size: 13px; }}
.progress[hidden], .said[hidden] {{ display: none; }}
.doing {{ flex: 1 1 100%; overflow-wrap: anywhere; }}
progress {{ flex: 1 1 100px; accent-color: {BLUE}; min-width: 60px; }}
.said {{ border-left: 5px solid {ORANGE}; padding: 6px 8px;
  background: color-mix(in srgb, {ORANGE} 12%, transparent); }}
"""

SHEET_CSS = f"""
{_BUTTON}
dialog {{ color: {TEXT}; background: {_SURFACE}; border: 1px solid {LINE}; border-radius: 8px; padding: 0;
  width: min(1080px, calc(100vw - 24px)); max-width: none; max-height: calc(100dvh - 24px); font-size: 14px;
  line-height: 1.4; box-sizing: border-box; }}
dialog[open] {{ display: flex; flex-direction: column; }}
dialog::backdrop {{ background: rgb(0 0 0 / 55%); }}
header, footer {{ padding: 10px 16px; flex: none; }}
footer {{ border-top: 1px solid {LINE}; display: flex; flex-wrap: wrap; gap: 8px; align-items: center;
  justify-content: flex-end; }}
.inside {{ overflow: auto; padding: 0 16px 12px; flex: 1 1 auto; min-height: 0; }}
h2:focus {{ outline: none; }}
h2 {{ font-size: 17px; font-weight: 600; margin: 0; overflow-wrap: anywhere; }}
h3 {{ font-size: 14px; font-weight: 600; margin: 14px 0 4px; }}
p {{ margin: 4px 0; overflow-wrap: anywhere; }}
.note {{ color: {MUTED}; font-size: 13px; }}
.form {{ display: flex; flex-wrap: wrap; gap: 8px 16px; }}
label {{ font-size: 13px; color: {MUTED}; display: inline-flex; flex-direction: column; gap: 2px; }}
select, input {{ font: inherit; color: {TEXT}; background: {_SURFACE}; border: 1px solid {LINE}; border-radius: 4px;
  padding: 4px 6px; min-height: 32px; max-width: 100%; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
.columns {{ width: 100%; }}
th {{ text-align: left; font-weight: 500; font-size: 12px; color: {MUTED}; vertical-align: bottom; }}
th, td {{ padding: 4px 8px; border-bottom: 1px solid {LINE}; }}
td {{ vertical-align: top; overflow-wrap: anywhere; }}
.preview td, .preview th {{ white-space: nowrap; font-variant-numeric: tabular-nums; font-size: 13px; }}
.num {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.type {{ white-space: nowrap; }}
.role label {{ display: flex; align-items: flex-start; margin-top: 4px; }}
.name {{ font-weight: 600; min-width: 8em; }}
.notes {{ min-width: 14em; font-size: 13px; }}
.ignored {{ color: {MUTED}; }}
.leak, .doubt {{ border-left: 5px solid #E69F00; padding: 2px 8px; display: block;
  background: color-mix(in srgb, #E69F00 12%, transparent); }}
.wrong {{ flex: 1 1 300px; border-left: 5px solid {ORANGE}; padding: 6px 8px; margin: 0;
  background: color-mix(in srgb, {ORANGE} 12%, transparent); }}
.wrong:empty {{ display: none; }}
.accept {{ background: {BLUE}; color: #fff; border-color: {BLUE}; }}
.accept:hover:enabled {{ background: #005a8e; }}
@media (max-width: 600px) {{
  .columns thead {{ display: none; }}
  .columns tr {{ display: block; border-bottom: 1px solid {LINE}; padding: 6px 0; }}
  .columns td {{ display: inline-block; border: 0; padding: 2px 8px 2px 0; min-width: 0; }}
  .columns td.name, .columns td.notes, .columns td.role {{ display: block; }}
  .columns td[data-what]::before {{ content: attr(data-what) " "; color: {MUTED}; font-size: 12px; }}
}}
"""
