"""A server on the SDK sees the extensions that are switched on for it, in each era and over each transport."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import running, stdio
from tests.mcp_servers.tasks import EXTENSION
from webclient.domain.model import CallState, Era, Extension, Json, ReasonCode, RequestState, ServerState

pytestmark = pytest.mark.anyio

AUTHORIZATION = (Extension.CLIENT_CREDENTIALS, Extension.ENTERPRISE)
COMBINATIONS = [
    chosen for count in range(len(Extension) + 1) for chosen in itertools.combinations(tuple(Extension), count)
]
FITTING: dict[str, tuple[Extension, ...]] = {
    "http-rounds": tuple(Extension),
    "http-push": AUTHORIZATION,
    "stdio-rounds": (Extension.TASKS,),
    "stdio-push": (),
}
"""The extensions that are announced to a server over each transport in each era, unless they are switched off."""


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    async with running() as asker:
        servers = [
            config(f"{kind}-{word}", transport, era)
            for word, era in (("push", Era.PUSH), ("rounds", Era.ROUNDS))
            for kind, transport in (
                ("http", {"type": "http", "url": asker.address}),
                ("stdio", stdio("asker", "--era", era)),
            )
        ]
        async with house(tmp_path_factory.mktemp("extensions"), servers) as rooms:
            for server in servers:
                await rooms.connected(server.label)
            yield rooms


async def switch_off(rooms: House, name: str, *extensions: Extension) -> None:
    server = await rooms.server(name)
    await rooms.services.servers.change(replace(server, extensions_off=extensions))
    await rooms.status(name, ServerState.CONNECTED)


async def seen(rooms: House, name: str) -> Json | None:
    """Return the extensions that the server printed."""
    done = await rooms.ended(await rooms.call(name, "extensions"))
    printed: Json | None = json.loads((done.result or {})["content"][0]["text"])
    return printed


@pytest.mark.parametrize("name", FITTING)
@pytest.mark.parametrize("off", COMBINATIONS)
async def test_a_server_on_the_sdk_sees_what_is_switched_on(rooms: House, name: str, off: Sequence[Extension]) -> None:
    """SEP-2133: "Clients advertise extension support"; the documents of these three have empty settings."""
    await switch_off(rooms, name, *off)
    expected: Json = {each.value: {} for each in FITTING[name] if each not in off}
    assert (await seen(rooms, name) or {}) == expected


async def test_the_switches_of_a_config_server_survive_a_restart(tmp_path: Path) -> None:
    servers = [config("it", stdio("asker", "--era", Era.ROUNDS))]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        await switch_off(rooms, "it", Extension.TASKS)
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        assert not await seen(rooms, "it")


async def test_an_open_2025_11_25_connection_is_replaced_with_a_reason(rooms: House) -> None:
    await switch_off(rooms, "http-push")
    [request] = await rooms.pending_requests(await rooms.call("http-push", "ask_form"))
    await switch_off(rooms, "http-push", Extension.ENTERPRISE)
    settled = await rooms.settled(request)
    assert settled.state is RequestState.INTERRUPTED
    assert settled.reason_code is ReasonCode.PERMISSIONS_CHANGED


async def test_an_open_2026_07_28_connection_keeps_its_requests(rooms: House) -> None:
    await switch_off(rooms, "http-rounds")
    [request] = await rooms.pending_requests(await rooms.call("http-rounds", "ask_form"))
    await switch_off(rooms, "http-rounds", Extension.ENTERPRISE)
    assert (await rooms.services.store.of("local").requests.get(request.id)).pending


async def test_a_task_that_was_not_announced_is_invalid(tmp_path: Path) -> None:
    """SEP-2663: a server MUST NOT answer with a task unless the client declares the extension in that request."""
    assert EXTENSION == Extension.TASKS
    async with house(tmp_path, [config("it", stdio("tasks"), Era.ROUNDS)]) as rooms:
        await rooms.connected("it")
        await switch_off(rooms, "it", Extension.TASKS)
        call = await rooms.ended(await rooms.call("it", "run"))
        assert call.state is CallState.FAILED
        assert call.reason_code is ReasonCode.TASK_UNEXPECTED
