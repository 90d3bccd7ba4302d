"""Logging in with a password of a file, as Panel does it, with a form that no other site can send; or elsewhere."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from panel.auth import AUTH_PROVIDERS, BasicAuthProvider, BasicLoginHandler

from ...assets import asset
from .settings import Origin, ServingError, passwords

SECONDS_AFTER_A_WRONG_PASSWORD = 1.0


class LoginHandler(BasicLoginHandler):
    """The form, and what is sent with it."""

    def get(self) -> None:
        self._show("")

    async def post(self) -> None:
        """Let in who has the right password; for others the answer takes a while."""
        name, password = self.get_body_argument("username", ""), self.get_body_argument("password", "")
        server: Any = self.application
        right = server.auth_provider.known().get(name, "")
        if hmac.compare_digest(password.encode(), right.encode()) and right:
            self.set_current_user(name)
            self.redirect(after_login(self.get_query_argument("next", ""), server.prefix))
            return
        logging.getLogger(__name__).warning("a wrong name or password from %s", self.request.remote_ip)
        await asyncio.sleep(SECONDS_AFTER_A_WRONG_PASSWORD)
        self.set_status(403)
        self._show("There is nobody of this name with this password.")

    def _show(self, said: str) -> None:
        self.set_header("Cache-Control", "no-store")
        self.write(Template(asset("login.html")).substitute(token=self.xsrf_form_html(), said=said))


def after_login(wanted: str, prefix: str) -> str:
    """Where to go after logging in: only ever to a page of this server."""
    inside = wanted.startswith(f"{prefix}/") and not wanted.startswith("//") and "\\" not in wanted
    return wanted if inside and wanted.isprintable() else f"{prefix}/"


class Passwords(BasicAuthProvider):
    """Lets in who is named in a file.

    It is read at each time, so that who is added may come, and who is taken out may no more, from then on.
    """

    login_handler = LoginHandler

    def __init__(self, file: str | Path) -> None:
        super().__init__()
        self._file = Path(file)

    def known(self) -> dict[str, str]:
        """Names and passwords; none where the file cannot be read any more."""
        try:
            return passwords(self._file)
        except ServingError:
            logging.getLogger(__name__).exception("nobody can log in")
            return {}

    @property
    def get_user(self) -> Any:
        ask = super().get_user

        def get_user(handler: Any) -> str | None:
            user = ask(handler)
            return user if user in self.known() else None

        return get_user


def login_options(file: str | Path | None, oauth: str | None, origin: Sequence[str], below: str) -> dict[str, Any]:
    """Panel's options for who has to log in: nobody, those in a file, or those whom a provider knows.

    A provider sends people back to the first ``origin``, `below` the path of a proxy; without one, to where they have
    come from.
    """
    if file is not None and oauth is not None:
        raise ServingError("people log in with a password of a file, or with a provider, not with both")
    if file is not None:
        passwords(file)
        return {"auth_provider": Passwords(Path(file).resolve())}
    if oauth is None:
        return {}
    providers = set(AUTH_PROVIDERS) - {"basic", "password"}
    if oauth not in providers:
        raise ServingError(f"there is no provider {oauth!r}; there are {', '.join(sorted(providers))}")
    missing = [name for name in ("PANEL_OAUTH_KEY", "PANEL_OAUTH_SECRET") if not os.environ.get(name)]
    if missing:
        raise ServingError(f"logging in by {oauth} needs {' and '.join(missing)} in the environment")
    if not origin or os.environ.get("PANEL_OAUTH_REDIRECT_URI"):
        return {"oauth_provider": oauth}
    named = Origin.parse(origin[0])
    back = f"{'https' if named.secure else 'http'}://{named.host}{below}/login"
    return {"oauth_provider": oauth, "oauth_redirect_uri": back}
