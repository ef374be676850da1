"""Calls and requests that survive when the program is killed or stopped while requests are pending."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.mcp_servers import STATE_KEY, entry, running
from tests.program import program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

SIGNALS = (signal.SIGKILL, signal.SIGTERM)


def _asker(*arguments: str) -> Json:
    return entry("asker", "--state-key", STATE_KEY, *arguments)


@pytest.mark.parametrize("ending", SIGNALS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_2026_07_28_call_goes_on_after_a_restart(
    tmp_path: Path, transport: str, ending: signal.Signals
) -> None:
    async with running(arguments=["--state-key", STATE_KEY]) as server:
        entry = _asker() if transport == "stdio" else {"url": server.address}
        servers = {"it": {**entry, "era": "2026-07-28"}}
        async with program(tmp_path, servers=servers) as first, first.client() as api:
            api.headers["traceparent"] = TRACEPARENT
            call = await api.call("it", "ask_rounds", {"n": 2})
            [request] = await api.pending_requests(call)
            await api.answer(request, action="accept", content={"name": "before"})
            while (request := (await api.pending_requests(call))[0])["round"] != 2:
                pass
            os.kill(first.pid, ending)
        async with program(tmp_path, servers=servers) as second, second.client() as api:
            [pending] = await api.pending_requests(call)
            assert pending["id"] == request["id"]
            await api.answer(pending, action="accept", content={"name": "after"})
            done = await api.in_state(call, "done", "failed", "interrupted")
            assert done["state"] == "done", done
            names = [answer["content"]["name"] for answer in done["result"]["structuredContent"]["answers"]]
            assert names == ["before", "after"]
            assert TRACEPARENT in (await api.get(f"/calls/{call['id']}/log.jsonl")).text


async def test_answers_of_half_a_round_survive_a_restart(tmp_path: Path) -> None:
    servers = {"it": {**_asker(), "era": "2026-07-28"}}
    async with program(tmp_path, servers=servers) as first, first.client() as api:
        call = await api.call("it", "ask_many", {"n": 2})
        answered, waiting = await api.pending_requests(call)
        await api.answer(answered, action="accept", content={"name": "before"})
        os.kill(first.pid, signal.SIGKILL)
    async with program(tmp_path, servers=servers) as second, second.client() as api:
        [pending] = await api.pending_requests(call)
        assert pending["id"] == waiting["id"]
        await api.answer(pending, action="decline")
        done = await api.in_state(call, "done", "failed", "interrupted")
        answers = done["result"]["structuredContent"].values()
        assert sorted(answer["action"] for answer in answers) == ["accept", "decline"]


@pytest.mark.parametrize("ending", SIGNALS)
async def test_a_2025_11_25_call_is_interrupted_in_the_open(tmp_path: Path, ending: signal.Signals) -> None:
    servers = {"it": {**_asker(), "era": "2025-11-25"}}
    async with program(tmp_path, servers=servers) as first, first.client() as api:
        call = await api.call("it", "ask_form")
        [request] = await api.pending_requests(call)
        os.kill(first.pid, ending)
    async with program(tmp_path, servers=servers) as second, second.client() as api:
        assert (await api.json("GET", f"/calls/{call['id']}"))["state"] == "interrupted"
        interrupted = await api.json("GET", f"/requests/{request['id']}")
        assert interrupted["state"] == "interrupted"
        assert interrupted["reason_code"] == "client_stopped"


async def test_a_server_that_forgot_its_request_ends_the_call(tmp_path: Path) -> None:
    # Without a key, the server seals its state with a new one at each start.
    servers = {"it": entry("asker", era="2026-07-28")}
    async with program(tmp_path, servers=servers) as first, first.client() as api:
        call = await api.call("it", "ask_rounds", {"n": 1})
        await api.pending_requests(call)
        os.kill(first.pid, signal.SIGKILL)
    async with program(tmp_path, servers=servers) as second, second.client() as api:
        [request] = await api.pending_requests(call)
        await api.answer(request, action="decline")
        failed = await api.in_state(call, "done", "failed", "interrupted")
        assert failed["state"] == "failed"
        assert failed["error"]["reason_code"] == "request_state_rejected"


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
async def test_required_links_survive_a_restart_and_resume_the_call(tmp_path: Path, era: str) -> None:
    async with running() as server:
        servers = {"it": {"url": server.address, "era": era}}
        links = [{"url": f"https://example.com/{name}", "elicitationId": name} for name in ("one", "two")]
        async with program(tmp_path, servers=servers) as first, first.client() as api:
            call = await api.call("it", "need_urls", {"links": links})
            opened, pending = await api.pending_requests(call)
            await api.answer(opened, action="accept")
            os.kill(first.pid, signal.SIGKILL)
        async with program(tmp_path, servers=servers) as second, second.client() as api:
            assert (await api.json("GET", f"/requests/{opened['id']}"))["state"] == "waiting"
            [left] = await api.pending_requests(call)
            assert left["id"] == pending["id"]
            for name in ("one", "two"):
                await api.in_state(await api.call("it", "complete", {"elicitation_id": name}), "done")
            if era == "2026-07-28":
                await api.json("POST", f"/requests/{opened['id']}/finished")
            await api.answer(left, action="accept")
            await api.json("POST", f"/requests/{left['id']}/finished")
            done = await api.in_state(call, "done", "failed", "interrupted")
            assert done["state"] == "done", done
            assert (await api.json("GET", f"/requests/{opened['id']}"))["state"] == "completed"


async def test_a_server_waiting_for_a_link_is_polled_after_a_restart(tmp_path: Path) -> None:
    async with running(arguments=["--state-key", STATE_KEY]) as server:
        servers = {"it": {"url": server.address, "era": "2026-07-28"}}
        async with program(tmp_path, servers=servers) as first, first.client() as api:
            call = await api.call("it", "await_url", {"url": "https://example.com/pay", "elicitation_id": "e1"})
            [request] = await api.pending_requests(call)
            await api.answer(request, action="accept")
            while (await api.json("GET", f"/requests/{request['id']}")).get("reason_code") != "server_still_waits":
                pass
            os.kill(first.pid, signal.SIGKILL)
        async with program(tmp_path, servers=servers) as second, second.client() as api:
            await api.in_state(await api.call("it", "complete", {"elicitation_id": "e1", "notify": False}), "done")
            done = await api.in_state(call, "done", "failed", "interrupted")
            assert done["state"] == "done", done
            assert (await api.json("GET", f"/requests/{request['id']}"))["reason_code"] == "server_continued"


@pytest.mark.parametrize(("transport", "ending"), [("stdio", signal.SIGTERM), ("http", signal.SIGKILL)])
async def test_tasks_go_on_after_a_restart(tmp_path: Path, transport: str, ending: signal.Signals) -> None:
    """X4. Extension Tasks (SEP-2663), Durability: clients SHOULD store task ids durably; asking, and working."""
    form = {"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}}
    state = ["--state", str(tmp_path / "tasks.json")]
    done = {"status": "completed", "result": {"content": [{"type": "text", "text": "done"}]}}
    asks = {"status": "input_required", "inputRequests": {"q": {"method": "elicitation/create", "params": form}}}
    async with running("tasks", arguments=state) as server:
        servers = {"it": entry("tasks", *state) if transport == "stdio" else {"url": server.address}}
        async with program(tmp_path, servers=servers) as first, first.client() as api:
            asking = await api.call("it", "run", {"taskId": "asking", **asks, "then": done})
            working = await api.call("it", "run", {"taskId": "working", "statusMessage": "Thinking"})
            [request] = await api.pending_requests(asking)
            while "task" not in (await api.get(f"/calls/{working['id']}")).json():
                pass
            os.kill(first.pid, ending)
        async with program(tmp_path, servers=servers) as second, second.client() as api:
            [pending] = await api.pending_requests(asking)
            assert (pending["id"], pending["task_id"]) == (request["id"], "asking")
            shown = (await api.get(f"/calls/{working['id']}")).json()["task"]
            assert (shown["id"], shown["status_message"]) == ("working", "Thinking")
            await api.answer(pending, action="accept", content={})
            assert (await api.in_state(asking, "done", "failed", "interrupted"))["state"] == "done"
            await api.call("it", "tell", {"id": "working", "state": done})
            assert (await api.in_state(working, "done", "failed", "interrupted"))["state"] == "done"
