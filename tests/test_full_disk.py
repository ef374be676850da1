"""A disk that is full while the program runs: what cannot be stored is not done and is said; later all goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
import pytest

from tests.disk import Disk, small_disk
from tests.mcp_servers import RunningServer, running
from tests.pages.person import Person, messages, stream_of, until
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

FULL = "The data folder cannot be written"
PATIENCE = 30
AT_ONCE = 30
"""More than there are connections to the database."""


@dataclass(frozen=True, slots=True)
class Full:
    """The program, on a disk that can be filled."""

    served: Program
    api: Api
    disk: Disk
    asker: RunningServer

    @contextmanager
    def asker_paused(self) -> Iterator[None]:
        """Pause the asking server while the block runs."""
        os.kill(self.asker.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.asker.pid, signal.SIGCONT)

    def fill(self) -> None:
        """Leave no room."""
        self.disk.fill(self.served.pid)

    async def free(self) -> None:
        """Give room, and wait until the program has noticed."""
        async with Person(self.served) as person:
            page = await person.page("/servers")
            if FULL not in page:
                self.disk.free(self.served.pid)
                return
            async with person.stream("GET", stream_of(page), timeout=PATIENCE) as stream:
                self.disk.free(self.served.pid)
                pushed = messages(stream)
                while FULL in await until(pushed, "storage"):
                    pass


@pytest.fixture(scope="module", params=["file system", "read-only"])
async def full(
    anyio_backend: str,  # noqa: ARG001
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Full]:
    folder = tmp_path_factory.mktemp("full")
    data = folder / "data"
    data.mkdir(mode=0o700)
    with small_disk(data, request.param) as disk:
        async with running() as asker:
            servers = {name: {"url": asker.address, "era": era} for name, era in ERAS.items()}
            async with program(folder, servers=servers) as served, served.client() as api:
                for label in ERAS:
                    await api.server(label)
                yield Full(served, api, disk, asker)


ERAS = {"push": "2025-11-25", "rounds": "2026-07-28"}


async def _call_that_finds_a_full_disk(full: Full, label: str, tool: str, arguments: Json | None = None) -> Json:
    """Start a call whose server works once the disk is full; return it when the page says so."""
    with full.asker_paused():
        call = await full.api.call(label, tool, arguments)
        full.fill()
    async with Person(full.served) as person:
        await _seen(person, FULL)
    return call


@pytest.mark.parametrize("label", ERAS)
async def test_an_unstored_answer_is_not_sent_and_can_be_repeated(full: Full, label: str) -> None:
    call = await full.api.call(label, "ask_form")
    [request] = await full.api.pending_requests(call)
    full.fill()
    refused = await full.api.answer(request, 507, action="accept", content={"name": "x" * 100_000})
    assert FULL in refused["detail"]
    assert await _state(full, request) == "pending"
    async with Person(full.served) as person:
        page = (await person.submit(f"/requests/{request['id']}", 507, action="accept", f0="Ada <3")).text
        assert "Your answer was not stored, so it was not sent" in page
        assert 'value="Ada &lt;3"' in page
    await full.free()
    await full.api.answer(request, action="accept", content={"name": "Ada"})
    done = await full.api.in_state(call, "done")
    assert done["result"]["structuredContent"] == {"action": "accept", "content": {"name": "Ada"}}


async def test_a_request_that_cannot_be_stored_is_refused(full: Full) -> None:
    """2025-11-25: the server waits for a response, and gets an error that says why."""
    call = await _call_that_finds_a_full_disk(full, "push", "ask_or_tell")
    await full.free()
    answer = (await full.api.in_state(call, "done"))["result"]["content"][0]["text"]
    assert FULL in answer


@pytest.mark.parametrize("label", ERAS)
async def test_a_result_that_cannot_be_stored_is_kept_until_it_can(full: Full, label: str) -> None:
    call = await _call_that_finds_a_full_disk(full, label, "structured", {"city": "Ulm"})
    assert (await full.api.json("GET", f"/calls/{call['id']}"))["state"] == "running"
    await full.free()
    done = await full.api.in_state(call, "done")
    assert done["result"]["structuredContent"]["city"] == "Ulm"


async def test_a_question_of_a_round_is_put_once_there_is_room(full: Full) -> None:
    """2026-07-28: the server does not wait for a response, so the call goes on later."""
    call = await _call_that_finds_a_full_disk(full, "rounds", "ask_form")
    await full.free()
    [request] = await full.api.pending_requests(call)
    await full.api.answer(request, action="decline")
    await full.api.in_state(call, "done")


async def test_a_withdrawal_is_stored_once_there_is_room(full: Full) -> None:
    async with running() as asker:
        body = {"label": "dies", "transport": {"type": "http", "url": asker.address}, "era": "2025-11-25"}
        added = await full.api.json("POST", "/servers", 201, json=body)
        await full.api.json("POST", f"/servers/{added['id']}/connect", 202)
        call = await full.api.call("dies", "ask_form")
        [request] = await full.api.pending_requests(call)
        full.fill()
    async with Person(full.served) as person:
        await _seen(person, FULL)
    assert (await full.api.json("POST", f"/calls/{call['id']}/cancel", 507))["title"] == "Not stored"
    await full.free()
    await full.api.in_state(call, "interrupted")
    async with asyncio.timeout(PATIENCE):
        while await _state(full, request) == "pending":
            pass
    assert await _state(full, request) == "interrupted"


async def test_every_write_reports_the_full_disk(full: Full) -> None:
    [request] = await full.api.pending_requests(await full.api.call("push", "ask_form"))
    server = await full.api.server("push")
    full.fill()
    async with Person(full.served) as person, httpx2.AsyncClient(timeout=PATIENCE) as stranger:
        signing_in = await stranger.get(full.served.login)
        draft = await person.post(f"/requests/{request['id']}/draft", data={"f0": "A" * 100_000})
        checked = await person.submit(f"/requests/{request['id']}", 200, edit="json", f0="Ada")
    starting = await full.api.post("/calls", json={"server_id": server, "kind": "tool", "name": "structured"})
    assert [signing_in.status_code, draft.status_code, starting.status_code] == [507, 507, 507]
    assert "Draft not saved" in checked.text
    for response in (signing_in, draft, starting):
        assert FULL in response.text
        assert "Traceback" not in response.text
    await full.free()


async def test_a_connection_opened_on_a_full_disk_can_write_later(full: Full) -> None:
    """More is read at once than there are connections to the database yet."""
    [request] = await full.api.pending_requests(await full.api.call("push", "ask_form"))
    full.fill()
    await asyncio.gather(*(full.api.json("GET", "/calls") for _each in range(AT_ONCE)))
    refused = await full.api.answer(request, 507, action="accept", content={"name": "x" * 100_000})
    assert FULL in refused["detail"]
    await asyncio.gather(*(full.api.json("GET", "/calls") for _each in range(AT_ONCE)))
    await full.free()
    async with Person(full.served) as person:
        for each in range(AT_ONCE):
            await person.submit(f"/requests/{request['id']}/draft", 200, f0=f"Ada {each}")
    await full.api.answer(request, action="decline")


async def _state(full: Full, request: Json) -> str:
    return str((await full.api.json("GET", f"/requests/{request['id']}"))["state"])


async def _seen(person: Person, words: str) -> None:
    page = await person.page("/servers")
    if words not in page:
        async with person.stream("GET", stream_of(page), timeout=PATIENCE) as stream:
            await until(messages(stream), words)
