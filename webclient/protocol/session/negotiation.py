"""How a session begins: which era it speaks, and why.

`server/discover` is sent first, and has the whole time for connecting: how quickly a server starts must not decide the
era. A server of 2025-11-25 may never answer a method that it does not know. Over stdio the handshake is therefore sent
as well after a while; a server that knows both eras reads in order and answers `server/discover` first. The handshake
may have bound such a server to 2025-11-25 (it does with the TypeScript SDK 2), so it is connected again without. A
child that refuses the handshake after `server/discover` is started again, and gets the handshake alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any

from mcp import MCPError
from mcp.client import ClientSession, Transport
from mcp.types import UNSUPPORTED_PROTOCOL_VERSION, DiscoverResult, Implementation, UnsupportedProtocolVersionErrorData
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from webclient import __version__
from webclient.domain.model import Era, Json
from webclient.protocol.session.connection_faults import AmbiguousEraError, EraError
from webclient.protocol.transports.sdk_patches import number_from

HANDSHAKE_DELAY = 10.0
"""Seconds over stdio after which the handshake is sent beside an unanswered `server/discover`."""

GRACE = 1.0
"""Seconds for the second response after the first, from a server that works at both at once."""


class EraReason(StrEnum):
    """Why a session speaks its era.

    `chosen`: the user set it. `announced`: the server said that it knows 2026-07-28. `refused`: it said that it does
    not. `silent`: it did not answer `server/discover`, and accepted the handshake.
    """

    CHOSEN = "chosen"
    ANNOUNCED = "announced"
    REFUSED = "refused"
    SILENT = "silent"


@asynccontextmanager
async def negotiated(
    transport: Transport,
    era: Era,
    *,
    delay: float | None,
    first_id: int = 0,
    handshake_first: bool = False,
    **callbacks: Any,
) -> AsyncIterator[tuple[ClientSession, EraReason]]:
    """Open a session over `transport` that speaks `era`; yield it and why it speaks that era.

    `delay` is that of the handshake, None if it waits for the response to `server/discover`. All JSON-RPC ids are
    above `first_id`. `handshake_first`: nothing is sent before the handshake. `callbacks` are those of `ClientSession`.
    Raises EraError when the server does not speak the era, AmbiguousEraError when it must be connected again with
    `delay` None, and the errors of the transport.
    """
    info = Implementation(name="mcp-webclient", version=__version__)
    options = {"client_info": info, **callbacks}
    async with transport as (read, write), ClientSession(read, write, **options) as client:
        number_from(client, first_id)
        match era:
            case Era.PUSH:
                await _initialize(client)
                reason = EraReason.CHOSEN
            case Era.ROUNDS:
                await _discover_only(client)
                reason = EraReason.CHOSEN
            case Era.AUTO if handshake_first:
                await client.initialize()
                reason = EraReason.REFUSED
            case Era.AUTO:
                reason = await _detect_era(client, delay)
        yield client, reason


def refuses_the_handshake(error: BaseException) -> bool:
    """Return whether a server refused the handshake, but not its protocol version."""
    if isinstance(error, BaseExceptionGroup):
        return any(refuses_the_handshake(each) for each in error.exceptions)
    return isinstance(error, MCPError) and error.error.code != UNSUPPORTED_PROTOCOL_VERSION


def handshake_delay(learned: Json, *, piped: bool) -> float | None:
    """Return the `delay` for a server about which this was `learned`; `piped`: it is a child process."""
    if not piped:
        return None
    if learned.get("silent"):
        return 0
    return None if Era.ROUNDS in learned.get("speaks", ()) else HANDSHAKE_DELAY


async def _initialize(client: ClientSession) -> None:
    try:
        await client.initialize()
    except MCPError as error:
        if error.error.code == UNSUPPORTED_PROTOCOL_VERSION:
            raise EraError(Era.ROUNDS, Era.PUSH) from error
        raise


async def _discover_only(client: ClientSession) -> None:
    found = await _discover(client)
    if found is None:
        await client.initialize()
        raise EraError(client.protocol_version or "?", Era.ROUNDS)
    client.adopt(found)


async def _detect_era(client: ClientSession, delay: float | None) -> EraReason:
    discovering = asyncio.create_task(_discover(client))
    handshake: asyncio.Task[Any] | None = None
    try:
        await asyncio.wait([discovering], timeout=delay)
        if not discovering.done():
            handshake = asyncio.create_task(client.initialize())
            await asyncio.wait([discovering, handshake], return_when=asyncio.FIRST_COMPLETED)
            # A server that refuses the handshake knows 2026-07-28, and will answer `server/discover`.
            await asyncio.wait([discovering], timeout=None if _was_refused(handshake) else GRACE)
        if discovering.done() and (found := discovering.result()):
            if handshake and not await _is_refused(handshake):
                raise AmbiguousEraError
            client.adopt(found)
            return EraReason.ANNOUNCED
        await (handshake or client.initialize())
        return EraReason.REFUSED if discovering.done() else EraReason.SILENT
    finally:
        await _cancel(discovering, handshake)


async def _is_refused(handshake: asyncio.Task[Any]) -> bool:
    await asyncio.wait([handshake], timeout=GRACE)
    return _was_refused(handshake)


def _was_refused(handshake: asyncio.Task[Any]) -> bool:
    error = handshake.exception() if handshake.done() and not handshake.cancelled() else None
    return isinstance(error, MCPError) and error.error.code == UNSUPPORTED_PROTOCOL_VERSION


async def _cancel(*tasks: asyncio.Task[Any] | None) -> None:
    """Stop waiting for these responses; one that still comes changes nothing."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def _discover(client: ClientSession) -> DiscoverResult | None:
    """Return the response to `server/discover`, or None if the server refused it or does not know 2026-07-28."""
    try:
        found = DiscoverResult.model_validate(await _send_discover(client))
    except (MCPError, ValidationError):
        return None
    return found if set(found.supported_versions) & set(MODERN_PROTOCOL_VERSIONS) else None


async def _send_discover(client: ClientSession) -> Json:
    """Send `server/discover`, once more if the server refuses the version and names one that we speak (SEP-2575)."""
    try:
        return await client.send_discover(LATEST_MODERN_VERSION)
    except MCPError as error:
        if error.error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        supported = UnsupportedProtocolVersionErrorData.model_validate(error.error.data).supported
        both = [version for version in MODERN_PROTOCOL_VERSIONS if version in supported]
        if not both:
            raise
    return await client.send_discover(both[-1])


def learned_from(client: ClientSession, reason: EraReason) -> Json:
    """Return what the session revealed of its server, as the arguments of `learned`."""
    refused = [Era.ROUNDS] if reason is EraReason.REFUSED else []
    if (found := client.discover_result) is None:
        news: Json = {"speaks": [Era.PUSH], "lacks": refused}
        # In an era that was chosen, `server/discover` was not sent.
        return news if reason is EraReason.CHOSEN else news | {"silent": reason is EraReason.SILENT}
    both = set(found.supported_versions) & set(HANDSHAKE_PROTOCOL_VERSIONS)
    return {"speaks": [Era.ROUNDS, Era.PUSH] if both else [Era.ROUNDS]}


def server_description(client: ClientSession) -> Json:
    """Return the server's description of itself, as fields of `ServerStatus`."""
    return {
        "protocol_version": client.protocol_version,
        "server_info": _dump(client.server_info),
        "capabilities": _dump(client.server_capabilities),
        "instructions": client.instructions,
    }


def _dump(model: BaseModel | None) -> Json | None:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True) if model else None
