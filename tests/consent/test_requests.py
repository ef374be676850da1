"""Url requests in the inbox and in the API: what was opened before counts, and each user and server for themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.answering import answer
from tests.consent.test_cases import codes
from tests.mcp_servers import entry
from tests.program import program
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import Action, InputRequest, Requester
from webclient.inbox import Inbox, links_of
from webclient.store import Store
from webclient.store.live import Hub

pytestmark = pytest.mark.anyio


async def requested(store: Store, url: str, *, user: str = "ada", server: str = "s1") -> InputRequest:
    request = InputRequest(
        user_id=user,
        server_id=server,
        kind="url",
        params={"mode": "url", "message": "Go", "url": url},
        asked_by=Requester(label="it", address="https://mcp.example/mcp"),
    )
    await Inbox(store, Hub()).put([request])
    return request


async def is_new(store: Store, request: InputRequest) -> bool:
    newest = await store.of(request.user_id).requests.get(request.id)
    links = await links_of(store, request.user_id, [newest])
    return "first-time-domain" in codes(links[request.id])


async def test_opened_sites_count_for_the_same_user_and_server_only(store: Store) -> None:
    inbox = Inbox(store, Hub())
    first = await requested(store, "https://one.sign-in.example/")
    await answer(inbox, "ada", first.id, Action.ACCEPT)
    assert not await is_new(store, await requested(store, "https://two.sign-in.example/"))
    assert await is_new(store, await requested(store, "https://two.sign-in.example/", user="bob"))
    assert await is_new(store, await requested(store, "https://two.sign-in.example/", server="s2"))
    assert await is_new(store, first), "what was true when it was asked stays so"


async def test_a_declined_link_does_not_count_as_opened(store: Store) -> None:
    first = await requested(store, "https://sign-in.example/")
    await answer(Inbox(store, Hub()), "ada", first.id, Action.DECLINE)
    assert await is_new(store, await requested(store, "https://sign-in.example/"))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://xn--a/", "https://a\u200db.example/", "//a.example"])
async def test_a_blocked_link_cannot_be_accepted_and_says_why(store: Store, url: str) -> None:
    request = await requested(store, url)
    with pytest.raises(InvalidAnswerError, match=r"cannot be accepted: .+ Decline or cancel it"):
        await answer(Inbox(store, Hub()), "ada", request.id, Action.ACCEPT)


async def test_the_api_gives_findings_for_links_only(tmp_path: Path) -> None:
    servers = {"it": entry("asker")}
    async with program(tmp_path, servers=servers) as served, served.client() as api:
        call = await api.call("it", "ask_url", {"url": "https://accounts.google.com@evil.example/"})
        [link] = await api.pending_requests(call)
        found = {each["code"]: each["severity"] for each in link["findings"]}
        assert found == {"userinfo": "warn", "raw-differs": "warn", "first-time-domain": "info"}
        assert (await api.json("GET", f"/requests/{link['id']}"))["findings"] == link["findings"]
        [form] = await api.pending_requests(await api.call("it", "ask_form"))
        assert "findings" not in form
        await api.answer(link, action="decline")
        problem = await api.answer(link, 409, action="accept")
        assert "userinfo" in {each["code"] for each in problem["request"]["findings"]}


async def test_a_site_is_known_from_its_first_opened_link(store: Store) -> None:
    inbox = Inbox(store, Hub())
    links = [await requested(store, f"https://{name}.sign-in.example/") for name in ("one", "two", "three")]
    # In another order than they came.
    for link in (links[0], links[2], links[1]):
        await answer(inbox, "ada", link.id, Action.ACCEPT)
    assert [await is_new(store, link) for link in links] == [True, False, False]
