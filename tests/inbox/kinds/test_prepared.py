"""A form is read once for each schema, message and language, with what it would send untouched."""

from __future__ import annotations

from gettext import NullTranslations
from typing import Any

from tests.inbox.kinds.requests import SCHEMA
from webclient.domain.i18n import speaking
from webclient.domain.model import Json
from webclient.inbox.kinds import prepared as module
from webclient.inbox.kinds.prepared import prepared
from webclient.support.schema_thread import LONG


class Latin(NullTranslations):
    """A language in which nothing is translated."""

    def info(self) -> dict[str, str]:
        """Return its name."""
        return {"language": "la"}


def test_the_same_schema_is_read_once() -> None:
    assert prepared(dict(SCHEMA), "Once?") is prepared(dict(SCHEMA), "Once?")
    assert prepared(SCHEMA, "Twice?") is not prepared(SCHEMA, "Once?")


def test_each_language_has_forms_of_its_own() -> None:
    english = prepared(SCHEMA, "Who?")
    with speaking(Latin()):
        assert prepared(SCHEMA, "Who?") is not english


def test_an_untouched_form_knows_its_content_and_errors() -> None:
    found = prepared(SCHEMA, "Who?")
    assert (found.content, set(found.errors)) == ({"n": 5}, {"name"})


def test_fields_that_ask_for_a_secret_are_named_by_their_labels() -> None:
    schema: Json = {"type": "object", "properties": {"pw": {"type": "string", "title": "Password"}}}
    assert prepared(schema, "Sign in").warnings == {"pw": "Password"}
    # Only the message asks: then any of its fields may be meant.
    anything = {"type": "object", "properties": {"x": {"type": "string"}}}
    assert prepared(anything, "Please type your password").warnings == {"": ""}


def test_long_forms_do_not_take_the_place_of_short_ones() -> None:
    short = prepared(SCHEMA, "Short?")
    for number in range(module.CACHED_LONG + 1):
        schema = {"type": "object", "description": "x" * LONG, "title": str(number)}
        assert prepared(schema, "Long?") is prepared(schema, "Long?")
    assert prepared(SCHEMA, "Short?") is short


def test_a_schema_that_is_not_one_gives_a_form_that_says_so() -> None:
    schemas: list[Any] = [None, [], 7, "x"]
    for schema in schemas:
        assert prepared(schema, "?").form.unanswerable
