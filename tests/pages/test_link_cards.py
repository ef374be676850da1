"""The cards of links: before a link is opened, and where a link must not be opened.

The tests that name a rule are those of MCP 2025-11-25, Elicitation, "Safe URL Handling".
"""

from __future__ import annotations

from html import unescape
from typing import Any

from tests.forms.filling import Page
from webclient.domain.model import InputRequest, Requester
from webclient.web.http.templating import render_text
from webclient.web.pages.inbox.cards import pending_card


def shown(kind: str = "url", **params: Any) -> str:
    """Return the card of a question as HTML."""
    asked_by = Requester(label="box", address="https://box.example/mcp")
    request = InputRequest(
        id="r1", user_id="local", server_id="s1", kind=kind, params={"message": "Go", **params}, asked_by=asked_by
    )
    return render_text("requests/_card.html", card=pending_card(request))


def finding(html: str, code: str) -> str:
    """Return the words of a finding, which is there once."""
    [_before, after] = html.split(f'data-code="{code}"')
    return Page("<p " + after.partition("</p>")[0]).text


def test_rule_should_highlight_the_domain_of_the_url() -> None:
    html = shown(url="https://accounts.google.com.sign-in.evil.example/x")
    [address] = [each for each in html.split("<code")[1:] if 'url__text"' in each.partition(">")[0]]
    assert "<strong>evil.example</strong>" in address.partition("</code>")[0]
    assert "evil.example" in finding(html, "brand-subdomain")


def test_rule_should_warn_of_suspicious_uris_such_as_punycode() -> None:
    html = shown(url="https://xn--pypal-4ve.com/")
    assert "pаypal.com" in finding(html, "punycode")
    assert "looks like “paypal”" in finding(html, "confusable")
    assert "verdict--warn" in html
    assert "xn--pypal-4ve.com" in Page(html).text


def test_rule_should_use_https_urls_outside_development() -> None:
    assert "Not encrypted" in finding(shown(url="http://mcp.example/connect"), "insecure-http")


def test_rule_should_not_render_urls_clickable_in_other_fields() -> None:
    base = "http://127.0.0.1:9999"
    text = f"Go to {base}/a or [here]({base}/b) or <a href='{base}/c'>there</a>."
    schema = {"type": "object", "properties": {"x": {"type": "string", "title": text, "description": text}}}
    for html in (shown(message=text, url=f"{base}/d"), shown("form", message=text, requestedSchema=schema)):
        page = Page(html)
        assert text in page.text
        written = [value for _tag, each in page.elements for name, value in each.items() if name in ("href", "src")]
        assert [each for each in written if ":9999" in str(each)] == []
        assert page.all("iframe") == []


def test_a_blocked_link_has_no_button_and_says_why() -> None:
    html = shown(url="java\nscript:alert(1)")
    assert "verdict--block" in html
    assert "javascript:" in finding(html, "scheme")
    assert "java⟦U+000A⟧script:alert(1)" in Page(html).text
    actions = [each["value"] for each in Page(html).all("button") if each.get("name") == "action"]
    assert actions == ["decline", "cancel"]


def test_the_sent_text_is_shown_if_it_differs_from_the_opened() -> None:
    text = Page(unescape(shown(url="https:\\\\evil。example/a b\u202egpj.exe"))).text
    assert "https://evil.example/a%20b%E2%80%AEgpj.exe" in text
    assert "https:\\\\evil。example/a⟦U+0020⟧b⟦U+202E⟧gpj.exe" in text
