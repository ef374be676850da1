"""How a question ends that its server stopped waiting for: whether the server's own time limit ran out, or why else."""

from __future__ import annotations

import re

from webclient.model import Reason, ReasonCode, RequestState, ServerRequest
from webclient.visible_text import shortened

Ending = tuple[RequestState, Reason]
"""How a question ends without an answer: its state, and the reason."""

_LIMIT = re.compile(r"-32001\b|\btim(?:e|ed|ing)[ -]?outs?\b|\bdeadline exceeded\b", re.IGNORECASE)
"""How the SDKs say that a request took too long: TypeScript, Python, and Go."""

_QUOTED = 200
"""Characters of a server's reason that are repeated."""


def is_time_limit(words: str) -> bool:
    """Whether a server's reason or error says that its own time limit ran out."""
    return _LIMIT.search(words[:10_000]) is not None


def withdrawal_of(request: ServerRequest, label: str) -> Ending | None:
    """Return how a question of the server `label` ends that it has taken back; None if it has not.

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
    """Return the reason that the server gave up waiting for the answer, with the time after which it did."""
    return Reason.of(ReasonCode.SERVER_TIME_LIMIT, label=label, duration=round(request.waited, 1))


def withdrawn() -> Ending:
    """Return how a question ends that its server cancelled."""
    return RequestState.WITHDRAWN, Reason(ReasonCode.WITHDRAWN)


def cut_off() -> Ending:
    """Return how a question ends when the connection to its server is lost."""
    return RequestState.INTERRUPTED, Reason(ReasonCode.CONNECTION_LOST)


def link_unfinished() -> Ending:
    """Return how a link ends that the person had opened for a call, and that waits when the call ends."""
    return RequestState.WITHDRAWN, Reason(ReasonCode.CALL_ENDED_DURING_LINK)


def call_ended_early() -> Reason:
    """Return what is said of a pushed question that its server may still wait for, though it has ended the call."""
    return Reason(ReasonCode.CALL_ENDED_EARLY)


def call_ended() -> Ending:
    """Return how a question ends that is pending when its call ends."""
    return RequestState.WITHDRAWN, Reason(ReasonCode.CALL_ENDED)
