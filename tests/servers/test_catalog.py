"""What a server offers arrives verbatim."""

from __future__ import annotations

import pytest

from tests.house import ALL_SERVERS, House

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("server", ALL_SERVERS)
async def test_tools_prompts_and_templates_are_listed(shared: House, server: str) -> None:
    catalog = await shared.services.connections.catalog(await shared.server(server))
    ask_form = catalog.tool("ask_form")
    assert ask_form
    assert ask_form["inputSchema"]["type"] == "object"
    assert [prompt["name"] for prompt in catalog.prompts] == ["asking_prompt", "needing_prompt"]
    assert [template["uriTemplate"] for template in catalog.resource_templates] == ["ask://{topic}", "need://{name}"]
