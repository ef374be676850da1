"""A program asks whether a tool may run: the decision, what it is bound to, and what may run."""

from __future__ import annotations

import hashlib
import re
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.api.test_asking import agent, answer, get
from webclient.domain.model import Json

SCHEMA = {
    "type": "object",
    "properties": {
        "to": {"type": "string", "title": "To account"},
        "amount": {"type": "number", "minimum": 0},
        "memo": {"type": "string", "default": "none"},
        "password": {"type": "string"},
    },
    "required": ["to", "amount"],
}
TOOL = {"name": "pay", "title": "Send a payment", "inputSchema": SCHEMA, "annotations": {"destructiveHint": True}}
ARGUMENTS = {"to": "DE12", "amount": 250.5}


def propose(client: TestClient, headers: dict[str, str], status: int = 201, **changes: Any) -> Json:
    """Ask whether the tool may run, with changes."""
    body = {"kind": "approval", "tool": TOOL, "arguments": ARGUMENTS} | changes
    response = client.post("/api/v1/requests", json=body, headers=headers)
    assert response.status_code == status, response.text
    found: Json = response.json()
    return found


def decision(client: TestClient, request: Json, headers: dict[str, str]) -> Json:
    """Return the decision as the program gets it."""
    found: Json = get(client, request, headers)["decision"]
    return found


def posted(client: TestClient, request: Json, *fields: tuple[str, str]) -> int:
    """Post the card as a browser does without scripts, and return the status."""
    body = "&".join(f"{name}={value}" for name, value in fields)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    path = f"/requests/{request['id']}"
    return client.post(path, content=body, headers=headers, follow_redirects=False).status_code


def test_the_digest_is_that_of_rfc_8785(client: TestClient) -> None:
    request = propose(client, agent(client), arguments={"to": "é", "amount": 1.0, "b": [True, None]})
    written = '{"arguments":{"amount":1,"b":[true,null],"to":"é"},"tool":"pay"}'
    assert request["digest"] == f"sha-256:{hashlib.sha256(written.encode()).hexdigest()}"


def test_an_approval_gives_what_was_proposed(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers, message="The invoice is due.")
    assert answer(client, request, action="accept", digest=request["digest"]) == 200
    given = decision(client, request, headers)
    assert (given["verb"], given["arguments"], given["digest"]) == ("approve", ARGUMENTS, request["digest"])
    assert given["by"]
    assert given["at"]


def test_an_edit_gives_the_arguments_that_may_run(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers)
    edited = ARGUMENTS | {"amount": 25}
    assert answer(client, request, action="accept", content={"arguments": edited}) == 200
    given = decision(client, request, headers)
    assert (given["verb"], given["arguments"]) == ("edit", edited)
    assert given["digest"] != request["digest"]
    assert given["digest"] == propose(client, headers, arguments=edited)["digest"]


def test_a_rejection_gives_the_words_and_no_arguments(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers)
    assert answer(client, request, action="decline", message="Not before Monday.") == 200
    given = decision(client, request, headers)
    assert (given["verb"], given["arguments"], given["message"]) == ("reject", None, "Not before Monday.")


def test_a_response_takes_the_place_of_the_tool(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers)
    assert answer(client, request, action="accept", content={"respond": "I paid it myself."}) == 200
    given = decision(client, request, headers)
    assert (given["verb"], given["arguments"], given["message"]) == ("respond", None, "I paid it myself.")


def test_a_dismissed_proposal_has_no_decision(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers)
    assert answer(client, request, action="cancel") == 200
    assert "decision" not in get(client, request, headers)


def test_another_digest_decides_nothing(client: TestClient) -> None:
    headers = agent(client)
    request, other = propose(client, headers), propose(client, headers, arguments={"to": "DE12", "amount": 9})
    assert answer(client, request, action="accept", digest=other["digest"]) == 409
    assert get(client, request, headers)["state"] == "pending"


@pytest.mark.parametrize(
    "content",
    [
        {"arguments": {"to": "DE12", "amount": -1}},
        {"arguments": {"amount": 1}},
        {"arguments": "all"},
        {"arguments": ARGUMENTS, "respond": "Both."},
        {"respond": " "},
        {"respond": 7},
        {"amount": 1},
    ],
)
def test_an_answer_that_does_not_fit_decides_nothing(client: TestClient, content: Json) -> None:
    headers = agent(client)
    request = propose(client, headers)
    assert answer(client, request, action="accept", content=content) == 422
    assert get(client, request, headers)["state"] == "pending"


@pytest.mark.parametrize(
    ("allow", "body"),
    [
        (["reject"], {"action": "accept"}),
        (["approve"], {"action": "accept", "content": {"arguments": {"to": "DE12", "amount": 1}}}),
        (["approve"], {"action": "accept", "content": {"respond": "No."}}),
        (["approve"], {"action": "decline"}),
    ],
)
def test_a_program_gets_no_decision_that_it_cannot_honour(client: TestClient, allow: list[str], body: Json) -> None:
    headers = agent(client)
    request = propose(client, headers, allow=allow)
    assert answer(client, request, **body) == 422
    assert get(client, request, headers)["state"] == "pending"


def test_the_card_has_no_button_that_does_nothing(client: TestClient) -> None:
    page = _page(client, propose(client, agent(client), allow=["approve"]))
    assert 'value="accept"' in page
    assert 'value="decline"' not in page
    assert 'name="with_response"' not in page
    assert 'name="f0"' not in page


def test_untouched_fields_approve_exactly_the_proposal(client: TestClient) -> None:
    headers = agent(client)
    arguments = {"to": "a\nb", "amount": 1.0, "extra": {"deep": [1, None]}}
    request = propose(client, headers, arguments=arguments)
    extra = quote('{"deep": [1, null]}')
    fields = [("f0", "a%0D%0Ab"), ("f1", "1.0"), ("f2", ""), ("f3", ""), ("f4.json", extra), ("action", "accept")]
    assert posted(client, request, *fields) in (200, 303)
    given = decision(client, request, headers)
    assert (given["verb"], given["arguments"]) == ("approve", arguments)


def test_a_changed_field_edits_that_argument_alone(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers, arguments=ARGUMENTS | {"memo": "a\nb"})
    fields = [("f0", "DE12"), ("f1", "25"), ("f2", "a%0D%0Ab"), ("f3", ""), ("action", "accept")]
    assert posted(client, request, *fields) in (200, 303)
    given = decision(client, request, headers)
    assert (given["verb"], given["arguments"]) == ("edit", {"to": "DE12", "amount": 25, "memo": "a\nb"})


def test_a_default_that_the_agent_left_out_stays_out(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers)
    assert posted(client, request, ("f0", "DE12"), ("f1", "25"), ("f2", ""), ("action", "accept")) in (200, 303)
    assert "memo" not in decision(client, request, headers)["arguments"]


@pytest.mark.parametrize("schema", [None, {}, {"type": 7, "properties": 3}, {"properties": {"path": 5}}, SCHEMA])
def test_arguments_that_no_schema_describes_can_be_approved(client: TestClient, schema: Json | None) -> None:
    headers = agent(client)
    tool = {"name": "delete_file"} | ({} if schema is None else {"inputSchema": schema})
    request = propose(client, headers, tool=tool, arguments={"path": "/etc/passwd", "force": None})
    assert "/etc/passwd" in _page(client, request)
    assert answer(client, request, action="accept") == 200
    assert decision(client, request, headers)["arguments"] == {"path": "/etc/passwd", "force": None}


@pytest.mark.slow
def test_arguments_of_five_thousand_keys_are_bound_and_decided(client: TestClient) -> None:
    headers = agent(client)
    arguments = {f"key {number}": number for number in range(5_000)}
    request = propose(client, headers, arguments=arguments)
    assert len(_page(client, request)) < 3_000_000
    assert answer(client, request, action="accept") == 200
    assert decision(client, request, headers)["arguments"] == arguments


def test_keys_that_differ_in_hidden_characters_are_shown_apart(client: TestClient) -> None:
    headers = agent(client)
    arguments = {"to": "DE12", "to\u200b": "DE99", "amount": 1}
    request = propose(client, headers, arguments=arguments)
    names = re.findall(r"<dt[^>]*>(.*?)</dt>", _page(client, request), re.DOTALL)
    assert len({name for name in names if ">to" in name}) == 2
    assert not any("\u200b" in name for name in names)
    assert answer(client, request, action="accept") == 200
    assert decision(client, request, headers)["arguments"] == arguments


def test_the_same_call_proposed_again_and_again_is_one_question(client: TestClient) -> None:
    headers = agent(client) | {"Idempotency-Key": "the same"}
    ids = {propose(client, headers)["id"] for _time in range(50)}
    assert len(ids) == 1


def test_a_number_that_cannot_be_written_exactly_is_refused(client: TestClient) -> None:
    propose(client, agent(client), status=422, arguments={"to": "DE12", "amount": 2**60})


@pytest.mark.parametrize(
    "changes",
    [
        {"tool": None},
        {"arguments": None},
        {"allow": []},
        {"allow": ["run"]},
        {"requestedSchema": SCHEMA},
        {"kind": "form", "message": "?", "requestedSchema": SCHEMA},
        {"tool": {"name": ""}},
    ],
)
def test_an_incomplete_proposal_is_refused(client: TestClient, changes: Json) -> None:
    propose(client, agent(client), status=422, **changes)


def test_secret_arguments_end_with_the_decision(client: TestClient) -> None:
    headers = agent(client)
    request = propose(client, headers, arguments=ARGUMENTS | {"password": "hunter2hunter2"})
    assert "hunter2" not in _page(client, request).partition("<form")[0]
    assert answer(client, request, action="accept") == 200
    assert decision(client, request, headers)["arguments"]["password"] == "hunter2hunter2"
    assert decision(client, request, headers)["arguments"]["password"] is None
    assert get(client, request, headers)["params"]["arguments"]["password"] is None


def test_a_disguised_address_in_an_argument_is_marked(client: TestClient) -> None:
    request = propose(client, agent(client), arguments={"to": "https://paypal.com@evil.example/x", "amount": 1})
    assert 'class="verdict' in _page(client, request)
    assert "evil.example" in _page(client, request)


def test_words_of_the_server_are_text(client: TestClient) -> None:
    tool = TOOL | {"title": "<b>Pay</b>", "description": "<script>1</script>", "annotations": {"title": "<i>x</i>"}}
    page = _page(client, propose(client, agent(client), tool=tool, message="<u>why</u>"))
    assert not [each for each in ("<b>Pay", "<script>1", "<i>x", "<u>why") if each in page]


def _page(client: TestClient, request: Json) -> str:
    return client.get(f"/requests/{request['id']}", headers={"Accept": "text/html"}).text.partition("<article")[2]
