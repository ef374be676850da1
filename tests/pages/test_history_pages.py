"""The history page without JavaScript, and the same through the API, against the real program."""

from __future__ import annotations

import html
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from tests.mcp_servers import running
from tests.pages.person import Person, stream_of
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {name: {"url": asker.address, "era": "2025-11-25"} for name in ("one", "two")}
        async with program(tmp_path_factory.mktemp("history"), servers=servers) as served:
            yield served


async def answered(api: Api, message: str, action: str = "accept", label: str = "one") -> tuple[Json, Json]:
    """Have a question asked and answered through the API; return the call, ended, and the request."""
    call = await api.call(label, "ask_form", {"message": message, "schema": {"type": "object", "properties": {}}})
    [request] = await api.pending_requests(call)
    settled = await api.answer(request, action=action)
    return await api.in_state(call, "done"), settled


def entries(page: str) -> list[str]:
    """Return the entries of a page as words, without their markup."""
    found = re.findall(r'<details class="entry".*?</details>\s*(?=<details class="entry"|</section>)', page, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", each)).split()) for each in found]


@pytest.mark.slow
async def test_an_entry_has_server_call_answer_time_and_delivery(api: Api, person: Person) -> None:
    call = await api.call("one", "ask_form", {"message": "Your <b>name</b>?"})
    [request] = await api.pending_requests(call)
    await person.submit(f"/requests/{request['id']}", action="accept", f0="Ada")
    await api.in_state(call, "done")
    page = await person.page("/history?type=request&q=%3Cb%3Ename")
    [entry] = entries(page)
    for words in (
        "http://127.0.0.1",
        "Says it is “ Asker ”",
        "ask_form",
        "Your <b>name</b>?",
        '{ "name": "Ada" }',
        "Outcome Answered here · Delivered",
        "UTC , after",
    ):
        assert words in entry
    assert f'href="/requests/{request["id"]}"' in page
    assert f'href="/calls/{call["id"]}"' in page


async def test_an_entry_of_a_link_says_where_it_was_opened_and_ended(api: Api, person: Person) -> None:
    said = {
        "finished": "Outcome Finished here · Delivered",
        "give-up": "Outcome Stopped waiting · Delivered",
    }
    for way, words in said.items():
        call = await api.call("one", "ask_url", {"url": "https://example.com/", "message": f"Opened, {way}"})
        [request] = await api.pending_requests(call)
        await api.answer(request, action="accept")
        await api.in_state(call, "done")
        [entry] = entries(await person.page(f"/history?type=request&q=opened+{way}"))
        assert "Outcome Link opened, not finished · Delivered Opened from API" in entry
        await person.submit(f"/requests/{request['id']}/{way}")
        for via in ("page", "api"):
            [entry] = entries(await person.page(f"/history?type=request&q=opened+{way}&via={via}"))
            assert f"{words} Opened from API" in entry
        listed = await api.json("GET", f"/requests/{request['id']}")
        assert (listed["via"], listed["ended_via"]) == ("api", "page")


async def test_a_call_is_listed_with_arguments_and_can_be_run_again(api: Api, person: Person) -> None:
    call = await api.in_state(await api.call("one", "structured", {"city": "Historyville"}), "done")
    page = await person.page("/history?type=call&q=structured")
    [entry] = entries(page)
    for words in ("structured Completed", "one · city: Historyville", "Started from API", "Run again"):
        assert words in entry
    again = await person.submit(f"/calls/{call['id']}/retry")
    repeated = await api.json("GET", f"/api/v1{again.headers['location']}".removeprefix("/api/v1"))
    assert (repeated["arguments"], repeated["via"]) == ({"city": "Historyville"}, "page")


@pytest.mark.slow
async def test_filters_and_pages_are_in_the_address(api: Api, person: Person) -> None:
    for n in range(51):
        await answered(api, f"Paged {n}", "decline", "two")
    first = await person.page("/history?q=paged&state=declined&type=request")
    assert len(entries(first)) == 50
    assert "Paged 50" in entries(first)[0]
    [older] = re.findall(r'href="([^"]+)" rel="next"', first)
    second = await person.page(html.unescape(older))
    assert [entry for entry in entries(second) if entry.startswith("Paged 0 Declined")] == entries(second)
    assert entries(await person.page("/history?q=paged&state=accepted")) == []
    assert "No matches for “paged”." in await person.page("/history?q=paged&state=accepted")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("from=yesterday", "“yesterday” is not a date"),
        ("to=2026-02-30", "“2026-02-30” is not a date"),
        ("state=%3Cscript%3E", "Unknown value “&lt;script&gt;”"),
        ("type=x", "Unknown value “x”"),
        ("via=x", "Unknown value “x”"),
        ("before=x", "Invalid cursor"),
    ],
)
async def test_an_invalid_search_is_explained_and_stays_to_be_fixed(person: Person, query: str, said: str) -> None:
    page = await person.page(f"/history?q=kept&{query}", 422)
    assert said in page
    assert ('value="kept"' in page) is not query.startswith("before")


async def test_removed_servers_can_be_chosen_by_their_last_label(api: Api, person: Person) -> None:
    async with running() as asker:
        body = {"label": "Soon <gone>", "transport": {"type": "http", "url": asker.address}, "era": "2025-11-25"}
        added = await api.json("POST", "/servers", 201, json=body)
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        await answered(api, "Before it went", label="Soon <gone>")
        await api.delete(f"/servers/{added['id']}")
    page = await person.page("/history")
    assert f'<option value="{added["id"]}">Soon &lt;gone&gt; (removed)</option>' in page
    chosen = await person.page(f"/history?server_id={added['id']}&type=request")
    assert f'<option value="{added["id"]}" selected>Soon &lt;gone&gt; (removed)</option>' in chosen
    [entry] = entries(chosen)
    assert "Before it went" in entry
    assert '<option value="x" selected>Unknown server</option>' in await person.page("/history?server_id=x")


async def test_the_api_lists_the_same_in_pages_with_a_cursor(api: Api) -> None:
    calls = [await answered(api, f"Listed {n}") for n in range(3)]
    newest = [request["id"] for _, request in reversed(calls)]
    page = await api.json("GET", "/history", params={"q": "listed", "type": "request", "limit": 2})
    assert [(entry["type"], entry["id"]) for entry in page["entries"]] == [("request", id_) for id_ in newest[:2]]
    rest = await api.json(
        "GET", "/history", params={"q": "listed", "type": "request", "limit": 2, "before": page["next"]}
    )
    assert [entry["id"] for entry in rest["entries"]] == newest[2:]
    assert "next" not in rest
    [entry] = rest["entries"]
    assert (entry["via"], entry["server_label"], entry["during"]["name"]) == ("api", "one", "ask_form")
    problem = await api.json("GET", "/history", 422, params={"before": "x"})
    assert "before" in problem["errors"]


async def test_the_whole_history_downloads_as_json_lines(api: Api, person: Person) -> None:
    _, request = await answered(api, "Downloaded\nin two lines")
    page = await person.page("/history?type=request&q=downloaded")
    [link] = re.findall(r'href="([^"]+)" download', page)
    exported = await person.get(html.unescape(link))
    assert exported.headers["content-type"] == "application/jsonl"
    assert 'attachment; filename="history.jsonl"' in exported.headers["content-disposition"]
    [line] = exported.text.splitlines()
    listed = await api.json("GET", f"/requests/{request['id']}")
    assert json.loads(line) == {"type": "request"} | listed
    everything = [json.loads(line) for line in (await api.get("/history.jsonl")).text.splitlines()]
    assert {entry["type"] for entry in everything} == {"request", "call"}


NO_ZONES = ("Foo%2FBar", "%00", "CET%00", "Asia", "..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Flocaltime", "x" * 10_000)


@pytest.mark.parametrize("cookie", NO_ZONES)
async def test_a_cookie_without_a_zone_means_utc(api: Api, person: Person, cookie: str) -> None:
    await answered(api, "In which zone?")
    person.headers["Cookie"] = f"time_zone={cookie}"
    for path in ("/history", "/history?from=2026-01-01&to=9999-12-31"):
        assert "In which zone?" in await person.page(path)
        async with person.stream("GET", stream_of(await person.page(path))) as stream:
            assert stream.status_code == 200
    assert 'value="UTC"' in await person.page("/notifications")


@pytest.mark.parametrize("zone", ["Asia/Calcutta", "Europe/Kiev"])
async def test_old_names_of_zones_from_browsers_count(person: Person, zone: str) -> None:
    person.headers["Cookie"] = f"time_zone={zone.replace('/', '%2F')}"
    await person.page("/history")
    assert f'value="{zone}"' in await person.page("/notifications")


def summaries(page: str) -> set[str]:
    """Return the lines of the entries of a page, with their marks; those of a call stand on its question as well."""
    found = re.findall(r'<span class="entry__line">(.*?)</span>\s*<span class="small muted">', page, re.DOTALL)
    return {" ".join(re.sub(r"<(?!/?mark)[^>]+>", " ", each).split()) for each in found}


async def test_an_entry_has_question_and_answer_with_marks(api: Api, person: Person) -> None:
    call = await api.call("one", "ask_form", {"message": "Whose <parcel> is it?"})
    [request] = await api.pending_requests(call)
    await person.submit(f"/requests/{request['id']}", action="accept", f0="Ada & Bob")
    await api.in_state(call, "done")
    for kind in ("request", ""):
        page = await person.page(f"/history?type={kind}&q=PARCEL+bob")
        assert summaries(page) == {"Whose &lt;<mark>parcel</mark>&gt; is it? Ada &amp; <mark>Bob</mark>"}


async def test_my_answers_are_a_link_away_and_back(api: Api, person: Person) -> None:
    schema = {"type": "object", "properties": {}}
    for message in ("Only mine?", "Only of a program?"):
        call = await api.call("two", "ask_form", {"message": message, "schema": schema})
        [request] = await api.pending_requests(call)
        if message == "Only mine?":
            await person.submit(f"/requests/{request['id']}", action="accept")
        else:
            await api.answer(request, action="accept")
        await api.in_state(call, "done")
    everything = await person.page("/history?q=only")
    mine = await person.page(f"/history?{chips(everything)['mine=true']}")
    assert [len(summaries(each)) for each in (everything, mine)] == [2, 1]
    assert "Only</mark> mine?" in mine
    assert chips(mine)["q=only"] == "q=only"
    assert 'aria-current="true"' in mine
    today = datetime.now(UTC).date().isoformat()
    assert len(summaries(await person.page(f"/history?{chips(everything)[f'from={today}']}"))) == 2
    assert summaries(await person.page("/history?q=only&to=2020-01-01")) == set()


def chips(page: str) -> dict[str, str]:
    """Return the queries of the chips by the last filter in each."""
    queries = map(html.unescape, re.findall(r'<a class="chip" href="/history\?([^"]*)"', page))
    return {query.rpartition("&")[2]: query for query in queries}
