"""How a tool sends a person elsewhere and learns that they are done, in each era of MCP.

2025-11-25: the tool sends `elicitation/create`. Accepting it is consent and no more, so the tool waits until the page
was really used, says so with `notifications/elicitation/complete`, and goes on.

2026-07-28: the tool answers `input_required` and is called again. As long as the page was not used, it gives the same
link again. Which elicitation it is about stands in `requestState`, which the SDK encrypts and binds to the person.

Both: a tool that needs nothing of its own from the person, only that something was done before, raises -32042.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum

import anyio
from mcp import MCPError
from mcp.server.elicitation import AcceptedUrlElicitation
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    MissingRequiredClientCapabilityErrorData,
    UrlElicitationCapability,
)
from mcp_types.version import is_version_at_least

from webclient.demo.office.elicitations import Elicitation, Elicitations, Task
from webclient.demo.office.people import requester

KEY = "open"
"""The name of the one question of a round."""

PATIENCE = 2.0
"""Seconds in which a notification must be on its way."""


class Outcome(StrEnum):
    """How it ended."""

    DONE = "done"
    DECLINE = "decline"
    CANCEL = "cancel"
    OVER = "over"


class Asking:
    """Sends people to the pages at `origin`."""

    def __init__(self, origin: str, elicitations: Elicitations) -> None:
        self._origin = origin
        self._elicitations = elicitations

    async def ask(self, ctx: Context, task: Task, message: str) -> Outcome | InputRequiredResult:
        """Have the person open the page of `task`; an InputRequiredResult is to be returned by the tool as it is."""
        _check_that_the_client_opens_links(ctx)
        if is_version_at_least(ctx.protocol_version or "", "2026-07-28"):
            return self._round(ctx, task, message)
        return await self._push(ctx, task, message)

    def required(self, ctx: Context, task: Task, message: str) -> UrlElicitationRequiredError:
        """Return the error that requires the page of `task` to be opened first."""
        _check_that_the_client_opens_links(ctx)
        session = ctx.session

        async def notify(elicitation_id: str) -> None:
            # The call is long over: this goes to its session, outside of any request. The client may have gone, and the
            # person at the page must not wait for it.
            with (
                anyio.move_on_after(PATIENCE),
                suppress(MCPError, anyio.BrokenResourceError, anyio.ClosedResourceError),
            ):
                await session.send_elicit_complete(elicitation_id)

        return UrlElicitationRequiredError(
            [self._params(self._elicitations.open_for(task, requester(ctx), notify), message)], message
        )

    async def _push(self, ctx: Context, task: Task, message: str) -> Outcome:
        elicitation = self._elicitations.start(task, requester(ctx))
        try:
            answer = await ctx.elicit_url(message, self._url(elicitation), elicitation.id)
            # A person who has used the link already is done, with any answer.
            if not isinstance(answer, AcceptedUrlElicitation) and not elicitation.finished:
                return Outcome(answer.action)
            if not await elicitation.wait():
                return Outcome.OVER
            await ctx.session.send_elicit_complete(elicitation.id, related_request_id=ctx.request_id)
            return Outcome.DONE
        finally:
            # Also when the client cancels the call: a link without a waiting call must not work.
            if not elicitation.finished:
                self._elicitations.end(elicitation)

    def _round(self, ctx: Context, task: Task, message: str) -> Outcome | InputRequiredResult:
        who = requester(ctx)
        elicitation = self._elicitations.find(ctx.request_state)
        # The SDK has bound the state to person and tool; where it does not, this does.
        if elicitation is None or (elicitation.task, elicitation.requester) != (task, who):
            elicitation = self._elicitations.start(task, who)
        if elicitation.finished:
            return Outcome.DONE
        answer = (ctx.input_responses or {}).get(KEY)
        if isinstance(answer, ElicitResult) and answer.action != "accept":
            self._elicitations.end(elicitation)
            return Outcome(answer.action)
        request = ElicitRequest(params=self._params(elicitation, message))
        return InputRequiredResult(input_requests={KEY: request}, request_state=elicitation.id)

    def _params(self, elicitation: Elicitation, message: str) -> ElicitRequestURLParams:
        return ElicitRequestURLParams(message=message, url=self._url(elicitation), elicitation_id=elicitation.id)

    def _url(self, elicitation: Elicitation) -> str:
        # Nothing about the person and nothing that signs in: a person who opens it must prove who they are.
        return f"{self._origin}/{elicitation.task}?elicitation={elicitation.id}"


def _check_that_the_client_opens_links(ctx: Context) -> None:
    capabilities = ctx.client_capabilities
    if capabilities and capabilities.elicitation and capabilities.elicitation.url is not None:
        return
    required = ClientCapabilities(elicitation=ElicitationCapability(url=UrlElicitationCapability()))
    raise MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        "This tool sends you to a web page, and the client did not say that it can open links (elicitation, url mode).",
        MissingRequiredClientCapabilityErrorData(required_capabilities=required).model_dump(
            by_alias=True, mode="json", exclude_none=True
        ),
    )
