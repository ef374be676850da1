"""The form of a tool while it is filled in, against the real program: its buttons, a preview, and a call run again."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.mcp_servers import entry, running
from tests.pages.person import Person, card
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio

TYPED = {"kind": "tool", "name": "order", "f0": "ACME", "f1.items": "0", "f1.0.0": "Chair", "f1.0.1": "2"}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with (
        running() as asker,
        program(tmp_path_factory.mktemp("offers"), servers={"push": {"url": asker.address}}) as served,
    ):
        yield served


@pytest.fixture
async def browser(served: Program) -> AsyncIterator[Person]:
    async with Person(served, htmx=True) as browser:
        yield browser


@pytest.fixture
async def in_place(browser: Person) -> Person:
    """A person whose browser shows whole pages without leaving the document."""
    browser.headers["HX-Request-Type"] = "full"
    return browser


async def test_a_button_of_a_form_gives_the_form_alone_and_announces(api: Api, browser: Person) -> None:
    server = await api.server("push")
    answer = await browser.submit(f"/servers/{server}/form", 200, **TYPED, edit="add f1")
    assert (answer.text.count("<form"), "<html" in answer.text) == (1, False)
    assert 'name="f1.items" value="1"' in answer.text
    assert 'value="Chair"' in answer.text
    assert "Entry 2 was added." in answer.text


async def test_a_tool_form_is_checked_while_it_is_filled_in(api: Api, browser: Person) -> None:
    server = await api.server("push")
    typed = {**TYPED, "f1.0.1": "two"}
    wrong = (await browser.submit(f"/servers/{server}/check", 200, **typed)).json()
    assert [place.rpartition("-")[2] for place in wrong] == ["f1.0.1"]
    page = (await browser.submit(f"/servers/{server}/calls", 422, **typed)).text
    assert all(f'id="{place}-error"' in page for place in wrong)
    assert (await browser.submit(f"/servers/{server}/check", 200, **TYPED)).json() == {}


async def test_a_call_is_run_again_with_nested_arguments_filled_in(api: Api, person: Person) -> None:
    arguments = {"customer": "ACME", "items": [{"article": "Chair", "amount": 2}], "labels": {"colour": "red"}}
    call = await api.in_state(await api.call("push", "order", arguments), "done")
    page = await person.page(f"/servers/{await api.server('push')}?again={call['id']}")
    for value in ("ACME", "Chair", "colour", "red"):
        assert f'value="{value}"' in page


async def test_an_entry_has_an_address_and_the_pane_alone_for_htmx(api: Api, person: Person, browser: Person) -> None:
    address = f"/servers/{await api.server('push')}/tools/order"
    assert 'id="runner" data-state="ready"' in await person.page(address)
    pane = await browser.page(address)
    assert (pane.count("<form"), "<html" in pane, 'name="shape"' in pane) == (1, False, True)
    assert 'data-state="absent"' in await person.page(f"{address}/none", 404)
    assert 'data-state="absent"' in await browser.page(f"{address}/none", 404)
    await person.page(f"{address}?again=none", 404)


async def test_the_last_arguments_are_one_click_away(api: Api, person: Person) -> None:
    address = f"/servers/{await api.server('push')}/tools/order"
    call = await api.in_state(await api.call("push", "order", {"customer": "Last", "items": []}), "done")
    assert f"?again={call['id']}" in await person.page(address)
    assert 'value="Last"' in await person.page(f"{address}?again={call['id']}")


@pytest.mark.slow
async def test_a_page_with_303_tools_of_odd_names_is_light(tmp_path: Path) -> None:
    names = ["a/b", "../..", "☃️ <b>", "with space", *(f"list_{n}" for n in range(290))]
    async with (
        program(tmp_path, servers={"plain": entry("plain")}) as served,
        served.client() as api,
        Person(served) as person,
    ):
        server = await api.server("plain")
        for name in names:
            await api.call("plain", "offer", {"name": name, "description": "What it does. " * 9})
        while len((await api.json("GET", f"/servers/{server}/tools?refresh=true"))["tools"]) < len(names):
            pass
        page = await person.page(f"/servers/{server}/tools")
        addresses = re.findall(r'class="entry-row" href="([^"]+)"', page)
        assert len(addresses) > len(names)
        assert page.count('name="shape"') == 0
        assert len(gzip.compress(page.encode())) < 20_000
        for name in names[:4]:
            found = [each for each in addresses if unquote(each).endswith(f"/tools/{name}")]
            assert 'id="runner" data-state="ready"' in await person.page(found[0]), name


async def test_a_run_in_place_gives_the_page_with_its_address(api: Api, in_place: Person) -> None:
    run = {"kind": "tool", "name": "ask_form"}
    shown = await in_place.submit(f"/servers/{await api.server('push')}/calls", 200, **run)
    address = shown.headers["hx-push-url"]
    call = await api.json("GET", address)
    assert call["name"] == "ask_form"
    assert f"/login?next={address}" in shown.text
    [request] = await api.pending_requests(call)
    assert card(shown.text, request)
    await api.answer(request, action="cancel")


async def test_an_error_in_place_is_a_whole_page(api: Api, in_place: Person) -> None:
    gone = await in_place.submit(f"/servers/{await api.server('push')}/calls", 404, kind="tool", name="gone")
    assert "<html" in gone.text
    assert "hx-push-url" not in gone.headers


async def test_the_preview_shows_what_would_be_sent(api: Api, browser: Person) -> None:
    server = await api.server("push")
    shown = (await browser.submit(f"/servers/{server}/preview", 200, **TYPED)).text
    assert "&#34;article&#34;: &#34;Chair&#34;" in shown
    assert "bill_to" in shown
    again = {**TYPED, "f1.0.0": ""}
    back = (await browser.submit(f"/servers/{server}/preview", 200, **again)).text
    assert re.findall(r'<a href="#[^"]*-(f[0-9.]+)"><bdi lang="">', back) == ["f1.0.0"]


async def test_a_form_can_be_filled_in_while_its_server_is_away(api: Api, browser: Person) -> None:
    server = await api.server("push")
    await browser.page(f"/servers/{server}")
    await api.json("POST", f"/servers/{server}/disconnect")
    answer = await browser.submit(f"/servers/{server}/form", 200, **TYPED, edit="add f1")
    assert 'value="Chair"' in answer.text


async def test_runs_and_forms_list_nothing_and_refresh_does(tmp_path: Path) -> None:
    async def listings() -> str:
        call = await api.in_state(await api.call("plain", "listings"), "done")
        return str(call["result"]["content"][0]["text"])

    async with (
        program(
            tmp_path,
            servers={"plain": entry("plain")},
        ) as served,
        served.client() as api,
        Person(served) as person,
    ):
        server = await api.server("plain")
        await person.page(f"/servers/{server}")
        assert await listings() == "1"
        for name in ("Ada", "Bob", "Eve"):
            await person.run(server, "tool", "greet", f0=name)
            await person.submit(f"/servers/{server}/preview", 200, kind="tool", name="greet", f0=name)
            await person.page(f"/servers/{server}")
            await api.json("GET", f"/servers/{server}/tools")
        assert await listings() == "1"
        await person.submit(f"/servers/{server}/refresh")
        await api.json("GET", f"/servers/{server}/tools?refresh=true")
        assert await listings() == "3"


async def test_a_form_of_an_absent_server_is_filled_in_later(api: Api, browser: Person) -> None:
    body = {"label": "away", "transport": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}
    server = (await api.json("POST", "/servers", 201, json=body))["id"]
    # The form is read from this address when the server is back.
    page = await browser.page(f"/servers/{server}/tools/order?again=earlier")
    assert f'data-address="/servers/{server}/tools/order?again=earlier"' in page
    assert 'data-state="away"' in page
    await api.delete(f"/servers/{server}")
