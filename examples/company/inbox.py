"""mcp-webclient for the backend of a chat app: mints tokens for its people, and calls MCP tools in their names.

Needs PyJWT and nothing else. Its methods block: call them in a thread from async code.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import jwt

RUNNING = ("running", "input_required")
"""The states of a call that has not ended."""


class InboxError(Exception):
    """mcp-webclient refused a request; the text says why."""


class Inbox:
    """The inbox at `url`, for the chat app that its embedders file names with this issuer, secret and origin."""

    def __init__(self, url: str, *, issuer: str, secret: str, origin: str) -> None:
        self.url = url
        self._issuer = issuer
        self._secret = secret
        self._origin = origin
        self._sessions: dict[str, tuple[str, float]] = {}

    @classmethod
    def from_environment(cls) -> Inbox:
        """Return the inbox that `examples/start.py` has started."""
        origin = os.environ["CHAT_ORIGIN"]
        return cls(os.environ["INBOX_URL"], issuer=origin, secret=os.environ["INBOX_SECRET"], origin=origin)

    def token(self, person: str, scope: str = "inbox") -> str:
        """Mint a token for a person: for this audience, this origin, two minutes, and one use."""
        now = int(time.time())
        claims: dict[str, Any] = {"iss": self._issuer, "aud": "mcp-inbox", "sub": person, "scope": scope}
        claims |= {"origin": self._origin, "iat": now, "exp": now + 120, "jti": secrets.token_urlsafe(16)}
        return jwt.encode(claims, self._secret, "HS256")

    def start_call(self, person: str, server: str, tool: str, arguments: dict[str, Any]) -> str:
        """Start a call of a tool in the person's name, and return its id; its questions appear in their inbox."""
        body = {"server_id": server, "kind": "tool", "name": tool, "arguments": arguments}
        return str(self._api(person, "POST", "/calls", body)["id"])

    def result(self, person: str, call_id: str, *, wait: float = 30) -> str | None:
        """Return the text that a call ended with; None if it has not ended after `wait` seconds."""
        call = self._api(person, "GET", f"/calls/{call_id}?{urlencode({'wait': wait})}")
        if call["state"] in RUNNING:
            return None
        blocks = (call.get("result") or {}).get("content", [])
        return " ".join(block["text"] for block in blocks if block["type"] == "text") or call["state"]

    def call(self, person: str, server: str, tool: str, arguments: dict[str, Any]) -> str:
        """Call a tool in the person's name, and return its result after their answers."""
        call_id = self.start_call(person, server, tool, arguments)
        while (text := self.result(person, call_id)) is None:
            pass
        return text

    def sign_out(self, person: str) -> None:
        """End the person's sessions: their open frames and tabs are cleared at once, in all browsers.

        The app ends its own session first, so that it mints no token for a frame that asks again.
        """
        self._send("DELETE", f"/embed/sessions?{urlencode({'sub': person})}", self.token(person, "embed:admin"))
        self._sessions.pop(person, None)

    def _api(self, person: str, method: str, path: str, body: Any = None) -> Any:
        session, until = self._sessions.get(person, ("", 0.0))
        if until < time.monotonic():
            session = self._send("POST", "/sessions", body={"token": self.token(person, "calls")})["token"]
            # It lives for ten minutes more than the token.
            self._sessions[person] = session, time.monotonic() + 600
        return self._send(method, path, session, body)

    def _send(self, method: str, path: str, bearer: str = "", body: Any = None) -> Any:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {bearer}"} if bearer else {})
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(f"{self.url}/api/v1{path}", data, headers, method=method)) as answer:
                return json.load(answer)
        except HTTPError as error:
            raise InboxError(json.load(error)["detail"]) from error
