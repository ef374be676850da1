"""Sign-in at an OpenID provider: who gets a session, and every answer that gives none."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import timedelta
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from tests.identity.oidc_front import BASE, CLICK, RETURN, TOKEN, TYPED, Front, Make, cookies, served
from tests.oidc_provider.fake import ISSUER, FakeProvider, back
from webclient.domain.model import now


def test_a_person_signs_in_at_the_provider(make: Make) -> None:
    front = make()
    began = front.begin()
    query = dict(parse_qsl(urlsplit(began.headers["location"]).query))
    assert query.keys() >= {"state", "nonce", "code_challenge"}
    assert (query["scope"], query["redirect_uri"]) == ("openid profile email", f"{BASE}/auth/callback")
    signed_in = front.come_back(front.fake.authorize(began.headers["location"]))
    assert signed_in.status_code == 200, signed_in.text
    assert 'content="0;url=/"' in signed_in.text
    me = front.me()
    assert (me["name"], me["role"], me["scopes"]) == ("Ada", "user", ["answer", "ask", "gateway", "read"])
    assert front.fake.authorization.startswith("Basic ")
    assert front.audit() == [("first_seen", "oidc", ""), ("signed_in", "oidc", "")]


def test_the_cookies_go_no_further_than_needed(front: Front) -> None:
    began = front.begin()
    [flow] = cookies(began)
    assert cookies(began)[flow] == "Max-Age=3600; Path=/auth/; HttpOnly; SameSite=Lax"
    given = cookies(front.come_back(front.fake.authorize(began.headers["location"])))
    assert given["webclient-8765"] == "Path=/; HttpOnly; SameSite=Strict"
    assert given["webclient-8765-hint"] == "Path=/logout; HttpOnly; SameSite=Strict"
    assert given[flow].startswith("Max-Age=0; Path=/auth/")


def test_another_host_of_the_domain_begins_no_sign_in(make: Make) -> None:
    front = make(public_url="https://h.example", trusted_proxies=["127.0.0.1"], base="http://h.example")
    front.client.headers["X-Forwarded-Proto"] = "https"
    began = front.begin("/calls")
    [(name, flags)] = cookies(began).items()
    assert name.startswith("__Host-")
    assert flags == "Max-Age=3600; Path=/; HttpOnly; SameSite=Lax; Secure"
    sealed = began.headers["set-cookie"].partition(";")[0]
    answer = front.fake.authorize(began.headers["location"])
    # The name without the prefix is one that another host can set.
    for cookie, status in ((sealed.removeprefix("__Host-"), 400), (sealed, 200)):
        front.client.cookies.clear()
        assert front.client.get(back(answer), headers=RETURN | {"Cookie": cookie}).status_code == status


def test_a_proxy_with_tls_and_a_path_changes_addresses(make: Make) -> None:
    front = make(public_url="https://h.example/inbox", trusted_proxies=["127.0.0.1"], base="http://h.example")
    front.client.headers["X-Forwarded-Proto"] = "https"
    began = front.client.get("/inbox/auth/login?next=/calls", headers=CLICK)
    query = dict(parse_qsl(urlsplit(began.headers["location"]).query))
    assert query["redirect_uri"] == "https://h.example/inbox/auth/callback"
    [flow] = cookies(began).items()
    assert flow[1] == "Max-Age=3600; Path=/inbox/auth/; HttpOnly; SameSite=Lax; Secure"
    sealed = began.headers["set-cookie"].partition(";")[0]
    answer = front.fake.authorize(began.headers["location"])
    signed_in = front.client.get(f"/inbox{back(answer)}", headers=RETURN | {"Cookie": sealed})
    assert 'content="0;url=/inbox/calls"' in signed_in.text
    assert cookies(signed_in)["webclient-8765"] == "Path=/inbox/; HttpOnly; SameSite=Strict; Secure"


# Other names of the program


PUBLIC = "http://localhost:8765"


def test_a_sign_in_begins_at_the_public_url(make: Make) -> None:
    front = make(public_url=PUBLIC)
    moved = front.client.get("/auth/login?next=/calls?a=1&again=true", headers=CLICK)
    assert (moved.status_code, moved.headers.get_list("set-cookie")) == (302, [])
    assert moved.headers["location"] == f"{PUBLIC}/auth/login?next=%2Fcalls%3Fa%3D1&again=true&moved=true"
    began = front.client.get(moved.headers["location"], headers=RETURN)
    assert dict(parse_qsl(urlsplit(began.headers["location"]).query))["prompt"] == "login"
    signed_in = front.client.get(f"{PUBLIC}{back(front.fake.authorize(began.headers['location']))}", headers=RETURN)
    assert 'content="0;url=/calls?a=1"' in signed_in.text


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "localhost:99"], ids=["no port", "capitals", "other port"])
def test_a_sign_in_moves_to_no_other_port(make: Make, name: str) -> None:
    front = make(public_url=PUBLIC)
    began = front.begin(headers=CLICK | {"Host": name})
    assert began.headers["location"].startswith(ISSUER)


def test_a_proxy_that_replaces_the_host_makes_no_circle(make: Make) -> None:
    front = make(public_url="https://h.example/inbox")
    moved = front.begin("/calls").headers["location"]
    assert moved == "https://h.example/inbox/auth/login?next=%2Fcalls&moved=true"
    began = front.client.get(moved.removeprefix("https://h.example"), headers=RETURN)
    assert began.headers["location"].startswith(ISSUER)
    assert len(front.client.cookies) == 1


@pytest.mark.parametrize("page", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_a_sign_in_moves_to_the_public_url_only(make: Make, page: str) -> None:
    front = make(public_url=PUBLIC, allowed_hosts=["other.example"])
    moved = front.begin(page, headers=CLICK | {"Host": "other.example", "X-Forwarded-Host": "evil.example"})
    assert moved.headers["location"] == f"{PUBLIC}/auth/login?next=%2F&moved=true"


# Deep links


@pytest.mark.parametrize("page", ["/requests/abc?x=1", "/history?q=a%20b"])
def test_a_deep_link_signs_in_first_and_comes_back(front: Front, page: str) -> None:
    refused = front.client.get(page, headers=TYPED)
    assert refused.status_code == 401
    found = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', refused.text)
    assert found
    began = front.client.get(unescape(found[1]), headers=CLICK)
    signed_in = front.come_back(front.fake.authorize(began.headers["location"]))
    goes_on = re.search(r'content="0;url=([^"]+)"', signed_in.text)
    assert goes_on
    assert unescape(goes_on[1]) == page


@pytest.mark.parametrize("page", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_a_sign_in_goes_on_to_no_other_site(front: Front, page: str) -> None:
    signed_in = front.sign_in(page)
    assert 'content="0;url=/"' in signed_in.text
    assert "evil" not in signed_in.text


def test_a_path_like_another_host_is_not_gone_on_to(front: Front) -> None:
    refused = front.client.get(f"{BASE}//evil.example/x", headers=TYPED)
    assert 'content="0;url=/auth/login?next=/"' in refused.text


@pytest.mark.parametrize(
    "headers",
    [CLICK, TYPED | {"Sec-Fetch-Dest": "iframe"}, {"Accept": "text/html"}],
    ids=["from a page of ours", "in a frame", "an old browser"],
)
def test_a_sign_in_begins_by_itself_only_from_elsewhere(front: Front, headers: dict[str, str]) -> None:
    refused = front.client.get("/calls", headers=headers)
    assert refused.status_code == 401
    assert 'http-equiv="refresh"' not in refused.text
    assert 'href="/auth/login?next=%2Fcalls"' in refused.text or 'href="/auth/login?next=/calls"' in refused.text


def test_in_a_frame_no_sign_in_begins(front: Front) -> None:
    framed = front.begin(headers=CLICK | {"Sec-Fetch-Dest": "iframe"})
    assert framed.status_code == 403
    assert 'data-refusal="framed"' in framed.text
    assert 'target="_blank"' in framed.text
    assert front.fake.requests == []


def test_a_signed_in_person_goes_on_without_the_provider(front: Front) -> None:
    front.sign_in()
    before = len(front.fake.requests)
    assert front.begin("/history").headers["location"] == "/history"
    assert len(front.fake.requests) == before


def test_a_browser_keeps_few_sign_ins_that_it_began(front: Front) -> None:
    for _tab in range(15):
        front.begin()
    assert len(front.client.cookies) == 10
    assert front.sign_in().status_code == 200


def test_two_tabs_sign_in_side_by_side(front: Front) -> None:
    first, second = front.answer("/calls"), front.answer("/history")
    assert 'url=/calls"' in front.come_back(first).text
    assert 'url=/history"' in front.come_back(second).text


# Refusals


def test_a_forged_answer_is_refused(front: Front) -> None:
    assert front.refusal(front.come_back({"code": "c", "state": "s", "iss": ISSUER})) == (400, "unknown_state")
    assert front.fake.fetched("/token") == 0


def test_an_answer_for_another_browser_is_refused(front: Front) -> None:
    answer = front.answer()
    front.client.cookies.clear()
    assert front.refusal(front.come_back(answer)) == (400, "unknown_state")


def test_a_cookie_under_the_name_of_another_sign_in_is_refused(front: Front) -> None:
    first = front.answer()
    [own] = front.client.cookies.values()
    front.client.cookies.clear()
    second = front.answer()
    [name] = front.client.cookies.keys()
    front.client.cookies.clear()
    front.client.cookies.set(name, own)
    assert front.refusal(front.come_back(second)) == (400, "unknown_state")
    assert first["state"] != second["state"]


def test_a_replayed_answer_is_refused(front: Front) -> None:
    answer = front.answer()
    front.come_back(answer)
    front.client.cookies.delete("webclient-8765")
    assert front.refusal(front.come_back(answer)) == (400, "unknown_state")


def test_a_sign_in_works_once_at_a_careless_provider(front: Front) -> None:
    answer = front.answer()
    saved = dict(front.client.cookies)
    codes = dict(front.fake.codes)
    assert front.come_back(answer).status_code == 200
    front.client.cookies.clear()
    front.client.cookies.update(saved)
    front.fake.codes.update(codes)
    assert front.refusal(front.come_back(answer)) == (400, "unknown_state")
    assert front.fake.fetched("/token") == 2


def test_a_sign_in_that_has_begun_outlives_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as before:
        answer = before.answer("/history")
    with served(tmp_path, before.fake) as after:
        after.client.cookies.update(before.client.cookies)
        assert 'url=/history"' in after.come_back(answer).text
        assert after.me()["name"] == "Ada"


@pytest.mark.parametrize("key", ["a;b", 'ü"', "k=1"])
def test_a_sign_in_passes_with_any_name_of_a_key(make: Make, key: str) -> None:
    front = make(secret_keys=f"{key}:{b64encode(b'k' * 32).decode()}")
    assert front.sign_in().status_code == 200


@pytest.mark.parametrize("sealed", ["", "x", "a.b", "%", "%C3%BC.%C3%BC", "a" * 3000])
def test_a_forged_cookie_of_a_sign_in_is_refused(front: Front, sealed: str) -> None:
    answer = front.answer()
    [name] = front.client.cookies.keys()
    front.client.cookies.clear()
    response = front.client.get(back(answer), headers=RETURN | {"Cookie": f"{name}={sealed}"})
    assert front.refusal(response) == (400, "unknown_state")
    assert front.fake.fetched("/token") == 0


def test_a_late_answer_is_refused_and_keeps_the_page(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = front.answer("/history")
    moment = now() + timedelta(minutes=31)
    monkeypatch.setattr("webclient.auth.oidc_provider.begun_flows.now", lambda: moment)
    response = front.come_back(answer)
    assert front.refusal(response) == (400, "late")
    assert "next=/history" in response.text


def test_a_cancelled_sign_in_ends_with_a_sentence(front: Front) -> None:
    response = front.sign_in("/history", code=None, error="access_denied", error_description="<b>words</b>")
    assert front.refusal(response) == (403, "cancelled")
    assert "words" not in response.text
    assert "next=/history" in response.text


@pytest.mark.parametrize("changed", [{"error": "server_error"}, {"code": None}, {"code": "wrong"}])
def test_a_refusal_of_the_provider_ends_with_a_sentence(front: Front, changed: dict[str, str | None]) -> None:
    response = front.sign_in("/", **changed)
    assert front.refusal(response) == (502, "provider_error")
    assert "script&gt;" not in response.text


@pytest.mark.parametrize("iss", ["https://other.example", None])
def test_an_answer_of_another_issuer_is_refused(front: Front, iss: str | None) -> None:
    assert front.refusal(front.sign_in(iss=iss)) == (400, "other_issuer")
    assert front.fake.fetched("/token") == 0


def test_an_older_provider_may_leave_the_issuer_out(make: Make) -> None:
    front = make(FakeProvider(metadata={"authorization_response_iss_parameter_supported": None}))
    assert front.sign_in(iss=None).status_code == 200


def test_a_provider_that_is_down_ends_with_a_sentence(make: Make) -> None:
    front = make(FakeProvider(broken=httpx2.ConnectError("down")))
    assert front.refusal(front.begin("/history")) == (502, "unreachable")
    front.fake.broken = None
    answer = front.answer("/history")
    front.fake.broken = httpx2.ConnectError("down")
    assert front.refusal(front.come_back(answer)) == (502, "unreachable")


# Who may sign in


def test_the_sign_in_page_names_the_provider(make: Make) -> None:
    client = make(oidc_label="Corp ID").client
    page = client.get("/login", headers=CLICK).text
    assert "Corp ID" in page
    assert 'href="/auth/login?next=/"' in page
    assert 'name="token"' not in page
    assert client.get("/login?next=/calls?a=1", headers=CLICK).headers["location"] == "/auth/login?next=/calls%3Fa%3D1"


def test_the_token_signs_in_beside_the_provider(make: Make) -> None:
    front = make(identity=["local", "oidc"])
    page = front.client.get("/login", headers=CLICK).text
    assert 'name="token"' in page
    assert 'href="/auth/login?next=/"' in page
    front.client.post("/login", data={"token": TOKEN}, headers={"Sec-Fetch-Site": "same-origin"})
    assert front.me()["user_id"] == "local"
    left = front.client.post("/logout", headers={"Sec-Fetch-Site": "same-origin"})
    assert left.headers["location"] == "/login"


def test_without_the_local_way_the_token_signs_no_browser_in(front: Front) -> None:
    posted = front.client.post("/login", data={"token": TOKEN}, headers=CLICK)
    assert posted.status_code == 403
    assert front.client.get("/api/v1/me", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


# The provider's own sign-out
