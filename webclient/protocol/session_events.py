"""What happens in sessions, as the one listener of all of them is told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from webclient.model import Answer, Json, ServerRequest
from webclient.protocol.endpoint import Endpoint

INVALID_PARAMS = -32602
"""The JSON-RPC code for a request that asks for what was not negotiated, or is malformed."""

TOO_MANY = -32000
"""The JSON-RPC code for what floods the person (JSON-RPC 2.0, 5.1: -32000 to -32099 are the server's own)."""

INTERNAL_ERROR = -32603
"""The JSON-RPC code for a request that failed here."""


class ElicitationRefusedError(Exception):
    """An elicitation is refused: its server gets the JSON-RPC error `code` with this message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class SessionEvents(Protocol):
    """The listener of all sessions; `endpoint` is the server on whose session something happened."""

    def changed(self, endpoint: Endpoint) -> None:
        """Handle that the status of the connection, or a list of the server, has changed."""

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        """Remember what connecting has shown of the server: `{speaks?, lacks?, silent?}`, and its transport."""

    async def elicited(self, endpoint: Endpoint, request: ServerRequest) -> Answer:
        """Return the person's answer to an elicitation. Raises ElicitationRefusedError.

        It is cancelled when the server withdraws the request, or its session ends.
        """

    async def malformed(self, endpoint: Endpoint, request: ServerRequest, error: str) -> None:
        """Handle an elicitation that the SDK refused as malformed."""

    async def delivered(self, endpoint: Endpoint, request: ServerRequest, *, arrived: bool) -> None:
        """Handle that the answer to a request arrived, or never will; for those that want it."""

    async def completed(self, endpoint: Endpoint, told: Mapping[str, datetime]) -> None:
        """Handle the server's notice, at these times, that these elicitations are completed."""

    def logged(self, endpoint: Endpoint, call_id: str | None, params: Json) -> None:
        """Handle a log message of the server, sent during that call if the transport tells which."""

    async def lost(self, endpoint: Endpoint, *, stopped: bool) -> None:
        """Settle what is open on the session, which is about to end; `stopped`: it is ended from here."""

    def is_busy(self, endpoint: Endpoint) -> bool:
        """Whether the server works for a call, or waits for an answer, on this very session."""

    def is_awaited(self, endpoint: Endpoint) -> bool:
        """Whether a call waits for a session with this server, so that it is worth to try again and again."""
