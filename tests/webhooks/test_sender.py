"""Webhooks are signed by Standard Webhooks, and go nowhere but to permitted addresses."""

from __future__ import annotations

import asyncio
import json

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from tests.mcp_servers.proxy import proxied
from tests.private_authority import PrivateAuthority
from tests.receiver import receiving
from webclient.network import Fault, networks_of, posting
from webclient.network.webhooks import GIVE_UP, Webhook, Webhooks, new_secret, outbox, pause_after
from webclient.web.pages.users.notice_form import failure_sentence

pytestmark = pytest.mark.anyio

LOOPBACK = networks_of(["127.0.0.0/8"])
BODY = {"type": "questions.waiting", "data": {"asked_by": ["Büro"]}}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> PrivateAuthority:
    return PrivateAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def sender() -> Webhooks:
    return Webhooks(LOOPBACK)


async def test_a_receiver_verifies_the_signature_of_a_webhook(sender: Webhooks) -> None:
    secret = new_secret()
    async with receiving() as receiver:
        posted = await sender.send(Webhook(url=receiver.url, secret=secret), "msg_1", BODY)
        received = await receiver.next()
    assert posted.is_success
    assert Verifier(secret).verify(received.body, dict(received.headers)) == BODY
    assert (received.headers["webhook-id"], received.headers["content-type"]) == ("msg_1", "application/json")
    with pytest.raises(WebhookVerificationError):
        Verifier(new_secret()).verify(received.body, dict(received.headers))
    with pytest.raises(WebhookVerificationError):
        Verifier(secret).verify(json.dumps(BODY | {"type": "x"}), dict(received.headers))
    await sender.close()


async def test_a_webhook_follows_no_redirect(sender: Webhooks) -> None:
    async with receiving() as elsewhere, receiving(307) as receiver:
        receiver.headers.append(("location", elsewhere.url))
        posted = await sender.send(Webhook(url=receiver.url, secret=new_secret()), "msg_1", BODY)
    assert (posted.status, posted.is_success, elsewhere.all) == (307, False, [])
    await sender.close()


async def test_a_webhook_reaches_no_private_address_by_default() -> None:
    sender = Webhooks()
    async with receiving() as receiver:
        for host in ("127.0.0.1", "localhost"):
            url = f"http://{host}:{receiver.port}/hook"
            posted = await sender.send(Webhook(url=url, secret=new_secret()), "msg_1", BODY)
            assert posted.fault is Fault.FORBIDDEN_ADDRESS
        assert receiver.all == []
    for url in ("https://169.254.169.254/", "https://10.0.0.1/", "https://[::ffff:192.168.0.1]/", "https://0.0.0.0/"):
        posted = await sender.send(Webhook(url=url, secret=new_secret()), "msg_1", BODY)
        assert posted.fault is Fault.FORBIDDEN_ADDRESS, url
    await sender.close()


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://hooks.example/", "ftp://hooks.example/", "https://", "x"])
async def test_a_webhook_goes_over_https(url: str, sender: Webhooks) -> None:
    posted = await sender.send(Webhook(url=url, secret=new_secret()), "msg_1", BODY)
    assert posted.fault is Fault.NOT_HTTPS


async def test_a_silent_receiver_is_left_after_a_while(sender: Webhooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "SECONDS", 0.1)
    async with receiving() as receiver:
        receiver.silent = True
        posted = await sender.send(Webhook(url=receiver.url, secret=new_secret()), "msg_1", BODY)
    assert (posted.fault, posted.why) == (Fault.TIMEOUT, "timeout")
    await sender.close()


async def fault_of(sender: Webhooks, url: str) -> Fault | None:
    """Return the fault of a message to an address, which must have one."""
    posted = await sender.send(Webhook(url=url, secret=new_secret()), "msg_1", BODY)
    await sender.close()
    assert posted.fault
    # A person reads a sentence on it, and not an HTTP status that none has sent.
    assert "HTTP" not in failure_sentence(posted.why).replace("HTTPS", "")
    return posted.fault


async def test_an_absent_receiver_has_its_own_fault(sender: Webhooks) -> None:
    async with receiving() as receiver:
        url = receiver.url
    assert await fault_of(sender, url) is Fault.NOTHING_LISTENS


async def _refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
    writer.close()


async def test_a_receiver_without_tls_has_its_own_fault(sender: Webhooks) -> None:
    async with await asyncio.start_server(_refuse, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        assert await fault_of(sender, f"https://127.0.0.1:{port}/") is Fault.NO_TLS


async def test_an_untrusted_certificate_has_its_own_fault(sender: Webhooks, authority: PrivateAuthority) -> None:
    async with receiving() as receiver, proxied(receiver.url, authority.tls) as (_proxy, url):
        assert await fault_of(sender, url) is Fault.CERTIFICATE_INVALID


async def test_an_unknown_host_is_as_a_forbidden_one(sender: Webhooks) -> None:
    """No user may learn which names exist in the internal network."""
    assert await fault_of(sender, "https://nowhere.invalid/") is Fault.FORBIDDEN_ADDRESS


async def test_a_receiver_says_when_to_try_again(sender: Webhooks) -> None:
    async with receiving(503) as receiver:
        for text, seconds in (("120", 120.0), ("999999999", posting.LONGEST_WAIT), ("soon", None)):
            receiver.headers = [("retry-after", text)]
            posted = await sender.send(Webhook(url=receiver.url, secret=new_secret()), "msg_1", BODY)
            assert (posted.status, posted.retry_after) == (503, seconds)
    await sender.close()


def test_pauses_grow_and_end() -> None:
    pauses = [pause_after(failures) for failures in range(1, len(outbox.PAUSES) + 2)]
    assert pauses.pop() is None
    known = [pause for pause in pauses if pause is not None]
    assert known == sorted(known)
    assert sum(pause.total_seconds() for pause in known) < GIVE_UP.total_seconds()
    longer = pause_after(1, 600)
    assert longer is not None
    assert longer.total_seconds() == 600


def test_a_webhook_shows_neither_its_address_nor_its_secret() -> None:
    shown = repr(Webhook(url="https://hooks.example/token", secret="whsec_x"))
    assert "token" not in shown
    assert "whsec_x" not in shown
