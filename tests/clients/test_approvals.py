"""`Inbox.approve`: the decision of the person on a tool call, with the client package and the running program."""

from __future__ import annotations

import pytest
from mcp_webclient_client import Decision

from tests.clients.conftest import Desk
from tests.clients.test_python import asking, inbox_of
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

TOOL = {
    "name": "pay",
    "description": "Send money.",
    "inputSchema": {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]},
}
PAY = {"amount": 250}


@pytest.mark.parametrize(
    ("answer", "verb", "arguments", "words"),
    [
        ({"action": "accept"}, "approve", PAY, ""),
        ({"action": "accept", "content": {"arguments": {"amount": 25}}}, "edit", {"amount": 25}, ""),
        ({"action": "decline", "message": "Not today."}, "reject", None, "Not today."),
        ({"action": "accept", "content": {"respond": "Paid."}}, "respond", None, "Paid."),
        ({"action": "cancel"}, None, None, ""),
    ],
)
async def test_each_decision_comes_back(
    desk: Desk, answer: Json, verb: str | None, arguments: Json | None, words: str
) -> None:
    inbox, why = inbox_of(desk, label="billing"), f"Because of {answer}"
    async with asking(lambda: inbox.approve(TOOL, PAY, message=why)) as (_group, results):
        request = await desk.pending(why)
        assert request["kind"] == "approval"
        await desk.api.answer(request, **answer)
    (decision,) = results
    assert (decision.verb, decision.arguments, decision.may_run) == (verb, arguments, arguments is not None)
    assert words in decision.message
    assert decision.may_run or decision.words


async def test_two_that_ask_with_one_key_get_one_decision(desk: Desk) -> None:
    inbox = inbox_of(desk)

    async def approve() -> Decision:
        return await inbox.approve("pay", PAY, message="One key", key="a key of this test")

    async with asking(approve) as (_group, first), asking(approve) as (_other, second):
        request = await desk.pending("One key")
        await desk.api.answer(request, action="accept")
    assert first == second
    assert first[0].arguments == PAY


async def test_a_decision_that_the_agent_cannot_honour_is_not_given(desk: Desk) -> None:
    inbox = inbox_of(desk)
    async with asking(lambda: inbox.approve(TOOL, PAY, message="Only yes or no", allow=["approve", "reject"])) as (
        _group,
        results,
    ):
        request = await desk.pending("Only yes or no")
        await desk.api.answer(request, 422, action="accept", content={"arguments": {"amount": 1}})
        await desk.api.answer(request, action="decline")
    assert results[0].verb == "reject"


async def test_an_agent_that_stops_waiting_gets_no_decision(desk: Desk) -> None:
    decision = await inbox_of(desk, timeout=1).approve("pay", PAY, message="Too late")
    assert (decision.verb, decision.may_run) == (None, False)
    assert decision.words
