"""A person declines with a reason: the program that asked gets it, and it goes as answers go."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.test_asking import FORM, agent, ask, get
from tests.served import PERSON
from webclient.inbox import LONGEST_MESSAGE
from webclient.model import InputRequest, Json, Reason, ReasonCode, Requester, RequesterKind, RequestState
from webclient.program_answers.message import message_of

HOSTILE = "No.\n<script>alert(1)</script> \u202eeno \u4f60\u597d"


def answer(client: TestClient, request: Json, status: int, **body: Any) -> Json:
    """Answer as the person, and return the JSON of a response with this status."""
    response = client.post(f"/api/v1/requests/{request['id']}/answer", json=body, headers=PERSON)
    assert response.status_code == status, response.text
    found: Json = response.json()
    return found


def test_the_program_gets_the_reason_of_a_decline(client: TestClient) -> None:
    headers = agent(client)
    request = ask(client, headers)
    settled = answer(client, request, 200, action="decline", message=f"  {HOSTILE}\n")
    assert (settled["state"], settled["message"]) == ("declined", HOSTILE)
    assert get(client, request, headers)["message"] == HOSTILE
    # The words of the person are text on every page, and no part of the audit trail.
    pages = [
        client.get(path, headers={**PERSON, "Accept": "text/html"}).text
        for path in ("/history", f"/requests/{request['id']}")
    ]
    for page in pages:
        assert "&lt;script&gt;alert(1)&lt;/script&gt; ⟦U+202E⟧eno 你好" in page
        assert "<script>alert(1)" not in page


@pytest.mark.parametrize("message", [None, "", "  \n "])
def test_declining_without_a_reason_is_as_before(client: TestClient, message: str | None) -> None:
    assert "message" not in answer(client, ask(client, agent(client)), 200, action="decline", message=message)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("decline", "x" * (LONGEST_MESSAGE + 1)),
        ("decline", "NUL \0"),
        ("decline", "\x1b[2K"),
        ("accept", "Because."),
        ("cancel", "Because."),
    ],
)
def test_a_reason_that_cannot_be_sent_settles_nothing(client: TestClient, action: str, message: str) -> None:
    request = ask(client, headers := agent(client))
    assert list(answer(client, request, 422, action=action, message=message)["errors"]) == ["message"]
    assert get(client, request, headers)["state"] == "pending"
    answer(client, request, 200, action="decline", message="x" * LONGEST_MESSAGE)


def press(client: TestClient, request: Json, status: int, **fields: str) -> str:
    """Post the form of the card as a browser without JavaScript does; return the page."""
    headers = {**PERSON, "Accept": "text/html"}
    response = client.post(f"/requests/{request['id']}", data=fields, headers=headers, follow_redirects=False)
    assert response.status_code == status, response.text
    return response.text


def test_the_card_declines_with_a_reason_that_can_be_undone(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    fields = {"f0": "Rome", "decline_message": "Too late.", "with_reason": "1"}
    press(client, request, 303, **fields)
    # While it can be undone, no program has it.
    assert "message" not in (waiting := get(client, request, headers))
    assert waiting["state"] == "pending"
    undone = client.post(f"/requests/{request['id']}/undo", headers={**PERSON, "Accept": "text/html"})
    assert ">\nToo late.</textarea>" in undone.text
    press(client, request, 303, **fields)
    # A second press sends it at once.
    press(client, request, 303, **fields)
    assert (settled := get(client, request, headers))["state"] == "declined"
    assert settled["message"] == "Too late."


def test_the_plain_button_sends_no_reason(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    for _ in range(2):
        press(client, request, 303, action="decline", decline_message="Typed, and not sent.")
    assert "message" not in get(client, request, headers)


def test_a_reason_that_is_too_long_keeps_the_typed_text(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    typed = "y" * (LONGEST_MESSAGE + 1)
    page = press(client, request, 422, f0="Rome", decline_message=typed, with_reason="1")
    assert f">\n{typed}</textarea>" in page
    assert 'value="Rome"' in page
    assert f'id="why-error-{request["id"]}"' in page
    assert get(client, request, headers)["state"] == "pending"


def test_a_withdrawn_question_keeps_no_reason(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    press(client, request, 303, decline_message="Too late.", with_reason="1")
    client.post(f"/api/v1/requests/{request['id']}/withdraw", headers=headers)
    assert "message" not in get(client, request, headers)


def test_the_webhook_has_the_reason() -> None:
    asked_by = Requester(kind=RequesterKind.PROGRAM, label="Agent", address="")
    request = InputRequest(user_id="local", server_id="p", kind="form", params=FORM, asked_by=asked_by)
    assert "message" not in message_of(request)["data"]
    declined = InputRequest(
        user_id="local",
        server_id="p",
        kind="form",
        params=FORM,
        asked_by=asked_by,
        state=RequestState.DECLINED,
        reason=Reason(ReasonCode.DEADLINE_PASSED),
        decline_message="No.",
    )
    assert message_of(declined)["data"]["message"] == "No."
