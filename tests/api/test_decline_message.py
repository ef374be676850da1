"""A person declines with a message: the program that asked gets it, and it goes as answers go."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.test_asking import FORM, agent, ask, get
from tests.served import PERSON
from webclient.domain.model import InputRequest, Json, Reason, ReasonCode, Requester, RequesterKind, RequestState
from webclient.inbox import LONGEST_MESSAGE
from webclient.inbox.program_answers import message_of

HOSTILE = "No.\n<script>alert(1)</script> \u202eeno \u4f60\u597d"


def answer(client: TestClient, request: Json, status: int, **body: Any) -> Json:
    """Answer as the person, and return the JSON of a response with this status."""
    response = client.post(f"/api/v1/requests/{request['id']}/answer", json=body, headers=PERSON)
    assert response.status_code == status, response.text
    found: Json = response.json()
    return found


def test_the_program_gets_the_message_of_a_decline(client: TestClient) -> None:
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
def test_declining_without_a_message_is_as_before(client: TestClient, message: str | None) -> None:
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
def test_a_message_that_cannot_be_sent_settles_nothing(client: TestClient, action: str, message: str) -> None:
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


def test_the_card_declines_with_a_message_that_can_be_undone(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    fields = {"f0": "Rome", "decline_message": "Too late.", "with_message": "1"}
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


CITY: Json = {"requestedSchema": {"type": "object", "properties": {"city": {"type": "string"}}}}
LINK: Json = {"kind": "url", "url": "https://example.com/", "requestedSchema": None}


def page_of(client: TestClient, path: str) -> str:
    return client.get(path, headers={**PERSON, "Accept": "text/html"}).text


def save_draft(client: TestClient, request: Json, **fields: str) -> str:
    """Post the card as the page does while the person types; return what is said of the draft."""
    return client.post(f"/requests/{request['id']}/draft", data=fields, headers=PERSON).text


@pytest.mark.parametrize("body", [CITY, LINK])
def test_a_typed_message_is_kept_until_it_is_sent(client: TestClient, body: Json) -> None:
    request = ask(client, headers := agent(client), **body)
    path = f"/requests/{request['id']}"
    assert 'data-draft="' in page_of(client, path)
    assert save_draft(client, request, decline_message="Too late.") == "Draft saved."
    again = page_of(client, path)
    assert ">\nToo late.</textarea>" in again
    assert '<details class="decline-message" open>' in again
    assert "data-typed" in again
    # A message that is sent leaves no draft.
    for _ in range(2):
        press(client, request, 303, decline_message="Too late.", with_message="1")
    assert get(client, request, headers)["message"] == "Too late."
    assert "outcome__unsent" not in page_of(client, path)
    assert (
        f'href="{path}" dir' not in page_of(client, "/").partition('id="unsent-heading"')[2].partition("</section>")[0]
    )


@pytest.mark.parametrize("body", [CITY, LINK])
def test_a_message_that_was_not_sent_can_be_copied(client: TestClient, body: Json) -> None:
    request = ask(client, agent(client), **body)
    for _ in range(2):
        press(client, request, 303, action="decline", decline_message="Too late.")
    unsent = page_of(client, f"/requests/{request['id']}").partition("outcome__unsent")[2]
    assert "Your message: Too late.</pre>" in unsent


def test_an_emptied_message_leaves_no_draft(client: TestClient) -> None:
    request = ask(client, agent(client))
    save_draft(client, request, decline_message="Too late.")
    assert save_draft(client, request, decline_message=" ") == ""
    assert "Too late." not in page_of(client, f"/requests/{request['id']}")


def test_a_message_that_may_be_secret_is_not_kept(client: TestClient) -> None:
    request = ask(client, agent(client), **CITY)
    card = "Pay with 4111 1111 1111 1111"
    assert save_draft(client, request, decline_message=card) == "Draft not saved because it may contain a secret."
    said = save_draft(client, request, f0="Rome", decline_message=card)
    assert said == "Draft saved without “Your message”, which may be secret."
    page = page_of(client, f"/requests/{request['id']}")
    assert 'value="Rome"' in page
    assert "4111" not in page
    assert said in page


def test_an_answer_to_be_confirmed_keeps_the_message(client: TestClient) -> None:
    request = ask(client, agent(client))
    page = press(client, request, 422, action="accept", f0="4111 1111 1111 1111", decline_message="Too late.")
    assert 'name="confirmed"' in page
    assert ">\nToo late.</textarea>" in page


def test_a_message_survives_a_switch_to_json(client: TestClient) -> None:
    request = ask(client, agent(client))
    press(client, request, 200, edit="json", f0="Rome", decline_message="Too late.")
    assert ">\nToo late.</textarea>" in page_of(client, f"/requests/{request['id']}")


def test_the_plain_button_sends_no_message(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    for _ in range(2):
        press(client, request, 303, action="decline", decline_message="Typed, and not sent.")
    assert "message" not in get(client, request, headers)


def test_a_message_that_is_too_long_keeps_the_typed_text(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    typed = "y" * (LONGEST_MESSAGE + 1)
    page = press(client, request, 422, f0="Rome", decline_message=typed, with_message="1")
    assert f">\n{typed}</textarea>" in page
    assert 'value="Rome"' in page
    assert f'id="why-error-{request["id"]}"' in page
    assert get(client, request, headers)["state"] == "pending"


def test_a_withdrawn_question_keeps_no_message(client: TestClient) -> None:
    request = ask(client, headers := agent(client))
    press(client, request, 303, decline_message="Too late.", with_message="1")
    client.post(f"/api/v1/requests/{request['id']}/withdraw", headers=headers)
    assert "message" not in get(client, request, headers)


def test_the_webhook_has_the_message() -> None:
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
