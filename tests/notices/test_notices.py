"""Notices over a real store and a real receiver: what they say, how often they come, and what a restart changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.house import settings
from tests.notices.notifying import AT_ONCE, ask, body_of, opt_in, running
from tests.receiver import Receiver, receiving
from webclient.domain.model import (
    NoticeTarget,
    PendingSignIn,
    QuietHours,
    RequestState,
    Server,
    new_id,
    now,
)
from webclient.network import webhooks
from webclient.notifications import Notices, notices, outbox, visibility
from webclient.store import Store
from webclient.store.live import Event, Hub

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("short_pauses")]

QUIET = QuietHours(begin=time(0), end=time(23, 59), zone="UTC")


async def until(look: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so; the store says nothing of it, so it is looked at again and again."""
    async with asyncio.timeout(60):
        while not await look():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def until_empty(store: Store) -> None:
    """Wait until no notice is on its way."""

    async def look() -> bool:
        return not await store.system.notices.due(now() + timedelta(days=9), 1, share=1)

    await until(look)


async def given_up(store: Store) -> NoticeTarget:
    """Wait until the target is given up, and return it."""

    async def look() -> bool:
        return (await store.of("ada").notices.targets())[0].disabled_at is not None

    await until(look)
    return (await store.of("ada").notices.targets())[0]


async def test_a_notice_has_the_label_and_a_link_and_no_content(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path
) -> None:
    await opt_in(store, receiver)
    async with running(store, hub, tmp_path):
        await ask(store, hub, "q1")
        received = await receiver.next()
    body = body_of(received)
    assert body["type"] == "questions.waiting"
    assert body["data"] == {
        "url": "https://box.example/requests/q1",
        "count": 1,
        "sign_ins": 0,
        "asked_by": ["Billing"],
        "request_id": "q1",
    }
    assert b"Secret question" not in received.body
    assert b"Hidden claims" not in received.body


async def test_a_wanted_sign_in_is_noticed_once(store: Store, hub: Hub, receiver: Receiver, tmp_path: Path) -> None:
    await opt_in(store, receiver)
    server = Server(user_id="ada", label="Drive", transport={"type": "http", "url": "https://drive.example/mcp"})
    await store.of("ada").servers.add(server)
    sign_in = PendingSignIn(
        user_id="ada",
        server_id=server.id,
        issuer="https://secret-issuer.example",
        authorization_url="https://secret-issuer.example/authorize",
        state_hash="s",
        expires_at=now() + timedelta(hours=1),
    )
    await store.of("ada").sign_ins.put(sign_in)
    for _start in range(2):
        async with running(store, hub, tmp_path) as found:
            hub.publish("ada", "server", server.id)
            if not receiver.all:
                received = await receiver.next()
                data = body_of(received)["data"]
                assert data == {
                    "url": f"https://box.example/sign-ins/{sign_in.id}",
                    "count": 0,
                    "sign_ins": 1,
                    "asked_by": ["Drive"],
                    "sign_in_id": sign_in.id,
                }
                assert b"secret-issuer" not in received.body
            await until_empty(store)
    # A question is noticed, and says how many sign-ins still wait.
    async with running(store, hub, tmp_path) as found:
        await ask(store, hub, "q1")
        data = body_of(await receiver.next())["data"]
        assert (data["count"], data["sign_ins"], data["request_id"]) == (1, 1, "q1")
        found.look("ada")
    assert len(receiver.all) == 2


async def test_ten_questions_are_one_notice(store: Store, hub: Hub, receiver: Receiver, tmp_path: Path) -> None:
    await opt_in(store, receiver)
    for number in range(10):
        await ask(store, hub, f"q{number}", f"Server {number % 2}")
    async with running(store, hub, tmp_path) as found:
        body = body_of(await receiver.next())
        await until_empty(store)
        found.look("ada")
    assert (body["data"]["count"], body["data"]["asked_by"]) == (10, ["Server 0", "Server 1"])
    assert body["data"]["request_id"] == "q0"
    assert len(receiver.all) == 1


async def test_a_visible_page_is_enough_until_it_is_left(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visibility, "SECONDS", 60)
    await opt_in(store, receiver)
    async with running(store, hub, tmp_path) as found:
        with hub.subscribe("ada") as page:
            await ask(store, hub, "q1")
            for _ in range(2):
                while not (isinstance(item := await anext(page), Event) and item.kind == "visibility"):
                    pass
                assert receiver.all == []
                found.page_is_visible("ada")
        body_of(await receiver.next())


async def test_a_hidden_page_does_not_keep_a_notice_back(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visibility, "SECONDS", 0.05)
    await opt_in(store, receiver)
    async with running(store, hub, tmp_path):
        with hub.subscribe("ada"):
            await ask(store, hub, "q1")
            body_of(await receiver.next())


async def test_a_restart_sends_what_was_not_sent_once(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opt_in(store, receiver)
    receiver.statuses = [503]
    monkeypatch.setattr(outbox, "pause_after", lambda _failures, _retry_after: timedelta(seconds=1))
    async with running(store, hub, tmp_path):
        await ask(store, hub, "q1")
        first = await receiver.next()
    async with running(store, hub, tmp_path):
        again = await receiver.next()
        await until_empty(store)
    assert first.headers["webhook-id"] == again.headers["webhook-id"]
    assert body_of(again)["data"]["request_id"] == "q1"
    async with running(store, hub, tmp_path) as found:
        found.look("ada")
        await ask(store, hub, "q2")
    assert [body_of(each)["data"]["request_id"] for each in receiver.all] == ["q1", "q1"]


async def test_a_question_from_before_a_restart_makes_a_notice(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path
) -> None:
    await opt_in(store, receiver)
    await ask(store, hub, "q1")
    async with running(store, hub, tmp_path):
        assert body_of(await receiver.next())["data"]["request_id"] == "q1"


async def test_an_answered_question_makes_no_notice(store: Store, hub: Hub, receiver: Receiver, tmp_path: Path) -> None:
    await opt_in(store, receiver, replace(AT_ONCE, quiet=QUIET))
    notices_of_ada = store.of("ada").notices
    await notices_of_ada.change(AT_ONCE)
    receiver.status = 503
    async with running(store, hub, tmp_path):
        await ask(store, hub, "q1")
        await receiver.next()
        await store.of("ada").requests.settle("q1", to=RequestState.DECLINED)
        await until_empty(store)
    assert (await notices_of_ada.targets())[0].failure == "503"


async def test_quiet_hours_keep_a_notice_back(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Later than the question, which has the time of the machine.
    noon = (datetime.now(UTC) + timedelta(days=1)).replace(hour=12, minute=0, second=0, microsecond=0)
    monkeypatch.setattr(notices, "now", lambda: noon)
    await opt_in(store, receiver, replace(AT_ONCE, quiet=QUIET))
    async with running(store, hub, tmp_path) as found:
        await ask(store, hub, "q1")

        async def look() -> bool:
            return found._looks.get("ada") == noon.replace(hour=23, minute=59)

        await until(look)
    assert receiver.all == []


async def test_a_target_that_fails_for_days_is_given_up(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "GIVE_UP", timedelta(milliseconds=1))
    await opt_in(store, receiver)
    receiver.statuses = [500, 500, 500]
    rows = store.of("ada").notices
    async with running(store, hub, tmp_path) as found:
        await ask(store, hub, "q1")
        target = await given_up(store)
        assert target.failure == "500"
        await until_empty(store)
        assert await store.system.notices.users() == []
        receiver.statuses = []
        assert (await found.send_test(AT_ONCE, target)).is_success
    [target] = await rows.targets()
    assert (target.disabled_at, target.failing_since, target.failure) == (None, None, "")


async def test_a_gone_webhook_is_given_up_at_once(store: Store, hub: Hub, receiver: Receiver, tmp_path: Path) -> None:
    await opt_in(store, receiver)
    receiver.status = 410
    async with running(store, hub, tmp_path):
        await ask(store, hub, "q1")
        await given_up(store)
        await until_empty(store)
    assert len(receiver.all) == 1


async def test_a_test_tells_nothing_of_questions(store: Store, hub: Hub, receiver: Receiver, tmp_path: Path) -> None:
    await opt_in(store, receiver)
    await ask(store, hub, "q1")
    [target] = await store.of("ada").notices.targets()
    found = Notices(store, hub, settings(tmp_path, webhook_networks=["127.0.0.0/8"]))
    await found.send_test(AT_ONCE, target)
    body = body_of(await receiver.next())
    assert (body["type"], set(body["data"])) == ("notice.test", {"url"})
    assert "q1" not in json.dumps(body)
    await found.close()


async def test_targets_that_hang_hold_up_no_other_user(
    store: Store, hub: Hub, receiver: Receiver, tmp_path: Path
) -> None:
    async with receiving() as hanging:
        hanging.silent = True
        mallory = replace(AT_ONCE, user_id="mallory")
        await opt_in(store, hanging, mallory)
        for _target in range(webhooks.outbox.AT_ONCE):
            target = (await store.of("mallory").notices.targets())[0]
            await store.of("mallory").notices.add_target(replace(target, id=new_id()), 50)
        await opt_in(store, receiver)
        async with running(store, hub, tmp_path):
            await ask(store, hub, "hers", user_id="mallory")
            for _target in range(webhooks.outbox.SHARE):
                await hanging.next()
            await ask(store, hub, "q1")
            assert body_of(await receiver.next())["data"]["request_id"] == "q1"
            assert len(hanging.all) == webhooks.outbox.SHARE
