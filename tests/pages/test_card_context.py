"""The context beside a card: its call, and earlier answers, which fill in its form and send nothing."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.forms.filling import Page
from tests.mcp_servers import running
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import Json
from webclient.web.pages.inbox.card_context import labelled

pytestmark = pytest.mark.anyio

SCHEMA: Json = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}, "seat": {"type": "string", "title": "Seat"}},
    "required": ["name"],
}
NO_FIELDS: Json = {"type": "object", "properties": {}}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program with an asking server."""
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}}
        async with program(tmp_path_factory.mktemp("context"), servers=servers) as served:
            yield served


async def ask(api: Api, message: str, schema: Json = NO_FIELDS) -> str:
    call = await api.call("push", "ask_form", {"message": message, "schema": schema})
    return str((await api.pending_requests(call))[0]["id"])


async def answered(api: Api, person: Person, message: str, schema: Json = NO_FIELDS, **fields: Any) -> str:
    """Ask, and answer on the page; return the id."""
    request = await ask(api, message, schema)
    await person.submit(f"/requests/{request}", action="accept", **fields)
    return request


async def beside(person: Person, request: str) -> str:
    """Return the HTML beside the card."""
    found = re.search(r'<aside class="context".*?</aside>', await person.page(f"/requests/{request}"), re.DOTALL)
    return found[0] if found else ""


async def test_a_card_says_how_often_the_same_was_approved(api: Api, person: Person) -> None:
    assert "You approved" not in await beside(person, await ask(api, "Deploy 1?"))
    for _n in range(2):
        await answered(api, person, "Deploy 2?")
    context = await beside(person, await ask(api, "Deploy 2?"))
    assert "You approved this 2 times, the last time <time" in context
    assert "fill=" not in context
    # Beside it, the arguments of the call.
    assert "Deploy 2?" in context
    assert "You approved" not in await beside(person, await ask(api, "Deploy 3?"))


async def test_an_earlier_answer_fills_in_the_form_and_sends_nothing(api: Api, person: Person) -> None:
    await answered(api, person, "Who?", SCHEMA, f0="Ada")
    request = await ask(api, "Who?", SCHEMA)
    context = await beside(person, request)
    assert "You answered this 1 time, <time" in context
    assert "Ada" in context
    [address] = re.findall(r'href="(/requests/[^"]*fill=[^"]*)"', context)
    page = Page(await person.page(address.replace("&amp;", "&")))
    [name] = [each for each in page.all("input") if each.get("name") == "f0"]
    assert name["value"] == "Ada"
    assert "Check it before sending." in page.text
    # Nothing was sent, and nothing is stored.
    assert (await api.json("GET", f"/requests/{request}"))["state"] == "pending"
    assert 'value="Ada"' not in await person.page(f"/requests/{request}")


async def test_a_script_gets_the_filled_in_card_alone(api: Api, served: Program, person: Person) -> None:
    earlier = await answered(api, person, "Alone?", SCHEMA, f0="Ada")
    request = await ask(api, "Alone?", SCHEMA)
    async with Person(served, htmx=True) as browser:
        card = await browser.page(f"/requests/{request}?fill={earlier}")
    assert card.startswith("<article")
    assert 'value="Ada"' in card


async def test_answers_to_other_questions_have_their_words(api: Api, person: Person) -> None:
    schema = SCHEMA | {"title": "One form"}
    await answered(api, person, "Guest of room 7?", schema, f0="Grace")
    context = await beside(person, await ask(api, "Guest of room 8?", schema))
    assert "You answered" not in context
    for words in ("Answers to other questions of this form", "“Guest of room 7?”", "Grace", "Fill in this answer"):
        assert words in context


async def test_an_answer_to_another_form_fills_in_nothing(api: Api, person: Person) -> None:
    other = await answered(api, person, "Approve?")
    request = await ask(api, "Who else?", SCHEMA)
    await person.page(f"/requests/{request}?fill={other}", 404)
    await person.page(f"/requests/{request}?fill=unknown", 404)
    # Its own id is that of no answer.
    await person.page(f"/requests/{request}?fill={request}", 404)


async def test_a_form_that_asks_for_a_secret_is_not_filled_in(api: Api, person: Person) -> None:
    schema: Json = {"type": "object", "properties": {"password": {"type": "string", "title": "Password"}}}
    request = await ask(api, "Sign in?", schema)
    first = await person.submit(f"/requests/{request}", 422, action="accept", f0="hunter2!Xy")
    assert "looks like a secret" in first.text
    await person.submit(f"/requests/{request}", action="accept", f0="hunter2!Xy", confirmed="1")
    again = await ask(api, "Sign in?", schema)
    context = await beside(person, again)
    assert "You answered this 1 time" in context
    assert "hunter2" not in context
    assert "fill=" not in context
    assert "hunter2" not in await person.page(f"/requests/{again}?fill={request}")


def test_arguments_have_the_titles_of_the_tool() -> None:
    arguments: dict[str, Any] = {"order_id": "A-1", "amount": 12, "note": "x"}
    properties: dict[str, Any] = {"order_id": {"title": "Order"}, "amount": {"title": 7}, "note": True}
    tool = {"inputSchema": {"properties": properties}}
    assert list(labelled(arguments, tool)) == ["Order", "amount", "note"]
    assert labelled(arguments, None) == arguments
    # Two of one title could not be distinguished.
    tool["inputSchema"]["properties"]["amount"] = {"title": "Order"}
    assert labelled(arguments, tool) == arguments
