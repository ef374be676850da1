"""A form read from a request and kept prepared: servers ask the same again, and every page shows every card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from webclient.forms import Form, asks_for_secret, check, prefilled, read_form
from webclient.i18n import language
from webclient.schema_thread import LONG

KEPT = 256
"""How many forms stay prepared."""

KEPT_LONG = 3
"""How many long ones do: each may have a thousand fields, or tens of thousands of options, and then takes 10 MB."""


@dataclass(frozen=True)
class PreparedForm:
    """A `form` that came with `message`, as nobody touched it."""

    form: Form
    message: str

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """What would be sent: the valid defaults, and nothing else."""
        return prefilled(self.form)

    @cached_property
    def errors(self) -> Mapping[str, str]:
        """What is wrong with `content`, by property name."""
        return check(self.form.schema, self.content)

    @cached_property
    def warnings(self) -> Mapping[str, str]:
        """The fields that ask for a secret, or "" for the message, with sentences."""
        return asks_for_secret(self.form, self.message)


def prepared(schema: Any, message: str) -> PreparedForm:
    """Return the form of a `schema` that came with `message`, read once for every language."""
    text = json.dumps(schema)
    keep = _kept_long if len(text) > LONG else _kept
    return keep(text, message, language())


@lru_cache(maxsize=KEPT)
def _kept(schema: str, message: str, _language: str) -> PreparedForm:
    return _prepare(schema, message)


@lru_cache(maxsize=KEPT_LONG)
def _kept_long(schema: str, message: str, _language: str) -> PreparedForm:
    return _prepare(schema, message)


def _prepare(schema: str, message: str) -> PreparedForm:
    return PreparedForm(read_form(json.loads(schema)), message)
