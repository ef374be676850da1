"""The gateway: agents call the MCP servers of their user through it, and each question comes to the inbox of that user.

Promises: a call of an agent is a call like any other, made by `calls`; results and errors reach the agent as they came;
the session of one agent is of no use to another; no credential of an agent reaches a server. Touches the SDK, in
`relay`, `subscriptions` and `manager` only; they are loaded with the first request.
"""

from __future__ import annotations

from webclient.gateway.followers import Followers
from webclient.gateway.gateway import Gateway
from webclient.gateway.visit import JointVisit, Visit, permitted_of, server_at, slug

__all__ = ["Followers", "Gateway", "JointVisit", "Visit", "permitted_of", "server_at", "slug"]
