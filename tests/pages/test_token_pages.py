"""The page of tokens: the secret is shown once, wrong input comes back with sentences, and a token can be revoked."""

from __future__ import annotations

import re

from starlette.testclient import TestClient


def test_the_page_shows_a_new_secret_once(client: TestClient) -> None:
    made = client.post("/tokens", data={"label": "<b>Agent</b>", "scope": ["ask", "read"]})
    assert made.status_code == 201
    found = re.search(r"mcpweb_[\w-]+", made.text)
    assert found
    assert "<b>Agent" not in made.text
    works = client.get("/api/v1/servers", headers={"Authorization": f"Bearer {found[0]}"})
    assert works.status_code == 200
    assert found[0] not in client.get("/tokens").text


def test_a_form_without_name_and_scope_comes_back(client: TestClient) -> None:
    wrong = client.post("/tokens", data={"label": " "})
    assert wrong.status_code == 422
    assert "token-label-error" in wrong.text
    assert "token-scope-error" in wrong.text


def test_the_page_mutes_and_revokes_a_token(client: TestClient) -> None:
    token = client.post("/api/v1/tokens", json={"label": "Agent", "scopes": ["ask"]}).json()["id"]
    for action, state in (("mute", "muted"), ("unmute", "valid"), ("revoke", "revoked")):
        page = client.post(f"/tokens/{token}/{action}")
        assert f'id="token-{token}" data-state="{state}"' in page.text
    assert client.post("/tokens/nothing/revoke").status_code == 404
