"""Streams of messages around those of a transport: they change messages, and pass on everything else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage


class WrappedStream:
    """The methods that every such stream passes on."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._inner.__aexit__(kind, error, traceback)


class IncomingMessages(WrappedStream, ABC):
    """A stream from the server; it ends as the transport's does."""

    @abstractmethod
    async def receive(self) -> SessionMessage | Exception:
        """Return the next message. Raises EndOfStream."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None
