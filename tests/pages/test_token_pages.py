"""The page of tokens: the secret is shown once, wrong input comes back with sentences, and a token can be revoked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.two_users import two_users
from webclient.domain.model import AuditAction


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


@pytest.mark.anyio
async def test_a_token_for_others_is_for_the_gateway_alone(tmp_path: Path) -> None:
    data = {"label": "Chat", "scope": "gateway", "reach": "all", "user_header": "X-User"}
    async with two_users(tmp_path) as users, users.client("root") as root:
        for wrong in ({"user_header": "Cookie"}, {"user_header": "x y"}, {"scope": ["gateway", "read"]}):
            answer = await root.post("/tokens", data=data | wrong)
            assert answer.status_code == 422
            assert "With this header" in answer.text or "Enter the name of a header" in answer.text
        made = await root.post("/tokens", data=data)
        assert made.status_code == 201
        assert "Acts for the user in <code" in made.text
        token = (await root.get("/api/v1/tokens")).json()["tokens"][0]
        assert token["trust_user_header"] == "X-User"
        trail = await users.services.store.audit.newest()
        entry = next(each for each in trail if each.action is AuditAction.TOKEN_MADE)
        assert entry.details["user_header"] == "X-User"
        async with users.client("ada") as ada:
            assert "user_header" not in (await ada.get("/tokens")).text
            assert "Acts for" not in (await ada.post("/tokens", data=data)).text


def test_an_agent_is_asked_as_well_if_its_user_likes(client: TestClient) -> None:
    posted = {"label": "Agent", "scope": "gateway", "reach": "all", "pass_on": "on"}
    assert client.post("/tokens", data=posted).status_code == 201
    (token,) = client.get("/api/v1/tokens").json()["tokens"]
    assert token["pass_on"] is True
    client.post(f"/tokens/{token['id']}/pass-on")
    assert client.get("/api/v1/tokens").json()["tokens"][0]["pass_on"] is False
    client.post(f"/tokens/{token['id']}/pass-on", data={"pass_on": "on"})
    assert client.get("/api/v1/tokens").json()["tokens"][0]["pass_on"] is True
    assert client.post("/tokens/unknown/pass-on").status_code == 404
