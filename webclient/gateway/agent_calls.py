"""The calls that agents make: started as any call is, and answered with the result or the error as it came.

A call belongs to the user and not to the request of the agent. If the agent goes away, its call has some time in which
to end by itself; then it is cancelled, with its questions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from webclient.calls import Calls, OnProgress
from webclient.domain.errors import ConflictError
from webclient.domain.model import Agent, Call, CallKind, CallState, Json, Reason, ReasonCode
from webclient.domain.reasons import message, sentence
from webclient.gateway.visit import Visit
from webclient.protocol import INTERNAL_ERROR, INVALID_PARAMS, ServerError
from webclient.support import background

GRACE = 60.0
"""Seconds that a call goes on after its agent has gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """A call as an agent asks for it; `params` are those that the server gets as they came."""

    kind: CallKind
    name: str
    arguments: Json | None
    params: Json = field(default_factory=dict)
    client: str = ""
    version: str = ""


_NAMES = {CallKind.TOOL: "name", CallKind.PROMPT: "name", CallKind.RESOURCE: "uri"}

# A call that runs as a task is one whole call to the agent, and the rounds are between the server and this program.
_OURS = frozenset({"arguments", "task", "inputResponses", "requestState"})


def agent_call(kind: CallKind, params: Json, client: str, version: str) -> AgentCall:
    """Read the parameters of a call. Raises ServerError if they are malformed."""
    key = _NAMES[kind]
    name, arguments = params.get(key), params.get("arguments")
    if not isinstance(name, str) or not (arguments is None or isinstance(arguments, dict)):
        raise ServerError(INVALID_PARAMS, f"Invalid request parameters: {key} must be a string, arguments an object")
    left = {each: value for each, value in params.items() if each not in {key, *_OURS}}
    return AgentCall(kind=kind, name=name, arguments=arguments, params=left, client=client, version=version)


class AgentCalls:
    """Runs the calls of agents. `grace` are the seconds that a call goes on after its agent has gone."""

    def __init__(self, calls: Calls, grace: float = GRACE) -> None:
        self._calls = calls
        self._grace = grace
        self._stopped: dict[str, asyncio.Event] = {}

    async def result(
        self, visit: Visit, wanted: AgentCall, on_progress: OnProgress, began: Callable[[str], None]
    ) -> Json:
        """Run a call, and return its result as it came; `began` gets its id.

        Raises ServerError with the server's error.
        """
        agent = Agent(
            token_id=visit.token_id,
            label=visit.label,
            client=wanted.client,
            version=wanted.version,
            params=wanted.params,
        )
        try:
            call = await self._calls.start(
                visit.user_id, visit.server, kind=wanted.kind, name=wanted.name, arguments=wanted.arguments, agent=agent
            )
        except ConflictError as error:
            return _refused(wanted.kind, str(error))
        began(call.id)
        stopped = self._stopped[call.id] = asyncio.Event()
        over = background.start(self._calls.until_over(call, on_progress), name="agent call", of=call.id, awaited=True)
        over.add_done_callback(lambda _task: self._stopped.pop(call.id, None))
        gone = asyncio.create_task(visit.gone.wait())
        try:
            await asyncio.wait([over, gone], return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not over.done():
                background.start(self._give_up(call, over, stopped), name="agent has gone", of=call.id)
        if not over.done():
            raise ServerError(INTERNAL_ERROR, "The client has gone")
        return outcome(over.result())

    def stop(self, call_id: str) -> None:
        """Cancel a call because its agent has cancelled it."""
        if stopped := self._stopped.get(call_id):
            stopped.set()

    async def _give_up(self, call: Call, over: asyncio.Task[Call], stopped: asyncio.Event) -> None:
        """Cancel the call, unless it ends within its grace; at once if the agent has cancelled it."""
        cancelled = asyncio.create_task(stopped.wait())
        try:
            await asyncio.wait([over, cancelled], timeout=self._grace, return_when=asyncio.FIRST_COMPLETED)
        finally:
            cancelled.cancel()
        if over.done():
            return
        reason = ReasonCode.AGENT_CANCELLED if stopped.is_set() else ReasonCode.AGENT_GONE
        await self._calls.cancel(call, reason)


def outcome(call: Call) -> Json:
    """Return the result of an ended call as it came. Raises ServerError with the server's error.

    An error of ours is the result of a tool with `isError`: agents show that to their model, and an error of the
    protocol ends the run of some.
    """
    error = call.error
    if call.state is CallState.DONE and call.result is not None:
        return call.result
    if error is not None and error.code is not None and error.message is not None and not error.ran:
        raise ServerError(error.code, error.message, error.data)
    words = message(error) if error else sentence(Reason(ReasonCode.CLIENT_STOPPED))
    return _refused(call.kind, words)


def _refused(kind: CallKind, words: str) -> Json:
    if kind is not CallKind.TOOL:
        raise ServerError(INTERNAL_ERROR, words)
    return {"content": [{"type": "text", "text": words}], "isError": True}
