"""A server by hand that does what each call says, and writes down its requests and the answers that really came.

`python -m tests.model.witness TESTIMONY CONTROL ERA [http PORT]`. TESTIMONY is a file of JSON lines that outlives it,
CONTROL a socket for commands to do something by itself. Without the SDK, so that it starts at once and forgets
nothing that came.

The one tool `play` is given `{tag, waves: [[kind, ...], ...], end, again, needs}`: it asks each wave at once, one after
the other, and ends with a `result`, an `error`, in `silence`, or in 2025-11-25 without waiting (`abandon`). It needs
links first (error -32042) `needs` times, and in 2026-07-28 asks for an opened link `again` so many times.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any
from uuid import uuid4

Json = dict[str, Any]
Send = Callable[[Json], None]

PUSH, ROUNDS = "2025-11-25", "2026-07-28"
METHOD_NOT_FOUND, INVALID_PARAMS, URL_REQUIRED, FAILED = -32601, -32602, -32042, -32603
SCHEMA: Json = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
LINKS = 2


class Witness:
    """Plays calls. `session` is what it knows of its clients, and is lost when it forgets."""

    def __init__(self, testimony: str, era: str) -> None:
        self._file = os.open(testimony, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._era = era
        self._ids = count()
        self._needed: Counter[str] = Counter()
        self._answers: dict[str, asyncio.Future[Json]] = {}
        self._asking: dict[str, tuple[str, str, Send]] = {}
        self._calls: dict[tuple[str, object], asyncio.Task[None]] = {}
        self.listeners: set[Send] = set()
        self.key = "kept"

    def testify(self, what: str, **about: Any) -> None:
        """Write down what happened; it is in the file when this returns."""
        os.write(self._file, json.dumps({"what": what, **about}).encode() + b"\n")

    def take(self, message: Json, send: Send, session: str = "") -> asyncio.Task[None] | None:
        """Take one message of a client; `send` is the way back. Returns the call that it begins, if it does."""
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            self._answered(message)
        elif method == "notifications/cancelled":
            self._cancel((session, params.get("requestId")))
        elif method == "tools/call":
            return self._begin(message["id"], params, send, session)
        elif "id" in message:
            send({"jsonrpc": "2.0", "id": message["id"], **self._plain(method)})
        return None

    def control(self, command: Json) -> None:
        """Do something by itself: withdraw the requests of a call, complete a link, or forget all clients."""
        match command["do"]:
            case "withdraw":
                for request_id in [id_ for id_, (tag, *_) in self._asking.items() if tag == command["tag"]]:
                    self._withdraw(request_id)
            case "complete":
                completed = {"method": "notifications/elicitation/complete", "params": {"elicitationId": command["id"]}}
                for send in self.listeners:
                    send({"jsonrpc": "2.0", **completed})
            case "forget":
                self.key = uuid4().hex
            case "crash":
                os._exit(1)

    def _plain(self, method: str) -> Json:
        info: Json = {"capabilities": {"tools": {}}, "serverInfo": {"name": "witness", "version": "1"}}
        lasting: Json = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        if method == "initialize" and self._era == PUSH:
            return {"result": {"protocolVersion": PUSH, **info}}
        if method == "server/discover" and self._era == ROUNDS:
            return {"result": {"supportedVersions": [ROUNDS], **lasting, **info}}
        if method == "tools/list":
            return {"result": {"tools": [{"name": "play", "inputSchema": {"type": "object"}}], **lasting}}
        if method == "ping":
            return {"result": {}}
        return {"error": {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method}"}}

    def _begin(self, call_id: object, params: Json, send: Send, session: str) -> asyncio.Task[None]:
        task = asyncio.create_task(self._call(call_id, params, send))
        self._calls[session, call_id] = task
        task.add_done_callback(lambda _task: self._calls.pop((session, call_id), None))
        return task

    def _cancel(self, key: tuple[str, object]) -> None:
        if key in self._calls:
            self._calls[key].cancel()

    async def _call(self, call_id: object, params: Json, send: Send) -> None:
        script = params.get("arguments") or {}
        tag = script["tag"]
        self.testify("called", tag=tag)
        try:
            play = self._push if self._era == PUSH else self._round
            outcome = await play(script, params, send)
        except asyncio.CancelledError:
            for request_id in [id_ for id_, (of, *_) in self._asking.items() if of == tag]:
                self._withdraw(request_id)
            raise
        self.testify("ended", tag=tag, outcome=outcome["result"]["resultType"] if "result" in outcome else "error")
        send({"jsonrpc": "2.0", "id": call_id, **outcome})

    async def _push(self, script: Json, _params: Json, send: Send) -> Json:
        if needed := self._needs(script):
            return needed
        said: Json = {}
        for wave in script["waves"]:
            requests = [self._ask(script["tag"], kind, send) for kind in wave]
            if script["end"] == "abandon":
                return _result(script, said)
            for message, answer in requests:
                said[message] = await answer
        return await self._end(script, said)

    def _ask(self, tag: str, kind: str, send: Send) -> tuple[str, asyncio.Future[Json]]:
        params, request_id = elicitation(tag, kind), f"q{next(self._ids)}"
        answer = self._answers[request_id] = asyncio.get_running_loop().create_future()
        self._asking[request_id] = tag, params["message"], send
        self.testify("asked", tag=tag, message=params["message"])
        send({"jsonrpc": "2.0", "id": request_id, "method": "elicitation/create", "params": params})
        return params["message"], answer

    def _answered(self, message: Json) -> None:
        # An answer to an unknown or settled request is ignored: clients may send one again.
        if message["id"] in self._asking:
            self._settle(message["id"], message.get("result") or {"error": message["error"]["code"]})

    def _withdraw(self, request_id: str) -> None:
        *_, send = self._asking[request_id]
        send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}})
        self._settle(request_id, {"withdrawn": True})

    def _settle(self, request_id: str, answer: Json) -> None:
        _, message, _ = self._asking.pop(request_id)
        self.testify("answered", message=message, answer=answer)
        waiting = self._answers.pop(request_id)
        if not waiting.done():
            waiting.set_result(answer)

    async def _round(self, script: Json, params: Json, _send: Send) -> Json:
        state = json.loads(params["requestState"]) if params.get("requestState") else None
        if state is None:
            return self._needs(script) or await self._next(script, wave=0, said={})
        answers = {each["message"]: params["inputResponses"][key] for key, each in state["requests"].items()}
        self.testify("answers", tag=script["tag"], round=state["round"], answers=answers)
        if state["key"] != self.key:
            why = {"reason": "invalid_request_state"}
            return {"error": {"code": INVALID_PARAMS, "message": "Invalid or expired requestState", "data": why}}
        opened = {
            key: each
            for key, each in state["requests"].items()
            if each["mode"] == "url" and answers[each["message"]]["action"] == "accept"
        }
        said = state["said"] | answers
        if opened and state["again"]:
            return self._requires(opened, state | {"requests": opened, "again": state["again"] - 1, "said": said})
        return await self._next(script, wave=state["wave"] + 1, said=said)

    async def _next(self, script: Json, *, wave: int, said: Json) -> Json:
        if wave == len(script["waves"]):
            return await self._end(script, said)
        requests = {f"q{number}": elicitation(script["tag"], kind) for number, kind in enumerate(script["waves"][wave])}
        return self._requires(requests, {"wave": wave, "requests": requests, "again": script["again"], "said": said})

    def _requires(self, params_by_key: dict[str, Json], state: Json) -> Json:
        requests = {key: {"method": "elicitation/create", "params": params} for key, params in params_by_key.items()}
        sealed = json.dumps(state | {"key": self.key, "round": uuid4().hex})
        return {"result": {"resultType": "input_required", "inputRequests": requests, "requestState": sealed}}

    async def _end(self, script: Json, said: Json) -> Json:
        if script["end"] == "error":
            return {"error": {"code": FAILED, "message": "It went wrong."}}
        if script["end"] == "silence":
            await asyncio.get_running_loop().create_future()
        return _result(script, said)

    def _needs(self, script: Json) -> Json | None:
        self._needed[script["tag"]] += 1
        if self._needed[script["tag"]] > script["needs"]:
            return None
        links = [elicitation(script["tag"], "url") for _link in range(LINKS)]
        return {"error": {"code": URL_REQUIRED, "message": "First open these.", "data": {"elicitations": links}}}


def elicitation(tag: str, kind: str) -> Json:
    """Return the params of a new request: its message and its URL are its name."""
    name = f"{tag}-{uuid4().hex[:10]}"
    if kind == "form":
        return {"mode": "form", "message": name, "requestedSchema": SCHEMA}
    return {"mode": "url", "message": name, "url": f"https://example.com/{name}", "elicitationId": name}


def _result(script: Json, said: Json) -> Json:
    content: Json = {"content": [], "structuredContent": {"tag": script["tag"], "said": said}}
    return {"result": {"resultType": "complete", **content}}


if __name__ == "__main__":
    from tests.model.listening import listen

    file, socket, spoken, *way = sys.argv[1:]
    asyncio.run(listen(Witness(file, spoken), socket, *way))
