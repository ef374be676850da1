"""Both dialogues from end to end, in both eras, through the SDK's own client and a browser."""

from __future__ import annotations

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import MISSING_REQUIRED_CLIENT_CAPABILITY, URL_ELICITATION_REQUIRED, InputRequiredResult

from tests.demo.office.browsing import Browsing
from tests.demo.office.calling import ACCEPT, PUSH, ROUNDS, Caller
from tests.demo.office.conftest import TOKENS, NewBrowser, RunningOffice
from tests.loopback import local
from webclient.domain.model import Action, Era

pytestmark = pytest.mark.anyio

SECRET = "sk-a-key-that-nobody-but-the-office-sees-9f3e"
FILES = "Lisbon tickets.pdf\nPacking list.txt\nPassport scan.pdf"


async def test_a_key_is_typed_at_the_office_and_never_sent_over_mcp(alice: Caller, browser: Browsing) -> None:
    """MUST: sensitive information goes through URL mode, and the client sees nothing of it but the URL."""

    async def type_it(link: str) -> None:
        await browser.sign_in(link, "Alice")
        await browser.press("Store the key", key=SECRET)
        assert browser.heading == "Your key is stored"
        assert "go back" in browser.page.text

    assert await alice.call("set_api_key", type_it) == "Your key is set. It ends in 9f3e."
    assert SECRET not in "".join(alice.received + alice.links)
    assert SECRET not in browser.page.text + browser.url


async def test_a_drive_is_connected_and_its_files_can_be_listed(alice: Caller, browser: Browsing) -> None:
    async def connect(link: str) -> None:
        assert link.startswith(f"{link.partition('/connect')[0]}/connect?elicitation=")
        await browser.allow_drive(link, "Alice")
        assert browser.heading == "Demo Drive is connected"

    assert await alice.call("connect_drive", connect) == "Your Demo Drive is connected."
    assert await alice.call("list_drive_files") == FILES
    assert await alice.call("connect_drive") == "Your Demo Drive is connected."


@pytest.mark.smoke
async def test_accepting_is_consent_and_not_completion(alice: Caller, browser: Browsing) -> None:
    link = await alice.link_of("connect_drive")
    assert (await alice.required("list_drive_files")).code == URL_ELICITATION_REQUIRED
    await browser.allow_drive(link, "Alice")
    assert await alice.call("list_drive_files") == FILES


@pytest.mark.parametrize("answer", [Action.DECLINE, Action.CANCEL])
@pytest.mark.parametrize("tool", ["set_api_key", "connect_drive"])
async def test_a_no_changes_nothing_and_its_link_is_dead(
    alice: Caller, browser: Browsing, tool: str, answer: Action
) -> None:
    assert (await alice.call(tool, answer=answer)).startswith("Nothing was changed")
    await browser.sign_in(alice.links[-1], "Alice")
    assert (browser.page.status_code, browser.heading) == (200, "What the office keeps for you")
    assert (await browser.open(alice.links[-1])).status_code == 404


async def test_a_tool_that_needs_the_drive_says_which_link_to_open(alice: Caller, browser: Browsing) -> None:
    """MUST (URLElicitationRequiredError): a list of URL mode elicitations, each with an elicitationId."""
    error = await alice.required("list_drive_files")
    assert error.code == URL_ELICITATION_REQUIRED
    [elicitation] = error.data["elicitations"]
    assert elicitation["mode"] == "url"
    assert elicitation["elicitationId"] in elicitation["url"]
    assert elicitation["message"]
    again = await alice.required("list_drive_files")
    assert again.data == error.data
    await browser.allow_drive(elicitation["url"], "Alice")
    assert await alice.call("list_drive_files") == FILES


async def test_the_error_is_not_returned_when_nothing_is_required(alice: Caller, browser: Browsing) -> None:
    """MUST NOT return -32042 except when URL mode elicitation is required."""
    await browser.allow_drive((await alice.required("list_drive_files")).data["elicitations"][0]["url"], "Alice")
    assert await alice.call("list_drive_files") == FILES


@pytest.mark.parametrize("era", [PUSH], indirect=True)
async def test_completion_is_sent_only_to_the_client_that_started_it(
    office: RunningOffice, alice: Caller, bob: Caller, browser: Browsing
) -> None:
    """MUST only send the notification to the client that initiated the request, with its elicitationId."""
    async with office.client_of("alice", PUSH) as her_other_client:
        first = (await alice.required("list_drive_files")).data["elicitations"][0]
        second = (await her_other_client.required("list_drive_files")).data["elicitations"][0]
        await bob.required("list_drive_files")
        assert first["elicitationId"] != second["elicitationId"]
        await browser.allow_drive(first["url"], "Alice")
        await alice.news.wait()
        await her_other_client.news.wait()
        assert alice.completed == [first["elicitationId"]]
        assert her_other_client.completed == [second["elicitationId"]]
        await bob.required("list_drive_files")
        assert bob.completed == []


@pytest.mark.parametrize("era", [PUSH], indirect=True)
async def test_a_pushed_question_is_notified_before_its_call_ends(alice: Caller, browser: Browsing) -> None:
    async def connect(link: str) -> None:
        await browser.allow_drive(link, "Alice")

    await alice.call("connect_drive", connect)
    assert [alice.links[-1].partition("=")[2]] == alice.completed


@pytest.mark.parametrize("era", [PUSH], indirect=True)
async def test_a_call_that_the_client_gives_up_leaves_no_link_behind(alice: Caller, browser: Browsing) -> None:
    link = await alice.link_of("connect_drive")
    await browser.sign_in(link, "Alice")
    assert browser.heading == "Connect Demo Drive"
    alice.stop()
    while (await browser.open(link)).status_code == 200:
        pass
    assert browser.heading == "This link leads nowhere any more"


async def test_the_page_does_not_wait_for_a_client_that_has_gone(
    office: RunningOffice, era: Era, browser: Browsing
) -> None:
    async with office.client_of("alice", era) as caller:
        await caller.call("disconnect_drive")
        [needed] = (await caller.required("list_drive_files")).data["elicitations"]
    await browser.allow_drive(needed["url"], "Alice")
    assert browser.heading == "Demo Drive is connected"
    async with office.client_of("alice", era) as caller:
        assert await caller.call("list_drive_files") == FILES


@pytest.mark.parametrize("era", [ROUNDS], indirect=True)
async def test_the_same_link_is_given_as_long_as_it_was_not_used(alice: Caller, browser: Browsing) -> None:
    first = await alice.begin("connect_drive")
    assert isinstance(first, InputRequiredResult)
    again = first
    for _ in range(3):
        result = await alice.begin("connect_drive", input_responses={"open": ACCEPT}, request_state=again.request_state)
        assert isinstance(result, InputRequiredResult)
        again = result
        assert again.input_requests == first.input_requests
    [request] = (first.input_requests or {}).values()
    await browser.allow_drive(getattr(request.params, "url", ""), "Alice")
    done = await alice.begin("connect_drive", input_responses={"open": ACCEPT}, request_state=again.request_state)
    assert not isinstance(done, InputRequiredResult)


@pytest.mark.parametrize("era", [ROUNDS], indirect=True)
async def test_the_state_of_a_round_is_useless_to_another_user(alice: Caller, bob: Caller) -> None:
    """MUST: bound to the user; the server treats an echoed `requestState` as an attacker's."""
    required = await alice.begin("set_api_key")
    assert isinstance(required, InputRequiredResult)
    with pytest.raises(MCPError, match="Invalid or expired requestState"):
        await bob.begin("set_api_key", input_responses={"open": ACCEPT}, request_state=required.request_state)


async def test_each_person_has_their_own(alice: Caller, bob: Caller, new_browser: NewBrowser) -> None:
    for caller, name in ((alice, "Alice"), (bob, "Bob")):
        link = (await caller.required("list_drive_files")).data["elicitations"][0]["url"]
        await new_browser().allow_drive(link, name)
    assert await alice.call("list_drive_files") == FILES
    assert await bob.call("list_drive_files") == "Kyoto gardens.jpg\nTax return.ods"


async def test_a_client_that_cannot_open_links_is_not_sent_any(office: RunningOffice, bob: Caller, era: Era) -> None:
    """MUST NOT send elicitation requests with modes that are not supported by the client."""
    assert bob.links == []
    headers = {"Authorization": f"Bearer {TOKENS['bob']}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, **local()) as http:
        mode = "legacy" if era is PUSH else era.value
        async with Client(streamable_http_client(office.url, http_client=http), mode=mode) as client:
            for tool in ("set_api_key", "connect_drive", "list_drive_files"):
                with pytest.raises(MCPError, match="open links") as refused:
                    await client.session.call_tool(tool, {}, allow_input_required=True)
                assert refused.value.code == MISSING_REQUIRED_CLIENT_CAPABILITY


@pytest.mark.parametrize("token", [None, "an unknown token", "the access token of Alicia"])
async def test_a_client_without_a_persons_token_is_refused(office: RunningOffice, token: str | None) -> None:
    """MUST NOT rely on client-provided user identification without server verification."""
    headers = {"Authorization": f"Bearer {token}"} if token else {"X-User": "alice"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, **local()) as http:
        assert (await http.post(office.url, json={})).status_code == 401


async def test_a_session_id_alone_opens_nothing(office: RunningOffice) -> None:
    """State MUST NOT be associated with session IDs alone: Bob with Alice's session id is still Bob."""
    accept = {"Accept": "application/json, text/event-stream"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    async with httpx2.AsyncClient(headers=accept, trust_env=False, **local()) as http:
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        opened = await http.post(office.url, json=message, headers={"Authorization": f"Bearer {TOKENS['alice']}"})
        stolen = {"Authorization": f"Bearer {TOKENS['bob']}", "Mcp-Session-Id": opened.headers["mcp-session-id"]}
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        assert (await http.post(office.url, json=listing, headers=stolen)).status_code == 404
