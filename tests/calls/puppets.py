"""A server whose messages a test decides, which asks for tasks; see `tests/mcp_servers/puppet.py`."""

from __future__ import annotations

import json
from typing import Any

from tests.house import House
from webclient.domain.model import LOCAL_USER, Call, CallState, InputRequest, Json

SCHEMA: Json = {"type": "object", "properties": {"name": {"type": "string"}}}
FORM: Json = {"message": "What is your name?", "requestedSchema": SCHEMA}


def elicitation(**params: Any) -> Json:
    """Return an elicitation without an id."""
    return {"method": "elicitation/create", "params": {**FORM, **params}}


def sampling(**params: Any) -> Json:
    """Return a sampling request without an id."""
    messages = [{"role": "user", "content": {"type": "text", "text": "Write a haiku."}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100, **params}}


def ask(method: str, task_id: object) -> Json:
    """Return a request about a task without an id."""
    return {"method": f"tasks/{method}", "params": {"taskId": task_id}}


class Server:
    """The server `name`, as the test plays it."""

    def __init__(self, rooms: House, name: str = "puppet") -> None:
        self.rooms = rooms
        self.name = name

    async def tool(self, tool: str, arguments: Json | None = None) -> Any:
        """Run a tool to its end, and return its result."""
        return value_of(await self.rooms.ended(await self.rooms.call(self.name, tool, arguments)))

    async def send(self, *messages: Json) -> list[Json]:
        """Send messages to the client, and return the replies once all are there."""
        replies: list[Json] = await self.tool("send", {"messages": list(messages)})
        return replies

    async def waiting(self, *messages: Json) -> Call:
        """Send messages to the client in a call that waits for all replies."""
        return await self.rooms.call(self.name, "send", {"messages": list(messages)})

    async def host(self, message: Json | None = None) -> tuple[Json, InputRequest]:
        """Ask for something as a task; return the task and the request that the person sees."""
        [reply] = await self.send(message or elicitation(task={}))
        task: Json = reply["result"]["task"]
        request = await self.rooms.services.store.of(LOCAL_USER).hosted_tasks.get(task["taskId"])
        assert request
        return task, request


def value_of(call: Call) -> Any:
    """Return what a tool of the puppet has returned."""
    assert call.state is CallState.DONE, call
    assert call.result
    return json.loads(call.result["content"][0]["text"])
