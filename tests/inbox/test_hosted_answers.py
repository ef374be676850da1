"""Hosted tasks as their servers find them: only while they live, and with a secret answer once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.answering import answer
from tests.inbox.test_inbox import form_request
from webclient.domain.model import (
    FETCH_TIME,
    Action,
    Delivery,
    InputRequest,
    Json,
    Origin,
    RequesterIds,
    RequestState,
    Server,
    now,
)
from webclient.inbox import Inbox, hosted_answers
from webclient.inbox.hosted_answers import UNAVAILABLE, HostedAnswers
from webclient.protocol import INVALID_PARAMS, RequestRefusedError
from webclient.store import Store
from webclient.store.live import Hub

pytestmark = pytest.mark.anyio

ADDRESS = "http://127.0.0.1"
SERVER = Server(user_id="ada", label="it", transport={"type": "http", "url": ADDRESS}, id="s1")
TASK: Json = {"taskId": "t1"}


def a_hosted(schema: Json | None = None, **fields: Any) -> InputRequest:
    return form_request(schema, origin=Origin.HOSTED, **{"ids": RequesterIds(hosted_task_id="t1"), **fields})


async def code_of(answers: HostedAnswers, method: str) -> int | None:
    """Return the code of the error that the server gets; None without one."""
    try:
        await (answers._result(SERVER, TASK) if method == "tasks/result" else answers.answer(SERVER, method, TASK))
    except RequestRefusedError as error:
        return error.code
    return None


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"])
async def test_a_task_that_lived_its_time_is_unknown(store: Store, method: str) -> None:
    inbox = Inbox(store, Hub())
    answers = HostedAnswers(store, inbox)
    rows = store.of("ada").requests
    await rows.add(a_hosted(state=RequestState.DECLINED, expires_at=now() - FETCH_TIME))
    assert await code_of(answers, method) == (None if method == "tasks/list" else INVALID_PARAMS)
    assert (await answers.answer(SERVER, "tasks/list", {}))["tasks"] == []
    await inbox.close()


async def test_a_secret_result_is_fetched_once(store: Store) -> None:
    inbox = Inbox(store, Hub())
    answers = HostedAnswers(store, inbox)
    request = a_hosted({"type": "object", "properties": {"password": {"type": "string"}}})
    await inbox.put([request])
    await answer(inbox, "ada", request.id, Action.ACCEPT, {"password": "swordfish"})
    _request, result = await answers._result(SERVER, TASK)
    assert result["content"] == {"password": "swordfish"}
    assert await store.of("ada").hosted_tasks.fetched(request.id, Delivery.DELIVERED)
    assert [await code_of(answers, each) for each in ("tasks/result", "tasks/get")] == [UNAVAILABLE, None]
    await inbox.close()


async def test_the_oldest_task_without_a_row_is_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_answers, "MOST_REMEMBERED", 2)
    answers = HostedAnswers(store, Inbox(store, Hub()))
    for number in range(3):
        answers.remember(a_hosted(ids=RequesterIds(hosted_task_id=f"m{number}"), state=RequestState.CANCELLED))
    assert list(answers._over) == ["m1", "m2"]
    assert (await answers.answer(SERVER, "tasks/get", {"taskId": "m2"}))["status"] == "completed"
    with pytest.raises(RequestRefusedError):
        await answers.answer(SERVER, "tasks/get", {"taskId": "m0"})
