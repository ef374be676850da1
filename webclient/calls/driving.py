"""Services of the drivers of rounds and of tasks, and the delivery of the answers that they send."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from webclient.calls.polling import PollScheduler
from webclient.calls.running import RunningCall
from webclient.calls.session_work import SessionWork
from webclient.domain.model import Delivery, Json
from webclient.domain.spans import Spans
from webclient.inbox import Deliveries, Inbox, Intake
from webclient.protocol import MalformedResultError, ServerError
from webclient.servers.connections import Connections


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverServices:
    """The services with which each call is driven."""

    inbox: Inbox
    intake: Intake
    connections: Connections
    deliveries: Deliveries
    work: SessionWork
    scheduler: PollScheduler
    spans: Spans = field(default_factory=Spans)

    @asynccontextmanager
    async def sending(self, running: RunningCall, answers: Json | None) -> AsyncIterator[Sending]:
        """Record how far the answers of a round got in the block that sends them.

        What this process has not sent when it stops is left to the next one, which resumes the call and sends it.
        """
        sending = Sending()
        try:
            yield sending
        finally:
            if answers is not None and not (running.handed_over and sending.delivery is Delivery.FAILED):
                await self.deliveries.record_rounds(running.call, sending.delivery)


class Sending:
    """How far the answers of a round got, over all attempts to send them."""

    def __init__(self) -> None:
        self.delivery = Delivery.FAILED

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Note what the block, which sends the answers once, shows of their delivery."""
        # Also if the block is cancelled: from here on the server may have the answers.
        known, self.delivery = self.delivery, Delivery.UNKNOWN
        try:
            yield
        except ServerError as error:
            if error.not_received:
                self.delivery = known
            elif error.received:
                self.delivery = Delivery.DELIVERED
            raise
        except MalformedResultError:
            self.delivery = Delivery.DELIVERED
            raise
        self.delivery = Delivery.DELIVERED
