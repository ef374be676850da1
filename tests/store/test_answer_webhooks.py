"""Webhooks for answers are set to be sent by the unit of work that settles their request, once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.store.rows import a_request
from webclient.domain.model import (
    AnswerWebhook,
    Delivery,
    InputRequest,
    Origin,
    Reason,
    ReasonCode,
    RequesterIds,
    RequestState,
    WebhookState,
    now,
)
from webclient.store import Store

pytestmark = pytest.mark.anyio

SECRETS = {"url": "https://agent.example/hook", "secret": "whsec_"}
REASON = Reason(ReasonCode.DEADLINE_PASSED)


async def a_new_request(store: Store, request_id: str, user_id: str = "ada", *, most: int = 9) -> InputRequest:
    """Store a question of a program with a webhook."""
    request = a_request(
        id=request_id, user_id=user_id, origin=Origin.PROGRAM, ids=RequesterIds(hosted_task_id=request_id)
    )
    webhook = AnswerWebhook(request_id=request.id, user_id=user_id, secrets=SECRETS)
    assert await store.of(user_id).answer_webhooks.begin(webhook, most)
    assert await store.of(user_id).requests.add(request)
    return request


async def due(store: Store, **options: object) -> list[str]:
    """Return the ids of the webhooks that are to be sent by now."""
    wanted: dict[str, object] = {"most": 20, "share": 20, **options}
    found = await store.system.answer_webhooks.due(now(), **wanted)  # type: ignore[arg-type]
    assert all(each.secrets == SECRETS for each in found)
    return [each.request_id for each in found]


async def state(store: Store, request: InputRequest) -> WebhookState | None:
    """Return how far the webhook of a request came."""
    webhook = await store.of(request.user_id).answer_webhooks.get(request.id)
    return webhook.state if webhook else None


async def test_a_settled_request_sets_its_webhook_to_be_sent(store: Store) -> None:
    answered, ended, pending = [await a_new_request(store, name) for name in ("answered", "ended", "pending")]
    assert await due(store) == []
    rows = store.of("ada").requests
    settled = {"to": RequestState.ACCEPTED, "content": {"a": 1}, "delivery": Delivery.SENDING}
    assert await rows.settle(answered.id, **settled)  # type: ignore[arg-type]
    assert await rows.end_all([ended.id], RequestState.EXPIRED, REASON) == [ended.id]
    assert sorted(await due(store)) == ["answered", "ended"]
    assert await state(store, pending) is WebhookState.WAITING
    await store.of("ada").answer_webhooks.delivered(answered.id, whole=True)
    assert (await rows.get(answered.id)).delivery is Delivery.DELIVERED
    assert await state(store, answered) is WebhookState.DELIVERED
    # Neither settling it a second time nor what comes later sends it again.
    assert not await rows.settle(answered.id, to=RequestState.CANCELLED)
    assert await due(store) == ["ended"]


async def test_a_link_that_is_finished_sends_nothing_more(store: Store) -> None:
    link = await a_new_request(store, "link")
    rows = store.of("ada").requests
    assert await rows.settle(link.id, to=RequestState.WAITING)
    await store.of("ada").answer_webhooks.delivered(link.id, whole=True)
    assert await rows.settle(link.id, to=RequestState.COMPLETED, from_=[RequestState.WAITING])
    assert await due(store) == []


async def test_a_failed_webhook_comes_back_later_or_never(store: Store) -> None:
    request = await a_new_request(store, "r")
    await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
    later = now() + timedelta(hours=1)
    await store.of("ada").answer_webhooks.failed(request.id, "503", later)
    assert await due(store) == []
    assert await store.system.answer_webhooks.next(now()) == later
    await store.of("ada").answer_webhooks.failed(request.id, "410", None)
    webhook = await store.of("ada").answer_webhooks.get(request.id)
    assert webhook
    assert (webhook.state, webhook.failures, webhook.failure) == (WebhookState.FAILED, 2, "410")
    assert webhook.secrets == {}


async def test_each_user_has_a_share_of_what_is_sent(store: Store) -> None:
    for user in ("ada", "bob"):
        for number in range(3):
            request = await a_new_request(store, f"{user}{number}", user)
            await store.of(user).requests.settle(request.id, to=RequestState.DECLINED)
    assert await due(store, most=4, share=2) == ["ada0", "bob0", "ada1", "bob1"]
    assert await due(store, but=["ada0"], but_of=["bob"]) == ["ada1", "ada2"]


async def test_a_webhook_without_its_request_is_dropped(store: Store) -> None:
    lost = AnswerWebhook(request_id="lost", user_id="ada", secrets=SECRETS)
    assert await store.of("ada").answer_webhooks.begin(lost, 1)
    # The same question comes again after a crash, and finds room.
    assert await store.of("ada").answer_webhooks.begin(lost, 1)
    assert not await store.of("ada").answer_webhooks.begin(replace(lost, request_id="other"), 1)
    stored = await a_new_request(store, "stored", most=2)
    assert await store.system.answer_webhooks.unfinished() == [stored.id]


async def test_a_dropped_entry_takes_its_webhook_along(store: Store) -> None:
    request = await a_new_request(store, "r")
    await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED)
    assert await store.system.purge_entries(now() + timedelta(seconds=1)) == 1
    assert await state(store, request) is None


async def test_a_foreign_webhook_is_not_found(store: Store) -> None:
    request = await a_new_request(store, "r")
    assert await store.of("bob").answer_webhooks.get(request.id) is None
