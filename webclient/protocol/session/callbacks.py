"""The callbacks of the SDK for what a server asks: each gives the result, as MCP has it, that the listener has."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.client import ClientRequestContext
from mcp.types import (
    CreateMessageRequestParams,
    CreateMessageResultWithTools,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    ListRootsResult,
    SamplingCapability,
    SamplingToolsCapability,
)

from webclient.domain.model import Json
from webclient.protocol.session.session_events import INTERNAL_ERROR, RequestRefusedError

logger = logging.getLogger(__name__)


def callbacks_of(ask: Callable[[], Awaitable[Json]]) -> dict[str, Any]:
    """Return the options of `ClientSession` with which a server's requests are answered by `ask`.

    It takes no parameters, because the tap knows more of the current request than the SDK's callbacks get. It gives the
    result, or raises RequestRefusedError.
    """

    async def elicited(_context: ClientRequestContext, _params: ElicitRequestParams) -> ElicitResult | ErrorData:
        result = await result_or_error(ask)
        return result if isinstance(result, ErrorData) else ElicitResult.model_validate(result)

    async def sampled(
        _context: ClientRequestContext, _params: CreateMessageRequestParams
    ) -> CreateMessageResultWithTools | ErrorData:
        result = await result_or_error(ask)
        return result if isinstance(result, ErrorData) else CreateMessageResultWithTools.model_validate(result)

    async def listed_roots(_context: ClientRequestContext) -> ListRootsResult | ErrorData:
        result = await result_or_error(ask)
        return result if isinstance(result, ErrorData) else ListRootsResult.model_validate(result)

    return {
        "elicitation_callback": elicited,
        "list_roots_callback": listed_roots,
        "sampling_callback": sampled,
        # The tap takes away what this server may not ask for.
        "sampling_capabilities": SamplingCapability(tools=SamplingToolsCapability()),
    }


async def result_or_error(ask: Callable[[], Awaitable[Json]]) -> Json | ErrorData:
    """Return what `ask` gives, or the error that the server gets in its place."""
    try:
        return await ask()
    except RequestRefusedError as refused:
        return ErrorData(code=refused.code, message=str(refused))
    except Exception:
        # Caught here: the SDK would send the text of any exception to the server.
        logger.exception("A request of a server failed")
        return ErrorData(code=INTERNAL_ERROR, message="The request could not be handled.")
