"""The state of a transport: limits by phase, answers on their way, signs of life."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import httpx2
import pytest

from webclient.domain.model import Delivery, Reason, ReasonCode
from webclient.protocol.messages.limits import ServerLimits, TooLargeError
from webclient.protocol.transports.http_bodies import WatchedStream
from webclient.protocol.transports.transport_state import OnDelivery, TransportState

pytestmark = pytest.mark.anyio

LIMITS = ServerLimits(max_greeting_bytes=10, max_message_bytes=20, max_error_bytes=5)


def state(lost: list[str] | None = None) -> TransportState:
    return TransportState(5, lambda: (lost if lost is not None else []).append("lost"), LIMITS)


@pytest.mark.parametrize(
    ("established", "is_error", "most"), [(False, False, 10), (True, False, 20), (True, True, 5), (False, True, 5)]
)
def test_the_limit_depends_on_phase_and_status(established: bool, is_error: bool, most: int) -> None:
    transport_state = state()
    transport_state.established = established
    meter = transport_state.meter(is_error=is_error)
    meter.feed(b"x" * most)
    with pytest.raises(TooLargeError):
        meter.feed(b"x")


def noting(reports: list[object], name: str) -> OnDelivery:
    async def report(delivery: Delivery) -> None:
        reports.append((name, delivery))

    return report


async def test_answers_with_the_same_id_are_reported_in_order() -> None:
    """A server may use the id of a request again by mistake."""
    transport_state, reports = state(), list[object]()
    for name in ("first", "second"):
        transport_state.answer_begins(7, noting(reports, name))
    await transport_state.answer_ended(7, Delivery.DELIVERED)
    await transport_state.answer_ended(8, Delivery.DELIVERED)
    await transport_state.answer_ended(7, Delivery.FAILED)
    await transport_state.answer_ended(7, Delivery.DELIVERED)
    assert reports == [("first", Delivery.DELIVERED), ("second", Delivery.FAILED)]


async def test_answers_on_their_way_end_with_the_session() -> None:
    """One that was written may have arrived; one that still waited to be written has not."""
    transport_state, reports = state(), list[object]()
    for request_id in (1, "2"):
        transport_state.answer_begins(request_id, noting(reports, str(request_id)))
    transport_state.answer_leaves("2")
    await transport_state.abandon()
    await transport_state.abandon()
    assert reports == [("1", Delivery.FAILED), ("2", Delivery.UNKNOWN)]


def test_a_sign_of_life_clears_the_error() -> None:
    transport_state = state()
    transport_state.failed(OSError())
    assert transport_state.needs_ping.is_set()
    transport_state.heard()
    assert transport_state.error is None


def test_the_first_reason_for_giving_up_counts() -> None:
    lost: list[str] = []
    transport_state = state(lost)
    first, second = Reason(ReasonCode.MESSAGE_TOO_LARGE), Reason(ReasonCode.TOO_MANY_REQUESTS)
    transport_state.give_up(first)
    transport_state.give_up(second)
    assert (transport_state.given_up, lost) == (first, ["lost", "lost"])


class Body(httpx2.AsyncByteStream):
    """A body of one piece, which ends after the second look at it, or never."""

    def __init__(self, *, endless: bool) -> None:
        self.is_read = self.is_closed = False
        self._endless = endless

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"data: {}\n\n"
        await anyio.sleep(1000 if self._endless else 0)
        self.is_read = True

    async def aclose(self) -> None:
        """Close it."""
        self.is_closed = True


@pytest.mark.parametrize("endless", [True, False])
async def test_a_stream_that_ends_at_once_is_read_to_its_end(endless: bool) -> None:
    """So its connection takes the next call as well."""
    body = Body(endless=endless)
    transport_state = state()
    transport_state.streams = 1
    stream = WatchedStream(body, transport_state, events=True)
    async for piece in stream:
        assert piece == b"data: {}\n\n"
        break
    await stream.aclose()
    assert (body.is_read, body.is_closed, transport_state.streams) == (not endless, True, 0)
