"""People see their sign-ins and end them, administrators those of others; an ended one is out at once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.embedders.minting import minted
from tests.house import PATIENCE
from tests.two_users import TwoUsers, two_users
from tests.walkers import ADA, BOB, ROOT, Walker
from webclient.domain.model import AuditAction, Browser
from webclient.web.http import streaming

pytestmark = pytest.mark.anyio

PATH = "/account/sign-ins"


@pytest.fixture
async def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TwoUsers]:
    # No stream looks by itself whether its sign-in goes on.
    monkeypatch.setattr(streaming, "PING", 2 * PATIENCE)
    async with two_users(tmp_path) as users:
        yield users


async def browser(users: TwoUsers, user_agent: str) -> Walker:
    """Sign Ada in from a browser."""
    store = users.services.store
    named = Browser(user_agent=user_agent, address="10.7.7.7")
    session_id = await store.browser_sessions.create(users.ada, "oidc", browser=named)
    return Walker(user_agent, {"Cookie": f"webclient-{users.services.settings.port}={session_id}"})


async def get(users: TwoUsers, walker: Walker, path: str = PATH) -> tuple[int, str]:
    """Return the status and the text of a page."""
    async with users.client_of(walker.headers) as client:
        answer = await client.get(path)
        return answer.status_code, answer.text


async def post(users: TwoUsers, walker: Walker, path: str) -> int:
    """Post an empty form; return the status."""
    async with users.client_of(walker.headers) as client:
        return (await client.post(path, data={})).status_code


def listed(text: str) -> dict[str, str]:
    """Return what a page says of each sign-in, by its id."""
    return dict(re.findall(r'data-sign-in="(\w+)"(.*?)</li>', text, re.DOTALL))


async def test_a_person_sees_their_own_sign_ins_only(users: TwoUsers) -> None:
    phone = await browser(users, "Firefox/140 Android")
    found = listed((await get(users, phone))[1])
    [own] = [about for about in found.values() if "data-own" in about]
    assert "Firefox on Android" in own
    assert "10.7.7.7" in own
    assert len(found) == 2
    assert listed((await get(users, BOB))[1]) == {}
    # The one from the proxy is in no list: ADA comes by that.
    assert not [about for about in listed((await get(users, ADA))[1]).values() if "data-own" in about]


async def test_ending_one_ends_its_streams_and_no_other_sign_in(users: TwoUsers) -> None:
    phone, desk = await browser(users, "phone"), await browser(users, "desk")
    [id_] = [id_ for id_, about in listed((await get(users, phone))[1]).items() if "data-own" in about]
    assert await post(users, BOB, f"{PATH}/{id_}/end") == 404
    async with asyncio.timeout(PATIENCE), users.stream(phone, "/stream?page=inbox") as sent:
        assert await post(users, desk, f"{PATH}/{id_}/end") == 303
        # An empty piece is the end of the response.
        while await sent.get():
            pass
    assert [(await get(users, walker))[0] for walker in (phone, desk)] == [401, 200]
    assert await post(users, desk, f"{PATH}/{id_}/end") == 404


async def test_ending_all_others_leaves_the_browser_that_asks(users: TwoUsers) -> None:
    phone, desk = await browser(users, "phone"), await browser(users, "desk")
    assert await post(users, desk, f"{PATH}/end-others") == 303
    assert [(await get(users, walker))[0] for walker in (phone, desk)] == [401, 200]
    assert len(listed((await get(users, desk))[1])) == 1


async def test_an_administrator_ends_the_sign_ins_of_a_user(users: TwoUsers) -> None:
    phone = await browser(users, "phone")
    page = f"/admin/users/{users.ada}"
    first, second = listed((await get(users, ROOT, page))[1])
    assert await post(users, ROOT, f"/admin/users/1/sign-ins/{first}/end") == 404
    assert await post(users, ROOT, f"{page}/sign-ins/{first}/end") == 303
    assert list(listed((await get(users, ROOT, page))[1])) == [second]
    assert await post(users, ROOT, f"{page}/sign-ins/end") == 303
    assert (await get(users, phone))[0] == 401
    for path in (f"{page}/sign-ins/end", f"{page}/sign-ins/{second}/end"):
        assert await post(users, BOB, path) == 404
    trail = [each for each in await users.services.store.audit.newest() if each.action == AuditAction.SIGN_INS_ENDED]
    assert [(each.object, each.outcome) for each in trail] == [(users.ada, "1"), (users.ada, "1")]
    assert users.ada not in {each.user_id for each in trail}


async def test_sign_ins_of_applications_are_listed_and_ended(users: TwoUsers) -> None:
    async with users.client(None) as client:
        begun = (await client.post("/api/v1/sessions", json={"token": minted(sub="zoe", scope="inbox")})).json()
    frame = Walker("frame", {"Authorization": f"Bearer {begun['token']}"})
    page = f"/admin/users/{begun['user_id']}"
    [(id_, about)] = listed((await get(users, ROOT, page))[1]).items()
    assert "chat" in about
    async with asyncio.timeout(PATIENCE), users.stream(frame, "/stream?page=embed") as sent:
        assert (await sent.get()) == b"200"
        assert await post(users, ROOT, f"{page}/sign-ins/{id_}/end") == 303
        while await sent.get():
            pass
    assert (await get(users, frame, "/api/v1/me"))[0] == 401
    assert (await get(users, frame, PATH))[0] in (401, 403)


async def test_the_link_is_there_for_sessions_of_several_users(users: TwoUsers) -> None:
    phone = await browser(users, "phone")
    assert f'href="{PATH}"' in (await get(users, phone, "/"))[1]
    assert f'href="{PATH}"' not in (await get(users, ADA, "/"))[1]
