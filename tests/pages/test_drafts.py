"""Drafts over HTTP: what is said of them, and where they are seen again, with and without JavaScript."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.mcp_servers import running
from tests.pages.person import Person, card, messages, until
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}, "age": {"type": "integer"}},
    "required": ["name"],
}
WITH_SECRET = {"type": "object", "properties": {"name": {"type": "string"}, "api_key": {"type": "string"}}}
CARD = "4111 1111 1111 1111"


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}}
        async with program(tmp_path_factory.mktemp("drafts"), servers=servers) as served:
            yield served


async def pending_request(api: Api, schema: Json = SCHEMA, **arguments: Any) -> Json:
    call = await api.call("push", "ask_form", {"schema": schema, **arguments})
    [request] = await api.pending_requests(call)
    return request


def draft_status(article: str) -> str:
    """Return what a card says about its draft."""
    found = re.search(r'<span class="draft"[^>]*>([^<]*)</span>', article)
    assert found, article
    return found[1]


async def test_a_draft_stands_in_the_card_wherever_it_is_shown(api: Api, person: Person) -> None:
    request = await pending_request(api)
    said = await person.submit(f"/requests/{request['id']}/draft", 200, f0="Ada", f1="36")
    assert said.text == "Draft saved."
    for page in (f"/requests/{request['id']}", f"/calls/{request['call_id']}"):
        article = card(await person.page(page), request)
        assert 'value="Ada"' in article
        assert "&#34;age&#34;: 36" in article
        assert draft_status(article) == said.text
        assert "data-typed" in article


async def test_a_draft_need_not_fit_and_shows_no_errors(api: Api, person: Person) -> None:
    request = await pending_request(api)
    await person.submit(f"/requests/{request['id']}/draft", 200, f0="", f1="many")
    article = card(await person.page(f"/requests/{request['id']}"), request)
    assert 'value="many"' in article
    assert "aria-invalid" not in article
    assert all(f'<a href="#{request["id"]}-{field}"><bdi lang="">' in article for field in ("f0", "f1"))


async def test_an_untouched_card_does_not_mention_drafts(api: Api, person: Person) -> None:
    article = card(await person.page(f"/requests/{(request := await pending_request(api))['id']}"), request)
    assert "data-typed" not in article
    assert draft_status(article) == ""


async def test_an_untouched_form_saves_no_draft_and_says_nothing(api: Api, person: Person) -> None:
    request = await pending_request(api)
    draft = f"/requests/{request['id']}/draft"
    await person.submit(draft, 204, f0="", f1="")
    await person.submit(draft, 200, f0="Ada", f1="")
    await person.submit(draft, 204, f0="", f1="")
    article = card(await person.page(f"/requests/{request['id']}"), request)
    assert "data-typed" not in article
    assert draft_status(article) == ""


async def test_incomplete_json_and_several_lines_are_restored(api: Api, person: Person) -> None:
    request = await pending_request(api)
    draft = f"/requests/{request['id']}/draft"
    await person.submit(draft, 200, json='{"name": "Ad')
    assert "{&#34;name&#34;: &#34;Ad</textarea>" in card(await person.page(f"/requests/{request['id']}"), request)
    await person.submit(draft, 200, f0="one\r\ntwo")
    assert "one\ntwo</textarea>" in card(await person.page(f"/requests/{request['id']}"), request)


async def test_a_secret_is_not_kept_and_that_is_said(api: Api, person: Person) -> None:
    request = await pending_request(api, WITH_SECRET)
    draft = f"/requests/{request['id']}/draft"
    said = await person.submit(draft, 200, f0="Ada", f1="hunter2")
    assert said.text == "Draft saved without “api_key”, which may be secret."
    article = card(await person.page(f"/requests/{request['id']}"), request)
    assert "hunter2" not in article
    assert 'value="Ada"' in article
    assert said.text in article
    said = await person.submit(draft, 200, f0=CARD, f1="hunter2")
    assert said.text == "Draft not saved because it may contain a secret."
    assert "Ada" not in card(await person.page(f"/requests/{request['id']}"), request)
    said = await person.submit(draft, 200, f0="", f1="hunter2")
    assert said.text == "Draft not saved because it may contain a secret."


async def test_text_typed_after_the_end_is_not_saved(api: Api, person: Person) -> None:
    request = await pending_request(api)
    await api.answer(request, action="accept", content={"name": "Ada"})
    answer = await person.submit(f"/requests/{request['id']}/draft", 204, f0="Ada")
    assert answer.text == ""
    await person.submit("/requests/unknown/draft", 404, f0="Ada")


async def test_a_link_has_no_draft(api: Api, person: Person) -> None:
    [request] = await api.pending_requests(await api.call("push", "ask_url", {"url": "https://example.com/"}))
    await person.submit(f"/requests/{request['id']}/draft", 204, f0="Ada")
    await api.answer(request, action="decline")


@pytest.mark.parametrize("way", ["preview", "answer"])
async def test_without_javascript_a_returned_form_keeps_the_draft(api: Api, person: Person, way: str) -> None:
    request = await pending_request(api)
    address = f"/requests/{request['id']}"
    if way == "preview":
        back = await person.submit(f"{address}/preview", 200, f0="Ada", f1="many")
    else:
        back = await person.submit(address, 422, action="accept", f0="Ada", f1="many")
    assert draft_status(card(back.text, request))
    assert 'value="many"' in card(await person.page(f"/requests/{request['id']}"), request)


async def test_a_page_that_lost_events_gets_the_card_with_its_draft(api: Api, person: Person) -> None:
    request = await pending_request(api)
    await person.submit(f"/requests/{request['id']}/draft", 200, f0="Ada")
    address = f"/stream?page=inbox&id={request['id']}"
    async with person.stream("GET", address) as stream:
        pushed = card(await until(messages(stream), f'hx-target="#detail-{request["id"]} #cards"'), request)
    assert 'value="Ada"' in pushed
    assert "hx-morph-skip" in pushed
