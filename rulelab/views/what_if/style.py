"""Where the parts of the view stand: the list on the left, persons, groups and the room beside it."""

from __future__ import annotations

from ..widgets.style import BLUE, GREEN, STACK_CSS
from ..widgets.style import VIEW_CSS as GRID_CSS

VIEW_CSS = (
    GRID_CSS
    + """
.rl-edit { grid-column: span 3; }
.rl-side { grid-column: span 3; }
@media (max-width: 1000px) { .rl-edit, .rl-side { grid-column: 1 / -1; } }
"""
)
SIDE_CSS = STACK_CSS + ":host { gap: 12px; align-content: start; }"
WORDS_CSS = f"""
:host(.rl-said) {{ min-height: 3.1em; }}
.why-not {{ margin: 4px 0; padding-left: 18px; font-size: 13px; overflow-wrap: anywhere; }}
.you {{ background: color-mix(in srgb, {BLUE} 16%, transparent); }}
.flip {{ border-left: 4px solid {GREEN}; padding: 4px 10px; }}
"""
