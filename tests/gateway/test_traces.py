"""Traces go from agents and other programs to servers, in both eras of agents; an invalid trace is dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.agents import by_hand, token
from tests.gateway.houses import house
from tests.mcp_servers import entry
from webclient.domain.model import Era, Json, read_trace

pytestmark = pytest.mark.anyio

GIVEN = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "rojo=1"}
OTHER = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"}
HOSTILE: Json = {"traceparent": "00-1\r\nX-Evil: 1", "tracestate": "rojo=1"}


def trace_in(result: Json) -> Json:
    """Return the trace that the server got with a request, from its echo."""
    meta = result["echo"]["params"].get("_meta", {})
    return {key: value for key, value in meta.items() if key.startswith("trace")}


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_the_trace_of_an_agent_goes_to_the_server(tmp_path: Path, era: Era) -> None:
    async with (
        house(tmp_path, echoing=entry("echoing")) as (running, api),
        by_hand(running, await token(api), "echoing", era) as agent,
    ):
        await agent.begin()

        async def sent(method: str, meta: Json, *, n: int) -> Json:
            """Return the trace that comes of this `_meta`; equal calls would be one."""
            return trace_in(await agent.result(method, {"name": "echo", "arguments": {"n": str(n)}, "_meta": meta}))

        for method in ("tools/call", "prompts/get", "vendor/unknown"):
            assert await sent(method, GIVEN, n=1) == GIVEN
        # An invalid one is dropped: a call begins its own one then.
        assert await sent("vendor/unknown", HOSTILE, n=1) == {}
        begun = await sent("tools/call", HOSTILE, n=2)
        assert read_trace(begun)
        assert begun.keys() == {"traceparent"}
        # That of the message is nearer to the call than that of the HTTP request.
        agent.http.headers.update(OTHER)
        for method in ("tools/call", "vendor/unknown"):
            assert await sent(method, {}, n=3) == OTHER
            assert await sent(method, GIVEN, n=4) == GIVEN
            assert await sent(method, HOSTILE, n=5) == OTHER


async def test_a_call_of_a_program_has_its_trace_or_a_new_one(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing")) as (_running, api):
        server_id = await api.server("echoing")

        async def sent(headers: Json, path: str = "/calls") -> Json:
            body = {"server_id": server_id, "kind": "tool", "name": "echo", "arguments": {}}
            call = await api.json("POST", path, 202, json=body if path == "/calls" else None, headers=headers)
            ids.append(call["id"])
            return trace_in((await api.in_state(call, "done"))["result"])

        ids: list[str] = []
        assert await sent(GIVEN) == GIVEN
        own = [await sent(headers) for headers in ({}, HOSTILE | {"traceparent": "00-1"})]
        again = await sent({}, f"/calls/{ids[0]}/retry")
        traces = [read_trace(each) for each in (*own, again, GIVEN)]
        assert len({each.trace_id for each in traces if each}) == 4
        assert await sent(OTHER, f"/calls/{ids[0]}/retry") == OTHER
        logged = (await api.get(f"/calls/{ids[0]}/log.jsonl")).text
        assert GIVEN["traceparent"] in logged
        assert GIVEN["tracestate"] in logged
