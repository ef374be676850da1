"""The API of tokens: made once, found by a hash, revoked at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.served import LOCAL


def test_a_new_token_gives_its_secret_once(client: TestClient) -> None:
    made = client.post("/api/v1/tokens", json={"label": "Agent", "scopes": ["read", "ask", "ask"]})
    assert made.status_code == 201
    token = made.json()
    assert token["secret"].startswith("mcpweb_")
    assert token["secret"].endswith(token["hint"])
    assert token["scopes"] == ["ask", "read"]
    [listed] = client.get("/api/v1/tokens").json()["tokens"]
    assert "secret" not in listed
    assert {**listed, "secret": token["secret"]} == token


def test_the_database_has_no_secret_of_a_token(client: TestClient, tmp_path: Path) -> None:
    secret = client.post("/api/v1/tokens", json={"label": "Agent", "scopes": ["ask"]}).json()["secret"]
    with closing(sqlite3.connect(tmp_path / "webclient.sqlite3")) as db, db:
        rows = db.execute("SELECT * FROM program_tokens").fetchall()
    assert len(rows) == 1
    assert secret not in str(rows)


def test_a_revoked_token_is_refused_at_once(client: TestClient) -> None:
    token = client.post("/api/v1/tokens", json={"label": "Agent", "scopes": ["read"]}).json()
    headers = {"Authorization": f"Bearer {token['secret']}"}
    assert client.get("/api/v1/servers", headers=headers).status_code == 200
    assert client.delete(f"/api/v1/tokens/{token['id']}").status_code == 204
    assert client.get("/api/v1/servers", headers=headers).status_code == 401
    [listed] = client.get("/api/v1/tokens").json()["tokens"]
    assert listed["revoked_at"]
    assert listed["used_at"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"label": "", "scopes": ["ask"]}, 422),
        ({"label": "Agent", "scopes": []}, 422),
        ({"label": "Agent", "scopes": ["root"]}, 422),
        ({"label": "Agent", "scopes": ["ask"], "user_id": "somebody"}, 404),
    ],
)
def test_a_wrong_token_is_not_made(client: TestClient, body: dict[str, object], status: int) -> None:
    assert client.post("/api/v1/tokens", json=body).status_code == status
    assert client.get("/api/v1/tokens").json() == {"tokens": []}


def test_an_unknown_token_is_not_found(client: TestClient) -> None:
    assert client.delete("/api/v1/tokens/nothing").status_code == 404


@pytest.mark.slow
def test_a_guessed_token_is_refused_although_a_cookie_is_right(client: TestClient) -> None:
    client.post("/login", data={"token": LOCAL}, headers={"Sec-Fetch-Site": "same-origin"})
    guessed = client.get("/api/v1/servers", headers={"Authorization": "Bearer mcpweb_guessed"})
    assert guessed.status_code == 401
