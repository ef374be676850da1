"""Fetches icons from the origin of their server, and remembers them for a while.

MCP 2025-11-25, Icons: from the origin of the server alone, over https, without credentials, in bounded time and size.
`outbound` checks the address that is connected to.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple
from weakref import WeakValueDictionary

import anyio
import httpcore2
import httpx2

from webclient.domain.model import Server, ServerKey
from webclient.network import CheckedTransport, ForbiddenAddressError, ServerGuard, tls_context
from webclient.servers.icons.choice import LONGEST, Icon, is_same_origin
from webclient.servers.icons.media_types import TYPES, Picture, picture_of
from webclient.support import background

SECONDS = 10.0
"""Seconds for one icon, with all redirects."""

MOST_REDIRECTS = 3

AT_ONCE = 4
"""Icons of one server that are fetched at the same time; others wait."""

FRESH = 3600.0
"""Seconds for which an icon is remembered."""

MISSING = 300.0
"""Seconds for which it is remembered that an icon could not be fetched."""

REMEMBERED = 1000
REMEMBERED_BYTES = 16 * 2**20
"""Limits of the memory for all servers; the icon that was used longest ago is forgotten first."""

_HEADERS = {"accept": ", ".join(sorted(TYPES)), "accept-encoding": "identity"}
_FAILURES = (
    ForbiddenAddressError,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    OSError,
    TimeoutError,
    UnicodeError,
)
_Key = tuple[ServerKey, str]


class Fetched(NamedTuple):
    """The bytes of an icon, and the media type that came with them; no bytes if it could not be fetched."""

    data: bytes = b""
    media_type: str = ""


class Icons:
    """Icons of all servers, from where `guard` lets them lead; call `close` at the end."""

    def __init__(self, guard: ServerGuard | None = None) -> None:
        self._guard = guard or ServerGuard()
        self._known: OrderedDict[_Key, tuple[float, Fetched]] = OrderedDict()
        self._known_bytes = 0
        self._fetching: dict[_Key, asyncio.Task[Fetched]] = {}
        self._turns: WeakValueDictionary[ServerKey, asyncio.Semaphore] = WeakValueDictionary()

    async def picture(self, server: Server, icon: Icon, *, may_fetch: bool) -> Picture | None:
        """Return the picture of an icon of the server, or None.

        Unless it `may_fetch`, an icon at an address is given only if it is remembered.
        """
        if icon.is_inline:
            return picture_of(icon.data, icon.declared)
        fetched = await self._fetched(server, icon.source, may_fetch)
        return picture_of(fetched.data, icon.declared, fetched.media_type)

    async def forget(self, owner: ServerKey) -> None:
        """Forget the icons of a server that was removed."""
        await _stop([task for (key, _url), task in self._fetching.items() if key == owner])
        for key in [each for each in self._known if each[0] == owner]:
            _at, forgotten = self._known.pop(key)
            self._known_bytes -= len(forgotten.data)

    async def close(self) -> None:
        """Give up what is being fetched."""
        await _stop(list(self._fetching.values()))

    async def _fetched(self, server: Server, url: str, may_fetch: bool) -> Fetched:
        key = (server.key, url)
        at, known = self._known.get(key, (0.0, None))
        if known is not None and (monotonic() - at < (FRESH if known.data else MISSING) or not may_fetch):
            self._known.move_to_end(key)
            return known
        if not may_fetch:
            return Fetched()
        task = self._fetching.get(key)
        if task is None:
            task = self._fetching[key] = background.start(self._fetch(server, key), name="icon", awaited=True)
            task.add_done_callback(lambda _done: self._fetching.pop(key))
        # A browser that leaves does not take the icon from the others, and a removed server does no harm to a browser.
        await asyncio.wait([task])
        return Fetched() if task.cancelled() else task.result()

    async def _fetch(self, server: Server, key: _Key) -> Fetched:
        turn = self._turns.setdefault(server.key, asyncio.Semaphore(AT_ONCE))
        async with turn:
            fetched = await self._fetch_now(server, key[1])
        self._remember(key, fetched)
        return fetched

    async def _fetch_now(self, server: Server, url: str) -> Fetched:
        try:
            with anyio.fail_after(SECONDS):
                zones, networks = await self._guard.open_to(server, str(server.transport.get("url", "")))
                async with httpx2.AsyncClient(
                    transport=CheckedTransport(zones, tls_context(self._guard.ca_file), networks),
                    timeout=SECONDS,
                    trust_env=False,
                    follow_redirects=False,
                    headers=_HEADERS,
                ) as client:
                    return await _follow(client, url)
        except _FAILURES:
            return Fetched()

    def _remember(self, key: _Key, fetched: Fetched) -> None:
        _at, before = self._known.pop(key, (0.0, Fetched()))
        self._known[key] = monotonic(), fetched
        self._known_bytes += len(fetched.data) - len(before.data)
        while len(self._known) > REMEMBERED or self._known_bytes > REMEMBERED_BYTES:
            _key, (_at, forgotten) = self._known.popitem(last=False)
            self._known_bytes -= len(forgotten.data)


async def _stop(fetching: Sequence[asyncio.Task[Fetched]]) -> None:
    for task in fetching:
        task.cancel()
    await asyncio.gather(*fetching, return_exceptions=True)


async def _follow(client: httpx2.AsyncClient, url: str) -> Fetched:
    """Fetch the icon, which `icon_of` has chosen; redirects are followed within its origin."""
    for _redirect in range(MOST_REDIRECTS + 1):
        async with client.stream("GET", url) as response:
            if not response.has_redirect_location:
                return await _read(response)
            location = str(response.url.join(response.headers["location"]))
        if not is_same_origin(url, location):
            return Fetched()
        url = location
    return Fetched()


async def _read(response: httpx2.Response) -> Fetched:
    if response.status_code != httpx2.codes.OK or response.headers.get("content-encoding", "identity") != "identity":
        return Fetched()
    data = bytearray()
    async for piece in response.aiter_raw():
        data += piece
        if len(data) > LONGEST:
            return Fetched()
    return Fetched(bytes(data), response.headers.get("content-type", ""))
