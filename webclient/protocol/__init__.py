"""MCP sessions, the only code that touches the SDK: open one, send calls on it, hear what happens in it.

Promises: no type of the SDK leaves this room; everything that happens in a session is reported to one listener
(`SessionEvents`) in plain data; a server that floods, hangs, lies or dies costs a bounded amount and ends its session
with a reason. Read it from `session`: `transports` and `negotiation` open it, `tap` sees every message,
`transport_state` and `liveness` know whether the server is there, `call_request` and `listing` ask it for something.
"""

from __future__ import annotations

from webclient.protocol.call_request import send_call
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.limits import ServerLimits, TooLargeError
from webclient.protocol.server_error import MalformedResultError, ServerError, Trouble
from webclient.protocol.session import Session
from webclient.protocol.session_events import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    TOO_MANY,
    ElicitationRefusedError,
    SessionEvents,
)
from webclient.protocol.stdio_processes import ABANDON_TIMEOUT, STOP_TIMEOUT
from webclient.protocol.tap import CALL

__all__ = [
    "ABANDON_TIMEOUT",
    "CALL",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "STOP_TIMEOUT",
    "TOO_MANY",
    "ElicitationRefusedError",
    "Endpoint",
    "MalformedResultError",
    "ServerError",
    "ServerLimits",
    "Session",
    "SessionEvents",
    "TooLargeError",
    "Trouble",
    "send_call",
]
