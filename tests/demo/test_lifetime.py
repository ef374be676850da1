"""How long a request of the demo server can be answered: a day, and with a key beyond the end of the process."""

from __future__ import annotations

import pytest
from mcp import MCPError
from mcp.types import CallToolResult, ElicitResult, InputRequiredResult, InputResponses

from tests.demo.visits import Visit, over_stdio, text_of, visiting
from webclient.demo.server import DAY, KEY_VARIABLE, request_state_security
from webclient.domain.model import Era

pytestmark = pytest.mark.anyio

KEY = "a secret of the operator, long enough"
FULL = {"date": "2026-12-24"}


async def ask(visit: Visit) -> InputRequiredResult:
    """Call book_trip and return its request."""
    required = await visit.client.session.call_tool("book_trip", FULL, allow_input_required=True)
    assert isinstance(required, InputRequiredResult)
    return required


async def decline(visit: Visit, required: InputRequiredResult) -> CallToolResult:
    """Call book_trip again, with a refusal."""
    responses: InputResponses = {key: ElicitResult(action="decline") for key in required.input_requests or {}}
    return await visit.client.session.call_tool(
        "book_trip", FULL, input_responses=responses, request_state=required.request_state
    )


def test_a_request_can_be_answered_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    assert request_state_security().ttl == DAY
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    assert request_state_security().ttl == DAY


async def test_with_a_key_a_request_outlives_the_process() -> None:
    demo = over_stdio(env={KEY_VARIABLE: KEY})
    async with visiting(demo, Era.ROUNDS) as before:
        required = await ask(before)
    async with visiting(demo, Era.ROUNDS) as after:
        assert text_of(await decline(after, required)) == "Booking cancelled"


@pytest.mark.slow
async def test_without_a_key_a_request_ends_with_the_process() -> None:
    async with visiting(over_stdio(), Era.ROUNDS) as before:
        required = await ask(before)
    async with visiting(over_stdio(), Era.ROUNDS) as after:
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await decline(after, required)
