"""Arguments of a tool that are repeated in HTTP headers (MCP 2026-07-28, Tools, x-mcp-header)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocol.scripted import DONE, RESULT, Stream, plain, scripted
from webclient.domain.model import Action, CallState, Era, Json, ReasonCode
from webclient.protocol.messages.param_headers import ParamHeaders, has_invalid_headers

pytestmark = pytest.mark.anyio


def tool(name: str, header: object = "Region", kind: str = "string") -> Json:
    schema = {"type": "object", "properties": {"region": {"type": kind, "x-mcp-header": header}}}
    return {"name": name, "inputSchema": schema}


def test_only_calls_of_listed_tools_have_headers() -> None:
    headers = ParamHeaders()
    headers.note([tool("work"), {"name": "plain", "inputSchema": {"type": "object"}}])

    def of(name: str, arguments: Json | None, method: str = "tools/call") -> dict[str, str]:
        return headers.of({"method": method, "params": {"name": name, "arguments": arguments}})

    assert of("work", {"region": "eu"}) == {"Mcp-Param-Region": "eu"}
    assert of("work", {}) == of("work", None) == of("plain", {"region": "eu"}) == of("unknown", {"region": "eu"}) == {}
    assert of("work", {"region": "eu"}, "prompts/get") == {}


@pytest.mark.parametrize(
    ("one", "invalid"),
    [
        (tool("fine"), False),
        (tool("empty", ""), True),
        (tool("spaced", "My Region"), True),
        (tool("number", 7), True),
        (tool("an array", kind="array"), True),
        ({"name": "without"}, False),
        (7, False),
    ],
)
def test_tools_with_invalid_headers_are_recognised(one: object, invalid: bool) -> None:
    assert has_invalid_headers(one) is invalid


async def test_tools_with_invalid_headers_are_left_out_and_named(tmp_path: Path) -> None:
    """MCP 2026-07-28, Tools: clients MUST reject tool definitions with an invalid `x-mcp-header`."""

    async def on_call(_stream: Stream) -> None:
        raise AssertionError("a rejected tool is not called")

    pages = [[tool("good"), tool("bad", "not a token")]]
    async with scripted(tmp_path, on_call, Era.ROUNDS, pages) as (_server, rooms):
        catalog = await rooms.services.connections.catalog(await rooms.connected("it"))
        assert [each["name"] for each in catalog.tools] == ["good"]
        assert ["bad" in str(note.params) for note in catalog.notes] == [True]


async def test_calls_have_the_headers_of_a_tool_on_any_page(tmp_path: Path) -> None:
    """Also after a new session, in which nothing was listed."""
    received: list[str | None] = []

    async def on_call(stream: Stream) -> None:
        received.append(stream.headers.get("mcp-param-region"))
        result = {"jsonrpc": "2.0", "id": stream.message["id"], "result": DONE | RESULT}
        await plain(stream.writer, 200, result)

    pages = [[tool("first")], [tool("second")]]
    async with scripted(tmp_path, on_call, Era.ROUNDS, pages) as (_server, rooms):
        for name in ("second", "first"):
            await rooms.ended(await rooms.call("it", name, {"region": name}))
    assert received == ["second", "first"]


async def test_a_session_that_ends_before_the_list_ends_the_call(tmp_path: Path) -> None:
    async def on_call(_stream: Stream) -> None:
        raise AssertionError("nothing is sent in a session that has ended")

    async with scripted(tmp_path, on_call, Era.ROUNDS) as (server, rooms):
        server.lists_nothing = True
        call = await rooms.call("it", "work")
        await server.list_requested.wait()
        await rooms.services.connections.disconnect(await rooms.server("it"))
        ended = await rooms.ended(call)
        assert ended.reason_code is not ReasonCode.INTERNAL_ERROR


async def test_an_answer_survives_a_change_of_the_headers(tmp_path: Path) -> None:
    """The server refuses the first attempt with -32020; the tool is listed again, and the answer sent again."""
    elicitation = {"mode": "form", "message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}
    seen: list[tuple[str | None, bool]] = []

    async def on_call(stream: Stream) -> None:
        params, region = stream.message["params"], stream.headers.get("mcp-param-zone")
        answered = "inputResponses" in params
        seen.append((region, answered))
        message: Json = {"jsonrpc": "2.0", "id": stream.message["id"]}
        if not answered:
            result: Json = {"resultType": "input_required", "requestState": "s"}
            result["inputRequests"] = {"q": {"method": "elicitation/create", "params": elicitation}}
            server.pages = [[tool("work", "Zone")]]
            await plain(stream.writer, 200, message | {"result": result})
        elif region is None:
            await plain(stream.writer, 400, message | {"error": {"code": -32020, "message": "Header mismatch"}})
        else:
            await plain(stream.writer, 200, message | {"result": DONE | RESULT})

    async with scripted(tmp_path, on_call, Era.ROUNDS, [[tool("work")]]) as (server, rooms):
        call = await rooms.call("it", "work", {"region": "eu"})
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {})
        assert (await rooms.ended(call)).state is CallState.DONE
    assert seen == [(None, False), (None, True), ("eu", True)]
