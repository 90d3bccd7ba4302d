"""Serving the page: to this machine alone unless others are named, with sessions that nobody can make up."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.settings import settings as bokeh_settings

from ...warming import begin_in_background
from ..allowance import ALLOWED
from ..live.ticker import send_all
from ..pages.page import TITLE, page
from .guarded import Compressed, Guarded
from .health import HealthHandler, MemoryWatch, Standing
from .login import login_options
from .logs import take_over
from .opening import Opening
from .settings import derived_key, find_secret, framing, origins
from .settings import prefix as prefix_of

MAX_MESSAGE_BYTES = 10_000_000
"""Uploads come in pieces of 1 MB."""
UNUSED_SESSION_MILLISECONDS = 15_000
CHECK_MILLISECONDS = 1_000
GRACE_SECONDS = 10.0
_NEVER = 1_000_000_000
_TURN_SECONDS = 0.001  # how long a thread that computes in Python holds up the loop
DEMO_SECONDS, DEMO_MEMORY_BYTES = 60.0, 200_000_000


def take_short_turns() -> None:
    """Let no thread of this process hold up the loop for long: by computing in Python, or by looking for garbage."""
    gc.collect()
    gc.freeze()  # else the end of each session looks through all modules
    gc.set_threshold(*gc.get_threshold()[:2], _NEVER)  # what pages hold is looked through when some were closed
    sys.setswitchinterval(_TURN_SECONDS)


def serve(
    port: int = 5006,
    address: str = "127.0.0.1",
    show: bool = False,
    threaded: bool = False,
    *,
    origin: Sequence[str] = (),
    frame_from: Sequence[str] = (),
    prefix: str = "",
    basic_auth: str | Path | None = None,
    oauth: str | None = None,
    secret: str | Path | None = None,
    demo: bool = False,
    open_metrics: bool = False,
    grace: float = GRACE_SECONDS,
    memory: int | None = None,
    session_memory: int | None = None,
    begun: Callable[[], Any] | None = None,
    **options: Any,
) -> Any:
    """Serve the page, by default to this machine only, until interrupted or asked to end (SIGTERM).

    Searches are compiled in the background meanwhile, in a process of their own. ``/health`` tells how the server
    stands.

    Parameters
    ----------
    port : int
        0: any free port.
    address : str
        Network address to listen on.
    show : bool
        Whether to open a browser.
    threaded : bool
        Serve from a thread and return at once.
    origin : sequence of str
        Where people open the page, as ``lab.example:5006`` or ``https://lab.example``; browsers may connect from there,
        from this machine, and under ``address``, and from nowhere else.
    frame_from : sequence of str
        Where pages of others that hold this one in a frame come from, as ``https://lab.example``; from nowhere else.
    prefix : str
        The path below which a reverse proxy shows the page.
    basic_auth : path, optional
        A JSON file of names and passwords, which others may not read; who is not in it has to stay out.
    oauth : str, optional
        One of Panel's providers, such as "github" or "generic"; the rest is in the environment, as ``PANEL_OAUTH_KEY``
        and ``PANEL_OAUTH_SECRET``.
    secret : path, optional
        The file of the secret that signs sessions and cookies, made where there is none; default: ``$RULELAB_SECRET``,
        else a file that is kept for this user.
    demo : bool
        Take no files, and end each run after a minute or at 200 MB.
    open_metrics : bool
        Whether figures are told to other machines, too.
    grace : float
        Seconds that searches have when the server is asked to end.
    memory : int, optional
        Bytes that the server may hold, with its child processes; then the largest search ends with what it has proven,
        and none begins.
    session_memory : int, optional
        Bytes that one search may hold.
    begun : callable, optional
        Called when the server listens.
    **options
        Further options of `panel.serve`.

    Returns
    -------
    The server, or the thread that runs it.

    Raises
    ------
    ServingError
        A ValueError: what is asked for cannot be served, or not safely.
    """
    standing = Standing()
    allowed = origins(address, port, origin)
    secure = bool(origin) and any(each.secure for each in allowed)
    below = prefix_of(prefix)
    key = find_secret(secret)
    defaults: dict[str, Any] = {
        "transforms": [partial(Guarded, secure=secure, named=bool(allowed), framing=framing(frame_from)), Compressed],
        "websocket_compression_level": 6,
        "websocket_compression_mem_level": 5,
        "unused_session_lifetime_milliseconds": UNUSED_SESSION_MILLISECONDS,
        "check_unused_sessions_milliseconds": CHECK_MILLISECONDS,
        "websocket_max_message_size": MAX_MESSAGE_BYTES,
        "prefix": below,
        "extra_patterns": [("/health", HealthHandler, {"standing": standing, "shown": open_metrics})],
        "secret_key": derived_key(key, "sessions").encode(),
        "sign_sessions": True,
        "cookie_secret": derived_key(key, "cookies"),
        "cookie_path": below + "/",
        "xsrf_cookies": True,
        **login_options(basic_auth, oauth, origin, below),
    }
    if allowed:
        defaults["websocket_origin"] = sorted({each.host for each in allowed})
    if demo:
        ALLOWED.uploads, ALLOWED.seconds = False, DEMO_SECONDS
        session_memory = min(session_memory or DEMO_MEMORY_BYTES, DEMO_MEMORY_BYTES)
    ALLOWED.memory, ALLOWED.budget = session_memory, memory
    if memory is not None:
        MemoryWatch(memory).start()
    begin_in_background()
    take_over()
    send_all()
    take_short_turns()
    bokeh_settings.perform_document_validation = False  # of a layout that no visitor changes
    bokeh_settings.perform_error_diagnostics = False  # which looks up the parameters of each callback of each model
    chosen = {**defaults, **options, "threaded": threaded, "start": threaded}
    server = pn.serve({"/": Opening(page, TITLE)}, port=port, address=address, show=show, **chosen)
    standing.server = None if threaded else server
    if begun is not None:
        begun()
    if threaded:
        return server
    standing.end_when_told(grace)
    server.start()
    server.io_loop.start()
    return server
