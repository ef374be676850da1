"""The inbox as an agent asks in it: the callbacks of SDKs and frameworks, and questions of the agent's own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack
from urllib.parse import urlsplit

import anyio
from mcp.types import ElicitResult, ErrorData

from mcp_webclient_client.answers import Answer, InboxError
from mcp_webclient_client.approvals import Decision, Verb, decision_of
from mcp_webclient_client.http import httpx
from mcp_webclient_client.minted import Minted
from mcp_webclient_client.questions import POLL, Question, body_of, proposal_of

logger = logging.getLogger("mcp_webclient_client")

WITHDRAWAL = 5.0
"""Seconds in which a question is withdrawn after the agent has cancelled the call."""

INTERNAL_ERROR = -32603
"""The JSON-RPC code for a question that could not be asked."""


class About(TypedDict, total=False):
    """What belongs to one question.

    `label` and `user` are those of `Inbox`, for this question alone. `call` is the tool call that it is about:
    `{"name", "arguments"}`. Two questions with the same `key` are one: an agent that asks again after a crash, with a
    key that it kept, gets the answer that the person gave meanwhile.
    """

    label: str | None
    call: Mapping[str, Any] | None
    user: str | Mapping[str, str] | None
    key: str | None


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
        user: str | Mapping[str, str] | None = None,
        key: Callable[[Mapping[str, Any]], str] | None = None,
        timeout: float | None = None,
        expires_in: float = 86_400,
    ) -> None:
        """Ask as `label`; give up after `timeout` seconds. The person can answer for `expires_in` seconds at most.

        `user` is another one than the token's: an id, or `issuer` with `subject` or `email`. `key` returns the
        idempotency key of a question, by its parameters; by default each question has a new one. Raises ValueError
        and TypeError.
        """
        if (token is None) == (mint is None):
            raise TypeError("Give either a token or a function that mints one.")
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"This is not an address of mcp-webclient: {url!r}. It begins with https:// or http://.")
        # A token that was read from a file often ends with a line break, and no header can carry that.
        token = token and token.strip()
        if token is not None and (not token.isascii() or not token.isprintable() or " " in token or not token):
            raise ValueError("This is not a token of mcp-webclient.")
        api = f"{url.rstrip('/')}/api/v1"
        self._requests = f"{api}/requests"
        self._auth = Minted(f"{api}/sessions", mint) if mint else None
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._label = label
        self._user = user
        self._key = key
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

    async def ask(self, params: Mapping[str, Any], **about: Unpack[About]) -> Answer:
        """Ask the person with these parameters of `elicitation/create`, and wait for the answer.

        When the waiting task is cancelled, the question is withdrawn. Raises InboxError.
        """
        question = self._question(params, about)
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

    async def approve(
        self,
        tool: str | Mapping[str, Any],
        arguments: Mapping[str, Any],
        *,
        message: str | None = None,
        allow: Sequence[Verb] | None = None,
        **about: Unpack[About],
    ) -> Decision:
        """Ask the person whether a tool may run with these arguments, and wait for the decision.

        `tool` is its name, or what MCP's list has of it: the card shows its description and a form of its
        `inputSchema`. `message` says why it is to run, and `allow` which decisions the caller can honour, all by
        default. With the same `key`, the decision is that on the same question, also after a restart. Run the tool
        with `arguments` of the decision alone. When the waiting task is cancelled, the question is withdrawn. Raises
        InboxError.
        """
        body = proposal_of(
            {"name": tool} if isinstance(tool, str) else tool,
            arguments,
            message=message,
            allow=allow,
            expires_in=self._expires_in,
            label=about.get("label") or self._label,
            user=about.get("user") or self._user,
        )
        question = Question(self._requests, self._expires_in, body, about.get("key"))
        async with self._client() as client:
            try:
                with anyio.move_on_after(self._timeout):
                    posted = await question.post(client)
                    if isinstance(posted, Answer):
                        return Decision(None, reason=posted.reason)
                    return decision_of(await question.settled(client, posted))
                with anyio.move_on_after(WITHDRAWAL):
                    # The person may have been first.
                    taken_back = await question.take_back(client, "The agent stopped waiting.")
                    if isinstance(taken_back, dict):
                        return decision_of(taken_back)
                return Decision(None, reason=f"No person decided within {self._timeout:g} seconds.")
            except anyio.get_cancelled_exc_class():
                with anyio.move_on_after(WITHDRAWAL, shield=True):
                    await question.take_back(client, "The agent cancelled the call.")
                raise

    async def post(
        self, params: Mapping[str, Any], *, webhook: Mapping[str, str] | None = None, **about: Unpack[About]
    ) -> str:
        """Put a question to the person without waiting, and return its id.

        `webhook` gets its end: `{"url", "secret"}`; `webhooks.settled` verifies that. Raises InboxError.
        """
        async with self._client() as client:
            posted = await self._question(params, about, webhook=webhook and dict(webhook)).post(client)
        if isinstance(posted, Answer):
            raise InboxError(posted.reason)
        return posted

    async def answer(self, request_id: str) -> Answer:
        """Wait for the answer to a question that was posted. Raises InboxError, also if secret values are gone."""
        async with self._client() as client:
            return await Question(self._requests, self._expires_in, {}).answer_to(client, request_id)

    def _question(self, params: Mapping[str, Any], about: About, **further: Any) -> Question:
        body = body_of(
            params,
            expires_in=self._expires_in,
            label=about.get("label") or self._label,
            call=(call := about.get("call")) and dict(call),
            user=about.get("user") or self._user,
            **further,
        )
        key = about.get("key") or (self._key(params) if self._key else None)
        return Question(self._requests, self._expires_in, body, key)

    async def _answered(self, params: Any, **about: Unpack[About]) -> ElicitResult | ErrorData:
        # Not raised: an exception in a callback would end the whole session of some versions of the SDK.
        try:
            return (await self.ask(_wire(params), **about)).result
        except InboxError as error:
            # The server alone gets the error below; those who run the agent want to know it too.
            logger.error("A question could not be asked. %s", error)  # noqa: TRY400  (no traceback: it is a sentence)
            return ErrorData(code=INTERNAL_ERROR, message=str(error))

    def _client(self) -> Any:
        # One for each question: callbacks of one agent may run in several event loops.
        return httpx.AsyncClient(auth=self._auth, headers=self._headers, timeout=httpx.Timeout(15.0, read=POLL + 15.0))


def _wire(params: Any) -> dict[str, Any]:
    """Return parameters of the SDK as they are on the wire."""
    dumped: dict[str, Any] = params.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped
