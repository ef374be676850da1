"""Sign-in at an OpenID provider: who gets a session, and every answer that gives none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from starlette.testclient import TestClient

from tests.oidc_provider.fake import CLIENT_ID, ISSUER, FakeProvider, back, oidc_settings
from webclient.app import create_app
from webclient.oidc.provider import Provider

BASE = "http://127.0.0.1:8765"
CLICK = {
    "Accept": "text/html",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}
TYPED = CLICK | {"Sec-Fetch-Site": "none"}
RETURN = CLICK | {"Sec-Fetch-Site": "cross-site"}
TOKEN = "a token that only the operator has"


@dataclass
class Front:
    """The app, its provider, and what a person does in a browser."""

    client: TestClient
    fake: FakeProvider

    def begin(self, page: str = "/", headers: dict[str, str] = CLICK) -> httpx2.Response:
        """Begin a sign-in."""
        return self.client.get("/auth/login", params={"next": page}, headers=headers)

    def answer(self, page: str = "/", **changed: str | None) -> dict[str, str]:
        """Begin a sign-in, and let the provider sign the person in."""
        began = self.begin(page)
        assert began.status_code == 302, began.text
        return self.fake.authorize(began.headers["location"], **changed)

    def come_back(self, answer: dict[str, str]) -> httpx2.Response:
        """Come back from the provider."""
        return self.client.get(back(answer), headers=RETURN)

    def sign_in(self, page: str = "/", **changed: str | None) -> httpx2.Response:
        """Sign in as a person does."""
        return self.come_back(self.answer(page, **changed))

    def me(self) -> Any:
        """Return who is signed in, or the status."""
        response = self.client.get("/api/v1/me", headers={"Sec-Fetch-Site": "same-origin"})
        return response.json() if response.status_code == 200 else response.status_code

    def refusal(self, response: httpx2.Response) -> tuple[int, str]:
        """Return why a sign-in was refused; no user must be signed in then."""
        found = re.search(r'data-refusal="(\w+)"', response.text)
        assert found, response.text
        assert re.search(r'href="/auth/login\?(again=true&amp;)?next=', response.text)
        assert self.me() == 401
        return response.status_code, found[1]

    def audit(self) -> list[tuple[str, str, str]]:
        """Return what the audit trail has, oldest first."""
        store = self.client.app.state.services.store  # type: ignore[attr-defined]
        entries = self.client.portal.call(store.audit.newest)  # type: ignore[union-attr]
        return [(entry.action.value, entry.way, entry.outcome) for entry in reversed(entries)]


Make = Callable[..., Front]


@contextmanager
def served(folder: Path, fake: FakeProvider | None = None, base: str = BASE, **values: Any) -> Iterator[Front]:
    """Serve the app for users of the provider."""
    fake = fake or FakeProvider()
    settings = oidc_settings(folder, fake, token=TOKEN, port=8765, **values)
    app = create_app(settings, provider=Provider(settings, fake.transport))
    with TestClient(app, base_url=base, follow_redirects=False, client=("127.0.0.1", 50000)) as client:
        yield Front(client, fake)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as running:
        yield lambda *given, **values: running.enter_context(served(tmp_path, *given, **values))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with served(tmp_path_factory.mktemp("oidc"), FakeProvider()) as front:
        yield front


@pytest.fixture
def front(shared: Front) -> Front:
    """Return the app of the module without cookies, with a provider without faults."""
    shared.client.cookies.clear()
    for name, value in vars(FakeProvider()).items():
        setattr(shared.fake, name, value)
    return shared


def cookies(response: httpx2.Response) -> dict[str, str]:
    """Return the flags of each cookie that a response sets, without its value."""
    found = (cookie.partition("=") for cookie in response.headers.get_list("set-cookie"))
    return {name: rest.partition(";")[2].strip() for name, _, rest in found}


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
    assert (me["name"], me["role"], me["scopes"]) == ("Ada", "user", ["answer", "ask", "read"])
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


def test_a_late_answer_is_refused_and_keeps_the_page(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = front.answer("/history")
    moment = time() + 3500
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: moment)
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


def test_only_members_of_a_group_sign_in(make: Make) -> None:
    front = make(oidc_allowed_groups=["staff"])
    front.sign_in()
    user = front.me()["user_id"]
    front.client.cookies.clear()
    front.fake.claims = {"groups": ["alumni"]}
    assert front.refusal(front.sign_in()) == (403, "not_allowed")
    assert front.audit()[-1] == ("sign_in_refused", "oidc", "not_allowed")
    began = front.client.get("/auth/login?again=true&next=/calls", headers=CLICK)
    assert dict(parse_qsl(urlsplit(began.headers["location"]).query))["prompt"] == "login"
    front.fake.claims = {}
    front.sign_in()
    assert front.me()["user_id"] == user


def test_a_refused_stranger_does_not_become_a_user(make: Make) -> None:
    front = make(oidc_allowed_groups=["boss"])
    front.sign_in()
    assert [action for action, _way, _outcome in front.audit()] == ["sign_in_refused"]


def test_a_role_is_refreshed_at_each_sign_in(make: Make) -> None:
    front = make(FakeProvider(claims={"groups": ["boss"]}), oidc_admin_groups=["boss"])
    front.sign_in()
    assert front.me()["role"] == "admin"
    front.fake.claims = {"groups": []}
    front.client.cookies.clear()
    front.sign_in()
    assert front.me()["role"] == "user"


def test_the_first_administrator_is_named_by_subject(make: Make) -> None:
    front = make(admins=["ada"])
    front.sign_in()
    assert front.me()["role"] == "admin"
    front.client.cookies.clear()
    front.fake.claims = {"sub": "bob", "name": "ada"}
    front.sign_in()
    assert front.me()["role"] == "user"


def test_a_disabled_user_is_refused(front: Front) -> None:
    front.fake.claims = {"sub": "carl"}
    front.sign_in()
    users = front.client.app.state.services.store.users  # type: ignore[attr-defined]
    front.client.portal.call(users.disable, front.me()["user_id"])  # type: ignore[union-attr]
    assert front.me() == 401
    front.client.cookies.clear()
    assert front.refusal(front.sign_in()) == (403, "disabled_user")


def test_an_id_is_not_an_email_address(front: Front) -> None:
    """An address that moves on to another person must not open the first one's inbox."""
    front.sign_in()
    user = front.me()["user_id"]
    front.client.cookies.clear()
    front.fake.claims = {"sub": "bob"}
    front.sign_in()
    assert front.me()["user_id"] != user


def test_forged_answers_fill_no_audit_trail(make: Make) -> None:
    front = make()
    for number in range(25):
        front.come_back({"code": "c", "state": str(number)})
    assert front.audit() == [("sign_in_refused", "oidc", "unknown_state")] * 2


# The session


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


def test_a_web_page_cannot_send_a_logout_token(front: Front) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert log_out(front, front.fake.logout_token(), **headers).status_code == 403
