"""What a connection needs of the house: somebody to ask, and to be told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from mcp.types import ElicitResult, ErrorData

from webclient.model import Json
from webclient.protocol.limits import ServerLimits
from webclient.protocol.tap import Asked

if TYPE_CHECKING:
    from webclient.servers.connection import Connection


class SessionEvents(Protocol):
    """The house around all connections; each tells which one it is. `limits` is how much is taken of a server."""

    limits: ServerLimits

    async def pushed(self, connection: Connection) -> ElicitResult | ErrorData:
        """Answer a question of the server."""

    async def malformed(self, connection: Connection, asked: Asked, error: str) -> None:
        """Show a question that had to be refused."""

    async def notified(self, connection: Connection, told: Mapping[str, datetime]) -> None:
        """Take note that the person has done what these elicitations asked for, as the server told at that time."""

    def logged(self, connection: Connection, call_id: str | None, params: Json) -> None:
        """Keep a log message of the server, sent during that call if the transport tells which."""

    async def lost(self, connection: Connection, reason: str) -> None:
        """Settle what is open on the connection: its session is about to go, or gone."""

    async def found(self, connection: Connection) -> None:
        """Remember what was learned of the server: how it is reached, and in which eras it speaks."""

    def busy(self, connection: Connection) -> bool:
        """Whether the server works for somebody, or waits for an answer, on this very session."""

    def awaited(self, connection: Connection) -> bool:
        """Whether a call waits for a session with this server, so that it is worth to try again and again."""

    def rhythm(self) -> float:
        """Return the seconds between two looks whether an idle server is there."""

    def changed(self, connection: Connection) -> None:
        """Tell that `connection.status` is another."""
