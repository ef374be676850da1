"""Sends what is due, several at once, of which each user has a share: receivers that hang hold up no other user."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from anyio.abc import TaskGroup

logger = logging.getLogger(__name__)

AT_ONCE = 20
"""Messages of one kind that are sent at the same time."""

SHARE = 5
"""Of these, the most of one user."""

PAUSE = 5.0
"""Seconds until the next try after something went wrong here, such as a disk that is full."""


class Row(Protocol):
    """A message that is to be sent."""

    @property
    def user_id(self) -> str:
        """The user whose share it takes."""
        ...


R = TypeVar("R", bound=Row)
R_co = TypeVar("R_co", bound=Row, covariant=True)


class Due(Protocol[R_co]):
    """Reads the messages that are due at a moment: at most `most`, and a `share` of them for each user.

    Those with the ids `but`, and of the users `but_of`, are left out.
    """

    async def __call__(
        self, at: datetime, most: int, *, share: int, but: Collection[str], but_of: Collection[str]
    ) -> Sequence[R_co]: ...


class Sending(Generic[R]):
    """The messages on their way. `send` sends one of `due`, named by `id_of`; `changed` is set when it is done."""

    def __init__(
        self, due: Due[R], id_of: Callable[[R], str], send: Callable[[R], Awaitable[None]], changed: asyncio.Event
    ) -> None:
        self._due = due
        self._id_of = id_of
        self._send = send
        self._changed = changed
        self._sending: dict[str, str] = {}

    async def start(self, group: TaskGroup, at: datetime) -> None:
        """Start to send what is due and has a place."""
        free = AT_ONCE - len(self._sending)
        if free <= 0:
            return
        full = [user_id for user_id, count in Counter(self._sending.values()).items() if count >= SHARE]
        for row in await self._due(at, free, share=SHARE, but=self._sending, but_of=full):
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
