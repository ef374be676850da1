"""A call that a fault has ended is started over, and what was answered or typed comes along as drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answer
from tests.house import House, config, house
from tests.inbox.test_inbox import form_request
from tests.mcp_servers import stdio
from webclient.domain.model import Action, Call, CallKind, CallState, Era, InputRequest, RequestState, ServerState
from webclient.inbox import Inbox, kind_of
from webclient.inbox.prefill import prefilled, texts_to_change
from webclient.store import Store
from webclient.store.live import Hub
from webclient.store.requests.drafts import Draft

pytestmark = pytest.mark.anyio


async def _draft(rooms: House, request: InputRequest) -> Draft | None:
    return (await rooms.services.store.of("local").drafts.find([request.id])).get(request.id)


async def _filled_in(rooms: House, request: InputRequest) -> str | None:
    """Return what the only field holds that was carried from before."""
    draft = await _draft(rooms, request)
    assert draft is None or draft.prefilled
    return draft.texts["f0"][0] if draft else None


async def _newest(rooms: House, call: Call) -> Call:
    return await rooms.services.store.of("local").calls.get(call.id)


async def test_a_retry_is_prefilled_with_answers_and_drafts(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_many", {"n": 3})
        answered, typed, untouched = sorted(
            await rooms.pending_requests(call, 3), key=lambda each: each.params["message"]
        )
        await rooms.answer(answered, Action.ACCEPT, {"name": "answered"})
        await rooms.services.store.of("local").drafts.save(typed.id, {"f0": ["typed"]})
        await rooms.call("it", "crash")
        interrupted = await rooms.ended(call)
        assert interrupted.can_start_over
        await rooms.status("it", ServerState.CONNECTED)
        again = await rooms.services.calls.retry(interrupted)
        assert again.retry_of == call.id
        requests = sorted(await rooms.pending_requests(again, 3), key=lambda each: each.params["message"])
        assert [await _filled_in(rooms, each) for each in requests] == ["answered", "typed", None]
        # Each call has a trace of its own.
        same = [
            {name: each.params[name] for name in ("message", "requestedSchema")} for each in (untouched, requests[2])
        ]
        assert same[0] == same[1]
        assert all(each.pending for each in requests)
        await rooms.services.calls.cancel(again)


async def test_repeated_questions_are_prefilled_in_order(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_forever")
        for name in ("first", "second"):
            [request] = await rooms.pending_requests(call)
            await rooms.answer(request, Action.ACCEPT, {"name": name})
            await rooms.settled(request)
        await rooms.pending_requests(call)
        await rooms.services.calls.cancel(await _newest(rooms, call))
        again = await rooms.services.calls.retry(await _newest(rooms, call))
        for name in ("first", "second"):
            [request] = await rooms.pending_requests(again)
            assert await _filled_in(rooms, request) == name
            await rooms.answer(request, Action.DECLINE)
            await rooms.settled(request)
        await rooms.pending_requests(again)
        await rooms.services.calls.cancel(await _newest(rooms, again))


async def test_a_second_retry_is_prefilled_with_the_first_answers(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"))]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        call = await rooms.services.calls.retry(await rooms.ended(call))
        await rooms.pending_requests(call)
        await rooms.services.store.of("local").drafts.save((await rooms.pending_requests(call))[0].id, {})
        await rooms.services.calls.cancel(await _newest(rooms, call))
        call = await rooms.services.calls.retry(await rooms.ended(call))
        [request] = await rooms.pending_requests(call)
        assert await _filled_in(rooms, request) == "Ada"
        await rooms.services.calls.cancel(call)


async def test_a_retry_is_not_prefilled_with_secrets(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"user": {"type": "string"}, "note": {"type": "string"}}}
    token = "ghp_" + "a1B2" * 9
    async with house(tmp_path, [config("it", stdio("asker"))]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form", {"schema": schema})
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {"user": "ada", "note": token})
        again = await rooms.services.calls.retry(await rooms.ended(call))
        [request] = await rooms.pending_requests(again)
        draft = await _draft(rooms, request)
        assert draft
        assert "ada" in str(draft.texts)
        assert token not in str(draft.texts)
        await rooms.services.calls.cancel(again)


def _changed(request: InputRequest, **params: Any) -> InputRequest:
    """Return another request with these parameters changed."""
    changed = request.params | params
    return replace(request, id="another", params=changed, digest=kind_of(request).digest(changed))


async def test_a_question_with_another_parameter_is_not_prefilled(tmp_path: Path) -> None:
    one = {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}
    async with house(tmp_path, [config("it", stdio("asker"))]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form", {"schema": one})
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {"n": 7})
        await rooms.ended(call)
        earlier = await rooms.services.store.of("local").requests.get(request.id)
        again = replace(await _newest(rooms, call), id="again", retry_of=call.id)
        same = _changed(earlier, _meta={"n": 2})
        filled = await prefilled(rooms.services.store, again, [same])
        assert filled[same.id]["f0"] == ["7"]
        for name, value in (("x-note", "This is about money."), ("message", "Pay?"), ("requestedSchema", {})):
            other = _changed(earlier, **{name: value})
            assert await prefilled(rooms.services.store, again, [other]) == {}, name


def _same_form(call: Call) -> InputRequest:
    request = form_request(call_id=call.id)
    return replace(request, digest=kind_of(request).digest(request.params))


async def _answered_call(store: Store, names: Sequence[str], retry_of: str | None = None) -> Call:
    """Store a call that asked the same again and again, and was answered with these names."""
    call = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask", retry_of=retry_of)
    await store.of("ada").calls.add(call)
    inbox = Inbox(store, Hub())
    for name in names:
        request = _same_form(call)
        await inbox.put([request])
        await answer(inbox, "ada", request.id, Action.ACCEPT, {"name": name})
    await inbox.close()
    return call


async def test_the_newest_call_with_an_answer_is_taken(store: Store) -> None:
    first = await _answered_call(store, ["first"])
    second = await _answered_call(store, ["second", "third"], retry_of=first.id)
    third = await _answered_call(store, [], retry_of=second.id)
    again = replace(third, id="again", retry_of=third.id)
    one, two, three = (_same_form(again) for _request in range(3))
    filled = await prefilled(store, again, [one, two, three])
    assert [filled[each.id]["f0"] for each in (one, two)] == [["second"], ["third"]]
    assert three.id not in filled
    assert await prefilled(store, replace(again, retry_of="removed"), [one]) == {}


async def test_an_answer_to_change_fills_its_form(store: Store) -> None:
    call = await _answered_call(store, ["Ada"])
    [answered] = await store.of("ada").requests.find(call_id=call.id)
    assert texts_to_change(answered)["f0"] == ["Ada"]
    assert texts_to_change(_same_form(call)) == {}
    assert texts_to_change(form_request(kind="url", params={"url": "https://example.com"}, content={})) == {}


@pytest.mark.slow
async def test_a_question_with_another_message_is_not_prefilled(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"))]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_rounds", {"n": 2})
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {"name": "one"})
        await rooms.settled(request)
        await rooms.pending_requests(call)
        await rooms.services.calls.cancel(await _newest(rooms, call))
        again = await rooms.services.calls.retry(await _newest(rooms, call))
        [first] = await rooms.pending_requests(again)
        assert await _filled_in(rooms, first) == "one"
        await rooms.answer(first, Action.ACCEPT, {"name": "one"})
        await rooms.settled(first)
        [second] = await rooms.pending_requests(again)
        assert await _filled_in(rooms, second) is None
        await rooms.services.calls.cancel(await _newest(rooms, again))


async def test_a_call_whose_server_forgot_its_question_can_be_retried(tmp_path: Path) -> None:
    """Without a key of its own, a server cannot read after a restart what it had sealed before."""
    servers = [config("it", stdio("asker"), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_rounds", {"n": 1})
        await rooms.pending_requests(call)
    async with house(tmp_path, servers) as rooms:
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        failed = await rooms.ended(call)
        assert failed.state is CallState.FAILED
        assert failed.can_start_over
        again = await rooms.services.calls.retry(failed)
        [request] = await rooms.pending_requests(again)
        assert await _filled_in(rooms, request) == "Ada"
        await rooms.services.calls.cancel(again)


@pytest.mark.parametrize("state", [RequestState.WITHDRAWN, RequestState.INTERRUPTED])
async def test_a_draft_survives_a_question_that_ends_unanswered(tmp_path: Path, state: RequestState) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_then_cancel", {"name": "x"})
        [request] = await rooms.pending_requests(call)
        await rooms.services.store.of("local").drafts.save(request.id, {"f0": ["typed"]})
        await rooms.call("it", "release" if state is RequestState.WITHDRAWN else "crash", {"name": "x"})
        assert (await rooms.settled(request)).state is state
        assert await _draft(rooms, request) == Draft({"f0": ["typed"]})
