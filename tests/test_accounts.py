"""The program finishes the work of commands at its next look, however long one user's takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.program import PATIENCE
from tests.two_users import TwoUsers, two_users
from webclient.domain.model import Reason
from webclient.store import Store

pytestmark = pytest.mark.anyio


@pytest.fixture
async def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TwoUsers]:
    """Users of a program that looks only when a test does.

    It recognises a person with each request.
    """
    monkeypatch.setattr("webclient.servers.accounts.LOOK", 3600.0)
    monkeypatch.setattr("webclient.support.shared_work.LIFETIME", 0.0)
    async with two_users(tmp_path) as users:
        yield users


@pytest.fixture
async def command(users: TwoUsers) -> AsyncIterator[Store]:
    """The store of a command beside the program."""
    beside = Store(users.services.settings.data_dir)
    await beside.open_beside()
    yield beside
    await beside.close()


async def delete_by_command(command: Store, user_id: str) -> None:
    """Do what `users delete` does."""
    await command.users.disable(user_id)
    await command.users.want_erased(user_id)


async def test_a_disabled_user_is_refused_before_the_next_look(users: TwoUsers, command: Store) -> None:
    """A sign-in that began then would be open again once the user is enabled."""
    await command.users.disable(users.ada)
    async with users.client("ada") as ada:
        assert (await ada.get("/api/v1/me")).status_code == 401
    await command.users.enable(users.ada)
    async with users.client("ada") as ada:
        assert (await ada.get("/api/v1/me")).status_code == 200


async def test_a_slow_deletion_delays_no_later_look(
    users: TwoUsers, command: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections that close slowly must not let another disabled user go on."""
    accounts, presence = users.services.accounts, users.services.presence
    leave, closed = presence.leave, asyncio.Event()

    async def leave_slowly(user_id: str, reason: Reason) -> None:
        if user_id == users.ada:
            await closed.wait()
        await leave(user_id, reason)

    monkeypatch.setattr(presence, "leave", leave_slowly)
    bob = await users.services.store.users.find("proxy", "bob")
    assert bob
    await delete_by_command(command, users.ada)
    async with asyncio.timeout(PATIENCE):
        await accounts.look()
        await command.users.disable(bob.id)
        await accounts.look()
    async with asyncio.timeout(PATIENCE):
        while bob.id in presence.here:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert users.ada in presence.here
    closed.set()
    async with asyncio.timeout(PATIENCE):
        while await users.services.store.users.get(users.ada):
            await accounts.look()
            await asyncio.sleep(0.01)


async def test_a_deletion_that_fails_is_logged_once_and_tried_again(
    users: TwoUsers, command: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as when the file of the wire log cannot be changed."""
    services = users.services
    erase, tries = services.log_writer.erase, 0

    async def fail_twice(user_id: str) -> None:
        nonlocal tries
        tries += 1
        if tries <= 2:
            raise OSError
        await erase(user_id)

    monkeypatch.setattr(services.log_writer, "erase", fail_twice)
    await delete_by_command(command, users.ada)
    async with asyncio.timeout(PATIENCE):
        while await services.store.users.get(users.ada):
            await services.accounts.look()
            await asyncio.sleep(0.01)
    assert tries == 3
    assert len([each for each in caplog.records if each.name == "webclient.servers.accounts"]) == 1
