"""The theme of the pages: chosen on a page, kept in a cookie, and written into each page by the server."""

from __future__ import annotations

import pytest

from tests.http.small_app import HTML, OWN, client_of, make_app


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chosen_theme_is_written_into_the_page(theme: str) -> None:
    client = client_of(make_app(), HTML | OWN)
    response = client.post("/theme", data={"theme": theme, "next": "/calls"})
    assert (response.status_code, response.headers["location"]) == (303, "/calls")
    page = client.get("/login").text
    assert f'data-theme="{theme}"' in page
    assert f'<meta name="color-scheme" content="{theme}">' in page


def test_the_theme_is_that_of_the_system_until_one_is_chosen() -> None:
    client = client_of(make_app(), HTML | OWN)
    for choice in ("", "dark", "system"):
        if choice:
            client.post("/theme", data={"theme": choice})
        assert ("data-theme" in client.get("/login").text) is (choice == "dark"), choice


def test_an_unknown_theme_cannot_be_chosen() -> None:
    response = client_of(make_app(), HTML | OWN).post("/theme", data={"theme": "neon"})
    assert (response.status_code, "set-cookie" in response.headers) == (422, False)


def test_another_site_cannot_change_the_theme() -> None:
    headers = HTML | {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert client_of(make_app(), headers).post("/theme", data={"theme": "dark"}).status_code == 403
