"""The notices of a server about one task of 2026-07-28: while they come, the task is polled less often.

A notice only brings the next poll forward, so what it says is never relied on. A server that sends none is polled.
"""

from __future__ import annotations

import asyncio
from itertools import chain, repeat

from webclient import protocol
from webclient.calls.polling import Polls
from webclient.domain.errors import WebclientError
from webclient.domain.model import Call
from webclient.protocol import ServerError, Trouble
from webclient.servers.connections import Connections
from webclient.support import background

PAUSES = (0.25, 0.5, 1, 2, 5, 10)
"""Seconds before a stream that has ended is opened again; the last repeats."""


class TaskNotices:
    """Listens for the notices of the task of a call, from `begin` to `end`."""

    def __init__(self, call: Call, task_id: str, polls: Polls, connections: Connections) -> None:
        self._call = call
        self._task_id = task_id
        self._polls = polls
        self._connections = connections
        self._listening: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Ask for notices; whether they come shows later."""
        self._listening = background.start(self._listen(), name="notices of a task", of=self._call.id)

    def end(self) -> None:
        """Ask for no more notices."""
        if self._listening:
            self._listening.cancel()

    async def _listen(self) -> None:
        """Keep a stream open, also in later sessions, until the server refuses it."""
        for pause in chain(PAUSES, repeat(PAUSES[-1])):
            try:
                connection = await self._connections.ready(self._call.server_key)
                wire = protocol.tasks_of(connection.session)
                if not await wire.listen(self._task_id, self._agreed):
                    return
            except ServerError as error:
                if error.trouble not in (Trouble.NOT_SENT, Trouble.CLOSED):
                    return
            except WebclientError:
                return
            finally:
                self._polls.is_notified = False
            # What happened since the last notice is seen with a poll.
            self._polls.hurry()
            await asyncio.sleep(pause)

    def _agreed(self) -> None:
        self._polls.is_notified = True
        self._polls.hurry()
