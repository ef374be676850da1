"""The page of notifications: its settings, and webhooks that are added, tested and removed, without JavaScript."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from standardwebhooks import Webhook as Verifier

from tests.loopback import tls
from tests.pages.person import Person
from tests.program import PATIENCE, Program, program
from tests.receiver import Receiver, receiving
from webclient.notifications import new_key, public_key_of

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_WEBHOOK_NETWORKS", "127.0.0.0/8")
        async with program(tmp_path_factory.mktemp("notices")) as served:
            yield served


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


def targets_of(page: str) -> list[str]:
    """Return the ids of the targets on the page."""
    return re.findall(r'id="target-([^"]+)"', page)


async def said(person: Person, path: str) -> str:
    """Post to an address of a target, and return the next page."""
    response = await person.submit(path)
    return await person.page(response.headers["location"])


async def test_a_webhook_is_added_tested_and_removed(person: Person, receiver: Receiver) -> None:
    url = f"{receiver.url}/hidden-token"
    added = (await person.submit("/notifications/webhooks", 200, url=url)).text
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", added)
    [target] = targets_of(added)
    assert secret
    assert "hidden-token" not in added
    page = await person.page("/notifications")
    assert targets_of(page) == [target]
    assert secret[0] not in page

    shown = await said(person, f"/notifications/targets/{target}/test")
    received = await receiver.next()
    assert received.path == "/hook/hidden-token"
    assert Verifier(secret[0]).verify(received.body, dict(received.headers))["type"] == "notice.test"
    assert "hidden-token" not in shown

    receiver.status = 500
    assert "500" in await said(person, f"/notifications/targets/{target}/test")
    await said(person, f"/notifications/targets/{target}/remove")
    assert targets_of(await person.page("/notifications")) == []
    assert (await person.submit(f"/notifications/targets/{target}/test", 404)).text


@pytest.mark.parametrize(
    "url", ["", "http://hooks.example/x", "ftp://hooks.example", "https://a:b@hooks.example/", "x"]
)
async def test_an_address_without_https_is_refused_and_kept(person: Person, url: str) -> None:
    page = (await person.submit("/notifications/webhooks", 422, url=url)).text
    assert 'aria-invalid="true"' in page
    assert f'value="{url}"' in page
    assert targets_of(page) == []


async def test_a_private_address_gets_nothing(person: Person) -> None:
    [target] = targets_of((await person.submit("/notifications/webhooks", 200, url="https://10.0.0.1/hook")).text)
    page = await said(person, f"/notifications/targets/{target}/test")
    assert "private network" in page
    await said(person, f"/notifications/targets/{target}/remove")


async def test_settings_are_saved_and_wrong_ones_explained(person: Person) -> None:
    wrong: dict[str, Any] = {"wait": "0", "quiet": "on", "begin": "25:00", "end": "07:00", "zone": "../../etc/passwd"}
    page = (await person.submit("/notifications", 422, **wrong)).text
    assert page.count('aria-invalid="true"') == 3
    assert 'value="../../etc/passwd"' in page
    right: dict[str, Any] = {"wait": "60", "quiet": "on", "begin": "23:00", "end": "06:30", "zone": "Asia/Shanghai"}
    await person.submit("/notifications", **right)
    page = await person.page("/notifications")
    for value in ("60", "23:00", "06:30", "Asia/Shanghai"):
        assert f'value="{value}"' in page
    assert re.search(r'name="quiet" value="on" checked', page)
    await person.submit("/notifications", wait="10")
    assert not re.search(r'name="quiet" value="on" checked', await person.page("/notifications"))


@pytest.mark.parametrize("zone", ["Foo/Bar", "\0", "/etc/localtime", "Asia", "x" * 10_000])
async def test_quiet_hours_need_a_known_zone(person: Person, zone: str) -> None:
    typed: dict[str, Any] = {"wait": "10", "quiet": "on", "begin": "22:00", "end": "07:00", "zone": zone}
    assert 'id="add-zone-error"' in (await person.submit("/notifications", 422, **typed)).text


async def test_quiet_hours_have_a_length(person: Person) -> None:
    same: dict[str, Any] = {"wait": "10", "quiet": "on", "begin": "07:00", "end": "07:00", "zone": "UTC"}
    assert 'id="notice-end-error"' in (await person.submit("/notifications", 422, **same)).text


async def test_no_more_than_twenty_targets_are_kept(person: Person, receiver: Receiver) -> None:
    for _ in range(20):
        await person.submit("/notifications/webhooks", 200, url=receiver.url)
    page = (await person.submit("/notifications/webhooks", 422, url=receiver.url)).text
    assert len(targets_of(page)) == 20
    for target in targets_of(page):
        await person.submit(f"/notifications/targets/{target}/remove")


async def test_a_visible_page_says_so_and_a_program_cannot(person: Person) -> None:
    await person.submit("/visible", 403)
    person.headers["Sec-Fetch-Site"] = "same-origin"
    await person.submit("/login", 200, token=person.headers.pop("Authorization").removeprefix("Bearer "))
    assert (await person.submit("/visible", 204)).content == b""


@asynccontextmanager
async def notified_browser(served: Program, name: str) -> AsyncIterator[httpx2.AsyncClient]:
    """Give a browser that is signed in and gets notifications."""
    own = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Origin": served.base}
    async with httpx2.AsyncClient(base_url=served.base, headers=own, timeout=PATIENCE, verify=tls()) as browser:
        assert (await browser.post("/login", data={"token": served.token})).status_code == 200
        keys = {"p256dh": public_key_of(new_key()), "auth": "A" * 22}
        subscription = {"endpoint": f"https://fcm.googleapis.com/send/{name}", **keys}
        assert (await browser.post("/notifications/browsers", data=subscription)).status_code == 303
        yield browser


async def test_signing_out_ends_the_notifications_of_that_browser(person: Person, served: Program) -> None:
    async with notified_browser(served, "one") as one, notified_browser(served, "two") as two:
        first, second = targets_of(await person.page("/notifications"))
        assert [name for name in one.cookies if "push" in name] != []
        assert (await one.post("/logout")).status_code == 303
        assert targets_of(await person.page("/notifications")) == [second]
        assert [name for name in one.cookies if "push" in name] == []
        await said(person, f"/notifications/targets/{second}/remove")
        assert (await two.post("/logout")).status_code == 303
    assert first != second
