"""The helpers for webhooks of both client packages, with what the running program sends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anyio import run_process
from mcp_webclient_client import MESSAGE, REASON, Answer, Inbox
from mcp_webclient_client.webhooks import Settled, WebhookError, settled
from standardwebhooks import Webhook

from tests.clients.conftest import Desk
from tests.clients.installed import installed
from tests.receiver import Receiver
from webclient.domain.model import Json
from webclient.network.webhooks import new_secret

pytestmark = pytest.mark.anyio

SECRET = new_secret()
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "password": {"type": "string"}}}
GIVEN: dict[str, Json] = {
    "accepted": {"action": "accept", "content": {"name": "Adä"}},
    "secret": {"action": "accept", "content": {"name": "Ada", "password": "hunter2hunter2"}},
    "declined": {"action": "decline", "message": "Not today."},
    "cancelled": {"action": "cancel"},
}

Post = tuple[bytes, Mapping[str, str]]


async def sent(desk: Desk, receiver: Receiver, message: str, given: Json) -> tuple[str, Post]:
    """Ask with a webhook, answer, and return the id and what the program posts."""
    inbox = Inbox(desk.program.base, desk.token)
    webhook = {"url": receiver.url, "secret": SECRET}
    posted = await inbox.post({"message": message, "requestedSchema": SCHEMA}, webhook=webhook)
    await desk.api.answer(await desk.pending(message), **given)
    received = await receiver.next()
    return posted, (received.body, received.headers)


def signed(body: str, at: datetime | None = None) -> Post:
    """Sign a message as the program does."""
    at = at or datetime.now(UTC)
    signature = Webhook(SECRET).sign("id", at, body)
    stamp = str(int(at.timestamp()))
    return body.encode(), {"webhook-id": "id", "webhook-timestamp": stamp, "webhook-signature": signature}


def forged(post: Post) -> list[tuple[Post, str]]:
    """Return messages that must not count as an answer, with the secret of the receiver."""
    (body, headers), late = post, timedelta(minutes=6)
    text = body.decode()
    return [
        (post, new_secret()),
        ((body.replace(b"accept", b"cancel"), headers), SECRET),
        ((b"\xff", headers), SECRET),
        ((body, {}), SECRET),
        ((body, {**headers, "webhook-id": "other"}), SECRET),
        ((body, {**headers, "webhook-timestamp": "soon"}), SECRET),
        ((body, {**headers, "webhook-signature": "v1"}), SECRET),
        ((body, {**headers, "webhook-signature": "v1,?"}), SECRET),
        (signed(text, datetime.now(UTC) - late), SECRET),
        (signed(text, datetime.now(UTC) + late), SECRET),
        (signed('{"type": "other"}'), SECRET),
        (signed("[]"), SECRET),
        (signed("no JSON"), SECRET),
    ]


@pytest.mark.parametrize("given", GIVEN)
async def test_a_webhook_brings_what_waiting_brings(desk: Desk, receiver: Receiver, given: str) -> None:
    posted, (body, headers) = await sent(desk, receiver, f"Python, {given}?", GIVEN[given])
    end = settled(body, headers, SECRET)
    whole = await Inbox(desk.program.base, desk.token).answer(posted)
    assert (whole.action, whole.content) == (GIVEN[given]["action"], GIVEN[given].get("content"))
    assert end == Settled(posted, None if given == "secret" else whole)


async def test_no_forged_webhook_is_an_answer(desk: Desk, receiver: Receiver) -> None:
    _, post = await sent(desk, receiver, "Forged?", GIVEN["accepted"])
    for (body, headers), secret in forged(post):
        with pytest.raises(WebhookError):
            settled(body, headers, secret)
    assert settled(*signed(post[0].decode()), SECRET).answer == Answer(**GIVEN["accepted"])


async def test_typescript_verifies_the_same_webhooks(desk: Desk, receiver: Receiver, tmp_path: Path) -> None:
    posts = {name: await sent(desk, receiver, f"Node, {name}?", given) for name, given in GIVEN.items()}
    false = forged(posts["accepted"][1])
    cases: list[Any] = [[*post, SECRET] for _, post in posts.values()]
    cases += [[body, headers, secret] for (body, headers), secret in false]
    given = json.dumps([[list(body), dict(headers), secret] for body, headers, secret in cases])
    script = str(installed(tmp_path) / "settled.mjs")
    printed = json.loads((await run_process(["node", script], input=given.encode())).stdout)
    reason = settled(*posts["cancelled"][1], SECRET).answer
    assert printed[: len(posts)] == [
        {"id": posts["accepted"][0], "result": GIVEN["accepted"]},
        {"id": posts["secret"][0]},
        {"id": posts["declined"][0], "result": {"action": "decline", "_meta": {MESSAGE: "Not today."}}},
        {"id": posts["cancelled"][0], "result": {"action": "cancel"} | meta(reason)},
    ]
    assert printed[len(posts) :] == ["WebhookError"] * len(false)


def meta(answer: Answer | None) -> Json:
    """Return the reason of an answer, and the person's words, as a result has them."""
    found = {REASON: answer.reason, MESSAGE: answer.message} if answer else {}
    return {"_meta": said} if (said := {name: text for name, text in found.items() if text}) else {}
