"""The tab Skills: there for servers that have some, harmless for any text in them, and the same in the API."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from tests.mcp_servers import entry
from tests.mcp_servers.skilled import FILES, SKILLS
from tests.pages.person import Person
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio

REFUNDS = SKILLS["refunds"]["uri"]
LOGO = REFUNDS.replace("SKILL.md", "assets/logo.png")
CHANGED = SKILLS["changed"]["uri"]


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    servers = {"it": entry("skilled"), "none": entry("raw", "null-schema")}
    async with program(tmp_path_factory.mktemp("skills"), servers=servers) as running:
        yield running


def address(uri: str, file: str = "", *, page: str = "skill") -> str:
    return f"/skills/{page}?uri={quote(uri, safe='')}" + (f"&file={quote(file, safe='')}" if file else "")


async def test_the_tab_is_there_for_servers_with_skills_alone(person: Person, api: Api) -> None:
    other, server = await api.server("none"), await api.server("it")
    assert f"/servers/{other}/skills" not in await person.page(f"/servers/{other}/permissions")
    assert f"/servers/{server}/skills" in await person.page(f"/servers/{server}/permissions")
    await api.json("GET", f"/servers/{other}/skills", 409)


async def test_the_list_names_faults_and_tells_names_apart(person: Person, api: Api) -> None:
    page = await person.page(f"/servers/{await api.server('it')}/skills")
    assert page.count("data-fault=") == 14
    assert page.count('data-code="repeated"') == 2
    assert "acme/billing/refunds" in page
    assert "acme/support/refunds" in page
    assert page.count('data-code="irregular"') == 2
    assert "\u202e" not in page


async def test_a_skill_runs_loads_and_links_nothing(person: Person, api: Api) -> None:
    server = f"/servers/{await api.server('it')}"
    for uri in (REFUNDS, SKILLS["generated"]["uri"]):
        page = await person.page(server + address(uri))
        main = page[page.index("<main") : page.index("</main>")]
        assert "<script" not in main
        assert "<b>" not in main
        assert "\u202e" not in main
        assert set(re.findall(r'\b(?:href|src|action)="([^"]*)"', main)) == {
            each for each in re.findall(r'\b(?:href|src|action)="([^"]*)"', main) if each.startswith("/")
        }
        assert "<img" not in main
    assert "<strong>evil.example</strong>" in main


async def test_a_file_is_given_out_only_as_it_is_published(person: Person, api: Api) -> None:
    server = f"/servers/{await api.server('it')}"
    got = await person.get(server + address(REFUNDS, LOGO, page="file"))
    assert (got.content, got.headers["content-type"]) == (FILES[LOGO], "application/octet-stream")
    assert "attachment" in got.headers["content-disposition"]
    assert 'data-integrity="verified"' in await person.page(server + address(REFUNDS, LOGO))
    text = CHANGED.replace("SKILL.md", "a.txt")
    await person.page(server + address(CHANGED, text, page="file"), 409)
    page = await person.page(server + address(CHANGED, text))
    assert 'data-integrity="digest"' in page
    assert "/skills/file" not in page
    content = await api.json("GET", f"{server}/skills/file", params={"skill": CHANGED, "uri": text})
    assert content["integrity"] == "digest"
    assert not {"text", "blob"} & set(content)
    content = await api.json("GET", f"{server}/skills/file", params={"skill": REFUNDS, "uri": LOGO})
    assert (content["integrity"], content["blob"]) == ("verified", "iVBORw0KGgoAAAAN")


@pytest.mark.parametrize("uri", ["", "skill://unknown/SKILL.md", "x" * 2001])
async def test_an_unknown_address_is_a_sentence(person: Person, api: Api, uri: str) -> None:
    await person.page(f"/servers/{await api.server('it')}{address(uri)}", 404)
