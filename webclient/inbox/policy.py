"""The rules under which a server may ask, as pure functions: what is refused, and why."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from webclient.inbox.kinds import kind_of
from webclient.inbox.kinds.kind import EXCERPT
from webclient.model import InputRequest, Json, Mode, Reason, ReasonCode, Server


class Limit(StrEnum):
    """What stood in the way of a question."""

    KIND = "kind"
    MODE = "mode"
    MALFORMED = "malformed"
    MUTED = "muted"
    RATE = "rate"
    PENDING = "pending"
    SIZE = "size"


FLOODS = frozenset({Limit.RATE, Limit.PENDING, Limit.SIZE})
"""What a server runs into that asks too much; it may do so thousands of times, in one call or in many."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a question is not put: `reason` is for the person, `told` is what the server is told."""

    limit: Limit
    reason: Reason
    told: str


class RefusedError(Exception):
    """A question is not put; the refusal has the reason."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason.code)
        self.refusal = refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one server may ask: `burst` questions at once and `rate` more each second, not counting those that the
    person answers; at most `pending` that wait, and `size` bytes of parameters for one question.
    """

    burst: int = 250
    rate: float = 1
    pending: int = 250
    size: int = 2**18

    @property
    def pending_size(self) -> int:
        """How many bytes may wait in all: every page that is loaded reads what waits."""
        return 16 * self.size


class Bucket:
    """A token bucket. Times are given, never read; a server that the person answers never empties it."""

    def __init__(self, limits: Limits, at: float) -> None:
        self._limits = limits
        self._tokens = float(limits.burst)
        self._at = at

    def take(self, n: int, at: float) -> bool:
        """Take `n` tokens, or none if there are fewer."""
        self._tokens = min(self._limits.burst, self._tokens + (at - self._at) * self._limits.rate)
        self._at = at
        if n > self._tokens:
            return False
        self._tokens -= n
        return True

    def give_back(self) -> None:
        """Take back one token: its question was answered."""
        self._tokens = min(self._limits.burst, self._tokens + 1)


def refusal(server: Server, request: InputRequest) -> Refusal | None:
    """Return why `server` may not ask this, or None if it may.

    What was not announced must not be asked: sampling and roots never are, a mode is not when the user switched it
    off (MCP 2025-11-25, Elicitation, Capabilities: MUST NOT).
    """
    mode = kind_of(request).mode
    if mode is None:
        return Refusal(
            Limit.KIND,
            Reason.of(ReasonCode.KIND_UNSUPPORTED, kind=request.kind),
            f"This client does not offer {request.kind}.",
        )
    if mode in server.modes:
        return None
    codes = {Mode.FORM: ReasonCode.FORM_MODE_OFF, Mode.URL: ReasonCode.URL_MODE_OFF}
    return Refusal(Limit.MODE, Reason(codes[mode]), f"This client did not announce elicitation in {mode} mode.")


def too_often(limits: Limits) -> Refusal:
    """Return the refusal of a question for which there was no token."""
    return Refusal(
        Limit.RATE,
        Reason(ReasonCode.RATE_LIMIT),
        f"Too many questions: {limits.burst} at once and {limits.rate:g} per second are put to the person.",
    )


def too_large(requests: Sequence[InputRequest], limits: Limits) -> Refusal | None:
    """Return why these questions are too large to be put, or None if none is."""
    if all(size(each.params) <= limits.size for each in requests):
        return None
    return Refusal(
        Limit.SIZE,
        Reason.of(ReasonCode.TOO_LARGE, kilobytes=limits.size // 1000),
        f"Question too large: at most {limits.size} bytes of parameters are put to the person.",
    )


def too_many(requests: Sequence[InputRequest], pending: int, pending_size: int, limits: Limits) -> Refusal | None:
    """Return why no more of the server's questions are put while so many, and so much, wait; None if they are."""
    fits = pending + len(requests) <= limits.pending
    if fits and pending_size + sum(size(each.params) for each in requests) <= limits.pending_size:
        return None
    if fits:
        code = ReasonCode.PENDING_TOO_LARGE
        message = f"Pending questions too large: at most {limits.pending_size} bytes may wait for the person."
    else:
        code = ReasonCode.TOO_MANY_PENDING
        message = f"Too many pending questions: {pending} wait for the person, and at most {limits.pending} may."
    return Refusal(Limit.PENDING, Reason.of(code, n=pending), message)


def too_many_at_once(count: int, limits: Limits) -> Refusal | None:
    """Return why so many questions are not put that came together, whatever they are; None if they may be."""
    if count <= limits.pending:
        return None
    return Refusal(
        Limit.PENDING,
        Reason.of(ReasonCode.TOO_MANY_AT_ONCE, n=count, most=limits.pending),
        f"Too many questions at once: {count}, and at most {limits.pending} may wait.",
    )


def muted() -> Refusal:
    """Return why nothing is put that a muted server asks; it is answered `cancel`, and not with an error."""
    return Refusal(Limit.MUTED, Reason(ReasonCode.SERVER_MUTED), "")


def size(params: Json) -> int:
    """Return how many bytes the parameters of a question are as JSON; too many for any limit if nested too deep."""
    try:
        return len(json.dumps(params, ensure_ascii=False).encode(errors="replace"))
    except RecursionError:
        return sys.maxsize


def excerpt(request: InputRequest, limits: Limits) -> Json:
    """Return what is kept of the parameters of a refused request: all, or an excerpt if they are large."""
    if size(request.params) <= min(limits.size, 16 * EXCERPT):
        return request.params
    return kind_of(request).excerpt(request.params)
