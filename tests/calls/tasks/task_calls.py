"""Calls that run as tasks of 2026-07-28: the requests of a task, its states at the server, and its stored row."""

from __future__ import annotations

import json

from tests.house import House
from webclient.domain.model import Call, InputRequest, Json

FORM: Json = {
    "method": "elicitation/create",
    "params": {"message": "Name?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}},
}
DONE: Json = {"status": "completed", "result": {"content": [{"type": "text", "text": "done"}]}}
ASKING: Json = {"status": "input_required", "inputRequests": {"q1": FORM}, "then": DONE}
LINK: Json = {
    "method": "elicitation/create",
    "params": {"mode": "url", "message": "Pay", "url": "https://example.com/pay", "elicitationId": "e1"},
}
SAMPLING: Json = {
    "method": "sampling/createMessage",
    "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 10},
}


async def tell(rooms: House, task_id: str, state: Json | None) -> None:
    """Set the state of a task at the server; None forgets it."""
    await rooms.ended(await rooms.call("it", "tell", {"id": task_id, "state": state}))


async def fail(rooms: House, method: str, code: int, times: int = 1) -> None:
    """Let the next requests of that method fail."""
    error = {"code": code, "message": "Not that"}
    await rooms.ended(await rooms.call("it", "fail", {"method": method, "error": error, "times": times}))


async def call_with(rooms: House, **entries: Json) -> tuple[Call, list[InputRequest]]:
    """Start a call whose task asks these questions, and is done when they are answered."""
    call = await rooms.call("it", "run", ASKING | {"inputRequests": entries})
    return call, await rooms.pending_requests(call, len(entries))


async def stored(rooms: House, call: Call) -> Call:
    return await rooms.services.store.of("local").calls.get(call.id)


async def log(rooms: House, method: str) -> list[Json]:
    """Return the parameters of the requests of that method that came to the server."""
    ended = await rooms.ended(await rooms.call("it", "log"))
    assert ended.result
    return [each for each in json.loads(ended.result["content"][0]["text"]) if each["method"] == method]


async def with_task(rooms: House, call: Call) -> Call:
    """Wait until the call has its task."""

    async def look() -> Call | None:
        newest = await stored(rooms, call)
        return newest if newest.task else None

    return await rooms.until(look)


async def said(rooms: House, call: Call, message: str) -> Call:
    """Wait until the task says this in its newest state that is stored."""

    async def look() -> Call | None:
        newest = await stored(rooms, call)
        return newest if newest.task and newest.task.status_message == message else None

    return await rooms.until(look)
