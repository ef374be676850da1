"""A configured MCP server, and how its connection stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath

from webclient.model.common import Json, ServerKey, new_id, now
from webclient.model.reason import Reason, ReasonCode
from webclient.urls import mask_url


class Era(StrEnum):
    """How a connection speaks, or is asked to."""

    AUTO = "auto"
    PUSH = "2025-11-25"
    ROUNDS = "2026-07-28"


class ServerState(StrEnum):
    """Where a connection stands."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    RECONNECTING = "reconnecting"
    ERROR = "error"


class Mode(StrEnum):
    """How a server may elicit (MCP 2025-11-25, Elicitation, Capabilities)."""

    FORM = "form"
    URL = "url"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A configured MCP server.

    `transport` is `{type: "stdio", command, args, env, cwd}` or `{type: "http"|"sse", url, headers}`; that of a server
    from the config file has no secrets, which stay in memory (`Connections.use`). `detect` in it says that nobody chose
    between http and sse, so that `type` is what was found, or is to be tried first.
    `name` is the key in the config file, or None for one that was added in the page or the API.
    `modes` are the ways to elicit that the user leaves it; everything it asks since `muted_at` is cancelled.
    `learned` is what connecting has shown: `{speaks, lacks, silent}`, the first two lists of eras.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    name: str | None = None
    label: str
    transport: Json
    era: Era = Era.AUTO
    modes: tuple[Mode, ...] = tuple(Mode)
    muted_at: datetime | None = None
    learned: Json = field(default_factory=dict)
    created_at: datetime = field(default_factory=now)

    @property
    def key(self) -> ServerKey:
        """The user and the server, for what is kept in memory."""
        return self.user_id, self.id

    @property
    def address(self) -> str:
        """Where the server is reached, in one line: its URL without what may be a secret, or `stdio: COMMAND`.

        Of a command only its name: arguments often hold secrets, and this stands on every card.
        """
        if "url" in self.transport:
            return mask_url(self.transport["url"])
        return f"stdio: {PurePath(self.transport.get('command', '')).name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionFault:
    """Why a server is not connected: `reason` is ours, `code` and `said` are of the JSON-RPC error that it sent.

    `http_status` is what an HTTP server answered in place of a session.
    """

    reason: Reason
    code: int | None = None
    said: str = ""
    http_status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """What is known of the connection to a server at this moment. The server's own words are untrusted.

    `quiet_since` is since when a connected server has not answered when it was asked whether it is there.
    `startup_output` is the end of what a child has written to standard error, while it is being connected. `skipped` is
    `{count, first}` of the lines on its standard output that were not messages. `era_reason` is why the session speaks
    the era that it speaks: `chosen`, `announced`, `refused` or `silent`.
    """

    state: ServerState = ServerState.DISCONNECTED
    protocol_version: str | None = None
    server_info: Json | None = None
    capabilities: Json | None = None
    instructions: str | None = None
    error: ConnectionFault | None = None
    quiet_since: datetime | None = None
    startup_output: str | None = None
    skipped: Json | None = None
    era_reason: str | None = None

    @property
    def reason_code(self) -> ReasonCode | None:
        """The code of the reason why it is not connected, if there is one."""
        return self.error.reason.code if self.error else None

    @property
    def claims(self) -> str | None:
        """What the server calls itself."""
        info = self.server_info or {}
        return info.get("title") or info.get("name")
