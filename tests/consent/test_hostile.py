"""For any text from a server, the analysis ends, costs little, and names the browser's host."""

from __future__ import annotations

import time
from unicodedata import category

from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from webclient.content.links import Severity, analyse
from webclient.content.links.url import MAX_LENGTH

PIECES = [
    *("https:", "http:", "javascript:", "//", "/", "\\", "@", ":", ":443", ".", "..", "?", "#", "%2e", "%40", "[", "]"),
    *("xn--", "xn--pypal-4ve", "paypal", "com", "evil", "example", "localhost", "127.0.0.1", "0x7f", "::1", "а", "ß"),
    *("\n", "\t", " ", "\x00", "\u200b", "\u200d", "\u202e", "\u3002", "\uff0e", "\ud800", "\U0001f600", "é", "-", "1"),
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))

N = MAX_LENGTH - 100
HUGE = [
    "https://" + "a." * (N // 2),
    "https://" + "а." * (N // 2),
    "https://" + "xn--a." * (N // 6) + "com",
    "https://" + "com.paypal-" * (N // 11) + ".com",
    "https://" + "a-" * (N // 2) + "b.example/",
    "https://" + "paypal-" * (N // 7) + "x.example/",
    "https://a.example/" + "a." * (N // 2) + "com",
    "https://a.example/" + "login-" * (N // 6),
    "https://" + "@" * N,
    "https://" + "a" * N,
    "https://a.example?" + "@." * (N // 2),
    "https://a.example?" + "a-" * (N // 2),
    "https://a.example/#" + "a." * (N // 2),
    "https://a.example/?" + "u=https%3A//b.example&" * (N // 22),
    "https://a.example/?" + "%25" * (N // 6) + "=" + "//" * (N // 6),
    "https://a.example/?u=" + "https%" + "25" * (N // 2) + "3a",
    "https://a.example/" + "\u202e" * N,
    "\\" * N,
    "%" * N,
    "https://a.example/" + "x" * 5_000_000,
]


@given(texts)
def test_any_text_is_looked_at_without_failing(text: str) -> None:
    link = analyse(text, server_url="https://mcp.example", opened=["example.com"])
    assert all(finding.message for finding in link.findings)
    assert link.blocked or link.scheme in ("http", "https")
    assert "".join(link.emphasised) == link.href if not link.blocked else True
    assert not any(category(char) == "Cc" or char in "\u200b\u202e\u2028" for char in link.spelled)


@given(texts)
def test_an_allowed_link_is_canonical_and_safe_to_write(text: str) -> None:
    link = analyse(text)
    if not link.blocked:
        assert URL(link.href).href == link.href
        assert URL(link.href).host == link.host
        assert link.href.isascii()
        assert link.href.isprintable()
        assert not set(" \"<>'\\") & set(link.href.partition("#")[0].partition("?")[0])
        assert link.href.startswith(("https://", "http://"))


@each_row("url", HUGE)
def test_the_cost_is_bounded(url: str) -> None:
    """A generous bound: what runs away takes minutes, and what is meant takes milliseconds."""
    began = time.process_time()
    link = analyse(url, server_url="https://mcp.example", opened=["example.com"])
    assert time.process_time() - began < 5
    assert len(link.spelled) <= 8 * MAX_LENGTH + 1


def test_a_link_too_long_to_examine_is_blocked() -> None:
    link = analyse("https://a.example/" + "x" * MAX_LENGTH)
    assert [each.code for each in link.of(Severity.BLOCK)] == ["very-long"]
