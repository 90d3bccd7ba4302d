"""Colours and style sheets of the views. The theme's colours come from the page, with fallbacks for notebooks."""

from __future__ import annotations

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
"""From the colour-blind safe palette of Okabe and Ito; lines have at least 3 : 1 on their background."""

LENGTHS = ("#2c5f9e", "#3f7f9f", "#4f9d95", "#74b57f", "#a6c86a", "#d9d35f", "#f0c04c", "#ef9a3d")
"""Prefix lengths 1 to 8 and more: one light-to-dark order that survives colour blindness."""

INK = {False: "#1a1a1a", True: "#f0f0f0"}
PAPER = {False: "#ffffff", True: "#1f1f1f"}
"""Text inside plots on a light and on a dark page."""
GROUND = {False: "#ffffff", True: "#121212"}
"""Of panels, behind words that stand across lines."""

TEXT = "var(--panel-on-surface-color, var(--jp-ui-font-color0, #222))"
SURFACE = "var(--panel-surface-color, var(--jp-layout-color0, #fff))"
LINE = f"color-mix(in srgb, {TEXT} 18%, transparent)"
FAINT = f"color-mix(in srgb, {TEXT} 6%, transparent)"
MUTED = f"color-mix(in srgb, {TEXT} 72%, transparent)"

UNSEEN = "position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;"
"""Of what is only told to screen readers."""
FOCUS = f"outline: 3px solid {TEXT} !important; outline-offset: 2px;"
"""Where the keyboard is: the colour of the text, which stands out on every background of the page."""
MUI_FOCUS_CSS = f"""
.Mui-focusVisible, .MuiButtonBase-root:has(:focus-visible) {{ {FOCUS} }}
.MuiCheckbox-root.Mui-focusVisible, .MuiToggleButton-root.Mui-focusVisible {{ outline-offset: -4px; }}
"""
"""For controls of Material UI, in which what has the focus is often not what is seen."""
LIT_CSS = f"""
:host(.rl-lit) {{ outline: 3px solid {ORANGE}; outline-offset: 3px; border-radius: 6px;
  scroll-margin: var(--rl-above, 64px) 0 12px; }}
"""
"""What a walk points at; an outline takes no room."""
_NO_SCROLL_BUTTON = ".scroll-button { display: none !important; }"
"""Panel's columns hold an empty button that would take a place of its own in a grid."""

LIVE_CSS = f"""
:host {{ width: 100%; box-sizing: border-box; }}
.live {{ color: {TEXT}; border: 1px solid {LINE}; border-left: 5px solid {MUTED}; border-radius: 6px;
  padding: 8px 12px; font-size: 14px; line-height: 1.35; zoom: var(--rl-zoom, 1); }}
.live[hidden] {{ display: none; }}
.live p {{ margin: 0; }}
.phase {{ font-weight: 600; overflow-wrap: anywhere; white-space: pre-line; }}
.status .phase {{ min-height: 1.35em; }}
.figures {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(max(88px, 9.6%), 1fr)); gap: 2px 12px;
  margin-top: 6px !important; }}
.figures:empty {{ display: none; }}
.figure {{ white-space: nowrap; height: 39px; }}
.name {{ color: {MUTED}; font: inherit; font-size: 12px; display: block; padding: 0; border: 0; background: none;
  text-align: left; text-decoration: underline dotted; text-underline-offset: 3px; cursor: help;
  max-width: 100%; overflow: hidden; text-overflow: ellipsis; }}
.value {{ font-variant-numeric: tabular-nums; font-size: 16px; display: block; }}
.status .figures {{ min-height: 40px; }}
@media (max-width: 560px) {{ .status .phase {{ min-height: 2.7em; }} }}
.busy {{ border-left-color: {BLUE}; }}
.paused {{ border-left-color: {PURPLE}; }}
.proven {{ border-left-color: {GREEN}; background: color-mix(in srgb, {GREEN} 14%, transparent); }}
.earlier {{ border-left-style: dashed; color: {MUTED}; }}
.limit {{ border-left-color: #E69F00; background: color-mix(in srgb, #E69F00 12%, transparent); }}
.failed, .alert {{ border-left-color: {ORANGE}; background: color-mix(in srgb, {ORANGE} 12%, transparent); }}
"""

STANDING_CSS = """
:host(.rl-long) .status .phase { min-height: 2.7em; }
@media (max-width: 1150px) {
  .status .phase { min-height: 2.7em; }
  :host(.rl-long) .status .phase { min-height: 4.05em; }
  .status .figures { min-height: 82px; }
}
@media (max-width: 560px) {
  .status .phase { min-height: 4.05em; }
  :host(.rl-long) .status .phase { min-height: 5.4em; }
  .status .figures { min-height: 124px; }
}
"""
"""Of how a search stands: the place of its sentence and of nine figures is there before they are."""

_ON_TWO_LINES = """
  {of} tr {{ display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 6fr) repeat(2, minmax(0, 5fr)); }}
  {of} tr > :first-child {{ grid-column: 1 / -1; border-bottom: 0; }}
  {of} thead tr > :first-child {{ display: none; }}
  {of} td:not(:first-child) {{ padding-top: 0; min-width: 0 !important; }}
"""
"""Of a table of rules: the words of each over its figures."""

CARD_CSS = f"""
:host {{ color: {TEXT}; font-size: calc(14px * var(--rl-zoom, 1)); line-height: 1.4; }}
:host(.rl-rules) {{ min-height: 170px; }}
:host(.rl-rules) p:first-child {{ margin-top: 0; }}
:host(.rl-account) {{ min-height: 60px; }}
h2 {{ font-size: 15px; font-weight: 600; margin: 0 0 6px; }}
p {{ margin: 6px 0; }}
.empty, .sum, .note {{ color: {MUTED}; font-size: 13px; }}
.note {{ margin: 2px 0; overflow-wrap: anywhere; }}
table.rules {{ border-collapse: collapse; width: 100%; }}
.rules th {{ text-align: left; font-weight: 500; font-size: 12px; color: {MUTED}; padding: 3px 6px;
  border-bottom: 1px solid {LINE}; overflow-wrap: anywhere; vertical-align: bottom; }}
.place {{ display: grid; }}
.place > div {{ grid-area: 1 / 1; }}
.place > .before {{ visibility: hidden; }}
.spare {{ height: calc(13px + 1.4em); }}
.rules td {{ padding: 6px; border-bottom: 1px solid {LINE}; vertical-align: top; overflow-wrap: anywhere; }}
.rules tbody tr:nth-child(odd) {{ background: {FAINT}; }}
.rules .num {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; overflow-wrap: normal; }}
.rules th.num {{ white-space: normal; overflow-wrap: break-word; }}
.rules th.label {{ overflow-wrap: normal; }}
.rules td.label {{ font-weight: 600; min-width: calc(var(--longest, 0) * 0.62em); }}
.shown {{ margin: 6px 0; border-left: 4px solid {GREEN}; padding: 4px 10px; font-size: 13px;
  background: color-mix(in srgb, {GREEN} 10%, transparent); }}
.shown summary {{ cursor: pointer; }}
.useless {{ border-left: 4px solid {ORANGE}; padding: 4px 10px; font-size: 13px;
  background: color-mix(in srgb, {ORANGE} 14%, transparent); }}
.copy {{ font: inherit; color: inherit; background: transparent; border: 1px solid {LINE}; border-radius: 4px;
  padding: 2px 10px; cursor: pointer; }}
.kw {{ color: {MUTED}; font-style: italic; }}
.share {{ display: inline-block; min-width: 44px; padding: 0 3px;
  background: linear-gradient(to right,
    color-mix(in srgb, {BLUE} 32%, transparent) var(--share), {FAINT} var(--share)); }}
.across {{ overflow-x: auto; margin-top: 8px; }}
.confusion {{ border-collapse: collapse; font-size: 13px; }}
.confusion caption {{ text-align: left; color: {MUTED}; padding: 2px 6px; }}
.confusion th, .confusion td {{ padding: 3px 8px; border-bottom: 1px solid {LINE}; font-weight: 400;
  text-align: left; }}
.confusion thead th {{ color: {MUTED}; font-size: 12px; vertical-align: bottom; }}
.confusion .num {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.confusion td.right {{ font-weight: 600; background: color-mix(in srgb, {BLUE} 14%, transparent); }}
.confusion .none {{ color: {MUTED}; }}
.own {{ display: block; font-size: 11px; color: {MUTED}; }}
.box {{ container-type: inline-size; }}
@container (max-width: 420px) {{ {_ON_TWO_LINES.format(of=".rules")} }}
@container (max-width: 560px) {{ {_ON_TWO_LINES.format(of=".rules.many")} }}
"""

LOW_CSS = """
@media (max-height: 820px) { .rules td { padding-top: 2px; padding-bottom: 2px; } p { margin: 4px 0; } }
"""
"""Of a table of rules in a low place."""

PLOT_CSS = f"""
:host {{ color: {TEXT}; font-size: 14px; line-height: 1.35; }}
.plot {{ display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 8px; align-items: start; }}
h2 {{ font-size: 15px; font-weight: 600; line-height: 1.4; margin: 0; }}
.why {{ font: 600 11px/1 system-ui, sans-serif; width: 18px; height: 18px; padding: 0; border-radius: 50%;
  color: {MUTED}; cursor: help; vertical-align: 1px; }}
.rl-told {{ {UNSEEN} }}
.caption {{ grid-column: 1 / -1; color: {MUTED}; font-size: 13px; min-height: 2.7em; margin: 2px 0 0; }}
details {{ position: relative; font-size: 12px; }}
summary, button {{ cursor: pointer; border: 1px solid {LINE}; border-radius: 4px; padding: 2px 8px; font: inherit;
  color: inherit; background: none; }}
summary {{ list-style: none; color: {MUTED}; }}
summary:focus-visible, button:focus-visible, .figures:focus-visible {{ {FOCUS} }}
.sheet {{ position: absolute; right: 0; z-index: 20; width: min(420px, 78vw); padding: 10px; border-radius: 6px;
  border: 1px solid {LINE}; box-shadow: 0 4px 14px #0005;
  background: var(--panel-surface-color, var(--jp-layout-color0, #fff)); }}
.kinds {{ display: flex; gap: 6px; margin: 0 0 8px; }}
.figures {{ max-height: 250px; overflow: auto; }}
table {{ border-collapse: collapse; width: 100%; }}
caption {{ text-align: left; color: {MUTED}; }}
th, td {{ text-align: right; padding: 2px 6px; border-bottom: 1px solid {LINE}; font-weight: 400;
  font-variant-numeric: tabular-nums; white-space: nowrap; }}
th {{ color: {MUTED}; white-space: normal; vertical-align: bottom; }}
"""

STRIP_CSS = f"""
[role=tablist] {{ flex-wrap: wrap; border-bottom: 1px solid {LINE}; margin-bottom: 8px; }}
[role=tab] {{ color: {MUTED}; line-height: 20px; padding: 2px 10px 4px; }}
[role=tab]:hover {{ background: {FAINT}; }}
[role=tab][aria-selected=true] {{ color: {TEXT}; font-weight: 600; border-bottom-color: {BLUE}; }}
@media (max-width: 1150px) {{ [role=tab] {{ padding-left: 5px; padding-right: 5px; }} }}
"""
"""Of tabs within the page."""

PANEL_CSS = f"""
:host {{ box-sizing: border-box; border: 1px solid {LINE}; border-radius: 8px; padding: 10px 12px; min-width: 0; }}
"""

VIEW_CSS = (
    """
:host { display: grid !important; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 12px; width: 100%;
  min-width: 0 !important; box-sizing: border-box; align-items: stretch; }
.rl-row { grid-column: 1 / -1; }
.rl-wide { grid-column: span 3; align-self: stretch !important; height: auto !important; }
@media (max-width: 760px) { .rl-wide { grid-column: 1 / -1; } }
"""
    + _NO_SCROLL_BUTTON
)

SEARCH_CSS = (
    """
:host { --story: clamp(440px, calc(100vh - 252px), 860px);
  display: grid !important; grid-template-columns: minmax(0, 6fr) minmax(0, 7fr); gap: 12px; width: 100%;
  grid-template-rows: auto auto [gap] max(300px, 0.55 * var(--story)) [best] auto;
  min-width: 0 !important; box-sizing: border-box; align-items: start; }
:host(.rl-alone) { grid-template-rows: auto auto auto [gap] max(300px, 0.55 * var(--story)) [best] auto;
  height: auto !important; min-height: max-content !important; flex: 0 0 auto !important; }
.rl-row { grid-column: 1 / -1; }
.rl-controls { position: var(--rl-fixed, static); top: 0; z-index: 10;
  background: var(--panel-background-color, #fff); }
.rl-status { position: var(--rl-status, static); top: 52px; z-index: 9; background: var(--rl-ground, none);
  box-shadow: 0 -14px 0 var(--rl-ground, transparent); }
.rl-above { position: fixed !important; z-index: 1300; top: 4px; left: 330px; right: 84px; width: auto !important;
  max-height: 60px; overflow: auto; border-radius: 6px; background: var(--panel-surface-color, #fff); }
@media (min-width: 1200px) { .rl-above { left: 660px; } }
.rl-wide { align-self: stretch !important; min-width: 0; }
.rl-gap { grid-column: 1; grid-row: gap; height: auto !important; contain: size; }
.rl-best { grid-column: 1; grid-row: best; height: auto !important;
  min-height: calc(0.45 * var(--story) - 12px) !important; }
.rl-why { grid-column: 2; grid-row: gap / span 2; height: auto !important; min-height: var(--story) !important;
  align-self: start !important; }
@media (max-height: 760px) {
  :host { --story: clamp(440px, calc(100vh - 230px), 860px);
    grid-template-rows: auto auto [gap] max(280px, 0.55 * var(--story)) [best] auto; }
  :host(.rl-alone) { grid-template-rows: auto auto auto [gap] max(280px, 0.55 * var(--story)) [best] auto; }
}
@media (max-width: 1150px) { :host { --story: clamp(400px, calc(100vh - 346px), 860px); } }
@media (max-width: 760px) {
  :host, :host(.rl-alone) { grid-template-columns: minmax(0, 1fr); grid-template-rows: none; }
  .rl-wide { grid-column: 1 / -1; grid-row: auto; }
  .rl-gap { height: 330px !important; }
  .rl-why { min-height: 560px !important; }
  .rl-best { min-height: 430px !important; }
  .rl-above { position: static !important; max-height: none; grid-column: 1 / -1; }
}
"""
    + _NO_SCROLL_BUTTON
)
"""The story of a run on one screen: the gap over the best model, and why beside them. What is longer makes the page
longer and moves nothing above it. Errors stand in the head of the page."""

FILL_CSS = (
    """
:host { display: flex !important; flex-direction: column; flex-wrap: nowrap; }
.rl-fill { flex: 1 0 auto !important; height: auto !important; }
.rl-plot { flex: 1 1 0 !important; min-height: 0 !important; height: auto !important; }
"""
    + _NO_SCROLL_BUTTON
)
"""Of a box of given height, one part of which takes what the others leave."""

PAGE_CSS = (
    """
:host { display: grid !important; grid-template: auto 1fr / var(--rl-columns, 290px minmax(0, 1fr));
  gap: 0 16px;
  width: 100%; min-width: 0 !important; box-sizing: border-box; padding: 12px 16px 24px; align-items: start; }
:host, .rl-data, .rl-more, .rl-view { max-height: none !important; }
.rl-data { grid-area: 1 / 1; }
.rl-more { grid-area: 2 / 1; }
.rl-view { grid-area: var(--rl-place, 1 / 2 / span 2); }
@media (max-width: 900px) {
  :host { grid-template: none / minmax(0, 1fr); grid-auto-rows: max-content; gap: 12px; padding: 8px 10px 20px; }
  .rl-data, .rl-more, .rl-view { grid-area: auto; }
}
"""
    + _NO_SCROLL_BUTTON
)

BAR_CSS = """
.rl-hint { flex: 1 1 130px !important; min-width: 130px; padding-right: 22px;
  width: auto !important; align-self: center !important; }
.rl-hint.rl-short { flex-basis: 96px !important; min-width: 96px; padding-right: 0; }
:host { flex-wrap: wrap; gap: 8px; align-items: flex-end; min-width: 0 !important; }
"""

FIGURE_CSS = f".bk-Canvas {{ --outline-width: 3px; --outline-style: solid; --highlight-color: {TEXT}; }}"
"""Of a figure that has the keyboard."""

NUMBER_CSS = f"""
.bk-spin-btn {{ display: none !important; }}
input.bk-input:focus-visible {{ {FOCUS} }}
"""
"""Without the two small buttons, which have no names; the arrow keys do the same."""

BUTTON_CSS = f"""
.bk-btn {{ border: 1px solid {LINE} !important; padding: 4px 8px; display: inline-flex !important; align-items: center;
  justify-content: center; transition: none !important; }}
.bk-btn .bk-SVGIcon {{ position: relative; top: 3px; }}
.bk-btn:focus-visible {{ {FOCUS} }}
.bk-btn[disabled] {{ opacity: 0.45; cursor: default; }}
.bk-btn-primary {{ color: var(--panel-on-primary-color, #fff) !important; }}
"""

WRONG_CSS = f"""
p {{ margin: 3px 0 0; padding-left: 8px; border-left: 3px solid {ORANGE}; font-size: 13px; overflow-wrap: anywhere; }}
"""
"""A complaint about a field, beneath it."""

_ARROW = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 6'%3E"
    "%3Cpath fill='%23808080' d='M0 0h10L5 6z'/%3E%3C/svg%3E"
)
SELECT_CSS = f"""
select.bk-input {{ background-image: url("{_ARROW}") !important; background-size: 9px 6px;
  padding-right: 24px; text-overflow: ellipsis; }}
select.bk-input:focus-visible {{ {FOCUS} }}
select.bk-input:disabled {{ opacity: 1; color: {MUTED} !important; border-style: dotted; cursor: default; }}
"""
"""The arrow of a list in a grey that shows on both themes; the theme's own is black."""

CARD_HEAD_CSS = f"""
:host {{ border: 1px solid {LINE}; }}
.scroll-button {{ display: none !important; }}
.card-header {{ min-height: 36px; padding-top: 2px; padding-bottom: 2px; }}
.card-header:focus-visible {{ {FOCUS} outline-offset: -3px; }}
.card-header-row {{ font-size: 14px !important; }}
@media (min-width: 560px) and (max-width: 900px) {{
  :host(.rl-two) {{ display: grid !important; grid-template-columns: repeat(2, minmax(0, 1fr)); align-items: start; }}
  :host(.rl-two) > .card-header {{ grid-column: 1 / -1; }}
  :host(.rl-two) > .bk-panel-models-layout-Column {{ grid-area: 3 / 2; }}
}}
"""

SMALL_CSS = """
.bk-btn { padding: 4px 6px !important; font-size: 13px !important; }
.bk-btn > a { padding-top: 0 !important; padding-bottom: 0 !important; line-height: 24px !important; }
"""
"""Of buttons, many of which have to stand side by side."""

CARD_TITLE_CSS = "h2 { font-size: 1.17em; margin: 1em 0; }"

MODEL_BOX_CSS = """
:host { display: grid !important; grid-template: subgrid / minmax(0, 1fr); width: auto !important;
  height: auto !important; min-width: 0 !important; max-height: none !important; align-content: start; }
.scroll-button { display: none !important; }
"""
"""A card: its lines are those of the grid around it, where there is one."""

COMPARE_CSS = (
    """
:host { display: grid !important; grid-template-columns: minmax(0, 1fr); width: 100%; padding: 12px 16px 24px;
  box-sizing: border-box; min-width: 0 !important; max-height: none !important; }
@media (max-width: 900px) { :host { padding: 8px 10px 20px; } }
"""
    + _NO_SCROLL_BUTTON
)

CARDS_CSS = """
:host { display: grid !important; grid-auto-flow: column; grid-auto-columns: minmax(min(320px, 100%), 760px);
  column-gap: 12px; width: 100%; min-width: 0 !important; box-sizing: border-box; align-items: stretch;
  max-height: none !important; height: auto !important; overflow-x: auto; overflow-y: hidden;
  scroll-snap-type: x proximity; container-type: inline-size; }
.rl-model { scroll-snap-align: start; }
.scroll-button { display: none !important; }
"""
"""Cards side by side, their lines on one height; what has no place is scrolled to, and the page stays."""

STACK_CSS = (
    """
:host { display: grid !important; grid-template-columns: minmax(0, 1fr); width: 100%; min-width: 0 !important;
  max-height: none !important; }
"""
    + _NO_SCROLL_BUTTON
)
TAB_CSS = (
    """
:host { min-width: 0 !important; width: 100%; max-width: 100%; max-height: none !important; }
:host(.rl-tab) { opacity: var(--rl-stale, 1); }
"""
    + _NO_SCROLL_BUTTON
)
WIDE_TABLE_CSS = """
:host { overflow-x: auto; }
"""
