"""Names that pass for known ones, names that spell addresses, and how rarely honest sites are taken for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.consent.test_cases import severity
from tests.tables import each_row
from webclient.content.links import Severity, analyse

REAL = (Path(__file__).parent / "data" / "real-hosts.txt").read_text("utf-8").split()
INVENTED = json.loads((Path(__file__).parent / "data" / "invented-links.json").read_text("utf-8"))
HONEST = (Path(__file__).parent / "data" / "honest-links.txt").read_text("utf-8").split()
SERVER = "https://mcp.example/mcp"


@each_row(
    ("url", "code"),
    [
        ("https://accounts.google.com_login.evil.example/", "brand-subdomain"),
        ("https://accounts.google.com~login.evil.example/", "odd-character"),
        ("https://accounts.google.com!login.evil.example/", "brand-subdomain"),
        ("https://a$b.evil.example/", "odd-character"),
        ("https://googie.com", "confusable"),
        ("https://PAYPAI.com", "confusable"),
        ("https://gooogle.com", "confusable"),
        ("https://linkedln.com", "confusable"),
        ("https://app1e.com", "confusable"),
        ("https://z0om.us", "confusable"),
        ("https://ɢoogle.com", "confusable"),
        ("https://paypał.com", "confusable"),
        ("https://gøøgle.com", "confusable"),
        ("https://ɢood.example", "confusable"),
        ("https://apple‐id.example", "confusable"),
        ("https://paypal–com.evil.example", "confusable"),
        ("https://amazom.com", "confusable"),
        ("https://githud.com", "confusable"),
        ("https://gihtub.com", "confusable"),
        ("https://lnkedin.com", "confusable"),
        ("https://paypall.com", "confusable"),
        ("https://payapl.com", "confusable"),
        ("https://youtud.com", "confusable"),
        ("https://whatsaap.com", "confusable"),
        ("https://slacck.com", "confusable"),
        ("https://stripee.com", "confusable"),
        ("https://okta-verify.net", "brand-in-name"),
        ("https://icloud-find.com", "brand-in-name"),
        ("https://anthropic-console.com", "brand-in-name"),
        ("https://stripe-dashboard.net", "brand-in-name"),
        ("https://googledrive-share.com", "brand-in-name"),
        ("https://github-oauth.netlify.app", "brand-in-name"),
        ("https://paypal.evil.example", "brand-in-name"),
        ("https://secure-github.evil.example", "brand-in-name"),
        ("https://netflix.support.top", "brand-in-name"),
        ("https://arnazon-account.com", "brand-in-name"),
        ("https://evil.example/www.paypal.com/signin", "brand-in-path"),
        ("https://evil.example/x/login/accounts.google.com", "brand-in-path"),
        ("https://paypal-secure-login.com", "brand-in-name"),
        ("https://paypallogin.com", "brand-in-name"),
        ("https://appleid-verify.com", "brand-in-name"),
        ("https://secure-chase.com", "brand-in-name"),
        ("https://paypal.github.io", "brand-in-name"),
        ("https://microsoft-support.netlify.app", "brand-in-name"),
        ("https://www.google.com/amp/s/evil.example/x", "nested-url"),
        ("https://web.archive.org/web/2020/https://evil.example/x", "nested-url"),
        ("https://a.example/go/https:%2F%2Fevil.example%2Fx", "nested-url"),
        ("https://169.254.169.254.nip.io/", "ip-private"),
        ("https://app.10-0-0-1.sslip.io/", "ip-private"),
        ("https://a9fea9fe.nip.io/", "ip-private"),
        ("https://192-168-1-2.example.com/", "ip-private"),
        ("https://127.0.0.1.nip.io/", "loopback"),
        ("https://--1.sslip.io/", "loopback"),
        ("https://app.localtest.me/", "loopback"),
        ("https://lvh.me:3000/", "loopback"),
    ],
)
def test_a_name_that_passes_for_another_is_a_warning(url: str, code: str) -> None:
    assert severity(analyse(url, server_url=SERVER), code) is Severity.WARN


def test_the_host_inside_a_path_is_named() -> None:
    [finding] = [
        each for each in analyse("https://google.com/amp/s/evil.example/x").findings if each.code == "nested-url"
    ]
    assert " evil.example." in finding.message


@each_row("host", REAL)
def test_a_real_site_raises_no_alarm(host: str) -> None:
    link = analyse(f"https://{host}/oauth/authorize?client_id=x", server_url=SERVER, opened=[])
    assert link.of(Severity.WARN) == ()


@each_row(
    "url",
    [
        "https://my_bucket.s3.amazonaws.com/x",
        "https://github.mcp.example.com/connect",
        "https://example.com/c/settings/login.html",
        "https://example.com/amp/story",
        "https://pineapple.example/",
        "https://purchase.example/",
        "https://ec2-54-12-3-4.compute-1.amazonaws.com/",
        "https://release-1-2-3-4.example.com/",
        "https://pkg.go.dev/golang.org/x/net",
        "https://docs.example.com/github.com/example/module",
        "https://slick.example/",
        "https://strive.com/",
        "https://canvas.example/",
        "https://gitlab.acme.example/",
    ],
)
def test_an_honest_link_that_looks_a_bit_alike_raises_no_alarm(url: str) -> None:
    assert analyse(url, server_url=SERVER).of(Severity.WARN) == ()


@pytest.mark.parametrize(("links", "number"), [(INVENTED["first"], 160), (INVENTED["second"], 60)])
def test_invented_hostile_links_are_found(links: list[str], number: int) -> None:
    missed = [url for url in links if not is_alarming(url)]
    assert len(links) == number
    assert len(missed) * 10 <= number, missed


def test_honest_links_of_many_countries_raise_no_alarm() -> None:
    assert len(HONEST) >= 200
    assert [url for url in HONEST if is_alarming(f"https://{url}")] == []


def is_alarming(url: str) -> bool:
    link = analyse(url, server_url=SERVER, opened=[])
    return link.blocked or bool(link.of(Severity.WARN))


def test_a_known_site_is_not_an_imitation() -> None:
    url = "https://github-support.example/"
    assert severity(analyse(url), "brand-in-name") is Severity.WARN
    assert severity(analyse(url, opened=["github-support.example"]), "brand-in-name") is None


@pytest.mark.parametrize("words", ["login", "loginverify", "login-2"])
def test_a_known_name_beside_words_that_lure_is_an_imitation(words: str) -> None:
    for url in (f"https://paypal-{words}.net", f"https://paypal-{words}.evil.example"):
        assert severity(analyse(url), "brand-in-name") is Severity.WARN


@pytest.mark.parametrize("words", ["racing", "loginfoo", "foologin", "login-racing"])
def test_a_known_name_beside_any_other_word_is_none(words: str) -> None:
    for url in (f"https://paypal-{words}.net", f"https://paypal-{words}.evil.example"):
        assert severity(analyse(url), "brand-in-name") is None


def test_a_slip_of_the_servers_own_site_is_found() -> None:
    slip = analyse("https://team-portl.example", server_url="https://team-portal.example/mcp")
    assert severity(slip, "confusable") is Severity.WARN
    assert severity(analyse("https://team-portl.example", server_url=SERVER), "confusable") is None
    own = analyse("https://login.team-portal.example", server_url="https://team-portal.example/mcp")
    assert severity(own, "confusable") is None
