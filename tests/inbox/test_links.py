"""Opened links of 2025-11-25: the server reports them as completed, the person does, or they are given up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.house import PUSH_SERVERS, House, config, house
from tests.mcp_servers import running, stdio
from webclient.domain.errors import ConflictError
from webclient.domain.model import Action, CallState, Era, InputRequest, ReasonCode, RequestState

pytestmark = pytest.mark.anyio

push_servers = pytest.mark.parametrize("server", PUSH_SERVERS)

URL = "https://example.com/sign-in"


async def opened(rooms: House, server: str, elicitation_id: str) -> InputRequest:
    """Open the link of a call, which then ends; return the waiting request."""
    call = await rooms.call(server, "ask_url", {"url": URL, "elicitation_id": elicitation_id})
    [request] = await rooms.pending_requests(call)
    await rooms.answer(request, Action.ACCEPT)
    assert (await rooms.ended(call)).state is CallState.DONE
    return await now(rooms, request)


async def now(rooms: House, request: InputRequest) -> InputRequest:
    return await rooms.services.store.of("local").requests.get(request.id)


async def completed(rooms: House, request: InputRequest) -> InputRequest:
    """Wait until the link is completed."""

    async def look() -> InputRequest | None:
        newest = await now(rooms, request)
        return newest if newest.state is RequestState.COMPLETED else None

    return await rooms.until(look)


async def notify(rooms: House, server: str, elicitation_id: str) -> None:
    """Have the server notify that the elicitation is completed."""
    call = await rooms.ended(await rooms.call(server, "complete", {"elicitation_id": elicitation_id}))
    assert call.state is CallState.DONE


@push_servers
async def test_a_notification_completes_an_accepted_link(shared: House, server: str) -> None:
    """MCP 2025-11-25, Elicitation: "It does not mean that the interaction is complete"; clients MAY update the page."""
    request = await opened(shared, server, f"done-{server}")
    assert (request.state, request.opened_at is not None) == (RequestState.WAITING, True)
    await notify(shared, server, f"done-{server}")
    done = await completed(shared, request)
    assert done.reason_code is ReasonCode.SERVER_REPORTED_FINISHED


@push_servers
async def test_an_unknown_or_completed_id_changes_nothing(shared: House, server: str) -> None:
    """MCP 2025-11-25, Completion Notifications: clients MUST ignore unknown or already-completed ids."""
    request = await opened(shared, server, f"known-{server}")
    await notify(shared, server, f"unknown-{server}")
    # The answer that opened it may have been delivered meanwhile.
    assert replace(await now(shared, request), delivery=request.delivery) == request
    await notify(shared, server, f"known-{server}")
    done = await completed(shared, request)
    await notify(shared, server, f"known-{server}")
    assert await now(shared, request) == done


async def test_the_id_of_another_server_changes_nothing(shared: House) -> None:
    request = await opened(shared, "http-push", "same")
    await notify(shared, "stdio-push", "same")
    assert replace(await now(shared, request), delivery=request.delivery) == request
    await shared.services.inbox.links.finished("local", request.id)
    assert (await now(shared, request)).reason_code is ReasonCode.PERSON_FINISHED


async def test_a_notification_before_consent_does_not_complete(tmp_path: Path) -> None:
    """MCP 2025-11-25, Safe URL Handling: clients MUST NOT open the URL without explicit consent."""
    async with house(tmp_path, [config("raw", stdio("raw", "completed-before-consent"))]) as rooms:
        await rooms.connected("raw")
        call = await rooms.call("raw", "ask")
        [request] = await rooms.pending_requests(call)
        answered = await rooms.answer(request, Action.ACCEPT)
        assert answered.state is RequestState.WAITING
        await rooms.ended(call)
        assert (await now(rooms, request)).state is RequestState.WAITING


async def test_a_declined_link_is_not_completed(shared: House) -> None:
    call = await shared.call("http-push", "ask_url", {"url": URL, "elicitation_id": "declined"})
    [request] = await shared.pending_requests(call)
    await shared.answer(request, Action.DECLINE)
    await notify(shared, "http-push", "declined")
    assert (await now(shared, request)).state is RequestState.DECLINED


@pytest.mark.slow
async def test_a_restarted_server_can_still_notify(tmp_path: Path) -> None:
    async with (
        running() as first,
        house(tmp_path, [config("it", {"type": "http", "url": first.address}, Era.PUSH)]) as rooms,
    ):
        server = await rooms.connected("it")
        request = await opened(rooms, "it", "later")
        first.kill()
        async with running(port=first.port):
            await rooms.services.connections.disconnect(server)
            rooms.services.connections.connect(server)
            await rooms.connected("it")
            await notify(rooms, "it", "later")
            await completed(rooms, request)


async def test_a_link_waits_across_a_restart_of_this_program(tmp_path: Path) -> None:
    async with running() as server:
        servers = [config("it", {"type": "http", "url": server.address}, Era.PUSH)]
        async with house(tmp_path, servers) as rooms:
            await rooms.connected("it")
            request = await opened(rooms, "it", "later")
        async with house(tmp_path, servers) as rooms:
            assert await now(rooms, request) == request
            await rooms.connected("it")
            await notify(rooms, "it", "later")
            await completed(rooms, request)


async def test_an_opened_link_can_be_given_up(shared: House) -> None:
    """MCP 2025-11-25, Completion Notifications: clients SHOULD still provide manual controls."""
    request = await opened(shared, "http-push", "given-up")
    given_up = await shared.services.inbox.links.give_up("local", request.id)
    assert (given_up.state, given_up.reason_code) == (RequestState.CANCELLED, ReasonCode.PERSON_GAVE_UP)
    await notify(shared, "http-push", "given-up")
    assert await now(shared, request) == given_up
    with pytest.raises(ConflictError, match="you gave up waiting"):
        await shared.services.inbox.links.give_up("local", request.id)
