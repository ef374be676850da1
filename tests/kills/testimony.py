"""The testimony of a counting server: a file of what it received and executed, which outlives its process.

Received is what its process has read, be it from the pipe or from an HTTP request, before anything is done with it,
unless it refused that request: a server that was restarted does not know the sessions of before.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_AMOUNT = re.compile(rb'"amount":\s*(\d+)')
"""The answer of a person in any message of a client: nothing else there has this key."""


CLIENT_ERROR = 4
"""The first digit of the statuses with which a server refuses a request."""


class Writer:
    """Writes the testimony of one process; a line is in the file when a method returns."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def started(self) -> None:
        """Note which process this is."""
        self._write(what="started", pid=os.getpid())

    def read(self, text: bytes) -> None:
        """Note the answers in a message that has come."""
        for amount in _AMOUNT.findall(text):
            self._write(what="received", amount=int(amount))

    def refused(self, text: bytes) -> None:
        """Note that the answers in a message were refused with it."""
        for amount in _AMOUNT.findall(text):
            self._write(what="refused", amount=int(amount))

    def executed(self, number: int, amount: int) -> None:
        """Note that the call with this number was executed with this amount."""
        self._write(what="executed", number=number, amount=amount)

    def _write(self, **line: object) -> None:
        os.write(self._file, json.dumps(line).encode() + b"\n")


class Testimony:
    """The testimony of one server over all its starts.

    `pid` is its last process; `received` counts how often each answer came, `executed` has the amounts of each call.
    """

    def __init__(self, path: Path) -> None:
        self.pid = 0
        self.received: Counter[int] = Counter()
        self.executed: defaultdict[int, list[int]] = defaultdict(list)
        lines = path.read_bytes().splitlines() if path.exists() else []
        for line in map(json.loads, lines):
            match line["what"]:
                case "started":
                    self.pid = line["pid"]
                case "received":
                    self.received[line["amount"]] += 1
                case "refused":
                    self.received[line["amount"]] -= 1
                case "executed":
                    self.executed[line["number"]].append(line["amount"])


def listen_to_stdin(writer: Writer) -> None:
    """Note each line that comes on standard input before the server gets it."""
    came = os.dup(0)
    read, write = os.pipe()
    os.dup2(read, 0)
    os.close(read)
    threading.Thread(target=_pass_on, args=(came, write, writer), daemon=True).start()


def _pass_on(came: int, write: int, writer: Writer) -> None:
    with os.fdopen(came, "rb") as lines, os.fdopen(write, "wb", buffering=0) as server:
        for line in lines:
            writer.read(line)
            server.write(line)


class ListeningToPosts:
    """ASGI middleware that notes each body before the server gets it."""

    def __init__(self, app: App, writer: Writer) -> None:
        self._app = app
        self._writer = writer

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body, is_more = b"", True
        while is_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            is_more = message.get("more_body", False)
        self._writer.read(body)
        whole: Iterator[Message] = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def replayed() -> Message:
            return next(whole, None) or await receive()

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] // 100 == CLIENT_ERROR:
                self._writer.refused(body)
            await send(message)

        await self._app(scope, replayed, noted)
