"""Icons of the buttons, drawn here: an icon font would be fetched from another host."""

from __future__ import annotations

from urllib.parse import quote

_BOX = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">{}</svg>'

RUN = _BOX.format('<path d="M7 4.5v15l12.5-7.5z"/>')
PAUSE = _BOX.format('<path d="M6.5 5h4v14h-4zM13.5 5h4v14h-4z"/>')
STEP = _BOX.format('<path d="M5 5v14l10-7zM16.5 5h3v14h-3z"/>')
STOP = _BOX.format('<path d="M6 6h12v12H6z"/>')
RESET = _BOX.format('<path d="M12 5V1.8L7.2 6.2 12 10.6V7.3a4.9 4.9 0 1 1-4.9 4.9H4.8A7.2 7.2 0 1 0 12 5z"/>')
MORE = _BOX.format('<path d="M4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4z"/>')
CHECK = _BOX.format('<path d="M9.2 16.6 4.9 12.3l-1.7 1.7 6 6L21 8.2l-1.7-1.7z"/>')
SHIELD = _BOX.format('<path d="M12 2 4 5v6c0 5 3.4 9.4 8 11 4.6-1.6 8-6 8-11V5zm0 2.2 6 2.2V11c0 4-2.6 7.5-6 8.9z"/>')
PIN = _BOX.format(
    '<path d="M12 21.5s7-7 7-12a7 7 0 1 0-14 0c0 5 7 12 7 12zm0-9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z"/>'
)

ICON = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0072B2"/>'
    '<g stroke="#fff" stroke-width="3" stroke-linecap="round"><path d="M7 9h11M7 16h8M7 23h5"/></g>'
    '<path d="m17 21 4 4 6-8" fill="none" stroke="#F0E442" stroke-width="3.4" stroke-linecap="round" '
    'stroke-linejoin="round"/></svg>'
)
"""Of the page: a list of rules, and that it is proven."""
