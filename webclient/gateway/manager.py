"""The SDK's server, the sessions of one user's agents, and the binding of each session to the agent that opened it."""

from __future__ import annotations

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from webclient import __version__
from webclient.gateway.relay import Relay
from webclient.gateway.visit import AgentVisit, Visit

MOST_SESSIONS = 500
"""Sessions of the agents of one user, of which many are never ended; one beyond is refused with 503."""

IDLE = 30 * 60.0
"""Seconds after which a session without a request is closed; a request that waits is one."""


def new_server(relay: Relay) -> Server[object]:
    """Return the server of all agents, whose requests the relay answers."""
    server: Server[object] = Server("mcp-webclient", version=__version__)
    # In the place of the SDK's own spans: with these, the requests to servers would be in the span of the agent.
    server.middleware = [relay]
    return server


def new_manager(server: Server[object], max_body_bytes: int) -> StreamableHTTPSessionManager:
    """Return the manager of the sessions of one user's agents; it runs once."""
    return StreamableHTTPSessionManager(
        server,
        # Hosts and origins are checked before.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        session_idle_timeout=IDLE,
        max_sessions=MOST_SESSIONS,
        max_request_body_size=max_body_bytes,
    )


def bound(visit: AgentVisit) -> AuthenticatedUser:
    """Return the owner of the sessions that this visit opens: the agent, for this user at this server or at all."""
    subject = f"{visit.user_id}\n{visit.server.id if isinstance(visit, Visit) else ''}"
    return AuthenticatedUser(AccessToken(token="", client_id=visit.token_id, scopes=[], subject=subject))
