"""Instructions and results of a server that returns anything, on the pages."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import entry
from tests.pages.person import Person, messages, stream_of, until
from tests.pictures.made import pixels
from tests.program import Api, Program, program
from webclient.content.pictures import PictureRefusal
from webclient.domain.model import Json
from webclient.web.pages.calls.content_pages import why

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(tmp_path_factory.mktemp("results"), servers={"plain": entry("plain")}) as served:
        yield served


@pytest.mark.slow
async def test_instructions_stand_quoted_above_the_tools(api: Api, person: Person) -> None:
    page = await person.page(f"/servers/{await api.server('plain')}")
    assert page.index("Then &lt;b&gt;offer&lt;/b&gt;.") < page.index('id="catalog-tool"')


async def test_a_tool_with_a_line_break_in_its_name_runs(api: Api, person: Person) -> None:
    server = await api.server("plain")
    [path] = re.findall(r'href="([^"]+\?entry=[^"]+)"', await person.page(f"/servers/{server}"))
    assert 'name="name_json" value="&#34;two\\nlines&#34;"' in await person.page(path)
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
        assert "/tools/brand_new" in await until(messages(stream), "brand_new")


async def given(api: Api, result: Json) -> Json:
    """Have the server return this result, and return the call."""
    return await api.in_state(await api.call("plain", "give", {"result": result}), "done")


async def test_a_result_is_served_block_by_block_and_never_as_it_came(api: Api, person: Person) -> None:
    bomb = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    blocks = [
        {"type": "image", "mimeType": "image/png", "data": _base64(pixels("PNG"))},
        {"type": "image", "mimeType": "image/svg+xml", "data": _base64(bomb)},
        {"type": "image", "mimeType": "image/png", "data": _base64(b"not a picture")},
        {"type": "audio", "mimeType": "audio/wav", "data": _base64(b"RIFF")},
        {"type": "resource", "resource": {"uri": "x:/a/t.csv", "mimeType": "text/csv", "blob": _base64(b"a,b\n1,<i>")}},
        {"type": "resource", "resource": {"uri": "x:/a/doc.html", "mimeType": "text/html", "text": "<script>"}},
        {"type": "resource_link", "uri": "x:/unlisted", "name": "Unlisted"},
    ]
    call = await given(api, {"content": blocks})
    path = f"/calls/{call['id']}"
    page = await person.page(path)
    assert "data:" not in page.partition("<main")[2].partition("Raw response")[0]
    assert '<td dir="auto" lang="">&lt;i&gt;</td>' in page
    for number, media_type in ((0, "image/png"), (1, "image/png")):
        picture = await person.get(f"{path}/contents/{number}/picture")
        assert picture.headers["content-type"] == media_type
        assert picture.content.startswith(b"\x89PNG")
    refused = await person.get(f"{path}/contents/2/picture")
    assert (refused.status_code, refused.text) == (422, why(PictureRefusal.UNREADABLE))
    assert (await person.get(f"{path}/contents/3/sound")).headers["content-type"] == "audio/wav"
    html = await person.get(f"{path}/contents/5/download")
    assert html.headers["content-type"] == "application/octet-stream"
    assert html.headers["content-disposition"] == "attachment; filename*=UTF-8''doc.html"
    assert html.content == b"<script>"
    whole = await person.get(f"{path}/result.json")
    assert whole.json() == {"content": blocks}
    for wrong in ("0/sound", "3/picture", "6/download", "99/picture", "-1/picture"):
        await person.page(f"{path}/contents/{wrong}", 404)


async def test_a_resource_link_is_read_as_a_call_of_its_own(api: Api, person: Person) -> None:
    """MCP 2025-11-25, Tools, Resource Links: they need not be among the resources that are listed."""
    call = await given(api, {"content": [{"type": "resource_link", "uri": "x:/unlisted", "name": "Unlisted"}]})
    read = await person.submit(f"/calls/{call['id']}/contents/0/read")
    done = await api.in_state(await api.json("GET", read.headers["location"]), "done")
    assert done["result"]["contents"][0]["text"] == "This is x:/unlisted"
    await person.submit(f"/calls/{call['id']}/contents/1/read", 404)


async def test_an_icon_is_redrawn_and_gone_when_replaced(api: Api, person: Person) -> None:
    server = await api.server("plain")
    page = await person.page(f"/servers/{server}")
    [source] = re.findall(rf'src="(/servers/{server}/icons/[^"]+)"', page)
    picture = await person.get(source)
    assert picture.headers["content-type"] == "image/png"
    for wrong in ("tool-0?of=0", "tool-99?of=0", "tool-x", "dance-1", "tool-0"):
        await person.page(f"/servers/{server}/icons/{wrong}", 404)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


async def test_log_messages_come_to_an_open_page_and_stay(api: Api, person: Person) -> None:
    call = await api.call("plain", "say", {"messages": [{"level": "error", "logger": "db", "data": "<b>no\u202e</b>"}]})
    path = f"/calls/{call['id']}"
    page = await person.page(path)
    async with person.stream("GET", stream_of(page)) as stream:
        if "no⟦U+202E⟧" not in page:
            assert f'hx-target="#call-log-{call["id"]}"' in await until(messages(stream), "no⟦U+202E⟧")
    page = await person.page(path)
    assert "&lt;b&gt;no⟦U+202E⟧&lt;/b&gt;" in page
    assert "log__entry--grave" in page
    log = await api.json("GET", f"/calls/{call['id']}/log")
    [entry] = log["entries"]
    assert (entry["level"], entry["logger"], entry["text"], log["omitted"]) == ("error", "db", "<b>no\u202e</b>", 0)
    await api.json("GET", "/calls/none/log", 404)


async def test_a_failed_tool_is_shown_as_failed_everywhere(api: Api, person: Person) -> None:
    call = await given(api, {"content": [], "isError": True})
    place = re.compile(rf'id="(call|entry|call-head)-{call["id"]}".*?</(summary|a|section)>', re.DOTALL)
    for path in ("/calls", "/calls?state=failed", "/history", f"/calls/{call['id']}"):
        shown = place.search(await person.page(path))
        assert shown, path
        assert re.findall(r'data-status="(\w+)"', shown[0]) == ["failed"]
