"""The card of a server that cannot be reached."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.store.rows import a_request
from webclient.domain.model import RequestState, ServerState, ServerStatus, now
from webclient.web.pages.reach import reach


@pytest.mark.parametrize("state", [ServerState.CONNECTING, ServerState.RECONNECTING])
def test_a_pending_card_says_its_answer_waits_for_the_server(state: ServerState) -> None:
    said = reach(a_request(), ServerStatus(state=state))
    assert "is offline. Your answer will be sent when it reconnects." in said


def test_a_pending_card_says_that_its_server_is_silent() -> None:
    status = ServerStatus(state=ServerState.CONNECTED, quiet_since=now())
    assert "does not answer at the moment" in reach(a_request(), status)


def test_a_settled_request_says_nothing_of_its_server() -> None:
    assert reach(a_request(), ServerStatus(state=ServerState.CONNECTED)) == ""
    settled = replace(a_request(), state=RequestState.DECLINED)
    assert reach(settled, ServerStatus(state=ServerState.RECONNECTING)) == ""
