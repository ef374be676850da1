"""Arguments typed into a tool's form stay on the page when its server goes, comes back, or changes its catalog."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.browser.person import Person
from tests.mcp_servers import stdio
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio

LABEL = "plain"
TYPED = "Ada, who must not be lost"


def _of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program with a server whose tools can change."""
    async with program(tmp_path_factory.mktemp("kept"), servers={LABEL: stdio("plain")}) as served:
        yield served


@pytest.fixture
async def server(api: Api) -> str:
    """The id of that server, started for this test."""
    [server] = (await api.json("GET", "/servers"))["servers"]
    await api.json("POST", f"/servers/{server['id']}/disconnect")
    await _connect(api, server["id"])
    return str(server["id"])


@pytest.fixture
async def greet(person: Person, server: str) -> Locator:
    """The tool `greet`, open on the page of its server, with something typed."""
    await person.page.goto(f"{person.served.base}/servers/{server}")
    await person.live()
    await person.open_tool("greet")
    greet = person.tool("greet")
    await greet.get_by_label("who").fill(TYPED)
    return greet


async def _connect(api: Api, server: str) -> None:
    await api.json("POST", f"/servers/{server}/connect", 202)
    await api.server(LABEL)


async def _disconnect(person: Person, server: str) -> None:
    await person.api.json("POST", f"/servers/{server}/disconnect")
    await expect(_rows(person)).to_have_count(0)
    await expect(person.tool("greet")).to_have_attribute("data-state", "away")


async def _do(person: Person, tool: str, **arguments: Any) -> None:
    await person.api.in_state(await person.api.call(LABEL, tool, arguments), "done")


def _rows(person: Person) -> Locator:
    return person.page.locator("a.entry-row")


def _field(greet: Locator) -> Locator:
    return greet.get_by_label("who")


async def _runs_not(greet: Locator) -> None:
    """Run answers with a sentence, and the page with what was typed stays."""
    await greet.get_by_role("button", name="Run", exact=True).click()
    await expect(greet.locator(".runner__outdated")).to_be_focused()
    await expect(_field(greet)).to_have_value(TYPED)


async def _runs(person: Person, greet: Locator) -> None:
    await expect(_field(greet)).to_have_value(TYPED)
    await greet.get_by_role("button", name="Run", exact=True).click()
    await expect(person.page.get_by_text(f"Hello {TYPED}").first).to_be_visible()


async def test_typed_form_outlives_its_server_and_its_tool(person: Person, server: str, greet: Locator) -> None:
    """It stays with its tool: in a new list, withdrawn and back, while its server is away and when it is back."""
    await person.open_tool("give")
    await person.open_tool("greet")
    await expect(_field(greet)).to_have_value(TYPED)
    await _do(person, "offer", name="brand_new")
    await expect(person.row("brand_new")).to_have_count(1)
    await _do(person, "withdraw", name="say")
    await expect(person.row("say")).to_have_count(0)
    await expect(person.row("greet")).to_have_attribute("aria-current", "true")
    await _do(person, "withdraw", name="greet")
    await expect(greet.locator(".runner__outdated")).to_be_visible()
    await _runs_not(greet)
    await _do(person, "offer", name="greet", inputSchema=_of(who={"type": "string"}))
    await expect(greet.locator(".runner__outdated")).to_be_hidden()
    await _disconnect(person, server)
    await _runs_not(greet)
    await _connect(person.api, server)
    await expect(greet).to_have_attribute("data-state", "ready")
    await expect(greet.locator(".runner__outdated")).to_be_hidden()
    await expect(person.row("give")).to_have_count(1)
    await _runs(person, greet)


async def test_typed_form_whose_schema_changed_stays_and_says_so(person: Person, server: str, greet: Locator) -> None:
    """An untouched one follows its server."""
    await _do(person, "offer", name="greet", inputSchema=_of(password={"type": "string"}, who={"type": "string"}))
    await expect(greet.locator(".runner__outdated")).to_be_visible()
    await _runs_not(greet)
    await person.page.reload()
    await expect(person.page.get_by_label("password")).to_be_visible()
    await person.live()
    await _do(person, "offer", name="greet", inputSchema=_of(whom={"type": "string"}))
    await expect(person.page.get_by_label("whom")).to_be_visible()
    await person.api.json("POST", f"/servers/{server}/disconnect")
    await expect(_rows(person)).to_have_count(0)


async def test_form_run_while_the_server_is_away_comes_back_filled(plain: Person, server: str) -> None:
    """A browser without JavaScript, whose page is not notified of changes; in an old shape, nothing runs."""
    page, greet = plain.page, plain.tool("greet")
    await page.goto(f"{plain.served.base}/servers/{server}")
    await plain.open_tool("greet")
    await _field(greet).fill(TYPED)
    await plain.api.json("POST", f"/servers/{server}/disconnect")
    await greet.get_by_role("button", name="Run", exact=True).click()
    await expect(greet.get_by_role("alert")).to_be_visible()
    await expect(_field(greet)).to_have_value(TYPED)
    await _connect(plain.api, server)
    await greet.get_by_role("button", name="Run", exact=True).click()
    await page.wait_for_url("**/calls/*")

    await page.goto(f"{plain.served.base}/servers/{server}/tools/greet")
    await _field(greet).fill(TYPED)
    await _do(plain, "offer", name="greet", inputSchema=_of(password={"type": "string"}, who={"type": "string"}))
    await greet.get_by_role("button", name="Run", exact=True).click()
    await expect(greet.get_by_role("alert")).to_be_visible()
    newest = (await plain.api.json("GET", "/calls", params={"server_id": server}))["calls"][0]
    assert newest["name"] == "offer"
