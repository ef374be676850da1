"""The catalogs: the sentences of each language, read from the files that translators edit.

English has none, because its sentences are those in the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

DEFAULT = "en"
"""The language in which the sentences are written in the code."""

LANGUAGES: Mapping[str, str] = {DEFAULT: "English", "zh-Hans": "简体中文"}
"""The tag of each language (RFC 5646), and its name in itself."""

LOCALE = Path(__file__).parent.parent / "locale"
"""The folder of the catalogs."""


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
