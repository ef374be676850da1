"""The rules of admission, as pure functions: which input requests are refused, and why."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from webclient.domain.model import ELICITATION, InputRequest, Json, Reason, ReasonCode, RequestState, Server
from webclient.inbox.kinds import kind_of
from webclient.inbox.kinds.kind import EXCERPT


class Limit(StrEnum):
    """The rule by which an input request is refused."""

    KIND = "kind"
    MODE = "mode"
    MALFORMED = "malformed"
    MUTED = "muted"
    RATE = "rate"
    PENDING = "pending"
    USER_PENDING = "user_pending"
    SIZE = "size"


FLOODS = frozenset({Limit.RATE, Limit.PENDING, Limit.USER_PENDING, Limit.SIZE})
"""The limits on how much a server asks; one server may exceed them thousands of times."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an input request is refused: `reason` is for the person, `message` for the server.

    `retry_after` are the seconds after which the same request is admitted, if time alone is what it lacks.
    """

    limit: Limit
    reason: Reason
    message: str
    retry_after: float | None = None


class RefusedError(Exception):
    """An input request is refused; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason.code)
        self.refusal = refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one server may ask.

    `burst` requests at once and `rate` more each second, not counting those that the person answers; at most `pending`
    requests at a time, each with at most `size` bytes of parameters, or `sampling_size` for sampling. At most
    `user_pending` requests of all servers and programs wait for one user.
    """

    burst: int = 250
    rate: float = 1
    pending: int = 250
    size: int = 2**18
    sampling_size: int = 2**22
    user_pending: int = 10_000

    @property
    def pending_size(self) -> int:
        """The bytes of all pending requests of a server: each load of the inbox reads them."""
        return max(16 * self.size, 2 * self.sampling_size)

    @property
    def user_pending_size(self) -> int:
        """The bytes of all pending requests of a user: as many times those of a server as their numbers."""
        return max(self.pending_size, self.pending_size * self.user_pending // self.pending)

    @property
    def at_once(self) -> int:
        """The most requests that may come together: more could never wait together."""
        return min(self.pending, self.user_pending)

    def size_of(self, request: InputRequest) -> int:
        """Return the bytes that the parameters may have: sampling carries images and whole conversations."""
        return self.sampling_size if kind_of(request).carries_media else self.size


class Bucket:
    """A token bucket, on the times that it is given. A server whose requests are answered never empties it."""

    def __init__(self, limits: Limits, at: float) -> None:
        self._limits = limits
        self._tokens = float(limits.burst)
        self._at = at

    def take(self, n: int, at: float) -> bool:
        """Take `n` tokens; if there are fewer, take none and return False."""
        self._tokens = min(self._limits.burst, self._tokens + (at - self._at) * self._limits.rate)
        self._at = at
        if n > self._tokens:
            return False
        self._tokens -= n
        return True

    def seconds_until(self, n: int, at: float) -> float | None:
        """Return after how many seconds there are `n` tokens if none is taken; None if that is never."""
        missing = n - self._tokens - (at - self._at) * self._limits.rate
        if missing <= 0:
            return 0
        return missing / self._limits.rate if self._limits.rate and n <= self._limits.burst else None

    def give_back(self) -> None:
        """Add one token, because a request was answered."""
        self._tokens = min(self._limits.burst, self._tokens + 1)


def refusal(server: Server, request: InputRequest) -> Refusal | None:
    """Return the refusal of a request that the server may not send; None if it may.

    A server must not send a request of a kind or mode that the client did not announce: what the user switched off is
    not (MCP 2025-11-25, Elicitation, Capabilities: MUST NOT). Nor may it break the rules of the kind.
    """
    kind = kind_of(request)
    if not kind.allows(server):
        if kind.mode_off is ReasonCode.KIND_UNSUPPORTED:
            reason = Reason.of(ReasonCode.KIND_UNSUPPORTED, kind=request.kind)
            return Refusal(Limit.KIND, reason, f"This client does not support {request.kind}.")
        announced = f"elicitation in {kind.mode} mode" if kind.mode in ELICITATION else kind.name
        return Refusal(Limit.MODE, Reason(kind.mode_off), f"This client did not announce {announced}.")
    if fault := kind.fault(request.params):
        return Refusal(Limit.MALFORMED, fault.reason, fault.message)
    return None


def too_often(limits: Limits, retry_after: float | None = None) -> Refusal:
    """Return the refusal of requests for which the bucket has no tokens before `retry_after` seconds."""
    return Refusal(
        Limit.RATE,
        Reason(ReasonCode.RATE_LIMIT),
        f"Too many questions: the limit is {limits.burst} at once and {limits.rate:g} per second.",
        retry_after,
    )


def asks_others_too_often(limits: Limits, retry_after: float | None) -> Refusal:
    """Return the refusal of a question to another user than the program's own."""
    reason = Reason.of(ReasonCode.OTHERS_RATE_LIMIT, burst=limits.burst, rate=f"{limits.rate:g}")
    return replace(too_often(limits, retry_after), reason=reason)


def too_many_of_program(
    requests: Sequence[InputRequest], pending: int, pending_size: int, limits: Limits
) -> Refusal | None:
    """Return the refusal of questions to another user, as in `too_many`."""
    why = too_many(requests, pending, pending_size, limits)
    if why is None or why.reason.code is not ReasonCode.TOO_MANY_PENDING:
        return why
    return replace(why, reason=Reason.of(ReasonCode.OTHERS_TOO_MANY_PENDING, n=pending))


def too_large(requests: Sequence[InputRequest], limits: Limits) -> Refusal | None:
    """Return the refusal of these requests if one is too large; None if none is."""
    large = next((each for each in requests if size(each.params) > limits.size_of(each)), None)
    if large is None:
        return None
    most = limits.size_of(large)
    code = ReasonCode.SAMPLING_TOO_LARGE if kind_of(large).carries_media else ReasonCode.TOO_LARGE
    reason = Reason.of(code, kilobytes=most // 1000)
    return Refusal(Limit.SIZE, reason, f"Question too large: the limit is {most} bytes of parameters.")


def too_many(requests: Sequence[InputRequest], pending: int, pending_size: int, limits: Limits) -> Refusal | None:
    """Return the refusal of requests that do not fit beside the pending ones; None if they fit.

    `pending` and `pending_size` are the number and the bytes of the server's pending requests.
    """
    fits = pending + len(requests) <= limits.pending
    if fits and pending_size + sum(size(each.params) for each in requests) <= limits.pending_size:
        return None
    if not fits:
        message = f"Too many pending questions: {pending} wait for the person, and at most {limits.pending} may."
        return Refusal(Limit.PENDING, Reason.of(ReasonCode.TOO_MANY_PENDING, n=pending), message)
    reason = (
        Reason.of(ReasonCode.PENDING_TOO_LARGE, n=pending)
        if pending
        else Reason.of(ReasonCode.TOO_LARGE_AT_ONCE, n=len(requests), kilobytes=limits.pending_size // 1000)
    )
    message = f"Pending questions too large: at most {limits.pending_size} bytes may wait for the person."
    return Refusal(Limit.PENDING, reason, message)


def too_many_of_user(
    requests: Sequence[InputRequest], pending: int, pending_size: int, limits: Limits
) -> Refusal | None:
    """Return the refusal of requests that do not fit beside all of their user; None otherwise.

    The server learns nothing of the others, such as how many they are.
    """
    if pending + len(requests) > limits.user_pending:
        message = f"Too many pending questions: of all servers together, at most {limits.user_pending} may wait."
        return Refusal(Limit.USER_PENDING, Reason.of(ReasonCode.TOO_MANY_OF_USER, n=pending), message)
    if pending_size + sum(size(each.params) for each in requests) > limits.user_pending_size:
        message = f"Pending questions too large: of all servers, at most {limits.user_pending_size} bytes may wait."
        return Refusal(Limit.USER_PENDING, Reason.of(ReasonCode.TOO_LARGE_OF_USER, n=pending), message)
    return None


def too_many_at_once(count: int, limits: Limits) -> Refusal | None:
    """Return the refusal of `count` requests that came together, if they are too many."""
    if count <= limits.at_once:
        return None
    return Refusal(
        Limit.PENDING,
        Reason.of(ReasonCode.TOO_MANY_AT_ONCE, n=count, most=limits.at_once),
        f"Too many questions at once: {count}, and at most {limits.at_once} may wait.",
    )


def rejection(request: InputRequest) -> str:
    """Return the error message for a request that was settled without an answer.

    MCP 2025-11-25, Sampling, Error Handling, has the words for a person who declines.
    """
    declined = request.state is RequestState.DECLINED
    return f"User rejected {request.kind} request" if declined else "The request was not answered"


def muted() -> Refusal:
    """Return the refusal of a muted server, which is answered `cancel` instead of an error."""
    return Refusal(Limit.MUTED, Reason(ReasonCode.SERVER_MUTED), "")


def size(params: Json) -> int:
    """Return the size of parameters as JSON, in bytes; above every limit if nested too deep."""
    try:
        return len(json.dumps(params, ensure_ascii=False).encode(errors="replace"))
    except RecursionError:
        return sys.maxsize


def excerpt(request: InputRequest, limits: Limits) -> Json:
    """Return the parameters of a refused request that are stored: an excerpt of large ones."""
    if size(request.params) <= min(limits.size, 16 * EXCERPT):
        return request.params
    return kind_of(request).excerpt(request.params)
