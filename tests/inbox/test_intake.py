"""The intake: requests that are pushed, in a round or in an error are made, admitted and shown in the same way."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import pytest

from tests.answering import answer
from tests.disk import unwritable
from tests.inbox.test_inbox import SCHEMA
from webclient.domain.model import (
    Action,
    Call,
    CallKind,
    Delivery,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    RequestState,
    SavedSession,
    Server,
    ServerKey,
    ServerRequest,
    ServerStatus,
    now,
)
from webclient.inbox import Admission, Arrival, Deliveries, Inbox, Intake, Limits, OpenCall, RefusedError
from webclient.protocol import INTERNAL_ERROR, USER_REJECTED, RequestRefusedError
from webclient.store import StorageError, Store
from webclient.store.live import Hub

pytestmark = pytest.mark.anyio

FORM: Json = {
    "method": "elicitation/create",
    "params": {"mode": "form", "message": "Who?", "requestedSchema": SCHEMA},
}
LOST = Reason(ReasonCode.CONNECTION_LOST)
LINK: Json = {"method": "elicitation/create", "params": {"mode": "url", "message": "Go", "url": "https://example.com/"}}


@dataclass
class Endpoint:
    """A server that is connected."""

    server: Server = field(
        default_factory=lambda: Server(user_id="ada", label="travel", transport={"type": "http", "url": "http://it"})
    )
    interrupted: Reason | None = None
    status: ServerStatus = field(default_factory=lambda: ServerStatus(server_info={"name": "Bank"}))


class House:
    """An intake with a store of its own, and one call."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store = store
        self.hub = Hub()
        self.inbox = Inbox(store, self.hub)
        self.intake = Intake(
            store, self.inbox, Admission(store, self.hub, self.inbox, limits), Deliveries(store, self.hub)
        )
        self.source = Endpoint()
        self.call = Call(
            user_id="ada", server_id=self.source.server.id, server_label="travel", kind=CallKind.TOOL, name="book"
        )

    def open(self, *calls: Call) -> list[OpenCall]:
        """Return calls as they run."""
        return [OpenCall(call, self.store, self.hub) for call in calls]

    def arrival(self, *entries: Json, origin: Origin = Origin.ROUND, **more: Any) -> Arrival:
        """Make an arrival of these entries, by the keys a, b, c."""
        by_key = dict(zip("abcdefgh", entries, strict=False))
        return Arrival(source=self.source, calls=self.open(self.call), origin=origin, entries=by_key, **more)

    async def take(self, arrival: Arrival) -> dict[str, InputRequest]:
        """Admit and put an arrival; return its requests by key, from the store."""
        requests = await self.intake.admit(arrival)
        new = [each for key, each in requests.items() if each.pending and key not in arrival.opened]
        await self.intake.put(self.source, arrival.call, new)
        return {key: await self.row(each.id) for key, each in requests.items()}

    async def row(self, request_id: str) -> InputRequest:
        return await self.store.of("ada").requests.get(request_id)

    async def rows(self) -> list[InputRequest]:
        return await self.store.of("ada").requests.find()


@pytest.fixture
def house(store: Store) -> House:
    return House(store, Limits(pending=3))


@pytest.mark.parametrize("origin", list(Origin))
async def test_each_way_in_makes_the_same_request(house: House, origin: Origin) -> None:
    made = (await house.take(house.arrival(LINK, origin=origin, round=2)))["a"]
    assert (made.origin, made.kind, made.params, made.round) == (origin, "url", LINK["params"], 2)
    assert (made.call_id, made.during and made.during.name) == (house.call.id, "book")
    assert (made.asked_by.label, made.asked_by.claims) == ("travel", "Bank")
    assert (made.position, made.total, made.pending) == (1, 1, True)
    assert made.digest


async def test_a_pushed_request_keeps_its_id(house: House) -> None:
    assert (await house.take(house.arrival(FORM, origin=Origin.PUSHED)))["a"].id == "a"
    assert (await house.take(house.arrival(FORM)))["a"].id != "a"


async def test_a_hosted_request_keeps_the_id_of_its_message(house: House) -> None:
    assert (await house.take(house.arrival(FORM, origin=Origin.HOSTED)))["a"].id == "a"


async def test_a_pushed_request_that_cannot_be_read_is_refused(house: House) -> None:
    reason = Reason(ReasonCode.ENTRY_WITHOUT_URL)
    arrival = Arrival.pushed(house.source, house.open(house.call), pushed(), malformed=reason)
    assert await house.intake.admit(arrival) == {}
    [refused] = await house.rows()
    assert (refused.id, refused.state, refused.reason) == ("a", RequestState.REFUSED, reason)


async def test_a_request_of_several_possible_calls_belongs_to_none(house: House) -> None:
    calls = house.open(house.call, replace(house.call, id="other"))
    arrival = Arrival(source=house.source, calls=calls, origin=Origin.PUSHED, entries={"a": FORM})
    made = (await house.take(arrival))["a"]
    assert (made.call_id, made.during, made.round) == (None, None, None)
    assert made.possible_calls == (house.call.id, "other")


async def test_malformed_entries_are_refused_beside_the_others(house: House) -> None:
    reason = Reason(ReasonCode.ENTRY_WITHOUT_URL)
    arrival = house.arrival(LINK, {"params": {"mode": "url"}}, origin=Origin.REQUIRED, malformed={"b": reason})
    taken = await house.take(arrival)
    assert {key: each.total for key, each in taken.items()} == {"a": 1}
    [refused] = [each for each in await house.rows() if each.state is RequestState.REFUSED]
    assert (refused.kind, refused.reason) == ("url", reason)


async def test_one_refused_request_refuses_its_arrival(house: House) -> None:
    with pytest.raises(RefusedError):
        await house.intake.admit(house.arrival(FORM, {"method": "roots/list", "params": {}}))
    assert [(each.kind, each.state) for each in await house.rows()] == [("roots", RequestState.REFUSED)]


async def test_requests_of_a_muted_server_are_cancelled(house: House) -> None:
    house.source.server = replace(house.source.server, muted_at=now())
    taken = await house.take(house.arrival(FORM, LINK))
    assert {each.state for each in taken.values()} == {RequestState.CANCELLED}
    assert {each.reason_code for each in taken.values()} == {ReasonCode.SERVER_MUTED}


async def test_a_server_that_is_muted_meanwhile_is_cancelled(house: House) -> None:
    arrival = house.arrival(FORM)
    requests = await house.intake.admit(arrival)
    house.source.server = replace(house.source.server, muted_at=now())
    await house.intake.put(house.source, house.call, list(requests.values()))
    assert [each.reason_code for each in await house.rows()] == [ReasonCode.SERVER_MUTED]


class Unread(Mapping[str, Json]):
    """Very many entries, of which none may be read."""

    def __len__(self) -> int:
        return 100_000

    def __iter__(self) -> NoReturn:
        raise AssertionError

    def __getitem__(self, key: str) -> NoReturn:
        raise AssertionError


async def test_too_many_entries_are_refused_before_they_are_read(house: House) -> None:
    arrival = Arrival(source=house.source, calls=house.open(house.call), origin=Origin.ROUND, entries=Unread())
    with pytest.raises(RefusedError) as refused:
        await house.intake.admit(arrival)
    assert refused.value.refusal.reason.code is ReasonCode.TOO_MANY_AT_ONCE


async def test_an_opened_link_stays_and_needs_no_admission(house: House) -> None:
    opened = (await house.take(house.arrival(LINK)))["a"]
    await answer(house.inbox, "ada", opened.id, Action.ACCEPT)
    house.source.server = replace(house.source.server, modes=())
    assert await house.intake.admit(house.arrival(LINK, opened={"a": opened})) == {"a": opened}
    assert len(await house.rows()) == 1


@pytest.mark.parametrize("origin", list(Origin))
async def test_a_link_that_was_finished_in_the_call_says_so(house: House, origin: Origin) -> None:
    first = (await house.take(house.arrival(LINK)))["a"]
    assert first.reason is None
    await answer(house.inbox, "ada", first.id, Action.ACCEPT)
    await house.inbox.links.finished("ada", first.id)
    again, changed = LINK, {**LINK, "params": LINK["params"] | {"message": "Go on"}}
    taken = await house.take(house.arrival(again, changed, origin=origin))
    reasons = [taken[key].reason_code for key in "ab"]
    assert reasons == [ReasonCode.LINK_REPEATED, ReasonCode.LINK_REPEATED_CHANGED]


async def test_a_pushed_request_that_cannot_be_stored_frees_its_slot(house: House) -> None:
    for _time in range(5):
        with unwritable(house.store), pytest.raises(StorageError):
            await house.take(house.arrival(FORM, origin=Origin.PUSHED))
    await house.take(house.arrival(FORM, FORM, FORM))


def pushed(method: str = "elicitation/create", **values: Any) -> ServerRequest:
    return ServerRequest(id="a", method=method, params=FORM["params"], **values)


async def received(house: House, request: ServerRequest, outlives: bool) -> asyncio.Task[Json]:
    """Receive a pushed request, and return its task once the person sees it."""
    arrival = Arrival.pushed(house.source, house.open(house.call), request)
    task = asyncio.create_task(house.intake.receive(arrival, request, lambda _row: outlives))
    with house.hub.subscribe("ada") as events:
        await anext(events)
    return task


@pytest.mark.parametrize(
    ("withdrawn", "interrupted", "outlives", "ending"),
    [
        (None, LOST, True, (RequestState.PENDING, None)),
        (None, LOST, False, (RequestState.INTERRUPTED, ReasonCode.CONNECTION_LOST)),
        ("", LOST, True, (RequestState.WITHDRAWN, ReasonCode.WITHDRAWN)),
        (None, None, True, (RequestState.WITHDRAWN, ReasonCode.WITHDRAWN)),
    ],
)
async def test_a_cancelled_request_is_left_open_or_says_why(
    house: House,
    withdrawn: str | None,
    interrupted: Reason | None,
    outlives: bool,
    ending: tuple[RequestState, ReasonCode | None],
) -> None:
    task = await received(house, request := pushed(), outlives)
    assert request.wants_delivery
    request.withdrawn, house.source.interrupted = withdrawn, interrupted
    task.cancel()
    await asyncio.wait([task])
    row = await house.row("a")
    assert (row.state, row.reason_code) == ending
    assert request.outlives_session is row.pending


async def test_a_declined_message_is_an_error_that_arrives(house: House) -> None:
    """The server gets it as it gets an answer, so its delivery has not failed."""
    params = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 1}
    request = replace(pushed("sampling/createMessage"), params=params)
    task = await received(house, request, outlives=False)
    await answer(house.inbox, "ada", "a", Action.DECLINE)
    with pytest.raises(RequestRefusedError) as refused:
        await task
    assert refused.value.code == USER_REJECTED
    assert (await house.row("a")).delivery is Delivery.SENDING


async def test_a_hosted_request_that_cannot_be_stored_is_refused(house: House) -> None:
    """It frees its slot, and no task is left that its server could not find."""
    for _time in range(5):
        request = pushed(task={})
        arrival = Arrival.pushed(house.source, house.open(house.call), request, origin=Origin.HOSTED)
        with unwritable(house.store), pytest.raises(RequestRefusedError) as refused:
            await house.intake.host(arrival, request, _keep)
        assert refused.value.code == INTERNAL_ERROR
    arrival = Arrival.pushed(house.source, house.open(house.call), request, origin=Origin.HOSTED)
    hosted = await house.intake.host(arrival, request, _keep)
    assert hosted["task"]["status"] == "working"
    assert [each.ids.hosted_task_id for each in await house.rows()] == [hosted["task"]["taskId"]]
    await house.intake.close()


async def test_a_hosted_request_without_its_session_is_refused(house: House) -> None:
    """The session cannot be saved, because the disk is full: the server hears that, and the slot is free."""
    server = house.source.server
    await house.store.of("ada").servers.add(server)
    session = SavedSession(
        user_id="ada", server_id=server.id, url="http://it", session_id="s", greeting={}, era_reason="auto"
    )
    for _time in range(5):
        request = pushed(task={})
        arrival = Arrival.pushed(house.source, house.open(house.call), request, origin=Origin.HOSTED)
        with unwritable(house.store), pytest.raises(RequestRefusedError) as refused:
            await house.intake.host(arrival, request, lambda key: house.store.of(key[0]).saved_sessions.save(session))
        assert refused.value.code == INTERNAL_ERROR
    assert await house.rows() == []
    await house.take(house.arrival(FORM, FORM, FORM))


@pytest.mark.parametrize("how", ["muted", "refused"])
async def test_a_session_is_not_saved_for_a_request_that_never_waits(house: House, how: str) -> None:
    saved: list[ServerKey] = []

    async def keep(key: ServerKey) -> None:
        saved.append(key)

    house.source.server = replace(house.source.server, **{"muted_at": now()} if how == "muted" else {"modes": ()})
    arrival = Arrival.pushed(house.source, house.open(house.call), request := pushed(task={}), origin=Origin.HOSTED)
    if how == "muted":
        assert (await house.intake.host(arrival, request, keep))["task"]["status"] == "completed"
    else:
        with pytest.raises(RequestRefusedError):
            await house.intake.host(arrival, request, keep)
    assert saved == []


async def test_a_request_that_is_withdrawn_on_its_way_frees_its_slot(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links look at earlier ones of their call before they are stored."""
    looked: asyncio.Queue[Call] = asyncio.Queue()

    async def look(call: Call) -> NoReturn:
        looked.put_nowait(call)
        await asyncio.Event().wait()
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr(house.inbox, "of_call", look)
        for _time in range(3):
            task = asyncio.create_task(house.take(house.arrival(LINK)))
            await looked.get()
            task.cancel()
            await asyncio.wait([task])
    await house.take(house.arrival(FORM, FORM, FORM))


async def test_a_request_that_comes_again_is_answered_once_more(house: House) -> None:
    """Its session was lost, or the program was restarted: the row and its card are those of before."""
    made = (await house.take(house.arrival(FORM, origin=Origin.PUSHED)))["a"]
    calls = house.open(house.call)
    again = asyncio.create_task(house.intake.receive_again(made, house.source, calls, request := pushed(), _outlives))
    await answer(house.inbox, "ada", "a", Action.ACCEPT, {"name": "Ada"})
    assert await again == {"action": "accept", "content": {"name": "Ada"}}
    assert request.wants_delivery
    assert len(await house.rows()) == 1


def _outlives(_row: InputRequest) -> bool:
    return True


async def _keep(_key: ServerKey) -> None:
    """Save nothing: a server over stdio has no session that outlives its connection."""
