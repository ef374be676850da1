"""Addresses of servers: accepted only if a request can be sent there."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from webclient.domain.urls import is_http_url

UNSENDABLE = [
    "http://0177.0.0.1/mcp",
    "http://1.2.3.04/mcp",
    "http://①②⑦.0.0.1/",
    "http://ex\u00adample.com/",
    "http://ex\u200bample.com/",
    "http://a..example/",
    f"http://{'a' * 64}.example/",
    "http://a.example:99999/",
    "http://a.example:0/",
    "http://[::1/",
    "http://",
    "ftp://a.example/",
]


@each_row("url", UNSENDABLE)
def test_an_address_to_which_nothing_can_be_sent_is_refused(url: str) -> None:
    assert not is_http_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/mcp",
        "https://[::1]:80/x",
        "https://münchen.example/",
        "http://a_b.example./",
        "HTTP://A/",
    ],
)
def test_an_address_to_which_a_request_can_be_sent_is_valid(url: str) -> None:
    assert is_http_url(url)
