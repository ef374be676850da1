"""The cached catalog of one connection: listed once, and again only when it may have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from time import monotonic

from webclient.domain.model import Catalog
from webclient.protocol import Endpoint
from webclient.support import background

AT_ONCE = 5.0
"""Seconds for which a catalog with a time to live of 0 is shown again without reading it."""


class CatalogCache:
    """The newest catalog that was read. It is out of date

    - when the server says that a list has changed, and in each new session;
    - after the time to live that the server gives it (2026-07-28: `ttlMs`);
    - after `AT_ONCE` seconds if that time is 0, which most servers send unintentionally. Then it is read again to be
      shown but not before a call, because the server checks each call anyway.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.newest = Catalog()
        self._endpoint = endpoint
        self._version = -1
        self._read_at = 0.0
        self._reading: asyncio.Task[Catalog] | None = None
        self._reading_version = -1

    @property
    def was_read(self) -> bool:
        """Whether a catalog was read at all."""
        return self._version >= 0

    async def read(
        self, list_all: Callable[[], Awaitable[Catalog]], *, to_run: bool = False, refresh: bool = False
    ) -> Catalog:
        """Return the catalog; read it with `list_all` if it is out of date or with `refresh`.

        `to_run`: it is needed for a call and not shown. Raises the errors of `list_all`. Readers at the same time share
        one listing.
        """
        if not refresh and self._is_current(to_run=to_run):
            return self.newest
        reading = self._reading
        if reading is None or reading.done() or self._reading_version != self._endpoint.lists_version:
            self._reading_version = self._endpoint.lists_version
            # An empty context: a log message of the server must not be attributed to the call that reads this.
            listing = self._list(list_all, self._reading_version)
            reading = self._reading = background.start(listing, name="catalog", context=Context(), awaited=True)
        return await background.shared(reading)

    def _is_current(self, *, to_run: bool) -> bool:
        if self._version != self._endpoint.lists_version:
            return False
        age, ttl = monotonic() - self._read_at, self.newest.ttl
        return ttl is None or age < ttl or (ttl == 0 and (to_run or age < AT_ONCE))

    async def _list(self, list_all: Callable[[], Awaitable[Catalog]], version: int) -> Catalog:
        at = monotonic()
        catalog = await list_all()
        differs = self._version == version and catalog != self.newest
        self.newest, self._version, self._read_at = catalog, version, at
        if differs:
            # Open pages show the older one.
            self._endpoint.notify()
        return catalog
