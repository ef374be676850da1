"""Refusals as the JSON-RPC errors that a server gets for what it asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webclient.domain.model import InputRequest, Json, ServerRequest
from webclient.inbox.answers import result_of
from webclient.inbox.policy import FLOODS, Limit, RefusedError, rejection
from webclient.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    TOO_MANY,
    UNKNOWN_METHOD,
    USER_REJECTED,
    RequestRefusedError,
)
from webclient.store import StorageError


def checked_result(settled: InputRequest) -> Json:
    """Return the result for the server of a settled request. Raises RequestRefusedError if it has none."""
    result = result_of(settled)
    if result is None:
        raise RequestRefusedError(USER_REJECTED, rejection(settled))
    return result


@contextmanager
def refusals(request: ServerRequest) -> Iterator[None]:
    """Raise the RequestRefusedError with which a refusal of the block goes to the server."""
    try:
        yield
    except RefusedError as error:
        raise RequestRefusedError(_code_of(error, request), error.refusal.message) from error
    except StorageError as error:
        # A request that cannot be stored is refused, since a restart would lose it silently.
        message = f"The question could not be stored. {error}"
        raise RequestRefusedError(INTERNAL_ERROR, message) from error


def _code_of(error: RefusedError, request: ServerRequest) -> int:
    if error.refusal.limit in FLOODS:
        return TOO_MANY
    # Elicitation in an undeclared mode has a code of its own (MCP 2025-11-25, Elicitation, Error Handling).
    undeclared = error.refusal.limit in (Limit.KIND, Limit.MODE) and request.method != "elicitation/create"
    return UNKNOWN_METHOD if undeclared else INVALID_PARAMS
