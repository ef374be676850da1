"""The error -32042: the cards appear, the call waits, and is made again when everything is finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.house import ALL_SERVERS, House, config, house
from tests.mcp_servers import running, stdio
from tests.tables import each_row
from webclient.calls.required_links import MAX_LINKS, links_required
from webclient.domain.model import (
    Action,
    Call,
    CallKind,
    CallState,
    Era,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    RequestState,
)
from webclient.protocol.messages.server_error import ServerError

pytestmark = pytest.mark.anyio

CODE = -32042

MALFORMED_ENTRIES = {
    ReasonCode.ENTRY_NOT_AN_OBJECT,
    ReasonCode.ENTRY_NOT_A_LINK,
    ReasonCode.ENTRY_WITHOUT_URL,
    ReasonCode.ENTRY_MESSAGE_NOT_TEXT,
}
PUSH = ("stdio-push", "http-push")
URL = "https://example.com/sign-in"

every_server = pytest.mark.parametrize("server", ALL_SERVERS)


async def now(rooms: House, request: InputRequest) -> InputRequest:
    return await rooms.services.store.of("local").requests.get(request.id)


async def needed(rooms: House, server: str, *names: str, **more: Any) -> tuple[Call, list[InputRequest]]:
    """Call a tool that needs these links, each with an id of its own; return the call and its cards."""
    links = [{"url": f"{URL}?{name}", "elicitationId": f"{name}-{server}"} for name in names]
    call = await rooms.call(server, "need_urls", {"links": links, **more})
    return call, await rooms.pending_requests(call, len(names))


async def done_elsewhere(rooms: House, server: str, name: str, *, notify: bool = True) -> None:
    """Finish at the address; the server notifies the client of it, or not."""
    arguments = {"elicitation_id": f"{name}-{server}", "notify": notify}
    assert (await rooms.ended(await rooms.call(server, "complete", arguments))).state is CallState.DONE


async def times_called(rooms: House, server: str, name: str) -> int:
    """Return how often the tool was called for these links."""
    call = await rooms.ended(await rooms.call(server, "times_needed", {"elicitation_id": f"{name}-{server}"}))
    assert call.result
    return int(call.result["structuredContent"]["result"])


@every_server
async def test_a_call_is_sent_again_when_its_link_is_finished(shared: House, server: str) -> None:
    call, [request] = await needed(shared, server, "said")
    assert (request.kind, request.state, request.call_id) == ("url", RequestState.PENDING, call.id)
    assert (await shared.answer(request, Action.ACCEPT)).state is RequestState.WAITING
    assert not (await shared.services.store.of("local").calls.get(call.id)).state.ended
    await done_elsewhere(shared, server, "said", notify=False)
    await shared.services.inbox.links.finished("local", request.id)
    done = await shared.ended(call)
    assert done.state is CallState.DONE, done.error
    assert "signed in" in str(done.result)
    assert await times_called(shared, server, "said") == 2


@pytest.mark.parametrize("server", PUSH)
async def test_repeated_notifications_send_the_call_again_once(shared: House, server: str) -> None:
    """MCP 2025-11-25, Completion Notifications: clients MAY wait for it to automatically retry requests."""
    call, [request] = await needed(shared, server, "notified")
    await shared.answer(request, Action.ACCEPT)
    for _time in range(2):
        await done_elsewhere(shared, server, "notified")
    assert (await shared.ended(call)).state is CallState.DONE
    assert (await now(shared, request)).reason_code is ReasonCode.SERVER_REPORTED_FINISHED
    await done_elsewhere(shared, server, "notified")
    assert await times_called(shared, server, "notified") == 2


@pytest.mark.parametrize("server", PUSH)
async def test_a_notification_before_consent_is_ignored(shared: House, server: str) -> None:
    call, [request] = await needed(shared, server, "early")
    await done_elsewhere(shared, server, "early")
    assert await now(shared, request) == request
    assert await times_called(shared, server, "early") == 1
    await shared.answer(request, Action.ACCEPT)
    await shared.services.inbox.links.finished("local", request.id)
    assert (await shared.ended(call)).state is CallState.DONE


@every_server
async def test_a_call_waits_for_all_of_its_links(shared: House, server: str) -> None:
    """MCP 2025-11-25: the error MUST include a list of elicitations that are required to complete before the retry."""
    call, requests = await needed(shared, server, "one", "two", "three")
    assert [(each.round, each.position, each.total) for each in requests] == [(1, 1, 3), (1, 2, 3), (1, 3, 3)]
    for name in ("one", "two", "three"):
        await done_elsewhere(shared, server, name, notify=False)
    for request in reversed(requests):
        assert await times_called(shared, server, "one") == 1
        await shared.answer(request, Action.ACCEPT)
        await shared.services.inbox.links.finished("local", request.id)
    assert (await shared.ended(call)).state is CallState.DONE
    assert await times_called(shared, server, "one") == 2


@pytest.mark.parametrize("server", ["http-push", "http-rounds"])
@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("decline", ReasonCode.LINK_DECLINED),
        ("cancel", ReasonCode.LINK_DISMISSED),
        ("give up", ReasonCode.LINK_GIVEN_UP),
    ],
)
async def test_not_opening_a_required_link_fails_the_call(
    shared: House, server: str, action: str, code: ReasonCode
) -> None:
    call, [opened, other, refused] = await needed(shared, server, "a", "b", "c")
    await shared.answer(opened, Action.ACCEPT)
    if action == "give up":
        await shared.answer(refused, Action.ACCEPT)
        await shared.services.inbox.links.give_up("local", refused.id)
    else:
        await shared.answer(refused, Action(action))
    failed = await shared.ended(call)
    assert failed.state is CallState.FAILED
    assert failed.error
    assert (failed.error.code, failed.error.reason) == (CODE, Reason.of(code, where="example.com"))
    for request in (opened, other):
        withdrawn = await shared.settled(request)

        async def look(request: InputRequest = withdrawn) -> InputRequest | None:
            newest = await now(shared, request)
            return newest if newest.state is RequestState.WITHDRAWN else None

        ended = Reason.of(ReasonCode.CALL_ENDED_WITHOUT_LINK, where="example.com")
        assert (await shared.until(look)).reason == ended


@pytest.mark.parametrize("server", ["http-push", "http-rounds"])
async def test_a_cancelled_call_cancels_its_opened_links(shared: House, server: str) -> None:
    call, [request] = await needed(shared, server, "cancelled")
    await shared.answer(request, Action.ACCEPT)
    await shared.services.calls.cancel(await shared.services.store.of("local").calls.get(call.id))
    cancelled = await now(shared, request)
    assert (cancelled.state, cancelled.reason_code) == (RequestState.CANCELLED, ReasonCode.CALL_CANCELLED)


@pytest.mark.parametrize("server", ["http-push", "http-rounds"])
async def test_the_same_link_again_and_again_ends_by_declining(shared: House, server: str) -> None:
    call = await shared.call(server, "need_url", {"url": URL, "elicitation_id": "never"})
    for number in range(1, 13):
        [request] = await shared.pending_requests(call)
        assert request.round == number
        assert request.reason_code is (ReasonCode.LINK_REPEATED if number > 1 else None)
        await shared.answer(request, Action.ACCEPT)
        await shared.services.inbox.links.finished("local", request.id)
    [request] = await shared.pending_requests(call)
    await shared.answer(request, Action.DECLINE)
    assert (await shared.ended(call)).state is CallState.FAILED


@every_server
async def test_prompts_and_resources_may_need_a_link_as_well(shared: House, server: str) -> None:
    for kind, name, arguments in (
        (CallKind.PROMPT, "needing_prompt", {"name": f"prompt-{server}"}),
        (CallKind.RESOURCE, f"need://resource-{server}", None),
    ):
        call = await shared.services.calls.start(
            "local", await shared.server(server), kind=kind, name=name, arguments=arguments
        )
        [request] = await shared.pending_requests(call)
        await shared.answer(request, Action.ACCEPT)
        await done_elsewhere(shared, server, "prompt" if kind is CallKind.PROMPT else "resource", notify=False)
        await shared.services.inbox.links.finished("local", request.id)
        done = await shared.ended(call)
        assert done.state is CallState.DONE, done.error
        assert "signed in" in str(done.result)


def required(data: Any) -> Any:
    return links_required(ServerError(CODE, "needed", data))


GOOD: Json = {"mode": "url", "url": URL, "elicitationId": "e1", "message": "Please."}


@each_row(
    "data", [None, [], {}, "text", 7, {"elicitations": None}, {"elicitations": []}, {"elicitations": {"0": GOOD}}]
)
def test_an_error_without_a_list_says_what_is_missing(data: Any) -> None:
    found = required(data)
    assert (found.links, found.refused) == ([], [])
    assert found.missing is ReasonCode.LINKS_MISSING


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("text", ReasonCode.ENTRY_NOT_AN_OBJECT),
        (None, ReasonCode.ENTRY_NOT_AN_OBJECT),
        ({}, ReasonCode.ENTRY_NOT_A_LINK),
        ({**GOOD, "mode": "form"}, ReasonCode.ENTRY_NOT_A_LINK),
        ({"mode": "url"}, ReasonCode.ENTRY_WITHOUT_URL),
        ({**GOOD, "url": 7}, ReasonCode.ENTRY_WITHOUT_URL),
        ({**GOOD, "message": {"a": 1}}, ReasonCode.ENTRY_MESSAGE_NOT_TEXT),
    ],
)
def test_a_malformed_entry_is_refused_and_the_others_are_links(entry: Any, code: ReasonCode) -> None:
    """MCP 2025-11-25: any elicitations returned in the error MUST be URL mode elicitations."""
    found = required({"elicitations": [entry, GOOD]})
    assert found.links == [GOOD]
    assert [reason.code for _params, reason in found.refused] == [code]


def test_a_link_without_an_id_or_twice_is_one_link() -> None:
    bare = {"mode": "url", "url": URL}
    assert required({"elicitations": [bare, bare]}).links == [bare]


def test_a_hundred_thousand_links_are_cut_to_the_maximum() -> None:
    found = required({"elicitations": [{"mode": "url", "url": f"{URL}?{n}"} for n in range(100_000)]})
    assert len(found.links) == MAX_LINKS
    assert [reason for _entry, reason in found.refused] == [
        Reason.of(ReasonCode.TOO_MANY_LINKS, n=100_000, most=MAX_LINKS)
    ]


def test_an_error_with_another_code_requires_no_links() -> None:
    assert links_required(ServerError(-32603, "needed", {"elicitations": [GOOD]})) is None


@pytest.mark.parametrize(
    ("case", "links", "refused"),
    [("required-mixed", 1, 3), ("required-malformed", 0, 2), ("required-nothing", 0, 0), ("required-null", 0, 0)],
)
async def test_malformed_entries_are_shown_as_refused(tmp_path: Path, case: str, links: int, refused: int) -> None:
    async with house(tmp_path, [config("raw", stdio("raw", case))]) as rooms:
        await rooms.connected("raw")
        call = await rooms.call("raw", "ask")
        for request in await rooms.pending_requests(call, links) if links else []:
            await rooms.answer(request, Action.DECLINE)
        failed = await rooms.ended(call)
        assert failed.error
        assert (failed.state, failed.error.code) == (CallState.FAILED, CODE)
        assert links or failed.reason_code in (ReasonCode.LINKS_MISSING, ReasonCode.LINKS_INVALID)
        found = await rooms.services.store.of("local").requests.find(call_id=call.id, state=RequestState.REFUSED)
        assert len(found) == refused
        assert {each.reason_code for each in found} <= MALFORMED_ENTRIES


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        ("400", "application/json", "whole"),
        ("403", "application/json; charset=utf-8", "bare"),
        ("404", "application/problem+json", "whole"),
        ("500", "text/plain", "bare"),
        ("503", "none", "whole"),
    ],
)
async def test_the_error_is_read_from_an_http_error_response(
    tmp_path: Path, era: Era, status: str, kind: str, body: str
) -> None:
    async with (
        running("statuses", era=era, arguments=[status, kind, body]) as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, era)]) as rooms,
    ):
        await rooms.connected("it")
        call = await rooms.call("it", "ask")
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT)
        await rooms.services.inbox.links.finished("local", request.id)
        done = await rooms.ended(call)
        assert done.state is CallState.DONE, done.error


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_http_error_without_json_rpc_fails_the_call(tmp_path: Path, era: Era) -> None:
    async with (
        running("statuses", era=era, arguments=["500", "text/html", "page"]) as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, era)]) as rooms,
    ):
        await rooms.connected("it")
        assert (await rooms.ended(await rooms.call("it", "ask"))).state is CallState.FAILED
