"""The cases of data/url-cases.json, which says of each URL what a browser makes of it, and others of the same kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tables import each_row
from webclient.content.links import Link, Severity, analyse

CASES = json.loads((Path(__file__).parent / "data" / "url-cases.json").read_text("utf-8"))
CUT = "…"


def codes(link: Link) -> set[str]:
    return {finding.code for finding in link.findings}


def severity(link: Link, code: str) -> Severity | None:
    return next((finding.severity for finding in link.findings if finding.code == code), None)


@each_row("case", CASES)
def test_a_case_is_seen_as_a_browser_sees_it(case: dict[str, Any]) -> None:
    link = analyse(case["url"])
    assert link.blocked == case["must_block"]
    assert set(case["must_warn"]) <= codes(link)
    if case["whatwg_parses"]:
        assert link.host == (case["display_host_expected"] or "")
        assert link.href.startswith(case["href_expected"].removesuffix(CUT))
    else:
        assert link.href == ""


@each_row(
    ("url", "host"),
    [
        ("https:evil.example", "evil.example"),
        ("https:/\\evil.example", "evil.example"),
        ("\thttps://evil.example\n", "evil.example"),
        ("ht\ntps://ev\til.example", "evil.example"),
        ("https://evil。example/", "evil.example"),
        ("https://good.example\\.evil.example/", "good.example"),
        ("https://a@b@evil.example", "evil.example"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://017700000001/", "127.0.0.1"),
        ("https://evil.example:443/", "evil.example"),
        ("https://EVIL.example:0443", "evil.example"),
        ("https://bücher.example", "xn--bcher-kva.example"),
        ("https://evil.example?@good.example", "evil.example"),
        ("https://evil.example#@good.example", "evil.example"),
        ("https://evil.example/\ud800", "evil.example"),
    ],
)
def test_the_host_is_the_one_that_a_browser_goes_to(url: str, host: str) -> None:
    assert analyse(url).host == host


@each_row(
    ("url", "code"),
    [
        ("https://accounts.google.com@evil.example", "userinfo"),
        ("https://accounts.google.com@evil.example", "raw-differs"),
        ("https://paypal@evil.example", "raw-differs"),
        ("https:evil.example", "raw-differs"),
        ("https://ev\til.example", "raw-differs"),
        ("https://evil.example?@paypal.com", "raw-differs"),
        ("https://evil.example#@paypal.com", "raw-differs"),
        ("https://evil.example?.paypal.com/", "raw-differs"),
        ("https://evil.example/#@paypal.com", "raw-differs"),
        ("https://evil。example", "raw-differs"),
        ("https://%65vil.example", "encoded-host"),
        ("https:\\\\evil.example", "backslash"),
        ("https://evil.example\n", "control-chars"),
        ("https://evil.example/\ud800", "control-chars"),
        ("https://e\u00advil.example", "zero-width"),
        ("https://evil.example/\u2067x", "bidi"),
        ("https://evil.example/%E2%80%AEgpj.exe", "bidi"),
        ("https://pаypal.com", "mixed-script"),
        ("https://аррӏе.com", "confusable"),
        ("https://ɡoogle.com", "confusable"),
        ("https://googlé.com", "confusable"),
        ("https://paypa1.com", "confusable"),
        ("https://rnicrosoft.com", "confusable"),
        ("https://good.example⁄x.evil.example", "confusable"),
        ("https://paypal.com.evil.example", "brand-subdomain"),
        ("https://accounts.google.com-sign-in.evil.example", "brand-subdomain"),
        ("https://some.bank.co.uk.evil.example", "brand-subdomain"),
        ("https://google.de.evil.example", "brand-subdomain"),
        ("https://secure-paypal-com.evil.example", "brand-subdomain"),
        ("https://paypal.com.github.io", "brand-subdomain"),
        ("https://10.1.2.3", "ip-private"),
        ("https://169.254.169.254", "ip-private"),
        ("https://100.64.0.1", "ip-private"),
        ("https://[fd00::1]", "ip-private"),
        ("https://[fe80::1]", "ip-private"),
        ("https://[64:ff9b::a00:1]", "ip-private"),
        ("https://metadata.google.internal", "ip-private"),
        ("https://[::ffff:7f00:1]", "loopback"),
        ("https://[::1]", "loopback"),
        ("http://0.0.0.0", "loopback"),
        ("https://x.localhost", "loopback"),
        ("https://8.8.8.8", "ip-literal"),
        ("http://example.com", "insecure-http"),
        ("https://example.com:25", "port"),
        ("https://router", "single-label"),
        ("https://example.com.", "trailing-dot"),
        (f"https://{'long-' * 16}name.example", "long-host"),
    ],
)
def test_a_suspicious_link_is_a_warning(url: str, code: str) -> None:
    assert severity(analyse(url, server_url="https://mcp.example"), code) is Severity.WARN


@each_row(
    "url",
    [
        "",
        "nonsense",
        "example.com",
        "https://",
        "https://?x",
        "https://a b.example",
        "https://a%00.example",
        "https://a<b.example",
        "https://[::1",
        "https://a.example:99999",
        "https://a\u200d.example",
        "https://a\u200e.example",
        "https://نامه\u200cای.example",
        "https://xn--mgba3gch31f060k.example",
        "https://xn--1ug.example",
        "https://xn--paypal-.com",
        "https://a\ud800.example",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "wss://a.example",
        "x" * 1_000_000,
    ],
)
def test_a_dangerous_link_is_blocked_with_a_reason(url: str) -> None:
    link = analyse(url)
    assert link.blocked
    assert all(finding.message for finding in link.findings)


@each_row(
    "url",
    [
        "https://example.com",
        "https://example.com/",
        "HTTPS://Example.COM:443/a?b=c#d",
        "https://auth.example.com/authorize?client_id=x&redirect_uri=https%3A%2F%2Fmcp.example%2Fcb&login_hint=a@b.example",
        "https://app.example.com?login_hint=ada@example.org",
        "https://github.mcp.example.com/connect",
        "https://tenant.us.auth0.com/authorize",
        "https://my-bucket.s3.us-west-2.amazonaws.com/x",
        "https://my-app.happyfield-12345678.westeurope.azurecontainerapps.io/x",
        "https://www.paypal.com/signin",
        "https://accounts.google.com/o/oauth2/v2/auth",
        "https://alice.github.io/",
        "https://de.wikipedia.org/wiki/Zürich",
        "https://medium.com/@ada/post",
        "https://example.com/😀️",
        "https://example.com:8443/",
        "https://bücher.example",
        "https://straße.de",
        "https://kızılay.com.tr",
        "https://col·legi.cat",
        "https://россия.рф",
        "https://сахар.рф",
        "https://例え.jp",
        "https://ノート.jp",
        "https://google한국.com",
        "https://注音ㄅㄆㄇabc.tw",
        "https://example.com/%E2%80%8F",
        f"https://example.com/{'x' * 5_000}",
    ],
)
def test_an_honest_link_raises_no_alarm(url: str) -> None:
    link = analyse(url, server_url="https://mcp.example/mcp", opened=[])
    assert {finding.severity for finding in link.findings} <= {Severity.INFO}


def test_honest_letters_beyond_a_to_z_are_shown_in_both_ways() -> None:
    for url in ("https://bücher.example", "https://xn--bcher-kva.example"):
        [finding] = [each for each in analyse(url).findings if each.code == "punycode"]
        assert finding.severity is Severity.INFO
        assert "bücher.example" in finding.message
        assert "xn--bcher-kva.example" in finding.message


def test_a_finding_speaks_to_a_person() -> None:
    link = analyse("https://accounts.google.com@evil.example/x")
    assert link.findings[0].message == "It starts with “accounts.google.com”, but it opens evil.example."
    # It is said once, for both findings.
    assert list(link.sentences(Severity.WARN).values()) == ["userinfo raw-differs"]
    assert [each.code for each in analyse("javascript:alert(1)").of(Severity.BLOCK)] == ["scheme"]
