"""Endings: the states and reasons of requests that end without an answer.

A server stops waiting because its own time limit ran out, because its call ended, or for a reason that it gives.
"""

from __future__ import annotations

import re

from webclient.content.visible_text import shortened
from webclient.domain.model import Reason, ReasonCode, RequestState, ServerRequest

Ending = tuple[RequestState, Reason]
"""The state and the reason of a request that ends without an answer."""

_LIMIT = re.compile(r"-32001\b|\btim(?:e|ed|ing)[ -]?outs?\b|\bdeadline exceeded\b", re.IGNORECASE)
"""The words of the TypeScript, Python and Go SDKs for a request that took too long."""

_QUOTED = 200
"""Characters of a server's reason that are quoted."""


def is_time_limit(words: str) -> bool:
    """Return whether a server's reason or error says that its own time limit ran out."""
    return _LIMIT.search(words[:10_000]) is not None


def withdrawal_of(request: ServerRequest, label: str) -> Ending | None:
    """Return the ending of a request that the server `label` has withdrawn; None if it has not.

    A cancellation SHOULD say why (MCP 2025-11-25, Cancellation).
    """
    if request.withdrawn is None:
        return None
    if is_time_limit(request.withdrawn):
        return RequestState.WITHDRAWN, gave_up(request, label)
    if request.withdrawn:
        return RequestState.WITHDRAWN, Reason.of(
            ReasonCode.WITHDRAWN_BECAUSE, why=shortened(request.withdrawn, _QUOTED)
        )
    return withdrawn()


def gave_up(request: ServerRequest, label: str) -> Reason:
    """Return the reason for a server that gave up, with the seconds that it waited."""
    return Reason.of(ReasonCode.SERVER_TIME_LIMIT, label=label, duration=round(request.waited, 1))


def withdrawn() -> Ending:
    """Return the ending of a request that its server withdrew without a reason."""
    return RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN)


def cut_off() -> Ending:
    """Return the ending of a request whose connection was lost."""
    return RequestState.INTERRUPTED, Reason(ReasonCode.CONNECTION_LOST)


def link_unfinished() -> Ending:
    """Return the ending of an opened link that was still waiting when its call ended."""
    return RequestState.WITHDRAWN, Reason(ReasonCode.CALL_ENDED_DURING_LINK)


def call_ended_early() -> Reason:
    """Return the remark on a pushed request that stays open although its call has ended."""
    return Reason(ReasonCode.CALL_ENDED_EARLY)


def call_ended() -> Ending:
    """Return the ending of a request that was pending when its call ended."""
    return RequestState.WITHDRAWN, Reason(ReasonCode.CALL_ENDED)
