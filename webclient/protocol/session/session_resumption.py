"""Resumes the session of an earlier connection: ends the waits of that one, and answers what the server asked on it.

Only a session over streamable HTTP of 2025-11-25 can be resumed, and only one in which work goes on is.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from mcp.client import ClientSession
from mcp.types import JSONRPCNotification, RequestId

from webclient.domain.model import Era, Json, SavedSession, ServerRequest
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.session.callbacks import result_or_error
from webclient.protocol.session.hosted_tasks import MOST_SAVED
from webclient.protocol.session.negotiation import EraReason, server_description
from webclient.protocol.session.session_events import SessionEvents
from webclient.protocol.session.tap import Tap
from webclient.protocol.transports.session_keeping import NotResumedError
from webclient.protocol.transports.transport_state import TransportState
from webclient.support import background

LONGEST_NAME = 200
"""Characters of the id of a task, or of a cursor, as we give them; longer ones are not ours."""


class Resumption:
    """The resumption of a session on one connection; `refused`: the server does not know the session any more."""

    def __init__(self, endpoint: Endpoint, events: SessionEvents, transport_state: TransportState) -> None:
        self.refused = False
        self._endpoint = endpoint
        self._work, self._requests = events.work, events.requests
        self._state = transport_state
        self._keeping = transport_state.keeping
        self._reopened: dict[str, asyncio.Task[None]] = {}
        self._session: SavedSession | None = None
        self._tap: Tap | None = None

    async def begin(self) -> Era:
        """Find the session to resume, if there is one; return the era with which to connect."""
        server = self._endpoint.server
        if self._endpoint.transport["type"] != "http" or server.era is Era.ROUNDS:
            return server.era
        saved = await self._work.saved_session(self._endpoint)
        if saved is None or saved.url != server.transport["url"]:
            return server.era
        self._keeping.resumed = saved
        return Era.PUSH

    async def check(self, client: ClientSession) -> None:
        """Find out whether the server still knows the resumed session. Raises NotResumedError."""
        # From here on an error status becomes a JSON-RPC error that says whether the session is unknown.
        self._state.established = self._keeping.resumed is not None
        try:
            await self._keeping.check(client)
        except NotResumedError:
            self.refused = True
            self._state.established = False
            await self._work.not_resumed(self._endpoint)
            raise

    def reason(self, found: EraReason) -> EraReason:
        """Return why the session speaks its era; `found` is the reason of a new one."""
        return EraReason(self._keeping.resumed.era_reason) if self._keeping.resumed else found

    async def opened(self, client: ClientSession, reason: EraReason, tap: Tap) -> None:
        """Report the open session, and take up what was left open in it."""
        said = server_description(client) | {"era_reason": reason}
        earlier, self._tap = self._keeping.resumed, tap
        self._session = self._keeping.saved(self._endpoint.server, said)
        self._keeping.on_wait = self._save
        for request_id in earlier.waits if earlier else ():
            # The server would send the next question of the task on a stream that is gone.
            await tap.send(_not_awaited(request_id))
        for request in await self._work.opened(self._endpoint, self._session, resumed=earlier is not None):
            tap.reopen(request)
            answering = background.start(self._answer(request, tap), name="request", of=request.id)
            self._reopened[request.id] = answering
        for saved in earlier.requests if earlier else ():
            tap.ask_again(ServerRequest(method=saved["method"], params=saved["params"], wire_id=saved["id"]))

    def withdraw(self, request: ServerRequest) -> bool:
        """Stop waiting for the answer to a request that the server withdrew; return whether it was left open."""
        if waiting := self._reopened.pop(request.id, None):
            waiting.cancel()
        return waiting is not None

    async def end(self) -> None:
        """Stop waiting for answers, and keep the session if work goes on in it."""
        waiting, self._reopened = list(self._reopened.values()), {}
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await self._save()
        self._keeping.keeps = await self._work.saved_session(self._endpoint) is not None

    async def _save(self) -> None:
        """Store what is open in the session."""
        if self._session and self._tap:
            requests = [_as_saved(request) for request in self._tap.hosted_tasks.unanswered[:MOST_SAVED]]
            waits = [*self._keeping.waits]
            open_now = replace(self._session, waits=waits, requests=requests)
            await self._work.left_open(self._endpoint, open_now)

    async def _answer(self, request: ServerRequest, tap: Tap) -> None:
        result = await result_or_error(partial(self._requests.requested_again, self._endpoint, request))
        self._reopened.pop(request.id, None)
        await tap.respond(request, result)


def _as_saved(request: ServerRequest) -> Json:
    """Return what is needed to answer a request about a task later, and nothing else that the server may have sent."""
    given = {name: request.params.get(name) for name in ("taskId", "cursor")}
    params = {name: said for name, said in given.items() if isinstance(said, str) and len(said) <= LONGEST_NAME}
    return {"id": request.wire_id, "method": request.method, "params": params}


def _not_awaited(request_id: RequestId) -> JSONRPCNotification:
    """Return the notice that the result of a request of an earlier connection is not awaited any more."""
    params = {"requestId": request_id, "reason": "The connection was lost."}
    return JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params)
