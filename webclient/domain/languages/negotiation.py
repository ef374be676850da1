"""Chooses the language for an `Accept-Language` header (RFC 9110 section 12.5.4, RFC 4647)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel.core import get_global
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?"
)
"""A language range with its weight (RFC 9110 section 12.4.2)."""

_MOST_RANGES = 50
"""Ranges that are looked at; browsers send fewer than ten."""

DEFAULT = "en"
"""The language in which the sentences are written in the code."""

LANGUAGES: Mapping[str, str] = {DEFAULT: "English", "zh-Hans": "简体中文"}
"""The tag of each language (RFC 5646), and its name in itself."""

LOCALE = Path(__file__).parent.parent / "locale"
"""The folder of the catalogs."""


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


def catalog_of(tag: str) -> Path:
    """Return the file with the sentences of a language other than English."""
    return LOCALE / tag.replace("-", "_") / "LC_MESSAGES" / "webclient.po"


@cache
def translations(tag: str) -> NullTranslations:
    """Return the sentences of a language of `LANGUAGES`; the first use reads them in about 50 ms."""
    if tag == DEFAULT:
        return NullTranslations()
    with catalog_of(tag).open("rb") as file:
        catalog = read_po(file, locale=tag.replace("-", "_"))
    compiled = BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    return GNUTranslations(compiled)
