"""The gateway: agents call the MCP servers of their user through it, and each question comes to the inbox of that user.

Promises: a call of an agent is a call like any other, made by `calls`; results and errors reach the agent as they came;
the session of one agent is of no use to another; no credential of an agent reaches a server. Touches the SDK, in
`relay`, `subscriptions` and `manager` only; they are loaded with the first request.
"""

from __future__ import annotations

from webclient.gateway.authorizer import Authorizer, Denial, Visitor
from webclient.gateway.followers import Followers
from webclient.gateway.foreign_calls import ForeignCall, UnclearMessageError, read_message
from webclient.gateway.gateway import Gateway
from webclient.gateway.passing import Passing
from webclient.gateway.rules import Proposal, fits
from webclient.gateway.visit import UNKNOWN, JointVisit, Visit, permitted_of, server_at, slug

__all__ = [
    "UNKNOWN",
    "Authorizer",
    "Denial",
    "Followers",
    "ForeignCall",
    "Gateway",
    "JointVisit",
    "Passing",
    "Proposal",
    "UnclearMessageError",
    "Visit",
    "Visitor",
    "fits",
    "permitted_of",
    "read_message",
    "server_at",
    "slug",
]
