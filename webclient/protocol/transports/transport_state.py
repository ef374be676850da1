"""The state of one session's transport, as tap and HTTP client see it, and as liveness judges it.

It records when the server was last heard, what broke, and which answers are on their way; nothing here does I/O.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from time import monotonic
from typing import Any

from mcp.types import RequestId

from webclient.domain.model import Delivery, Reason
from webclient.protocol.messages.limits import Meter, ServerLimits
from webclient.protocol.messages.param_headers import ParamHeaders
from webclient.protocol.transports.http_statuses import HttpRefusal
from webclient.protocol.transports.read_throttle import ReadThrottle
from webclient.protocol.transports.session_keeping import SessionKeeping

OnDelivery = Callable[[Delivery], Coroutine[Any, Any, None]]
"""Called once, with how far an answer got: delivered, failed or unknown."""


@dataclass(slots=True)
class AnswerOnItsWay:
    """An answer that is being sent, and how far it has certainly got."""

    report: OnDelivery
    delivery: Delivery = Delivery.FAILED


class TransportState:
    """The observed state of a session's transport.

    `patience`: the seconds that a short exchange may take. `lost` is called when nothing can be sent or received any
    more. `limits` says how much the server may send, `throttle` how fast it is read.

    `piped`: messages go to a child's pipe, and not to an HTTP client, which would report how each one went.
    `established`: the session was opened; from then on the loss of one exchange is not the loss of all.
    `streams` counts the open responses on which the server may still send messages.
    `session_unknown`: the server no longer knows the session, and processes nothing that is sent in it.
    `needs_ping` is set when liveness should ping the server now, `error` is the failure that calls for it.
    `refusal` is the last HTTP response in place of a session, until there is one. `sign_in_wanted`: the server opens
    none until the user signs in.
    `param_headers` are the HTTP headers of the server's tools, `keeping` is what resumes its session.
    `given_up` is the reason if the session is closed for a fault of the server.
    `closing`: the session is being closed from here, and new requests of the server are ignored.
    `abandoned`: how each answer got on is reported, and none is sent any more.
    """

    def __init__(self, patience: float, lost: Callable[[], None], limits: ServerLimits | None = None) -> None:
        self.patience = patience
        self.lost = lost
        self.limits = limits or ServerLimits()
        self.param_headers = ParamHeaders()
        self.keeping = SessionKeeping()
        self.throttle = ReadThrottle(self.limits.max_messages_per_second)
        self.given_up: Reason | None = None
        self.closing = False
        self.abandoned = False
        self.established = False
        self.piped = False
        self.streams = 0
        self.session_unknown = False
        self.heard_at = monotonic()
        self.needs_ping = asyncio.Event()
        self.error: Exception | None = None
        self.refusal: HttpRefusal | None = None
        self.sign_in_wanted = False
        self._requests_sent = 0
        self._read_to = 0
        self._places: dict[RequestId, int] = {}
        self._responded = asyncio.Event()
        self._answers: defaultdict[RequestId, deque[AnswerOnItsWay]] = defaultdict(deque)

    @property
    def open(self) -> bool:
        """Whether the server still has a way to send messages."""
        return self.piped or self.streams > 0

    def meter(self, *, is_error: bool = False) -> Meter:
        """Return a meter for the next message, with the limits that apply now."""
        limits = self.limits
        name = "max_error_bytes" if is_error else "max_message_bytes" if self.established else "max_greeting_bytes"
        return Meter(name, getattr(limits, name), limits.max_message_values)

    def heard(self) -> None:
        """Note a sign of life."""
        self.heard_at = monotonic()
        self.error = None

    def request_sent(self, message_id: RequestId) -> None:
        """Note a request that goes into the child's pipe."""
        self._requests_sent += 1
        self._places[message_id] = self._requests_sent

    def responded(self, message_id: RequestId | None) -> None:
        """Note a response of the child: it has read its pipe up to that request."""
        place = 0 if message_id is None else self._places.pop(message_id, 0)
        self._read_to = max(self._read_to, place)
        self._responded.set()

    async def until_read(self) -> None:
        """Request a ping, and wait until the child has read its pipe.

        Only a response to a later request shows that: any other message may have been written before.
        """
        sent = self._requests_sent
        while self._read_to <= sent:
            self._responded.clear()
            self.needs_ping.set()
            await self._responded.wait()

    def lose_session(self) -> None:
        """Note that the server no longer knows the session, which is lost with that."""
        self.session_unknown = True
        self.lost()

    def want_sign_in(self, status: int) -> None:
        """Note that the server refused a session with this status until the user signs in."""
        self.sign_in_wanted = True
        self.refusal = HttpRefusal(status=status)
        self.lost()

    def failed(self, error: Exception | None = None) -> None:
        """Note that something broke, and request a ping."""
        self.error = error
        self.needs_ping.set()

    def give_up(self, why: Reason) -> None:
        """Close the session for a fault of the server; it is not opened again automatically."""
        self.given_up = self.given_up or why
        self.lost()

    def answer_begins(self, message_id: RequestId, report: OnDelivery) -> None:
        """Note that the answer to the server's request `message_id` will be sent; `report` gets how that ends."""
        self._answers[message_id].append(AnswerOnItsWay(report))

    def answer_leaves(self, message_id: RequestId, delivery: Delivery = Delivery.UNKNOWN) -> Delivery:
        """Note how far the answer got, "it may arrive from now on" by default; return what was known before."""
        waiting = self._answers.get(message_id)
        if not waiting:
            return delivery
        known, waiting[0].delivery = waiting[0].delivery, delivery
        return known

    async def answer_ended(self, message_id: RequestId, delivery: Delivery | None = None) -> None:
        """Report how the answer to the server's request `message_id` ended; without `delivery`, as far as it got."""
        waiting = self._answers.get(message_id)
        if waiting:
            answer = waiting.popleft()
            if not waiting:
                del self._answers[message_id]
            await answer.report(delivery or answer.delivery)

    async def abandon(self) -> None:
        """Report every answer that is still on its way as far as it got; none is sent from now on."""
        # First: what is reported as not sent must not leave while another report is written.
        self.abandoned = True
        for message_id, waiting in list(self._answers.items()):
            while waiting:
                await self.answer_ended(message_id)
