"""The nouns of the product as plain data: server, call, input request and answer, with their states.

Rows of the store, events and cards are all made from these; nothing here does I/O.
"""

from webclient.model.call import Call, CallError, CallKind, CallLog, CallState, LogEntry
from webclient.model.catalog import Catalog
from webclient.model.common import LOCAL_USER, Json, ServerKey, Via, new_id, now
from webclient.model.reason import Param, Reason, ReasonCode
from webclient.model.request import (
    WITHOUT_ANSWER,
    Action,
    Answer,
    AskedBy,
    AskedDuring,
    Came,
    Delivery,
    InputRequest,
    RequestState,
)
from webclient.model.server import ConnectionFault, Era, Mode, Server, ServerState, ServerStatus
from webclient.model.server_request import ServerRequest

__all__ = [
    "LOCAL_USER",
    "WITHOUT_ANSWER",
    "Action",
    "Answer",
    "AskedBy",
    "AskedDuring",
    "Call",
    "CallError",
    "CallKind",
    "CallLog",
    "CallState",
    "Came",
    "Catalog",
    "ConnectionFault",
    "Delivery",
    "Era",
    "InputRequest",
    "Json",
    "LogEntry",
    "Mode",
    "Param",
    "Reason",
    "ReasonCode",
    "RequestState",
    "Server",
    "ServerKey",
    "ServerRequest",
    "ServerState",
    "ServerStatus",
    "Via",
    "new_id",
    "now",
]
