"""How a session begins: the SDK's client for an era, and what is checked once it has negotiated."""

from __future__ import annotations

from typing import Any

from mcp import Client
from mcp.client import ClientSession, Transport
from mcp.types import Implementation
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from webclient import __version__
from webclient.connections.explain import EraError
from webclient.model import Era, Json

_MODES = {Era.AUTO: "auto", Era.PUSH: "legacy", Era.ROUNDS: "auto"}


def client_for(transport: Transport, era: Era, **callbacks: Any) -> Client:
    """Return the SDK's client that will speak over `transport` in this era; `callbacks` are the SDK's."""
    info = Implementation(name="mcp-webclient", version=__version__)
    return Client(transport, mode=_MODES[era], client_info=info, cache=None, **callbacks)


def check_era(session: ClientSession, era: Era) -> None:
    """Raise EraError when the session speaks another era than 2026-07-28, and that is the one that is wanted."""
    if era is Era.ROUNDS and session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise EraError(session.protocol_version or "?")


def described(session: ClientSession) -> Json:
    """Return what the server has said of itself, under the names that `ServerStatus` has for it."""
    return {
        "protocol_version": session.protocol_version,
        "server_info": _dump(session.server_info),
        "capabilities": _dump(session.server_capabilities),
        "instructions": session.instructions,
    }


def _dump(model: BaseModel | None) -> Json | None:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True) if model else None
