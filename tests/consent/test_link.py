"""A link in its parts: which of them is the site, what was sent, and what the context adds."""

from __future__ import annotations

import pytest

from tests.consent.test_cases import codes, severity
from tests.tables import each_row
from webclient.content.links import Severity, analyse, site_of

SERVER = "https://mcp.example.com/mcp"


@each_row(
    ("url", "parts"),
    [
        ("https://a.b.example.co.uk/x?y#z", ("https://a.b.", "example.co.uk", "/x?y#z")),
        ("https://u:p@evil.example:8/", ("https://u:p@", "evil.example", ":8/")),
        ("https://evil.example@evil.example/evil.example", ("https://evil.example@", "evil.example", "/evil.example")),
        ("https://alice.github.io", ("https://", "alice.github.io", "/")),
        ("https://github.io", ("https://", "github.io", "/")),
        ("https://example.com../", ("https://", "example.com", "../")),
        ("http://[::1]:3000/", ("http://", "[::1]", ":3000/")),
        ("http://2130706433/", ("http://", "127.0.0.1", "/")),
        ("http://localhost:1", ("http://", "localhost", ":1/")),
        ("https://www.bücher.example", ("https://www.", "xn--bcher-kva.example", "/")),
        ("https://...", ("https://", "", ".../")),
    ],
)
def test_the_site_is_the_registered_part_of_the_name(url: str, parts: tuple[str, str, str]) -> None:
    link = analyse(url)
    assert link.emphasised == parts
    assert "".join(parts) == link.href


def test_the_parts_are_those_of_the_canonical_url() -> None:
    link = analyse("HTTPS://u:p@WWW.Example.com:8443/a b?q#f")
    assert link.href == "https://u:p@www.example.com:8443/a%20b?q#f"
    assert (link.scheme, link.userinfo, link.host, link.hostname) == (
        "https",
        "u:p",
        "www.example.com:8443",
        "www.example.com",
    )
    assert (link.site, link.port, link.path, link.query, link.fragment) == ("example.com", "8443", "/a%20b", "?q", "#f")


def test_the_sent_text_is_spelled_out() -> None:
    assert not analyse("https://example.com").differs
    assert analyse("https://example.com:443/").differs
    assert analyse(" https://a.example/\u202e\n").spelled == "⟦U+0020⟧https://a.example/⟦U+202E⟧⟦U+000A⟧"


def test_a_link_to_another_site_than_the_server_is_information() -> None:
    elsewhere = analyse("https://drive.example.org", server_url=SERVER)
    assert severity(elsewhere, "host-differs-from-server") is Severity.INFO
    for same in ("https://auth.example.com", "https://example.com:8443"):
        assert "host-differs-from-server" not in codes(analyse(same, server_url=SERVER))
    assert "host-differs-from-server" not in codes(analyse("https://drive.example.org"))
    here = analyse("http://localhost:1", server_url="http://127.0.0.1:9/mcp")
    assert "host-differs-from-server" not in codes(here)


def test_two_customers_of_one_host_are_two_sites() -> None:
    assert "host-differs-from-server" in codes(analyse("https://bob.github.io", server_url="https://alice.github.io"))


def test_a_site_is_new_until_it_was_opened() -> None:
    url = "https://one.example.org/"
    assert severity(analyse(url, opened=[]), "first-time-domain") is Severity.INFO
    assert "first-time-domain" not in codes(analyse(url, opened=[site_of("https://two.example.org/")]))
    assert "first-time-domain" not in codes(analyse(url))


@pytest.mark.parametrize(
    ("server", "expected"),
    [(None, Severity.INFO), ("http://localhost:9/mcp", Severity.INFO), (SERVER, Severity.WARN)],
)
def test_only_a_local_server_may_link_to_this_machine_unremarked(server: str | None, expected: Severity) -> None:
    link = analyse("http://127.0.0.1:3000/callback", server_url=server)
    assert severity(link, "loopback") is expected
    assert severity(link, "port") is Severity.INFO
    assert "insecure-http" not in codes(link)


def test_a_number_of_this_computer_has_a_known_owner() -> None:
    urls = "http://127.0.0.1", "http://8.8.8.8"
    here, elsewhere = (" ".join(finding.message for finding in analyse(url).findings) for url in urls)
    assert "who owns it" in elsewhere
    assert "who owns it" not in here


def test_a_server_in_ones_own_network_may_send_one_to_itself() -> None:
    link = analyse("https://10.0.0.5:444/x", server_url="https://10.0.0.5/mcp")
    assert {each.code for each in link.of(Severity.INFO)} == {"ip-literal", "ip-private", "port"}
    assert severity(analyse("https://10.0.0.6/x", server_url="https://10.0.0.5/mcp"), "ip-private") is Severity.WARN


def test_a_name_like_a_familiar_one_is_an_imitation() -> None:
    assert severity(analyse("https://examp1e.com", server_url=SERVER), "confusable") is Severity.WARN
    assert severity(analyse("https://rnybank.example", opened=["mybank.example"]), "confusable") is Severity.WARN
    assert "confusable" not in codes(analyse("https://mybank.example", opened=["mybank.example"]))


@each_row(
    ("query", "host"),
    [
        ("?u=https://b.example/x", "b.example"),
        ("?u=https%3A%2F%2Fb.example%3A8%2Fx", "b.example:8"),
        ("?u=https%253A%252F%252Fb.example", "b.example"),
        ("?u=http:%5C%5Cb.example", "b.example"),
        ("?u=//b.example/x", "b.example"),
        ("?u=https://b.example&x=1", "b.example"),
        ("?u=https://a.example@b.example", "b.example"),
        ("#u=https://b.example", "b.example"),
    ],
)
def test_an_address_within_the_address_is_named(query: str, host: str) -> None:
    [finding] = [each for each in analyse(f"https://a.example/{query}").findings if each.code == "nested-url"]
    assert finding.severity is Severity.INFO
    assert f" {host}." in finding.message


def test_each_of_several_addresses_within_one_is_named() -> None:
    query = "&".join(f"u{number}=https://b{number}.example/x" for number in range(5))
    said = [each.message for each in analyse(f"https://a.example/?{query}").findings if each.code == "nested-url"]
    assert len(said) == 5
    assert all(f" b{number}.example." in sentence for number, sentence in enumerate(said))


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("https://a.example/x", ("https://", "", "", "a.example", "/x")),
        ("https://www.a.example/", ("https://", "", "www.", "a.example", "/")),
        ("https://bank.example@evil.example/", ("https://", "bank.example", "@", "evil.example", "/")),
        ("https://accounts.google.com.evil.example/", ("https://", "accounts.google.com.", "", "evil.example", "/")),
    ],
)
def test_a_pretended_site_is_a_part_of_its_own(url: str, parts: tuple[str, ...]) -> None:
    assert analyse(url).parts == parts
    assert "".join(parts) == analyse(url).href


@pytest.mark.parametrize(
    ("url", "disguised"),
    [("https://bank.example@evil.example/", True), ("http://evil.example", False), ("https://a.example", False)],
)
def test_a_disguised_address_is_known_by_its_warnings(url: str, disguised: bool) -> None:
    assert analyse(url).disguised is disguised


def test_a_local_link_of_a_local_server_has_nothing_to_remark() -> None:
    link = analyse("http://127.0.0.1:8000/x", server_url="http://127.0.0.1:9000/mcp", opened=())
    assert (link.remarks, link.of(Severity.WARN)) == ({}, ())
    assert link.details


def test_the_most_serious_finding_comes_first() -> None:
    link = analyse("http://u@bücher.example/?u=https://b.example\n", opened=[])
    order = [list(Severity).index(each.severity) for each in link.findings]
    assert order == sorted(order)
    assert len(set(order)) == 2


def test_this_computer_differs_from_a_server_elsewhere() -> None:
    assert severity(analyse("http://localhost:1", server_url=SERVER), "host-differs-from-server") is Severity.INFO
    assert severity(analyse("https://example.org", server_url="http://127.0.0.1:9/mcp"), "host-differs-from-server")
