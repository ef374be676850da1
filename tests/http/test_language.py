"""A request is answered in the language of its page, else in the one chosen here, else in the browser's."""

from __future__ import annotations

import pytest

from tests.http.small_app import BEARER, HTML, OWN, client_of, make_app
from tests.http.test_errors import raising
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import language

CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9"}


def test_a_page_comes_in_the_language_of_the_browser() -> None:
    response = client_of(make_app(), HTML | CHINESE).get("/login")
    assert response.headers["content-language"] == "zh-Hans"
    assert '<html lang="zh-Hans">' in response.text
    assert '<html lang="en">' in client_of(make_app(), HTML).get("/login").text


def test_a_chosen_language_wins_over_the_browsers() -> None:
    client = client_of(make_app(), HTML | CHINESE | OWN)
    client.post("/language", data={"language": "en"})
    assert client.get("/login").headers["content-language"] == "en"


def test_a_part_of_a_page_comes_in_the_language_of_the_page() -> None:
    client = client_of(make_app(), HTML | CHINESE)
    assert client.get("/login", headers={"Page-Language": "en"}).headers["content-language"] == "en"


@pytest.mark.parametrize("name", ["", "xx", "zh", "zh-hans", "../en", "en\x00"])
def test_an_unsupported_language_is_not_used(name: str) -> None:
    headers = {"Page-Language": name, "Cookie": f"webclient-language={name}"}
    assert client_of(make_app(), HTML | CHINESE | headers).get("/login").headers["content-language"] == "zh-Hans"


def test_an_error_comes_in_the_language_of_the_reader() -> None:
    app = raising(NotFoundError("-"))
    page = client_of(app, BEARER | HTML | CHINESE).get("/raise")
    assert '<html lang="zh-Hans">' in page.text
    problem = client_of(app, BEARER | CHINESE).get("/raise")
    assert problem.headers["content-language"] == "zh-Hans"
    assert problem.json()["title"] == "未找到"
    assert client_of(app, BEARER).get("/raise").json()["title"] == "Not found"


def test_the_language_of_one_request_does_not_stay_for_the_next() -> None:
    app = make_app()
    client_of(app, HTML | CHINESE).get("/login")
    assert language() == "en"
    assert client_of(app, HTML).get("/login").headers["content-language"] == "en"


def test_files_have_no_language() -> None:
    assert "content-language" not in client_of(make_app(), CHINESE).get("/static/icon.svg").headers


def test_the_choice_is_kept_in_a_cookie_and_leads_back() -> None:
    client = client_of(make_app(), HTML | OWN)
    response = client.post("/language", data={"language": "zh-Hans", "next": "/calls?state=done"})
    assert (response.status_code, response.headers["location"]) == (303, "/calls?state=done")
    name, *flags = response.headers["set-cookie"].split("; ")
    assert name == "webclient-language=zh-Hans"
    assert set(flags) == {"Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=34560000"}


def test_in_a_frame_the_choice_is_kept_apart_for_that_site() -> None:
    client = client_of(make_app(embed_origins=["https://chat.example.com"]), HTML | OWN)
    cookie = client.post("/language", data={"language": "en"}).headers["set-cookie"]
    assert {"SameSite=None", "Secure", "Partitioned"} <= set(cookie.split("; "))


@pytest.mark.parametrize("page", ["https://evil.example/", "//evil.example", "/\\evil.example", "", "javascript:x"])
def test_the_choice_never_leads_to_another_site(page: str) -> None:
    response = client_of(make_app(), HTML | OWN).post("/language", data={"language": "en", "next": page})
    assert response.headers["location"] == "/"


def test_an_unknown_language_cannot_be_chosen() -> None:
    response = client_of(make_app(), HTML | OWN).post("/language", data={"language": "xx"})
    assert response.status_code == 422
    assert "set-cookie" not in response.headers


def test_another_site_cannot_change_the_language() -> None:
    headers = HTML | {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    response = client_of(make_app(), headers).post("/language", data={"language": "zh-Hans"})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers


def test_a_page_has_a_button_for_each_other_language() -> None:
    page = client_of(make_app(), HTML).get("/login?next=/calls").text
    assert '<button type="submit" name="language" value="zh-Hans" lang="zh-Hans"' in page
    assert 'value="en"' not in page
    assert 'value="/login?next=/calls"' in page
