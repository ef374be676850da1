"""A browser gets the language that it asks for, as RFC 9110 and RFC 4647 say."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from webclient.domain.languages import DEFAULT, LANGUAGES, negotiate


@each_row(
    ("header", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
        ("zh", "zh-Hans"),
        ("zh-SG", "zh-Hans"),
        ("ZH-hans-cn", "zh-Hans"),
        ("en-GB,en;q=0.9,zh-CN;q=0.8", "en"),
        ("fr-CH, fr;q=0.9, zh;q=0.5", "zh-Hans"),
        ("zh;q=0.5, en;q=0.9", "en"),
        ("zh ; q=0.5 ,en;q=0.1", "zh-Hans"),
        ("*", "en"),
        ("en;q=0, *", "zh-Hans"),
        ("zh;q=0, *", "en"),
        ("en;q=0, zh-CN;q=0, *", DEFAULT),
        ("*;q=0", DEFAULT),
        ("fr", DEFAULT),
        ("", DEFAULT),
    ],
)
def test_the_best_range_chooses_the_language(header: str, language: str) -> None:
    assert negotiate(header) == language


@pytest.mark.parametrize("header", ["zh-TW, en;q=0.8", "zh-Hant", "zh-HK,en", "yue,en"])
def test_traditional_characters_are_not_taken_for_simplified(header: str) -> None:
    assert negotiate(header) == "en"


def test_a_reader_of_traditional_who_also_takes_chinese_gets_it() -> None:
    assert negotiate("zh-TW,zh;q=0.9,en-US;q=0.8") == "zh-Hans"


@each_row("header", ["zh;q=2", "zh;q=x", "zh_CN", "zh;level=1", ";q=1", ",,,", "\x00", "zh-" + "x" * 9, "ä", "*-zh"])
def test_an_invalid_range_is_ignored(header: str) -> None:
    assert negotiate(header) == DEFAULT
    assert negotiate(f"{header},zh") == "zh-Hans"


def test_only_the_first_ranges_are_read() -> None:
    assert negotiate("fr," * 100_000 + "zh") == DEFAULT


@pytest.mark.parametrize("tag", LANGUAGES)
def test_every_language_is_found_by_its_own_tag(tag: str) -> None:
    assert negotiate(tag) == tag
