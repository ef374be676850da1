"""Answers only requests for known names of this machine, which stops DNS rebinding.

A page on evil.example may let its own name point to 127.0.0.1 and then talk to us as its own origin; its
requests still say `Host: evil.example`. An attacker cannot redirect `localhost` or a loopback address.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.domain.i18n import gettext as _
from webclient.settings import is_loopback

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?", re.ASCII)  # RFC 9110 section 7.2


class HostCheck:
    """Refuses a request whose Host is neither loopback nor one of `allowed_hosts`, on any port."""

    def __init__(self, app: ASGIApp, allowed_hosts: Sequence[str]) -> None:
        self.app = app
        self.allowed_hosts = frozenset(allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._check(Headers(scope=scope).getlist("host"))
        await self.app(scope, receive, send)

    def _check(self, given: list[str]) -> None:
        # Two Host headers could mean one thing to a proxy and another to us.
        name = _name(given[0]) if len(given) == 1 else None
        if name is None or not (is_loopback(name) or name in self.allowed_hosts):
            raise HTTPException(400, _refusal(", ".join(given)))


def _name(host: str) -> str | None:
    found = _HOST.fullmatch(host.lower())
    return (found[1] or found[2]) if found else None


def _refusal(seen: str) -> str:
    return _(
        'The request is for the host "{seen}", and this answers to localhost and to allowed hosts only. If '
        "that is the name that you gave this machine, start mcp-webclient with --allowed-host and that name."
    ).format(seen=seen)
