"""One trace leads from an agent's call through the inbox to the server and back, in a collector's spans."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanContext

from tests.gateway.agents import connected, token
from tests.gateway.houses import house, open_requests
from tests.mcp_servers import STATE_KEY, entry
from tests.program import program
from tests.receiver import Receiver, receiving
from tests.spans.collector import path_of, spans_in, spans_of
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

OURS, SECRET = "mcp-webclient", "Ann the unknown"

TRACE_ID = "a" * 32


def traced(era: Era, port: int) -> Json:
    """Return the entry of a server that exports spans to the collector at this port."""
    exported = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"}
    return {"asker": entry("traced", "--state-key", STATE_KEY, era=era.value, env=exported)}


@pytest.fixture
async def collector(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Receiver]:
    """Run a collector to which programs that start now export their spans."""
    async with receiving(200) as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{receiver.port}")
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        yield receiver


OUR_CALL = [f"{OURS}: tools/call ask_form", f"{OURS}: call"]
OUR_ROUND = [*OUR_CALL, f"{OURS}: tools/call ask_form"]


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_agents_call_is_one_trace_with_its_question(tmp_path: Path, collector: Receiver, era: Era) -> None:
    rounds = 2 if era is Era.ROUNDS else 1
    paths = [
        OUR_CALL[:1],
        OUR_CALL,
        [*OUR_CALL, f"{OURS}: question"],
        [*OUR_CALL, f"{OURS}: question", f"{OURS}: delivery"],
        *rounds * [OUR_ROUND, [*OUR_ROUND, "asker: tools/call ask_form"]],
        *([[*OUR_ROUND, "asker: tools/call ask_form", "asker: MCP send elicitation/create"]] if rounds == 1 else []),
    ]
    async with (
        house(tmp_path, **traced(era, collector.port)) as (running, api),
        connected(running.base, await token(api), "asker", era) as agent,
    ):
        # So the SDK of the agent does not list them within its span.
        await agent.list_tools()
        with TracerProvider().get_tracer("agent").start_as_current_span("work") as work:
            async with asyncio.TaskGroup() as tasks:
                calling = tasks.create_task(agent.call_tool("ask_form", {}))
                (request,) = await open_requests(api)
                await asyncio.sleep(0.3)
                await api.answer(request, action="accept", content={"name": SECRET})
        assert calling.result().structured_content == {"action": "accept", "content": {"name": SECRET}}
        trace_id, parent_id = _ids(work.get_span_context())
        spans = await spans_of(collector, trace_id, len(paths))
    assert sorted(path_of(each, spans) for each in spans) == sorted(paths)
    (first,) = [each for each in spans if path_of(each, spans) == OUR_CALL[:1]]
    assert first.parent_id == parent_id
    by_name = {each.name: each for each in spans if each.service == OURS}
    assert by_name["question"].seconds >= 0.3
    assert by_name["question"].attributes["mcp_webclient.request.id"] == request["id"]
    assert by_name["call"].attributes["mcp_webclient.call.id"] == request["call_id"]
    assert by_name["delivery"].attributes["mcp_webclient.delivery"] == "delivered"
    assert not any(each.failed for each in spans)
    ours = [post.body for post in collector.all if OURS.encode() in post.body]
    assert ours
    assert not any(text.encode() in body for body in ours for text in (SECRET, request["params"]["message"]))


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
async def test_a_trace_goes_on_after_a_restart(tmp_path: Path, collector: Receiver, ending: signal.Signals) -> None:
    servers = traced(Era.ROUNDS, collector.port)
    async with program(tmp_path, servers=servers) as first, first.client() as api:
        api.headers["traceparent"] = f"00-{TRACE_ID}-{'b' * 16}-01"
        call = await api.call("asker", "ask_form")
        await api.pending_requests(call)
        os.kill(first.pid, ending)
    async with program(tmp_path, servers=servers) as second, second.client() as api:
        (request,) = await api.pending_requests(call)
        await api.answer(request, action="accept", content={"name": SECRET})
        await api.in_state(call, "done")
        spans = await spans_of(collector, TRACE_ID, names=("call", "question", "delivery", "tools/call ask_form"))
    (whole,) = [each for each in spans if each.name == "call"]
    (wait,) = [each for each in spans if each.name == "question"]
    assert whole.parent_id == "b" * 16
    assert wait.parent_id == whole.id
    # That of the first round may be lost with its process.
    below = [each for each in spans if each.service == OURS and each.name == "tools/call ask_form"]
    assert {each.parent_id for each in below} == {whole.id}
    assert whole.began <= min(each.began for each in spans if each.service == OURS)


async def test_a_trace_that_is_not_sampled_is_not_exported(tmp_path: Path, collector: Receiver) -> None:
    async with house(tmp_path, **traced(Era.PUSH, collector.port)) as (_running, api):
        for trace_id, flag in ((TRACE_ID, "00"), ("c" * 32, "01")):
            api.headers["traceparent"] = f"00-{trace_id}-{'b' * 16}-{flag}"
            call = await api.call("asker", "plain")
            await api.in_state(call, "done")
        await spans_of(collector, "c" * 32, 3)
    assert not [each for each in spans_in(collector) if each.trace_id == TRACE_ID]


def _ids(context: SpanContext) -> tuple[str, str]:
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"
