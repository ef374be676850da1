"""Which users get notices: those who want them, are enabled, and still sign in."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.notices.notifying import AT_ONCE, ask, body_of, opt_in, running
from tests.receiver import Receiver
from webclient.domain.model import NoticeTarget, Person, TargetKind, now
from webclient.store import Store
from webclient.store.live import Hub

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("short_pauses")]


async def test_a_disabled_user_gets_no_notice(store: Store, hub: Hub, receiver: Receiver, tmp_path: Path) -> None:
    """Browsers are forgotten, because their sign-ins are; webhooks wait until the user is enabled."""
    await opt_in(store, receiver)
    browser = NoticeTarget(user_id="ada", kind=TargetKind.PUSH, label="browser", secrets={"endpoint": "https://x"})
    await store.of("ada").notices.add_target(browser, 5)
    await store.users.disable("ada")
    assert [each.kind for each in await store.of("ada").notices.targets()] == [TargetKind.WEBHOOK]
    async with running(store, hub, tmp_path) as found:
        await ask(store, hub, "q1")
        await opt_in(store, receiver, replace(AT_ONCE, user_id="bob"))
        found.look("bob")
        await ask(store, hub, "q2", user_id="bob")
        # Bob's question came later.
        assert body_of(await receiver.next())["data"]["request_id"] == "q2"
        await store.users.enable("ada")
        found.look("ada")
        assert body_of(await receiver.next())["data"]["request_id"] == "q1"


async def test_a_user_who_does_not_sign_in_gets_no_notice(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = now() - timedelta(days=31)
    person = Person(issuer="proxy", subject="ada")
    with monkeypatch.context() as past:
        past.setattr("webclient.store.users.users.now", lambda: before)
        ada = (await store.users.recognise(person)).id
    for user_id in (ada, "bob"):
        await opt_in(store, receiver, replace(AT_ONCE, user_id=user_id))
    async with running(store, hub, tmp_path, sign_in_days=30) as found:
        await ask(store, hub, "q1", user_id=ada)
        await ask(store, hub, "q2", user_id="bob")
        assert body_of(await receiver.next())["data"]["request_id"] == "q2"
        await store.users.recognise(person)
        found.look(ada)
        assert body_of(await receiver.next())["data"]["request_id"] == "q1"


async def test_users_without_targets_cost_nothing(
    store: Store, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(store, hub, tmp_path) as found:
        await asyncio.sleep(0)
        monkeypatch.setattr(store, "of", lambda _user_id: pytest.fail("the store was asked"))
        for number in range(100):
            hub.publish("ada", "request", f"q{number}")
        await asyncio.sleep(0)
        assert found._looks == {}
