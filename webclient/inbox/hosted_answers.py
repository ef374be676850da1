"""Answers what servers ask about the tasks that we host for them: `tasks/get`, `result`, `list` and `cancel`.

All of it comes from the store, so it is the same in any session and after a restart (MCP 2025-11-25, Tasks).
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from webclient.domain.model import InputRequest, Json, Server, ServerRequest, now
from webclient.inbox.endings import withdrawn
from webclient.inbox.hosted_tasks import lives_until, outcome_of, status_of, task_of
from webclient.inbox.inbox import Inbox, all_settled
from webclient.inbox.policy import rejection
from webclient.inbox.refusals import refusals
from webclient.protocol import INVALID_PARAMS, USER_REJECTED, Endpoint, HostedTaskEvents, RequestRefusedError
from webclient.store import Store

UNAVAILABLE = -32000
"""The JSON-RPC code for a task that has no result (JSON-RPC 2.0, 5.1: -32000 to -32099 are free to use)."""

PAGE = 50
"""The most tasks in one page of a list."""

MOST_REMEMBERED = 1000
"""The most tasks of muted servers that are remembered; they were over when they began."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC), ""


class HostedAnswers(HostedTaskEvents):
    """Answers requests about tasks. A server reaches its own tasks only, and none of another address of it."""

    def __init__(self, store: Store, inbox: Inbox) -> None:
        self._store = store
        self._inbox = inbox
        self._over: OrderedDict[str, InputRequest] = OrderedDict()
        self._answers: dict[str, Callable[[Server, Json], Awaitable[Json]]] = {
            "tasks/get": self._get,
            "tasks/list": self._list,
            "tasks/cancel": self._cancel,
        }

    def remember(self, request: InputRequest) -> None:
        """Remember a request that was settled when it came and has no row."""
        self._over[request.ids.hosted_task_id or ""] = request
        if len(self._over) > MOST_REMEMBERED:
            self._over.popitem(last=False)

    async def read(self, request: InputRequest) -> Json:
        """Return the task of a request that was just stored."""
        return task_of(await self._store.of(request.user_id).requests.get(request.id))

    async def task_requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return what the server asks about a task. Raises RequestRefusedError."""
        with refusals(request):
            if request.method != "tasks/result":
                return await self.answer(endpoint.server, request.method, request.params)
            settled, result = await self._result(endpoint.server, request.params)
            request.answers, request.wants_delivery = settled.id, True
            return result

    async def task_ended(self, endpoint: Endpoint, task_id: str) -> Json:
        """Wait until a task has ended, and return it. Raises RequestRefusedError."""
        return task_of(await self._ended(endpoint.server, task_id))

    async def answer(self, server: Server, method: str, params: Json) -> Json:
        """Return the answer to `tasks/get`, `tasks/list` or `tasks/cancel`. Raises RequestRefusedError."""
        return await self._answers[method](server, params)

    async def _result(self, server: Server, params: Json) -> tuple[InputRequest, Json]:
        """Wait until the task has ended; return its request and its result. Raises RequestRefusedError."""
        request = await self._ended(server, _task_id(params))
        if status_of(request) == "cancelled":
            raise RequestRefusedError(UNAVAILABLE, "The task was cancelled, so it has no result.")
        if request.gone or (request.erased_at and request.content):
            raise RequestRefusedError(UNAVAILABLE, "The result was fetched before, and is not kept any longer.")
        result = outcome_of(request)
        if result is None:
            raise RequestRefusedError(USER_REJECTED, rejection(request))
        return request, result

    async def _ended(self, server: Server, task_id: str) -> InputRequest:
        """Wait until the task has ended, and return its request. Raises RequestRefusedError."""
        request = await self._find(server, task_id)
        if request.pending:
            [request] = await self._inbox.until([request], all_settled)
        return request

    async def _get(self, server: Server, params: Json) -> Json:
        return task_of(await self._find(server, _task_id(params)))

    async def _list(self, server: Server, params: Json) -> Json:
        after = _place(params["cursor"]) if params.get("cursor") is not None else _BEGINNING
        rows = await self._store.of(server.user_id).hosted_tasks.page(server.id, after, PAGE)
        more = {"nextCursor": _cursor(rows[-1])} if len(rows) == PAGE else {}
        return {"tasks": [task_of(each) for each in rows if _belongs(each, server)], **more}

    async def _cancel(self, server: Server, params: Json) -> Json:
        request = await self._find(server, _task_id(params))
        # Exactly one of the person and the server is first, in the store.
        if not (request.pending and await self._inbox.settle(request, *withdrawn())):
            status = status_of(await self._find(server, _task_id(params)))
            raise RequestRefusedError(INVALID_PARAMS, f"The task cannot be cancelled: its status is '{status}'.")
        return task_of(await self._find(server, _task_id(params)))

    async def _find(self, server: Server, task_id: str) -> InputRequest:
        found = self._over.get(task_id) or await self._store.of(server.user_id).hosted_tasks.get(task_id)
        if found is None or not _belongs(found, server):
            raise RequestRefusedError(INVALID_PARAMS, "Unknown or expired task.")
        return found


def _belongs(request: InputRequest, server: Server) -> bool:
    """Return whether the server may know of the task, which is alive.

    A server at another address is another requestor (Tasks, Task Isolation and Access Control: MUST).
    """
    is_same = request.server_key == server.key and request.asked_by.address == server.address
    return is_same and now() < lives_until(request)


def _task_id(params: Json) -> str:
    task_id = params.get("taskId")
    if not isinstance(task_id, str):
        raise RequestRefusedError(INVALID_PARAMS, "The parameter taskId must be a string.")
    return task_id


def _cursor(request: InputRequest) -> str:
    """Return the cursor after a task; it is opaque to servers."""
    return urlsafe_b64encode(json.dumps([request.created_at.timestamp(), request.id]).encode()).decode()


def _place(cursor: Any) -> tuple[datetime, str]:
    """Return the place of a cursor. Raises RequestRefusedError."""
    try:
        moment, request_id = json.loads(urlsafe_b64decode(str(cursor)))
        return datetime.fromtimestamp(float(moment), UTC), str(request_id)
    except (ValueError, TypeError, OverflowError, OSError, RecursionError) as error:
        raise RequestRefusedError(INVALID_PARAMS, "The cursor is not one of this list.") from error
