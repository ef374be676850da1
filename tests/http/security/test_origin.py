"""No other site can act through a signed-in browser, or read what it sees."""

from __future__ import annotations

import pytest

from tests.http.small_app import BEARER, HTML, ORIGIN, OWN, MemorySessions, client_of, make_app, signed_in
from tests.tables import each_row

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def post(headers: dict[str, str], base: dict[str, str] | None = None) -> int:
    """Post as a signed-in browser; return the status."""
    sessions = MemorySessions()
    client = signed_in(make_app(sessions), sessions, base)
    return client.post("/act", headers=FORM | headers, content="a=1").status_code


ALLOWED = [
    {"Sec-Fetch-Site": "same-origin", "Origin": ORIGIN},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},  # our own form under Referrer-Policy: no-referrer
    {"Sec-Fetch-Site": "none"},
    {"Origin": ORIGIN},
    {"Origin": "HTTP://127.0.0.1:8765"},
]

REFUSED = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site", "Origin": ORIGIN},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:3000"},
    {"Sec-Fetch-Site": "", "Origin": ORIGIN},
    {"Sec-Fetch-Site": "same-origin, cross-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://127.0.0.1:3000"},
    {"Origin": "http://127.0.0.1"},
    {"Origin": "https://127.0.0.1:8765"},
    {"Origin": "http://localhost:8765"},
    {"Origin": "http://127.0.0.1:8765.evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {},
]


@pytest.mark.parametrize("headers", ALLOWED)
def test_a_request_from_our_page_is_allowed(headers: dict[str, str]) -> None:
    assert post(headers) == 200


@each_row("headers", REFUSED)
def test_a_request_that_may_be_foreign_is_refused(headers: dict[str, str]) -> None:
    assert post(headers) == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])
def test_every_method_that_may_change_something_is_checked(method: str) -> None:
    sessions = MemorySessions()
    client = signed_in(make_app(sessions), sessions)
    assert client.request(method, "/act", headers={"Origin": "https://evil.example"}).status_code == 403


def test_a_script_with_the_token_need_not_say_where_it_is() -> None:
    assert post({}, BEARER) == 200


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}])
def test_the_token_does_not_admit_a_cross_site_browser(headers: dict[str, str]) -> None:
    assert post(headers, BEARER) == 403


def test_signing_in_is_checked_as_well() -> None:
    response = client_of(make_app()).post("/login", data={"token": "x"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 403
    assert "cross-site" in response.json()["detail"]


def test_behind_a_name_the_origin_must_be_that_name() -> None:
    app = make_app(allowed_hosts=["box.example.com"])
    client = client_of(app, BEARER, base_url="https://box.example.com")
    assert client.post("/act", headers={"Origin": "https://box.example.com"}).status_code == 200
    assert client.post("/act", headers={"Origin": "http://box.example.com"}).status_code == 403


def test_a_refusal_names_what_was_seen_and_expected() -> None:
    response = client_of(make_app(), BEARER).post("/act", headers={"Origin": "https://evil.example"})
    detail = response.json()["detail"]
    assert "https://evil.example" in detail
    assert ORIGIN in detail


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["cors", "no-cors", "same-origin", None])
@pytest.mark.slow
def test_another_page_can_neither_read_nor_hold_a_stream(site: str, mode: str | None) -> None:
    headers = {"Sec-Fetch-Site": site} | ({"Sec-Fetch-Mode": mode} if mode else {})
    assert client_of(make_app(), BEARER).get("/page", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
        {},
    ],
)
def test_a_link_can_be_followed_from_anywhere(headers: dict[str, str]) -> None:
    assert client_of(make_app(), BEARER).get("/page", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json",
        "Application/JSON; charset=utf-8",
    ],
)
def test_a_form_or_json_is_taken(content_type: str) -> None:
    assert post(OWN | {"Content-Type": content_type}) == 200


@pytest.mark.parametrize("content_type", ["text/plain", "application/jsonx", "application/octet-stream", "", ";"])
def test_a_body_of_any_other_kind_is_refused(content_type: str) -> None:
    assert post(OWN | {"Content-Type": content_type}) == 415


def test_a_body_without_a_kind_is_refused_and_no_body_needs_none() -> None:
    client = client_of(make_app(), BEARER | HTML)
    assert client.post("/act", content=b"a=1").status_code == 415
    assert client.post("/act", content=iter([b"a=1"])).status_code == 415
    assert client.post("/act").status_code == 200
    assert client.delete("/act").status_code == 200
