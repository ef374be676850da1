"""A request came over https if its scheme says so, or if it is for the public address."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from tests.tables import each_row
from webclient.auth.credentials import is_over_https
from webclient.settings import load_settings

PUBLIC = "https://Inbox.example.com:8443"


@each_row(
    ("scheme", "host", "public_url", "expected"),
    [
        ("https", "10.1.2.3", None, True),
        ("wss", "10.1.2.3", None, False),
        ("http", "inbox.example.com:8443", PUBLIC, True),
        ("http", "INBOX.example.com:8443", PUBLIC, True),
        # Reached by another name, past the proxy that ends TLS: a cookie for https only would be lost.
        ("http", "localhost:8765", PUBLIC, False),
        ("http", "inbox.example.com", PUBLIC, False),
        ("http", "localhost:8765", "http://localhost:8765", False),
        ("http", "inbox.example.com", None, False),
        ("http", "", None, False),
    ],
)
def test_the_scheme_or_the_public_host_mean_https(
    scheme: str, host: str, public_url: str | None, *, expected: bool
) -> None:
    headers = [(b"host", host.encode())] if host else []
    settings = load_settings(token="a token of this test", public_url=public_url)
    assert is_over_https(HTTPConnection({"type": "http", "scheme": scheme, "headers": headers}), settings) is expected
