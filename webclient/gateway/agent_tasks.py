"""Answers what agents ask about the calls that they make as tasks, of both generations.

All of it comes from the store, so it is the same in any session and after a restart. An agent reaches its own tasks
only.
"""

from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from typing import Any

from webclient.calls import Calls
from webclient.domain.errors import ConflictError, InvalidInputError
from webclient.domain.model import Call, Json, ReasonCode, now
from webclient.gateway.agent_calls import AgentCall, AgentCalls
from webclient.gateway.hop import TASKS
from webclient.gateway.steps import Steps
from webclient.gateway.tasks import LONGEST_LIFE, lives_until, result_of, task_of, whole_task_of
from webclient.gateway.visit import AgentVisit, JointVisit, Visit
from webclient.protocol import INTERNAL_ERROR, INVALID_PARAMS, ServerError
from webclient.store import Store
from webclient.support import background

NOT_DECLARED = -32021
"""The code for a request that needs a capability which its agent has not declared (2026-07-28)."""

NOT_FOUND = -32601
"""The code for a method that a server does not have (JSON-RPC)."""

PAGE = 100
"""The most calls of agents that are looked through for one page of a list of tasks."""

LEGACY = frozenset({"tasks/get", "tasks/result", "tasks/list", "tasks/cancel"})
MODERN = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})


class AgentTasks:
    """The tasks of agents."""

    def __init__(self, store: Store, calls: Calls, agent_calls: AgentCalls) -> None:
        self._store = store
        self._calls = calls
        self._agent_calls = agent_calls

    async def created(self, visit: Visit, wanted: AgentCall) -> Json:
        """Start a call as a task of 2025-11-25, and return its handle. Raises ServerError."""
        if await self._agent_calls.awaits(visit, wanted):
            raise ServerError(NOT_FOUND, "This tool cannot run as a task", wanted.name)
        try:
            shared = await self._agent_calls.begun(visit, wanted)
        except (ConflictError, InvalidInputError) as error:
            await self._store.of(visit.user_id).check_home()
            raise ServerError(INTERNAL_ERROR, str(error)) from None
        call = await self._agent_calls.as_task(visit, shared, wanted.task_seconds)
        return {"task": task_of(call, modern=False)}

    async def answer_legacy(self, visit: Visit | JointVisit, method: str, params: Json, watcher: Steps) -> Json:
        """Answer a request on tasks of 2025-11-25. Raises ServerError."""
        if method not in LEGACY:
            raise ServerError(NOT_FOUND, "Method not found", method)
        if method == "tasks/list":
            return await self._listed(visit, params)
        call = await self._found(visit, params)
        if method == "tasks/result":
            return await self._result(visit, call, watcher)
        if method == "tasks/cancel":
            return await self._cancelled(call)
        return task_of(call, modern=False)

    async def answer_modern(self, visit: Visit | JointVisit, method: str, params: Json, *, declared: bool) -> Json:
        """Answer a request on tasks of 2026-07-28. Raises ServerError."""
        if method not in MODERN:
            raise ServerError(NOT_FOUND, "Method not found", method)
        if not declared:
            required: Json = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            raise ServerError(NOT_DECLARED, f"The extension {TASKS} is not declared", required)
        call = await self._found(visit, params)
        if method == "tasks/get":
            if call.state.ended:
                self._agent_calls.fetched(visit, call)
            return whole_task_of(call)
        if method == "tasks/cancel" and not call.state.ended:
            await self._calls.cancel(call, ReasonCode.AGENT_CANCELLED)
        # What this program asks a person is not the agent's to answer, so an update has nothing for us.
        return {}

    async def _found(self, visit: Visit | JointVisit, params: Json) -> Call:
        """Return the call of a task of this agent, and note that it is there. Raises ServerError."""
        call = await self._agent_calls.stored(visit, params.get("taskId"))
        if call is None or call.server_id not in _reachable(visit) or not _is_alive(call):
            raise ServerError(INVALID_PARAMS, "Unknown or expired task")
        self._agent_calls.polled(call)
        return call

    async def _result(self, visit: AgentVisit, call: Call, watcher: Steps) -> Json:
        """Wait until the task has ended, and return its result. Raises ServerError."""
        shared = self._agent_calls.shared(call)
        watcher.waits = lambda: self._calls.asks(call.id)
        with shared.waiting(watcher):
            gone = background.start(visit.gone.wait(), name="agent's presence", awaited=True)
            try:
                await asyncio.wait([shared.over, gone], return_when=asyncio.FIRST_COMPLETED)
            finally:
                gone.cancel()
            if not shared.over.done():
                raise ServerError(INTERNAL_ERROR, "The client has gone")
            ended = shared.over.result()
            if not ended.state.ended:
                raise ServerError(INTERNAL_ERROR, "The task goes on in another process. Send this again.")
            self._agent_calls.fetched(visit, ended)
        return result_of(ended)

    async def _cancelled(self, call: Call) -> Json:
        try:
            return task_of(await self._calls.cancel(call, ReasonCode.AGENT_CANCELLED), modern=False)
        except ConflictError:
            raise ServerError(INVALID_PARAMS, f"The task has ended ({call.state}), and cannot be cancelled") from None

    async def _listed(self, visit: Visit | JointVisit, params: Json) -> Json:
        before = _place(params["cursor"]) if params.get("cursor") is not None else None
        calls = await self._store.of(visit.user_id).calls.of_agents(now() - LONGEST_LIFE, before, PAGE)
        theirs = [each for each in calls if each.agent and each.agent.token_id == visit.token_id]
        alive = [each for each in theirs if each.server_id in _reachable(visit) and _is_alive(each)]
        more = {"nextCursor": _cursor(calls[-1])} if len(calls) == PAGE else {}
        return {"tasks": [task_of(each, modern=False) for each in alive], **more}


def _is_alive(call: Call) -> bool:
    return now() < lives_until(call) and call.erased_at is None


def _reachable(visit: Visit | JointVisit) -> set[str]:
    return {visit.server.id} if isinstance(visit, Visit) else {server.id for server in visit.servers}


def _cursor(call: Call) -> str:
    """Return the cursor after a call; it is opaque to agents."""
    return urlsafe_b64encode(json.dumps([call.created_at.timestamp(), call.id]).encode()).decode()


def _place(cursor: Any) -> tuple[datetime, str]:
    """Return the place of a cursor. Raises ServerError."""
    try:
        moment, call_id = json.loads(urlsafe_b64decode(str(cursor)))
        return datetime.fromtimestamp(float(moment), UTC), str(call_id)
    except (ValueError, TypeError, OverflowError, OSError, RecursionError):
        raise ServerError(INVALID_PARAMS, "The cursor is not one of this list") from None
