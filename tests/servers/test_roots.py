"""The folders that a user shares with a server: announced, answered in both eras, and each answer in the history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.house import ALL_SERVERS, House, config, house
from tests.mcp_servers import ROOT, STATE_KEY, stdio
from tests.protocol.test_everything import listening
from webclient.domain.errors import ForbiddenError, InvalidInputError
from webclient.domain.model import (
    Action,
    Call,
    CallState,
    Era,
    InputRequest,
    Json,
    ReasonCode,
    RequestState,
    Root,
    Server,
    ServerState,
)
from webclient.domain.root_rules import checked_roots
from webclient.servers.config_file import ServerConfig

pytestmark = pytest.mark.anyio

FILESYSTEM = ROOT / "build/npm/node_modules/.bin/mcp-server-filesystem"


def local(name: str, transport: Json, *folders: Path | str, era: Era = Era.AUTO) -> ServerConfig:
    """Return a configured server that gets these folders."""
    return replace(config(name, transport, era), roots=checked_roots(Root(uri=str(folder)) for folder in folders))


async def _share(rooms: House, name: str, roots: Sequence[Root] | None) -> Server:
    changed = await rooms.services.servers.share_roots(await rooms.server(name), roots)
    await rooms.status(name, ServerState.CONNECTED)
    return changed


async def _disclosed(rooms: House, name: str, call_id: str | None = None) -> list[InputRequest]:
    """Return what the history has of the folders that the server got or did not get."""
    server = await rooms.server(name)
    found = await rooms.services.store.of("local").requests.find(server_id=server.id, call_id=call_id)
    return [request for request in found if request.kind == "roots"]


def _said(call: Call) -> str:
    return str((call.result or {})["content"][0]["text"])


@pytest.mark.parametrize("name", ALL_SERVERS)
async def test_a_server_gets_the_list_of_its_user(shared: House, name: str) -> None:
    """F4 (MCP 2025-11-25, Roots, Protocol Messages; MCP 2026-07-28, Input Required): as a round."""
    if "stdio" in name:
        server = await shared.server(name)
        # As the config file does, which alone may for such a server.
        await shared.services.servers.change(replace(server, roots=(Root(uri=f"file://{ROOT}", name="Project"),)))
        uri = f"file://{ROOT}"
    else:
        await _share(shared, name, [Root(uri="/home/me/my notes", name="Project")])
        uri = "file:///home/me/my%20notes"
    await shared.status(name, ServerState.CONNECTED)
    done = await shared.ended(await shared.call(name, "ask_roots"))
    assert done.state is CallState.DONE, done.error
    assert (done.result or {})["structuredContent"]["roots"]["roots"] == [{"uri": uri, "name": "Project"}]
    [answered] = await _disclosed(shared, name, call_id=done.id)
    assert (answered.state, answered.reason_code) == (RequestState.ACCEPTED, ReasonCode.ROOTS_SHARED)
    assert answered.via is None
    assert answered.content == {"roots": [{"uri": uri, "name": "Project"}]}
    assert await shared.services.store.of("local").requests.count_pending() == {}
    await shared.services.servers.change(replace(await shared.server(name), roots=None))
    await shared.status(name, ServerState.CONNECTED)


async def test_roots_are_answered_beside_a_question_of_the_round(tmp_path: Path) -> None:
    """F4: one key of the round waits for the person, and the other does not."""
    servers = [local("it", stdio("asker"), tmp_path, era=Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_roots", {"also_form": True})
        [request] = await rooms.pending_requests(call)
        assert request.kind == "form"
        await rooms.answer(request, Action.ACCEPT, {"name": "this one"})
        done = await rooms.ended(call)
        answers = (done.result or {})["structuredContent"]
        assert answers["roots"]["roots"] == [{"uri": tmp_path.as_uri()}]
        assert answers["form"]["content"] == {"name": "this one"}
        assert len(await _disclosed(rooms, "it", call_id=call.id)) == 1


async def test_a_round_with_answered_roots_survives_a_restart(tmp_path: Path) -> None:
    """F4: the answer from before the restart goes out with that of the person."""
    servers = [local("it", stdio("asker", "--state-key", STATE_KEY), tmp_path, era=Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_roots", {"also_form": True})
        await rooms.pending_requests(call)
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {"name": "this one"})
        done = await rooms.ended(call)
        assert (done.result or {})["structuredContent"]["roots"]["roots"] == [{"uri": tmp_path.as_uri()}]


@pytest.mark.slow
async def test_the_reference_server_hears_of_each_change(tmp_path: Path) -> None:
    """F3 (MCP 2025-11-25, Roots, Root List Changes): MUST send a notification when the list changes."""
    async with listening("streamableHttp") as port:
        servers = [config("it", {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"})]
        async with house(tmp_path, servers) as rooms:
            await rooms.connected("it")
            assert await _disclosed(rooms, "it") == []
            for folder in ("/home/me/one", "/home/me/two"):
                # The server asks by itself after connecting, and after each notification.
                server = await _share(rooms, "it", [Root(uri=folder)])

                async def look(uri: str = f"file://{folder}") -> InputRequest | None:
                    found = await _disclosed(rooms, "it")
                    return found[-1] if found and found[-1].content == {"roots": [{"uri": uri}]} else None

                await rooms.until(look)
                said = _said(await rooms.ended(await rooms.call("it", "get-roots-list")))
                assert folder in said
            assert server.roots == (Root(uri="file:///home/me/two"),)


@pytest.mark.slow
async def test_the_filesystem_server_takes_roots_for_its_permissions(tmp_path: Path) -> None:
    """F8: what is allowed to this server is what the list has, so a folder that is missing MUST not be in it."""
    mine, given, missing = tmp_path / "started-with", tmp_path / "given", tmp_path / "missing"
    for folder in (mine, given):
        folder.mkdir()
    transport = {"type": "stdio", "command": str(FILESYSTEM), "args": [str(mine)]}
    servers = [config("without", transport), local("with", transport, given, missing)]
    async with house(tmp_path / "data", servers) as rooms:
        for name in ("without", "with"):
            await rooms.connected(name)

        async def answered() -> bool | None:
            return bool(await _disclosed(rooms, "with")) or None

        await rooms.until(answered)
        # A folder that is not there is left out (MCP 2025-11-25, Roots, Security: MUST monitor accessibility).
        assert [each.content for each in await _disclosed(rooms, "with")] == [{"roots": [{"uri": given.as_uri()}]}]
        allowed = {}
        for name in ("without", "with"):
            allowed[name] = _said(await rooms.ended(await rooms.call(name, "list_allowed_directories")))
        assert str(mine) in allowed["without"]
        assert await _disclosed(rooms, "without") == []
        # The server reads the list in its own time after it was answered.
        while str(given) not in allowed["with"]:
            allowed["with"] = _said(await rooms.ended(await rooms.call("with", "list_allowed_directories")))
        assert str(mine) not in allowed["with"]


async def test_a_server_without_roots_gets_an_error(tmp_path: Path) -> None:
    """F6 (MCP 2025-11-25, Roots, Error Handling): -32601 if the client does not support roots."""
    async with house(tmp_path, [config("raw", stdio("raw", "roots"))]) as rooms:
        await rooms.connected("raw")
        call = await rooms.ended(await rooms.call("raw", "ask"))
        assert json.loads(_said(call))[0]["error"]["code"] == -32601
        [refused] = await _disclosed(rooms, "raw")
        assert (refused.state, refused.reason_code) == (RequestState.REFUSED, ReasonCode.ROOTS_NOT_SHARED)


@pytest.mark.parametrize(("case", "shared"), [("roots-round", False), ("roots-round", True)])
@pytest.mark.slow
async def test_a_round_of_roots_alone_ends_by_itself(tmp_path: Path, case: str, *, shared: bool) -> None:
    """F6: 2026-07-28 has no error for roots that were not declared."""
    raw = stdio("raw", case)
    async with house(tmp_path, [local("raw", raw, tmp_path) if shared else config("raw", raw)]) as rooms:
        await rooms.connected("raw")
        failed = await rooms.ended(await rooms.call("raw", "ask"))
        assert failed.state is CallState.FAILED
        expected = ReasonCode.TOO_MANY_ROUNDS if shared else ReasonCode.ROOTS_NOT_SHARED
        assert failed.reason_code is expected


async def test_a_flood_for_roots_is_one_row_that_counts(tmp_path: Path) -> None:
    times, burst = 60, 40
    servers = [local("raw", stdio("raw", "roots-flood", str(times)), tmp_path)]
    async with house(tmp_path, servers, ask_burst=burst, ask_rate=0.001) as rooms:
        await rooms.connected("raw")
        call = await rooms.ended(await rooms.call("raw", "ask"))
        replies = json.loads(_said(call))
        assert sum("result" in reply for reply in replies) == burst
        assert {reply["error"]["code"] for reply in replies if "error" in reply} == {-32000}

        async def counted() -> list[InputRequest] | None:
            found = await _disclosed(rooms, "raw")
            return found if sum(each.count for each in found) == times else None

        rows = await rooms.until(counted)
        assert {(each.state, each.count) for each in rows} == {
            (RequestState.ACCEPTED, burst),
            (RequestState.REFUSED, times - burst),
        }


async def test_a_muted_server_still_gets_its_folders(tmp_path: Path) -> None:
    async with house(tmp_path, [local("raw", stdio("raw", "roots"), tmp_path)]) as rooms:
        server = await rooms.connected("raw")
        await rooms.services.servers.mute(server)
        call = await rooms.ended(await rooms.call("raw", "ask"))
        assert json.loads(_said(call))[0]["result"] == {"roots": [{"uri": tmp_path.as_uri()}]}


async def test_folders_of_this_computer_come_from_the_config_alone(tmp_path: Path) -> None:
    """F9 (MCP 2025-11-25, Roots, Security): clients MUST implement access controls."""
    transport = stdio("raw", "no-fields")
    async with house(tmp_path, [local("raw", transport, tmp_path)]) as rooms:
        server = await rooms.connected("raw")
        for roots in ([Root(uri="/")], [], None):
            with pytest.raises(ForbiddenError):
                await rooms.services.servers.share_roots(server, roots)
        assert (await rooms.server("raw")).roots == (Root(uri=tmp_path.as_uri()),)
    async with house(tmp_path, [config("raw", transport)]) as rooms:
        assert (await rooms.server("raw")).roots is None, "the file no longer names any"


async def test_a_list_survives_a_restart_unless_the_file_has_one(tmp_path: Path) -> None:
    http = {"type": "http", "url": "http://127.0.0.1:9/mcp"}
    async with house(tmp_path, [config("it", http)]) as rooms:
        await rooms.services.servers.share_roots(await rooms.server("it"), [Root(uri="/a", name="A")])
        with pytest.raises(InvalidInputError) as error:
            await rooms.services.servers.share_roots(await rooms.server("it"), [Root(uri="/a"), Root(uri="../b")])
        assert set(error.value.errors) == {"roots.1"}
    async with house(tmp_path, [config("it", http)]) as rooms:
        assert (await rooms.server("it")).roots == (Root(uri="file:///a", name="A"),)
    async with house(tmp_path, [local("it", http, "/b")]) as rooms:
        assert (await rooms.server("it")).roots == (Root(uri="file:///b"),)
