"""The way to a server below its session: what tap and HTTP client see of it, and what the pulse makes of that.

One for each session. It knows when the server was last heard, whether something broke, and which answers are on
their way; nothing here does I/O.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any

from mcp.types import RequestId

from webclient.model import Reason
from webclient.protocol.http_statuses import Refusal
from webclient.protocol.limits import ServerLimits
from webclient.protocol.read_rate import Pace

Told = Callable[[bool], Coroutine[Any, Any, None]]
"""Is told, once, whether an answer arrived."""


class TransportState:
    """What is known of the wire.

    `patience` is the seconds that a short exchange may take; `lost` is called when nothing can travel any more.
    `piped`: what is sent goes into a child's pipe, and not to an HTTP client, which would tell how it went.
    `established` says that the session stands: from then on the loss of one exchange is not the loss of all. `streams`
    counts what is open on which the server may still speak. `forgotten`: the server no longer knows the
    session, and runs nothing of what is sent in it. `troubled` is set when it is time to look whether the server is
    there, `error` what made that necessary. `refusal` is what an HTTP server answered last in place of a session, while
    there is none.
    `limits` is how much is taken of the server, `pace` how fast, and `given_up` the reason why nothing is
    any more, or "". `closing`: the session is being ended from here, and what the server asks is of no interest.
    """

    def __init__(self, patience: float, lost: Callable[[], None], limits: ServerLimits | None = None) -> None:
        self.patience = patience
        self.lost = lost
        self.limits = limits or ServerLimits()
        self.pace = Pace(self.limits.max_messages_per_second)
        self.given_up: Reason | None = None
        self.closing = False
        self.established = False
        self.piped = False
        self.streams = 0
        self.forgotten = False
        self.heard_at = monotonic()
        self.troubled = asyncio.Event()
        self.error: Exception | None = None
        self.refusal: Refusal | None = None
        self._spoke = asyncio.Event()
        self._sending: defaultdict[RequestId, deque[Told]] = defaultdict(deque)

    @property
    def open(self) -> bool:
        """Whether there is a way on which the server may still speak."""
        return self.piped or self.streams > 0

    def heard(self) -> None:
        """Note a sign of life."""
        self.heard_at = monotonic()
        self.error = None
        self._spoke.set()

    async def until_heard(self) -> None:
        """Wait for the next sign of life, and have it asked for one."""
        self._spoke.clear()
        self.troubled.set()
        await self._spoke.wait()

    def forget(self) -> None:
        """Note that the server no longer knows the session, which is lost with that."""
        self.forgotten = True
        self.lost()

    def failed(self, error: Exception | None = None) -> None:
        """Note that something broke."""
        self.error = error
        self.troubled.set()

    def give_up(self, why: Reason) -> None:
        """Give the session up for what the server did; it is not made again by itself."""
        self.given_up = self.given_up or why
        self.lost()

    def sends(self, message_id: RequestId, told: Told) -> None:
        """Note that the answer to the server's request `message_id` sets out."""
        self._sending[message_id].append(told)

    async def arrived(self, message_id: RequestId, *, arrived: bool) -> None:
        """Tell what became of the answer to the server's request `message_id`."""
        waiting = self._sending.get(message_id)
        if waiting:
            told = waiting.popleft()
            if not waiting:
                del self._sending[message_id]
            await told(arrived)

    async def abandon(self) -> None:
        """Tell of every answer that is still on its way that it did not arrive."""
        for waiting in list(self._sending.values()):
            while waiting:
                await waiting.popleft()(False)
