"""The pages as a person uses them, without JavaScript and with what htmx sends, against the real program."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.mcp_servers import entry, running
from tests.pages.person import Person, card, messages, stream_of, until
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}, "age": {"type": "integer"}},
    "required": ["name"],
}
HOSTILE = "<img src=x onerror=alert(1)><hx-partial hx-target='body'>\u202e</article>"


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        # Over HTTP a pushed question is known to be of its call, however many are under way; over stdio it is not.
        servers = {
            "push": {"url": asker.address, "era": "2025-11-25"},
            "rounds": {"url": asker.address, "era": "2026-07-28"},
            "pipe": {**entry("asker"), "era": "2025-11-25"},
        }
        async with program(tmp_path_factory.mktemp("pages"), servers=servers) as served:
            yield served


@pytest.fixture
async def browser(served: Program) -> AsyncIterator[Person]:
    async with Person(served, htmx=True) as browser:
        yield browser


async def pending_request(api: Api, label: str = "push", tool: str = "ask_form", **arguments: Any) -> tuple[Any, Any]:
    call = await api.call(label, tool, arguments)
    return call, (await api.pending_requests(call))[0]


async def test_a_card_names_server_and_call_and_has_three_answers(api: Api, person: Person) -> None:
    _call, request = await pending_request(api, schema=SCHEMA, message="Who are you?")
    article = card(await person.page(f"/requests/{request['id']}"), request)
    claims = 'Says it is “<bdi lang="">Asker</bdi>”'
    for words in ("push", "http://127.0.0.1:", claims, "ask_form", "Who are you?", "Your name"):
        assert words in article
    assert article.count("<form") == 1
    assert re.findall(r'name="action" value="(\w+)"', article) == ["accept", "decline", "cancel"]
    assert len(re.findall(r"<button[^>]*aria-describedby", article)) == 3


async def test_a_yes_on_a_page_folds_the_address_of_later_cards(api: Api, person: Person) -> None:
    async def is_open() -> bool:
        _call, request = await pending_request(api, "pipe", schema=SCHEMA)
        article = card(await person.page(f"/requests/{request['id']}"), request)
        [source] = re.findall(r'<details class="card__source"([^>]*)>', article)
        requests.append(request)
        return " open" in source

    requests: list[Any] = []
    assert await is_open()
    await api.answer(requests[-1], action="accept", content={"name": "Ada", "age": 36})
    assert await is_open()
    await person.submit(f"/requests/{requests[-1]['id']}", action="decline")
    assert await is_open()
    await person.submit(f"/requests/{requests[-1]['id']}", action="accept", f0="Ada", f1="36")
    assert not await is_open()


async def test_an_answer_sent_without_javascript_is_seen_on_the_inbox(api: Api, person: Person) -> None:
    call, request = await pending_request(api, schema=SCHEMA)
    answered = await person.submit(f"/requests/{request['id']}", action="accept", f0="Ada", f1="36")
    page = await person.page(answered.headers["location"])
    assert f'id="outcome-{request["id"]}"' in page
    assert "Answered." in page
    done = await api.in_state(call, "done")
    assert done["result"]["structuredContent"]["content"] == {"name": "Ada", "age": 36}


async def test_htmx_gets_the_folded_line_in_place_of_the_card(api: Api, browser: Person) -> None:
    _call, request = await pending_request(api, schema=SCHEMA)
    answer = await browser.submit(f"/requests/{request['id']}", 200, action="decline")
    assert answer.text.startswith('<div class="outcome outcome--declined"')


@pytest.mark.parametrize("htmx", [False, True])
async def test_an_invalid_answer_comes_back_with_errors_at_fields(
    api: Api, person: Person, browser: Person, htmx: bool
) -> None:
    _call, request = await pending_request(api, schema=SCHEMA)
    client = browser if htmx else person
    answer = await client.submit(f"/requests/{request['id']}", 422, action="accept", f0='<Ada> & "co"', f1="many")
    article = card(answer.text, request)
    assert 'value="&lt;Ada&gt; &amp; &#34;co&#34;"' in article
    assert 'value="many"' in article
    assert f'id="{request["id"]}-f1-error"' in article
    assert f'href="#{request["id"]}-f1"' in article
    assert ("<html" in answer.text) is not htmx
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"


async def test_a_late_answer_sees_what_happened(api: Api, person: Person, browser: Person) -> None:
    _call, request = await pending_request(api)
    await api.answer(request, action="decline")
    for client in (person, browser):
        late = await client.submit(f"/requests/{request['id']}", 409, action="accept", f0="x")
        assert "This question is already settled. It was declined." in late.text
        assert f'id="outcome-{request["id"]}"' in late.text


async def test_an_action_that_is_none_changes_nothing(api: Api, person: Person) -> None:
    _call, request = await pending_request(api)
    problem = await person.submit(f"/requests/{request['id']}", 422, action="maybe")
    assert "maybe" in problem.text
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"


async def test_the_preview_is_what_is_sent(api: Api, person: Person, browser: Person) -> None:
    call, request = await pending_request(api, schema=SCHEMA)
    typed: dict[str, Any] = {"f0": "Ada", "f1": "36"}
    preview = await browser.submit(f"/requests/{request['id']}/preview", 200, **typed)
    assert "&#34;age&#34;: 36" in preview.text
    without_scripts = await person.submit(f"/requests/{request['id']}/preview", 200, **typed)
    assert 'value="Ada"' in card(without_scripts.text, request)
    await person.submit(f"/requests/{request['id']}", action="accept", **typed)
    done = await api.in_state(call, "done")
    assert done["result"]["structuredContent"]["content"] == {"name": "Ada", "age": 36}


async def test_server_text_is_quoted_and_never_markup(api: Api, person: Person) -> None:
    schema = {"type": "object", "properties": {HOSTILE: {"type": "string", "title": HOSTILE, "description": HOSTILE}}}
    _call, request = await pending_request(api, schema=schema, message=HOSTILE)
    article = card(await person.page(f"/requests/{request['id']}"), request)
    assert "<img" not in article
    assert "<hx-" not in article
    assert "⟦U+202E⟧" in article
    assert "\u202e" not in article


async def test_a_url_request_shows_the_address_and_can_be_finished(api: Api, person: Person) -> None:
    address = "https://accounts.google.com@evil.example/x?a=1&b=2"
    _call, request = await pending_request(api, tool="ask_url", url=address)
    article = card(await person.page(f"/requests/{request['id']}"), request)
    assert "https://accounts.google.com@evil.example/x?a=1&amp;b=2" in article
    assert "evil.example" not in "".join(re.findall(r'(?:href|src|action)="[^"]*"', article))
    assert re.findall(r'name="action" value="(\w+)"', article) == ["decline", "accept", "cancel"]
    hop = await person.submit(f"/requests/{request['id']}", 200, action="accept")
    assert 'content="0;url=https://accounts.google.com@evil.example/x?a=1&amp;b=2"' in hop.text
    waiting = await person.page(f"/requests/{request['id']}")
    assert f'action="/requests/{request["id"]}/finished"' in waiting
    await person.submit(f"/requests/{request['id']}/finished")
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] == "completed"


async def test_questions_of_one_round_say_that_they_go_out_together(api: Api, person: Person) -> None:
    call = await api.call("rounds", "ask_many", {"n": 2})
    first, second = await api.pending_requests(call)
    for request, words in {first["id"]: "Question 1 of 2.", second["id"]: "Question 2 of 2."}.items():
        assert words in card(await person.page(f"/requests/{request}"), {"id": request})


async def test_a_request_of_an_unknown_call_is_at_each_possible_call(api: Api, person: Person) -> None:
    # Over stdio nothing ties a pushed question to one of two calls that are under way.
    waiting = await api.call("pipe", "sleep_until_cancelled", {"name": "unknown"})
    call = await api.call("pipe", "ask_form", {"message": "Whose is this?"})
    for each in (call, waiting):
        [request] = await api.pending_requests(each)
        page = await person.page(f"/calls/{each['id']}")
        assert page.count("May need you") == 1
        shown = card(page, request)
        assert "Whose is this?" in shown
        assert "For one of these calls" in shown
        assert [f'href="/calls/{call_id["id"]}"' in shown for call_id in (waiting, call)] == [True, True]
        assert shown.count("unknown") == 1
    assert (await person.page("/calls")).count("May need you") == 2
    for each in (call, waiting):
        await person.submit(f"/calls/{each['id']}/cancel")


async def test_the_call_page_tells_started_asked_answered_result(api: Api, person: Person) -> None:
    call, request = await pending_request(api, schema=SCHEMA, message="Who is it?")
    page = await person.page(f"/calls/{call['id']}")
    assert (
        page.index("Started") < page.index(f'id="request-{request["id"]}"') < page.index('data-state="input_required"')
    )
    await person.submit(f"/requests/{request['id']}", action="accept", f0="Grace", f1="1")
    await api.in_state(call, "done")
    page = await person.page(f"/calls/{call['id']}")
    assert (
        page.index("Started")
        < page.index('data-state="accepted"')
        < page.index('data-state="done"')
        < page.rindex("Grace")
    )


async def test_a_tool_runs_from_its_form_and_keeps_invalid_input(api: Api, person: Person) -> None:
    server = await api.server("push")
    page = await person.page(f"/servers/{server}")
    assert "ask_many" in page
    wrong = await person.submit(f"/servers/{server}/calls", 422, kind="tool", name="ask_many", f0="two")
    assert 'value="two"' in wrong.text
    call_id = await person.run(server, "tool", "ask_many", f0="1")
    call = await api.json("GET", f"/calls/{call_id}")
    assert call["arguments"] == {"n": 1}


async def test_a_tool_beyond_fields_is_run_from_json_with_its_types(api: Api, person: Person) -> None:
    server = await api.server("push")
    typed = '{"schema": {"type": "object", "properties": {}}, "message": "1"}'
    wrong = await person.submit(f"/servers/{server}/calls", 422, kind="tool", name="ask_form", arguments="{oops")
    assert "{oops</textarea>" in wrong.text
    call_id = await person.run(server, "tool", "ask_form", arguments=typed)
    call = await api.json("GET", f"/calls/{call_id}")
    assert call["arguments"] == {"schema": {"type": "object", "properties": {}}, "message": "1"}


async def test_prompts_resources_and_templates_are_read_and_may_ask(api: Api, person: Person) -> None:
    server = await api.server("rounds")
    prompt = await person.run(server, "prompt", "asking_prompt", f0="tea")
    template = await person.run(server, "template", "ask://{topic}", f0="green tea")
    for call_id in (prompt, template):
        call = await api.json("GET", f"/calls/{call_id}")
        [request] = await api.pending_requests(call)
        await api.answer(request, action="accept", content={"name": "Ada"})
        await api.in_state(call, "done")
        assert "Ada" in await person.page(f"/calls/{call_id}")
    assert (await api.json("GET", f"/calls/{template}"))["name"] == "ask://green%20tea"


async def test_a_card_says_where_withheld_arguments_can_be_seen(api: Api, person: Person) -> None:
    call = await api.call("push", "ask_many", {"n": 1, "city": "Basel", "password": "hunter2"})
    [request] = await api.pending_requests(call)
    assert request["during"]["withheld"] == ["password"]
    article = card(await person.page(f"/requests/{request['id']}"), request)
    assert "&#34;city&#34;: &#34;Basel&#34;" in article
    assert "&#34;password&#34;: &#34;••••••••&#34;" in article
    assert "hunter2" not in article
    found = re.search(rf'href="(/calls/{call["id"]}\?show=arguments)#arguments-', article)
    assert found
    folded, unfolded = await person.page(f"/calls/{call['id']}"), await person.page(found[1])
    for page, is_open in ((folded, False), (unfolded, True)):
        arguments = page.partition(f'id="arguments-{call["id"]}"')[2].partition("</details>")[0]
        assert "hunter2" not in arguments.partition("<details")[0]
        assert "hunter2" in arguments
        assert ('<details class="preview" open>' in arguments) is is_open
    await api.answer(request, action="decline")
    await api.in_state(call, "done")
    assert "hunter2" not in await person.page(f"/calls/{call['id']}")


async def test_a_call_can_be_cancelled_and_run_again(api: Api, person: Person) -> None:
    call, request = await pending_request(api)
    await person.submit(f"/calls/{call['id']}/cancel")
    assert (await api.json("GET", f"/requests/{request['id']}"))["state"] != "pending"
    again = await person.submit(f"/calls/{call['id']}/retry")
    assert again.headers["location"] != f"/calls/{call['id']}"


@pytest.mark.slow
async def test_an_interrupted_request_has_one_way_to_ask_again(api: Api, person: Person) -> None:
    async with running() as asker:
        body = {"label": "soon gone", "transport": {"type": "http", "url": asker.address}, "era": "2025-11-25"}
        server = await api.json("POST", "/servers", 201, json=body)
        await api.json("POST", f"/servers/{server['id']}/connect", 202)
        [request] = await api.pending_requests(await api.call("soon gone", "ask_form"))
        path = f"/calls/{request['call_id']}"
        async with person.stream("GET", stream_of(await person.page(path))) as stream:
            await api.json("POST", f"/servers/{server['id']}/disconnect")
            assert (await until(messages(stream), f"{path}/retry")).count(f"{path}/retry") == 1
        assert (await person.page(path)).count(f"{path}/retry") == 1
        assert f"{path}/retry" in await person.page(f"/requests/{request['id']}")
        await api.delete(f"/servers/{server['id']}")
    page = await person.page(path)
    assert "soon gone (removed)" in page
    assert f"{path}/retry" not in page


async def test_a_server_is_added_shown_with_its_error_and_removed(person: Person) -> None:
    wrong = await person.submit("/servers", 422, label="", url="ftp://a.example", headers="oops")
    assert wrong.text.count('class="field__error"') == 2
    assert 'value="ftp://a.example"' in wrong.text
    away = {"label": "<b>mine</b>", "url": "http://127.0.0.1:9/mcp"}
    tried = await person.submit("/servers", 422, **away)
    assert 'data-reason="nothing_listens"' in tried.text
    assert 'value="&lt;b&gt;mine&lt;/b&gt;"' in tried.text
    added = await person.submit("/servers", 303, **away, save="anyway")
    path = added.headers["location"].partition("?")[0]
    page = await person.page(path)
    assert "&lt;b&gt;mine&lt;/b&gt;" in page
    assert "http://127.0.0.1:9/mcp" in page
    removal = await person.submit(f"{path}/delete", 409)
    assert f'action="{path}/delete"' in removal.text
    await person.page(path)
    await person.submit(f"{path}/delete", confirmed="1")
    await person.page(path, 404)


@pytest.mark.slow
async def test_a_server_is_reconnected_in_another_era(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with (
        program(tmp_path_factory.mktemp("era"), servers={"one": entry("asker")}) as own,
        own.client() as api,
        Person(own) as person,
    ):
        server = await api.server("one")
        await person.submit(f"/servers/{server}/disconnect")
        assert "Not connected. Connect the server to see its tools." in await person.page(f"/servers/{server}")
        await person.submit(f"/servers/{server}/connect")
        await api.server("one")
        await person.submit(f"/servers/{server}/era", era="2025-11-25")
        await api.server("one")
        assert "2025-11-25" in await person.page(f"/servers/{server}")


async def test_a_signed_out_browser_sees_no_page(served: Program) -> None:
    async with Person(served) as stranger:
        stranger.headers.pop("Authorization")
        for path in ("/", "/servers", "/calls", "/stream"):
            assert "cards" not in await stranger.page(path, 401)


async def test_the_first_page_is_at_most_48_kb_in_4_requests(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    # A program of its own: its page has five questions, however many the tests before this one left waiting.
    async with (
        program(tmp_path_factory.mktemp("weight"), servers={"push": entry("asker", era="2025-11-25")}) as own,
        own.client() as api,
        Person(own) as person,
    ):
        for _ in range(5):
            await pending_request(api, schema=SCHEMA)
        page = await person.get("/")
        assert page.text.count('class="request-row"') == 5
        assets = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
        weight = int(page.headers.get("content-length", 0))
        for path in assets:
            response = await person.get(path, headers={"Accept-Encoding": "gzip"})
            assert response.status_code == 200
            assert "immutable" in response.headers["cache-control"]
            weight += response.num_bytes_downloaded
    assert len(assets) == 3
    assert 10_000 < weight < 48_000
