"""Suggestions for arguments while a person types: cached, at a bounded rate, and never in the way."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from time import monotonic

from webclient.domain.errors import ConflictError
from webclient.domain.model import ArgumentValues, Json, TypedArgument

PAUSE = 0.1
"""Seconds between two requests to one server (MCP, Completion: "MUST implement appropriate rate limiting")."""

LONGEST = 3.0
"""Seconds after which a suggestion comes too late to be of use."""

MOST_AT_ONCE = 2
"""Requests that one server may work on; of more, the newest counts."""

CACHED = 200
"""Suggestions that are remembered of one connection."""

FRESH = 60.0
"""Seconds for which they are."""

_NONE = ArgumentValues()


def completes_arguments(capabilities: Json | None) -> bool:
    """Return whether the server declares that it completes arguments (MCP, Completion, Capabilities)."""
    return (capabilities or {}).get("completions") is not None


class Completion:
    """The suggestions of one connection. A server that fails, or is slow, suggests nothing."""

    def __init__(self) -> None:
        self._cache: OrderedDict[TypedArgument, tuple[float, ArgumentValues]] = OrderedDict()
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._newest = 0
        self._sent_at = 0.0

    async def values(self, wanted: TypedArgument, ask: Callable[[], Awaitable[ArgumentValues]]) -> ArgumentValues:
        """Return the suggestions, from the cache or with `ask`; none if a newer question came meanwhile."""
        sent_at, cached = self._cache.get(wanted, (0.0, None))
        if cached is not None and monotonic() - sent_at < FRESH:
            return cached
        self._newest = turn = self._newest + 1
        async with self._slots:
            if turn != self._newest:
                return _NONE
            self._sent_at = max(monotonic(), self._sent_at + PAUSE)
            await asyncio.sleep(self._sent_at - monotonic())
            try:
                async with asyncio.timeout(LONGEST):
                    found = await ask()
            except (ConflictError, TimeoutError):
                return _NONE
        self._remember(wanted, found)
        return found

    def _remember(self, wanted: TypedArgument, found: ArgumentValues) -> None:
        self._cache[wanted] = monotonic(), found
        if len(self._cache) > CACHED:
            self._cache.popitem(last=False)
