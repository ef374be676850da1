"""The HTTP client of the bridge: it carries the token, renews the session, and turns each failure into a sentence.

An agent that starts a command opens its session once, and knows nothing of the one on the HTTP side. If the inbox no
longer knows that session, because it was restarted or nothing was sent for long, a new one takes its place here. The
SDK's transport would end with the first failed connection; here each request gets a JSON-RPC error.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
from mcp.types import CONNECTION_CLOSED, INVALID_REQUEST

from webclient.content.visible_text import visible
from webclient.domain.model import Json
from webclient.network import network_reason, network_words, tls_context
from webclient.protocol.transports.http_bodies import event_stream
from webclient.protocol.transports.session_keeping import SESSION

SILENCE = 120.0
"""Seconds without a byte after which a stream is given up; the inbox sends a comment each 15 seconds."""

TIMEOUT = httpx2.Timeout(30, read=SILENCE)

SHORT = httpx2.Timeout(10)
"""For what is not a request: the next messages wait for it."""

LISTEN_PAUSE = 3.0
"""Seconds before the stream for messages outside of calls is opened again."""

LONGEST = 300
"""Characters of an explanation of the inbox."""

_FOLLOWED = (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT)

_REFUSED = {
    401: "The inbox refuses the token: it is wrong, expired or revoked. Make one with the scope gateway on its page "
    "Tokens, and set WEBCLIENT_AGENT_TOKEN.",
    403: "The inbox refuses the token for this address: {detail}",
    404: "The inbox knows no such address: {detail} Its last part is the ID or the name of a server.",
}


class BridgeHTTP(httpx2.AsyncClient):
    """Sends the messages of one agent; never raises TransportError."""

    def __init__(self, token: str, *, ca_file: Path | None, say: Callable[[str], None]) -> None:
        limits = httpx2.Limits(max_connections=None, keepalive_expiry=2)
        headers = {"Authorization": f"Bearer {token}"}
        super().__init__(headers=headers, timeout=TIMEOUT, limits=limits, verify=tls_context(ca_file))
        self._say = say
        self._said = ""
        self._handshake: bytes | None = None
        self._session: str | None = None
        self._standing: dict[str, bytes] = {}
        self._renewing = anyio.Lock()

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a message; a failure is a response with a JSON-RPC error."""
        if request.method == "GET":
            return await self._listen(request, **options)
        message = cast("Json", json.loads(request.content)) if request.method == "POST" else {}
        if "method" not in message or "id" not in message:
            request.extensions["timeout"] = SHORT.as_dict()
        try:
            response = await self._in_session(request, message, **options)
            return await self._checked(response, message)
        except httpx2.TransportError as error:
            return self._failure(request, message, self._lost(request, error), CONNECTION_CLOSED)

    async def _listen(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        while True:
            try:
                response = await self._in_session(request, {}, **options)
            except httpx2.TransportError:
                pass
            else:
                if body := event_stream(response):
                    response.stream = _Stream(body)
                if not response.is_server_error:
                    return response
                await response.aclose()
            await anyio.sleep(LISTEN_PAUSE)

    async def _in_session(self, request: httpx2.Request, message: Json, **options: Any) -> httpx2.Response:
        stale = request.headers.get(SESSION)
        if stale and self._session:
            stale = request.headers[SESSION] = self._session
        response = await super().send(request, **options)
        if message.get("method") == "initialize" and response.is_success:
            self._handshake, self._session = request.content, response.headers.get(SESSION)
        self._note_standing(request, message)
        if response.status_code != HTTPStatus.NOT_FOUND or not stale or request.method == "DELETE":
            return response
        await response.aread()
        await response.aclose()
        if await self._renewed(request, stale):
            request.headers[SESSION] = self._session or ""
            return await super().send(request, **options)
        return response

    def _note_standing(self, request: httpx2.Request, message: Json) -> None:
        """Note what counts for the whole session: it is sent again in the next one."""
        method, params = message.get("method"), message.get("params")
        uri = params.get("uri") if isinstance(params, dict) else None
        if method == "initialize":
            self._standing.clear()
        if method == "logging/setLevel" or (method == "resources/subscribe" and isinstance(uri, str)):
            self._standing[uri or ""] = request.content
        elif method == "resources/unsubscribe":
            self._standing.pop(str(uri), None)

    async def _renewed(self, request: httpx2.Request, stale: str) -> bool:
        """Open a session in place of the one that the inbox no longer knows; return whether there is one."""
        async with self._renewing:
            if self._session != stale:
                return True
            headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
            opened = await self._post(request, self._handshake or b"", headers)
            if not opened.is_success or SESSION not in opened.headers:
                return False
            self._session = opened.headers[SESSION]
            headers[SESSION] = self._session
            if version := request.headers.get("mcp-protocol-version"):
                headers["mcp-protocol-version"] = version
            initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await self._post(request, json.dumps(initialized).encode(), headers)
            for standing in self._standing.values():
                # A refusal changes nothing: the agent knows from the first time, or the server is away.
                with suppress(httpx2.TransportError):
                    await self._post(request, standing, headers)
            return True

    async def _post(self, like: httpx2.Request, content: bytes, headers: dict[str, str]) -> httpx2.Response:
        request = self.build_request("POST", like.url, content=content, headers=headers, timeout=SHORT)
        return await super().send(request)

    async def _checked(self, response: httpx2.Response, message: Json) -> httpx2.Response:
        """Return a response that the SDK can read. Raises TransportError if it is cut off."""
        if response.status_code in _FOLLOWED:
            return response
        is_request = "method" in message and "id" in message
        if body := event_stream(response):
            response.stream = _Stream(body, lambda error: self._lost(response.request, error))
            self._said = ""
            return response
        await response.aread()
        await response.aclose()
        content = _json(response)
        if content.get("jsonrpc") == "2.0" or (response.is_success and not is_request):
            self._said = ""
            return response
        if not message:
            # The end of the session.
            return response
        return self._failure(response.request, message, _sentence(response, content), INVALID_REQUEST)

    def _lost(self, request: httpx2.Request, error: httpx2.TransportError) -> str:
        reason = network_reason(error, str(request.url))
        why = network_words(reason) if reason else "the connection was cut off"
        return self._notified(f"The inbox cannot be reached at {_origin(request.url)}: {why}.")

    def _failure(self, request: httpx2.Request, message: Json, sentence: str, code: int) -> httpx2.Response:
        if message:
            self._notified(sentence)
        error = {"code": code, "message": sentence}
        return httpx2.Response(502, request=request, json={"jsonrpc": "2.0", "id": message.get("id"), "error": error})

    def _notified(self, sentence: str) -> str:
        if sentence != self._said:
            self._say(sentence)
        self._said = sentence
        return sentence


class _Stream(httpx2.AsyncByteStream):
    """A stream of events whose end, if it is cut off, is one that the SDK passes to the agent; or a quiet one."""

    def __init__(
        self, inner: httpx2.AsyncByteStream, sentence: Callable[[httpx2.TransportError], str] | None = None
    ) -> None:
        self._inner = inner
        self._sentence = sentence

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the bytes. Raises SSEError if they are cut off."""
        try:
            async for piece in self._inner:
                yield piece
        except httpx2.TransportError as error:
            if self._sentence:
                raise httpx2.SSEError(self._sentence(error)) from error

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()


def _json(response: httpx2.Response) -> Json:
    try:
        found = json.loads(response.content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _sentence(response: httpx2.Response, problem: Json) -> str:
    if response.is_success or response.is_redirect or response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        address = f"{_origin(response.url)}{response.url.path}"
        return f"What answers at {address} does not speak MCP. Use an address such as https://INBOX/mcp/SERVER."
    detail = visible(problem.get("detail") or response.reason_phrase, LONGEST)
    words = _REFUSED.get(response.status_code, "The inbox answered with status {status}: {detail}")
    return words.format(status=response.status_code, detail=detail)


def _origin(url: httpx2.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"
