"""Adding a server: what was typed, checked field by field."""

from __future__ import annotations

import pytest

from webclient.domain.errors import InvalidInputError
from webclient.domain.model import Era
from webclient.web.pages.servers.new_server import free_label, read_era, read_new_server

TYPED = {"label": " travel ", "url": " http://127.0.0.1:1/mcp ", "type": "sse", "era": "2025-11-25", "headers": ""}


def errors_of(**changed: str) -> dict[str, str]:
    with pytest.raises(InvalidInputError) as wrong:
        read_new_server(list((TYPED | changed).items()))
    return wrong.value.errors


def test_a_complete_form_becomes_a_server() -> None:
    server = read_new_server(list(TYPED.items()))
    assert (server.label, server.era) == ("travel", Era.PUSH)
    assert server.transport == {"type": "sse", "url": "http://127.0.0.1:1/mcp"}


def test_headers_are_one_to_a_line() -> None:
    typed = TYPED | {"headers": "Authorization: Bearer a:b\r\n\r\nX-Team:  blue \r\n"}
    transport = read_new_server(list(typed.items())).transport
    assert transport["headers"] == {"Authorization": "Bearer a:b", "X-Team": "blue"}


@pytest.mark.parametrize("headers", ["no colon", ": no name", "Bad Name: x", "X: ü"])
def test_an_invalid_header_is_refused_at_its_field(headers: str) -> None:
    assert list(errors_of(headers=headers)) == ["headers"]


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp"),
        ("localhost/mcp", "http://localhost/mcp"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("mcp.example.com/mcp", "https://mcp.example.com/mcp"),
        ("box:8000/mcp", "https://box:8000/mcp"),
        ("HTTP://127.0.0.1/mcp", "HTTP://127.0.0.1/mcp"),
    ],
)
def test_an_address_without_a_scheme_gets_one(typed: str, url: str) -> None:
    assert read_new_server(list((TYPED | {"url": typed}).items())).transport["url"] == url


@pytest.mark.parametrize("typed", ["mcp", "mailto:ada@example.com", "ada@example.com", "see example.com"])
def test_other_text_gets_no_scheme(typed: str) -> None:
    assert errors_of(url=typed).keys() == {"url"}


@pytest.mark.parametrize(
    ("url", "claims", "label"),
    [
        ("http://127.0.0.1:8000/mcp", "Travel desk", "Travel desk"),
        ("http://127.0.0.1:8000/mcp", "BANK", "127.0.0.1:8000"),
        ("http://[::1]:8000/mcp", "", "[::1]:8000"),
        ("https://me@evil.example/mcp", "Travel desk", "evil.example"),
    ],
)
def test_a_server_elsewhere_does_not_choose_its_label(url: str, claims: str, label: str) -> None:
    assert free_label(url, claims, ["Bank"]) == label


def test_a_name_may_be_left_out() -> None:
    assert read_new_server(list((TYPED | {"label": "  "}).items())).label == ""


def test_every_wrong_field_has_a_sentence() -> None:
    assert errors_of(label="x" * 81, url="ftp://a.example").keys() == {"label", "url"}
    assert errors_of(label="Travel", url="http://ex\u00adample.com/mcp").keys() == {"url"}
    assert errors_of(label="x" * 81).keys() == {"label"}
    assert errors_of(url="").keys() == {"url"}


def test_an_unknown_era_is_named() -> None:
    with pytest.raises(InvalidInputError, match="1999"):
        read_era("1999")


def test_a_server_without_chosen_transport_is_detected() -> None:
    for kind in ("auto", ""):
        transport = read_new_server(list((TYPED | {"type": kind}).items())).transport
        assert (transport["type"], transport["detect"]) == ("http", True)
