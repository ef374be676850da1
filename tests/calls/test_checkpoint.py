"""The checkpoint of a call: what it contains, what is read from a row, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.calls.requests import CALL, FORM, LINK
from tests.house import house
from webclient.calls.checkpoint import (
    Checkpoint,
    LinksCheckpoint,
    RoundCheckpoint,
    TaskCheckpoint,
    UnreadableCheckpointError,
    UnsentCheckpoint,
    from_json,
    to_json,
)
from webclient.calls.rounds import InputRound, LinksRound, Reply, round_at
from webclient.domain.model import (
    LOCAL_USER,
    Call,
    CallState,
    Delivery,
    InputRequest,
    Json,
    ReasonCode,
    RequestState,
    Server,
)
from webclient.store import Store

ROUND = RoundCheckpoint(round=3, requests={"a": LINK.id}, state="s1", unanswered_before=2)
LINKS = LinksCheckpoint(round=1, requests={LINK.id: LINK.id}, error={"code": -32042}, answers={"x": {}}, state="s1")


TASK = TaskCheckpoint(generation="2026-07-28", task_id="t1", round=2, requests={"a": LINK.id}, progress_token=7)


@pytest.mark.parametrize("checkpoint", [ROUND, LINKS, TASK])
def test_a_checkpoint_is_read_as_it_was_written(checkpoint: Checkpoint) -> None:
    stored = json.loads(json.dumps(to_json(checkpoint)))
    assert (stored["version"], stored["kind"]) == (1, checkpoint.kind)
    assert from_json(stored) == checkpoint


@pytest.mark.parametrize(
    "change", [{"version": 2}, {"version": None}, {"kind": "dance"}, {"kind": None}, {"requests": None}, {"extra": 1}]
)
def test_an_unknown_checkpoint_is_unreadable(change: Json) -> None:
    with pytest.raises(UnreadableCheckpointError):
        from_json(to_json(ROUND) | change)


@pytest.mark.parametrize("missing", ["round", "requests"])
def test_a_checkpoint_without_a_field_is_unreadable(missing: str) -> None:
    stored = to_json(ROUND)
    del stored[missing]
    with pytest.raises(UnreadableCheckpointError):
        from_json(stored)


@pytest.mark.parametrize(
    "round_",
    [
        InputRound(number=3, requests={"a": LINK, "b": FORM}, state="s1"),
        InputRound(number=4, requests={"b": FORM}, state="s1", unanswered_before=3),
        LinksRound(number=2, requests={"a": LINK}, error={"code": -32042}, sent=Reply(answers={"x": {}}, state="s1")),
    ],
)
def test_a_round_is_restored_from_its_checkpoint(round_: InputRound | LinksRound) -> None:
    assert round_at(round_.checkpoint, list(round_.requests.values())) == round_


def test_a_round_with_a_missing_request_is_not_restored() -> None:
    assert round_at(InputRound(number=1, requests={"a": LINK, "b": FORM}).checkpoint, [LINK]) is None


def test_a_checkpoint_leaves_out_confidential_answers() -> None:
    sent = InputRound(number=1, requests={"b": replace(FORM, withheld=("a",))}, state="s1").reply
    assert sent.answers == {"b": {"action": "accept", "content": {"a": 1}}}
    stored = to_json(LinksRound(number=2, requests={"a": LINK}, error={"code": -32042}, sent=sent).checkpoint)
    assert (stored["answers"], stored["state"]) == (None, None)


async def left_behind(store: Store, checkpoint: Json) -> tuple[Call, InputRequest]:
    """Write a call that waits with this checkpoint, and its request."""
    call = replace(CALL, user_id=LOCAL_USER, state=CallState.INPUT_REQUIRED, checkpoint=checkpoint)
    request = replace(LINK, user_id=LOCAL_USER, state=RequestState.PENDING)
    await store.open()
    await store.of(LOCAL_USER).calls.add(call)
    await store.of(LOCAL_USER).requests.add(request)
    await store.close()
    return call, request


@pytest.mark.anyio
@pytest.mark.parametrize("stored", [{"version": 99, "kind": "round"}, {"version": 1, "kind": "dream", "requests": {}}])
async def test_a_call_with_an_unreadable_checkpoint_is_interrupted(tmp_path: Path, stored: Json) -> None:
    call, pending = await left_behind(Store(tmp_path), stored)
    async with house(tmp_path) as rooms:
        ended = await rooms.services.store.of(LOCAL_USER).calls.get(call.id)
        assert (ended.state, ended.checkpoint) == (CallState.INTERRUPTED, None)
        request = await rooms.services.store.of(LOCAL_USER).requests.get(pending.id)
        assert request.state is RequestState.INTERRUPTED
        assert (ended.reason_code, request.reason_code) == (ReasonCode.CHECKPOINT_UNREADABLE,) * 2


TOOL_SERVER = Server(
    id=CALL.server_id, user_id=LOCAL_USER, label="it", transport={"type": "http", "url": "http://127.0.0.1:9/"}
)
OF_ROUND = replace(FORM, user_id=LOCAL_USER, state=RequestState.PENDING, content=None, total=2)


async def wait_with_secrets(store: Store, checkpoint: Checkpoint, *, argument: str | None, answer: str | None) -> None:
    """Write a call that waits; its argument, and the answer that was saved for its round, may be secrets."""
    await store.open()
    rows = store.of(LOCAL_USER)
    await rows.servers.add(TOOL_SERVER)
    withheld = ("token",) if argument else ()
    call = replace(CALL, user_id=LOCAL_USER, arguments={"token": argument, "note": None}, withheld=withheld)
    await rows.calls.add(replace(call, state=CallState.INPUT_REQUIRED, checkpoint=to_json(checkpoint)))
    await rows.requests.add(OF_ROUND)
    await rows.requests.settle(
        OF_ROUND.id,
        to=RequestState.ACCEPTED,
        content={"key": answer},
        withheld=["key"] if answer else [],
        secrets_for=CALL.id,
        delivery=Delivery.SAVED,
    )
    await rows.requests.add(replace(LINK, user_id=LOCAL_USER, state=RequestState.PENDING))
    await store.close()


BOTH = RoundCheckpoint(round=1, requests={"a": OF_ROUND.id, "b": LINK.id}, state="s1")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("checkpoint", "argument", "answer", "goes_on"),
    [
        (BOTH, "x", None, False),
        (UnsentCheckpoint(), "x", None, False),
        (BOTH, None, "x", False),
        (TASK, None, "x", False),
        (TASK, "x", None, True),
        (BOTH, None, None, True),
    ],
)
@pytest.mark.parametrize("has_key", [True, False])
async def test_a_call_is_not_sent_without_secrets_of_a_lost_key(
    tmp_path: Path, checkpoint: Checkpoint, argument: str | None, answer: str | None, *, goes_on: bool, has_key: bool
) -> None:
    await wait_with_secrets(Store(tmp_path), checkpoint, argument=argument, answer=answer)
    if not has_key:
        (tmp_path / "secrets.key").unlink()
    async with house(tmp_path) as rooms:
        rows = rooms.services.store.of(LOCAL_USER)
        call, saved, link = (
            await rows.calls.get(CALL.id),
            await rows.requests.get(OF_ROUND.id),
            await rows.requests.get(LINK.id),
        )
        if goes_on or has_key:
            assert call.reason_code is not ReasonCode.CALL_SECRETS_LOST
            assert link.pending
            return
        assert (call.state, call.reason_code) == (CallState.INTERRUPTED, ReasonCode.CALL_SECRETS_LOST)
        assert (link.state, link.reason_code) == (RequestState.INTERRUPTED, ReasonCode.CALL_SECRETS_LOST)
        assert saved.delivery is Delivery.FAILED


@pytest.mark.anyio
async def test_a_call_of_another_node_is_left_alone_at_start_up(tmp_path: Path) -> None:
    call, pending = await left_behind(Store(tmp_path, node="other"), to_json(ROUND))
    async with house(tmp_path) as rooms:
        assert (await rooms.services.store.of(LOCAL_USER).calls.get(call.id)).state is CallState.INPUT_REQUIRED
        assert (await rooms.services.store.of(LOCAL_USER).requests.get(pending.id)).pending
