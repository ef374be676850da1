"""Bounds the bytes of a provider's response, before anything reads or keeps them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import httpx2

LARGEST = 67_108_864
"""Bytes of a response; a streamed answer repeats some 300 bytes with each token."""


class TooLargeError(httpx2.ReadError):
    """The response is larger than `LARGEST`, or compressed although that was declined."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream
        self._left = LARGEST

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._left -= len(chunk)
            if self._left < 0:
                raise TooLargeError("The response is too large")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound(response: httpx2.Response) -> None:
    """Let at most `LARGEST` bytes of a response through; a hook of `httpx2.AsyncClient`."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise TooLargeError("The response is compressed")
    response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream))
