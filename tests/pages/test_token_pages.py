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


def _servers(client: TestClient, *labels: str) -> list[str]:
    url = "http://127.0.0.1:9/mcp"
    bodies = [{"label": label, "transport": {"type": "http", "url": url}} for label in labels]
    return [client.post("/api/v1/servers", json=body).json()["id"] for body in bodies]


def test_a_token_of_an_agent_has_servers_and_patience(client: TestClient) -> None:
    trips, _files = _servers(client, "Trips", "Files")
    made = client.post(
        "/tokens",
        data={"label": "Agent", "scope": "gateway", "reach": "some", "server": [trips, "strange"], "patience": "270"},
    )
    assert made.status_code == 201
    (token,) = client.get("/api/v1/tokens").json()["tokens"]
    assert (token["servers"], token["patience"]) == ([trips], 270)
    assert 'Servers: <bdi lang="">Trips</bdi> · Patience: 270 seconds' in made.text
    client.delete(f"/api/v1/servers/{trips}")
    assert "Its servers have been removed." in client.get("/tokens").text


def test_a_token_of_an_agent_reaches_all_servers(client: TestClient) -> None:
    (trips,) = _servers(client, "Trips")
    # A box that was ticked before the choice of all servers counts for nothing.
    client.post("/tokens", data={"label": "Agent", "scope": "gateway", "reach": "all", "server": trips, "patience": ""})
    (token,) = client.get("/api/v1/tokens").json()["tokens"]
    assert not token.get("servers")
    assert token.get("patience") is None


def test_a_wrong_token_of_an_agent_comes_back(client: TestClient) -> None:
    _servers(client, "Trips")
    for patience in ("soon", "0", "nan", "86401"):
        wrong = client.post(
            "/tokens", data={"label": "Agent", "scope": "gateway", "reach": "some", "patience": patience}
        )
        assert wrong.status_code == 422
        assert "token-servers-error" in wrong.text
        assert "token-patience-error" in wrong.text
        assert f'value="{patience}"' in wrong.text
    # What is not shown cannot be wrong.
    made = client.post("/tokens", data={"label": "Script", "scope": "read", "reach": "some", "patience": "soon"})
    assert made.status_code == 201
