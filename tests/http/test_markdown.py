"""Markdown of a hostile server becomes text and a few harmless elements, in bounded time."""

from __future__ import annotations

import re
from time import process_time

import pytest

from tests.tables import each_row
from webclient.web.http import environment
from webclient.web.http.markdown import DEEPEST, LONGEST, TAGS, markdown

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<style>*{display:none}</style>",
    '<p style="position:fixed" onclick="x()">hi</p>',
    "<hx-partial hx-target='body'>x</hx-partial>",
    '<a href="javascript:alert(1)">x</a>',
    "<iframe src=//evil.example></iframe>",
    "<!-- --><form action=/logout><button>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](https://evil.example 'title\" onmouseover=\"alert(1)')",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/png;base64,AAAA)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    "<https://evil.example/<script>>",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x] and [y][x]",
    '```"><script>alert(1)</script>\ncode\n```',
    "`<script>`",
    "| a | b |\n|:-:|--:|\n| <b>1</b> | 2 |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\\<script>",
    "# <hr> {onclick=x}",
    "1986\\. <b>\n\n7. seven",
    "</div></main></body>",
    "\ud800 \0 \x1b[31m",
]


@each_row("attack", ATTACKS)
def test_no_attack_leaves_more_than_plain_elements(attack: str) -> None:
    for text in (attack, f"> - {attack}", f"a **b {attack} c** d"):
        html = str(markdown(text))
        elements = re.findall(r"<[^>]*>", html)
        assert {re.sub(r"[</>]", "", each) for each in elements if not re.fullmatch(r'<ol start="\d+">', each)} <= TAGS
        assert html.count("<") == html.count(">") == len(elements)


def test_the_filter_gives_html_that_is_not_escaped_again() -> None:
    assert (
        environment.from_string("{{ text|markdown }}").render(text="**a** <b>")
        == "<p><strong>a</strong> &lt;b&gt;</p>\n"
    )


def test_a_link_is_text_with_the_site_that_would_open() -> None:
    shown = markdown("[accounts.google.com](https://accounts.google.com@evil.example/login)")
    assert "accounts.google.com <code>https://accounts.google.com@<strong>evil.example</strong>/login</code>" in shown
    assert "<code>https://<strong>example.com</strong>/a</code>" in markdown("<https://example.com/a>")
    assert "<code>mailto:a@b.example</code>" in markdown("[write](mailto:a@b.example)")
    assert "a cat <code>https://<strong>example.com</strong>/c.png</code>" in markdown(
        "![a cat](https://example.com/c.png)"
    )


@pytest.mark.parametrize("hidden", ["\u202e", "&#x202e;", "`\u202e`", "[\u202e](x)", "    \u202e", "```\n\u202e\n```"])
def test_hidden_characters_are_written_out(hidden: str) -> None:
    assert "⟦U+202E⟧" in markdown(hidden)
    assert "\u202e" not in markdown(hidden)


def test_headings_stand_below_those_of_the_page() -> None:
    html = markdown("# a\n\n## b\n\n###### c")
    assert re.findall(r"<h(\d)", html) == ["3", "4", "6"]


def test_lists_tables_and_code_are_rendered() -> None:
    html = markdown("3. x\n4. y\n\n| a | b |\n|---|---|\n| 1 | ~~2~~ |\n\n```py\nx < 1\n```\nline\nnext")
    for part in ('<ol start="3">', "<td>1</td>", "<s>2</s>", "<pre><code>x &lt; 1\n</code></pre>", "line<br>"):
        assert part in html


def depth(html: str) -> int:
    """Return the greatest number of elements that are inside of one another."""
    deepest = level = 0
    for closing, name in re.findall(r"<(/?)(\w+)", html):
        level += 0 if name in ("br", "hr") else -1 if closing else 1
        deepest = max(deepest, level)
    return deepest


NESTED = [
    ">" * LONGEST,
    "- " * (LONGEST // 2),
    "[" * LONGEST,
    "![" * (LONGEST // 2),
    "*a " * (LONGEST // 3),
    "**a" * (LONGEST // 3),
    "_a__b" * (LONGEST // 5),
    "`" * LONGEST,
    "".join("`" * n + " " for n in range(190)),
    "[a](" * (LONGEST // 4),
    "[a](<b" * (LONGEST // 6),
    "<" * LONGEST,
    "<!--" * (LONGEST // 4),
    "&" * LONGEST,
    "\\" * LONGEST,
    "|" * LONGEST + "\n" + "-|" * (LONGEST // 2),
    "|a" * 4_000 + "\n" + "|-" * 4_000 + "\n" + "|b\n" * 1_000,
    "[a]: x\n" * (LONGEST // 7),
    "[a]" * (LONGEST // 3),
    "\n".join(" " * n + "- x" for n in range(190)),
    "> " * (LONGEST // 3) + "\n" + "a" * 100,
    "~~a" * (LONGEST // 3),
    "x\n===\n" * (LONGEST // 6),
    "\u0301" * LONGEST,
]


@each_row("text", NESTED)
@pytest.mark.slow
def test_nesting_and_repetition_cost_a_bounded_time(text: str) -> None:
    began = process_time()
    html = markdown(text)
    assert process_time() - began < 5
    assert depth(html) <= 2 * DEEPEST


def test_no_more_than_the_longest_text_is_rendered() -> None:
    assert len(markdown("a" * LONGEST * 3)) < LONGEST * 1.1
