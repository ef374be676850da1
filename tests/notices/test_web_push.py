"""Messages to browsers: encrypted as RFC 8291 has it, signed as RFC 8292 has it, to known push services alone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from tests.house import settings
from tests.push_service import PushService, push_service
from tests.tables import each_row
from webclient.domain.model import NoticeSettings, NoticeTarget, TargetKind
from webclient.network import Fault, Poster, networks_of
from webclient.notifications import Notices, PushSubscription, is_push_service, new_key, public_key_of
from webclient.notifications.channels import PushChannel
from webclient.notifications.content import Content
from webclient.notifications.web_push import BLOCK, authorization, decoded, encoded, encrypt
from webclient.store import Store
from webclient.store.live import Hub
from webclient.support.paths import STATIC

pytestmark = pytest.mark.anyio

KEY = new_key()
SETTINGS = NoticeSettings(user_id="ada", push_key=KEY)
CONTENT = Content(asked_by=("Billing", "Travel"), count=3, request_id="q1")
TRUSTED: dict[str, Any] = {"push_services": ["127.0.0.1"], "webhook_networks": ["127.0.0.0/8"]}


@pytest.fixture(scope="module")
async def service(anyio_backend: str) -> AsyncIterator[PushService]:  # noqa: ARG001
    async with push_service() as service:
        yield service


async def browser_at(service: PushService, language: str = "en") -> NoticeTarget:
    subscription = await service.subscribe(public_key_of(KEY))
    secrets = {"endpoint": subscription["endpoint"], **subscription["keys"]}
    return NoticeTarget(user_id="ada", kind=TargetKind.PUSH, label="Chromium", language=language, secrets=secrets)


def channel(folder: Path, **values: Any) -> PushChannel:
    wanted = settings(folder, **values)
    return PushChannel(wanted, Poster(networks_of(wanted.webhook_networks)))


def test_a_message_is_encrypted_as_in_the_standards_example() -> None:
    """RFC 8291, Appendix A."""
    sender = decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    subscription = PushSubscription.read(
        "https://push.example/",
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "BTBZMqHH6r4Tts7J_aSIgg",
    )
    body = encrypt(
        b"When I grow up, I want to be a watermelon",
        subscription,
        sender=ec.derive_private_key(int.from_bytes(sender, "big"), ec.SECP256R1()),
        salt=decoded("DGv6ra1nlYgDCS1FRnbzlw"),
        block=1,
    )
    assert encoded(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_the_length_of_a_message_is_hidden() -> None:
    subscription = PushSubscription.read("https://push.example/", public_key_of(KEY), encoded(bytes(16)))
    lengths = {len(encrypt(bytes(length), subscription)) for length in (0, 1, 500, BLOCK - 1)}
    assert len(lengths) == 1
    with pytest.raises(ValueError, match="too long"):
        encrypt(bytes(4000), subscription)


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [("", ""), ("AAAA", encoded(bytes(16))), (encoded(b"\4" + bytes(64)), encoded(bytes(16))), ("é", "é")],
)
def test_keys_that_cannot_be_used_are_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (of several libraries)
        PushSubscription.read("https://push.example/", p256dh, auth)
    with pytest.raises(ValueError, match="length"):
        PushSubscription.read("https://push.example/", public_key_of(KEY), "AAAA")


def test_the_token_of_the_sender_is_for_one_push_service() -> None:
    header = authorization("https://fcm.googleapis.com/fcm/send/abc", KEY, "mailto:ada@example.com")
    token = header.removeprefix("vapid t=").partition(",")[0]
    claims = jwt.decode(token, options={"verify_signature": False})
    assert (claims["aud"], claims["sub"]) == ("https://fcm.googleapis.com", "mailto:ada@example.com")


@each_row(
    ("endpoint", "known"),
    [
        ("https://fcm.googleapis.com/fcm/send/x", True),
        ("https://updates.push.services.mozilla.com/wpush/v2/x", True),
        ("https://web.push.apple.com/x", True),
        ("https://wns2-par02p.notify.windows.com/w/?token=x", True),
        ("http://fcm.googleapis.com/x", False),
        ("https://fcm.googleapis.com:8443/x", False),
        ("https://user@fcm.googleapis.com/x", False),
        ("https://evil-push.apple.com/x", False),
        ("https://push.apple.com.evil.example/x", False),
        ("https://127.0.0.1/x", False),
        ("https://own.example/x", False),
        ("", False),
    ],
)
def test_only_push_services_that_are_known_get_messages(endpoint: str, known: bool) -> None:
    assert is_push_service(endpoint) is known


def test_the_operator_names_further_push_services() -> None:
    assert is_push_service("https://own.example/x", ["own.example"])
    assert not is_push_service("https://below.own.example/x", ["own.example"])


async def test_a_browser_decrypts_the_label_the_count_and_the_path(service: PushService, tmp_path: Path) -> None:
    posted = await channel(tmp_path, **TRUSTED).send("n1", CONTENT, await browser_at(service), SETTINGS)
    message = await service.message()
    assert posted.status == 201
    shown = json.loads(message["text"])
    assert shown["path"] == "requests/q1"
    assert "Billing" in shown["title"]
    assert "3" in shown["body"]
    assert set(shown) == {"title", "body", "path", "tag"}
    assert message["headers"]["urgency"] == "high"


async def test_a_browser_gets_its_own_language(service: PushService, tmp_path: Path) -> None:
    target = await browser_at(service, "zh-Hans")
    await channel(tmp_path, **TRUSTED).send("n1", CONTENT, target, SETTINGS)
    assert json.loads((await service.message())["text"])["title"] == "Billing、Travel 正在等待你"


async def test_another_sender_is_refused(service: PushService, tmp_path: Path) -> None:
    other = NoticeSettings(user_id="ada", push_key=new_key())
    posted = await channel(tmp_path, **TRUSTED).send("n1", CONTENT, await browser_at(service), other)
    assert posted.status == 403


async def test_an_unknown_push_service_gets_nothing(service: PushService, tmp_path: Path) -> None:
    target = await browser_at(service)
    for trusted in ({}, {"webhook_networks": ["127.0.0.0/8"]}, {"push_services": ["127.0.0.1"]}):
        posted = await channel(tmp_path, **trusted).send("n1", CONTENT, target, SETTINGS)
        assert posted.fault is Fault.FORBIDDEN_ADDRESS


@pytest.mark.parametrize("status", [404, 410])
async def test_an_expired_browser_is_removed(store: Store, service: PushService, tmp_path: Path, status: int) -> None:
    rows = store.of("ada").notices
    await rows.begin(SETTINGS)
    target = await browser_at(service)
    assert await rows.add_target(target, 9)
    await service.expire(target.secrets["endpoint"], status)
    notices = Notices(store, Hub(), settings(tmp_path, **TRUSTED))
    await notices.send_test(SETTINGS, target)
    assert await rows.targets() == []
    await notices.close()


def test_the_service_worker_does_nothing_but_show_and_open() -> None:
    worker = (STATIC / "js" / "service_worker.js").read_text("utf-8")
    events = {line.split('"')[1] for line in worker.splitlines() if "addEventListener" in line}
    assert events == {"push", "notificationclick"}
    for forbidden in ("fetch", "caches", "indexedDB", "importScripts", "import ", "skipWaiting", "postMessage"):
        assert forbidden not in worker
