"""Which era a connection speaks depends on what its server speaks, and not on how quickly it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.errors import ConflictError
from webclient.domain.model import CallState, Era, Reason, ReasonCode, ServerState, ServerStatus
from webclient.protocol.session import negotiation
from webclient.protocol.session.negotiation import HANDSHAKE_DELAY, EraReason, handshake_delay
from webclient.servers.connections.learned_eras import also_speaks, learned

pytestmark = pytest.mark.anyio


async def _connected(rooms: House) -> ServerStatus:
    return rooms.services.connections.status((await rooms.connected("it")).key)


async def _in_auto(folder: Path, *options: str) -> tuple[str | None, str | None]:
    async with house(folder, [config("it", stdio("dual", *options))]) as rooms:
        status = await _connected(rooms)
        return status.protocol_version, status.era_reason


@pytest.mark.slow
async def test_a_slow_server_of_both_eras_speaks_the_newest_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both requests are in its pipe before it reads the first, and the handshake binds it to 2025-11-25."""
    monkeypatch.setattr(negotiation, "HANDSHAKE_DELAY", 0.1)
    async with house(tmp_path, [config("it", stdio("dual", "--after", "1.5", "--says", "fastmcp"))]) as rooms:
        status = await _connected(rooms)
        assert (status.protocol_version, status.era_reason) == (Era.ROUNDS, EraReason.ANNOUNCED)
        assert (await rooms.ended(await rooms.call("it", "ask"))).state is CallState.DONE


async def test_a_slow_server_with_a_chosen_era_speaks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negotiation, "HANDSHAKE_DELAY", 0.1)
    slow = stdio("dual", "--after", "1", "--only", Era.ROUNDS)
    async with house(tmp_path, [config("it", slow, Era.ROUNDS)]) as rooms:
        status = await _connected(rooms)
        assert (status.protocol_version, status.era_reason) == (Era.ROUNDS, EraReason.CHOSEN)


async def test_a_server_that_ignores_discovery_gets_the_handshake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(negotiation, "HANDSHAKE_DELAY", 0.1)
    async with house(tmp_path, [config("it", stdio("dual", "--ignores", "server/discover"))]) as rooms:
        status = await _connected(rooms)
        assert (status.protocol_version, status.era_reason) == (Era.PUSH, EraReason.SILENT)
        [request] = await rooms.pending_requests(await rooms.call("it", "ask"))
        assert request.params["message"] == "What is your name?"
        assert (await rooms.server("it")).learned == {"speaks": ["2025-11-25"], "lacks": [], "silent": True}


async def test_a_server_that_refuses_the_newest_era_speaks_the_old_one(tmp_path: Path) -> None:
    assert await _in_auto(tmp_path, "--only", Era.PUSH) == (Era.PUSH, EraReason.REFUSED)


@pytest.mark.parametrize("bridge", ["refuse", "exit"])
async def test_a_child_spoilt_by_discovery_starts_again(tmp_path: Path, bridge: str) -> None:
    """A bridge to another server takes the first message for the handshake, as supergateway 4 does."""
    async with house(tmp_path, [config("it", stdio("dual", "--bridge", bridge))]) as rooms:
        status = await _connected(rooms)
        assert (status.protocol_version, status.era_reason) == (Era.PUSH, EraReason.REFUSED)
        await rooms.services.servers.use_era(await rooms.server("it"), Era.PUSH)
        [request] = await rooms.pending_requests(await rooms.call("it", "ask"))
        assert request.params["message"] == "What is your name?"


async def test_a_refused_trial_of_an_era_restores_the_earlier_one(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("dual", "--only", Era.ROUNDS))]) as rooms:
        await _connected(rooms)
        with pytest.raises(ConflictError) as refused:
            await rooms.services.servers.try_era(await rooms.server("it"), Era.PUSH)
        assert refused.value.reason is not None
        assert refused.value.reason.code is ReasonCode.ERA_REFUSED
        server = await rooms.server("it")
        status = await rooms.status("it", ServerState.CONNECTED)
        assert (server.era, server.learned["lacks"], status.protocol_version) == (Era.AUTO, [Era.PUSH], Era.ROUNDS)


async def test_a_trial_of_a_spoken_era_is_remembered(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("dual"))]) as rooms:
        await _connected(rooms)
        await rooms.services.servers.try_era(await rooms.server("it"), Era.PUSH)
        assert ((await rooms.server("it")).era, (await _connected(rooms)).protocol_version) == (Era.PUSH, Era.PUSH)


async def test_an_era_found_on_connecting_is_remembered(tmp_path: Path) -> None:
    servers = [config("it", stdio("dual"))]
    async with house(tmp_path, servers) as rooms:
        await _connected(rooms)
        await rooms.services.servers.change_era(await rooms.server("it"), Era.PUSH)
        status = await rooms.status("it", ServerState.CONNECTED)
        assert (status.protocol_version, status.era_reason) == (Era.PUSH, EraReason.CHOSEN)
        await rooms.services.servers.change_era(await rooms.server("it"), Era.AUTO)
        await rooms.status("it", ServerState.CONNECTED)
    async with house(tmp_path, servers) as rooms:
        status = await _connected(rooms)
        assert also_speaks((await rooms.server("it")).learned, status.protocol_version) is Era.PUSH


async def test_choosing_an_era_does_not_forget_that_a_server_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(negotiation, "HANDSHAKE_DELAY", 0.1)
    servers = [config("it", stdio("dual", "--ignores", "server/discover"))]
    async with house(tmp_path, servers) as rooms:
        await _connected(rooms)
        for era in (Era.PUSH, Era.AUTO):
            await rooms.services.servers.change_era(await rooms.server("it"), era)
            await rooms.status("it", ServerState.CONNECTED)
            assert (await rooms.server("it")).learned["silent"] is True
    async with house(tmp_path, servers) as rooms:
        assert handshake_delay((await rooms.server("it")).learned, piped=True) == 0


async def test_a_server_without_the_chosen_era_fails_with_the_reason(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("dual", "--only", Era.ROUNDS), Era.PUSH)]) as rooms:
        status = await rooms.status("it", ServerState.ERROR)
        mismatch = Reason.of(ReasonCode.ERA_MISMATCH, spoken=Era.ROUNDS, wanted=Era.PUSH)
        assert status.error
        assert status.error.reason.params.items() >= mismatch.params.items()
        assert status.reason_code is mismatch.code
        assert (await rooms.server("it")).learned["lacks"] == [Era.PUSH]


async def test_a_server_replaced_by_an_older_one_gets_the_handshake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(negotiation, "HANDSHAKE_DELAY", 0.1)
    old = config("it", stdio("dual", "--ignores", "server/discover"))
    async with house(tmp_path, [config("it", stdio("dual"))]) as rooms:
        await _connected(rooms)
    async with house(tmp_path, [old], connect_seconds=2) as rooms:
        status = await _connected(rooms)
        assert (status.protocol_version, status.era_reason) == (Era.PUSH, EraReason.SILENT)


def test_newer_knowledge_replaces_what_it_contradicts() -> None:
    known = learned({}, speaks=[Era.PUSH], lacks=[Era.ROUNDS], silent=True)
    updated = learned(known, speaks=[Era.ROUNDS])
    assert updated == {"speaks": ["2025-11-25", "2026-07-28"], "lacks": [], "silent": False}


def test_only_a_silent_child_gets_the_handshake_at_once() -> None:
    assert handshake_delay({}, piped=True) == HANDSHAKE_DELAY
    assert handshake_delay({"silent": True}, piped=True) == 0
    assert handshake_delay({"silent": True}, piped=False) is None
    assert handshake_delay({"speaks": [Era.ROUNDS]}, piped=True) is None
    assert handshake_delay({"speaks": [Era.ROUNDS], "silent": True}, piped=True) == 0
