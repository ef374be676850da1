"""One question on its way: posted until it has arrived, polled until it is settled, or withdrawn.

Promises: asked once, however often the network fails; given up when its deadline has passed without the inbox.
"""

from __future__ import annotations

import logging
import random
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from mcp_webclient_client.answers import Answer, InboxError, TooManyQuestionsError, answer_of, checked, detail_of, said
from mcp_webclient_client.http import httpx

logger = logging.getLogger("mcp_webclient_client")

POLL = 25.0
"""Seconds of one long poll: proxies cut connections that are silent for a minute, and some for half of one."""

PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds between two attempts while the inbox cannot be reached: the first pause, doubled up to the longest."""

WORTH_A_WARNING = 2.0
"""Seconds without the inbox after which the log says so; a restart takes less."""

CUT = 5.0
"""Seconds after which a request that fails was a long poll that something cut, and the inbox is there."""

REFUSED = {403, 409, 413, 422}
"""The statuses of a question that mcp-webclient does not put to the person, such as of a muted program."""

PASSING = {408, 425, 429}
"""The statuses below 500 of something before mcp-webclient that takes the same request later."""

LIMITED = 429
"""The status of a question that is one too many: it comes too often, or too many wait already."""

SETTLED = 409
"""The status of a withdrawal that comes after the answer."""


class Question:
    """One question, posted with one key until there is an answer, then polled by its id."""

    def __init__(self, requests: str, deadline: float, body: Mapping[str, Any], key: str | None = None) -> None:
        """Ask at the address `requests`; after `deadline` seconds without the inbox nobody can answer any more."""
        self._requests = requests
        self._deadline = deadline
        self._body = body
        self._key = key or uuid.uuid4().hex
        self._id: str | None = None
        self._may_be_there = False

    async def answer(self, client: Any) -> Answer:
        """Ask, and wait until the question is settled."""
        posted = await self.post(client)
        return posted if isinstance(posted, Answer) else await self.answer_to(client, posted)

    async def answer_to(self, client: Any, request_id: str) -> Answer:
        """Wait until the request with this id is settled."""
        return answer_of(await self.settled(client, request_id))

    async def settled(self, client: Any, request_id: str) -> dict[str, Any]:
        """Wait until the request with this id is settled, and return it."""
        # At least once, also if it was settled before: the inbox counts an answer as fetched by this alone.
        while (request := await self._get(client, request_id))["state"] == "pending":
            pass
        return request

    async def withdraw(self, client: Any, why: str) -> Answer | None:
        """Take the question back, also if it is not known yet whether it arrived; return the answer if it has one."""
        taken_back = await self.take_back(client, why)
        return answer_of(taken_back) if isinstance(taken_back, dict) else taken_back

    async def take_back(self, client: Any, why: str) -> dict[str, Any] | Answer | None:
        """Do the same, and return the settled request, or the answer of a question that is refused."""
        if self._id is None and not self._may_be_there:
            return None
        try:
            posted = self._id or await self.post(client)
        except TooManyQuestionsError:
            return None
        if isinstance(posted, Answer):
            return posted
        response = await self._send(client, "POST", f"/{posted}/withdraw", json={"reason": why})
        return await self._get(client, posted) if response.status_code == SETTLED else None

    async def post(self, client: Any) -> Answer | str:
        """Put the question to the person, once; return its id, or the answer of a question that is refused.

        Raises InboxError, and of those TooManyQuestionsError.
        """
        # The same key each time: what was lost on the way back is not asked twice.
        self._may_be_there = True
        response = await self._send(client, "POST", "", json=self._body, headers={"Idempotency-Key": self._key})
        lacks_scope = "insufficient_scope" in response.headers.get("www-authenticate", "")
        why = said(response)
        if response.status_code == LIMITED and why:
            # An error and no `cancel`, which would say that a person did not want to answer.
            self._may_be_there = False
            raise TooManyQuestionsError(f"The inbox takes no more questions for now. {why}")
        if response.status_code in REFUSED and not lacks_scope and why:
            return Answer("cancel", reason=why)
        self._id = str(checked(response)["id"])
        return self._id

    async def _get(self, client: Any, request_id: str) -> dict[str, Any]:
        return checked(await self._send(client, "GET", f"/{request_id}", params={"wait": POLL}))

    async def _send(self, client: Any, method: str, path: str, **options: Any) -> Any:
        """Send until there is a response that is not a fault of the network, of a proxy or of a restart."""
        pause, started, warned = PAUSE, time.monotonic(), False
        while True:
            began, wait = time.monotonic(), 0.0
            try:
                response = await client.request(method, f"{self._requests}{path}", **options)
                if not _is_passing(response):
                    return response
                fault, wait = detail_of(response), _retry_after(response)
                if _is_limit(response):
                    if began - started + wait > self._deadline:
                        return response
                    # The same key would have found a question that is there.
                    self._may_be_there = False
            except httpx.TransportError as error:
                fault = f"{type(error).__name__}: {error}"
            # The deadline of the question holds here as well: afterwards nobody can answer it.
            if began - started > self._deadline:
                raise InboxError(f"The inbox cannot be reached. {fault}")
            if began - started > WORTH_A_WARNING and not warned:
                logger.warning("The inbox at %s takes no request now; trying again. %s", self._requests, fault)
                warned = True
            # Soon, because the answer may be there already.
            pause = PAUSE if time.monotonic() - began > CUT else pause
            # Not sooner than it was told to; later, so that all who wait do not come at once.
            await anyio.sleep(wait + pause * random.uniform(0.5, 1))
            self._may_be_there = True
            pause = min(2 * pause, LONGEST_PAUSE)


def _is_passing(response: Any) -> bool:
    status: int = response.status_code
    # A 429 of mcp-webclient itself is final, and says why, unless it says when to come again.
    return status >= 500 or (status in PASSING and (said(response) is None or _is_limit(response)))


def _is_limit(response: Any) -> bool:
    """Return whether the inbox itself says that it takes the question later."""
    return response.status_code == LIMITED and said(response) is not None and "retry-after" in response.headers


def _retry_after(response: Any) -> float:
    """Return the seconds of `Retry-After` (RFC 9110, section 10.2.3); 0 for none, and for a date."""
    given: str = response.headers.get("retry-after", "")
    return float(given) if given.isascii() and given.isdigit() else 0.0


def proposal_of(
    tool: Mapping[str, Any],
    arguments: Mapping[str, Any],
    *,
    message: str | None,
    allow: Sequence[str] | None,
    expires_in: float,
    user: str | Mapping[str, str] | None,
    **about: Any,
) -> dict[str, Any]:
    """Return the body of the question whether a tool may run."""
    names = ("name", "title", "description", "inputSchema", "annotations")
    shown = {name: tool[name] for name in names if tool.get(name) is not None}
    whom = {"user_id": user} if isinstance(user, str) else {"user": user and dict(user)}
    further = {
        "message": message,
        "allow": allow and list(allow),
        **about,
        **whom,
        "expires_in": max(1.0, expires_in),
    }
    asked = {"kind": "approval", "tool": shown, "arguments": dict(arguments)}
    return asked | {name: value for name, value in further.items() if value is not None}


def body_of(
    params: Mapping[str, Any], *, expires_in: float, user: str | Mapping[str, str] | None, **about: Any
) -> dict[str, Any]:
    """Return the body of a question with these parameters of `elicitation/create`."""
    kind = params.get("mode", "form")
    names = ("message", "requestedSchema") if kind == "form" else ("message", "url", "elicitationId")
    asked = {name: params[name] for name in names if params.get(name) is not None}
    whom = {"user_id": user} if isinstance(user, str) else {"user": user and dict(user)}
    further = {**about, **whom, "expires_in": max(1.0, expires_in)}
    return {"kind": kind, **asked, **{name: value for name, value in further.items() if value is not None}}
