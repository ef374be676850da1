"""A server of 2025-11-25 in this process that runs its tool as tasks, exactly as a test says."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.house import House
from tests.protocol.scripted import DONE, Stream, plain, rooms_at
from webclient.domain.model import Era, Json

RELATED = "io.modelcontextprotocol/related-task"
CAPABILITIES: Json = {"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}
SCHEMA: Json = {"type": "object", "properties": {"name": {"type": "string"}}}

Handler = Callable[[Stream], Awaitable[None]]


def task(status: str = "working", task_id: str = "t1", **more: object) -> Json:
    """Return a task as a server sends it; it wants to be polled as often as possible."""
    at = "2026-01-01T00:00:00Z"
    return {
        "taskId": task_id,
        "status": status,
        "createdAt": at,
        "lastUpdatedAt": at,
        "ttl": 60000,
        "pollInterval": 250,
    } | more


def elicitation(request_id: int, task_id: str | None = "t1") -> Json:
    """Return a question, which names its task if there is one."""
    meta = {"_meta": {RELATED: {"taskId": task_id}}} if task_id else {}
    params = {"message": "What is your name?", "requestedSchema": SCHEMA} | meta
    return {"jsonrpc": "2.0", "id": request_id, "method": "elicitation/create", "params": params}


class TaskServer:
    """Answers each method with what a test has put into `answers`, the last one again and again.

    An answer is a result, `{"error": ...}`, or a function that writes the response. `seen` are all messages of the
    client, `get_stream` is its stream for requests outside of calls, once that is open.
    """

    def __init__(self, support: str | None = "required", capabilities: Json | None = None) -> None:
        execution = {"execution": {"taskSupport": support}} if support else {}
        self.tools: list[Json] = [{"name": "work", "inputSchema": {"type": "object"}, **execution}]
        self.seen: list[Json] = []
        self.answers: defaultdict[str, deque[Json | Handler]] = defaultdict(deque)
        self.get_stream: asyncio.Future[Stream] = asyncio.get_running_loop().create_future()
        self._came = asyncio.Condition()
        info = {"name": "it", "version": "1"}
        capabilities = CAPABILITIES if capabilities is None else capabilities
        greeting = {"protocolVersion": Era.PUSH, "capabilities": capabilities, "serverInfo": info}
        self.put("initialize", greeting)
        self.put("tools/list", {"tools": self.tools})
        self.put("ping", {})
        self.put("tools/call", {"task": task()})
        self.put("tasks/cancel", task("cancelled"))
        self.put("tasks/result", DONE)

    def put(self, method: str, *answers: Json | Handler) -> None:
        """Answer the method with these, in their order."""
        self.answers[method] = deque(answers)

    def sent(self, method: str) -> list[Json]:
        """Return the messages of that method that the client has sent."""
        return [message for message in self.seen if message.get("method") == method]

    @property
    def responses(self) -> list[Json]:
        """The client's responses to questions."""
        return [message for message in self.seen if "method" not in message]

    async def until(self, method: str | None, count: int = 1) -> list[Json]:
        """Wait until the client has sent so many messages of the method, or responses."""

        def found() -> list[Json]:
            return self.responses if method is None else self.sent(method)

        async with self._came:
            await self._came.wait_for(lambda: len(found()) >= count)
        return found()

    async def push(self, message: Json) -> None:
        """Send a message on the stream for requests outside of calls."""
        await (await self.get_stream).event(message)

    async def respond(self, stream: Stream) -> bool:
        message, writer = stream.message, stream.writer
        if stream.http_method == "GET":
            await stream.begin()
            if not self.get_stream.done():
                self.get_stream.set_result(stream)
            await asyncio.sleep(3600)
        if stream.http_method == "DELETE":
            return await plain(writer, 200)
        async with self._came:
            self.seen.append(message)
            self._came.notify_all()
        if "method" not in message or "id" not in message:
            return await plain(writer, 202)
        return await self._answer(stream)

    async def _answer(self, stream: Stream) -> bool:
        waiting = self.answers[stream.message["method"]]
        if not waiting:
            error = {"code": -32601, "message": "Method not found"}
            return await plain(stream.writer, 200, {"jsonrpc": "2.0", "id": stream.message["id"], "error": error})
        answer = waiting.popleft() if len(waiting) > 1 else waiting[0]
        if callable(answer):
            await answer(stream)
            return True
        body = answer if set(answer) == {"error"} else {"result": answer}
        return await plain(stream.writer, 200, {"jsonrpc": "2.0", "id": stream.message["id"], **body})


@asynccontextmanager
async def connected(tmp_path: Path, server: TaskServer) -> AsyncIterator[House]:
    """Run the server, and rooms connected to it."""
    async with rooms_at(tmp_path, server.respond, Era.PUSH) as rooms:
        yield rooms
