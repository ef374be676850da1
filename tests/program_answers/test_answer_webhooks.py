"""The webhook that tells a program how its question ended: signed, without secrets, and sent again after failures."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook as Verifier

from tests.house import PATIENCE, House, house
from tests.program import program
from tests.receiver import Received, Receiver, receiving
from tests.store.rows import a_request
from webclient.auth import Scope, new_token
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    AnswerWebhook,
    Delivery,
    InputRequest,
    Json,
    Person,
    RequestState,
    WebhookState,
    asker_id_of,
    now,
)
from webclient.inbox import Asker, NewRequest
from webclient.inbox.program_answers import TooManyWebhooksError, answer_webhooks
from webclient.network.webhooks import Webhook, new_secret, outbox, pause_after

pytestmark = pytest.mark.anyio

SECRET = new_secret()
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "password": {"type": "string"}}}
PROGRAM = Asker(user_id=LOCAL_USER, id="program-agent", label="Agent")
LOOPBACK: dict[str, Any] = {"webhook_networks": ["127.0.0.0/8"]}


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, **LOOPBACK) as core:
        yield core


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again soon; as often as by default."""
    usual = pause_after

    def pause(failures: int, _retry_after: float | None) -> timedelta | None:
        return timedelta(milliseconds=failures) if usual(failures) else None

    monkeypatch.setattr(answer_webhooks, "pause_after", pause)


async def ask(core: House, receiver: Receiver, asker: Asker = PROGRAM, **changes: Any) -> InputRequest:
    """Ask the form with a webhook."""
    new = NewRequest(
        kind="form",
        params={"mode": "form", "message": "Where to?", "requestedSchema": SCHEMA},
        expires_in=timedelta(hours=1),
        webhook=Webhook(url=receiver.url, secret=SECRET),
    )
    return await core.services.program_requests.ask(asker, replace(new, **changes))


def data_of(received: Received) -> Json:
    """Return the data of a webhook whose signature is right."""
    body: Json = Verifier(SECRET).verify(received.body, dict(received.headers))
    assert body["type"] == "request.settled"
    data: Json = body["data"]
    assert received.headers["webhook-id"] == data["id"]
    return data


async def ended(core: House, request: InputRequest) -> WebhookState:
    """Wait until the webhook was delivered or is given up."""

    async def look() -> AnswerWebhook | None:
        webhook = await core.services.store.of(request.user_id).answer_webhooks.get(request.id)
        return webhook if webhook and webhook.ended_at else None

    webhook = await core.until(look)
    assert webhook.secrets == {}
    return webhook.state


async def test_an_answer_arrives_signed_and_counts_as_fetched(core: House, receiver: Receiver) -> None:
    request = await ask(core, receiver)
    assert receiver.all == []
    await core.answer(request, Action.ACCEPT, {"city": "Rome"})
    data = data_of(await receiver.next())
    assert (data["id"], data["state"], data["action"]) == (request.id, "accepted", "accept")
    assert data["content"] == {"city": "Rome"}
    assert await ended(core, request) is WebhookState.DELIVERED
    assert (await core.settled(request)).delivery is Delivery.DELIVERED


async def test_a_removed_application_gets_no_webhook(core: House, receiver: Receiver) -> None:
    core.services.answer_webhooks.knows_embedder = {"chat"}.__contains__
    requests = [await ask(core, receiver, replace(PROGRAM, token_id=None, embedder=name)) for name in ("gone", "chat")]
    for request in requests:
        await core.answer(request, Action.ACCEPT, {"city": "Rome"})
    states = [await ended(core, request) for request in requests]
    assert states == [WebhookState.FAILED, WebhookState.DELIVERED]
    assert data_of(await receiver.next())["id"] == requests[1].id


async def test_secret_values_stay_to_be_fetched(core: House, receiver: Receiver) -> None:
    request = await ask(core, receiver)
    content = {"city": "Rome", "password": "hunter2hunter2"}
    await core.answer(request, Action.ACCEPT, content)
    received = await receiver.next()
    assert b"hunter2" not in received.body
    data = data_of(received)
    assert (data["content"], data["withheld"]) == ({"city": "Rome", "password": None}, ["password"])
    assert await ended(core, request) is WebhookState.DELIVERED
    waiting = await core.settled(request)
    assert (waiting.delivery, waiting.content) == (Delivery.SENDING, content)


async def test_an_end_without_an_answer_arrives_too(core: House, receiver: Receiver) -> None:
    await core.services.program_requests.withdraw(await ask(core, receiver), "not needed")
    data = data_of(await receiver.next())
    assert (data["state"], data["action"], data["reason_code"]) == ("withdrawn", "cancel", "withdrawn_because")
    assert "not needed" in data["reason"]
    late = await ask(core, receiver, expires_in=timedelta(seconds=0.01))
    assert (await core.settled(late)).state == "expired"
    assert data_of(await receiver.next())["state"] == "expired"


async def test_a_failed_webhook_is_sent_again_with_its_id(core: House, receiver: Receiver) -> None:
    receiver.statuses = [503, 302]
    request = await ask(core, receiver)
    await core.answer(request, Action.DECLINE)
    received = [await receiver.next() for _ in range(3)]
    assert {each.headers["webhook-id"] for each in received} == {request.id}
    assert await ended(core, request) is WebhookState.DELIVERED
    webhook = await core.services.store.of(LOCAL_USER).answer_webhooks.get(request.id)
    assert webhook
    assert webhook.failures == 2


async def test_a_receiver_that_never_takes_it_is_given_up(core: House, receiver: Receiver) -> None:
    receiver.status = 500
    request = await ask(core, receiver)
    await core.answer(request, Action.ACCEPT, {"city": "Rome"})
    assert await ended(core, request) is WebhookState.FAILED
    assert len(receiver.all) == 8
    # The program can fetch the answer nevertheless.
    assert (await core.settled(request)).delivery is Delivery.SENDING


async def test_a_webhook_goes_to_no_private_network_by_default(tmp_path: Path, receiver: Receiver) -> None:
    async with house(tmp_path) as core:
        request = await ask(core, receiver)
        await core.answer(request, Action.DECLINE)
        assert await ended(core, request) is WebhookState.FAILED
    assert receiver.all == []


async def test_a_program_with_a_revoked_token_learns_nothing(core: House, receiver: Receiver) -> None:
    tokens = core.services.store.of(LOCAL_USER).tokens
    token, secret = new_token(LOCAL_USER, "Agent", [Scope.ASK])
    await tokens.add(token, secret)
    asker = Asker(user_id=LOCAL_USER, id=asker_id_of(token.id), label="Agent", token_id=token.id)
    request = await ask(core, receiver, asker)
    # As the command line does it, which cannot withdraw the question.
    await tokens.revoke(token.id)
    await core.answer(request, Action.ACCEPT, {"city": "Rome"})
    assert await ended(core, request) is WebhookState.FAILED
    assert receiver.all == []


async def test_a_refused_question_leaves_no_webhook(
    core: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_webhooks, "MOST", 1)
    request = await ask(core, receiver, key="k")
    assert await ask(core, receiver, key="k") == request
    with pytest.raises(TooManyWebhooksError):
        await ask(core, receiver)
    await core.answer(request, Action.DECLINE)
    assert await ended(core, request) is WebhookState.DELIVERED
    await ask(core, receiver)


async def test_a_receiver_that_hangs_holds_up_no_other_user(
    core: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "AT_ONCE", outbox.SHARE + 1)
    async with receiving() as hanging:
        hanging.silent = True
        for _ in range(outbox.SHARE + 2):
            await core.answer(await ask(core, hanging), Action.DECLINE)
        for _ in range(outbox.SHARE):
            await hanging.next()
        bob = await ask(core, receiver, replace(PROGRAM, user_id="bob"))
        await core.services.program_requests.withdraw(bob)
        assert data_of(await receiver.next())["id"] == bob.id
        assert len(hanging.all) == outbox.SHARE


async def test_webhooks_of_an_earlier_run_are_sent_after_a_restart(tmp_path: Path, receiver: Receiver) -> None:
    async with house(tmp_path, **LOOPBACK) as core:
        core.services.hub._listeners.clear()
        request = await ask(core, receiver)
        await core.answer(request, Action.DECLINE)
        assert receiver.all == []
    async with house(tmp_path, **LOOPBACK) as core:
        assert data_of(await receiver.next())["id"] == request.id
        assert await ended(core, request) is WebhookState.DELIVERED


@pytest.mark.slow
async def test_a_killed_program_delivers_after_its_restart(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed between the answer and the response of the receiver, so it cannot know that the webhook arrived."""
    monkeypatch.setenv("WEBCLIENT_WEBHOOK_NETWORKS", "127.0.0.0/8")
    receiver.silent = True
    webhook = {"url": receiver.url, "secret": SECRET}
    body = {"kind": "form", "message": "Where to?", "requestedSchema": SCHEMA, "webhook": webhook}
    async with program(tmp_path) as first, first.client() as api:
        request = await api.json("POST", "/requests", 201, json=body)
        assert request["webhook"] == {"state": "waiting", "failures": 0}
        answered = await api.answer(request, action="accept", content={"city": "Rome"})
        assert "webhook" not in answered
        before = await receiver.next()
        os.kill(first.pid, signal.SIGKILL)
    receiver.silent = False
    async with program(tmp_path) as second, second.client() as api:
        after = await receiver.next()
        assert data_of(after)["content"] == {"city": "Rome"}
        assert after.headers["webhook-id"] == before.headers["webhook-id"]
        async with asyncio.timeout(PATIENCE), api.stream("GET", "/events", timeout=None) as events:
            lines = events.aiter_lines()
            while (seen := await api.json("GET", f"/requests/{request['id']}"))["webhook"]["state"] == "sending":
                await anext(lines)
        assert seen["webhook"]["state"] == "delivered"
    assert len(receiver.all) == 2


async def test_a_disabled_user_is_no_longer_answered_for(core: House, receiver: Receiver) -> None:
    bob, _new = await core.services.store.users.add(Person(issuer="https://id.example", subject="bob"))
    request = await ask(core, receiver, replace(PROGRAM, user_id=bob.id))
    await core.services.store.users.disable(bob.id, even_last=True)
    webhooks = core.services.store.of(bob.id).answer_webhooks
    with core.services.hub.subscribe(bob.id) as events:
        await core.services.program_requests.withdraw(request)
        async with asyncio.timeout(PATIENCE):
            while not ((webhook := await webhooks.get(request.id)) and webhook.ended_at):
                await anext(events)
    assert webhook.state is WebhookState.FAILED
    assert receiver.all == []


async def test_a_receiver_that_is_gone_is_given_up_at_once(core: House, receiver: Receiver) -> None:
    receiver.status = 410
    request = await ask(core, receiver)
    await core.answer(request, Action.DECLINE)
    assert await ended(core, request) is WebhookState.FAILED
    assert len(receiver.all) == 1


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (RequestState.ACCEPTED, "accept"),
        (RequestState.WAITING, "accept"),
        (RequestState.COMPLETED, "accept"),
        (RequestState.DECLINED, "decline"),
        (RequestState.CANCELLED, "cancel"),
        (RequestState.EXPIRED, "cancel"),
    ],
)
def test_the_message_says_how_a_question_ended(state: RequestState, action: str) -> None:
    settled = a_request(state=state, decline_message="Too dear.", settled_at=now())
    message = answer_webhooks.message_of(settled)["data"]
    assert (message["state"], message["action"], message["message"]) == (state, action, "Too dear.")
    assert settled.settled_at
    assert message["settled_at"] == settled.settled_at.isoformat()
