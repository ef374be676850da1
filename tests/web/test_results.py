"""What a server says of itself and what its calls return, on the pages, against a server that returns anything."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.program import Api, Program, program
from tests.servers import stdio
from tests.web.person import Person, messages, stream_of, until

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    entry = {key: value for key, value in stdio("plain").items() if key != "type" and value}
    async with program(tmp_path_factory.mktemp("results"), servers={"plain": entry}) as served:
        yield served


async def test_instructions_stand_quoted_above_the_tools(api: Api, person: Person) -> None:
    page = await person.page(f"/servers/{await api.server('plain')}")
    assert page.index("Then &lt;b&gt;offer&lt;/b&gt;.") < page.index('id="offers-tool"')


async def test_a_tool_with_a_line_break_in_its_name_runs(api: Api, person: Person) -> None:
    server = await api.server("plain")
    assert 'name="name_json" value="&#34;two\\nlines&#34;"' in await person.page(f"/servers/{server}")
    # A browser posts a line break as CR LF.
    call_id = await person.run(server, "tool", "two\r\nlines", name_json='"two\\nlines"', arguments="{}")
    done = await api.in_state(await api.json("GET", f"/calls/{call_id}"), "done")
    assert done["name"] == "two\nlines"
    assert "'two\\nlines' is done" in done["result"]["content"][0]["text"]


async def test_an_open_server_page_follows_list_changed(api: Api, person: Person) -> None:
    """MCP 2025-11-25, Tools, List Changed Notification."""
    page = await person.page(f"/servers/{await api.server('plain')}")
    async with person.stream("GET", stream_of(page)) as stream:
        await api.in_state(await api.call("plain", "offer", {"name": "brand_new"}), "done")
        assert 'value="brand_new"' in await until(messages(stream), "brand_new")
