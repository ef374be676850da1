"""The language of the present context: every sentence that a person reads passes through `gettext` here.

Rules stay pure functions: they return sentences in the language of the person who is asking.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations

_ENGLISH = NullTranslations()
_translations: ContextVar[NullTranslations] = ContextVar("translations")


def use(translations: NullTranslations) -> None:
    """Make `translations` the language of the current context (one request, one stream)."""
    _translations.set(translations)


def language() -> str:
    """Return the language tag of the current context (RFC 5646)."""
    return _translations.get(_ENGLISH).info().get("language", "en")


def gettext(message: str) -> str:
    """Return `message` in the language of the current context."""
    return _translations.get(_ENGLISH).gettext(message)


def ngettext(singular: str, plural: str, n: int) -> str:
    """Return the plural form for `n` in the language of the current context."""
    return _translations.get(_ENGLISH).ngettext(singular, plural, n)


@contextmanager
def speaking(translations: NullTranslations) -> Iterator[None]:
    """Make `translations` the language of the context while the block runs."""
    before = _translations.set(translations)
    try:
        yield
    finally:
        _translations.reset(before)
