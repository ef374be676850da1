"""How a session begins: which era it speaks, and why.

`server/discover` is asked first, and has the whole time for connecting: how quickly a server starts must not choose the
era. A server of 2025-11-25 may never answer what it does not know. Over stdio it is therefore offered the handshake as
well after a while; it reads in order, so that one which knows both answers the first question first. Such a server may
have been bound to 2025-11-25 by the handshake (the TypeScript SDK 2 is), so it is connected again without.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from math import inf
from typing import Any

from mcp import MCPError
from mcp.client import ClientSession, Transport, session
from mcp.types import UNSUPPORTED_PROTOCOL_VERSION, DiscoverResult, Implementation
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from webclient import __version__
from webclient.model import Era, Json
from webclient.protocol.explain import BothOfferedError, EraError
from webclient.protocol.log_level import LEVEL

ALONE = 10.0
"""Seconds that `server/discover` waits alone over stdio, before the handshake is offered as well."""

GRACE = 1.0
"""Seconds that a server which answered one of the two has left to answer the other, if it works at both at once."""

session.DISCOVER_TIMEOUT_SECONDS = inf  # the time for connecting bounds it


class EraReason(StrEnum):
    """Why a session speaks the era that it speaks.

    `chosen`: the user set it. `announced`: the server said that it knows 2026-07-28. `refused`: it said that it does
    not. `silent`: it did not say, and took the handshake.
    """

    CHOSEN = "chosen"
    ANNOUNCED = "announced"
    REFUSED = "refused"
    SILENT = "silent"


@asynccontextmanager
async def negotiated(
    transport: Transport, era: Era, *, alone: float | None, **callbacks: Any
) -> AsyncIterator[tuple[ClientSession, EraReason]]:
    """Give a session over `transport` that speaks `era`, and why; `callbacks` are those of `ClientSession`.

    `alone` is how many seconds `server/discover` waits before the handshake is offered, too; None: as long as it takes.
    Raises EraError when the server does not speak the era, BothOfferedError when it is to be connected again with
    `alone` None, and what the transport raises.
    """
    info = Implementation(name="mcp-webclient", version=__version__)
    options = {"client_info": info, "log_level": LEVEL, **callbacks}
    async with transport as (read, write), ClientSession(read, write, **options) as speaking:
        match era:
            case Era.PUSH:
                await _shake_hands(speaking)
                reason = EraReason.CHOSEN
            case Era.ROUNDS:
                await _discover_only(speaking)
                reason = EraReason.CHOSEN
            case Era.AUTO:
                reason = await _find_out(speaking, alone)
        yield speaking, reason


async def _shake_hands(speaking: ClientSession) -> None:
    try:
        await speaking.initialize()
    except MCPError as error:
        if error.error.code == UNSUPPORTED_PROTOCOL_VERSION:
            raise EraError(Era.ROUNDS, Era.PUSH) from error
        raise


async def _discover_only(speaking: ClientSession) -> None:
    found = await _discovered(speaking)
    if found is None:
        await speaking.initialize()
        raise EraError(speaking.protocol_version or "?", Era.ROUNDS)
    speaking.adopt(found)


async def _find_out(speaking: ClientSession, alone: float | None) -> EraReason:
    discovering = asyncio.create_task(_discovered(speaking))
    handshake: asyncio.Task[Any] | None = None
    try:
        await asyncio.wait([discovering], timeout=alone)
        if not discovering.done():
            handshake = asyncio.create_task(speaking.initialize())
            await asyncio.wait([discovering, handshake], return_when=asyncio.FIRST_COMPLETED)
            # One that refuses the handshake knows 2026-07-28, and will say so.
            await asyncio.wait([discovering], timeout=None if _was_refused(handshake) else GRACE)
        if discovering.done() and (found := discovering.result()):
            if handshake and not await _is_refused(handshake):
                raise BothOfferedError
            speaking.adopt(found)
            return EraReason.ANNOUNCED
        await (handshake or speaking.initialize())
        return EraReason.REFUSED if discovering.done() else EraReason.SILENT
    finally:
        await _ended(discovering, handshake)


async def _is_refused(handshake: asyncio.Task[Any]) -> bool:
    await asyncio.wait([handshake], timeout=GRACE)
    return _was_refused(handshake)


def _was_refused(handshake: asyncio.Task[Any]) -> bool:
    error = handshake.exception() if handshake.done() and not handshake.cancelled() else None
    return isinstance(error, MCPError) and error.error.code == UNSUPPORTED_PROTOCOL_VERSION


async def _ended(*tasks: asyncio.Task[Any] | None) -> None:
    """Stop waiting for these answers; one that comes all the same changes nothing any more."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def _discovered(speaking: ClientSession) -> DiscoverResult | None:
    """Return what the server announces; None where that is anything but 2026-07-28, a refusal included."""
    try:
        found = DiscoverResult.model_validate(await speaking.send_discover(LATEST_MODERN_VERSION))
    except (MCPError, ValidationError):
        return None
    return found if set(found.supported_versions) & set(MODERN_PROTOCOL_VERSIONS) else None


def shown(speaking: ClientSession, reason: EraReason) -> Json:
    """Return what the session has shown of its server, as the arguments of `learned`."""
    refused = [Era.ROUNDS] if reason is EraReason.REFUSED else []
    if (found := speaking.discover_result) is None:
        return {"speaks": [Era.PUSH], "lacks": refused, "silent": reason is EraReason.SILENT}
    both = set(found.supported_versions) & set(HANDSHAKE_PROTOCOL_VERSIONS)
    return {"speaks": [Era.ROUNDS, Era.PUSH] if both else [Era.ROUNDS]}


def seconds_alone(known: Json, *, piped: bool) -> float | None:
    """Return the `alone` of a server of which this was `learned`; `piped` is whether it is a child."""
    if not piped:
        return None
    if known.get("silent"):
        return 0
    return None if Era.ROUNDS in known.get("speaks", ()) else ALONE


def described(speaking: ClientSession) -> Json:
    """Return what the server has said of itself, under the names that `ServerStatus` has for it."""
    return {
        "protocol_version": speaking.protocol_version,
        "server_info": _dump(speaking.server_info),
        "capabilities": _dump(speaking.server_capabilities),
        "instructions": speaking.instructions,
    }


def _dump(model: BaseModel | None) -> Json | None:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True) if model else None
