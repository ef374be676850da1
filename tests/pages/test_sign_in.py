"""The token signs a browser in once; what stays is a session."""

from __future__ import annotations

import pytest

from tests.http.small_app import HTML, ORIGIN, OWN, TOKEN, MemorySessions, client_of, make_app, signed_in
from tests.tables import each_row
from webclient.auth.local import OneTimeCode


def flags(set_cookie: str) -> set[str]:
    """Return what stands behind the name and value of a cookie."""
    return set(set_cookie.split("; ")[1:])


def test_the_link_signs_in_and_redirects_without_the_token() -> None:
    client = client_of(make_app(), HTML)
    response = client.get("/login", params={"token": TOKEN})
    assert response.status_code == 200
    assert '<meta http-equiv="refresh" content="0;url=/">' in response.text
    assert TOKEN not in response.text
    assert client.get("/whoami").json() == {"user_id": "local"}


def test_the_cookie_is_a_new_session_and_not_the_token() -> None:
    sessions = MemorySessions()
    app = make_app(sessions)
    cookies = [client_of(app).get("/login", params={"token": TOKEN}).cookies["webclient-8765"] for _ in "ab"]
    assert sorted(cookies) == sorted(sessions.users)
    assert len(set(cookies)) == 2
    assert TOKEN not in cookies


def test_a_page_of_another_site_does_not_get_the_cookie_sent() -> None:
    cookie = client_of(make_app()).get("/login", params={"token": TOKEN}).headers["set-cookie"]
    assert flags(cookie) == {"Path=/", "HttpOnly", "SameSite=Strict"}


def test_over_https_the_cookie_stays_there() -> None:
    client = client_of(make_app(), base_url="https://localhost")
    cookie = client.get("/login", params={"token": TOKEN}).headers["set-cookie"]
    assert flags(cookie) == {"Path=/", "HttpOnly", "SameSite=Strict", "Secure"}
    # Another host of the domain cannot set one with this name, and one with another name is of no use.
    session = cookie.partition(";")[0].removeprefix("__Host-webclient-8765=")
    client.cookies.clear()
    names = ("__Host-webclient-8765", "webclient-8765")
    found = [client.get("/whoami", headers={"Cookie": f"{name}={session}"}).status_code for name in names]
    assert found == [200, 401]


def test_at_the_public_url_the_cookie_stays_with_https() -> None:
    # Also if the proxy that ends TLS is not named in the settings.
    app = make_app(public_url="https://inbox.example.com")
    for host, secure in (("inbox.example.com", True), ("localhost:8765", False)):
        cookie = client_of(app, base_url=f"http://{host}").get("/login", params={"token": TOKEN}).headers["set-cookie"]
        assert ("Secure" in flags(cookie)) is secure


def test_in_a_frame_the_cookie_is_kept_apart_for_that_site() -> None:
    client = client_of(make_app(embed_origins=["https://chat.example.com"]))
    cookie = client.get("/login", params={"token": TOKEN}).headers["set-cookie"]
    assert flags(cookie) == {"Path=/", "HttpOnly", "SameSite=None", "Secure", "Partitioned"}


@pytest.mark.parametrize("token", ["wrong", "", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "\udc80ü", "x" * 5000])
def test_a_wrong_link_is_refused_with_a_sentence(token: str) -> None:
    quoted = "".join(f"%{byte:02x}" for byte in token.encode("utf-8", "surrogateescape"))
    response = client_of(make_app(), HTML).get(f"/login?token={quoted}")
    assert response.status_code == 403
    assert 'role="alert"' in response.text
    assert "set-cookie" not in response.headers


def test_without_a_token_there_is_a_form_to_paste_it_into() -> None:
    response = client_of(make_app(), HTML).get("/login")
    assert response.status_code == 200
    assert 'for="token"' in response.text
    assert 'role="alert"' not in response.text


def test_the_pasted_token_signs_in() -> None:
    client = client_of(make_app(), OWN)
    assert client.post("/login", data={"token": f" {TOKEN}\n"}).status_code == 200
    assert client.get("/whoami").status_code == 200


@pytest.mark.parametrize("data", [{"token": "wrong"}, {"token": ""}, {}])
def test_a_wrong_pasted_token_is_refused_and_the_form_stays(data: dict[str, str]) -> None:
    response = client_of(make_app(), OWN | HTML).post("/login", data=data)
    assert response.status_code == 403
    assert 'role="alert"' in response.text
    assert 'for="token"' in response.text


def test_a_wrong_token_is_not_shown_again() -> None:
    response = client_of(make_app(), OWN | HTML).post("/login", data={"token": "nearly-right"})
    assert "nearly-right" not in response.text


@pytest.mark.parametrize("by_link", [True, False])
def test_the_right_token_signs_in_after_any_number_of_wrong_ones(by_link: bool) -> None:
    client = client_of(make_app(max_sign_in_attempts=2), OWN)
    statuses = [client.get("/login", params={"token": f"wrong {n}"}).status_code for n in range(4)]
    assert statuses == [403, 403, 429, 429]
    response = (
        client.get("/login", params={"token": TOKEN}) if by_link else client.post("/login", data={"token": TOKEN})
    )
    assert response.status_code == 200
    assert client.get("/whoami").status_code == 200


def test_too_many_wrong_tokens_get_429_with_the_time_to_wait() -> None:
    client = client_of(make_app(max_sign_in_attempts=1), OWN | HTML)
    client.get("/login", params={"token": "wrong"})
    response = client.get("/login", params={"token": "wrong, too"})
    assert (response.status_code, response.headers["retry-after"]) == (429, "60")
    assert "wait a minute" in response.text


def test_a_one_time_link_signs_in_once_and_the_token_still_does() -> None:
    once = OneTimeCode()
    app = make_app(once=once)
    first, second = client_of(app, HTML), client_of(app, HTML)
    assert first.get("/login", params={"token": once.value}).status_code == 200
    assert first.get("/whoami").status_code == 200
    again = second.get("/login", params={"token": once.value})
    assert (again.status_code, "set-cookie" in again.headers) == (403, False)
    assert "used before" in again.text
    assert second.get("/login", params={"token": TOKEN}).status_code == 200


def test_a_one_time_code_is_not_a_token_for_scripts() -> None:
    once = OneTimeCode()
    client = client_of(make_app(once=once))
    assert client.get("/whoami", headers={"Authorization": f"Bearer {once.value}"}).status_code == 401


def test_signing_out_ends_the_session_and_takes_the_cookie_away() -> None:
    sessions = MemorySessions()
    client = signed_in(make_app(sessions), sessions)
    response = client.post("/logout", headers={"Origin": ORIGIN})
    assert (response.status_code, response.headers["location"]) == (303, "/login")
    assert response.headers["set-cookie"].startswith("webclient-8765=; ")
    assert "Max-Age=0" in flags(response.headers["set-cookie"])
    assert sessions.users == {}


def test_a_link_cannot_sign_anybody_out() -> None:
    sessions = MemorySessions()
    client = signed_in(make_app(sessions), sessions)
    assert client.get("/logout").status_code == 405
    assert client.get("/whoami").status_code == 200


def test_after_signing_in_the_page_that_was_wanted_comes_next() -> None:
    client = client_of(make_app(), OWN | HTML)
    form = client.get("/login", params={"next": "/calls?state=done"}).text
    assert '<input type="hidden" name="next" value="/calls?state=done">' in form
    response = client.post("/login", data={"token": TOKEN, "next": "/calls?state=done"})
    assert '<meta http-equiv="refresh" content="0;url=/calls?state=done">' in response.text


@each_row(
    "page",
    [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "evil",
        "/;url=//evil.example",
        "/\n/evil",
        "/\t//e",
        "",
    ],
)
def test_no_page_but_our_own_comes_next(page: str) -> None:
    response = client_of(make_app(), HTML).get("/login", params={"token": TOKEN, "next": page})
    assert '<meta http-equiv="refresh" content="0;url=/">' in response.text


def test_an_error_page_has_sign_out_for_who_is_signed_in_alone() -> None:
    sessions = MemorySessions()
    app = make_app(sessions)
    assert 'action="/logout"' in signed_in(app, sessions, HTML).get("/nowhere").text
    assert 'action="/logout"' not in client_of(app, HTML).get("/nowhere").text
