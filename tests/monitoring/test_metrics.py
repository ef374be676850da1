"""Metrics of a running program, as Prometheus scrapes them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.loopback import tls
from tests.mcp_servers import ROOT, running
from tests.program import PATIENCE, Api, Program, program

pytestmark = pytest.mark.anyio

DOCUMENT = ROOT / "docs" / "deploy.md"
TOKEN = "a token for monitoring alone"
SECRET = "carnation"
"""The name of the server, and a part of each argument."""


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:
    """A program with metrics and a server."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_METRICS_TOKEN", TOKEN)
        async with running() as asker:
            servers = {SECRET: {"url": asker.address, "era": "2025-11-25"}}
            async with program(tmp_path_factory.mktemp("metrics"), servers=servers) as served:
                yield served


async def scrape(served: Program, token: str = TOKEN) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=served.base, verify=tls()) as prometheus:
        return await prometheus.get("/metrics", headers={"Authorization": f"Bearer {token}"})


async def samples(served: Program) -> Mapping[tuple[str, ...], float]:
    """Return the value of each sample by its name and the values of its labels."""
    response = await scrape(served)
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name.removeprefix("mcp_webclient_"), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


async def test_metrics_follow_a_dialogue(served: Program, api: Api) -> None:
    call = await api.call(SECRET, "ask_form")
    [request] = await api.pending_requests(call)
    pending = await samples(served)
    assert pending["database_up",] == 1
    assert pending["servers", "connected"] == 1
    assert pending["pending_requests", "form"] == 1
    assert pending["pending_requests", "url"] == 0
    assert pending["open_calls", "input_required"] == 1
    assert pending["oldest_pending_request_seconds", "form"] > 0
    assert pending["oldest_pending_request_seconds", "url"] == 0
    assert pending["http_requests_total", "api", "POST", "2xx"] >= 1
    assert pending["http_seconds_count", "api"] >= 1
    await api.answer(request, action="decline")
    await api.in_state(call, "done", "failed")
    settled = await samples(served)
    assert settled["pending_requests", "form"] == 0
    assert settled["failing_webhooks",] == 0
    assert settled["background_failures_total",] == 0
    assert settled["oldest_pending_request_seconds", "form"] == 0


async def test_the_times_of_an_answer_are_measured(served: Program, api: Api) -> None:
    """From the question to its answer, and from there until the server has it."""
    before = await samples(served)
    after = await answered(served, api)
    for name in ("answer_seconds", "delivery_seconds"):
        assert after[f"{name}_count", "form"] == before.get((f"{name}_count", "form"), 0) + 1, name
        assert after[f"{name}_sum", "form"] > before.get((f"{name}_sum", "form"), 0), name
    names = {outcome: ("deliveries_total", "form", outcome) for outcome in ("delivered", "failed", "unknown")}
    added = {outcome: after[name] - before[name] for outcome, name in names.items()}
    assert added == {"delivered": 1, "failed": 0, "unknown": 0}


async def answered(served: Program, api: Api) -> Mapping[tuple[str, ...], float]:
    """Answer a question; return the samples when its delivery is among them."""
    name = ("delivery_seconds_count", "form")
    before = (await samples(served)).get(name, 0)
    [request] = await api.pending_requests(await api.call(SECRET, "ask_form"))
    await api.answer(request, action="decline")
    async with asyncio.timeout(PATIENCE):
        while (after := await samples(served)).get(name, 0) == before:
            pass
    return after


async def test_the_document_lists_every_metric(served: Program, api: Api) -> None:
    """Each with its labels."""
    await answered(served, api)
    described: dict[str, set[str]] = {}
    for family in text_string_to_metric_families((await scrape(served)).text):
        for sample in family.samples:
            name = sample.name if family.type == "counter" else family.name
            if name.startswith("mcp_webclient_") and not name.endswith("_created"):
                described.setdefault(name, set()).update(set(sample.labels) - {"le"})
    listed = re.findall(r"`(mcp_webclient_\w+)(?:{([\w,]+)})?`", DOCUMENT.read_text("utf-8"))
    assert {name: set(labels.split(",")) - {""} for name, labels in listed} == described


async def test_metrics_name_nothing_and_labels_are_bounded(served: Program, api: Api) -> None:
    await api.call(SECRET, "ask_form", {"topic": SECRET})
    before = set(await samples(served))
    for number in range(5):
        await api.get(f"/servers/{SECRET}{number}?q={SECRET}")
        await api.request(f"M{number}", "/servers")
    response = await scrape(served)
    assert SECRET not in response.text
    added = {key for key in await samples(served) if key not in before}
    assert len(added) < 12, added


@pytest.mark.parametrize("token", ["wrong", TOKEN + "x"])
async def test_another_token_opens_no_metrics(served: Program, token: str) -> None:
    assert (await scrape(served, token)).status_code == 401


async def test_the_token_of_a_person_opens_no_metrics(served: Program) -> None:
    assert (await scrape(served, served.token)).status_code == 401


async def test_the_token_of_metrics_opens_nothing_else(served: Program) -> None:
    async with httpx2.AsyncClient(base_url=served.base, verify=tls()) as prometheus:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert (await prometheus.get("/api/v1/servers", headers=headers)).status_code == 401
