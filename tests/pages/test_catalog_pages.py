"""The form of a tool while it is filled in, against the real program: its buttons, a preview, and a call run again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.mcp_servers import running, stdio
from tests.pages.person import Person
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


async def test_a_button_of_a_form_gives_the_form_alone_and_announces(api: Api, browser: Person) -> None:
    server = await api.server("push")
    answer = await browser.submit(f"/servers/{server}/form", 200, **TYPED, edit="add f1")
    assert (answer.text.count("<form"), "<html" in answer.text) == (1, False)
    assert 'name="f1.items" value="1"' in answer.text
    assert 'value="Chair"' in answer.text
    assert "Entry 2 was added." in answer.text


async def test_a_call_is_run_again_with_nested_arguments_filled_in(api: Api, person: Person) -> None:
    arguments = {"customer": "ACME", "items": [{"article": "Chair", "amount": 2}], "labels": {"colour": "red"}}
    call = await api.in_state(await api.call("push", "order", arguments), "done")
    page = await person.page(f"/servers/{await api.server('push')}?again={call['id']}")
    for value in ("ACME", "Chair", "colour", "red"):
        assert f'value="{value}"' in page


async def test_the_preview_shows_what_would_be_sent(api: Api, browser: Person) -> None:
    server = await api.server("push")
    shown = (await browser.submit(f"/servers/{server}/preview", 200, **TYPED)).text
    assert "&#34;article&#34;: &#34;Chair&#34;" in shown
    assert "bill_to" in shown
    again = {**TYPED, "f1.0.0": ""}
    assert "1 field needs your attention" in (await browser.submit(f"/servers/{server}/preview", 200, **again)).text


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
            servers={"plain": {key: value for key, value in stdio("plain").items() if key != "type" and value}},
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
