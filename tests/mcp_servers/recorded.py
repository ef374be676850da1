"""A stdio server that plays a recorded conversation: `python -m tests.mcp_servers.recorded FILE [LOG]`.

It answers a request that is in the recording with what the real server has answered, and so with the answers to what it
asks. All else it refuses, with the request in the data of the error. It ends at an exchange without an outcome. Each
call of a tool is a line of the LOG.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webclient.domain.model import Json

_QUIET = frozenset({"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
"""Requests with an empty result, which clients send by themselves."""

_HANDSHAKES = frozenset({"initialize", "server/discover"})

_REFUSED: Json = {"code": -32601, "message": "Method not found"}


class Player:
    """Plays the exchanges of one recording."""

    def __init__(self, exchanges: list[Json], log: Path | None) -> None:
        self._exchanges = exchanges
        self._log = log
        self._lines = self._read()
        self._number = 0

    def run(self) -> None:
        """Serve until the input ends."""
        for message in self._lines:
            self._take(message)

    def _take(self, message: Json) -> None:
        if "id" in message and "method" in message:
            self._answer(message["id"], message["method"], message.get("params") or {})

    def _answer(self, request_id: object, method: str, params: Mapping[str, Any]) -> None:
        token = (params.get("_meta") or {}).get("progressToken")
        if self._log and method == "tools/call":
            with self._log.open("a", encoding="utf-8") as log:
                log.write(f"{params['name']}\n")
        sent = {key: value for key, value in params.items() if key != "_meta"}
        if method == "subscriptions/listen":
            agreed = {"notifications": {}, "_meta": {"io.modelcontextprotocol/subscriptionId": request_id}}
            _send({"method": "notifications/subscriptions/acknowledged", "params": agreed})
        elif (played := self._next(method, sent)) is None:
            outcome = {"result": {}} if method in _QUIET else {"error": _REFUSED | {"data": [method, sent]}}
            _send({"id": request_id} | outcome)
        else:
            wrong = [answer for each in played.get("messages", []) for answer in self._wrong_answers(each, token)]
            outcome = {key: played[key] for key in ("result", "error") if key in played}
            if not outcome:
                sys.exit()
            _send({"id": request_id} | ({"error": _REFUSED | {"data": wrong}} if wrong else outcome))

    def _next(self, method: str, params: Json) -> Json | None:
        """Return the exchange with this request: of several, that which has waited longest."""
        found = (each for each in self._exchanges if each["method"] == method)
        exchange = next((each for each in found if method in _HANDSHAKES or each["params"] == params), None)
        if exchange:
            self._exchanges.remove(exchange)
            self._exchanges.append(exchange)
        return exchange

    def _wrong_answers(self, message: Json, progress_token: object) -> Iterator[Json]:
        """Send a message; yield the answer if the client answers otherwise than recorded."""
        sent = {key: value for key, value in message.items() if key != "answer"}
        if message["method"] == "notifications/progress":
            sent["params"] = sent["params"] | {"progressToken": progress_token}
        if "answer" not in message:
            _send(sent)
            return
        self._number += 1
        _send({"id": f"asked {self._number}"} | sent)
        answer = self._answer_to(f"asked {self._number}")
        if answer.get("result") != message["answer"]:
            yield answer

    def _answer_to(self, request_id: str) -> Json:
        for message in self._lines:
            if message.get("id") == request_id:
                return message
            self._take(message)
        return {}

    def _read(self) -> Iterator[Json]:
        for line in sys.stdin:
            yield json.loads(line)


def _send(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    logs = [Path(each) for each in sys.argv[2:]]
    Player(json.loads(Path(sys.argv[1]).read_text("utf-8"))["exchanges"], logs[0] if logs else None).run()
