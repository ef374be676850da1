"""The gate of the inbox: every question passes here first, in both eras; what is turned away is kept and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webclient.inbox.inbox import Inbox
from webclient.inbox.policy import Refusal, RefusedError, refusal
from webclient.model import InputRequest, RequestState, Server, now


class Gate:
    """Lets questions in by the rules of `policy`."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def admit(self, server: Server, requests: Sequence[InputRequest]) -> None:
        """Return if all of these may be put, which come together; `server` as it was when they came.

        Raises RefusedError otherwise: then none may, and those that stand in the way are shown as refused.
        """
        refused = [(request, why) for request in requests if (why := refusal(server, request))]
        for request, why in refused:
            await self.turn_away(request, why)
        if refused:
            raise RefusedError(refused[0][1])

    async def turn_away(self, request: InputRequest, why: Refusal) -> None:
        """Keep a question that is not put, and show that there was one."""
        turned_away = replace(request, state=RequestState.REFUSED, reason=why.reason, settled_at=now())
        await self._inbox.record(turned_away)
