"""Answers a pushed question for the SDK, which would send the text of any exception to the server."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mcp.types import INTERNAL_ERROR, ElicitResult, ErrorData

from webclient.store import StorageError

if TYPE_CHECKING:
    from webclient.protocol.session_events import SessionEvents
    from webclient.servers.connection import Connection

logger = logging.getLogger(__name__)


async def answer_pushed(listener: SessionEvents, connection: Connection) -> ElicitResult | ErrorData:
    """Return the answer to the question that the server of `connection` has just pushed; raises nothing."""
    try:
        return await listener.pushed(connection)
    except StorageError as error:
        # What cannot be kept cannot be asked: a restart would forget it in silence.
        message = f"The question could not be put to the person: {error.why}."
        return ErrorData(code=INTERNAL_ERROR, message=message)
    except Exception:
        logger.exception("A question of server %s could not be put", connection.server.id)
        return ErrorData(code=INTERNAL_ERROR, message="The question could not be put to the person.")
