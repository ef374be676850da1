"""The log as JSON: one object on each line, without anything that a server or a person wrote."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.mcp_servers import RunningServer, running
from tests.pages.person import Person
from tests.program import program
from webclient.support.log_lines import JsonLines, Quoted

pytestmark = pytest.mark.anyio

SECRET = "carnation"


def line(message: str, *arguments: object, name: str = "webclient.calls", error: Exception | None = None) -> str:
    """Return the line of a record."""
    exc_info = (type(error), error, error.__traceback__) if error else None
    return JsonLines().format(logging.LogRecord(name, logging.ERROR, "", 0, message, arguments, exc_info))


def test_a_line_says_when_where_and_what() -> None:
    written = json.loads(line("Call %s cannot resume", "id7"))
    assert written["message"] == "Call id7 cannot resume"
    assert (written["level"], written["logger"]) == ("error", "webclient.calls")
    assert written["time"].endswith("+00:00")


def test_an_error_is_written_as_its_type_and_place() -> None:
    try:
        int(SECRET)
    except ValueError as error:
        text = line("A call failed: %s", error, error=error)
    assert SECRET not in text
    written = json.loads(text)
    assert written["error"] == "ValueError"
    assert written["message"] == "A call failed: ValueError"
    assert written["at"][0].endswith("test_an_error_is_written_as_its_type_and_place")


def test_a_line_is_json_in_every_encoding() -> None:
    text = line("旅行 😀 %s", Quoted("x"))
    assert text.isascii()
    assert json.loads(text)["message"].startswith("旅行 😀")


def test_quoted_text_and_arguments_of_libraries_are_left_out() -> None:
    assert SECRET not in line("first: %r", Quoted(SECRET))
    assert SECRET not in line("HTTP Request: %s", f"https://x.example/?token={SECRET}", name="httpx2")


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """A server that writes the secret to its standard output, and fails with it."""
    path = tmp_path / "noisy.py"
    path.write_text(
        f"""
import sys
from mcp.server import MCPServer
print("{SECRET}", flush=True)
server = MCPServer("noisy")
@server.tool()
def fail(words: str) -> str:
    raise RuntimeError("{SECRET}" + words)
server.run()
""",
        "utf-8",
    )
    return path


@pytest.fixture
async def asker() -> AsyncIterator[RunningServer]:
    """A server that asks."""
    async with running() as asker:
        yield asker


async def test_a_dialogue_leaves_no_content_in_the_log(tmp_path: Path, asker: RunningServer, noisy: Path) -> None:
    log = tmp_path / "log"
    servers = {
        "asking": {"url": f"{asker.address}?key={SECRET}"},
        "noisy": {"command": sys.executable, "args": [str(noisy)]},
    }
    redirected = ["sh", "-c", 'log=$1; shift; exec "$@" 2>"$log"', "sh", str(log)]
    async with program(tmp_path, servers=servers, options=["--log-format", "json"], under=redirected) as served:
        async with served.client() as api, Person(served) as person:
            failing = await api.call("noisy", "fail", {"words": SECRET})
            await api.in_state(failing, "done", "failed")
            call = await api.call("asking", "ask_form")
            [request] = await api.pending_requests(call)
            await person.get(f"/history?q={SECRET}")
            await api.answer(request, action="accept", content={"name": SECRET})
            answered = await api.in_state(call, "done")
            assert SECRET in str(answered["result"])
        token = served.token
    text = log.read_text("utf-8")
    assert SECRET not in text
    assert token not in text
    lines = [json.loads(each) for each in text.splitlines()]
    assert {"logger": "webclient.protocol.transports.stdout_messages"}.items() <= next(
        each.items() for each in lines if each["level"] == "warning"
    )
    requests = [each for each in lines if "route" in each]
    assert {"/history", "/api/v1/requests/{request_id}/answer"} <= {each["route"] for each in requests}
    assert all(each["status"] < 500 and each["milliseconds"] >= 0 for each in requests)
