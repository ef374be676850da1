"""How a call ends that does not end with a result: what its row says, and what becomes of its open questions."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from mcp import MCPError
from mcp.types import CONNECTION_CLOSED
from pydantic import ValidationError

from webclient.calls.asking import TooManyRoundsError
from webclient.calls.push_only import way_out
from webclient.calls.running import Ending, cut_off
from webclient.calls.unopened import UnopenedError
from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.inbox import RefusedError
from webclient.model import CallState, Json, RequestState
from webclient.protocol.explain import is_forgotten, is_lost_session, is_not_mcp, is_too_large
from webclient.protocol.limits import TooLargeError
from webclient.servers.connection import Connection

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class End:
    """The state and the error of a call that has ended; `ending` is that of its open questions where it says more.

    `by_server`: the server itself ended it, so that it may go on waiting for what it has pushed.
    """

    state: CallState
    error: Json
    ending: Ending | None = None
    by_server: bool = False


def end_of(error: Exception, connection: Connection, *, asked: bool) -> End:
    """Return how a call ends for which carrying it out, last on `connection`, raised `error`.

    `asked` is whether the call has asked anything.
    """
    match error:
        case MCPError():
            return _told(error, connection, asked)
        case UnopenedError():
            reason = _("The call ended without it: {why}").format(why=error)
            return End(CallState.FAILED, error.error, (RequestState.WITHDRAWN, reason))
        case RefusedError() | TooManyRoundsError() | TooLargeError() | ConflictError():
            message = str(error)
        case ValidationError():
            message = _("The server's result is not valid MCP: {error}").format(error=_first(error))
            return End(CallState.FAILED, {"message": message}, by_server=True)
        case _:
            logger.error("A call of server %s failed", connection.server.id, exc_info=error)
            message = _("The call failed here, not at the server; the log of this program says why.")
    return End(CallState.FAILED, {"message": message})


def _told(error: MCPError, connection: Connection, asked: bool) -> End:
    told = error.error
    if is_lost_session(error) or told.code == CONNECTION_CLOSED:
        message = connection.given_up or _("The connection to the server was lost before the call ended.")
        ending = (RequestState.INTERRUPTED, message) if connection.given_up else cut_off()
        return End(CallState.INTERRUPTED, {"code": told.code, "message": message}, ending)
    if is_too_large(error):
        message = _("{why} The server has carried out the call; only its result was not taken.").format(
            why=told.message
        )
        return End(
            CallState.FAILED, {"code": told.code, "message": message, "data": told.data, "ran": True}, by_server=True
        )
    why: Json = {"code": told.code, "message": told.message}
    if is_not_mcp(error):
        why |= {"message": _("The server answered with JSON that is not an MCP message.")}
    if is_forgotten(error):
        why |= {"message": _("The server no longer remembers this question."), "forgotten": True}
    if told.data is not None:
        why |= {"data": told.data}
    if way := way_out(connection.status.protocol_version, connection.server.learned, told.message, asked=asked):
        why |= way | {"said": told.message}
    return End(CallState.FAILED, why, by_server=True)


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
