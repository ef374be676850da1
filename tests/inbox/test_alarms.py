"""Alarms: lists warn of what the card of the same question warns of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.rows import a_request
from webclient.domain.model import Alarm, InputRequest, RequestState
from webclient.inbox.inbox import with_alarms
from webclient.store import Store
from webclient.web.pages.inbox.cards import pending_card

pytestmark = pytest.mark.anyio


def form(**properties: Any) -> InputRequest:
    """Return a question with these fields."""
    return a_request(params={"message": "Well?", "requestedSchema": {"type": "object", "properties": properties}})


def link(url: str) -> InputRequest:
    """Return a question to open this address."""
    return a_request(kind="url", params={"mode": "url", "message": "Well?", "url": url, "elicitationId": "e"})


CASES = [
    (form(name={"type": "string"}), None),
    (form(password={"type": "string"}), Alarm.SECRET),
    (form(**{f"field{n}": {"type": "string", "description": "x" * 100} for n in range(200)}), None),
    (link("https://example.com/pay"), None),
    (link("javascript:alert(1)"), Alarm.BLOCKED),
    (link("https://accounts.google.com@evil.example/"), Alarm.DISGUISED),
    (link("http://203.0.113.7:8080/"), Alarm.WARNED),
    (a_request(kind="sampling", params={"messages": [], "maxTokens": 1}), None),
]


@pytest.mark.parametrize(("request_", "alarm"), CASES)
async def test_an_alarm_says_what_the_card_says(store: Store, request_: InputRequest, alarm: Alarm | None) -> None:
    [found] = await with_alarms(store, [request_])
    assert found.alarm is alarm
    if request_.kind != "sampling":
        assert pending_card(request_).suggests_no == (alarm is not None)


async def test_a_question_that_does_not_wait_has_no_alarm(store: Store) -> None:
    refused = a_request(kind="url", params={"url": "javascript:alert(1)"}, state=RequestState.REFUSED)
    assert (await with_alarms(store, [refused]))[0].alarm is None
    assert await with_alarms(store, []) == []
