"""Notices that run in a test over a real store, users who want them at once, and questions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook as Verifier

from tests.house import settings
from tests.receiver import Received, Receiver
from tests.store.rows import a_request
from webclient.domain.model import Json, NoticeSettings, NoticeTarget, Requester, TargetKind, now
from webclient.network.webhooks import new_secret
from webclient.notifications import Notices
from webclient.store import Store
from webclient.store.live import Hub
from webclient.support.background import CancellableTask

SECRET = new_secret()
AT_ONCE = NoticeSettings(user_id="ada", wait=timedelta(0))


@asynccontextmanager
async def running(store: Store, hub: Hub, folder: Path, **values: Any) -> AsyncIterator[Notices]:
    """Run notices while the block runs, as the program does."""
    common = {"webhook_networks": ["127.0.0.0/8"], "public_url": "https://box.example"}
    found = Notices(store, hub, settings(folder, **common, **values))
    work = CancellableTask(found.run(), name="notices")
    yield found
    work.stop()
    await work.ended()
    await found.close()


async def opt_in(store: Store, receiver: Receiver, wanted: NoticeSettings = AT_ONCE) -> None:
    user_id = wanted.user_id
    target = NoticeTarget(
        user_id=user_id, kind=TargetKind.WEBHOOK, label="bot", secrets={"url": receiver.url, "secret": SECRET}
    )
    await store.of(user_id).notices.begin(wanted)
    assert await store.of(user_id).notices.add_target(target, 5)


async def ask(store: Store, hub: Hub, request_id: str, label: str = "Billing", user_id: str = "ada") -> None:
    asked_by = Requester(label=label, address="billing.example", claims="Hidden claims")
    params = {"message": "Secret question?"}
    request = a_request(id=request_id, user_id=user_id, asked_by=asked_by, created_at=now(), params=params)
    await store.of(user_id).requests.add(request)
    hub.publish(user_id, "request", request_id)


def body_of(received: Received) -> Json:
    """Return the body of a notice whose signature is right."""
    body: Json = Verifier(SECRET).verify(received.body, dict(received.headers))
    return body
