"""The path under which a proxy shows this program, such as /inbox: taken off each request, and put onto each address.

Routes, checks and templates write addresses from "/" on and know nothing of it. Three seams add it: `BasePath` to the
headers of responses, `OwnAddresses` to templates, and `static/js/home.js` to scripts.
"""

from __future__ import annotations

import re
from contextvars import ContextVar

from jinja2.ext import Extension
from starlette.datastructures import URL, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.web.http.htmx import PUSHED_ADDRESS

_base: ContextVar[str] = ContextVar("base_path", default="")

_WRITTEN = re.compile(r'(\b(?:href|src|(?:form)?action|hx-(?:get|post)|data-[a-z-]+)=")/(?!/)')
_COMPUTED = re.compile(
    r'((?:\b(?:href|src|(?:form)?action|hx-(?:get|post)|data-(?:copy-from|idle|waiting))="|\bcontent="0;url=)\{\{ )'
    r"(.*?)( \}\})"
)
_COOKIE_PATH = re.compile(r"(;\s*path=)/", re.IGNORECASE)
_ADDRESSES = ("Location", PUSHED_ADDRESS)


def base_path() -> str:
    """Return the path of the current context, without a slash at its end; empty at the root of a host."""
    return _base.get()


def based(address: str) -> str:
    """Return an address of ours, from "/" on, as browsers reach it; any other address is returned unchanged."""
    return _base.get() + address if address[:1] == "/" and address[:2] != "//" else address


_PAGE = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~?=&%+-]*")
"""A path on this host and nothing else: a second slash, even a backslash, would begin the name of another host."""


def own_page(page: str) -> str:
    """Return the page to continue to if it is one of ours, else the inbox."""
    return page if _PAGE.fullmatch(page) else "/"


class OwnAddresses(Extension):
    """Adds the path to each address of ours in an attribute that holds one, when a template is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """Return the source with `base_path` in it; a template that leaves it out cannot be written by mistake."""
        # What is computed may be the address of another site, and only `based` can tell.
        return _WRITTEN.sub(r"\1{{ base_path() }}/", _COMPUTED.sub(r"\1(\2)|based\3", source))


class BasePath:
    """Serves the app under `path` as well as at the root, as some proxies take the path off and others do not."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app = app
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Before all checks: they and the routes must see one and the same path.
        inner = {**scope, "path": self._below(scope["path"])}

        async def send_based(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._put_onto(MutableHeaders(scope=message), inner)
            await send(message)

        before = _base.set(self.path)
        try:
            await self.app(inner, receive, send_based)
        finally:
            _base.reset(before)

    def _below(self, path: str) -> str:
        return path.removeprefix(self.path) or "/" if f"{path}/".startswith(f"{self.path}/") else path

    def _put_onto(self, headers: MutableHeaders, scope: Scope) -> None:
        for name in _ADDRESSES:
            if name in headers:
                headers[name] = based(_without_origin(headers[name], URL(scope=scope)))
        cookies = [_COOKIE_PATH.sub(rf"\1{self.path}/", cookie) for cookie in headers.getlist("set-cookie")]
        if cookies:
            del headers["set-cookie"]
            for cookie in cookies:
                headers.append("set-cookie", cookie)


def _without_origin(location: str, here: URL) -> str:
    # Starlette leads "/servers/" to "/servers" by a whole address. Another address of this host may be of another
    # program behind the same proxy, such as the company's sign-in.
    origin = f"{here.scheme}://{here.netloc}"
    return location.removeprefix(origin) if location.startswith(origin + here.path.rstrip("/")) else location
