"""A configured MCP server, the status of its connection, and a session that goes on without one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath

from webclient.domain.model.common import Json, ServerKey, new_id, now
from webclient.domain.model.extension import Extension, extensions_for
from webclient.domain.model.reason import Reason, ReasonCode
from webclient.domain.model.sampling import SamplingRule
from webclient.domain.urls import mask_url

STDIO = "stdio: "
"""The start of the address of a server that this machine runs."""


class Era(StrEnum):
    """How a session speaks, or `auto`: as the server can."""

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


class LogLevel(StrEnum):
    """The level from which a server is asked for log messages (RFC 5424), or `off`: it is not asked."""

    OFF = "off"
    DEBUG = "debug"
    INFO = "info"
    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"
    ALERT = "alert"
    EMERGENCY = "emergency"


class Mode(StrEnum):
    """The things that a server may ask for: elicitation in two modes, and sampling (MCP 2025-11-25, Capabilities)."""

    FORM = "form"
    URL = "url"
    SAMPLING = "sampling"


ELICITATION = frozenset({Mode.FORM, Mode.URL})
"""The modes of elicitation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A configured MCP server.

    `transport` is `{type: "stdio", command, args, env, cwd}` or `{type: "http"|"sse", url, headers}`. The secrets of a
    server from the config file are not in it; they stay in memory (`Connections.use`). With `detect` in it the user
    left the choice between http and sse to us, and `type` is the one that was found, or is tried first.
    `name` is the key in the config file, or None for a server added in the page or the API.
    `reconnects`: it is connected whenever its user comes back, because the user has connected and not disconnected it;
    a server of the config file always is.
    `modes` are what the user permits it to ask for, `sampling` the rule for what it may have of a model. Since
    `muted_at` its requests are cancelled.
    `extensions_off` are the extensions of the protocol that are not announced to it.
    `roots` are the folders that the server gets when it asks; None if it must not ask.
    `log_level` is the level from which it is asked for log messages. `followed` are the URIs of the resources of whose
    changes it is asked to notify.
    `learned` remembers what connecting has shown: `{speaks, lacks, silent}`, the first two lists of eras.
    `oauth` are the user's settings of the sign-in, all optional: `{client_id, client_secret, issuer, scope, grant,
    client_metadata_url, private_key, exceptions, idp_…}`.
    `lost` names the secret values, such as headers, that cannot be read any more because the key that sealed them is
    gone; those of `oauth` begin with `oauth.`. The server cannot be connected until the user enters them again.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    name: str | None = None
    label: str
    transport: Json = field(repr=False)
    era: Era = Era.AUTO
    reconnects: bool = False
    modes: tuple[Mode, ...] = tuple(Mode)
    extensions_off: tuple[Extension, ...] = ()
    roots: tuple[Root, ...] | None = None
    log_level: LogLevel = LogLevel.DEBUG
    followed: tuple[str, ...] = ()
    muted_at: datetime | None = None
    learned: Json = field(default_factory=dict)
    oauth: Json = field(default_factory=dict, repr=False)
    sampling: SamplingRule = field(default_factory=SamplingRule)
    lost: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=now)

    @property
    def lost_oauth(self) -> tuple[str, ...]:
        """The lost secrets of the sign-in."""
        return tuple(name for name in self.lost if name.startswith("oauth."))

    @property
    def lost_transport(self) -> tuple[str, ...]:
        """The lost secrets of the transport."""
        return tuple(name for name in self.lost if not name.startswith("oauth."))

    @property
    def key(self) -> ServerKey:
        """The user and the server: the key of everything in memory for this server."""
        return self.user_id, self.id

    def extensions(self, *, modern: bool) -> tuple[Extension, ...]:
        """Return the extensions to announce to it, in 2026-07-28 (`modern`) or in 2025-11-25."""
        return extensions_for(http="url" in self.transport, modern=modern, off=self.extensions_off)

    @property
    def address(self) -> str:
        """The address in one line: the URL without possible secrets, or `stdio: COMMAND`.

        Only the command's name, because arguments often contain secrets, and every card shows this.
        """
        if "url" in self.transport:
            return mask_url(self.transport["url"])
        return f"{STDIO}{PurePath(self.transport.get('command', '')).name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionFault:
    """Why a server is not connected: our `reason`, with `code` and message (`said`) of the server's JSON-RPC error.

    `http_status` is the status of an HTTP server that did not open a session.
    """

    reason: Reason
    code: int | None = None
    said: str = ""
    http_status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """The status of the connection to a server. The server's own words in it are untrusted.

    `quiet_since` is when a connected server stopped answering pings. `startup_output` is the end of a child's standard
    error while it is being connected. `skipped` is `{count, first}` of the lines on its standard output that were not
    messages. `era_reason` is why the session speaks its era: `chosen`, `announced`, `refused` or `silent`.
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
        """The name that the server gives itself."""
        info = self.server_info or {}
        return info.get("title") or info.get("name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A folder by its `file://` URI, with a name if the user gave one (MCP 2025-11-25, Roots, Root)."""

    uri: str
    name: str | None = None

    @property
    def as_json(self) -> Json:
        """The root as servers get it."""
        return {"uri": self.uri} | ({"name": self.name} if self.name else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSession:
    """A session of 2025-11-25 that a later connection can resume, also in the next process.

    `url` is the address of its server, `session_id` the server's secret name for it, `greeting` the result of
    `initialize`, `era_reason` why it speaks its era. `resumed` counts how often it was resumed.

    What was open in it when its connection ended: `waits` are the JSON-RPC ids of requests whose result the server
    holds back, and `requests` the requests `{id, method, params}` of the server about tasks.
    """

    user_id: str
    server_id: str
    url: str
    session_id: str = field(repr=False)
    greeting: Json
    era_reason: str
    resumed: int = 0
    waits: list[str | int] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
