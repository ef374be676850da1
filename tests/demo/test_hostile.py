"""The hostile server: every attack ends, and `report` says truly what it got."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitResult

from tests.demo.visits import over_stdio
from webclient.demo.hostile.attacks import FLOOD, TRIES
from webclient.domain.model import Json
from webclient.web.pages.guide.attacks import attack_scenes

pytestmark = pytest.mark.anyio

TIMES = {"flood": FLOOD, "endless_requests": TRIES, "second_click": 2}
"""How often the attacks ask a person who always declines, if more than once."""


class Victim:
    """A person who gives the answer `given` to everything, and counts the questions."""

    def __init__(self) -> None:
        self.given = ElicitResult(action="decline")
        self.count = 0

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002
        """Answer, as an elicitation callback of the SDK."""
        self.count += 1
        return self.given


@pytest.fixture(scope="module")
async def hostile(anyio_backend: str) -> AsyncIterator[tuple[Client, Victim]]:  # noqa: ARG001
    """The server, and the person whom it attacks."""
    victim = Victim()
    async with Client(
        over_stdio(module="webclient.demo.hostile"), mode="legacy", elicitation_callback=victim
    ) as client:
        yield client, victim


async def called(client: Client, tool: str) -> Json:
    """Return what a tool of the server returns."""
    result: Any = (await client.call_tool(tool, {})).structured_content
    return dict(result)


async def test_every_attack_ends_and_gets_nothing_by_declining(hostile: tuple[Client, Victim]) -> None:
    client, victim = hostile
    before = await called(client, "report")
    for scene in attack_scenes():
        victim.count = 0
        assert (await called(client, scene.tool))["stolen"] == [], scene.tool
        assert victim.count == TIMES.get(scene.tool, 1), scene.tool
    after = await called(client, "report")
    assert after["stolen"] == before["stolen"]
    assert after["answers"] - before["answers"] == len(attack_scenes()) - len(TIMES) + sum(TIMES.values())


async def test_the_report_has_what_was_given(hostile: tuple[Client, Victim]) -> None:
    client, victim = hostile
    content = {"email": "ada@example.com", "password": "a secret"}
    victim.given = ElicitResult(action="accept", content=dict(content))
    try:
        await called(client, "password_form")
    finally:
        victim.given = ElicitResult(action="decline")
    assert {"attack": "password_form", "content": content} in (await called(client, "report"))["stolen"]


async def test_the_tools_are_those_of_the_gallery(hostile: tuple[Client, Victim]) -> None:
    client, _victim = hostile
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert tools == {scene.tool for scene in attack_scenes()} | {"report"}
