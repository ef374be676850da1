"""What we tell a server that we can do: elicitation in the modes that the user leaves it, and no other.

The SDK announces both modes to everybody; what it sends is edited on its way, in both eras.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mcp.shared.message import SessionMessage
from mcp.types import CLIENT_CAPABILITIES_META_KEY, JSONRPCRequest

from webclient.model import Json, Mode


def announcing(item: SessionMessage, modes: Collection[Mode]) -> SessionMessage:
    """Return the message to the server with elicitation announced in `modes` only; with none, not at all.

    2025-11-25 announces once, in `initialize`; 2026-07-28 with each request, in its `_meta`.
    """
    message = item.message
    if not isinstance(message, JSONRPCRequest) or not message.params or set(modes) == set(Mode):
        return item
    params = message.params
    if message.method == "initialize" and "capabilities" in params:
        params = params | {"capabilities": _narrowed(params["capabilities"], modes)}
    meta = params.get("_meta") or {}
    if CLIENT_CAPABILITIES_META_KEY in meta:
        narrowed = _narrowed(meta[CLIENT_CAPABILITIES_META_KEY], modes)
        params = params | {"_meta": meta | {CLIENT_CAPABILITIES_META_KEY: narrowed}}
    return replace(item, message=message.model_copy(update={"params": params}))


def _narrowed(capabilities: Json, modes: Collection[Mode]) -> Json:
    # A copy: the SDK stamps the same object onto every request.
    elicitation = {mode: how for mode, how in capabilities.get("elicitation", {}).items() if mode in modes}
    others = {name: value for name, value in capabilities.items() if name != "elicitation"}
    return others | ({"elicitation": elicitation} if elicitation else {})
