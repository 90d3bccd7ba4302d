"""Icons of the buttons, drawn here: an icon font would be fetched from another host."""

from urllib.parse import quote

from ...assets import asset, texts

_BOX = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">{}</svg>'
RUN, PAUSE, STEP, STOP, RESET, MORE, CHECK, SHIELD, PIN = map(_BOX.format, texts("icons").values())
ICON = "data:image/svg+xml," + quote(asset("page.svg"))  # of the page: a list of rules, and that it is proven
