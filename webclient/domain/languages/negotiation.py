"""Chooses the language for an `Accept-Language` header (RFC 9110 section 12.5.4, RFC 4647)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from babel.core import get_global

from webclient.domain.languages.catalogs import DEFAULT, LANGUAGES

_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?"
)
"""A language range with its weight (RFC 9110 section 12.4.2)."""

_MOST_RANGES = 50
"""Ranges that are looked at; browsers send fewer than ten."""


@lru_cache(maxsize=256)
def negotiate(accept_language: str) -> str:
    """Return the language of `LANGUAGES` for the value of an `Accept-Language` header; English if it names none.

    A range is looked up as RFC 4647 section 3.4 says, by its language and script: zh-CN and zh name zh-Hans, and zh-TW,
    which is written in other characters, does not.
    """
    ranges = list(_ranges(accept_language))
    unwanted = {_found(name) for name, weight in ranges if weight == 0}
    for name, weight in sorted(ranges, key=lambda each: -each[1]):
        if weight == 0:
            continue
        if name == "*":
            return next((tag for tag in LANGUAGES if tag not in unwanted), DEFAULT)
        if found := _found(name):
            return found
    return DEFAULT


def _ranges(header: str) -> Iterator[tuple[str, float]]:
    for part in header.split(",", _MOST_RANGES)[:_MOST_RANGES]:
        if found := _RANGE.fullmatch(part):
            yield found[1], float(found[2] or 1)


def _found(name: str) -> str | None:
    wanted = _language_and_script(name)
    return next((tag for tag in LANGUAGES if _language_and_script(tag) == wanted), None)


def _language_and_script(tag: str) -> tuple[str, str]:
    """Return the language of a tag and its script, if need be the likely one (CLDR likely subtags)."""
    language, *more = tag.lower().split("-")
    script = next((each.title() for each in more if len(each) == 4 and each.isalpha()), "")
    region = next((each.upper() for each in more if len(each) == 2 and each.isalpha()), "")
    if script:
        return language, script
    likely = get_global("likely_subtags")
    full = likely.get(f"{language}_{region}") or likely.get(language) or ""
    # "zh_Hant_TW"
    return language, full.split("_")[1] if full else ""
