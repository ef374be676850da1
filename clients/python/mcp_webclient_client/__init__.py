"""Carries what MCP servers ask an agent to the inbox of mcp-webclient, and the person's answers back.

`Inbox` is the callback for elicitation of the MCP SDK (1.x and 2.x, both eras), and of frameworks that take the same.
Its methods `fastmcp` and `langchain` are those of FastMCP and of langchain-mcp-adapters.

Promises: each question is asked once, however often the network fails; a question that the agent no longer waits for is
withdrawn; nothing is accepted unless the person accepted it.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from mcp.types import ElicitResult, ErrorData

try:
    import httpx2 as httpx
except ImportError:  # mcp 1.x brings httpx
    import httpx  # type: ignore[no-redef]

__all__ = ["REASON", "Answer", "Inbox", "InboxError"]

REASON = "mcp-webclient/reason"
"""The key in `_meta` of a result with the sentence on why a question was not answered."""

POLL = 50.0
"""Seconds of one long poll: proxies close connections that are silent for a minute."""

PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds between two attempts while the inbox cannot be reached: the first pause, doubled up to the longest."""

WITHDRAWAL = 5.0
"""Seconds in which a question is withdrawn after the agent has cancelled the call."""

REFUSED = {403, 409, 413, 422, 429}
"""The statuses of a question that mcp-webclient does not put to the person, such as of a muted program."""

ENDED = 401
"""The status of a request whose session has ended."""

SETTLED = 409
"""The status of a withdrawal that comes after the answer."""

INTERNAL_ERROR = -32603
"""The JSON-RPC code for a question that could not be asked."""

ACTIONS = {"accepted": "accept", "waiting": "accept", "completed": "accept", "declined": "decline"}
"""The action of MCP by the state of the request; every other state is `cancel`."""


class InboxError(Exception):
    """The question cannot be asked: the token, its scope or the address is wrong, or the inbox lost the answer."""


@dataclass(frozen=True)
class Answer:
    """The person's answer: `action` and `content` as in MCP, and the `reason` if nobody answered."""

    action: str
    content: dict[str, Any] | None = None
    reason: str = ""

    @property
    def result(self) -> ElicitResult:
        """The answer as the SDK takes it."""
        result: ElicitResult = self.as_result(ElicitResult)
        return result

    def as_result(self, kind: Any) -> Any:
        """Return the answer as this class of results."""
        meta = {"_meta": {REASON: self.reason}} if self.reason else {}
        return kind.model_validate({"action": self.action, "content": self.content, **meta})


class Inbox:
    """The inbox at `url`, as the program with this `token` asks in it. Use the object itself as the callback.

    An application that embeds the inbox has no token: it gives `mint`, a function that returns a JWT of its own for the
    person who is asked, with the scope `ask`.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        mint: Callable[[], str] | None = None,
        label: str | None = None,
        timeout: float | None = None,
        expires_in: float = 86_400,
    ) -> None:
        """Ask as `label`; give up after `timeout` seconds. The person can answer for `expires_in` seconds at most."""
        if (token is None) == (mint is None):
            raise TypeError("Give either a token or a function that mints one.")
        api = f"{url.rstrip('/')}/api/v1"
        self._requests = f"{api}/requests"
        self._auth = _Minted(f"{api}/sessions", mint) if mint else None
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._label = label
        self._timeout = timeout
        self._expires_in = min(expires_in, timeout or expires_in)

    async def __call__(self, context: Any, params: Any) -> ElicitResult | ErrorData:
        """Answer `elicitation/create`: the `elicitation_callback` of the MCP SDK, strands, mcp-use and google-adk."""
        del context  # It does not say which call the question is for.
        return await self._answered(params)

    async def fastmcp(self, message: str, response_type: Any, params: Any, context: Any) -> ElicitResult:
        """Answer as the `elicitation_handler` of FastMCP's client. Raises InboxError, which FastMCP reports."""
        # Here, because only those who use FastMCP have it.
        from fastmcp.client.elicitation import ElicitResult as OwnResult  # noqa: PLC0415

        del message, response_type, context
        # Its own class: FastMCP 3 takes any other one for data that was accepted, also if it says `decline`.
        result: ElicitResult = (await self.ask(_wire(params))).as_result(OwnResult)
        return result

    async def langchain(self, mcp_context: Any, params: Any, context: Any) -> ElicitResult | ErrorData:
        """Answer as `Callbacks(on_elicitation=...)` of langchain-mcp-adapters, which says which tool asks."""
        del mcp_context
        tool = getattr(context, "tool_name", None)
        return await self._answered(params, label=getattr(context, "server_name", None), call=tool and {"name": tool})

    async def ask(
        self, params: Mapping[str, Any], *, label: str | None = None, call: Mapping[str, Any] | None = None
    ) -> Answer:
        """Put the question of these parameters of `elicitation/create` to the person, and wait for the answer.

        `call` is the tool call that it is about: `{"name", "arguments"}`. When the waiting task is cancelled, the
        question is withdrawn. Raises InboxError.
        """
        question = _Question(self, _body(params, label or self._label, call, self._expires_in))
        async with self._client() as client:
            try:
                with anyio.move_on_after(self._timeout):
                    return await question.answer(client)
                with anyio.move_on_after(WITHDRAWAL):
                    # The person may have been first.
                    if given := await question.withdraw(client, "The agent stopped waiting."):
                        return given
                return Answer("cancel", reason=f"Nobody answered within {self._timeout:g} seconds.")
            except anyio.get_cancelled_exc_class():
                with anyio.move_on_after(WITHDRAWAL, shield=True):
                    await question.withdraw(client, "The agent cancelled the call.")
                raise

    async def _answered(self, params: Any, **about: Any) -> ElicitResult | ErrorData:
        # Not raised: an exception in a callback would end the whole session of some versions of the SDK.
        try:
            return (await self.ask(_wire(params), **about)).result
        except InboxError as error:
            return ErrorData(code=INTERNAL_ERROR, message=str(error))

    def _client(self) -> Any:
        # One for each question: callbacks of one agent may run in several event loops.
        return httpx.AsyncClient(auth=self._auth, headers=self._headers, timeout=httpx.Timeout(15.0, read=POLL + 15.0))


class _Minted(httpx.Auth):
    """A session for tokens that an embedding application mints: exchanged at the start, and again when it has ended."""

    requires_response_body = True

    def __init__(self, sessions: str, mint: Callable[[], str]) -> None:
        self._sessions = sessions
        self._mint = mint
        self._session: str | None = None

    def auth_flow(self, request: Any) -> Generator[Any, Any, None]:
        """Send the request as the session; a response of 500 and above of the exchange is that of the request."""
        for _ in range(2):
            if self._session is None:
                exchanged = yield httpx.Request("POST", self._sessions, json={"token": self._mint()})
                if exchanged.status_code >= 500:
                    return
                self._session = str(_checked(exchanged, "token")["token"])
            request.headers["Authorization"] = f"Bearer {self._session}"
            response = yield request
            if response.status_code != ENDED:
                return
            self._session = None


class _Question:
    """One question: posted with a key of its own until there is an answer, then polled by its id."""

    def __init__(self, inbox: Inbox, body: Mapping[str, Any]) -> None:
        self._inbox = inbox
        self._body = body
        self._key = uuid.uuid4().hex
        self._id: str | None = None

    async def answer(self, client: Any) -> Answer:
        """Ask, and wait until the question is settled."""
        posted = await self._post(client)
        if isinstance(posted, Answer):
            return posted
        request = posted
        while request["state"] == "pending":
            request = await self._get(client)
        return _answer_of(request)

    async def withdraw(self, client: Any, why: str) -> Answer | None:
        """Take the question back, also if it is not known yet whether it arrived; return the answer if it has one."""
        if self._id is None and isinstance(refused := await self._post(client), Answer):
            return refused
        response = await self._send(client, "POST", f"/{self._id}/withdraw", json={"reason": why})
        return _answer_of(await self._get(client)) if response.status_code == SETTLED else None

    async def _post(self, client: Any) -> Answer | dict[str, Any]:
        # The same key each time: what was lost on the way back is not asked twice.
        response = await self._send(client, "POST", "", json=self._body, headers={"Idempotency-Key": self._key})
        if response.status_code in REFUSED and "insufficient_scope" not in response.headers.get("www-authenticate", ""):
            return Answer("cancel", reason=_detail(response))
        request = _checked(response)
        self._id = request["id"]
        return request

    async def _get(self, client: Any) -> dict[str, Any]:
        return _checked(await self._send(client, "GET", f"/{self._id}", params={"wait": POLL}))

    async def _send(self, client: Any, method: str, path: str, **options: Any) -> Any:
        """Send until there is a response that is not a fault of the network or of a restart."""
        pause, started = PAUSE, time.monotonic()
        while True:
            try:
                response = await client.request(method, f"{self._inbox._requests}{path}", **options)
                if response.status_code < 500:
                    return response
                fault = _detail(response)
            except httpx.TransportError as error:
                fault = f"{type(error).__name__}: {error}"
            # The deadline of the question holds here as well: afterwards nobody can answer it.
            if time.monotonic() - started > self._inbox._expires_in:
                raise InboxError(f"The inbox cannot be reached. {fault}")
            await anyio.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, LONGEST_PAUSE)


def _wire(params: Any) -> dict[str, Any]:
    """Return parameters of the SDK as they are on the wire."""
    dumped: dict[str, Any] = params.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped


def _body(
    params: Mapping[str, Any], label: str | None, call: Mapping[str, Any] | None, expires_in: float
) -> dict[str, Any]:
    kind = params.get("mode", "form")
    names = ("message", "requestedSchema") if kind == "form" else ("message", "url", "elicitationId")
    asked = {name: params[name] for name in names if params.get(name) is not None}
    about = {"label": label, "call": call and dict(call), "expires_in": max(1.0, expires_in)}
    return {"kind": kind, **asked, **{name: value for name, value in about.items() if value is not None}}


def _answer_of(request: Mapping[str, Any]) -> Answer:
    action = ACTIONS.get(request["state"], "cancel")
    if action == "accept" and request.get("withheld"):
        # Never an accepted form with holes in it.
        raise InboxError("The answer was fetched before, and its secret values are not kept.")
    if action != "accept":
        return Answer(action, reason=request.get("reason", ""))
    return Answer(action, dict(request["content"]) if request.get("content") is not None else None)


def _checked(response: Any, *names: str) -> dict[str, Any]:
    if response.status_code >= 400:
        raise InboxError(f"The inbox answered {response.status_code}: {_detail(response)}")
    try:
        found: dict[str, Any] = response.json()
        return {**found, **{name: found[name] for name in names or ("id", "state")}}
    except (ValueError, KeyError, TypeError) as error:
        raise InboxError("This is not the address of mcp-webclient.") from error


def _detail(response: Any) -> str:
    try:
        return str(response.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP status {response.status_code}"
