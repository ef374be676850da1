"""How a question ends that its server stopped waiting for: whether the server's own time limit ran out, or why else."""

from __future__ import annotations

import re

from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import RequestState, ServerRequest
from webclient.visible_text import visible

Ending = tuple[RequestState, str]
"""How a question ends that nobody answered: its state, and the reason in a sentence."""

_LIMIT = re.compile(r"-32001\b|\btim(?:e|ed|ing)[ -]?outs?\b|\bdeadline exceeded\b", re.IGNORECASE)
"""How the SDKs say that a request took too long: TypeScript, Python, and Go."""

_QUOTED = 200
"""Characters of a server's reason that are repeated."""

_IN_MINUTES = 120
"""Seconds from which on a limit is said in minutes."""


def is_time_limit(words: str) -> bool:
    """Whether a server's reason or error says that its own time limit ran out."""
    return _LIMIT.search(words[:10_000]) is not None


def withdrawn(asked: ServerRequest, label: str) -> Ending | None:
    """Return how a question of the server `label` ends that it has taken back; None if it has not.

    A cancellation SHOULD say why (MCP 2025-11-25, Cancellation).
    """
    if asked.withdrawn is None:
        return None
    if is_time_limit(asked.withdrawn):
        return RequestState.WITHDRAWN, gave_up(asked, label)
    if asked.withdrawn:
        reason = _("The server took this question back: “{why}”")
        return RequestState.WITHDRAWN, reason.format(why=visible(asked.withdrawn, _QUOTED))
    return taken_back()


def gave_up(asked: ServerRequest, label: str) -> str:
    """Return the sentence that says after which time the server gave up waiting for the answer."""
    seconds = round(asked.waited)
    if seconds < _IN_MINUTES:
        sentence = ngettext(
            "{label} gave up after {n} second (its own limit).",
            "{label} gave up after {n} seconds (its own limit).",
            seconds,
        )
        return sentence.format(label=visible(label, 60), n=seconds)
    minutes = round(seconds / 60)
    sentence = ngettext(
        "{label} gave up after {n} minute (its own limit).",
        "{label} gave up after {n} minutes (its own limit).",
        minutes,
    )
    return sentence.format(label=visible(label, 60), n=minutes)


def taken_back() -> Ending:
    """Return how a question ends that its server cancelled."""
    return RequestState.WITHDRAWN, _("The server took this question back.")


def cut_off() -> Ending:
    """Return how a question ends when the connection to its server is lost."""
    return RequestState.INTERRUPTED, _("The connection to the server was lost before this was answered.")


def unfinished() -> Ending:
    """Return how a link ends that the person had opened for a call, and that waits when the call ends."""
    return RequestState.WITHDRAWN, _("The call ended before you had finished there.")


def outlives() -> str:
    """Return what is said of a pushed question that its server may still wait for, though it has ended the call."""
    return _("The call has ended, so the server may not need your answer any more.")


def left_behind() -> Ending:
    """Return how a question ends that is pending when its call ends."""
    return RequestState.WITHDRAWN, _("The call ended before this was answered.")
