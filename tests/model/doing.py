"""The base of every step: the world, the ledger, chance, and work that goes on during the next step."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any

from tests.model.ledger import Ledger
from tests.model.world import Seat, World
from webclient.domain.errors import AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError
from webclient.domain.model import LOCAL_USER, InputRequest
from webclient.store import StorageError

LATE = (AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError, StorageError)
"""Errors of an action that comes too late, or whose database is gone."""


class Doing:
    """A run that is going on. `tags` numbers its calls."""

    def __init__(self, world: World, ledger: Ledger, random: Random) -> None:
        self.world = world
        self.ledger = ledger
        self.random = random
        self.tags = count(1)
        self._background: set[asyncio.Task[None]] = set()

    async def quiet(self) -> None:
        """Wait until all that was begun is done."""
        while self._background:
            await asyncio.gather(*self._background)

    def seat(self) -> Seat:
        """Return any seat."""
        return self.random.choice(list(self.world.seats.values()))

    def troubled(self) -> Seat:
        """Return any seat, and note that something goes wrong there."""
        seat = self.seat()
        self.ledger.troubles[seat.name] += 1
        return seat

    def seat_of(self, request: InputRequest) -> Seat:
        """Return the seat of the server that asked."""
        return self.world.seats[request.asked_by.label]

    def running_calls(self) -> list[str]:
        """Return the ids of the calls that have not ended."""
        return self.world.ids("calls WHERE state IN ('running', 'input_required')")

    async def pending(self) -> InputRequest | None:
        """Return any pending request, if there is one."""
        return await self.one_of("state = 'pending'")

    async def one_of(self, condition: str) -> InputRequest | None:
        """Return any request that meets the condition, if there is one."""
        ids = self.world.ids(f"requests WHERE {condition}")
        return await self.world.services.store.of(LOCAL_USER).requests.get(self.random.choice(ids)) if ids else None

    def later(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do this while other things go on."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


async def tolerant(work: Coroutine[Any, Any, Any]) -> None:
    """Do what may come too late."""
    with suppress(*LATE):
        await work
