"""The wire log in a file: the same entries as on the pages, with the same masks, also when the disk is full."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from tests.house import PATIENCE, House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import Action, CallState, Json
from webclient.protocol.wire_log import LogFile, LogFilter, writer

pytestmark = pytest.mark.anyio

SECRET = "correct horse battery"
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "password": {"type": "string", "title": "Password"}},
}


async def answered(on: House) -> CallState:
    call = await on.call("it", "ask_form", {"schema": SCHEMA, "message": "Who are you?"})
    [request] = await on.pending_requests(call)
    await on.answer(request, Action.ACCEPT, {"name": "Ada", "password": SECRET})
    return (await on.ended(call)).state


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


async def until_written(on: House, path: Path) -> list[Json]:
    """Wait until the file has the newest message of all servers."""
    while True:
        found = lines(path)
        if all(any(each.get("number") == log.newest for each in found) for _key, log in on.services.wire_logs.all()):
            return found
        await asyncio.sleep(0.05)


async def test_the_file_has_what_the_pages_show(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    async with house(tmp_path / "data", [config("it", stdio("asker"))], wire_log=path) as on:
        server = await on.connected("it")
        assert await answered(on) is CallState.DONE
        written = await until_written(on, path)
        log = on.services.wire_logs.of(server.key)
        shown = [entry.as_json async for entry in on.services.log_reader.all(server.key, LogFilter())]
        assert {(each["log"], each["user"], each["server"]) for each in written} == {(log.epoch, *server.key)}
        # A request is written before its response, so it does not name that.
        later = {"log", "user", "server", "answered_by"}
        assert [_without(each, later) for each in written] == [_without(each, later) for each in shown]
        assert '"name": "Ada"' in path.read_text("utf-8")
        assert SECRET not in path.read_text("utf-8")
    # The end of the program writes the rest.
    assert len(lines(path)) == log.newest


def _without(entry: Json, names: set[str]) -> Json:
    return {name: value for name, value in entry.items() if name not in names}


async def test_without_the_setting_there_is_no_file(tmp_path: Path) -> None:
    async with house(tmp_path / "data", [config("it", stdio("asker"))]) as on:
        await on.connected("it")
        assert await answered(on) is CallState.DONE
    assert names(tmp_path) == ["data"]


async def test_a_full_disk_delays_no_call_and_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writer, "RETRY_PAUSE", writer.PAUSE)
    path, append = tmp_path / "wire.jsonl", LogFile.append
    loop, failures = asyncio.get_running_loop(), asyncio.Semaphore(0)

    def full(*_given: object) -> int:
        loop.call_soon_threadsafe(failures.release)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LogFile, "append", full)
    async with house(tmp_path / "data", [config("it", stdio("asker"))], wire_log=path) as on:
        server = await on.connected("it")
        with caplog.at_level(logging.INFO, "webclient.protocol.wire_log.writer"):
            assert await answered(on) is CallState.DONE
            for _failure in range(3):
                await failures.acquire()
            assert lines(path) == []
            lost = on.services.wire_logs.of(server.key).newest
            # What leaves the memory meanwhile is named.
            on.services.wire_logs.clear(server.key)
            monkeypatch.setattr(LogFile, "append", append)
            assert await answered(on) is CallState.DONE
            [missing, *rest] = await until_written(on, path)
            assert missing["missing"] == {"from": 1, "to": lost}
            assert [each["number"] for each in rest] == list(range(lost + 1, lost + 1 + len(rest)))
            async with asyncio.timeout(PATIENCE):
                # The file has the lines before the log says so.
                while len(caplog.records) < 2:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
        assert "No space left on device" in caplog.text
