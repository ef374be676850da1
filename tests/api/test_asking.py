"""A program asks a person through the API: one card, one answer, which only the program gets whole, and once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.program import PATIENCE
from tests.served import PERSON, served
from webclient.domain.model import LOCAL_USER, Json
from webclient.services import Services

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "password": {"type": "string"}}}
FORM = {"kind": "form", "message": "Where to?", "requestedSchema": SCHEMA}


def agent(client: TestClient, *scopes: str, label: str = "Chat agent") -> dict[str, str]:
    """Return the header of a new token with these scopes, or with `ask`."""
    made = client.post("/api/v1/tokens", json={"label": label, "scopes": scopes or ["ask"]})
    return {"Authorization": f"Bearer {made.json()['secret']}"}


def ask(client: TestClient, headers: dict[str, str], status: int = 201, **changes: Any) -> Json:
    """Ask the form, with changes."""
    response = client.post("/api/v1/requests", json=FORM | changes, headers=headers)
    assert response.status_code == status, response.text
    answer: Json = response.json()
    return answer


def get(client: TestClient, request: Json, headers: dict[str, str] = PERSON, **params: Any) -> Json:
    """Return the request as the client with these headers sees it."""
    response = client.get(f"/api/v1/requests/{request['id']}", headers=headers, params=params)
    assert response.status_code == 200, response.text
    found: Json = response.json()
    return found


def answer(client: TestClient, request: Json, **body: Any) -> int:
    """Answer as the person, and return the status."""
    return client.post(f"/api/v1/requests/{request['id']}/answer", json=body).status_code


def test_a_question_names_the_program_and_no_server(client: TestClient) -> None:
    call = {"name": "book_trip", "arguments": {"to": "Rome", "api_key": "sk-very-secret"}}
    request = ask(client, agent(client), label="travel", call=call)
    assert request["state"] == "pending"
    assert request["asked_by"]["kind"] == "program"
    assert (request["asked_by"]["label"], request["asked_by"]["claims"]) == ("Chat agent", "travel")
    assert "server_id" not in request
    assert request["params"] == {"mode": "form", "message": "Where to?", "requestedSchema": SCHEMA}
    assert request["during"]["arguments"] == {"to": "Rome"}
    assert request["during"]["withheld"] == ["api_key"]
    assert request["expires_at"]


def test_the_card_says_that_a_program_asks(client: TestClient) -> None:
    headers = agent(client, label="<i>Agent</i>")
    request = ask(client, headers, label="<b>travel</b>")
    page = client.get(f"/requests/{request['id']}", headers={"Accept": "text/html"}).text
    assert 'data-asker="program"' in page
    assert "<i>Agent" not in page
    assert "<b>travel" not in page
    assert f"/tokens#token-{request['asked_by']['token_id']}" in page
    assert f'id="row-{request["id"]}"' in client.get("/", headers={"Accept": "text/html"}).text


def test_secret_values_reach_the_program_once(client: TestClient) -> None:
    headers, reader = agent(client), agent(client, "read")
    request = ask(client, headers)
    content = {"city": "Rome", "password": "hunter2hunter2"}
    assert answer(client, request, action="accept", content=content) == 200
    for other in (PERSON, reader):
        seen = get(client, request, other)
        assert seen["content"] == {"city": "Rome", "password": None}
        assert seen["delivery"] == "sending"
    assert get(client, request, headers)["content"] == content
    again = get(client, request, headers)
    assert again["content"] == {"city": "Rome", "password": None}
    assert again["withheld"] == ["password"]
    assert again["delivery"] == "delivered"


def test_a_long_poll_ends_with_the_answer(client: TestClient) -> None:
    headers = agent(client)
    request = ask(client, headers)
    found: list[Json] = []
    poll = threading.Thread(target=lambda: found.append(get(client, request, headers, wait=30)))
    poll.start()
    assert answer(client, request, action="decline") == 200
    poll.join(30)
    assert [each["state"] for each in found] == ["declined"]


def test_a_long_poll_of_a_revoked_token_gets_no_answer(client: TestClient) -> None:
    made = client.post("/api/v1/tokens", json={"label": "Reader", "scopes": ["read"]}).json()
    request = ask(client, agent(client))
    path, headers = f"/api/v1/requests/{request['id']}", {"Authorization": f"Bearer {made['secret']}"}
    found: list[int] = []
    poll = threading.Thread(
        target=lambda: found.append(client.get(path, headers=headers, params={"wait": 600}).status_code)
    )
    poll.start()
    # It has used its token once it waits.
    while not _is_watched(client):
        poll.join(0.01)
    # At once, although the question stays open.
    assert client.delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    poll.join(PATIENCE)
    assert found == [401]


def _is_watched(client: TestClient) -> bool:
    services: Services = client.app.state.services  # type: ignore[attr-defined]
    return services.hub.has_subscribers(LOCAL_USER)


def test_a_long_poll_ends_when_its_time_is_up(client: TestClient) -> None:
    headers = agent(client)
    request = ask(client, headers)
    assert get(client, request, headers, wait=0.01)["state"] == "pending"


def test_an_idempotency_key_makes_two_posts_one_question(client: TestClient) -> None:
    headers = agent(client) | {"Idempotency-Key": "one"}
    first, second = ask(client, headers), ask(client, headers)
    assert first["id"] == second["id"]
    assert len(client.get("/api/v1/requests").json()["requests"]) == 1
    ask(client, headers, 422, message="Something else?")
    assert ask(client, agent(client) | {"Idempotency-Key": "one"})["id"] != first["id"]


def test_a_program_reads_and_withdraws_its_own_questions_only(client: TestClient) -> None:
    mine, other = agent(client), agent(client)
    request = ask(client, mine)
    path = f"/api/v1/requests/{request['id']}"
    assert client.get(path, headers=other).status_code == 404
    assert client.post(f"{path}/withdraw", headers=other).status_code == 404
    assert client.post(f"{path}/answer", json={"action": "decline"}, headers=mine).status_code == 403
    withdrawn = client.post(f"{path}/withdraw", json={"reason": "cancelled"}, headers=mine)
    assert withdrawn.json()["state"] == "withdrawn"
    assert client.post(f"{path}/withdraw", headers=mine).status_code == 409
    assert answer(client, request, action="decline") == 409


def test_a_link_is_accepted_and_finished_by_the_person(client: TestClient) -> None:
    headers = agent(client)
    link: Json = {"kind": "url", "requestedSchema": None, "url": "https://bank.example/pay", "elicitationId": "e1"}
    request = ask(client, headers, **link)
    assert request["params"]["url"] == "https://bank.example/pay"
    assert answer(client, request, action="accept") == 200
    assert get(client, request, headers, wait=30)["state"] == "waiting"
    client.post(f"/api/v1/requests/{request['id']}/finished")
    assert get(client, request, headers)["state"] == "completed"


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "sampling"},
        {"kind": "url"},
        {"requestedSchema": None},
        {"requestedSchema": {"type": "object"}},
        {"message": ""},
        {"expires_in": 0},
        {"expires_in": 1e9},
        {"unknown": 1},
    ],
)
def test_a_malformed_question_is_refused(client: TestClient, changes: dict[str, Any]) -> None:
    ask(client, agent(client), 422, **changes)


@pytest.mark.parametrize("user", [{"user_id": "\ud800"}, {"user": {"issuer": "proxy", "subject": "\ud800"}}])
def test_a_user_id_with_half_a_character_is_refused(client: TestClient, user: Json) -> None:
    body, headers = json.dumps(FORM | user), {"Content-Type": "application/json"}
    assert client.post("/api/v1/requests", content=body, headers=headers).status_code == 422


def test_another_user_cannot_be_asked(client: TestClient) -> None:
    ask(client, agent(client), 404, user_id="somebody")


def test_a_muted_program_is_refused_until_it_is_unmuted(client: TestClient) -> None:
    headers = agent(client)
    token = ask(client, headers)["asked_by"]["token_id"]
    client.post(f"/tokens/{token}/mute")
    assert ask(client, headers, 403)["reason_code"] == "server_muted"
    client.post(f"/tokens/{token}/unmute")
    ask(client, headers)


def test_the_limits_of_servers_hold_for_programs(tmp_path: Path) -> None:
    with served(tmp_path, max_pending=1, max_question_bytes=2000) as client:
        headers = agent(client)
        assert ask(client, headers, 413, message="x" * 3000)["reason_code"] == "too_large"
        ask(client, headers)
        refused = ask(client, headers | {"Idempotency-Key": "k"}, 429)
        assert refused["reason_code"] == "too_many_pending"
        # Another program has its own share.
        ask(client, agent(client))


def test_a_refused_question_sent_again_is_counted_once(tmp_path: Path) -> None:
    with served(tmp_path, max_pending=1) as client:
        headers = agent(client)
        first = ask(client, headers)
        for key in ("one", "one", "two", "one", "two"):
            ask(client, headers | {"Idempotency-Key": key}, 429)
        found = client.get("/api/v1/requests", params={"state": "refused"}, headers=PERSON).json()["requests"]
        until(lambda: count_of(client, found[0]) == 2)
        # Without a key, nothing says that it is the same question.
        ask(client, headers, 429)
        until(lambda: count_of(client, found[0]) == 3)
        assert answer(client, first, action="decline") == 200
        later = ask(client, headers | {"Idempotency-Key": "one"})
        assert later["state"] == "pending"
        assert count_of(client, found[0]) == 3


def count_of(client: TestClient, request: Json) -> int:
    """Return how many refused questions an entry stands for."""
    return int(get(client, request).get("count", 1))


def until(reached: Callable[[], bool]) -> None:
    """Wait for a count, which is written within a second."""
    deadline = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_revoking_a_token_withdraws_its_questions(client: TestClient) -> None:
    request = ask(client, agent(client))
    client.delete(f"/api/v1/tokens/{request['asked_by']['token_id']}")
    assert get(client, request)["state"] == "withdrawn"


def test_questions_and_secret_answers_outlive_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        headers = agent(client)
        pending, answered = ask(client, headers), ask(client, headers, message="And then?")
        content = {"password": "hunter2hunter2"}
        assert answer(client, answered, action="accept", content=content) == 200
    with served(tmp_path) as client:
        assert get(client, answered, headers)["content"] == content
        assert get(client, pending, headers)["state"] == "pending"
        assert answer(client, pending, action="accept", content={"city": "Rome"}) == 200
        assert get(client, pending, headers)["content"] == {"city": "Rome"}


def test_a_question_expires_when_its_program_stops_waiting(client: TestClient) -> None:
    headers = agent(client)
    request = ask(client, headers, expires_in=1)
    assert get(client, request, headers, wait=30)["state"] == "expired"


def test_a_question_may_be_a_choice_between_objects(client: TestClient) -> None:
    approve = {"properties": {"type": {"const": "approve"}}, "required": ["type"]}
    reject = {"properties": {"type": {"const": "reject"}, "message": {"type": "string"}}, "required": ["message"]}
    headers = agent(client)
    request = ask(client, headers, requestedSchema={"oneOf": [approve, reject]})
    assert answer(client, request, action="accept", content={"type": "reject"}) == 422
    assert answer(client, request, action="accept", content={"type": "reject", "message": "no"}) == 200
    assert get(client, request, headers)["content"] == {"type": "reject", "message": "no"}
    without: list[Json] = [{"oneOf": []}, {"anyOf": [{"required": ["a"]}]}, {"oneOf": [True]}, {"type": "object"}]
    for schema in without:
        ask(client, headers, 422, requestedSchema=schema)
