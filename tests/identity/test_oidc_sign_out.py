"""Sign-out in both directions: from here to the OpenID provider, and from there by logout tokens."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from tests.identity.oidc_front import BASE, Front, Make
from tests.oidc_provider.fake import CLIENT_ID, FakeProvider


def test_signing_out_goes_on_to_the_provider(front: Front) -> None:
    front.sign_in()
    left = front.client.post("/logout", headers={"Sec-Fetch-Site": "same-origin"})
    found = re.search(r'content="0;url=([^"]+)"', left.text)
    assert found
    url = urlsplit(unescape(found[1]))
    query = dict(parse_qsl(url.query))
    assert (url.netloc, url.path) == ("id.example.com", "/end")
    assert (query["client_id"], query["post_logout_redirect_uri"]) == (CLIENT_ID, f"{BASE}/login")
    assert query["id_token_hint"].count(".") == 2
    assert front.me() == 401
    assert front.audit()[-1] == ("signed_out", "cookie", "")
    assert not front.client.cookies


def test_a_provider_without_sign_out_is_left_alone(make: Make) -> None:
    front = make(FakeProvider(metadata={"end_session_endpoint": None}))
    front.sign_in()
    left = front.client.post("/logout", headers={"Sec-Fetch-Site": "same-origin"})
    assert (left.status_code, left.headers["location"]) == (303, "/login")
    assert front.me() == 401


def log_out(front: Front, token: str, **headers: str) -> httpx2.Response:
    """Let the provider tell us that a session has ended: from its own machine, without a browser."""
    return front.client.post("/auth/backchannel-logout", data={"logout_token": token}, headers=headers)


def test_the_provider_signs_a_person_out(front: Front) -> None:
    front.sign_in()
    token = front.fake.logout_token(sid="s1")
    ended = log_out(front, token)
    assert (ended.status_code, ended.headers["cache-control"]) == (200, "no-store")
    assert front.me() == 401
    assert front.audit()[-1] == ("signed_out", "oidc", "by_provider")


def test_a_logout_token_of_another_session_ends_nothing(front: Front) -> None:
    front.sign_in()
    assert log_out(front, front.fake.logout_token(sid="s2")).status_code == 200
    assert log_out(front, front.fake.logout_token(sub="bob")).status_code == 200
    assert front.me()["name"] == "Ada"


def test_a_logout_token_is_taken_once(front: Front) -> None:
    token = front.fake.logout_token()
    assert log_out(front, token).status_code == 200
    front.sign_in()
    assert log_out(front, token).status_code == 400
    assert front.me()["name"] == "Ada"


@pytest.mark.parametrize("token", ["", "nonsense"])
def test_a_wrong_logout_token_ends_nothing(front: Front, token: str) -> None:
    front.sign_in()
    refused = log_out(front, token)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")
    assert front.me()["name"] == "Ada"


@pytest.mark.parametrize("claims", [{"sid": "\ud800"}, {"sub": "\ud800"}])
def test_a_logout_token_with_half_a_character_is_refused(front: Front, claims: dict[str, Any]) -> None:
    assert log_out(front, front.fake.logout_token(**claims)).status_code == 400


def test_a_session_with_half_a_character_signs_in(make: Make) -> None:
    front = make(FakeProvider(claims={"sid": "\ud800"}))
    front.sign_in()
    assert front.me()["name"] == "Ada"


def test_a_web_page_cannot_send_a_logout_token(front: Front) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert log_out(front, front.fake.logout_token(), **headers).status_code == 403
