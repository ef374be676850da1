"""Renders the Markdown of a server as HTML that cannot do anything: no links, no pictures, no attributes.

A link is its text and its address, as text, with the site that a browser would open in bold. Hidden characters are
written out, also when they are entities (`&#x202e;`). The cost is bounded by `LONGEST` and `DEEPEST`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from webclient.content.links import analyse
from webclient.content.visible_text import shortened, visible

LONGEST = 20_000
"""Characters that are rendered; the source of a longer text is shown instead."""

DEEPEST = 20
"""Levels of lists, quotes and emphasis; what is nested deeper is left out by the parser."""

MOST_CELLS = 4_000
"""Cells of tables; a text that may have more is rendered without tables."""

LONGEST_ADDRESS = 500
"""Characters of an address that are shown."""

TOP_HEADING = 3
"""The level of the highest heading: above it are those of the page and of the step."""

TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
"""All elements of a rendered text; none of them loads, links or runs anything."""

_HEADINGS = ("heading_open", "heading_close")
_TEXTS = ("text", "code_inline", "code_block", "fence", "text_special")

_parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": DEEPEST}).enable("strikethrough")
_parser_of_tables = MarkdownIt("commonmark", _parser.options).enable(["strikethrough", "table"])


@lru_cache(maxsize=32)
def markdown(text: str) -> Markup:
    """Render at most `LONGEST` characters of Markdown.

    Safe: the parser takes no HTML and escapes all text, and links and pictures are replaced by text before anything is
    rendered. If a fault in that let anything through, nh3 (ammonia, on the parser of a browser engine) leaves only
    `TAGS`, and of attributes only the first number of a list.
    """
    part = text[:LONGEST]
    parser = _parser_of_tables if _cells(part) <= MOST_CELLS else _parser
    tokens = _harmless(parser.parse(part))
    html = _parser.renderer.render(list(tokens), _parser.options, {})
    attributes = {"ol": {"start"}}
    return Markup(nh3.clean(html, tags=TAGS, attributes=attributes, url_schemes=set(), link_rel=None))  # noqa: S704


def _cells(text: str) -> int:
    """Return the most cells that tables in the text may have: short rows are filled up, so few letters make many."""
    bars = [line.count("|") for line in text.split("\n")]
    return max(bars) * sum(map(bool, bars))


def _harmless(tokens: Sequence[Token]) -> Iterator[Token]:
    addresses: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            addresses.append(str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            yield from _address(addresses.pop())
        elif token.type == "image":
            yield _text(token.content)
            yield from _address(str(token.attrs.get("src", "")))
        else:
            yield _seen(token)


def _seen(token: Token) -> Token:
    """Return the token with hidden characters written out."""
    if token.type in _HEADINGS:
        token.tag = f"h{min(6, int(token.tag[1]) + TOP_HEADING - 1)}"
    if token.type in _TEXTS:
        token.content = visible(token.content, LONGEST, newlines=True)
    if token.children:
        token.children = list(_harmless(token.children))
    return token


def _address(address: str) -> Iterator[Token]:
    """Yield an address as text in code, its site strong."""
    link = analyse(address)
    yield _text(" ")
    yield Token("code_open", "code", 1)
    if link.blocked or not link.site:
        yield _text(shortened(link.spelled, LONGEST_ADDRESS))
    else:
        before, site, after = link.emphasised
        yield _text(before)
        yield Token("strong_open", "strong", 1)
        yield _text(site)
        yield Token("strong_close", "strong", -1)
        yield _text(shortened(after, LONGEST_ADDRESS))
    yield Token("code_close", "code", -1)


def _text(text: str) -> Token:
    """Return a token of text, with hidden characters written out."""
    return Token("text", "", 0, content=visible(text, LONGEST, newlines=True))
