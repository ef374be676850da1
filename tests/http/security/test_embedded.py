"""A session in a frame reaches the routes of its scopes, and nothing that is added beside them."""

from __future__ import annotations

from tests.tables import each_row
from webclient.web.http.security.auth import is_within


@each_row(
    ("scope", "method", "path", "expected"),
    [
        ("inbox:read", "GET", "/panel/chat", True),
        ("inbox:read", "HEAD", "/stream", True),
        ("inbox:read", "GET", "/requests/r1", True),
        ("inbox:read", "GET", "/requests/r1/more", True),
        ("inbox:read", "GET", "/requests", False),
        ("inbox:read", "GET", "/api/v1/requests", True),
        ("inbox:read", "GET", "/api/v1/calls", False),
        ("inbox:read", "GET", "/api/v1/me/more", False),
        ("inbox:read", "POST", "/requests/r1", False),
        ("inbox:read", "POST", "/visible", False),
        ("inbox:read", "OPTIONS", "/stream", False),
        ("inbox:read", "GET", "/requests/../servers", False),
        ("inbox:read", "GET", "/", False),
        # Answering includes reading.
        ("inbox", "GET", "/stream", True),
        ("inbox", "POST", "/requests/r1", True),
        ("inbox", "POST", "/api/v1/requests/r1/answer", True),
        ("inbox", "POST", "/api/v1/requests", False),
        ("inbox", "POST", "/api/v1/requests/r1/withdraw", False),
        ("inbox", "DELETE", "/api/v1/requests/r1", False),
        ("ask", "POST", "/api/v1/requests", True),
        ("ask", "POST", "/api/v1/requests/r1/withdraw", True),
        ("ask", "GET", "/api/v1/requests/r1/content", True),
        ("ask", "GET", "/api/v1/requests", False),
        ("ask", "POST", "/api/v1/requests/r1/answer", False),
        ("calls", "POST", "/api/v1/calls/c1/cancel", True),
        ("calls", "GET", "/api/v1/servers/s1/tools", True),
        ("calls", "POST", "/api/v1/servers", False),
        ("calls", "GET", "/api/v1/servers/s1/settings", False),
        ("embed:admin", "GET", "/api/v1/me", False),
        ("invented", "GET", "/stream", False),
    ],
)
def test_a_scope_opens_its_routes_only(scope: str, method: str, path: str, *, expected: bool) -> None:
    assert is_within({scope}, method, path) is expected


def test_several_scopes_open_what_each_opens() -> None:
    both = {"ask", "inbox:read"}
    assert is_within(both, "POST", "/api/v1/requests")
    assert is_within(both, "GET", "/stream")
    assert not is_within(both, "POST", "/requests/r1")
    assert not is_within(set(), "GET", "/stream")
