"""A page of any kind has no English text when the language of its reader is another one."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.house import TOKEN, config, settings
from tests.mcp_servers import stdio
from tests.pseudo_language import Pseudo, untranslated
from webclient.domain.languages import LANGUAGES
from webclient.domain.model import Era, Json
from webclient.runtime.app import create_app
from webclient.web.http import language as http_language

pytestmark = pytest.mark.anyio

SAME = (
    "mcp-webclient",
    "HTTP+SSE",
    "UTC",
    "JSON Lines",
    "JSON",
    "MCP",
    "OAuth",
    "SSE",
    "HTTP",
    "URL",
    *LANGUAGES.values(),
)
"""Names that are the same in every language."""

OF_SERVERS = (
    "tools",
    "prompts",
    "resources",
    "resource_templates",
    "params",
    "arguments",
    "result",
    "server_info",
    "name",
)
"""Members of answers of the API with what a server wrote."""

METHODS: tuple[str, ...] = ("initialize", "notifications/initialized", "tools/list", "tools/call", "prompts/list")
METHODS += ("resources/list", "resources/templates/list", "elicitation/create", "server/discover", "ping")
METHODS += ("subscriptions/listen", "notifications/subscriptions/acknowledged")
"""Methods of MCP, which the log of a server names."""

URL = "https://evil.example.com@accounts.example.net:8443/x?next=https://other.example/"
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 3, "maxLength": 9, "title": "§1"},
        "mail": {"type": "string", "format": "email", "title": "§2"},
        "when": {"type": "string", "format": "date-time", "title": "§3"},
        "n": {"type": "integer", "minimum": 1, "maximum": 5, "title": "§4"},
        "sure": {"type": "boolean", "title": "§5"},
        "one": {"type": "string", "enum": ["§6", "§7"], "title": "§8"},
        "many": {"type": "array", "items": {"type": "string", "enum": ["§9", "§10"]}, "minItems": 1, "title": "§11"},
        "password": {"type": "string", "title": "password"},
        "group": {"type": "object", "title": "§12"},
    },
    "required": ["name", "n"],
}


@pytest.fixture(autouse=True)
def pseudo(monkeypatch: pytest.MonkeyPatch) -> Pseudo:
    """Everything is translated into the language of these tests."""
    pseudo = Pseudo()
    monkeypatch.setattr(http_language, "translations", lambda _tag: pseudo)
    return pseudo


class Reader(httpx2.AsyncClient):
    """A person who looks at pages, and remembers what came from servers."""

    data: set[str]
    found: dict[str, set[str]]

    async def json(self, method: str, path: str, **options: Any) -> Any:
        """Return an answer of the API; what servers wrote in it is data."""
        response = await self.request(method, f"/api/v1{path}", **options)
        assert response.is_success, response.text
        self.data |= set(_of_servers(response.json()))
        return response.json()

    async def check(self, path: str, status: int = 200, **form: Any) -> None:
        """Look at a page, and keep the texts on it that are not translated."""
        headers = {"Accept": "text/html"}
        response = await (self.post(path, data=form, headers=headers) if form else self.get(path, headers=headers))
        assert response.status_code == status, response.text
        if path.endswith("/log"):
            # Read after the page, so that it has each of the page's messages.
            lines = (await self.get(f"/api/v1{path}.jsonl")).text.splitlines()
            self.data |= {str(json.loads(line).get("id")) for line in lines}
        if found := untranslated(response.text, {*self.data, *SAME, *METHODS}):
            self.found[path] = found


def _texts(value: Any, inside: str = "") -> Iterator[str]:
    """Yield the texts in what came from a server, and the names of properties."""
    match value:
        case str():
            yield from [value, *value.splitlines()]
        case dict():
            for key, each in value.items():
                if inside in {"properties", "arguments"}:
                    yield key
                yield from _texts(each, key)
        case list():
            for each in value:
                yield from _texts(each)


def _of_servers(answer: Json) -> Iterator[str]:
    """Yield the texts of an answer of the API that are not ours."""
    for key, value in answer.items():
        if key in OF_SERVERS:
            yield from _texts({key: value})
        elif isinstance(value, dict | list):
            for each in [value] if isinstance(value, dict) else value:
                yield from _of_servers(each) if isinstance(each, dict) else ()


@pytest.fixture
async def reader(tmp_path: Path) -> AsyncIterator[Reader]:
    """A person at a program with servers of both eras, and a missing one."""
    servers = [
        config("§push", stdio("asker"), Era.PUSH),
        config("§rounds", stdio("asker"), Era.ROUNDS),
        config("§none", {"type": "http", "url": "http://127.0.0.1:9/mcp", "headers": {}}),
    ]
    app = create_app(settings(tmp_path), servers, guided=True)
    transport = httpx2.ASGITransport(app=app)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        app.router.lifespan_context(app),
        Reader(transport=transport, base_url="http://127.0.0.1", headers=bearer) as reader,
    ):
        reader.data = {
            # Levels of log messages, by the names that MCP and syslog have for them.
            *("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"),
            "push",
            "rounds",
            "none",
            "http://127.0.0.1:9/mcp",
            "http://127.0.0.1:8000/mcp",
            "stdio: python",
            "python",
            "ask",
            "need",
        }
        reader.found = {}
        yield reader


async def _servers(reader: Reader) -> dict[str, str]:
    """Wait until each server is connected or has failed; return their ids by label."""
    while True:
        servers = (await reader.json("GET", "/servers"))["servers"]
        if {each["state"] for each in servers} <= {"connected", "error"}:
            return {each["label"]: each["id"] for each in servers}


async def _call(reader: Reader, server: str, name: str, state: str, **arguments: Any) -> Json:
    body = {"server_id": server, "kind": "tool", "name": name, "arguments": arguments}
    call: Json = await reader.json("POST", "/calls", json=body)
    while call["state"] != state:
        call = await reader.json("GET", f"/calls/{call['id']}", params={"wait": 30})
    return call


async def _request(reader: Reader, call: Json) -> Json:
    found: list[Json] = (await reader.json("GET", "/requests", params={"call_id": call["id"]}))["requests"]
    return found[0]


@pytest.mark.slow
async def test_no_page_shows_untranslated_text(reader: Reader) -> None:
    await reader.check("/")
    await reader.check("/login")
    await reader.check("/no-such-page", 404)
    servers = await _servers(reader)
    for id_ in servers.values():
        await reader.json("GET", f"/servers/{id_}")
        if id_ != servers["§none"]:
            for kind in ("tools", "prompts", "resources", "resource-templates"):
                await reader.json("GET", f"/servers/{id_}/{kind}")
        for tab in ("", "/prompts", "/resources", "/permissions", "/settings", "/log"):
            await reader.check(f"/servers/{id_}{tab}")
    await reader.check("/servers")
    form = await _call(reader, servers["§push"], "ask_form", "input_required", schema=SCHEMA, message="§?")
    link = await _call(reader, servers["§rounds"], "ask_url", "input_required", url=URL, message="§!")
    await _call(reader, servers["§push"], "fail", "done")
    await _call(reader, servers["§push"], "structured", "done")
    reader.data |= {
        "content-1.json",
        "accounts",
        "evil.example.com",
        "accounts.example.net",
        "other.example",
        "example.net",
        "password",
    }
    for call in (form, link):
        await reader.check(f"/calls/{call['id']}")
        request = await _request(reader, call)
        await reader.check(f"/requests/{request['id']}")
    await reader.check("/")
    await reader.check("/calls")
    settled = await _request(reader, form)
    await reader.check(f"/requests/{settled['id']}", 422, action="accept", name="x", n="9")
    await reader.json("POST", f"/requests/{settled['id']}/answer", json={"action": "decline"})
    await reader.check(f"/requests/{settled['id']}")
    await reader.check(f"/calls/{form['id']}")
    await reader.check("/history")
    await reader.check("/history?from=x", 422)
    await reader.check("/demo")
    await reader.check("/")
    assert reader.found == {}


def test_a_text_in_english_is_found() -> None:
    assert untranslated("<p>Ｈｅｌｌｏ Ada</p><p title='No'>x</p>", {"Ada"}) == {"No"}
    assert re.search("[a-z]", Pseudo().gettext("a {name} b")) is not None
