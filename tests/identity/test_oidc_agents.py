"""Access tokens of the OpenID provider at the gateway: which are accepted, and where agents learn how to get one."""

from __future__ import annotations

from time import time
from typing import Any

import httpx2
import pytest

from tests.identity.oidc_front import BASE, TOKEN, Front, Make
from tests.oidc_provider.fake import CLIENT_ID, ISSUER, SECRET, FakeProvider
from webclient.domain.model import Json

ADDRESS = f"{BASE}/mcp/trips"
METADATA = f"{BASE}/.well-known/oauth-protected-resource/mcp/trips"


def sent(front: Front, token: str, path: str = "/mcp/trips") -> httpx2.Response:
    """Send a request of an agent. The server does not exist, so an accepted request gets 404."""
    front.client.cookies.clear()
    return front.client.post(path, json={}, headers={"Authorization": f"Bearer {token}"})


def refusal(front: Front, token: str, path: str = "/mcp/trips") -> tuple[int, str]:
    """Return why an agent is refused."""
    answer = sent(front, token, path)
    return answer.status_code, answer.json().get("code", "")


def test_an_access_token_opens_the_address_it_is_for(make: Make) -> None:
    front = make()
    front.sign_in()
    for audience in (ADDRESS, [ADDRESS], f"{BASE}/mcp", [f"{BASE}/mcp", ADDRESS]):
        assert refusal(front, front.fake.access_token(aud=audience)) == (404, "")
    assert refusal(front, front.fake.access_token(aud=f"{BASE}/mcp", client_id=None, azp="claude")) == (404, "")


def test_an_access_token_for_one_server_opens_no_other(make: Make) -> None:
    front = make()
    front.sign_in()
    token = front.fake.access_token(aud=ADDRESS)
    for path in ("/mcp", "/mcp/other", "/mcp/trips/x"):
        assert refusal(front, token, path) in ((401, "wrong_audience"), (404, "")), path
    assert refusal(front, token, "/mcp") == (401, "wrong_audience")
    for path in ("/", "/api/v1/me", "/api/v1/requests"):
        assert sent(front, front.fake.access_token(aud=f"{BASE}{path}"), path).status_code == 401


WRONG: dict[str, tuple[Json, str]] = {
    "audience": ({"aud": "https://other.example/mcp"}, "wrong_audience"),
    "audience, without the path": ({"aud": BASE}, "wrong_audience"),
    "audience, and another one": ({"aud": [ADDRESS, "https://other.example"]}, "wrong_audience"),
    "no audience": ({"aud": None}, "missing_claim"),
    "empty audience": ({"aud": []}, "wrong_audience"),
    "odd audience": ({"aud": [ADDRESS, 7]}, "wrong_audience"),
    "issuer": ({"iss": "https://other.example"}, "wrong_issuer"),
    "ended": ({"exp": -120}, "expired"),
    "from the future": ({"iat": 3600}, "not_yet_valid"),
    "no end": ({"exp": None}, "missing_claim"),
    "no client": ({"client_id": None}, "missing_claim"),
    "no subject": ({"sub": None}, "missing_claim"),
    "no type": ({"headers": {"typ": "JWT"}}, "wrong_type"),
    "type of a logout token": ({"headers": {"typ": "logout+jwt"}}, "wrong_type"),
    "unknown key": ({"headers": {"kid": "other"}}, "unknown_key"),
}


@pytest.mark.parametrize(("changed", "code"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_access_token_is_refused(front: Front, changed: Json, code: str) -> None:
    front.sign_in()
    right = {"aud": ADDRESS} | changed
    moved = {name: int(time()) + each if isinstance(each, int) else each for name, each in right.items()}
    answer = sent(front, front.fake.access_token(**moved))
    assert (answer.status_code, answer.json()["code"]) == (401, code)
    assert answer.headers["www-authenticate"] == f'Bearer error="invalid_token", resource_metadata="{METADATA}"'
    assert ("sign_in_refused", "oidc", code) in front.audit()


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_an_access_token_without_a_published_key_is_refused(make: Make, algorithm: str) -> None:
    front = make()
    front.sign_in()
    front.fake.algorithm, front.fake.key = algorithm, SECRET.ljust(32)
    assert refusal(front, front.fake.access_token(aud=ADDRESS)) == (401, "wrong_algorithm")


def test_an_id_token_is_never_an_access_token(make: Make) -> None:
    """Also that of a client which calls itself like the address of the gateway."""
    front = make()
    front.sign_in()
    for audience in (CLIENT_ID, ADDRESS):
        token = front.fake.access_token(headers={"typ": "JWT"}, aud=audience, azp=audience, nonce="n")
        assert refusal(front, token) == (401, "wrong_type")


def test_an_opaque_token_is_refused_in_words(make: Make) -> None:
    front = make()
    answer = sent(front, "an opaque token of the provider")
    assert (answer.status_code, answer.json()["code"]) == (401, "opaque")
    assert "RFC 9068" in answer.json()["detail"]
    assert sent(front, "mcpweb_wrong").headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}"'


def test_the_local_token_still_opens_the_gateway(make: Make) -> None:
    assert refusal(make(identity=["oidc", "local"]), TOKEN) == (404, "")


def test_the_user_must_have_signed_in_before(make: Make) -> None:
    front = make(oidc_allowed_groups=["staff"])
    token = front.fake.access_token(aud=ADDRESS)
    assert refusal(front, token) == (403, "unknown_user")
    front.sign_in()
    user = front.me()["user_id"]
    assert refusal(front, token) == (404, "")
    assert refusal(front, front.fake.access_token(aud=ADDRESS, groups=["staff"])) == (404, "")
    assert refusal(front, front.fake.access_token(aud=ADDRESS, groups=["alumni"])) == (403, "not_allowed")
    store: Any = front.client.app.state.services.store  # type: ignore[attr-defined]
    front.client.portal.call(store.users.disable, user)  # type: ignore[union-attr]
    assert refusal(front, token) == (403, "disabled_user")


def test_a_scope_is_needed_if_the_settings_name_one(make: Make) -> None:
    front = make(oidc_agent_scope="inbox:agents")
    front.sign_in()
    answer = sent(front, front.fake.access_token(aud=ADDRESS, scope="openid"))
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_scope")
    assert answer.headers["www-authenticate"] == (
        f'Bearer error="insufficient_scope", resource_metadata="{METADATA}", scope="inbox:agents"'
    )
    for name, value in (("scope", "openid inbox:agents"), ("scp", ["inbox:agents"])):
        assert refusal(front, front.fake.access_token(aud=ADDRESS, **{name: value})) == (404, "")


def test_agents_go_on_while_the_provider_is_unreachable(make: Make) -> None:
    front = make()
    front.sign_in()
    token = front.fake.access_token(aud=ADDRESS)
    assert refusal(front, token) == (404, "")
    front.fake.broken = httpx2.ConnectError("gone", request=httpx2.Request("GET", ISSUER))
    assert refusal(front, token) == (404, "")


def test_an_unreachable_provider_is_asked_seldom(make: Make) -> None:
    front = make()
    front.fake.broken = httpx2.ConnectError("gone", request=httpx2.Request("GET", ISSUER))
    for _number in range(5):
        assert refusal(front, front.fake.access_token(aud=ADDRESS)) == (503, "keys_unreachable")
    assert len(front.fake.requests) == 1


def test_metadata_says_where_agents_sign_in(make: Make) -> None:
    front = make(oidc_agent_scope="inbox:agents")
    for path in ("/mcp", "/mcp/trips"):
        found = front.client.get(f"/.well-known/oauth-protected-resource{path}").json()
        assert found == {
            "resource": f"{BASE}{path}",
            "resource_name": "mcp-webclient",
            "authorization_servers": [ISSUER],
            "scopes_supported": ["inbox:agents"],
            "bearer_methods_supported": ["header"],
        }


def test_metadata_has_the_public_address(make: Make) -> None:
    front = make(FakeProvider(), public_url="https://inbox.example/box")
    headers = {"Host": "inbox.example"}
    found = front.client.get("/box/.well-known/oauth-protected-resource/mcp/trips", headers=headers).json()
    assert found["resource"] == "https://inbox.example/box/mcp/trips"
    refused = front.client.post("/box/mcp/trips", json={}, headers=headers)
    address = "https://inbox.example/box/.well-known/oauth-protected-resource/mcp/trips"
    assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{address}"'


def test_the_page_of_agents_says_that_they_sign_in(make: Make) -> None:
    front = make(oidc_admin_groups=["staff"], oidc_label="Company")
    front.sign_in()
    own = {"Sec-Fetch-Site": "same-origin"}
    server = {"label": "Trips", "transport": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}
    assert front.client.post("/api/v1/servers", json=server, headers=own).status_code == 201
    assert "it sends you to Company" in front.client.get("/agents", headers=own).text
