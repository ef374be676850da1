"""An outbox: sends the messages that a store holds, several at once, and says when those that failed are sent again.

Each user has a share of what is sent at once, so receivers that hang hold up no other user.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from random import uniform
from typing import Generic, Protocol, TypeVar

import anyio
from anyio.abc import TaskGroup

from webclient.domain.model import now

logger = logging.getLogger(__name__)

AT_ONCE = 20
"""Messages of one kind that are sent at the same time."""

SHARE = 5
"""Of these, the most of one user."""

PAUSE = 5.0
"""Seconds until the next try after something went wrong here, such as a disk that is full."""

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (5, 60, 300, 1800, 7200, 18_000, 36_000))
"""The pauses after each failure (Standard Webhooks 1.0, Deliverability and reliability); all together 18 hours."""

SPREAD = 0.2
"""The part by which a pause is longer or shorter by chance, so that many do not come back at once."""

GIVE_UP = timedelta(days=3)
"""A receiver that has taken nothing for so long gets nothing more until a person turns it on again."""

LONGEST_SLEEP = timedelta(minutes=1)
"""The clock is read again after this time: it may have been set, and timers stop while a laptop sleeps."""


class Row(Protocol):
    """A message that is to be sent."""

    @property
    def user_id(self) -> str:
        """The user whose share it takes."""
        ...


R = TypeVar("R", bound=Row)
R_co = TypeVar("R_co", bound=Row, covariant=True)


class Messages(Protocol[R_co]):
    """The messages in the store that are to be sent, of all users."""

    async def due(
        self, at: datetime, most: int, *, share: int, but: Collection[str], but_of: Collection[str]
    ) -> Sequence[R_co]:
        """Return those that are due at a moment: at most `most`, and a `share` of them for each user.

        Those with the ids `but`, and of the users `but_of`, are left out.
        """
        ...

    async def next(self, at: datetime) -> datetime | None:
        """Return when the next one after a moment is due."""
        ...


class Outbox(Generic[R]):
    """Sends `messages`, each named by `id_of`, with `send`, which also stores what became of it.

    `prepare` is called before the first one, until it succeeds.
    """

    def __init__(
        self,
        messages: Messages[R],
        id_of: Callable[[R], str],
        send: Callable[[R], Awaitable[None]],
        *,
        prepare: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._messages = messages
        self._id_of = id_of
        self._send = send
        self._prepare = prepare
        self._changed = asyncio.Event()
        self._sending: dict[str, str] = {}

    def wake(self) -> None:
        """Send what was added."""
        self._changed.set()

    async def run(self) -> None:
        """Send messages when they are due, until cancelled."""
        async with anyio.create_task_group() as group:
            while True:
                self._changed.clear()
                try:
                    if self._prepare:
                        await self._prepare()
                        self._prepare = None
                    # One moment for both, so that none that becomes due in between is missed.
                    await self._start(group, at := now())
                    await until(await self._messages.next(at), self._changed)
                except Exception:
                    # One message that cannot be read must not keep all others waiting for ever.
                    logger.exception("Messages could not be sent; they are sent again soon")
                    await asyncio.sleep(PAUSE)

    async def _start(self, group: TaskGroup, at: datetime) -> None:
        free = AT_ONCE - len(self._sending)
        if free <= 0:
            return
        full = [user_id for user_id, count in Counter(self._sending.values()).items() if count >= SHARE]
        for row in await self._messages.due(at, free, share=SHARE, but=self._sending, but_of=full):
            if Counter(self._sending.values())[row.user_id] < SHARE:
                self._sending[self._id_of(row)] = row.user_id
                group.start_soon(self._send_one, row)

    async def _send_one(self, row: R) -> None:
        try:
            await self._send(row)
        except Exception:
            # One message that cannot be sent or stored must not end the others.
            logger.exception("A message could not be sent; it is sent again soon")
            await asyncio.sleep(PAUSE)
        finally:
            del self._sending[self._id_of(row)]
            self._changed.set()


def pause_after(failures: int, retry_after: float | None = None) -> timedelta | None:
    """Return how long to wait after so many failures; None when the message is given up.

    `retry_after` are the seconds that the receiver asks for; they make a pause longer, and never shorter.
    """
    if failures > len(PAUSES):
        return None
    # Not a secret: only the pauses of several messages must differ.
    pause = PAUSES[failures - 1] * uniform(1 - SPREAD, 1 + SPREAD)  # noqa: S311
    return max(pause, timedelta(seconds=retry_after or 0))


async def until(moment: datetime | None, changed: asyncio.Event) -> None:
    """Wait for `changed`, or until a moment, a minute at most; without a moment, for ever."""
    pause = None if moment is None else max(min(moment - now(), LONGEST_SLEEP).total_seconds(), 0)
    with suppress(TimeoutError):
        async with asyncio.timeout(pause):
            await changed.wait()
