"""Forms that were read from requests, in a cache: servers ask the same again, and each page shows each card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from webclient.content.forms import (
    JSON_CONTROL,
    Form,
    Texts,
    asks_for_secret,
    check_answer,
    prefilled,
    read_form,
    read_program_form,
)
from webclient.domain.i18n import language
from webclient.support.schema_thread import LONG

CACHED = 256
"""Forms in the cache."""

CACHED_LONG = 3
"""Long forms in the cache: each may have a thousand fields, or tens of thousands of options, and takes 10 MB."""


@dataclass(frozen=True)
class PreparedForm:
    """An untouched `form`, which came with `message`."""

    form: Form
    message: str

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """The content that would be sent: the valid defaults, and nothing else."""
        return prefilled(self.form)

    @cached_property
    def errors(self) -> Mapping[str, str]:
        """The errors in `content`, by property name."""
        return check_answer(self.form, self.content)

    @cached_property
    def first_texts(self) -> Texts | None:
        """The texts with which the card begins, if those of the form are not enough."""
        return {JSON_CONTROL: ["{}"]} if self.form.as_json else None

    @cached_property
    def warnings(self) -> Mapping[str, str]:
        """The label of each field that asks for a secret, by property; "" stands for the message."""
        return asks_for_secret(self.form, self.message)


def prepared(schema: Any, message: str, *, of_program: bool = False) -> PreparedForm:
    """Return the form of a `schema` that came with `message`, read once for each language.

    That of a program may offer a choice at its root; what a server may ask for is restricted by MCP.
    """
    text = json.dumps(schema)
    read = _read_long if len(text) > LONG else _read
    return read(text, message, language(), of_program)


@lru_cache(maxsize=CACHED)
def _read(schema: str, message: str, _language: str, of_program: bool) -> PreparedForm:
    return PreparedForm((read_program_form if of_program else read_form)(json.loads(schema)), message)


# A cache of its own, so that a few long forms do not take the place of hundreds of short ones.
_read_long = lru_cache(maxsize=CACHED_LONG)(_read.__wrapped__)
