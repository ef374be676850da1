"""A server of 2026-07-28 by hand whose calls run as tasks, and whose tasks do exactly what a test says.

`python -m tests.mcp_servers.tasks` serves over stdio, with `--port N` over HTTP; with `--state FILE` its tasks survive
a restart, and with `--notifies` it notifies over stdio of the tasks that a client listens for. Its tools: `run` creates
a task of its arguments, or returns `plain` as a result; `tell` sets the `state` of the task `id`; `fail` lets the next
requests of `method` fail with `error`, or without an answer if that is null; over stdio, a call with `delay` is
answered after `release`; `log` returns the requests that came, with the header Mcp-Name of each. An update removes the
requests that it answers; when none is left, the state `then` of the task applies; with `again` that is asked after
each.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from mcp.shared.inbound import decode_header_value
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from webclient.demo.serving import serve_http
from webclient.domain.model import Era, Json

EXTENSION = "io.modelcontextprotocol/tasks"
LASTING: Json = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
LATER = ("inputRequests", "result", "error", "then", "again")
"""Fields that a handle does not show; the first look at the task does."""

BEGUN: Json = {
    "status": "working",
    "createdAt": "2026-01-01T00:00:00Z",
    "lastUpdatedAt": "2026-01-01T00:00:00Z",
    "ttlMs": None,
    "pollIntervalMs": 1,
}
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("run", "tell", "fail", "release", "log")]


GREETING: Json = {"capabilities": {"tools": {}, "prompts": {}, "extensions": {EXTENSION: {}}}}
LISTS: dict[str, Json] = {
    "server/discover": {
        "supportedVersions": [Era.ROUNDS],
        **LASTING,
        **GREETING,
        "serverInfo": {"name": "tasks", "version": "1"},
    },
    "tools/list": {"tools": TOOLS, **LASTING},
    "prompts/list": {"prompts": [{"name": "task"}], **LASTING},
}


class FailureError(Exception):
    """A request fails with this JSON-RPC error."""

    def __init__(self, error: Json) -> None:
        super().__init__(error)
        self.error = error


class TaskServer:
    """The tasks of the server, by id, and what it was asked."""

    def __init__(self, state: Path | None, *, notifies: bool = False) -> None:
        self._state = state
        self._tasks: dict[str, Json] = json.loads(state.read_text("utf-8")) if state and state.exists() else {}
        self._failures: dict[str, list[Json]] = {}
        self._log: list[Json] = []
        self._delayed: list[Json] = []
        self._is_released = False
        self._notifies = notifies
        self._listeners: dict[str | int, list[str]] = {}
        self._notices: list[Json] = []

    def respond(self, message: Json, name: str | None = None) -> Json | None:
        """Return the response to a message; None to a notification."""
        self._log.append({"id": None, "method": None, "params": None, **message, "mcp_name": name})
        if "id" not in message or "method" not in message:
            return None
        response = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "tools/call" and (message["params"].get("arguments") or {}).pop("delay", None):
            self._delayed.append(message)
            return None
        if waiting := self._failures.get(message["method"]):
            error = waiting.pop(0)
            return {**response, "error": error} if error else None
        if message["method"] == "subscriptions/listen" and self._notifies:
            self._listened(message["id"], message["params"]["notifications"])
            return None
        try:
            return {**response, "result": self._result(message["method"], message.get("params") or {})}
        except FailureError as failure:
            return {**response, "error": failure.error}

    def released(self) -> list[Json]:
        """Return the responses to the calls that were delayed, if they are released."""
        delayed, self._delayed = (self._delayed, []) if self._is_released else ([], self._delayed)
        return [response for message in delayed if (response := self.respond(message))]

    def _listened(self, stream: str | int, wanted: Json) -> None:
        self._listeners[stream] = [each for each in wanted.get("taskIds", []) if each in self._tasks]
        honored = {"taskIds": self._listeners[stream]}
        self._notice(stream, "notifications/subscriptions/acknowledged", {"notifications": honored})

    def _notice(self, stream: str | int, method: str, params: Json) -> None:
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": stream}}
        self._notices.append({"jsonrpc": "2.0", "method": method, "params": params | meta})

    def noticed(self) -> list[Json]:
        """Return the notifications that have become due."""
        notices, self._notices = self._notices, []
        return notices

    def _changed(self, task_id: str) -> None:
        for stream, followed in self._listeners.items():
            if task_id in followed:
                self._notice(stream, "notifications/tasks", {"taskId": task_id, **self._tasks[task_id]})

    def _result(self, method: str, params: Json) -> Json:
        if method in LISTS:
            return LISTS[method]
        match method:
            case "tools/call":
                return self._called(params["name"], params.get("arguments") or {})
            case "prompts/get":
                return {"resultType": "task", "taskId": "p1", **BEGUN}
            case "tasks/get":
                shown = {name: value for name, value in self._task(params).items() if name not in ("then", "again")}
                return {"resultType": "complete", "taskId": params["taskId"], **shown}
            case "tasks/update":
                self._update(self._task(params), params["inputResponses"])
            case "tasks/cancel":
                self._task(params).update(status="cancelled")
            case _:
                raise FailureError({"code": -32601, "message": f"Method not found: {method}"})
        self._save()
        return {"resultType": "complete"}

    def _task(self, params: Json) -> Json:
        if params["taskId"] not in self._tasks:
            raise FailureError({"code": -32602, "message": f"Unknown task: {params['taskId']}"})
        return self._tasks[params["taskId"]]

    def _update(self, task: Json, answers: Json) -> None:
        waiting = task.get("inputRequests") or {}
        task["inputRequests"] = {key: entry for key, entry in waiting.items() if key not in answers}
        if again := task.get("again"):
            task["inputRequests"][f"again{len(self._log)}"] = again
        if not task["inputRequests"]:
            task.update(task.pop("then", {"status": "working"}))

    def _called(self, name: str, arguments: Json) -> Json:
        content: list[Json] = []
        match name:
            case "run" if "plain" not in arguments:
                handle = {"resultType": "task", "taskId": f"t{len(self._tasks) + 1}", **BEGUN, **arguments}
                stored = {key: value for key, value in handle.items() if key not in ("resultType", "taskId")}
                self._tasks[handle["taskId"]] = stored
                self._save()
                return {key: value for key, value in handle.items() if key not in LATER}
            case "run":
                content = [{"type": "text", "text": arguments["plain"]}]
            case "tell":
                if arguments["state"] is None:
                    del self._tasks[arguments["id"]]
                else:
                    self._tasks[arguments["id"]].update(arguments["state"])
                    self._changed(arguments["id"])
                self._save()
            case "fail":
                self._failures[arguments["method"]] = [arguments["error"]] * arguments.get("times", 1)
            case "release":
                self._is_released = True
            case "log":
                content = [{"type": "text", "text": json.dumps(self._log)}]
        return {"resultType": "complete", "content": content}

    def _save(self) -> None:
        if self._state:
            self._state.write_text(json.dumps(self._tasks), "utf-8")


def serve_stdio(server: TaskServer) -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        for response in (server.respond(json.loads(line)), *server.released(), *server.noticed()):
            sys.stdout.write(json.dumps(response) + "\n" if response else "")
        sys.stdout.flush()


def create_app(server: TaskServer) -> Starlette:
    """Return the server as an application."""

    async def handle(request: Request) -> Response:
        response = server.respond(
            json.loads(await request.body()), decode_header_value(request.headers.get("mcp-name"))
        )
        return Response(json.dumps(response), media_type="application/json") if response else Response(status_code=202)

    return Starlette(routes=[Route("/mcp", handle, methods=["POST"])])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport")
    parser.add_argument("--era")
    parser.add_argument("--port", type=int)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--notifies", action="store_true")
    options = parser.parse_args()
    if options.port is None:
        serve_stdio(TaskServer(options.state, notifies=options.notifies))
    else:
        serve_http(create_app(TaskServer(options.state)), port=options.port, announce="Listening", path="/mcp")
