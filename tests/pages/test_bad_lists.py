"""The page and the API of a server whose lists are wrong or too long: what is right is there, and each way out."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import ROOT, command
from tests.pages.person import Person, messages, until
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio

CASES = ("failing", "ill-typed", "no-list", "many", "large", "endless", "misnamed")
WAYS_OUT = ("/decline-all", "/mute", "/disconnect", "/delete")


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """A program with a server for each case."""

    def entry(case: str) -> dict[str, object]:
        first, *rest = command("attacker", "--catalog", case)
        return {"command": first, "args": rest, "cwd": str(ROOT), "era": "2025-11-25"}

    async with program(tmp_path_factory.mktemp("lists"), servers={case: entry(case) for case in CASES}) as running:
        yield running


@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
async def test_the_page_of_any_server_is_there_with_every_way_out(served: Program, api: Api, case: str) -> None:
    server = await api.server(case)
    async with Person(served) as person:
        await person.page(f"/servers/{server}")
        pages = [await person.page(f"/servers/{server}/{tab}") for tab in ("permissions", "settings")]
        for way in WAYS_OUT:
            assert f"/servers/{server}{way}" in "".join(pages), way
        for way in ("/disconnect", "/delete", "/mute"):
            await person.page(f"/servers/{server}{way}")


async def test_only_the_entry_that_is_not_mcp_is_left_out_and_named(served: Program, api: Api) -> None:
    server = await api.server("ill-typed")
    listed = await api.json("GET", f"/servers/{server}/tools")
    names = [tool["name"] for tool in listed["tools"]]
    assert "ask" in names
    assert not {"bad", "odd"} & set(names)
    [note] = listed["notes"]
    assert "4 entries" in note
    assert "“bad”" in note
    async with Person(served) as person:
        assert "“bad”" in await person.page(f"/servers/{server}")
        await person.run(server, "tool", "ask", arguments="{}")


async def test_tools_with_irregular_names_are_noted_and_run(served: Program, api: Api) -> None:
    """MCP 2025-11-25, Tools, Tool Names: the rules are for servers; every listed tool stays callable."""
    server = await api.server("misnamed")
    listed = await api.json("GET", f"/servers/{server}/tools")
    assert len(listed["tools"]) == 5
    irregular, repeated = listed["notes"]
    assert "2 names" in irregular
    assert "“two words”" in irregular
    assert "“ask”" in repeated
    async with Person(served) as person:
        page = await person.page(f"/servers/{server}/tools")
        assert (page.count('data-code="irregular"'), page.count('data-code="repeated"')) == (2, 2)
        assert "“two words”" not in await person.page(f"/servers/{server}/prompts")
        assert 'class="notice" data-code="irregular"' in await person.page(f"/servers/{server}/tools/two%20words")
        assert 'class="notice" data-code="repeated"' in await person.page(f"/servers/{server}/tools/ask")
        second = re.findall(r'href="/servers/[^"]+/(tools\?entry=[^"]+)"', page)
        shape = re.findall(r'name="shape" value="(\w+)"', await person.page(f"/servers/{server}/{second[0]}"))
        await person.run(server, "tool", "ask", shape=shape[0], f0="typed")
        [call] = (await api.json("GET", "/calls", params={"limit": 1}))["calls"]
        assert call["arguments"] == {"other": "typed"}
        await person.run(server, "tool", "two words", f0="typed")
        [call] = (await api.json("GET", "/calls", params={"limit": 1}))["calls"]
        assert call["name"] == "two words"


@pytest.mark.parametrize("case", ["failing", "no-list"])
async def test_a_bad_list_is_explained_on_the_page_and_in_the_api(served: Program, api: Api, case: str) -> None:
    server = await api.server(case)
    problem = await api.json("GET", f"/servers/{server}/tools", 409)
    async with Person(served) as person:
        page = await person.page(f"/servers/{server}")
    assert problem["detail"].removesuffix(".") in page


@pytest.mark.parametrize(
    ("case", "setting", "count"), [("many", "max_catalog_entries", 1000), ("large", "max_catalog_bytes", 41)]
)
async def test_a_long_list_is_cut_and_says_so(api: Api, case: str, setting: str, count: int) -> None:
    listed = await api.json("GET", f"/servers/{await api.server(case)}/tools")
    assert len(listed["tools"]) == count
    assert f"(setting {setting})" in listed["notes"][0]


@pytest.mark.parametrize("case", ["no-list", "ill-typed"])
async def test_the_stream_of_its_open_page_goes_on(served: Program, api: Api, case: str) -> None:
    server = await api.server(case)
    async with Person(served) as person, person.stream("GET", f"/stream?page=server&id={server}&since=none") as stream:
        bundles = messages(stream)
        await until(bundles, f"catalog-{server}")
        await api.json("POST", f"/servers/{server}/decline-all")
        await api.json("PATCH", f"/servers/{server}", json={"muted": True})
        await until(bundles, f"catalog-{server}")
