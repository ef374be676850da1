"""Servers in the API's JSON, without the secrets of their transports, and their catalogs."""

from __future__ import annotations

from typing import Any, Literal

from webclient.content.masking import public_oauth, public_transport
from webclient.domain.model import (
    Auth,
    Catalog,
    ConnectionFault,
    Era,
    Extension,
    Json,
    LogLevel,
    Mode,
    ReasonCode,
    Server,
    ServerState,
    ServerStatus,
)
from webclient.servers.connections import also_speaks
from webclient.web.api.shapes import Filled, Maybe, Moment, Shape, Verbatim, sentence


class ErrorShape(Shape):
    """An error: `message` is our own sentence if there is a `reason_code`, otherwise the server's.

    `code`, `data` and `said` are the server's, verbatim. `http_status` is what an HTTP server answered in place of
    a session. `forgotten`: the server no longer knew its own request; starting the call over may help.
    `reconnect_with`: the era in which the server may be able to ask. `gave_up`: the server's own time limit for an
    answer passed; typed text is filled in when the call is run again. `ran`: the server ran the call; only its
    result was discarded.
    """

    message: str
    reason_code: Maybe[ReasonCode] = None
    code: Maybe[int] = None
    http_status: Maybe[int] = None
    data: Maybe[Any] = None
    reconnect_with: Maybe[str] = None
    said: Maybe[str] = None
    forgotten: Filled[bool] = None
    gave_up: Filled[bool] = None
    ran: Filled[bool] = None


class SkippedShape(Shape):
    """The number of skipped lines, and the beginning of the first."""

    count: int
    first: str


class AuthShape(Shape):
    """A sign-in that a server wants of its user, who opens `authorization_url` in a browser before `expires_at`.

    `issuer` is the authorization server. `new_scopes` are the requested `scopes` that were not granted before.
    """

    id: str
    authorization_url: str
    issuer: str
    scopes: list[str]
    new_scopes: list[str]
    expires_at: Moment


class AuthErrorShape(Shape):
    """Why a sign-in is not possible, or the last one failed."""

    code: ReasonCode
    message: str


class SignedInShape(Shape):
    """The sign-in that is used; without `expires_at` its end is unknown.

    `is_bound`: its token works only with a key that this program has (DPoP, RFC 9449).
    """

    issuer: str
    scopes: list[str]
    is_bound: bool
    expires_at: Maybe[Moment] = None


class SamplingRuleShape(Shape):
    """The rule for how a server may use models.

    `approve`: its requests go to the model without being shown first, within the limits; `unseen`: and the messages to
    the server. The limits are those of a conversation (`turns`) and of a day in UTC (`requests`, `tokens`, `cost`).
    """

    approve: bool
    unseen: bool
    turns: int
    requests: int | None
    tokens: int | None
    cost: float | None
    model: str


class ServerShape(Shape):
    """A configured server and the state of its connection, without the values of headers and environment.

    `quiet_since` is present while a connected server does not respond to pings,
    `startup_output` (the end of its standard error) while a stdio server starts. `skipped_lines` counts lines on
    its standard output that were not MCP messages. `era_reason` is why the connection has its era: it was `chosen`,
    or the server `announced` 2026-07-28, `refused` it, or was `silent` about it; `also_speaks` is another era that it
    is known to support.

    `extensions` are those of the protocol that are switched on; a server gets those that fit its transport and version.

    `auth` is present while the server wants a sign-in, beside its state: it may be connected, and want one for a call,
    which waits as `input_required` then. `oauth` are the settings of the sign-in without their secrets,
    `oauth_secrets` the names of those.
    """

    id: str
    label: str
    transport: Verbatim
    era: Era
    modes: list[Mode]
    extensions: list[Extension]
    log_level: LogLevel
    followed: list[str]
    roots: Maybe[list[Verbatim]] = None
    muted: bool
    sampling: SamplingRuleShape
    state: ServerState
    protocol_version: Maybe[str] = None
    server_info: Maybe[Verbatim] = None
    capabilities: Maybe[Verbatim] = None
    error: Maybe[ErrorShape] = None
    quiet_since: Maybe[Moment] = None
    startup_output: Maybe[str] = None
    skipped_lines: Maybe[SkippedShape] = None
    era_reason: Maybe[Literal["chosen", "announced", "refused", "silent"]] = None
    also_speaks: Maybe[Era] = None
    oauth: Filled[Verbatim] = None
    oauth_secrets: Filled[list[str]] = None
    auth: Maybe[AuthShape] = None
    auth_error: Maybe[AuthErrorShape] = None
    signed_in: Maybe[SignedInShape] = None


class ServersShape(Shape):
    """A list of servers."""

    servers: list[ServerShape]


class ListShape(Shape):
    """A list from a server's catalog; `notes` are sentences on omitted entries and on names that break the rules."""

    notes: Filled[list[str]] = None


class ToolsShape(ListShape):
    """The tools of a server, verbatim."""

    tools: list[Verbatim]


class PromptsShape(ListShape):
    """The prompts of a server, verbatim."""

    prompts: list[Verbatim]


class ResourcesShape(ListShape):
    """The resources of a server, verbatim."""

    resources: list[Verbatim]


class ResourceTemplatesShape(ListShape):
    """The resource templates of a server, verbatim."""

    resource_templates: list[Verbatim]


def server_shape(server: Server, status: ServerStatus, auth: Auth) -> ServerShape:
    """Return the API's JSON of a server; `auth` is where its sign-in stands."""
    oauth = public_oauth(server.oauth)
    return ServerShape.of(
        server,
        transport=_public(server.transport),
        roots=None if server.roots is None else [root.as_json for root in server.roots],
        extensions=[each for each in Extension if each not in server.extensions_off],
        muted=server.muted_at is not None,
        state=status.state,
        protocol_version=status.protocol_version,
        server_info=status.server_info,
        capabilities=status.capabilities,
        error=status.error and _error(status.error),
        quiet_since=status.quiet_since,
        startup_output=status.startup_output,
        skipped_lines=status.skipped,
        era_reason=status.era_reason,
        also_speaks=also_speaks(server.learned, status.protocol_version) if status.protocol_version else None,
        oauth=oauth,
        oauth_secrets=sorted(server.oauth.keys() - oauth.keys()),
        auth=auth.wanted,
        auth_error=auth.error and AuthErrorShape.of(auth.error, message=sentence(auth.error)),
        signed_in=auth.granted,
    )


def _error(fault: ConnectionFault) -> ErrorShape:
    # Without `said`: the sentence has the server's own words as well.
    return ErrorShape(
        message=sentence(fault), reason_code=fault.reason.code, code=fault.code, http_status=fault.http_status
    )


def notes_of(catalog: Catalog) -> list[str]:
    """Return the sentences about omitted entries and names of a catalog."""
    return [sentence(note) for note in catalog.notes]


def _public(transport: Json) -> Json:
    # Names help to find a mistake; values may be secrets.
    named = {key: sorted(transport.get(key) or {}) for key in ("headers", "env") if transport.get(key)}
    return public_transport(transport) | named
