"""The language of the present context: every sentence that a person reads passes through `gettext` here.

Rules stay pure functions: they return sentences in the language of the person who is asking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from typing import Self

_ENGLISH = NullTranslations()
_translations: ContextVar[NullTranslations] = ContextVar("translations")


def language() -> str:
    """Return the language tag of the current context (RFC 5646)."""
    return _translations.get(_ENGLISH).info().get("language", "en").replace("_", "-")


def N_(message: str) -> str:  # noqa: N802  (the name by which tools for translators find it)
    """Mark a message for translation, which `gettext` does when it is shown."""
    return message


def gettext(message: str) -> str:
    """Return `message` in the language of the current context."""
    return _translations.get(_ENGLISH).gettext(message)


def ngettext(singular: str, plural: str, n: int) -> str:
    """Return the plural form for `n` in the language of the current context."""
    return _translations.get(_ENGLISH).ngettext(singular, plural, n)


class Deferred(str):
    """A sentence that is made before its reader is known: in English, and in their language when it is written."""

    __slots__ = ("_message", "_values")
    _message: str
    _values: Mapping[str, object]

    def __new__(cls, message: str, **values: object) -> Self:
        """Return the sentence of a `message` that is marked for translation, with the values of its placeholders."""
        made = super().__new__(cls, message.format(**values))
        made._message, made._values = message, values
        return made

    def __str__(self) -> str:
        return gettext(self._message).format(**self._values)

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)


def listed(names: Iterable[str]) -> str:
    """Return `names` with the commas of the language between them."""
    return _joined(gettext("{first}, {next}"), names)


def labelled(values: Iterable[tuple[str, str]]) -> str:
    """Return values with labels in one line, with the marks of the language."""
    pattern = gettext("{label}: {value}")
    return _joined(gettext("{first}; {next}"), [pattern.format(label=label, value=value) for label, value in values])


def one_of(names: Sequence[str]) -> str:
    """Return `names` as alternatives, with the commas and the "or" of the language between them."""
    *others, last = names
    return gettext("{first} or {last}").format(first=listed(others), last=last) if others else last


def sentences(texts: Iterable[str]) -> str:
    """Return whole sentences, one after the other as the language writes them."""
    return _joined(gettext("{sentence} {next}"), texts)


def _joined(pattern: str, texts: Iterable[str]) -> str:
    return re.split(r"\{\w+\}", pattern)[1].join(texts)


@contextmanager
def speaking(translations: NullTranslations) -> Iterator[None]:
    """Make `translations` the language of the context while the block runs."""
    before = _translations.set(translations)
    try:
        yield
    finally:
        _translations.reset(before)
